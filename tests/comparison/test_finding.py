import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairviz.comparison import finding as narrative
from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import comparison
from fairviz.evaluation.scores import summarise
from fairviz.measures import parse
from fairviz.words.sentences import plain
from tests.made import scores_of

QUESTIONS = [parse(text) for text in ("CWEx@10", "NFaiRR@10", "TExFAIR@10", "nDCG@10")]
CWEX, NFAIRR, *_ = QUESTIONS


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


# --- the sentences of comparisons against tests made here by scipy and Holm's steps by hand


MEASURES = ("CWEx(alpha=0.5)@10", "AWRF@10", "nDCG@10")  # higher, lower and again higher is better
CLAUSE = re.compile(r"^(?P<of>s\d+) (?:is ahead of (?P<ahead>.+?) in (?P<by>\w+) \(.+?\)(?: and in .+?\))*)?"
                    r"(?: and not significantly different from (?P<same>.+?))?"
                    r"(?:has the best mean in (?P<mean>.+?) and is not significantly different "
                    r"from (?P<alone>.+?))?$")  # fmt: skip


def made(values: np.ndarray) -> pd.DataFrame:
    """Values (M, S, Q) as scores."""
    systems = [f"s{system}" for system in range(values.shape[1])]
    parts = zip(MEASURES, values, strict=False)
    return pd.concat([scores_of(measure, dict(zip(systems, rows, strict=True))) for measure, rows in parts])


def holm(p: list[float]) -> list[float]:
    """Holm's step-down p-values."""
    order, out, highest = np.argsort(p), [0.0] * len(p), 0.0
    for place, row in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - place) * p[row]))
        out[row] = highest
    return out


def expected(values: np.ndarray) -> dict[str, tuple[str, set[str], set[str]]]:
    """For each measure the best system, those behind it, and those that no test separates from it."""
    signed = values * np.array([1, -1, 1])[: len(values), None, None]
    best = [int(np.argmax(rows.mean(axis=1).round(12))) for rows in signed]
    found = {}
    for rows, first, measure in zip(values, best, MEASURES, strict=True):
        pairs = list(combinations(range(len(rows)), 2))
        p = holm([float(stats.ttest_rel(rows[a], rows[b]).pvalue) for a, b in pairs])
        apart = {pair for pair, chance in zip(pairs, p, strict=True) if chance <= 0.05}
        behind = {s for s in range(len(rows)) if (min(s, first), max(s, first)) in apart}
        same = set(range(len(rows))) - behind - {first}
        found[parse(measure).name] = (f"s{first}", {f"s{s}" for s in behind}, {f"s{s}" for s in same})
    return found


def names(text: str | None, of: set[str]) -> bool:
    """Whether the text names these systems, or as many of them, and no other."""
    if text is None:
        return not of
    named = set(re.findall(r"s\d+", text))
    count = re.search(r"(\d+) (?:systems|more)", text)
    return named <= of and len(named) + (int(count[1]) if count else 0) == len(of)


@given(seed=st.integers(0, 10**6), systems=st.integers(2, 7), queries=st.integers(10, 30), lift=st.floats(0, 2))
def test_the_sentence_claims_what_the_corrected_test_claims_and_nothing_else(seed, systems, queries, lift):
    generator = np.random.default_rng(seed)
    hard = generator.normal(size=(len(MEASURES), 1, queries))  # what a query does to every system
    values = hard + lift * generator.normal(size=(len(MEASURES), systems, 1))
    values = values + generator.normal(size=(len(MEASURES), systems, queries)) * 0.5
    found = comparison(made(values), tests="holm")
    standings = ranking_sentences.standings(found, [parse(text) for text in MEASURES])
    wanted, seen = expected(values), set()
    for standing in standings:
        (text,) = [plain(ranking_sentences.clauses([standing], best=True))]
        best, behind, same = wanted[standing.question.name]
        clause = CLAUSE.match(text)
        assert clause, text
        assert clause["of"] == best
        assert names(clause["ahead"], behind), text
        assert names(clause["same"] or clause["alone"], same), text
        assert (clause["by"] or clause["mean"]) == standing.question.name
        seen.add(standing.question.name)
    assert seen == set(wanted)
    pairs = systems * (systems - 1) // 2
    assert tuple(found.sizes_by_family.values()) == (pairs,) * len(MEASURES)
    assert (
        not found.sizes_by_family
        or ranking_sentences.family_note(found)
        == f"Tests: {f'all {pairs} pairs' if pairs > 1 else '1 pair'}, paired t, Holm."
    )


