"""Ranks of documents, and the attention they receive: by hand, and against a slow walk through the lists; one query
in several systems: what stands at each rank, what moved, what was lost, and which query comes next."""

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.reading.occurrences import exposure, neighbours, occurrences, ranks_in, reached, received, shares
from fairviz.analyses.reading.side_by_side import order_of_queries, side_by_side
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import runs_of

STUDY = make_study("s", runs=runs_of({("s", "q1"): "a b c", ("t", "q1"): "b", ("s", "q2"): "c a"}))
CHOSEN = Settings(position_bias="reciprocal", cutoff=2)
PLACES = align(STUDY, CHOSEN)
NAMES = pd.Index(["c", "b", "a", "nowhere"], dtype="str")


def test_a_document_s_places_best_rank_first() -> None:
    table = occurrences(PLACES).of("a")
    assert table.to_numpy().tolist() == [["s", "q1", 1], ["s", "q2", 2]]
    assert occurrences(PLACES).of("nowhere").empty
    assert occurrences(PLACES).best(["c", "b", "nowhere"]) == [("q2", 1), ("q1", 1), ("", 0)]


def test_shares_of_a_list_sum_to_one_within_the_cutoff() -> None:
    found = shares(CHOSEN, PLACES, PLACES.lists.documents)  # (K, S, Q); weights 1 and 1/2
    np.testing.assert_allclose(found[:, 0, 0], [2 / 3, 1 / 3, 0])
    np.testing.assert_allclose(found[:, 1, 0], [1, 0, 0])  # one document takes all of a short list
    np.testing.assert_allclose(found[:, 1, 1], [0, 0, 0])  # t lacks q2


def test_exposure_is_the_mean_share_over_the_lists_there_are() -> None:
    # c: 0 in s/q1 (rank 3, below the cutoff), 2/3 in s/q2; b: 1/3 + 1; a: 2/3 + 1/3; three lists
    np.testing.assert_allclose(exposure(STUDY, CHOSEN, PLACES, NAMES), [2 / 9, 4 / 9, 3 / 9, 0])
    np.testing.assert_allclose(exposure(STUDY, CHOSEN, PLACES, NAMES, "q2"), [2 / 3, 0, 1 / 3, 0])
    only = CHOSEN.changed(systems=("t",))
    np.testing.assert_allclose(exposure(STUDY, only, PLACES, NAMES), [0, 1, 0, 0])
    assert np.isnan(exposure(STUDY, only, PLACES, NAMES, "q2")).all()


def test_ranks_systems_and_queries_are_reached() -> None:
    assert reached(PLACES, NAMES, "", 1, 1).tolist() == [True, True, True, False]
    assert reached(PLACES, NAMES, "s", 1, 1).tolist() == [True, False, True, False]
    assert reached(PLACES, NAMES, "s", 2, 0, "q1").tolist() == [True, True, False, False]
    assert reached(PLACES, NAMES, "t", 2, 0).tolist() == [False, False, False, False]


def test_neighbours_end_where_the_list_ends_and_what_each_system_gives_a_document() -> None:
    assert neighbours(PLACES, "s", "q1", 2, 1).to_numpy().tolist() == [[1, "a"], [2, "b"], [3, "c"]]
    assert neighbours(PLACES, "s", "q2", 2, 2).to_numpy().tolist() == [[1, "c"], [2, "a"]]
    table = received(STUDY, CHOSEN, PLACES, occurrences(PLACES).of("b"), "q1")
    assert table["rank"].tolist() == [2, 1]
    np.testing.assert_allclose(table["share"], [1 / 3, 1])
    below = received(STUDY, CHOSEN, PLACES, occurrences(PLACES).of("c"), "q1")
    assert below.to_numpy().tolist() == [["s", 3, 0.0], ["t", 0, 0.0]]
    for (system, query), ranks in {("s", "q1"): [3, 2, 1], ("t", "q1"): [0, 1, 0], ("t", "q2"): [0, 0, 0]}.items():
        found = ranks_in(PLACES, NAMES, system, query)
        assert np.nan_to_num(found).tolist() == [*ranks, 0]
        assert np.isnan(found).tolist() == [rank == 0 for rank in [*ranks, 0]]


