"""The analysis `all-lists`: by hand, against a slow count of pairs, and its verb."""

from itertools import combinations, permutations

import numpy as np
import pytest

import fairviz
from fairviz.analyses.all_lists.answer import all_lists
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.settings import Settings

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


def test_verb_and_python_say_the_same(football, call) -> None:
    answer = analyse(football, "all-lists", ranks=2)
    said = call("all-lists football --ranks 2 --format csv").out
    assert len(said.splitlines()) == 1 + 9
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
