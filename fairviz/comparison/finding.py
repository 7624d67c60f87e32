"""The finding in words: pure functions from tables to spans of text."""

from collections.abc import Sequence

import pandas as pd

from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import Comparison
from fairviz.comparison.measure_order import lines, orders
from fairviz.measures import Question
from fairviz.study.record import is_reference
from fairviz.words.sentences import Sentence, Span, counted

REASONS = {
    "labels": "no document in the top k has a label, or the system lacks the query",
    "words": "no document in the top k has text, or the system lacks the query",
    "relevance": "nothing is judged relevant to the query, or the system lacks it",
    "effectiveness": "nothing is judged for the query",
}


def finding(summary: pd.DataFrame, questions: Sequence[Question], comparison: Comparison) -> list[Sentence]:
    """Return the order of the systems in words, a line for each measure, and the tests; or why there is no order.

    comparison: of the systems of the summary.
    """
    lone = lone_system(summary, comparison)
    if lone:
        return [lone]
    return [*lines(orders(summary, questions, comparison)), (Span(ranking_sentences.family_note(comparison)),)]


def lone_system(summary: pd.DataFrame, comparison: Comparison) -> Sentence:
    """Return that one system, or none, is shown beside the references; empty where there are two to compare."""
    systems = [str(name) for name in dict.fromkeys(summary["system"].tolist())]
    references = [name for name in systems if is_reference(name) and not comparison.how.is_tested(name)]
    contenders = [name for name in systems if name not in references]
    tested = [name for name in contenders if comparison.how.is_tested(name)]
    if len(contenders) > 1 and len(tested) != 1:
        return ()
    lone_systems = tested or contenders
    if not lone_systems:
        return (Span("Only references are shown: a system is needed to see how fair it is."),)
    beside = f" beside {'the reference' if len(references) == 1 else 'references'}" if references else ""
    need = f" is shown{beside}: a second system is needed to see whether measures agree."
    return (Span("Only "), Span(lone_systems[0], True), Span(need))


def undefined_note(summary: pd.DataFrame, questions: Sequence[Question]) -> str:
    """A line for each measure that leaves rankings without a value: how many, and why."""
    notes = []
    for question in questions:
        missed = int(summary[summary["measure"] == question.text]["undefined"].sum())
        if missed:
            rankings = counted(missed, "ranking")
            reason = ("" if question.measure is None else question.measure.undefined) or REASONS[question.family]
            notes.append(f"{question.name} is undefined for {rankings}, which averages leave out: {reason}.")
    return "\n".join(notes)


def source_note(licence: str, citation: str) -> str:
    """Licence and citation of a study in one line."""
    parts = [f"Licence: {licence.rstrip('.')}." if licence else "", f"Cite: {citation}" if citation else ""]
    return " ".join(part for part in parts if part)
