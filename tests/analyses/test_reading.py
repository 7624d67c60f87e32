"""Reading documents: the catalogue and its filters, on cases small enough to see the answer; a document's ranks and
its attention; and one query in several systems: what moved, what was lost, which comes next."""

import math

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.reading import filters
from fairviz.analyses.reading.filters import Filters, catalogue, columns, differing, label_columns, of_query, select
from fairviz.analyses.reading.occurrences import exposure, neighbours, occurrences, ranks_in, reached, received, shares
from fairviz.analyses.reading.side_by_side import order_of_queries, side_by_side
from fairviz.annotation.agreement import entropy
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import documents_of, labels_by, labels_of, qrels_of, queries_of, runs_of

TEXTS = {"a": "her mother said", "b": "HE saw his son", "c": "a tree", "d": None}
LABELS = {
    "ada": {"a": "female", "b": "female", "c": "neutral"},
    "bob": {"a": "female", "b": "male", "e": "neutral"},
    "adjudicated": {"a": "male"},
}


def small() -> Study:
    """Documents a to d, d without text; e is only labelled, f only ranked."""
    return make_study(
        "small",
        documents=documents_of(TEXTS, kind=list("xxyy")),
        labels=labels_by(LABELS),
        runs=runs_of({("s", "q1"): "a f", ("s", "q2"): "b"}),
        queries=queries_of({"q1": "one", "q2": "two"}, topic=["t1", "t2"]),
        qrels=qrels_of({"q2": "c"}),
    )


LISTED = catalogue(small(), Settings(tau=0))
NOTHING = np.full(6, -1)


def names(places: np.ndarray) -> list[str]:
    return list(LISTED.doc_ids[places])


def kept(decided: np.ndarray = NOTHING, /, **chosen: object) -> list[str]:
    return names(select(LISTED, Filters(**chosen), decided))  # type: ignore[arg-type]


def test_documents_stand_once_and_the_word_list_is_an_annotator() -> None:
    assert list(LISTED.doc_ids) == ["a", "b", "c", "d", "f", "e"]  # documents first, then ranked, then labelled
    assert (LISTED.place("f"), LISTED.place("nobody")) == (4, -1)
    assert LISTED.annotators == ("ada", "bob", "word list")
    assert filters.chosen_names(LISTED) == ("ada", "bob", "word list", "majority", "adjudicated")
    assert LISTED.labels == ("neutral", "female", "male")
    assert LISTED.codes("word list").tolist() == [1, 2, 0, -1, -1, -1]
    assert LISTED.codes("bob").tolist() == [1, 2, -1, -1, -1, 0]
    for tau, codes in ((2, [0, 2, 0]), (3, [0, 0, 0])):
        assert catalogue(small(), Settings(tau=tau)).codes("word list").tolist()[:3] == codes
    assert columns(small()) == {"queries: topic": ("t1", "t2"), "documents: kind": ("x", "y")}


def test_disagreement_is_entropy_of_the_votes_over_its_largest() -> None:
    """Votes are neither of the live word list nor of decisions."""
    votes = np.array([[2, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0], [3, 1, 0]])
    quarter = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) / math.log(3)
    expected = [0, math.log(2) / math.log(3), 1, math.nan, quarter]
    np.testing.assert_allclose(entropy(votes), expected, rtol=1e-12)
    assert LISTED.voters == ("ada", "bob")
    assert LISTED.votes.tolist()[:3] == [[0, 2, 0], [0, 1, 1], [1, 0, 0]]
    assert kept(disagreement="any") == ["b"]
    assert kept(disagreement="ada ≠ bob") == ["b"]
    assert kept(disagreement="bob ≠ word list") == []
    one, two = np.array([0, 1, -1, 2, 0, 2]), np.array([0, 2, 1, -1, 1, 0])
    assert differing(one, two).tolist() == differing(two, one).tolist() == [False, True, False, False, True, True]
    decided = filters.spread(LISTED, pd.DataFrame({"doc_id": ["a", "c"], "label": ["male", "neutral"]}))
    assert decided.tolist() == [2, -1, 0, -1, -1, -1]
    assert kept(decided, disagreement="ada ≠ adjudicated") == ["a"]
    assert kept(decided, decided="decided") == ["a", "c"]
    assert kept(decided, decided="undecided") == ["b", "d", "f", "e"]


def test_filters() -> None:
    for chosen, expected in (
        ({"label": "female"}, ["a", "b"]),
        ({"label": "female", "annotator": "bob"}, ["a"]),
        ({"labelled": "unlabelled"}, ["d", "f"]),
        ({"labelled": "labelled"}, ["a", "b", "c", "e"]),
        ({"column": "documents: kind", "value": "y"}, ["c", "d"]),
        ({"column": "queries: topic", "value": "t2"}, ["b", "c"]),
        ({"search": "SAW HIS"}, ["b"]),
        ({"search": "f"}, ["f"]),
        ({"search": ".*"}, []),
        ({"search": " tree "}, ["c"]),
        ({"label": "female", "search": "mother"}, ["a"]),
    ):
        assert kept(**chosen) == expected, chosen


