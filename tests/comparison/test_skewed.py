"""Skewed differences have verdicts, nearly equal systems take none, and a verdict that one query decides is told."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import BEYOND, POSSIBLE, gate
from fairviz.comparison.pairs import BEHIND, SAME, UNTESTED
from fairviz.comparison.ranking_sentences import stars_note, untested_note
from fairviz.evaluation.settings import Settings
from fairviz.output.comparison_tables import legend, notes
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.ui.compare.cards import details, finding
from fairviz.words.sentences import plain
from tests.made import qrels_of, runs_of, scores_of

MEASURES = ("CWEx", "TExFAIR", "nDCG", "RaB")


def scores(measure: str, tail: int, queries: int = 40) -> pd.DataFrame:
    """Two systems that differ by noise, and by much on the last queries."""
    noise = np.random.default_rng(1).uniform(-0.01, 0.01, queries)
    ours = 0.2 + noise + 0.05
    ours[queries - tail :] += 0.5
    return scores_of(measure, {"a": np.full(queries, 0.2), "b": ours})


@pytest.mark.parametrize("tail", [1, 12])
@pytest.mark.parametrize("measure", ["CWEx@10", "ExposureGap@10"])
def test_skewed_differences_have_a_verdict(measure: str, tail: int) -> None:
    found = comparison(scores(measure, tail))
    row = found.table.iloc[0]
    assert found.family == 1
    assert (row["verdict"], row["warning"]) == (BEHIND, "")
    assert row["p_corrected"] <= 0.05
    assert row["ci_low"] > 0 or row["ci_high"] < 0


def test_a_verdict_that_one_query_decides_says_which() -> None:
    """Six of forty queries change alike, which is just enough: without any one of them it is not."""
    changed = [3, 8, 15, 21, 30, 36]
    table = scores_of("nDCG@10", {"a": np.full(40, 0.2), "b": 0.2 + 0.5 * np.isin(np.arange(40), changed)})
    found = comparison(table)
    (row,) = found.table.to_dict("records")
    assert (row["verdict"], row["warning"]) == (BEHIND, "without q03 not significant")
    assert notes(found) == ["nDCG@10, a and b: without q03 not significant."]
    sentence = plain(finding(found, found.pairs[0].question, ("a", "b")))
    assert sentence.endswith(", 40 queries; without q03 not significant).")
    assert not any("q03" in plain(line) for line in details(found, found.pairs[0].question, ("a", "b")))
    for query in changed:
        assert fairviz.compare(table[table["query_id"] != f"q{query:02}"])["p_corrected"].iloc[0] > 0.05


def near_copy(study: Study, of: str, query: str) -> Study:
    """The study with a run that is another with ranks 1 and 10 of one query exchanged."""
    run = study.runs[study.runs["system"] == of].astype({"system": "str"}).assign(system="near")
    own = run[run["query_id"].astype(str) == query].sort_values("rank")
    first, tenth = own.index[0], own.index[min(9, len(own) - 1)]
    run.loc[[first, tenth], "doc_id"] = run.loc[[tenth, first], "doc_id"].to_numpy()
    return add_runs(study, run.astype({"system": "category"}))


def verdicts(study: Study, systems: tuple[str, ...]) -> dict[tuple[str, str, str], str]:
    found = comparison(fairviz.evaluate(study, MEASURES, systems=systems))
    return {
        (row.measure, row.system, row.baseline): row.verdict
        for one in systems
        for row in found.against(one).table.itertuples()
    }


def test_a_nearly_equal_run_takes_at_most_one_verdict_of_newswire_and_gives_none(newswire: Study) -> None:
    """Forty queries, seven systems, 84 pairs; two p of CWEx are between .04 and .05 before."""
    systems = tuple(name for name in newswire.systems if name not in ("perfect", "random"))
    before = verdicts(newswire, systems)
    assert Counter(measure.split("(")[0].split("@")[0] for (measure, *_), said in before.items() if said == BEHIND) == {
        "CWEx": 9, "TExFAIR": 10, "nDCG": 10, "RaB": 10,
    }  # fmt: skip
    after = verdicts(near_copy(newswire, "bm25", "q10"), (*systems, "near"))
    changed = {key for key, said in before.items() if after[key] != said}
    assert {frozenset(pair) for _, *pair in changed} <= {frozenset({"qlm", "w2v_si"})}
    assert UNTESTED not in after.values()
    assert {said for (_, *pair), said in after.items() if set(pair) == {"near", "bm25"}} == {SAME}


def test_a_mean_of_0_is_no_lack_of_queries() -> None:
    """A ratio of 0 is infinitely far from 1; forty queries are enough."""
    ratios = np.random.default_rng(1).uniform(0.5, 0.9, (2, 40))
    found = comparison(scores_of("GroupExposureRatio@10", {"a": ratios[0], "b": ratios[1], "none": np.zeros(40)}))
    assert untested_note(found) == "n.t.: pair with the best not tested (GroupExposureRatio: a mean of 0)."
    assert stars_note(found).endswith("(GroupExposureRatio: a mean of 0).")
    assert legend(found).endswith("n.t.: not tested (GroupExposureRatio@10: a mean of 0).")


def test_equal_differences_keep_their_exact_p_beside_a_nearly_equal_run() -> None:
    """Twelve lists: one system reverses all, another one alone; p of the first is 2 / 2^12 with and without it."""
    lists = {
        (system, f"q{query}"): "b a" if turns else "a b"
        for query in range(12)
        for system, turns in (("first", False), ("flipped", True), ("almost", query == 5))
    }
    runs, qrels = runs_of(lists), qrels_of({f"q{query}": "a" for query in range(12)})
    study = fairviz.make_study("made", runs=runs, qrels=qrels)
    for systems, p_corrected in (("first,flipped,almost", 3 * 2 / 2**12), ("first,flipped", 2 / 2**12)):
        table = fairviz.evaluate(study, "nDCG", systems=systems.split(","))
        row = fairviz.compare(table, "first").set_index("system").loc["flipped"]
        assert (row["verdict"], row["warning"]) == (BEHIND, "")
        assert (row["p"], row["p_corrected"]) == (2 / 2**12, p_corrected)
    condition = read_condition("nDCG falls by 0", Settings())
    for name, state in (("flipped", BEYOND), ("almost", POSSIBLE)):
        assert gate(study, "first", name, [condition], Settings()).table["state"].tolist() == [state]
