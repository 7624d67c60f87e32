"""Registered analyses in Python; `all-lists`, by hand and against a slow count of pairs; `never-shown`, its tables,
sentences and verb; `measure-power`, power, split halves and properties of measures; and `wordings`, with its made
study and the loaders of the paper's files."""

import filecmp
import json
import runpy
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, ttest_1samp

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.analyses.all_lists.answer import all_lists
from fairviz.analyses.gender_swap.analysis import KINDS
from fairviz.analyses.gender_swap.experiment import SwapPlan
from fairviz.analyses.measure_power.properties import PROPERTIES, properties_of
from fairviz.analyses.never_shown.answer import never_shown
from fairviz.analyses.running import analyse
from fairviz.analyses.wordings.answer import MEASURES as COMSRB
from fairviz.analyses.wordings.answer import comsrb, wordings
from fairviz.datasets import BUILTIN, fetch
from fairviz.datasets import wordings as made_by
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from fairviz.study.record import Study
from fairviz.words import counterparts
from tests.comparison.test_gate import AT_ONE, HAND, TWO, lists
from tests.conftest import refused
from tests.made import labels_of, runs_of


def test_an_analysis_is_the_public_function(football) -> None:
    answer, expected = analyse(football, "gender-swap", seeds=1), fairviz.counterfactual(football, seeds=1)
    assert answer.table().equals(expected.table)
    assert answer.table("queries").equals(expected.queries)
    assert answer.sentences == (*expected.sentences, f"Tests: {expected.family}.")
    with refused("gender-swap has no table 'tables'\nIts tables are crbo, wide, queries, triples."):
        answer.table("tables")
    assert analyse(football, "counterfactual", seeds=1).analysis.name == "gender-swap", "an earlier name is read"
    study = fairviz.make_study("textless", runs=football.runs, labels=football.labels)
    measures, mitigation = ["CWEx@4", "AbsExposureGap@4"], "balanced(run='left')"
    answer = analyse(study, "bench", measures=measures, mitigations=mitigation, held_out=1.0)
    expected = fairviz.mitigation_bench(study, mitigation, measures, held_out=1.0)
    assert answer.table().equals(expected.table)
    assert answer.table("means").equals(expected.means)
    with pytest.raises(FairvizError, match="bench cannot take measures='CWEx'"):
        analyse(study, "bench", measures="CWEx")


