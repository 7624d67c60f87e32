"""What audits show: figures of ranks, of one list, of pairs against lists; and the sentences in every state of a test:
significant, not, not tested for each reason, undefined."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.extensions.ranker_audits import attribution
from fairviz.extensions.ranker_audits.attribution import ANY, GAP, PREFERENCE, RANKS, SIZE
from fairviz.extensions.ranker_audits.figures import list_moves, pairs_and_lists, protected_ranks
from fairviz.extensions.ranker_audits.figures.pairs_and_lists import AGREE, APART, COLUMNS, OPEN, PART
from fairviz.extensions.ranker_audits.judging import NO_ORDER
from fairviz.extensions.ranker_audits.listwise import table_sentences
from fairviz.extensions.ranker_audits.pairwise import sentences_of
from fairviz.extensions.ranker_audits.shares import Preferred, preference_columns
from fairviz.figures.style import LIGHT, group_colour

NAN = np.nan


def test_spreads_are_the_quantiles() -> None:
    ranks = [("<a>", "neutral", rank) for rank in (1, 2, 3, 4, 5)] + [("<a>", "female", rank) for rank in (1, 1, 2)]
    ranks = pd.DataFrame([*ranks, ("b", "neutral", 4)], columns=["system", "attribute", "after"])
    found = protected_ranks.info(ranks, "female", 3.0)
    assert (found.systems, found.attributes) == (("<a>", "b"), ("neutral", "female"))
    first = found.spreads[0]
    assert (first.count, first.mean) == (5, 3.0)
    assert first.ranks == tuple(np.quantile([1, 2, 3, 4, 5], [0.05, 0.25, 0.5, 0.75, 0.95]))
    assert found.alt == (
        "Ranks of female documents: <a>, neutral queries, mean 3.0; <a>, female queries, mean 1.3; b, neutral "
        "queries, mean 4.0. The middle of the lists is 3.0."
    )

    figure = protected_ranks.draw(found)
    boxes, marks = figure.data[::2], figure.data[1::2]
    assert [box.median.tolist() for box in boxes] == [[3.0, 4.0], [1.0]]
    assert [tuple(box.y) for box in boxes] == [tuple(mark.y) for mark in marks]
    assert figure.layout.shapes[0].x0 == 3.0
    assert "<a>" not in str(figure)


def test_a_line_a_document() -> None:
    rows = [("<i>1", "female", True, 2, 1, False, False), ("d2", "male", False, 1, 3, False, False),
            ("d3", "female", False, 3, 2, False, True)]  # fmt: skip
    columns = ["doc_id", "group", "relevant", "before", "after", "unranked", "tied"]
    texts = {"<i>1": "<script>alert()</script>", "d2": "two"}
    drawn = list_moves.info(pd.DataFrame(rows, columns=columns), "female", texts)
    assert [(one.name, one.before, one.after, one.unplaced) for one in drawn.moves] == [
        ("d2", 1, 3, False), ("<i>1", 2, 1, False), ("d3", 3, 2, True),
    ]  # fmt: skip
    assert drawn.alt == "The list before and after: 3 documents; female ones move from rank 2 to 1, 3 to 2."
    figure = list_moves.draw(drawn)
    assert [trace.name for trace in figure.data[:3]] == [
        "female, relevant", "female, not relevant", "male, not relevant",
    ]  # fmt: skip
    assert list(figure.data[0].y) == [2, 1, None]
    assert figure.data[0].line.color == group_colour("female", ("female", "male"), LIGHT)
    assert (figure.data[0].line.dash, figure.data[1].line.dash) == ("solid", "dot")
    assert figure.data[1].customdata[0][1] == "d3, rank 3 to 2: 1 higher; unranked or tied"
    assert figure.layout.yaxis.ticktext[0] == "1. two"
    assert figure.layout.yaxis2.ticktext[2] == "3. two"
    assert "<script>" not in str(figure)
    assert "<i>" not in str(figure)


def test_pairs_against_lists_agree_contradict_or_stay_open() -> None:
    rows = [
        ("same", 0.7, 0.6, 0.8, 0.6, 0.55, 0.65),
        ("<b>contrary</b>", 0.3, 0.2, 0.4, 0.6, 0.55, 0.65),
        ("even", 0.5, 0.4, 0.6, 0.6, 0.55, 0.65),
        ("few queries", 0.7, NAN, NAN, 0.6, NAN, NAN),
        ("unread", NAN, NAN, NAN, 0.5, 0.45, 0.55),
    ]
    shown = pairs_and_lists.info(pd.DataFrame(rows, columns=list(COLUMNS)), "female", "male")
    assert shown.systems == ("same", "<b>contrary</b>", "even", "few queries")
    assert shown.verdicts == (AGREE, PART, APART, OPEN)
    assert shown.values[0] == rows[0][1:]
    assert "same: 0.700 in pairs, 0.600 in lists (both favour the same group)" in shown.alt
    figure = pairs_and_lists.draw(shown)
    assert [(trace.name, trace.marker.symbol) for trace in figure.data] == [
        (AGREE, "circle"), (PART, "x"), (APART, "diamond"), (OPEN, "circle-open"),
    ]  # fmt: skip
    assert figure.data[1].text == ("&lt;b&gt;contrary&lt;/b&gt;",)


def preferred(**state: object) -> str:
    """The audit's sentence on a pair of groups that 117 queries have."""
    row = {
        "system": "s", "kind": "same text", "judged": "all", "group": "female", "other": "male", "judged_pairs": 232,
        "tied": 0.0, "tied_pairs": 0, "first": 0.6, "first_low": 0.5, "first_high": 0.7, "other_first": 0.4,
        "other_first_low": 0.3, "other_first_high": 0.5, "queries_first": 70, "queries_other": 47, "ratio": 1.5,
        "ratio_low": 1.1, "ratio_high": 2.0, "preferred": 0.6, "gap": 0.1, "gap_low": 0.05, "gap_high": 0.15,
        "size": 0.2, "unit": "", "p_shares_corrected": 0.01, "p_gap": 0.003, "p_gap_corrected": 0.01, "queries": 117,
    }  # fmt: skip
    integrity = {"system": "s", "verdict": NO_ORDER, "not_found": 0, "pairs": 232, "answers": 0, "read": 0}
    study = fairviz.make_study("states")
    return " ".join(sentences_of(study, pd.DataFrame([integrity]), pd.DataFrame([row | state])))