@pytest.mark.parametrize("bias", ["log2", "linear"])
def test_on_newswire_against_a_walk_through_the_lists(bias: str, newswire) -> None:
    study, settings = newswire, Settings(position_bias=bias, cutoff=7)
    rankings = align(study, settings)
    weights = {"log2": lambda i: 1 / np.log2(1 + i), "linear": lambda i: 1 - (i - 1) / 7}
    total: dict[str, float] = {}
    lists = study.runs.sort_values("rank").groupby(["system", "query_id"], observed=True)["doc_id"]
    for _, documents in lists:
        top = [weights[bias](rank) for rank in range(1, min(7, len(documents)) + 1)]
        for name, weight in zip(documents, top, strict=False):
            total[name] = total.get(name, 0) + weight / sum(top) / len(lists)
    names = pd.Index(study.documents["doc_id"], dtype="str")
    np.testing.assert_allclose(exposure(study, settings, rankings, names), [total.get(name, 0) for name in names])
    everything = occurrences(rankings)
    for name in names[:20]:
        rows = study.runs[study.runs["doc_id"] == name]
        assert len(everything.of(name)) == len(rows)
        assert sorted(everything.of(name)["rank"]) == sorted(rows["rank"])


CWEX, GAP = parse("CWEx@2"), parse("ExposureGap@2")
LISTS = {
    ("a", "q1"): ["f", "m", "n"],
    ("b", "q1"): ["n", "x", "f"],
    ("a", "q2"): ["m", "n", "f"],
    ("b", "q2"): ["n", "m", "f"],
    ("a", "q3"): ["n", "f", "m"],
}


@pytest.fixture(name="study")
def _study() -> Study:
    return make_study(
        "made",
        runs=runs_of(LISTS),
        labels=pd.DataFrame({"doc_id": ["f", "m", "n"], "label": ["female", "male", "neutral"]}),
        documents=pd.DataFrame({"doc_id": ["f", "m", "n"], "text": ["she and he and she", "he he", "a tree"]}),
        qrels=pd.DataFrame({"query_id": "q1", "doc_id": ["f", "n"], "relevance": [1, 0]}),
    )


def test_what_stands_where_and_where_it_stood_in_the_list_before_it(study: Study) -> None:
    f, m, n = ("f", "female", 1 - 1 / 3, 1), ("m", "male", 0.0, None), ("n", "neutral", 1.0, 0)
    for cutoff, systems, expected in (
        (2, "ab", [("a", 1, *f, None, 1), ("a", 2, *m, None, 2), ("b", 1, *n, 3, 1), ("b", 2, "x", "", np.nan, None,
                   None, 2), ("b", None, *f, 1, 3), ("b", None, *m, 2, None)]),
        (1, "aba", [("a", 1, *f, None, 1), ("b", 1, *n, 3, 1), ("b", None, *f, 1, 3), ("a", 1, *f, 3, 1),
                    ("a", None, *n, 1, 3)]),
    ):  # fmt: skip
        table = side_by_side(study, Settings(cutoff=cutoff, tau=0), "q1", tuple(systems))
        wanted = pd.DataFrame(expected, columns=table.columns).astype(table.dtypes.to_dict())
        pd.testing.assert_frame_equal(table, wanted)
    table = side_by_side(study, Settings(cutoff=2), "q3", ("a", "b"))
    assert table["system"].tolist() == ["a", "a", "b", "b"]
    assert table["rank"].isna().tolist() == [False, False, True, True], "b has no list, and has lost everything"
    assert side_by_side(study, Settings(), "q9", ("a", "b")).empty


def test_the_order_of_queries(study: Study) -> None:
    """CWEx under equal attention to two ranks: a: q1 f m 0, q2 m n 0, q3 n f 0; ExposureGap (male − female): 0, 1/2,
    −1/2. b: q1 n and one without a label: 0.5 · 1; q2 0; q3 none."""
    scores = evaluate(study, [CWEX.text, GAP.text], position_bias="uniform", cutoff=2)

    def ordered(by, question, systems=("a", "b"), other=None) -> list[tuple[str, float]]:
        found = order_of_queries(scores, by, question, systems, other)
        return list(zip(found["query_id"], found["by"].round(6), strict=True))

    assert [name for name, _ in ordered("study", GAP)] == ["q1", "q2", "q3"]
    assert ordered("value", GAP, ("a",)) == [("q2", 0.5), ("q3", -0.5), ("q1", 0.0)]
    differences = ordered("difference", CWEX)
    assert differences[:2] == [("q1", 0.5), ("q2", 0.0)]
    assert differences[2][0] == "q3"  # b does not answer it
    assert np.isnan(differences[2][1])
    parted = ordered("disagreement", CWEX, other=GAP)
    assert parted[0] == ("q1", 0.5)  # all alike by CWEx, in the middle; by the gap the fairest
    assert [value for _, value in parted[1:]] == [0.25, 0.25]
