import numpy as np
import pytest

from fairviz.comparison.compare import comparison, starred
from fairviz.comparison.finding import caption, direction, ends, orders, position, strips
from fairviz.evaluation.scores import summarise
from fairviz.measures import parse
from fairviz.words.sentences import plain
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
