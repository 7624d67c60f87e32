"""The requested audit: its rankers, plan and key, the Python of its tables, and the results of its job."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairviz.analyses.audit.attribution_plan import AttributionPlan
from fairviz.analyses.audit.auditing import ATTRIBUTION, LISTWISE, PAIRWISE, audit
from fairviz.analyses.audit.list_plan import ListwisePlan
from fairviz.analyses.audit.listwise import ListwiseAudit
from fairviz.analyses.audit.pairs import PairwisePlan
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import Call, call
from fairviz.parameters import format_call
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import reads
from fairviz.study.record import Study
from fairviz.words.author_names import packaged_names

COMMON_NAMES = ("queries", "annotator", "seed")
NAMES_BY_PLAN = {
    PairwisePlan: ("source", "per_query", "neutral"), ListwisePlan: ("window", "step", "per_list"),
    AttributionPlan: ("candidates", "per_query", "template"),
}  # fmt: skip
KIND_BY_PLAN = {PairwisePlan: PAIRWISE, ListwisePlan: LISTWISE, AttributionPlan: ATTRIBUTION}
Plan = PairwisePlan | AttributionPlan  # of rankers that score or compare; lists have a plan of their own


@dataclass(frozen=True)
class AuditCalls:
    """The audits that the page computes, as calls for recipes. embedding: word vectors for rankers that use some."""

    study: Study
    rankers: str
    embedding: str

    def of(self, plan: Plan | ListwisePlan) -> Call:
        """Return the call of `fairviz.audit` by this plan."""
        values = {name: getattr(plan, name) for name in COMMON_NAMES + NAMES_BY_PLAN[type(plan)]}
        values["queries"] = values["queries"] or 0
        if isinstance(plan, AttributionPlan) and plan.names != packaged_names():
            values["names"] = {"female": plan.names.female, "male": plan.names.male}
        embedding = self.embedding if self.embedding != Settings.embedding else ""
        return call(audit, self.study, self.rankers, kind=KIND_BY_PLAN[type(plan)], embedding=embedding, **values)


@dataclass(frozen=True)
class AuditRequest:
    """The requested audit. lists: rankers and plan of the audit by lists, None without it. calls: the Python of its
    tables."""

    choices: tuple[Choice, ...]
    plan: Plan
    lists: tuple[tuple[Choice, ...], ListwisePlan] | None
    key: tuple
    calls: AuditCalls

    @property
    def rankers(self) -> tuple[Choice, ...]:
        """The rankers that judge pairs, and those that order lists."""
        return (*self.choices, *(self.lists[0] if self.lists else ()))

    def without_reading(self) -> "AuditRequest":
        """Return the request of pairs or versions for the rankers that read no text with a model."""
        return self._only(tuple(choice for choice in self.choices if not reads(choice)), None)

    def of_installed(self) -> "AuditRequest":
        """Return the request for the rankers whose layer is installed."""
        if all(choice.ranker.is_installed for choice in self.rankers):
            return self
        choices, lists = (
            tuple(choice for choice in group if choice.ranker.is_installed)
            for group in (self.choices, self.lists[0] if self.lists else ())
        )
        return self._only(choices, (lists, self.lists[1]) if self.lists else None)

    def _only(
        self, choices: tuple[Choice, ...], lists: tuple[tuple[Choice, ...], ListwisePlan] | None
    ) -> "AuditRequest":
        """Return the request for these rankers."""
        rankers = ",".join(format_call(choice.ranker.name, choice.parameters) for choice in choices)
        key = (*self.key[:2], named(choices), self.plan, lists and lists[1], *self.key[5:])
        return AuditRequest(choices, self.plan, lists, key, replace(self.calls, rankers=rankers))


@dataclass(frozen=True, eq=False)
class Audits:
    """The results of a job, with its request."""

    request: AuditRequest
    pairwise: PairwiseAudit
    listwise: ListwiseAudit | None


def named(rankers: Sequence[Choice]) -> tuple:
    """Return the rankers' names and parameters, for the key of a job."""
    return tuple((choice.ranker.name, tuple(sorted(choice.parameters.items()))) for choice in rankers)
