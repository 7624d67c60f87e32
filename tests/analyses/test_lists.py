"""Analyses of lists and of what none shows: `all-lists`, by hand and against a slow count of pairs, and `never-shown`,
its tables, sentences and verb."""

from itertools import combinations, permutations

import numpy as np
import pytest

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.analyses.all_lists.answer import all_lists
from fairviz.analyses.never_shown.answer import never_shown
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from tests.comparison.test_never_shown import HAND, SETTINGS, TWO, lists

REC = Settings(position_bias="reciprocal")


def test_lists_of_two_ranks_by_hand(football) -> None:
    """p = 1, 1/2 over 3/2. CWEx of N F is (2/3 − 1/3) / 2, of F M (0 − (2/3 − 1/3)) / 2, of F N (1/3 − 2/3) / 2. Their
    gaps are 1/3, 1/3 and 2/3: no pair is in opposite orders, as F M and F N are equal by CWEx."""
    found = all_lists(football, REC, "CWEx AbsExposureGap", 2, "", "")
    table = found.table.set_index("list")
    assert len(table) == 9
    assert table.loc["N F", "CWEx(alpha=0.5)@2"] == pytest.approx((2 / 3 - 1 / 3) / 2)
    assert table.loc["F M", "CWEx(alpha=0.5)@2"] == pytest.approx(-(2 / 3 - 1 / 3) / 2)
    assert table.loc["N F", "AbsExposureGap@2"] == table.loc["F M", "AbsExposureGap@2"] == pytest.approx(1 / 3)
    assert table["place by CWEx(alpha=0.5)@2"].iloc[0] == 1
    assert found.table["list"].iloc[0] == "N N"
    (row,) = found.opposed.itertuples()
    assert (row.pairs, row.opposed) == (24, 0)
    assert table.loc["F N", "place by CWEx(alpha=0.5)@2"] == table.loc["F M", "place by CWEx(alpha=0.5)@2"] == 4
    assert not len(found.pairs)


def test_pairs_in_opposite_orders_are_those_of_a_slow_count(football) -> None:
    measures = "CWEx AbsExposureGap AWRF NFaiRR(tau=0) TExFAIR RaB"
    found = all_lists(football, Settings(tau=0), measures, 3, "", "")
    assert len(found.lists) == 27
    distances = {
        one.text: dict(zip(found.lists, found.unfair[place].tolist(), strict=True))
        for place, one in enumerate(found.questions)
    }
    for row in found.opposed.itertuples():
        first, second = distances[row.first], distances[row.second]
        pairs = opposed = 0
        for a, b in combinations(found.lists, 2):
            if np.isnan([first[a], first[b], second[a], second[b]]).any():
                continue
            if first[a] != first[b] and second[a] != second[b]:
                pairs += 1
                opposed += (first[a] < first[b]) != (second[a] < second[b])
        assert (row.pairs, row.opposed) == (pairs, opposed)
        if opposed:
            assert first[row.list_a] < first[row.list_b]
            assert second[row.list_b] < second[row.list_a]
    # with every gendered document above τ, NFaiRR of words is NFaiRR of labels
    found = all_lists(football, Settings(tau=3), "NFaiRR NFaiRR(of='labels')", 3, "", "")
    np.testing.assert_allclose(found.values[0], found.values[1])
    assert found.opposed["opposed"].tolist() == [0]


def test_orders_of_a_list_have_the_values_of_these_orders(newswire) -> None:
    measures = ["CWEx@4", "nDCG@4", "NFaiRR@4"]
    lengths = newswire.runs[newswire.runs["system"] == "bm25"].groupby("query_id", observed=True).size()
    query = str(lengths.index[lengths >= 4][0])
    found = all_lists(newswire, Settings(), " ".join(measures), 4, "bm25", query)
    assert len(found.lists) == 24
    scores = fairviz.evaluate(newswire, measures, systems=["bm25"])
    own = scores[scores["query_id"] == query]["value"].tolist()
    first = [name for name in found.lists if [part[0] for part in name.split()] == ["1", "2", "3", "4"]]
    at = found.lists.index(first[0])
    assert found.values[:, at].tolist() == pytest.approx(own)
    assert sorted(tuple(part[0] for part in name.split()) for name in found.lists) == sorted(permutations("1234"))


def test_undefined_lists_are_noted(football) -> None:
    answer = analyse(football, "all-lists", ranks=2)
    assert len(answer.table()) == 9
    assert "order" in " ".join(answer.sentences)
    assert "AWRF@2 is undefined for 1 list, which it does not order." in answer.analysis.notes(answer.value)


def test_what_is_refused(football) -> None:
    for given, message in (
        ({"measures": "CWEx"}, "two measures or more"),
        ({"measures": "CWEx Exposure"}, "Exposure@3 does not order lists"),
        ({"system": "left"}, "a list is of a system and of a query"),
        ({"system": "left", "query": "none"}, "no list of 'left' for 'none'"),
    ):
        with pytest.raises(UsageError, match=message):
            analyse(football, "all-lists", **given)
    study = fairviz.make_study("many", documents=football.documents, groups=("a", "b", "c", "d"))
    with pytest.raises(FairvizError, match="make 3,125 lists"):
        all_lists(study, Settings(lexicon="a:she;b:he;c:they;d:it"), "CWEx AWRF", 5, "", "")