def test_wrong_questions_and_missing_inputs_are_named_and_defaults_are_those_of_a_plan(
    football, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, values, message in (
        ("counterfact", {}, f"there is no analysis 'counterfact'\nUse one of {', '.join(ANALYSES)}."),
        ("gender-swap", {"seed": 1}, "gender-swap has no parameter 'seed'\ngender-swap takes rankers='bm25', "
         "words=None, names=None, substitute='both', seeds=3, depth=100, p=0.9."),
        ("gender-swap", {"seeds": 101}, "gender-swap cannot take seeds=101\nUse a whole number from 1 to 100."),
        ("gender-swap", {"substitute": "all"}, "gender-swap cannot take substitute='all'\n"
         "Use one of 'both', 'words', 'names'."),
        ("gender-swap", {"progress": 1}, "progress is 1\nGive a function of what is done, how much, and in all."),
    ):  # fmt: skip
        with refused(message):
            analyse(football, name, **values)
    defaults = {parameter.name: parameter.default for parameter in ANALYSES["gender-swap"].parameters}
    plan = SwapPlan()
    assert {name: getattr(plan, name) for name in ("substitute", "seeds", "depth", "p")}.items() <= defaults.items()
    assert KINDS == counterparts.KINDS
    needy = replace(ANALYSES["gender-swap"], needs={"qrels": "to count", "runs": ""}, compute=lambda *_, **others: 1)
    monkeypatch.setitem(ANALYSES._own, "gender-swap", needy)
    for parts, message in (
        ({"runs": football.runs}, "made has no relevance judgements to count\n"
         "Add qrels.txt (TREC format: query 0 document relevance)."),
        ({"qrels": football.qrels}, "made has no runs\nAdd runs/NAME.run (TREC format, 6 columns), or rank the "
         "documents with `fairviz rank`."),
    ):  # fmt: skip
        with refused(message):
            analyse(fairviz.make_study("made", **parts), "gender-swap")


REC = Settings(position_bias="reciprocal")


def test_lists_of_two_ranks_by_hand_and_undefined_ones_are_noted(football) -> None:
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
    answer = analyse(football, "all-lists", ranks=2)
    assert len(answer.table()) == 9
    assert "order" in " ".join(answer.sentences)
    assert "AWRF@2 is undefined for 1 list, which it does not order." in answer.analysis.notes(answer.value)


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


def test_what_is_refused(football) -> None:
    for asked, message in (
        ({"measures": "CWEx"}, "two measures or more"),
        ({"measures": "CWEx Exposure"}, "Exposure@3 does not order lists"),
        ({"system": "left"}, "a list is of a system and of a query"),
        ({"system": "left", "query": "none"}, "no list of 'left' for 'none'"),
    ):
        with pytest.raises(UsageError, match=message):
            analyse(football, "all-lists", **asked)
    study = fairviz.make_study("many", documents=football.documents, groups=("a", "b", "c", "d"))
    with pytest.raises(FairvizError, match="make 3,125 lists"):
        all_lists(study, Settings(lexicon="a:she;b:he;c:they;d:it"), "CWEx AWRF", 5, "", "")


# --- The analysis `never-shown`: its tables, sentences and verb


def test_tables_sentences_and_figures_of_what_is_never_shown() -> None:
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
    assert never_shown(HAND, TWO).sentences == [
        "female − male: only 2 queries have relevant documents of the rarer group, a comparison needs 10."
    ]
    one = never_shown(lists(12, 3), AT_ONE)
    assert one.sentences == ["Fewer than two gender groups have relevant documents: no shares are compared."]
    drawings = [draw(answer, LIGHT) for draw in ANALYSES["never-shown"].figures.values()]
    assert drawings[0].alt == "Never shown within 2. a: female 0.667, male 0.500; b: female 0.667, male 0.500."
    assert drawings[0].figure.layout.xaxis.title.text == "share of relevant documents, 95 % interval"
    assert "a: female 0.667, male 0.500" in drawings[1].alt


def test_counts_agree_with_the_documents_and_those_without_a_label_are_noted(newswire) -> None:
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
    labelled = newswire.labels[newswire.labels["doc_id"] != "lee-225"]
    changed = fairviz.make_study("less", runs=newswire.runs, qrels=newswire.qrels, labels=labelled)
    answer = never_shown(changed, Settings(annotator="project"))
    assert answer.notes[0] == f"Without a label, and in no group: 1 of {len(answer.pool.doc_ids)} relevant documents."
    with pytest.raises(FairvizError, match=r"Add qrels\.txt, or use the documents `candidates` or `all`"):
        never_shown(lists(12, 3, judged=False), AT_ONE)


def test_the_verb_prints_what_python_returns(call, newswire) -> None:
    answer = analyse(newswire, "never-shown", Settings(cutoff=5), documents="candidates")
    said = call("never-shown newswire --k 5 --documents candidates --format csv")
    assert said.frame["share"].tolist() == pytest.approx(answer.table()["share"].tolist())
    assert f"note: {answer.sentences[0]}" in said.err
    rows = call("never-shown newswire --k 5 --documents candidates --format csv --table documents").rows
    assert [row["doc_id"] for row in rows] == answer.table("documents")["doc_id"].tolist()


# --- The analysis `measure-power`: power against a slow count, split halves by hand, and properties by hand


MEASURES = "CWEx AWRF NFaiRR nDCG"


def test_the_power_is_that_of_the_comparison(newswire) -> None:
    """Every significant pair of `compare`, counted over all baselines: each pair is then met twice."""
    found = analyse(newswire, "measure-power", measures=MEASURES, splits=40)
    scores = fairviz.evaluate(newswire, MEASURES.split())
    tested = [name for name in newswire.systems if name not in ("perfect", "random")]
    met = {text: set() for text in found.table()["measure"]}
    for baseline in tested:
        table = fairviz.compare(scores, baseline)
        for row in table[table["p_corrected"] <= 0.05].itertuples():
            met[row.measure].add(frozenset((row.system, baseline)))
    for row in found.table().itertuples():
        assert row.pairs == 21
        assert row.significant == len(met[row.measure])
        assert row.share == pytest.approx(row.significant / 21)
        curve = found.table("curve").query("measure == @row.measure")
        assert row.alone == (curve["p"] <= 0.05).sum() >= row.significant
        assert curve["p"].is_monotonic_increasing
        assert curve["share"].iloc[-1] == 1


def test_halves_agree_where_systems_differ_on_every_query_and_equal_means_tie(newswire) -> None:
    """Three systems whose lists are as fair on each query: every half has the order of all, τ = 1."""
    lists = {"best": "n1 n2", "middle": "n1 f1", "worst": "f1 f2"}
    runs = runs_of({(name, f"q{place}"): order for name, order in lists.items() for place in range(6)})
    labels = labels_of({"n1": "neutral", "n2": "neutral", "f1": "female", "f2": "female"})
    study = fairviz.make_study("made", runs=runs, labels=labels)
    table = analyse(study, "measure-power", measures="CWEx AbsExposureGap", splits=20).table()
    assert table[["tau", "tau_low", "tau_high"]].to_numpy().tolist() == [[1, 1, 1]] * 2
    # P@3 is a count of thirds, whose means differ by rounding with the order in which they are added.
    table = analyse(newswire, "measure-power", Settings(cutoff=3), measures="P", splits=40).table()
    scores = fairviz.evaluate(newswire, "P@3").query("system not in ('perfect', 'random')")
    values = scores.pivot(index="query_id", columns="system", values="value").to_numpy()
    generator, taus = np.random.default_rng(0), []
    for _ in range(40):
        order = generator.permutation(40)
        taus.append(kendalltau(*(np.round(values[half].mean(axis=0), 12) for half in (order[:20], order[20:])))[0])
    expected = [np.mean(taus), *np.quantile(taus, [0.025, 0.975])]
    assert table.loc[0, ["tau", "tau_low", "tau_high"]].tolist() == pytest.approx(expected)


def rows(study, *measures: str, **settings):
    choices = Settings(**settings)
    table = properties_of(study, choices, [ask(measure, choices) for measure in measures])
    return table.set_index(["property", "measure"])


def test_properties_by_hand_and_their_counterexamples(football) -> None:
    """p = 1, 1/2, 1/3: from F M N to F N M, neutral exposure rises by 1/11 and the gap by 1/11. At α = 0.5 the two
    cancel; at α = 0.3 CWEx falls. AWRF has no neutral exposure, and its shares move from 2/3 and 1/3 to 3/4 and 1/4."""
    measures = ("CWEx@10", "CWEx(alpha=0.3)@10", "AWRF@10", "AbsExposureGap@10")
    table = rows(football, *measures, position_bias="reciprocal")
    up = table.xs("moving a neutral document up is not less fair")
    assert up.loc["CWEx(alpha=0.5)@10", "holds"] == "✓"
    worst = up.loc["CWEx(alpha=0.3)@10"]
    assert (worst["holds"], worst["before"], worst["after"]) == ("✗", "F M N", "F N M")
    assert worst["value_before"] == pytest.approx(0.3 * 2 / 11 - 0.7 * 3 / 11)
    assert worst["value_after"] == pytest.approx(0.3 * 3 / 11 - 0.7 * 4 / 11)
    assert up.loc["AWRF@10", "holds"] == "✗"
    for name in ("exchanging all genders changes nothing", "exchanging documents of one kind changes nothing",
                 "appending a document without label and text changes nothing",
                 "documents below the cutoff change nothing"):  # fmt: skip
        assert set(table.xs(name)["holds"]) == {"✓"}
    assert table.loc[("repeating the list changes nothing", "CWEx(alpha=0.5)@10"), "holds"] == "✗"
    # of the 3, 9 and 27 lists of one to three ranks: so many pairs as the definition of each property leaves
    pairs = table.xs("CWEx(alpha=0.5)@10", level="measure")["pairs"]
    assert pairs.tolist() == [2 + 12, 2 + 8 + 26, 39, 39, 3 + 36 + 351, 2 + 12 + 54, 39, 39, 3 + 21, 3 * 39]
    even = rows(football, "CWEx@10", "AWRF@10", position_bias="uniform")
    for name in ("repeating the list changes nothing", "doubling each document in its place changes nothing"):
        assert even.loc[(name, "AWRF@10"), "holds"] == "✓", name
    # Each of AbsExposureGap's counterexamples, from the lists that the table prints.
    table = rows(football, "AbsExposureGap@10", position_bias="reciprocal").reset_index()

    def gap(text: str) -> float:
        p = [1 / rank for rank in range(1, len(text.split()) + 1)]
        held = {label: sum(w for w, name in zip(p, text.split(), strict=True) if name == label) for label in "FM"}
        return abs(held["F"] - held["M"]) / sum(p)

    failing = table[table["holds"] == "✗"]
    assert len(failing)
    for row in failing.itertuples():
        assert row.value_before == pytest.approx(gap(row.before.split(" and ")[0]))
        assert row.value_after == pytest.approx(gap(row.after))
    # F, then F N cut at 1: the ideal of F alone is 0 and undefined; F N's is 1. N F … N N …: the shortest with values
    # has a neutral candidate already, so that a second one raises the ideal.
    table = rows(football, "NFaiRR(of='labels')@10")
    row = table.loc[("documents below the cutoff change nothing", "NFaiRR(of='labels')@10")]
    assert row["holds"] == "✗"
    assert row["value_after"] < row["value_before"]
    assert len(row["after"].split()) == len(row["before"].split()) + 1


def test_verb_what_does_not_apply_and_what_is_refused(call, football) -> None:
    table = rows(football, "nDCG@10", "NFaiRR(background='collection')@10")
    assert set(table["holds"]) == {"not applicable"}
    assert len(table) == 2 * len(PROPERTIES)
    assert (table["source"] != "").all()
    said = call("measure-power football --measures", "'CWEx AWRF'", "--table properties --format csv").out
    assert said.startswith("property,CWEx(alpha=0.5)@10,AWRF@10,source\n")
    assert len(said.splitlines()) == 11
    with pytest.raises(UsageError, match="orders no systems by query"):
        analyse(football, "measure-power", measures="Exposure")
    table = analyse(football, "measure-power", measures="CWEx").table()  # its two queries are too few for a test
    assert table["pairs"].tolist() == [0]
    assert np.isnan(table["share"]).all()


VARIANTS = ("N", "P", "CP")


def study_of(lists: dict[str, dict[str, str]], system: str = "s", **more: object) -> Study:
    """Lists as texts by base and variant, of one system."""
    queries = [(f"{base}-{name}", f"{base} {name}", name, base) for base, texts in lists.items() for name in texts]
    runs = {(system, f"{base}-{name}"): text for base, texts in lists.items() for name, text in texts.items() if text}
    table = pd.DataFrame(queries, columns=["query_id", "text", "variant", "base"])
    return fairviz.make_study("made", queries=table, runs=runs_of(runs), **more)


def slow_comsrb(neutral: list[str], typical: list[str], counter: list[str]) -> tuple[float, float, float]:
    """RaB, ARaB and nDRaB, sum by sum, for each wording apart and then subtracted."""

    def by_wording(other: list[str]) -> tuple[float, float, float]:
        hits = [1 if document in other else 0 for document in neutral]
        to_rank = [sum(hits[:x]) / x for x in range(1, len(hits) + 1)]
        weights = [1 / np.log2(rank + 1) for rank in range(1, len(hits) + 1)]
        weighted = sum(weight * hit for weight, hit in zip(weights, hits, strict=True))
        return sum(hits) / len(hits), sum(to_rank) / len(to_rank), weighted / sum(weights)

    return tuple(of_p - of_cp for of_p, of_cp in zip(by_wording(typical), by_wording(counter), strict=True))  # type: ignore[return-value]


def test_by_hand() -> None:
    """d is 0, 1, 0 for the first base; 1, 1, 1 for the second, whose ranks below k = 3 do not count."""
    lists = {
        "a": {"N": "a b c", "P": "a b x", "CP": "a y z"},
        "b": {"N": "a b c e", "P": "c b a y", "CP": "x y z a"},
    }
    answer = wordings(study_of(lists), Settings(cutoff=3))
    first, second = answer.bases.to_dict("records")
    assert (first["p_share"], first["cp_share"], first["documents"]) == pytest.approx((2 / 3, 1 / 3, 3))
    weights = 1 / np.log2([2, 3, 4])
    by_measure = [1 / 3, (0 + 1 / 2 + 1 / 3) / 3, weights[1] / weights.sum()]
    assert [first[name] for name in COMSRB] == pytest.approx(by_measure)
    assert [second[name] for name in COMSRB] == [1, 1, 1]
    # Google's list for the paper's query 0_F: its first eight addresses are in P's list, none is in CP's
    weights = 1 / np.log2(np.arange(2, 12))
    expected = (0.8, (8 + 8 / 9 + 0.8) / 10, weights[:8].sum() / weights.sum())
    assert comsrb(np.arange(10) < 8, np.zeros(10, dtype=bool)) == pytest.approx(expected)
    listed = answer.lists[answer.lists["base"] == "a"]
    assert listed[["rank", "doc_id", "in_p", "in_cp"]].to_numpy().tolist() == [
        [1, "a", True, True], [2, "b", True, False], [3, "c", False, False],
    ]  # fmt: skip


documents = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)


