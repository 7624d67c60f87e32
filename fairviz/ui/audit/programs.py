"""The Python that makes the tables of an audit again, by the rankers and plans that the page was asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairviz.analyses.audit.list_plan import ListwisePlan
from fairviz.analyses.audit.pairs import PairwisePlan
from fairviz.evaluation.settings import Settings
from fairviz.output import recipes
from fairviz.study.record import Study

PAIRS = ("source", "per_query", "queries", "neutral", "annotator", "seed")
LISTS = ("queries", "annotator", "window", "step", "per_list", "seed")
Plan = PairwisePlan | ListwisePlan


@dataclass(frozen=True)
class Programs:
    """What the page was asked for: rankers as they are written, and the word vectors for those that take some."""

    study: Study
    rankers: str
    embedding: str

    def of(
        self, plan: Plan, lines: Sequence[str], imports: Sequence[str] = (), lists: ListwisePlan | None = None
    ) -> str:
        """A program of lines that find the audit by this plan as `found`, and that by `lists` as `listwise`."""
        given = {"found": self._given(plan)}
        if lists is not None:
            given["listwise"] = self._given(lists)
        return recipes.audits(self.study, self.rankers, given, lines, imports)

    def _given(self, plan: Plan) -> dict[str, object]:
        """What differs from the defaults of fairviz.audit."""
        listwise, usual = isinstance(plan, ListwisePlan), type(plan)()
        told: dict[str, object] = {"kind": "listwise"} if listwise else {}
        names = LISTS if listwise else PAIRS
        told |= {name: getattr(plan, name) for name in names if getattr(plan, name) != getattr(usual, name)}
        return told | ({"embedding": self.embedding} if self.embedding != Settings.embedding else {})