def test_queries_and_orders() -> None:
    assert names(np.flatnonzero(of_query(LISTED, "q1"))) == ["a", "f"]
    assert names(np.flatnonzero(of_query(LISTED, "q2"))) == ["b", "c"]  # ranked, and judged
    assert kept(order="disagreement") == ["b", "a", "c", "e", "d", "f"]
    weights = np.array([0.1, np.nan, 0.3, 0.1, 0.0, 0.2])  # the largest first and the undefined last
    assert names(select(LISTED, Filters(order="exposure"), NOTHING, weights=weights)) == ["c", "e", "a", "d", "f", "b"]
    assert names(select(LISTED, Filters(order="study"), NOTHING, weights=weights)) == list(LISTED.doc_ids)


def test_a_label_that_is_no_gender_and_a_study_without_text() -> None:
    study = make_study(
        "other", labels=labels_by({"a1": {"x": "no", "y": "no"}, "a2": {"x": "yes"}}), label_kind="other"
    )
    assert filters.label_names(study) == ("no", "yes")
    listed = catalogue(study, Settings())
    assert listed.annotators == ("a1", "a2")
    assert listed.disagreement.tolist() == [1.0, 0.0]
    assert filters.holding(listed, "x").tolist() == [True, False]


def test_labels_and_words_of_a_document(newswire: Study) -> None:
    assert label_columns(LISTED, [1, 3], 4) == {"ada": ["female", ""], "bob": ["male", ""], "word list": ["male", ""]}
    assert label_columns(LISTED, [0, 1, 3], 2) == {"ada": ["female", "female", ""], "bob": ["female", "male", ""]}
    assert label_columns(LISTED, [0, 1, 3], 1) == {"labels": ["female ×2", "female ×1, male ×1", ""]}
    assert filters.words_of(LISTED, Settings(tau=0), 0) == ([2, 0], 3, 0.0)
    assert filters.words_of(LISTED, Settings(tau=2), 0) == ([2, 0], 3, 1.0)
    assert filters.words_of(LISTED, Settings(tau=0), 2) == ([0, 0], 2, 1.0)
    listed = catalogue(newswire, Settings())
    assert (listed.codes("lexicon") == listed.codes("word list")).all()
    assert len(listed.doc_ids) == 343


# --- ranks and attention


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
RANKED = {
    ("a", "q1"): ["f", "m", "n"],
    ("b", "q1"): ["n", "x", "f"],
    ("a", "q2"): ["m", "n", "f"],
    ("b", "q2"): ["n", "m", "f"],
    ("a", "q3"): ["n", "f", "m"],
}


TWO_LISTS = make_study(
    "made",
    runs=runs_of(RANKED),
    labels=labels_of({"f": "female", "m": "male", "n": "neutral"}),
    documents=documents_of({"f": "she and he and she", "m": "he he", "n": "a tree"}),
    qrels=qrels_of({"q1": {"f": 1, "n": 0}}),
)


def test_what_stands_where_and_where_it_stood_in_the_list_before_it() -> None:
    f, m, n = ("f", "female", 1 - 1 / 3, 1), ("m", "male", 0.0, None), ("n", "neutral", 1.0, 0)
    for cutoff, systems, expected in (
        (2, "ab", [("a", 1, *f, None, 1), ("a", 2, *m, None, 2), ("b", 1, *n, 3, 1), ("b", 2, "x", "", np.nan, None,
                   None, 2), ("b", None, *f, 1, 3), ("b", None, *m, 2, None)]),
        (1, "aba", [("a", 1, *f, None, 1), ("b", 1, *n, 3, 1), ("b", None, *f, 1, 3), ("a", 1, *f, 3, 1),
                    ("a", None, *n, 1, 3)]),
    ):  # fmt: skip
        table = side_by_side(TWO_LISTS, Settings(cutoff=cutoff, tau=0), "q1", tuple(systems))
        wanted = pd.DataFrame(expected, columns=table.columns).astype(table.dtypes.to_dict())
        pd.testing.assert_frame_equal(table, wanted)
    table = side_by_side(TWO_LISTS, Settings(cutoff=2), "q3", ("a", "b"))
    assert table["system"].tolist() == ["a", "a", "b", "b"]
    assert table["rank"].isna().tolist() == [False, False, True, True], "b has no list, and has lost everything"
    assert side_by_side(TWO_LISTS, Settings(), "q9", ("a", "b")).empty


def test_the_order_of_queries() -> None:
    """CWEx under equal attention to two ranks: a: q1 f m 0, q2 m n 0, q3 n f 0; ExposureGap (male − female): 0, 1/2,
    −1/2. b: q1 n and one without a label: 0.5 · 1; q2 0; q3 none."""
    scores = evaluate(TWO_LISTS, [CWEX.text, GAP.text], position_bias="uniform", cutoff=2)

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
