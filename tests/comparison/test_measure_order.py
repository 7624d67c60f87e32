from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.compare import comparison, starred
from fairviz.comparison.finding import caption, direction, ends, inseparable_line, orders, position, strips
from fairviz.evaluation.scores import summarise
from fairviz.measures import parse
from fairviz.words.sentences import plain
from tests.conftest import Call, simulated
from tests.made import scores_of

CWEX, AWRF, GAP = (parse(text) for text in ("CWEx@10", "AWRF@10", "ExposureGap@10"))
NOISE = np.random.default_rng(15).normal(0, 0.02, (5, 30))


def table(question=CWEX, **means):
    """Scores of 30 queries: each system's mean, and noise of its own."""
    rows = zip(means.items(), NOISE, strict=False)
    return scores_of(question.text, {system: mean + noise - noise.mean() for (system, mean), noise in rows})


def ordered(scores, question=CWEX, **choices):
    return orders(summarise(scores), [question], comparison(scores, **choices))[0]


def test_systems_stand_in_the_order_of_the_measure_with_their_verdicts():
    scores = table(low=0.1, high=0.4, near=0.395, perfect=0.9)
    order = ordered(scores)
    assert [(placed.system, placed.verdict) for placed in order.systems] == [
        ("high", "best"), ("near", "not significantly different"), ("low", "behind"), ("perfect", "reference"),
    ]  # fmt: skip
    assert [placed.value for placed in order.systems] == pytest.approx([0.4, 0.395, 0.1, 0.9])
    assert (order.standing.baseline, order.leader, order.of_verdict("behind")) == ("high", "high", ("low",))
    assert order.lead() == "ahead of 1 of 2 · p < .001; not of near"
    assert plain(order.words) == (
        "CWEx: high is ahead of low (+0.300, p < .001); not significantly different from near."
    )
    assert order.ringed == starred(comparison(scores))[CWEX.text] == {"high", "near"}
    assert caption(comparison(scores)) == (
        "Ringed: not significantly different from the best (two ringed ones may differ); pale: significantly behind. "
        "Tests: all 3 pairs, maxT."
    )


def test_the_fairest_stands_at_the_right_whichever_way_the_measure_runs():
    order = ordered(table(AWRF, high=0.4, low=0.1), AWRF)  # lower is fairer
    assert [placed.system for placed in order.systems] == ["low", "high"]
    assert ends(order) == pytest.approx((0.4, 0.1))
    assert direction(AWRF) == "fairer →"
    order = ordered(table(GAP, below=-0.3, above=0.1), GAP)  # by the distance from 0, on the axis of its values
    assert [placed.system for placed in order.systems] == ["above", "below"]
    assert ends(order) == pytest.approx((-0.3, 0.1))
    assert direction(GAP) == "0 is fairest"
    places = [position(value, 0.1, 0.2) for value in (0.1, 0.2, 0.15, 0.0, 9.0)]
    assert places == pytest.approx([0, 1, 0.5, 0, 1])
    assert position(0.1, 0.1, 0.1) == 0.5


def test_a_group_never_covers_a_system_that_differs():
    """a and b differ, c lies between: two groups, and neither holds both."""
    scores = table(a=0.4, c=0.391, b=0.382)
    order = ordered(scores)
    by_pair = {(row.system, row.baseline): row.verdict for row in comparison(scores, "a").rows[CWEX.text]}
    p = comparison(scores).pairs[0].columns["p_corrected"]
    for group in order.groups:
        for one in group:
            for other in group:
                places = [("a", "c", "b").index(name) for name in (one, other)]
                assert one == other or p[places[0], places[1]] >= 0.05
    assert by_pair
    shown = [placed.system for placed in order.systems]
    assert all(list(group) == shown[shown.index(group[0]) :][: len(group)] for group in order.groups)


def test_groups_overlap_where_only_the_ends_differ():
    wide = np.linspace(-1, 1, 30)
    waves = 0.02 * np.sin(9 * wide), 0.02 * np.sin(9 * wide + 0.5)
    values = {"a": 0.30 + waves[0], "b": 0.29 + 0.05 * wide, "c": 0.28 + waves[1]}
    assert ordered(scores_of(CWEX.text, values)).groups == (("a", "b"), ("b", "c"))


def test_few_queries_give_an_order_without_verdicts():
    scores = table(high=0.4, low=0.1)
    order = ordered(scores[scores["query_id"] < "q05"])
    assert (order.standing, order.ringed, order.groups) == (None, frozenset(), ())
    assert order.lead() == "not tested: too few queries"
    assert [placed.verdict for placed in order.systems] == ["too few queries", "too few queries"]
    assert order.verdicts.endswith("not tested: too few queries.")


def test_a_baseline_that_the_tests_name_takes_the_place_of_the_best():
    scores = table(low=0.1, high=0.4, middle=0.25)
    order = ordered(scores, tests="maxT(baseline='middle')")
    assert order.standing.baseline == "middle"
    verdicts = {placed.system: placed.verdict for placed in order.systems}
    assert verdicts == {"high": "ahead", "middle": "best", "low": "behind"}
    assert order.ringed == frozenset()
    assert (order.leader, order.lead()) == ("middle", "ahead of 1 of 2 · p < .001; behind high")
    assert order.verdicts.startswith("middle is ahead of low (+0.150, p < .001); behind high (")
    assert "from middle" in caption(comparison(scores, tests="maxT(baseline='middle')"))


def test_the_terminal_draws_letters_at_their_places():
    text = strips([ordered(table(low=0.1, high=0.4, near=0.399, middle=0.25))], width=21)
    assert text.splitlines() == [
        "a high  b near  c middle  d low",
        "[ ] best or not significantly different from it",
        "",
        "CWEx(alpha=0.5)@10  fairer →",
        "                           [b]",
        "   0.100 d·········c·······[a] 0.400",
        "         high is ahead of middle, low (+0.150 to +0.300, p < .001); not significantly different from near.",
    ]


# --- ranks that the tests leave to each system, and groups that they do not separate


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