@given(st.lists(st.tuples(documents, documents, documents), min_size=2, max_size=6))
def test_as_the_slow_reference(bases: list[tuple[list[str], list[str], list[str]]]) -> None:
    lists = {f"b{place}": dict(zip(VARIANTS, map(" ".join, three), strict=True)) for place, three in enumerate(bases)}
    answer = wordings(study_of(lists), Settings(cutoff=4))
    expected = np.array([slow_comsrb(*(one[:4] for one in three)) for three in bases])
    np.testing.assert_allclose(answer.bases[list(COMSRB)].to_numpy(), expected, atol=1e-12)
    rows = answer.systems.set_index("measure")
    for place, measure in enumerate(COMSRB):
        values = expected[:, place]
        assert rows.loc[measure, "mean"] == pytest.approx(values.mean(), abs=1e-12)
        if values.std() > 1e-9:
            t = ttest_1samp(values, 0)
            assert rows.loc[measure, ["t", "p"]].tolist() == pytest.approx([t.statistic, t.pvalue])
            assert rows.loc[measure, "d"] == pytest.approx(values.mean() / values.std(ddof=1))
        else:
            assert rows.loc[measure, "p"] == (1 if abs(values[0]) < 1e-9 else 2 ** (1 - len(values)))
            assert np.isnan(rows.loc[measure, "d"])