# --- The analysis `never-shown`: its tables, sentences and verb


def test_tables_by_hand() -> None:
    """a shows f1 and m1, b shows f2 and m1; nobody shows f3, of a query without an answer. f1 has 1 + 0.631 of all
    attention to relevant female documents of a."""
    answer = never_shown(HAND, TWO)
    shares = answer.shares.set_index(["system", "group"])
    assert shares[["documents", "never_shown", "queries"]].to_numpy().tolist() == [[3, 2, 3], [2, 1, 2]] * 2
    assert shares["share"].tolist() == pytest.approx([2 / 3, 0.5] * 2)
    assert shares["gini"].tolist() == pytest.approx([2 / 3, 0.5] * 2)
    differences = answer.differences
    assert differences[["system", "group", "other"]].to_numpy().tolist() == [[name, "female", "male"] for name in "ab"]
    assert differences["difference"].tolist() == pytest.approx([1 / 6] * 2)
    documents = answer.rows_of_documents
    assert documents[["system", "doc_id", "label", "queries"]].to_numpy().tolist() == [
        ["a", "f2", "female", "q1"], ["a", "f3", "female", "q3"], ["a", "m2", "male", "q1"],
        ["b", "f1", "female", "q1, q2"], ["b", "f3", "female", "q3"], ["b", "m2", "male", "q1"],
    ]  # fmt: skip
    assert documents["best_rank"].fillna(0).tolist() == [3, 0, 0, 3, 0, 0]
    curve = answer.curves.query("system == 'a' and group == 'female'")
    assert curve["documents"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert curve["exposure"].tolist() == [0, 0, 0, 1]


def test_counts_agree_with_the_documents_of_newswire(newswire) -> None:
    answer = never_shown(newswire, Settings(), "candidates")
    counted = answer.rows_of_documents.groupby(["system", "label"]).size()
    for row in answer.shares.itertuples():
        assert counted.get((row.system, row.group), 0) == row.never_shown
        assert row.share == pytest.approx(row.never_shown / row.documents)
    assert (answer.rows_of_documents["best_rank"].dropna() > 10).all()
    of_one = answer.rows_of_documents.query("system == 'random'")
    assert of_one["label"].unique().tolist() == ["female", "male", "neutral"], "the protected group first"
    assert of_one[of_one["label"] == "male"]["best_rank"].dropna().is_monotonic_increasing
    curves = answer.curves.groupby(["system", "group"])
    assert ((curves["exposure"].first() == 0) & np.isclose(curves["exposure"].last(), 1)).all()
    flat = answer.curves[answer.curves["exposure"] == 0].groupby(["system", "group"])["documents"].max()
    assert flat.loc["bm25", "male"] == pytest.approx(
        answer.shares.query("system == 'bm25' and group == 'male'").share.item()
    )


def test_sentences_name_the_systems() -> None:
    assert never_shown(HAND, TWO).sentences == [
        "female − male: only 2 queries have relevant documents of the rarer group, a comparison needs 10."
    ]
    one = never_shown(lists(12, 3), SETTINGS)
    assert one.sentences == ["Fewer than two gender groups have relevant documents: no shares are compared."]


def test_the_verb_prints_what_python_returns(call, newswire) -> None:
    answer = analyse(newswire, "never-shown", Settings(cutoff=5), documents="candidates")
    said = call("never-shown newswire --k 5 --documents candidates --format csv")
    assert said.frame["share"].tolist() == pytest.approx(answer.table()["share"].tolist())
    assert f"note: {answer.sentences[0]}" in said.err
    rows = call("never-shown newswire --k 5 --documents candidates --format csv --table documents").rows
    assert [row["doc_id"] for row in rows] == answer.table("documents")["doc_id"].tolist()


def test_figures_draw_the_shares_and_the_curves() -> None:
    answer = never_shown(HAND, TWO)
    drawings = [draw(answer, LIGHT) for draw in ANALYSES["never-shown"].figures.values()]
    assert drawings[0].alt == "Never shown within 2. a: female 0.667, male 0.500; b: female 0.667, male 0.500."
    assert drawings[0].figure.layout.xaxis.title.text == "share of relevant documents, 95 % interval"
    assert "a: female 0.667, male 0.500" in drawings[1].alt


def test_documents_without_a_label_are_noted_and_studies_without_judgements_refused(newswire) -> None:
    labelled = newswire.labels[newswire.labels["doc_id"] != "lee-225"]
    changed = fairviz.make_study("less", runs=newswire.runs, qrels=newswire.qrels, labels=labelled)
    answer = never_shown(changed, Settings(annotator="project"))
    assert answer.notes[0] == f"Without a label, and in no group: 1 of {len(answer.pool.doc_ids)} relevant documents."
    with pytest.raises(FairvizError, match=r"Add qrels\.txt, or use the documents `candidates` or `all`"):
        never_shown(lists(12, 3, judged=False), SETTINGS)