@given(seed=st.integers(0, 10**6), systems=st.integers(2, 5))
def test_measures_share_a_clause_only_where_they_say_the_same(seed, systems):
    generator = np.random.default_rng(seed)
    values = (
        generator.normal(size=(len(MEASURES), systems, 1)) + generator.normal(size=(len(MEASURES), systems, 10)) / 3
    )
    standings = ranking_sentences.standings(comparison(made(values), draws=99), [parse(text) for text in MEASURES])
    together = plain(ranking_sentences.clauses(standings, best=True))
    assert together.count("; ") + 1 == max(len({one.verdicts for one in standings if one.tested}), 1)


def test_against_a_chosen_baseline_both_sides_are_told():
    values = np.zeros((1, 4, 12)) + np.array([0.0, 0.2, -0.3, 0.0])[None, :, None]
    values += np.sin(np.arange(48)).reshape(1, 4, 12) / 50
    found = comparison(made(values), "s0", tests="bonferroni(baseline='s0')")
    text = plain(ranking_sentences.clauses(ranking_sentences.standings(found, [parse(MEASURES[0])]), best=False))
    assert re.fullmatch(
        r"s0 is ahead of s2 in CWEx \(\+0\.\d{3}, p < \.001\) and behind s1 in CWEx \(−0\.\d{3}, p < \.001\) "
        r"and not significantly different from s3",
        text,
    )
    assert ranking_sentences.family_note(found) == "Tests: 3 pairs with s0, paired t, Bonferroni."
    alone = comparison(made(values[:, [0, 3]]), "s0")
    text = plain(ranking_sentences.clauses(ranking_sentences.standings(alone, [parse(MEASURES[0])]), best=False))
    assert text == "s0 is not significantly different from s1 in CWEx"


def test_where_test_and_mean_part_no_order_is_said():
    values = np.full((1, 2, 20), 0.5)
    values[0, 0] = [0.501 + n / 1000 for n in range(18)] + [0.0, 0.0]
    found = comparison(made(values), tests="holm(statistic='wilcoxon')")
    text = plain(ranking_sentences.clauses(ranking_sentences.standings(found, [parse(MEASURES[0])]), best=True))
    assert text == "s1: in CWEx mean and test point different ways for s0"


@pytest.mark.parametrize(
    ("means", "wanted"), [((0.12, 0.32), r"\+0\.1\d\d to \+0\.3\d\d"), ((-0.12, -0.32), r"−0\.1\d\d to −0\.3\d\d")]
)
def test_a_range_of_differences_starts_with_the_nearest_to_0(means: tuple[float, float], wanted: str):
    values = np.sin(np.arange(60)).reshape(1, 3, 20) / 100 - np.array([0.0, *means])[None, :, None]
    found = comparison(made(values), "s0", tests="holm(baseline='s0')")
    (standing,) = ranking_sentences.standings(found, [parse(MEASURES[0])])
    assert re.match(wanted, ranking_sentences.difference_text(standing, ["s1", "s2"]))


def test_a_star_says_what_it_means():
    found = comparison(made(np.random.default_rng(1).normal(size=(1, 3, 40))))
    note = "★ best, or not significantly different from the best; two starred ones may differ."
    assert ranking_sentences.stars_note(found) == note
    assert ranking_sentences.stars_note(comparison(made(np.zeros((1, 1, 4))))) == ""
