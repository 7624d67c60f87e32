"""The sentences of comparisons against tests made here by scipy and Holm's steps by hand."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import comparison
from fairviz.measures import parse
from fairviz.words.sentences import plain

MEASURES = ("CWEx(alpha=0.5)@10", "AWRF@10", "nDCG@10")  # higher, lower and again higher is better
CLAUSE = re.compile(r"^(?P<of>s\d+) (?:is ahead of (?P<ahead>.+?) in (?P<by>\w+) \(.+?\)(?: and in .+?\))*)?"
                    r"(?: and not significantly different from (?P<same>.+?))?"
                    r"(?:has the best mean in (?P<mean>.+?) and is not significantly different "
                    r"from (?P<alone>.+?))?$")  # fmt: skip


def made(values: np.ndarray) -> pd.DataFrame:
    """Values (M, S, Q) as scores."""
    rows = [
        (f"s{system}", f"q{query}", MEASURES[measure], values[measure, system, query])
        for measure, system, query in np.ndindex(values.shape)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])


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


def test_a_star_says_by_which_tests():
    found = comparison(made(np.random.default_rng(1).normal(size=(1, 3, 40))))
    assert ranking_sentences.stars_note(found) == "★ best, or not significantly different from the best."
    assert ranking_sentences.stars_note(comparison(made(np.zeros((1, 2, 1))))) == (
        "No system is starred: a verdict needs 10 queries, and half of all, that two systems both answer."
    )
    assert ranking_sentences.stars_note(comparison(made(np.zeros((1, 1, 4))))) == ""
