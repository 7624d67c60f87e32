"""Analyses of lists and of what none shows: `all-lists`, by hand and against a slow count of pairs; `never-shown`, its
tables, sentences and verb; and `measure-power`, power, split halves and properties of measures."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import kendalltau

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.analyses.all_lists.answer import all_lists
from fairviz.analyses.measure_power.properties import PROPERTIES, properties_of
from fairviz.analyses.never_shown.answer import never_shown
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from tests.comparison.test_never_shown import HAND, SETTINGS, TWO, lists
from tests.made import labels_of, runs_of

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


def test_halves_agree_where_systems_differ_on_every_query() -> None:
    """Three systems whose lists are as fair on each query: every half has the order of all, τ = 1."""
    lists = {"best": "n1 n2", "middle": "n1 f1", "worst": "f1 f2"}
    runs = runs_of({(name, f"q{place}"): order for name, order in lists.items() for place in range(6)})
    labels = labels_of({"n1": "neutral", "n2": "neutral", "f1": "female", "f2": "female"})
    study = fairviz.make_study("made", runs=runs, labels=labels)
    table = analyse(study, "measure-power", measures="CWEx AbsExposureGap", splits=20).table()
    assert table[["tau", "tau_low", "tau_high"]].to_numpy().tolist() == [[1, 1, 1]] * 2


def test_halves_of_equal_means_tie(newswire) -> None:
    """P@3 is a count of thirds, whose means differ by rounding with the order in which they are added."""
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


def test_properties_by_hand(football) -> None:
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


def test_a_counterexample_has_the_values_of_its_lists(football) -> None:
    """Each of AbsExposureGap's counterexamples, from the lists that the table prints."""
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


def test_candidates_below_the_cutoff_move_nfairr(football) -> None:
    """F, then F N cut at 1: the ideal of F alone is 0 and undefined; F N's is 1. N F … N N …: the shortest with values
    has a neutral candidate already, so that a second one raises the ideal."""
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
