"""What is said of a pinned picture, and its numbers beside those of now."""

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison.compare import Comparison
from fairviz.comparison.compare import comparison as compared
from fairviz.comparison.pairs import BEHIND, SAME
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.ui.tradeoff.overview import as_now, beside, pin_answer, pin_line
from fairviz.words.sentences import plain

CWEX, CWEX5, NDCG, RR = (parse(text) for text in ("CWEx@10", "CWEx(alpha=0.2)@5", "nDCG@10", "RR@10"))


def said(then: Settings, now: Settings, *lacking: str) -> str:
    return plain(pin_line(then, now, lacking))


def test_the_line_names_what_was_pinned_and_what_has_changed() -> None:
    assert said(Settings(), Settings(system="a", systems=("a",))) == (
        "Kept: k = 10, α = 0.5, position bias log2. Nothing has changed."
    )
    assert said(Settings(tau=2), Settings(tau=2, position_bias="reciprocal", cutoff=3)) == (
        "Kept: k = 10, α = 0.5, position bias log2, tau 2. Changed: k → 3 and position bias → reciprocal."
    )


def test_what_is_empty_is_named() -> None:
    now = Settings(filter_column="topic", filter_values=("x",), annotator="b", lexicon="gsr")
    assert said(Settings(), now) == (
        "Kept: k = 10, α = 0.5, position bias log2, queries all, annotator the study's "
        "default, lexicon the study's default. Changed: queries → topic: x, annotator → b and lexicon → gsr."
    )


def test_measures_without_a_pinned_value_are_named() -> None:
    assert said(Settings(), Settings(), "RR").endswith("Nothing has changed. RR has no kept value.")
    assert said(Settings(), Settings(), "RR", "AWRF").endswith(" RR and AWRF have no kept value.")


def comparison(**measures: tuple[str, dict[str, str]]) -> Comparison:
    """Of each measure its best system, and the verdict on each other one."""
    texts = {"cwex": CWEX.text, "cwex5": CWEX5.text, "ndcg": NDCG.text}
    wave = np.sin(np.arange(20)) / 20
    values = {SAME: 0.499 - wave, BEHIND: 0.1 - wave}
    rows = [
        (system, f"q{place}", texts[name], value)
        for name, (best, verdicts) in measures.items()
        for system, held in {
            best: 0.5 + wave,
            **{other: values[verdict] for other, verdict in verdicts.items()},
        }.items()
        for place, value in enumerate(held)
    ]
    found = compared(pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"]))
    got = {(row.measure, row.system): row.verdict for held in found.rows.values() for row in held}
    assert got == {
        (texts[name], other): verdict for name, (_, said) in measures.items() for other, verdict in said.items()
    }
    return found


def test_an_answer_that_is_the_same_is_said_to_be() -> None:
    held = comparison(cwex=("a", {"b": BEHIND}), ndcg=("b", {"a": SAME}))
    assert plain(pin_answer(held, held)) == (
        "Against the kept picture: by CWEx and nDCG the best is unchanged. The stars are unchanged."
    )


def test_another_best_and_other_stars_are_named_measure_by_measure() -> None:
    then = comparison(cwex5=("a", {"b": BEHIND, "c": SAME}), ndcg=("b", {"a": SAME, "c": BEHIND}))
    now = comparison(cwex=("b", {"a": SAME, "c": BEHIND}), ndcg=("b", {"a": BEHIND, "c": SAME}))
    assert plain(pin_answer(then, now)) == (
        "Against the kept picture: by CWEx the best was a, now b; by nDCG the best is unchanged. "
        "Starred now: b by CWEx; c by nDCG. No longer starred: c by CWEx; a by nDCG. "
    )


def test_where_no_measure_keeps_its_best_none_is_named_for_it() -> None:
    then, now = comparison(cwex=("a", {"b": SAME})), comparison(cwex=("b", {"a": SAME}))
    assert plain(pin_answer(then, now)) == (
        "Against the kept picture: by CWEx the best was a, now b. The stars are unchanged."
    )


def test_without_a_common_measure_nothing_is_said() -> None:
    assert pin_answer(comparison(cwex=("a", {"b": SAME})), comparison(ndcg=("a", {"b": SAME}))) == ()


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


def test_curves_go_by_the_measure_without_its_cutoff() -> None:
    then = pd.DataFrame({"system": ["a"], "measure": ["CWEx(alpha=0.2)"], "cutoff": [1], "value": [0.1]})
    assert as_now(then, (CWEX5,), (CWEX,), without_cutoffs=True)["measure"].tolist() == ["CWEx(alpha=0.5)"]


def test_words_stand_beside_words_without_a_difference() -> None:
    now = pd.DataFrame({"system": ["a"], "verdict": ["ahead"]})
    table = beside(now, now.assign(verdict="behind"), ("system",), ("verdict",))
    assert list(table.columns) == ["system", "verdict", "verdict kept"]