def test_the_made_study_leans_as_it_says_and_its_files_are_what_the_program_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = analyse(fairviz.open_study("wordings"), "wordings")
    assert [text.partition(" (")[0] for text in answer.value.sentences] == [
        "typical: the neutral lists lean to the prototypical wording",
        "even: the neutral lists lean significantly towards neither wording",
        "reverse: the neutral lists lean to the counter-prototypical wording",
    ]
    ordered = answer.table().set_index("measure").loc["RaB"].sort_values("p")
    first, second, third = ordered["p"]
    assert ordered["p_corrected"].tolist() == pytest.approx([3 * first, max(3 * first, 2 * second), third])
    made, kept = tmp_path / "wordings", BUILTIN["wordings"]
    monkeypatch.setattr("sys.argv", ["wordings", str(made)])
    runpy.run_path(made_by.__file__, run_name="__main__")
    files = [str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()]
    assert filecmp.cmpfiles(made, kept, files, shallow=False) == (files, [], [])


def test_what_is_missing_is_left_out_and_told() -> None:
    """A base without CP, a query without a base, a wording without a list, a short list; draws are averaged."""
    whole = {"N": "a b", "P": "a b", "CP": "x y"}
    study = study_of({"a": whole, "b": {"N": "a b", "P": "a b"}, "c": {**whole, "CP": ""}, "": {"N": "a"}})
    more = runs_of({("t", "a-N"): "a b", ("t", "a-P"): "a", ("t", "a-CP"): "x y"})
    study = fairviz.make_study("made", queries=study.queries, runs=pd.concat([study.runs, more]))
    answer = wordings(study, Settings())
    values = answer.bases.set_index(["system", "base"])["RaB"]
    assert values.dropna().to_dict() == {("s", "a"): 1, ("t", "a"): 0.5}
    assert answer.notes[:4] == [
        "Without a query of each variant, and left out: 1 base, b.",
        "Without a base, and left out: 1 query.",
        "Bases with an unanswered wording, undefined: s 1, t 1.",
        "2 comparisons of lists of different length within 10: a shorter list can share fewer documents.",
    ]
    assert answer.sentences[0] == "s: only 1 base with lists; a test needs 5."
    draws = {(f"s/seed{seed}", f"a-{name}"): text for seed, first in (("1", "a b"), ("2", "x b"))
             for name, text in {**whole, "N": first}.items()}  # fmt: skip
    queries = study.queries[study.queries["base"] == "a"]
    averaged = wordings(fairviz.make_study("made", queries=queries, runs=runs_of(draws)), Settings())
    assert averaged.bases[["system", "RaB"]].to_numpy().tolist() == [["s", 0.5]]  # of 1, and of (1 - 1) / 2


