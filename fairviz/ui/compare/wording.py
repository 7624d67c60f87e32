"""The sentences of the page Two systems: the verdict of the tests on two systems by one measure."""

from collections.abc import Sequence

import pandas as pd

from fairviz.comparison.compare import EQUIVALENT, NO_MARGIN, NOT_SHOWN, Comparison
from fairviz.comparison.pairs import AHEAD, BEHIND, MIXED, OUTSIDE, REFERENCE, SAME, UNTESTED, WITHOUT, no_verdict
from fairviz.comparison.ranking_sentences import family_text, interval_note
from fairviz.measures import Question
from fairviz.words.sentences import Sentence, Span, counted, p_value, signed

VERDICTS = {AHEAD: " is ahead of ", BEHIND: " is behind ", MIXED: " is in no order that a test supports with "}


def only_one(systems: Sequence[str]) -> Sentence:
    """Return the sentence for a page with one system."""
    return Span("Only "), Span(systems[0], True), Span(" is shown: a second system is needed to compare it with.")


def finding(comparison: Comparison, measure: Question, pair: tuple[str, str]) -> Sentence:
    """Return the verdict with its evidence: `w2v_add is ahead of bm25 in CWEx (+0.115 [+0.015, +0.215], p = .017, 40
    queries).`
    """
    row = _row(comparison, measure, pair)
    if row is None:
        return (Span(f"{measure.text} has no value for "), Span(pair[1], True), Span("."))
    if row["verdict"] == UNTESTED:
        reason = row["warning"] or no_verdict(row["queries"])
        end = Span(f" in {measure.name}: {reason}. No verdict.")
        return Span(pair[0], True), Span(" and "), Span(pair[1], True), end
    untested = row["verdict"] in (REFERENCE, OUTSIDE)
    verdict = " is not tested against " if untested else VERDICTS.get(row["verdict"], f" is {SAME} from ")
    ends = f"{signed(row['difference'])} [{signed(row['ci_low'])}, {signed(row['ci_high'])}]"
    p_text = "" if untested else f", {p_value(row['p_corrected'])}"
    parts = [f"{ends}{p_text}, {_queries(row)}", *_warnings(row, decisive=True)]
    evidence = f" in {measure.name} ({'; '.join(parts)})."
    return Span(pair[0], True), Span(verdict), Span(pair[1], True), Span(evidence)


def details(comparison: Comparison, measure: Question, pair: tuple[str, str]) -> list[Sentence]:
    """Return lines about the finding: a warning, equivalence, power, and the family of tests or why there is none."""
    row = _row(comparison, measure, pair)
    if row is None or row["verdict"] == UNTESTED:
        return []
    if row["verdict"] in (REFERENCE, OUTSIDE):
        family = _outside(comparison, pair)
    else:
        family = f"Tests: {family_text(comparison)}; intervals {interval_note(comparison)}."
    others = [f"{text}." for text in _warnings(row, decisive=False)]
    return [(Span(line),) for line in (*others, *_equivalence_and_power(row), family) if line]


def _row(comparison: Comparison, measure: Question, pair: tuple[str, str]) -> pd.Series | None:
    rows = comparison.table[(comparison.table["measure"] == measure.text) & (comparison.table["system"] == pair[0])]
    return None if rows.empty else rows.iloc[0]


def _outside(comparison: Comparison, pair: tuple[str, str]) -> str:
    """Return why the pair has no verdict: a system that is not tested, or tests of one baseline alone."""
    left_out = next((name for name in pair if not comparison.how.is_tested(name)), "")
    if left_out:
        reason = f"{comparison.how.labelled(left_out)}: tick it under Tests to test it."
    elif not comparison.sizes_by_family:
        reason = f"Tests: {family_text(comparison)}."
    else:
        reason = f"Only differences to {comparison.how.tests.baseline} are tested."
    return f"{reason} The interval is of one difference, uncorrected."


def _queries(row: pd.Series) -> str:
    return counted(row["queries"], "query")


def _warnings(row: pd.Series, *, decisive: bool) -> list[str]:
    """Return the warnings of a row: that one query decides its verdict, or the others."""
    return [text for text in filter(None, row["warning"].split("; ")) if text.startswith(WITHOUT) is decisive]


def _equivalence_and_power(row: pd.Series) -> list[str]:
    verdict = {EQUIVALENT: "shown", NOT_SHOWN: "not shown"}.get(row.get("equivalence", NO_MARGIN))
    equivalence = f"Equivalence (±{row['margin']:g}): {verdict}." if verdict else ""
    smallest = row.get("minimum_detectable", float("nan"))
    return [equivalence, "" if smallest != smallest else f"Minimum detectable difference: {smallest:.3f}."]
