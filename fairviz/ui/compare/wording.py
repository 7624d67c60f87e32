"""The sentence of the page Compare: what the tests say of two systems by one measure."""

from collections.abc import Sequence

import pandas as pd

from fairviz.evaluation.ahead import CORRECTIONS, TESTS
from fairviz.evaluation.chances import chance, signed
from fairviz.evaluation.compare import AHEAD, BEHIND, MIXED, REFERENCE, UNTESTED
from fairviz.evaluation.comparing import Comparison
from fairviz.evaluation.equivalence import EQUIVALENT, NO_MARGIN, NOT_SHOWN
from fairviz.measures import Question
from fairviz.ui.kit.html import Sentence, Span

VERDICTS = {AHEAD: " is ahead of ", BEHIND: " is behind ", MIXED: " is in no order that a test can claim with "}


def only_one(systems: Sequence[str]) -> Sentence:
    """What the page says where one system is shown."""
    return Span("Only "), Span(systems[0], True), Span(" is shown: a second system is needed to compare it with.")


def finding(found: Comparison, measure: Question, pair: tuple[str, str]) -> Sentence:
    """`w2v_add is ahead of bm25 by CWEx (+0.115, 95 % interval …, p = .02); the difference is not shown …`."""
    rows = found.table[(found.table["measure"] == measure.text) & (found.table["system"] == pair[0])]
    if rows.empty:
        return (Span(f"{measure.text} has no value for "), Span(pair[1], True), Span("."))
    row = rows.iloc[0]
    queries = f"{row['queries']:,} quer{'y' if row['queries'] == 1 else 'ies'}"
    if row["verdict"] == UNTESTED:
        said = f" share {queries} with a value of {measure.name}: too few to test a difference."
        return Span(pair[0], True), Span(" and "), Span(pair[1], True), Span(said)
    verdict = VERDICTS.get(row["verdict"], " is not told apart from ")
    if row["verdict"] == REFERENCE:
        verdict = " is a reference, in no family of tests; it lies beside "
    span = f"{signed(row['difference'])}, 95 % interval {signed(row['ci_low'])} to {signed(row['ci_high'])}"
    tested = "" if row["verdict"] == REFERENCE else f", {chance(row['p_corrected'])}"
    spans = [Span(pair[0], True), Span(verdict), Span(pair[1], True)]
    spans.append(Span(f" by {measure.name} ({span}{tested}, {queries}).{_margin(row)}{_power(row)} {_family(found)}"))
    return tuple(spans)


def _margin(row: pd.Series) -> str:
    said = row.get("equivalence", NO_MARGIN)
    if said == EQUIVALENT:
        return f" It lies within ±{row['margin']:g}: equivalent ({chance(row['p_equivalent_corrected'])})."
    if said == NOT_SHOWN:
        return f" That it lies within ±{row['margin']:g} is not shown ({chance(row['p_equivalent_corrected'])})."
    return ""


def _power(row: pd.Series) -> str:
    smallest = row.get("detectable", float("nan"))
    if smallest != smallest:
        return ""
    return f" Minimum detectable difference in one test: {smallest:.3f}."


def _family(found: Comparison) -> str:
    """`Paired t test, Holm over 48 comparisons.`"""
    count = f"{found.family:,} comparison{'' if found.family == 1 else 's'}"
    said = f"{TESTS[found.test]}, {CORRECTIONS[found.correction]} over {count}."
    return said[0].upper() + said[1:]