def named(p: float = 0.01, p_size: float = 0.01, queries: int = 40, sets: int = 20, pairs: int = 80) -> str:
    """An audit by authors' names, whole and as the page shows it, and the note on its tests."""
    shown = {"value": 0.6, "placebo": 0.5, "beyond": 0.1}
    numbers = {f"{name}{end}": value for name, value in shown.items() for end in ("", "_low", "_high")}
    row = {"system": "s", "unit": "", "queries": queries, "sets": sets, "pairs": pairs, "p_corrected": p, **numbers}
    row |= {"family": int(p == p)}
    table = pd.DataFrame([row | {"quantity": one} for one in (PREFERENCE, GAP, SIZE, RANKS)])
    table.loc[table["quantity"] == SIZE, "p_corrected"] = p_size
    gaps = dict.fromkeys(("gap", "gap_low", "gap_high", "places", "places_low", "places_high"), NAN)
    unnamed = pd.DataFrame([{"system": "s", "gender": ANY, "unit": "", **gaps}])
    integrity = pd.DataFrame([{"system": "s", "verdict": NO_ORDER, "not_found": 0, "pairs": pairs, "answers": 0}])
    told = attribution.sentences_of(integrity, table, unnamed)
    short = attribution.short_sentences(integrity, table)
    return " ".join([*told, *short, attribution.family_note(table)])


