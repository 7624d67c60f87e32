"""Ranks that the tests leave to each system, and groups that they do not separate."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import inseparable_line, orders
from fairviz.evaluation.scores import summarise
from tests.comparison.test_measure_order import AWRF, CWEX, GAP, table
from tests.conftest import Call, simulated
from tests.made import scores_of


def ranks(scores, **choices):
    (pairs,) = comparison(scores, **choices).pairs
    return dict(pairs.ranks)


def test_ranks_and_groups_by_hand():
    """high is ahead of all but near, near of low and lowest, low of nobody: high may be 1 or 2, low 3 or 4."""
    scores = table(low=0.1, high=0.4, near=0.395, lowest=0.098, perfect=0.9)
    assert ranks(scores) == {"low": (3, 4), "high": (1, 2), "near": (1, 2), "lowest": (3, 4)}
    assert ranks(scores, ticked=["perfect"])["high"] == (2, 3)
    against = comparison(scores, tests="maxT(baseline='low')")
    assert against.pairs[0].ranks == {"low": (3, 4), "high": (1, 3), "near": (1, 3), "lowest": (1, 4)}
    rows = fairviz.compare(scores, "low").set_index("system")
    names = ["rank_low", "rank_high", "baseline_rank_low", "baseline_rank_high"]
    assert rows.loc["high", names].tolist() == [1, 2, 3, 4]
    assert rows.loc["perfect", ["rank_low", "rank_high"]].isna().all()
    assert ranks(table(AWRF, high=0.4, low=0.1)) == {"high": (2, 2), "low": (1, 1)}
    assert ranks(table(GAP, below=-0.3, above=0.1)) == {"below": (2, 2), "above": (1, 1)}
    assert ranks(scores_of(CWEX.text, {"a": [0.1], "b": [0.3]})) == {}, "no test leaves no rank"
    scores = table(a=0.4, c=0.391, b=0.382)
    line = inseparable_line(orders(summarise(scores), [CWEX], comparison(scores)))
    assert line == "Cannot be separated (no two of a group differ significantly): CWEx: a, c; c, b."
    every = table(a=0.4, c=0.4, b=0.4)
    assert inseparable_line(orders(summarise(every), [CWEX], comparison(every))).endswith("CWEx: all 3 systems.")
    apart = table(a=0.4, b=0.1)
    assert inseparable_line(orders(summarise(apart), [CWEX], comparison(apart))).endswith("CWEx: no two systems.")


@given(st.integers(0, 10_000), st.sampled_from(["maxT", "holm", "tukey", "none(statistic='wilcoxon')"]))
def test_ranks_are_counts_of_verdicts(seed, tests):
    """Against the verdicts of each system's own view, one row at a time."""
    generator = np.random.default_rng(seed)
    values = generator.normal(0, 0.1, (5, 15)) + generator.choice([0, 0.05, 0.2], (5, 1))
    found = comparison(scores_of(AWRF.text, dict(zip("abcde", values.tolist(), strict=True))), tests=tests, draws=99)
    for name, span in found.pairs[0].ranks.items():
        verdicts = [row.verdict for row in found.against(name).views[0]]
        assert span == (1 + verdicts.count("ahead"), 5 - verdicts.count("behind"))


@pytest.mark.parametrize("means", [(0.0, 0.0, 0.3, 0.6, 0.6, 1.0), (0.0,) * 6])
@simulated(40, 1000)
def test_all_ranks_are_covered_at_once(means, draws):
    """Six systems, of which two and two are equal, or all: equal ones share their ranks. Skewed values, 25 queries."""
    means = np.array(means)
    truth = [(1 + int((means > mean).sum()), len(means) - int((means < mean).sum())) for mean in means]
    generator, covered, widths = np.random.default_rng(53), 0, []
    for _ in range(draws):
        common = generator.normal(size=25)
        values = means[:, None] + common + 0.5 * (generator.exponential(size=(6, 25)) - 1)
        found = ranks(scores_of(CWEX.text, dict(zip("abcdef", values.tolist(), strict=True))), draws=999)
        spans = [found[name] for name in "abcdef"]
        covered += all(low <= first and last <= high for (low, high), (first, last) in zip(spans, truth, strict=True))
        widths += [high - low for low, high in spans]
    assert covered / draws >= 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / draws)
    assert np.mean(widths) < 4 or not means.any()  # of 5: the intervals say something


@given(st.integers(0, 10_000))
def test_every_pair_that_does_not_differ_is_in_a_group_and_no_other(seed):
    generator = np.random.default_rng(seed)
    spread = generator.choice([0.02, 0.3], (6, 1))
    values = generator.normal(size=(6, 20)) * spread + generator.choice([0, 0.1, 0.2], (6, 1))
    scores = scores_of(CWEX.text, dict(zip("abcdef", values.tolist(), strict=True)))
    found = comparison(scores, draws=199)
    (order,) = orders(summarise(scores), [CWEX], found)
    held = found.pairs[0]
    place = {name: row for row, name in enumerate(held.points.systems)}
    p = {pair: held.columns["p_corrected"][place[pair[0]], place[pair[1]]] for pair in combinations("abcdef", 2)}
    grouped = {frozenset(pair) for group in order.inseparable for pair in combinations(group, 2)}
    assert grouped == {frozenset(pair) for pair, number in p.items() if number > 0.05}


def test_the_verb_has_ranks_and_groups_and_says_what_they_hold(call: Call):
    said = call("compare newswire CWEx --format csv")
    best = said.rows[0]
    assert (best["baseline"], best["baseline_rank_low"], best["baseline_rank_high"]) == ("w2v_add", "1", "2")
    assert {row["system"]: (row["rank_low"], row["rank_high"]) for row in said.rows}["tfidf"] == ("2", "7")
    assert "ranks: 95 % simultaneous in each measure." in said.err
    assert "CWEx: w2v_add, w2v_si; w2v_si, tfidf;" in said.err
    assert "ranks: not simultaneous, as the tests are not." in call("compare newswire CWEx --tests bh").err