def test_their_files_become_studies(tmp_path: Path) -> None:
    """In the folders of a clone: two topics of queries, and two engines, one with an address twice."""
    topics = {"0_F": {"0": ["nurses", "female  nurses", "male nurses"]}, "4_M": {"0": ["bosses", "men", "women"]}}
    rows = [
        f"0_F_{variant};{rank};{engine};https://{engine}.org/{address}"
        for engine in ("Google", "Bing")
        for variant, text in {"N": "a b b", "P": "a b c", "CP": "x y z"}.items()
        for rank, address in enumerate(text.split(), start=1)
    ]
    for place, content in (
        ("SRB/data/retrieval_queries.jsonl", json.dumps(topics)),
        ("SRB_SE/data/se_results.csv", "\n".join(["qid;rank;tag;docurl", *rows])),
    ):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(content, encoding="utf-8")
    fetch("comsrb", tmp_path)
    queries = fairviz.open_study("comsrb").queries.set_index("query_id")
    assert queries.loc["0_F_0_P"].to_dict() == {
        "text": "female nurses", "variant": "P", "base": "0_F_0", "topic": "0_F", "stereotype": "female"
    }  # fmt: skip
    fetch("search-engines", tmp_path)
    study = fairviz.open_study("search-engines")
    assert study.notices == ("Cleaned: 2 repeated addresses of a list are left out.",)
    assert wordings(study, Settings()).bases[["system", "base", "RaB"]].to_numpy().tolist() == [
        ["Bing", "0_F", 1], ["Google", "0_F", 1]
    ]  # fmt: skip


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    whole = study_of({"a": dict.fromkeys(VARIANTS, "a b")})
    for change, message in (
        (lambda table: table.drop(columns="base"), "the queries of made have no column base\nGive queries.csv"),
        (lambda table: table.assign(variant=["N", "P", "cpx"]), "query 'a-CP' of made has the variant 'cpx'\n"),
        (lambda table: table.assign(variant=["N", "P", "p"]), "base 'a' of made has two queries P: 'a-P' and 'a-CP'\n"),
        (lambda table: table.iloc[:2], "no base of made has a query of each variant N, P and CP: 'a' has N and P only"),
    ):
        study = fairviz.make_study("made", queries=change(whole.queries), runs=whole.runs)
        with pytest.raises(FairvizError) as caught:
            analyse(study, "wordings")
        assert str(caught.value).startswith(message)
    queries, results = "retrieval_queries.jsonl", "se_results.csv"  # of the paper, whose repository states no licence
    for name, file, content, message in (
        ("comsrb", queries, "[", f"{queries}: is not one JSON object"),
        ("comsrb", queries, '{"0_F": {"0": ["a"]}}', f"{queries}: is not {{topic"),
        ("search-engines", results, "a;b\n1;2\n", f"{results}: its columns are not qid;rank;tag;docurl"),
        ("search-engines", results, "qid;rank;tag;docurl\n0_F_X;1;Google;u\n0_F_N;1;Google;u\n",
         f"{results}:2: is not qid;rank;tag;docurl of a query TOPIC_N, TOPIC_P or TOPIC_CP: '0_F_X;1;Google;u'"),
    ):  # fmt: skip
        (tmp_path / file).write_text(content, encoding="utf-8")
        with pytest.raises(FairvizError) as caught:
            fetch(name, tmp_path)
        assert str(caught.value).startswith(message)
        with pytest.raises(FairvizError, match=rf"^{name} has no licence stated: fairviz does not download it\nRead "):
            fetch(name, address="http://127.0.0.1:9/")
