"""The analysis `measure-power`: power against a slow count, split halves by hand, and properties by hand."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import fairviz
from fairviz.analyses.measure_power.properties import PROPERTIES, properties_of
from fairviz.analyses.running import analyse
from fairviz.errors import UsageError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from tests.made import labels_of, runs_of

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