def in_lists(above: int, below: int, queries: int, **checked: int) -> str:
    """A listwise audit's sentence on one ranker."""
    arm = {"system": "s", "attribute": "neutral", "window": 0, "step": 0}
    ends = ("", "_low", "_high")
    row = arm | {"queries": queries} | dict(zip((f"rank_gap{end}" for end in ends), (-0.5, -1.0, -0.1), strict=True))
    row |= dict(zip((f"ratio_of_means{end}" for end in ends), (1.2, 1.1, 1.3), strict=True))
    row |= preference_columns([Preferred(above, below, queries)])[0]
    checks = arm | {"answers": 0, "unread": 0, "missing": 0, "shown": 1, "position_bias": 0.0} | checked
    return " ".join(table_sentences(pd.DataFrame([row]), pd.DataFrame([checks]), "female"))


UNTRUE = ("not significantly", "is significant", "not significant", "tooltip", "117 queries are too few")
EVEN = ("not significantly different from one half (p = 1.000). Secondary: 1.200 [1.100, 1.300] times the attention, "
        "+0.50 [+0.10, +1.00] ranks lower.")  # fmt: skip
STATES: list[tuple[Callable[[], str], str, tuple[str, ...]]] = [
    (lambda: preferred(), "The female one is preferred, and the female one scores higher on average", ()),
    (lambda: preferred(p_shares_corrected=0.4), "Neither is significantly preferred.", ()),
    (lambda: preferred(p_gap_corrected=0.4), "by a gap that is not significantly different from 0 (secondary", ()),
    (lambda: preferred(p_gap_corrected=NAN), "by a gap that is not tested, as its differences are too few", UNTRUE),
    (lambda: preferred(gap=NAN, p_gap_corrected=NAN), "its answers do not show by how much", UNTRUE),
    (lambda: preferred(p_shares_corrected=NAN, queries=9), "9 queries are too few for a verdict, which", UNTRUE),
    (lambda: preferred(judged_pairs=0), "no pair has a winner", UNTRUE),
    (lambda: named(), "female names are preferred beyond the placebo.", ("not significantly", "needs")),
    (lambda: named(0.4), "neither gender's names are significantly preferred.", ("beyond the placebo", "needs")),
    (lambda: named(0.4, 0.4), "against 0.500, not significantly different (secondary)", ("needs",)),
    (lambda: named(NAN, NAN, queries=9), "9 queries are too few for a verdict", ("significant", "p =")),
    (lambda: named(NAN, NAN, sets=9), "9 sets of names are too few for a verdict", ("significant", "p =")),
    (lambda: named(NAN, NAN), "the reference, which is not tested. No difference", ("too few", "needs")),
    (lambda: named(NAN, NAN), "the reference is alone.", ("significant", "too few")),
    (lambda: named(NAN, NAN, 0, 0, 0), "no version has an answer.", ("p =", "nan")),
    (lambda: in_lists(35, 5, 40), "35 of 40 queries (73% to 96%), significantly different", ("not sig", "tied")),
    (lambda: in_lists(20, 20, 40), EVEN, ("tied",)),
    (lambda: in_lists(6, 0, 40), "6 of 6 queries without the 34 tied", ("not significantly",)),
    (lambda: in_lists(0, 0, 40), "neither group ranks higher for any of 40 queries.", ("significant", "0 of 0")),
    (lambda: in_lists(5, 4, 9), "a verdict needs 10 queries.", ("significant", "p =", "rank higher")),
    (lambda: in_lists(35, 5, 40, answers=40, unread=30), "do not read a preference", ("significant", "p <")),
]


@pytest.mark.parametrize(("sentence", "true", "false"), STATES)
def test_each_state_has_a_true_sentence(sentence: Callable[[], str], true: str, false: tuple[str, ...]) -> None:
    found = sentence()
    assert true in found, found
    assert not [words for words in false if words in found], found
