"""What comparisons are said to show: sentences, the order of systems in each measure, ranks, groups and drafts."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.comparison import finding as narrative
from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import by_query, compared_as, comparison, starred
from fairviz.comparison.family import How
from fairviz.comparison.finding import caption, direction, ends, inseparable_line, orders, position, strips
from fairviz.comparison.pairs import BEHIND, SAME
from fairviz.comparison.ranking_sentences import family_text
from fairviz.evaluation.scores import summarise
from fairviz.measures import parse
from fairviz.statistics.families import parse_tests
from fairviz.words.sentences import plain
from tests.conftest import Call, simulated
from tests.made import scores_of

CWEX, NFAIRR, AWRF, GAP = (parse(text) for text in ("CWEx@10", "NFaiRR@10", "AWRF@10", "ExposureGap@10"))
QUESTIONS = [CWEX, NFAIRR, parse("TExFAIR@10"), parse("nDCG@10")]


def told(scores, questions=QUESTIONS, **choices):
    """The finding of a scores table in words."""
    return " ".join(map(plain, narrative.finding(summarise(scores), questions, comparison(scores, **choices))))


def scores(**systems):
    """CWEx and NFaiRR of each query: a list a system, NFaiRR the same plus 1."""
    table = scores_of(CWEX.text, systems)
    return pd.concat([table, table.assign(measure=NFAIRR.text, value=table["value"] + 1)], ignore_index=True)


WAVE = np.array([0, 3, 1, 2, 4, 0, 2, 1, 3, 0, 1, 2]) / 100
HIGH, MIDDLE, *LOWS = (base + np.roll(WAVE, n) for n, base in enumerate((0.3, 0.2, 0.1, 0.1, 0.1, 0.1)))
LOW = LOWS[0]
NEAR = HIGH + np.array([-0.051, 0.05] * 6)


def test_what_a_line_says():
    table = scores(bm25=MIDDLE, bi=HIGH, tfidf=NEAR, perfect=[1.0, 0.9] * 6)
    rest = "is ahead of bm25 (+0.100, p = .002); not significantly different from tfidf."
    assert told(table) == f"CWEx: bi {rest} NFaiRR: bi {rest} Tests: all 3 pairs, maxT."
    table = scores(a=HIGH, b=NEAR)
    rest = "a has the best mean; not significantly different from b."
    assert told(table, tests="none(statistic='wilcoxon')") == (
        f"CWEx: {rest} NFaiRR: {rest} Tests: 1 pair, Wilcoxon signed ranks, no correction."
    )
    table = scores(a=HIGH, **dict(zip("bcde", LOWS, strict=True)))
    assert re.match(r"CWEx: a is ahead of \w, \w, \w and 1 more \(\+0.200, p ≤ .019\)", told(table))
    text = told(scores(a=HIGH, b=LOW, c=[np.nan] * 11 + [0.1]))
    assert text.startswith("CWEx: a is ahead of b (+0.200, p < .001); not tested against c. NFaiRR: a is ahead of b (")


def test_one_system_compares_with_nothing():
    need = ": a second system is needed to see whether measures agree."
    assert told(scores(a=HIGH)) == f"Only a is shown{need}"
    assert told(scores(a=HIGH, random=LOW)) == f"Only a is shown beside the reference{need}"
    assert told(scores(a=HIGH, random=LOW, perfect=LOW)) == f"Only a is shown beside references{need}"
    assert told(scores(random=LOW)) == "Only references are shown: a system is needed to see how fair it is."
    nowhere = told(scores(a=[np.nan], b=[np.nan]))
    assert nowhere.startswith("No fairness measure has a value here: see below what is missing.")


def test_notes_count_undefined_rankings_and_end_a_licence_with_one_full_stop():
    def note(*undefined: int) -> str:
        table = pd.DataFrame({"measure": [CWEX.text, NFAIRR.text], "undefined": undefined})
        return narrative.undefined_note(table, QUESTIONS[:2])

    assert note(0, 1200) == (
        "NFaiRR is undefined for 1,200 rankings, which averages leave out: the ideal is 0, and 0/0 has no value, "
        "because no document of the background is neutral to any degree; another background, such as collection, may "
        "hold neutral ones."
    )
    assert note(1, 0) == (
        "CWEx is undefined for 1 ranking, which averages leave out: no document in the top k has a label, "
        "or the system lacks the query."
    )
    assert note(0, 0) == ""
    assert narrative.source_note("The rest: MIT.", "") == "Licence: The rest: MIT."
    assert narrative.source_note("MIT", "Somebody.") == "Licence: MIT. Cite: Somebody."


# --- the sentences of comparisons against their tables


MEASURES = ("CWEx(alpha=0.5)@10", "AWRF@10", "nDCG@10")  # higher, lower and again higher is better
FIRST = [parse(MEASURES[0])]
CLAUSE = re.compile(r"^(?P<of>s\d+) (?:is ahead of (?P<ahead>.+?) in (?P<by>\w+) \(.+?\)(?: and in .+?\))*)?"
                    r"(?: and not significantly different from (?P<same>.+?))?"
                    r"(?:has the best mean in (?P<mean>.+?) and is not significantly different "
                    r"from (?P<alone>.+?))?$")  # fmt: skip


def made(values: np.ndarray) -> pd.DataFrame:
    """Values (M, S, Q) as scores."""
    systems = [f"s{system}" for system in range(values.shape[1])]
    parts = zip(MEASURES, values, strict=False)
    return pd.concat([scores_of(measure, dict(zip(systems, rows, strict=True))) for measure, rows in parts])


def names(text: str | None, of: set[str]) -> bool:
    """Whether the text names these systems, or as many of them, and no other."""
    if text is None:
        return not of
    named = set(re.findall(r"s\d+", text))
    count = re.search(r"(\d+) (?:systems|more)", text)
    return named <= of and len(named) + (int(count[1]) if count else 0) == len(of)


@given(seed=st.integers(0, 10**6), systems=st.integers(2, 7), queries=st.integers(10, 30), lift=st.floats(0, 2))
def test_the_sentence_claims_what_the_corrected_test_claims_and_nothing_else(seed, systems, queries, lift):
    """And measures share a clause only where they say the same."""
    generator = np.random.default_rng(seed)
    hard = generator.normal(size=(len(MEASURES), 1, queries))  # what a query does to every system
    values = hard + lift * generator.normal(size=(len(MEASURES), systems, 1))
    values = values + generator.normal(size=(len(MEASURES), systems, queries)) * 0.5
    found = comparison(made(values), tests="holm")
    standings = ranking_sentences.standings(found, [parse(text) for text in MEASURES])
    assert tuple(standing.question.text for standing in standings) == MEASURES
    for standing in standings:
        rows = found.table[found.table["measure"] == standing.question.text]
        behind, same = (set(rows.loc[rows["verdict"] == verdict, "system"]) for verdict in (BEHIND, SAME))
        text = plain(ranking_sentences.clauses([standing], best=True))
        clause = CLAUSE.match(text)
        assert clause, text
        assert {clause["of"]} == set(rows["baseline"])
        assert names(clause["ahead"], behind), text
        assert names(clause["same"] or clause["alone"], same), text
        assert (clause["by"] or clause["mean"]) == standing.question.name
    together = plain(ranking_sentences.clauses(standings, best=True))
    assert together.count("; ") + 1 == max(len({one.verdicts for one in standings if one.tested}), 1)
    pairs = systems * (systems - 1) // 2
    family = f"all {pairs} pairs" if pairs > 1 else "1 pair"
    assert ranking_sentences.family_note(found) == f"Tests: {family}, paired t, Holm."


def said_of(values, best=False, **choices):
    """The clause of one measure, of the best or of the baseline s0."""
    found = comparison(made(values), "" if best else "s0", **choices)
    return found, plain(ranking_sentences.clauses(ranking_sentences.standings(found, FIRST), best=best))


def test_against_a_chosen_baseline_both_sides_are_told():
    values = np.zeros((1, 4, 12)) + np.array([0.0, 0.2, -0.3, 0.0])[None, :, None]
    values += np.sin(np.arange(48)).reshape(1, 4, 12) / 50
    found, text = said_of(values, tests="bonferroni(baseline='s0')")
    assert re.fullmatch(
        r"s0 is ahead of s2 in CWEx \(\+0\.\d{3}, p < \.001\) and behind s1 in CWEx \(−0\.\d{3}, p < \.001\) "
        r"and not significantly different from s3",
        text,
    )
    assert ranking_sentences.family_note(found) == "Tests: 3 pairs with s0, paired t, Bonferroni."
    assert said_of(values[:, [0, 3]])[1] == "s0 is not significantly different from s1 in CWEx"


def test_where_test_and_mean_part_no_order_is_said_and_a_star_says_what_it_means():
    values = np.full((1, 2, 20), 0.5)
    values[0, 0] = [0.501 + n / 1000 for n in range(18)] + [0.0, 0.0]
    _, text = said_of(values, best=True, tests="holm(statistic='wilcoxon')")
    assert text == "s1: in CWEx mean and test point different ways for s0"
    found, _ = said_of(np.random.default_rng(1).normal(size=(1, 3, 40)), best=True)
    note = "★ best, or not significantly different from the best; two starred ones may differ."
    assert ranking_sentences.stars_note(found) == note
    assert ranking_sentences.stars_note(comparison(made(np.zeros((1, 1, 4))))) == ""


@pytest.mark.parametrize(
    ("means", "wanted"), [((0.12, 0.32), r"\+0\.1\d\d to \+0\.3\d\d"), ((-0.12, -0.32), r"−0\.1\d\d to −0\.3\d\d")]
)
def test_a_range_of_differences_starts_with_the_nearest_to_0(means: tuple[float, float], wanted: str):
    values = np.sin(np.arange(60)).reshape(1, 3, 20) / 100 - np.array([0.0, *means])[None, :, None]
    found = comparison(made(values), "s0", tests="holm(baseline='s0')")
    (standing,) = ranking_sentences.standings(found, FIRST)
    assert re.match(wanted, ranking_sentences.difference_text(standing, ["s1", "s2"]))


# --- the order of systems in a measure


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


# --- drafts, edited lists and references are shown and change no verdict, star or sentence until they are ticked


SWING = np.sin(np.arange(20)) / 20
DRAFT = {"mine": 0.9 - SWING}
DRAFTS = How(outside=("mine",))
VALUES = {"a": 0.5 + SWING, "b": 0.49 - SWING, "c": 0.1 + SWING[::-1]}


def tables(values, how=None):
    """Scores of CWEx and NFaiRR alike, and their comparison."""
    parts = [scores_of(question.text, values) for question in (CWEX, NFAIRR)]
    table = pd.concat(parts).assign(labelled=10, places=10)
    return table, compared_as(table, how or How())


def told_as(values, how=None):
    """The sentence, and the notes below a table."""
    table, found = tables(values, how)
    sentences = [plain(line) for line in narrative.finding(summarise(table), [CWEX, NFAIRR], found)]
    return "\n".join([*sentences, ranking_sentences.stars_note(found), family_text(found)])


def test_a_draft_changes_no_sentence_star_or_note_until_it_is_ticked():
    assert told_as(VALUES | DRAFT, DRAFTS) == told_as(VALUES)
    assert starred(tables(VALUES | DRAFT, DRAFTS)[1]) == starred(tables(VALUES)[1])
    ticked = told_as(VALUES | DRAFT, How(outside=("mine",), ticked=("mine",)))
    assert ticked.startswith("CWEx: mine is ahead of a, b, c (+0.4")
    assert ticked.endswith("all 6 pairs, maxT")


def test_what_is_not_tested_is_named_once_and_never_among_the_two_best():
    _, found = tables(VALUES | DRAFT | {"a, edited": 0.3 + SWING, "random": SWING}, DRAFTS)
    assert ranking_sentences.outside_note(found) == "Not tested: mine and a, edited."
    assert [found.how.labelled(name) for name in ("a", "mine", "a, edited", "random")] == [
        "a", "mine (not tested)", "a, edited (not tested)", "random (reference)",
    ]  # fmt: skip
    assert ranking_sentences.outside_note(tables(VALUES)[1]) == ""
    table, _ = tables(VALUES | DRAFT | {"a, edited": 0.95 + SWING})
    assert tuple(by_query(table, among=("a", "b", "c"))[["baseline", "system"]].iloc[0]) == ("a", "b")
    assert tuple(by_query(table)[["baseline", "system"]].iloc[0]) == ("mine", "a")  # edited lists never


@pytest.mark.parametrize(
    ("tests", "how", "why"),
    [
        ("maxT(baseline='z')", {}, "the baseline of the tests, z, is not shown"),
        ("maxT(baseline='mine')", {"outside": ("mine",)}, "the baseline of the tests, mine, is not in the family"),
        ("maxT", {"outside": ("a", "b", "c", "mine")}, "fewer than two of the systems shown are in the family"),
    ],
)
def test_where_nothing_is_tested_one_line_says_why(tests: str, how: dict, why: str) -> None:
    text = told_as(VALUES | DRAFT, How(parse_tests(tests), **how))
    assert f"\nNo difference is tested: {why}.\n" in text
    assert text.endswith(f"no pair was tested, as {why}")


@pytest.mark.parametrize("method", ["maxT", "holm", "bonferroni", "bh", "tukey", "none"])
def test_with_too_few_queries_that_is_the_reason(method: str) -> None:
    few, how = {name: held[:5] for name, held in VALUES.items()}, How(parse_tests(method))
    why = "a verdict needs 10 queries, and half of all, that two systems both answer"
    assert told_as(few, how).splitlines() == [
        "CWEx: a has the best mean, 0.511; not tested: too few queries.",
        "NFaiRR: a has the best mean, 0.511; not tested: too few queries.",
        f"No difference is tested: {why}.", f"No system is starred: {why}.", f"no pair was tested, as {why}",
    ]  # fmt: skip
    assert not any(starred(tables(few, how)[1]).values())


def test_a_baseline_named_beforehand_is_whom_the_sentence_is_about_and_stars_nobody_but_where_it_is_best():
    against_c = How(parse_tests("maxT(baseline='c')"))
    sentence, _, tests, note, family = told_as(VALUES, against_c).splitlines()
    assert sentence.startswith("CWEx: c is behind a, b (")
    assert tests == "Tests: 2 pairs with c, maxT."
    assert note == "★ only where c is the best: no pair without it is tested."
    assert family == "2 pairs with c, maxT"
    assert not any(starred(tables(VALUES, against_c)[1]).values())
    assert starred(tables(VALUES, How(parse_tests("maxT(baseline='a')")))[1])[CWEX.text] == {"a", "b"}


def test_verdicts_that_rest_on_fewer_queries_are_counted():
    few = {"d": np.where(np.arange(20) < 15, 0.1 + SWING, np.nan)}
    note = "2 of 6 differences are based on fewer queries than selected."
    assert ranking_sentences.warned_note(tables(VALUES | few)[1]) == note
    assert ranking_sentences.warned_note(tables(VALUES)[1]) == ""
