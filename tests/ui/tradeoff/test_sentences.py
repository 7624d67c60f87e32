"""The sentences of Trade-off and Overview: what has changed since a pin, what ties and other orders can move, and the
largest gaps; and kept numbers beside those of now."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import Comparison, by_query
from fairviz.comparison.compare import comparison as compared
from fairviz.comparison.pairs import BEHIND, SAME
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.ui.tradeoff.cards import largest_gaps
from fairviz.ui.tradeoff.overview import as_now, beside, pin_answer, pin_line, range_sentence, ties_sentence
from fairviz.words.sentences import plain
from tests.made import labels_of, runs_of, scores_of

CWEX, CWEX5, NDCG, RR = (parse(text) for text in ("CWEx@10", "CWEx(alpha=0.2)@5", "nDCG@10", "RR@10"))


START = "Kept: k = 10, α = 0.5, position bias log2"
CHOSEN = {"filter_column": "topic", "filter_values": ("x",), "annotator": "b", "lexicon": "gsr"}


@pytest.mark.parametrize(
    ("then", "now", "lacking", "told"),
    [
        ({}, {"system": "a", "systems": ("a",)}, (), f"{START}. Nothing has changed."),
        ({"tau": 2}, {"tau": 2, "position_bias": "reciprocal", "cutoff": 3}, (),
         f"{START}, tau 2. Changed: k → 3 and position bias → reciprocal."),
        ({}, CHOSEN, (),
         f"{START}, queries all, annotator the study's default, lexicon the study's default. "
         "Changed: queries → topic: x, annotator → b and lexicon → gsr."),
        ({}, {}, ("RR",), f"{START}. Nothing has changed. RR has no kept value."),
        ({}, {}, ("RR", "AWRF"), f"{START}. Nothing has changed. RR and AWRF have no kept value."),
    ],
    ids=["nothing", "two choices", "from empty ones", "a measure lacks", "two measures lack"],
)  # fmt: skip
def test_the_line_names_what_was_pinned_what_has_changed_and_what_has_no_value(then, now, lacking, told) -> None:
    assert plain(pin_line(Settings(**then), Settings(**now), lacking)) == told


def comparison(**measures: tuple[str, dict[str, str]]) -> Comparison:
    """Of each measure its best system, and the verdict on each other one."""
    texts = {"cwex": CWEX.text, "cwex5": CWEX5.text, "ndcg": NDCG.text}
    wave = np.sin(np.arange(20)) / 20
    values = {SAME: 0.499 - wave, BEHIND: 0.1 - wave}
    tables = [
        scores_of(texts[name], {best: 0.5 + wave, **{other: values[verdict] for other, verdict in verdicts.items()}})
        for name, (best, verdicts) in measures.items()
    ]
    return compared(pd.concat(tables))


def test_an_answer_that_is_the_same_is_said_to_be_and_a_best_is_named_where_one_stays() -> None:
    start, stars = "Against the kept picture: by CWEx", "The stars are unchanged."
    held = comparison(cwex=("a", {"b": BEHIND}), ndcg=("b", {"a": SAME}))
    assert plain(pin_answer(held, held)) == f"{start} and nDCG the best is unchanged. {stars}"
    then, now = comparison(cwex=("a", {"b": SAME})), comparison(cwex=("b", {"a": SAME}))
    assert plain(pin_answer(then, now)) == f"{start} the best was a, now b. {stars}"
    assert pin_answer(then, comparison(ndcg=("a", {"b": SAME}))) == (), "no measure in common"


def test_another_best_and_other_stars_are_named_measure_by_measure() -> None:
    then = comparison(cwex5=("a", {"b": BEHIND, "c": SAME}), ndcg=("b", {"a": SAME, "c": BEHIND}))
    now = comparison(cwex=("b", {"a": SAME, "c": BEHIND}), ndcg=("b", {"a": BEHIND, "c": SAME}))
    assert plain(pin_answer(then, now)) == (
        "Against the kept picture: by CWEx the best was a, now b; by nDCG the best is unchanged. "
        "Starred now: b by CWEx; c by nDCG. No longer starred: c by CWEx; a by nDCG. "
    )


def test_pinned_values_go_by_the_measure_whatever_its_parameters_were() -> None:
    then = pd.DataFrame({"system": ["a", "a"], "measure": [CWEX5.text, RR.text], "value": [0.1, 0.9]})
    now = pd.DataFrame(
        {"system": ["a", "b", "a"], "measure": [CWEX.text, CWEX.text, NDCG.text], "value": [0.3, 0.2, 1]}
    )
    held = as_now(then, (CWEX5, RR), (CWEX, NDCG))
    assert held.to_numpy().tolist() == [["a", CWEX.text, 0.1]]
    table = beside(now, held, ("system", "measure"), ("value",))
    assert table["value kept"].tolist() == pytest.approx([0.1, np.nan, np.nan], nan_ok=True)
    assert table["value change"].tolist() == pytest.approx([0.2, np.nan, np.nan], nan_ok=True)
    assert beside(now, None, ("system", "measure"), ("value",)) is now
    curve = then.head(1).assign(measure="CWEx(alpha=0.2)", cutoff=1)
    assert as_now(curve, (CWEX5,), (CWEX,), without_cutoffs=True)["measure"].tolist() == ["CWEx(alpha=0.5)"]
    words = pd.DataFrame({"system": ["a"], "verdict": ["ahead"]})
    table = beside(words, words.assign(verdict="behind"), ("system",), ("verdict",))
    assert list(table.columns) == ["system", "verdict", "verdict kept"], "words have no difference"


def test_the_system_with_most_ties_is_named_and_what_moves() -> None:
    columns = ["system", "measure", "value", "smallest", "largest", "smallest_is", "largest_is", "tied"]
    rows = [
        ("a", "CWEx(alpha=0.5)@10", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1),
        ("b", "CWEx(alpha=0.5)@10", -0.2, -0.25, -0.15, "exact", "searched", 35, -0.25, -0.12),
        ("a", "RaB@10", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1),
        ("b", "RaB@10", 0.5, 0.5, 0.5001, "exact", "exact", 35, 0.4, 0.6),
        ("b", "TExFAIR@10", 0.5, 0.4, 0.6, "searched", "searched", 35, float("nan"), float("nan")),
        ("b", "NFaiRR(tau=1)@10", 0.5, 0.4, 0.6, "exact", "exact", 35, 0.4, 0.6),
    ]
    held = pd.DataFrame(rows, columns=[*columns, "outer_smallest", "outer_largest"])
    assert plain(ties_sentence(held, 10)) == (
        "Ties at rank 10: 35 lists of b and of 1 more system. Their order moves CWEx from −0.250 to at least −0.150 "
        "(bound −0.120), and 2 more measures (Table)."
    )
    assert plain(ties_sentence(held.iloc[4:5], 10)) == (
        "Ties at rank 10: 35 lists of b. Their order moves TExFAIR from at most 0.400 to at least 0.600."
    )
    still = held.iloc[2:3]
    assert plain(ties_sentence(still, 5)) == ("Ties at rank 5: 1 list of a. No order of them moves a value by 0.001.")
    assert ties_sentence(still.assign(tied=0), 5) == ()


def range_table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "worst", "best", "narrow"])


def test_the_measure_with_the_most_narrow_queries_is_named_but_half_are_not_most() -> None:
    rows = [("a", query, "CWEx(alpha=0.5)@10", 0.1, 0.11, query != "q3") for query in ("q1", "q2", "q3")]
    rows += [("a", query, "AWRF@10", 0.1, 0.11, True) for query in ("q1", "q2", "q3")]
    assert range_sentence(range_table(*rows)) == (
        "On 3 of 3 queries, no order of candidates moves AWRF by more than 0.02."
    )
    assert range_sentence(range_table(*rows[:3])).startswith("On 2 of 3 queries, no order of candidates moves CWEx")
    assert range_sentence(range_table(*rows[1:3])) == ""
    assert range_sentence(range_table()) == ""


def test_a_query_counts_only_if_it_is_narrow_for_all_systems_with_a_range() -> None:
    rows = [("a", "q1", "AWRF@10", 0.1, 0.11, True), ("b", "q1", "AWRF@10", 0.1, 0.5, False)]
    assert range_sentence(range_table(*rows)) == ""
    without_value = ("b", "q1", "AWRF@10", float("nan"), float("nan"), False)
    assert range_sentence(range_table(rows[0], without_value)).startswith("On 1 of 1 query, no order")


@pytest.mark.parametrize(("labels", "number"), [(["male"] * 3, 1), (["male", "female", "neutral"], 0)])
def test_the_sentence_of_a_study(labels: list[str], number: int) -> None:
    said = labels_of(dict(zip(("d1", "d2", "d3"), labels, strict=True)))
    study = fairviz.make_study("alike", runs=runs_of({"a": "d1 d2 d3"}), labels=said)
    text = range_sentence(fairviz.ranges(study, ["CWEx", "AWRF"], per_query=True))
    assert bool(text) == bool(number)


@pytest.mark.parametrize(
    ("text", "best", "other", "label", "values"),
    [
        ("nurse", [0.5, 0.25], [0.5, -0.125], "“nurse” 0.375", "best 0.250, other −0.125."),
        ("", [0.5, 0.25], [0.5, -0.125], "“q01” 0.375", "best 0.250, other −0.125."),
        ("n" * 41, [0.5, 0.25], [0.5, -0.125], f"“{'n' * 40} …” 0.375", "best 0.250, other −0.125."),
        ("", [0.5] * 3, [0.25] * 3, "“q00” 0.250", "best 0.500, other 0.250; as large on 2 more queries."),
        ("", [0.5] * 2, [0.25] * 2, "“q00” 0.250", "best 0.500, other 0.250; as large on 1 more query."),
        ("", [0.5], [0.5], "no gap", "best 0.500, other 0.500 on every query."),
    ],
    ids=["text", "no text", "long text", "three alike", "two alike", "equal"],
)
def test_the_query_with_the_largest_gap_is_named_with_both_values(text, best, other, label, values) -> None:
    scores = pd.concat([scores_of(question.text, {"best": best, "other": other}) for question in (CWEX, NDCG)])
    gaps = largest_gaps(by_query(scores), {"q01": text} if text else {})
    assert [(gap.label, gap.values) for gap in gaps] == [(f"{name} {label}", values) for name in ("CWEx", "nDCG")]
