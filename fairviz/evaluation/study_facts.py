"""The facts of a study that head its overview: counts, label coverage, the kind of its labels, and what is missing."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.voters import annotator_names
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.speakers import counting_text, people_counted
from fairviz.study.record import Study

FIRST_COUNTS = 3  # of `study_counts`: systems, queries and documents


def study_counts(study: Study) -> list[tuple[str, str]]:
    """Return the counts of a study as (noun, number): systems, queries, documents, ranks, judged pairs, labelled
    documents."""
    counts = (
        ("system", "systems", len(study.systems)),
        ("query", "queries", len(study.queries) or len(study.runs["query_id"].cat.categories)),
        ("document", "documents", study.word_counts.documents if study.word_counts else len(study.documents)),
        ("ranked document", "ranked documents", len(study.runs)),
        ("judged pair", "judged pairs", len(study.qrels)),
        ("labelled document", "labelled documents", study.labels["doc_id"].nunique()),
    )
    return [(singular if count == 1 else plural, f"{count:,}") for singular, plural, count in counts]


def overview_facts(study: Study, settings: Settings, label_scores: pd.DataFrame | None) -> list[tuple[str, str]]:
    """Return the short facts of a study with runs as (text, tone), the tone being empty, or `caution` where none of the
    labels that count is a person's.

    label_scores: of `evaluate` for one measure of labels; None if the study has no data for any.
    """
    facts = [(f"{number} {noun}", "") for noun, number in study_counts(study)[:FIRST_COUNTS]]
    if label_scores is not None:
        facts.append((_coverage(label_scores.dropna(subset=["labelled", "places"]), settings.cutoff), ""))
    if annotator_names(study):
        tone = "" if people_counted(study, settings) else "caution"
        facts.append((counting_text(study, settings), tone))
    return facts


def _coverage(scores: pd.DataFrame, cutoff: int) -> str:
    """Return `top 10 fully labelled`, or the share of the ranks that are labelled."""
    labelled, places = scores["labelled"].sum(), scores["places"].sum()
    if not places:
        return "no ranked document labelled"
    return f"top {cutoff} fully labelled" if labelled == places else f"top {cutoff}: {labelled / places:.0%} labelled"


def missing_lines(parts: Sequence[tuple[str, str]]) -> list[str]:
    """Return a line for each reason why measures cannot be computed: their names, the reason and its remedy.

    parts: of `Asked.missing`, (measure, reason).

    >>> missing_lines([("CWEx", "it has no labels."), ("AWRF", "it has no labels.")])
    ['CWEx, AWRF: it has no labels.']
    """
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in parts:
        names_by_reason.setdefault(reason, []).append(name)
    return [f"{', '.join(names)}: {reason}" for reason, names in names_by_reason.items()]


def nothing_ranked(study: Study) -> tuple[str, str]:
    """Return the message about a study without runs, and its remedy."""
    return (
        f"{study.title or study.name} holds no ranked runs, so there is nothing to measure yet.",
        f"Upload a TREC run on Data, or rank the documents: fairviz rank {study.name} --with bm25",
    )
