"""The audit by authors' names: the same document under names of either gender, with the placebo of other names of the
same gender."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from fairviz.analyses.audit.attribution_judging import Attributed, attributed, check_reads
from fairviz.analyses.audit.attribution_plan import AttributionPlan
from fairviz.analyses.audit.attribution_sentences import sentences_of
from fairviz.analyses.audit.attribution_tables import attribution_table, comparisons_table, unnamed_table
from fairviz.analyses.audit.attribution_versions import versions_of
from fairviz.analyses.audit.integrity import integrity_of
from fairviz.analyses.audit.judging import Progress, answers_of, texts_of_pairs
from fairviz.errors import UsageError
from fairviz.models.asking import Budget, Estimate, Spent, estimate
from fairviz.rankers.grammar import Choice, check_layers, demonstrations
from fairviz.rankers.pairwise import NAME as ASKED
from fairviz.rankers.pairwise import questions
from fairviz.rankers.record import silent
from fairviz.study.record import Study

ANCHOR = "bm25"


@dataclass(frozen=True, eq=False)
class AttributionAudit:
    """The rankers' preferences between versions of documents under female and male names.

    table: a row for each system and quantity (see `attribution_table`): `preference`, the share in which the female
    version is first, which decides; secondary are `gap` and `places`, by how much in scores and in the list, and
    `size` and `places_size`, the same without sign. value is between genders, placebo within them, beyond their
    difference. unnamed: what female, male and any names do to the document as it is (see `unnamed_table`).
    integrity: a row a system (see `integrity_of`), to be read before the rest. answers: a row a system, comparison and
    order, with a language model's text. pairs: the comparisons (see `Versions`).
    """

    study: Study
    plan: AttributionPlan
    systems: tuple[str, ...]
    pairs: pd.DataFrame
    integrity: pd.DataFrame
    table: pd.DataFrame
    unnamed: pd.DataFrame
    answers: pd.DataFrame
    attributions: tuple[Attributed, ...]
    sentences: tuple[str, ...]
    messages: tuple[str, ...]

    def comparisons(self) -> pd.DataFrame:
        """Return a row for each system and comparison of two versions; see `comparisons_table`."""
        return comparisons_table(self.attributions, self.pairs)


def audit_attribution(
    study: Study, choices: Sequence[Choice], plan: AttributionPlan | None = None, progress: Progress | None = None
) -> AttributionAudit:
    """Have every ranker score the same versions of the study's documents.

    progress(what, done, in all) is called all along. A language model's answers are kept: a repeated audit sends
    nothing. Raises FairvizError for a study without candidates, and where a ranker lacks something; UsageError for a
    ranker that reads no text.
    """
    plan, report = plan or AttributionPlan(), progress or silent
    if not choices:
        raise UsageError("no ranker is named", "Name one or more, as bm25,bi_encoder.")
    check_layers(choices)
    for choice in choices:
        check_reads(choice)
    versions = versions_of(study, plan)
    messages: list[str] = [*demonstrations(choices), *versions.messages]
    spent = Spent(Budget(plan.most_requests or None))
    results = tuple(attributed(versions, choice, report, messages.append, spent) for choice in choices)
    judgements = [one.judged for one in results]
    integrity = integrity_of(judgements, versions.pairs)
    table = attribution_table(results, versions.pairs, reference_of(choices))
    unnamed = unnamed_table(results, versions.pairs)
    return AttributionAudit(
        study,
        plan,
        tuple(choice.system for choice in choices),
        versions.pairs,
        integrity,
        table,
        unnamed,
        answers_of(judgements, versions.pairs),
        results,
        sentences_of(integrity, table, unnamed),
        tuple(dict.fromkeys(messages)),
    )


def reference_of(choices: Sequence[Choice]) -> str:
    """Return the system that others are read against, which no test counts: BM25, for which a name is a word as any
    other; empty where it is audited alone."""
    anchors = [choice.system for choice in choices if choice.ranker.name == ANCHOR]
    return anchors[0] if len(anchors) == 1 < len(choices) else ""


def estimates_attribution(study: Study, choices: Sequence[Choice], plan: AttributionPlan) -> dict[str, Estimate]:
    """Return the requests to language models that this plan needs, by system, without sending any."""
    models = [choice for choice in choices if choice.ranker.name == ASKED]
    if not models:
        return {}
    versions = versions_of(study, plan)
    texts = texts_of_pairs(versions.study, versions.pairs)
    return {choice.system: estimate(*questions(texts, choice.parameters)) for choice in models}
