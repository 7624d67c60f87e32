"""GSR against statistical parity, every solution written out, and permutation tests of lists of words."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.analyses.gsr_validity import parity
from fairviz.analyses.gsr_validity.parity import (
    agreement,
    parity_agreement,
    permutation_test,
    word_list_test,
    word_list_tests,
)
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.words.genderedness import gender_direction
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.vectors import load_embedding


def every_solution(queries: list[float], man: float, woman: float) -> tuple[np.ndarray, np.ndarray]:
    """GSR and share of stereotypical documents of each of 3^N solutions, document by document."""
    slopes, shares = [], []
    weight = 1 / math.log2(3)
    for answers in itertools.product([(man,), (woman,), (man, woman)], repeat=len(queries)):
        lists = [found[0] if len(found) == 1 else (found[0] + weight * found[1]) / (1 + weight) for found in answers]
        same = [(query > 0) == (g > 0) for query, found in zip(queries, answers, strict=True) for g in found]
        slopes.append(np.polyfit(queries, lists, 1)[0])
        shares.append(sum(same) / len(same))
    return np.array(slopes), np.array(shares)


@pytest.mark.parametrize(
    ("queries", "man", "woman"),
    [
        ([0.3, -0.2], -0.2, 0.3),
        ([0.31, 0.1, -0.12, -0.05, 0.22, -0.3], -0.22, 0.34),
        ([0.31, 0.1, 0.12, -0.05, 0.2], -0.1, 0.4),
        ([0.31, 0.1, -0.12, -0.05, 0.2], 0.05, 0.4),  # both documents are female
    ],
)
def test_over_every_solution(queries, man, woman):
    slopes, shares = every_solution(queries, man, woman)
    assert len(slopes) == 3 ** len(queries)
    r, sample = agreement(queries, man, woman, sample=5_000)
    assert r == pytest.approx(np.corrcoef(slopes, shares)[0, 1], abs=1e-10)
    assert {*sample["gsr"].round(9)} <= {*slopes.round(9)}
    pairs = {(round(a, 9), round(b, 9)) for a, b in zip(slopes, shares, strict=True)}
    assert {(round(a, 9), round(b, 9)) for a, b in sample.itertuples(index=False)} <= pairs
    assert sample["gsr"].mean() == pytest.approx(slopes.mean(), abs=0.1 * slopes.std())


def test_undefined():
    for queries, man, woman in (
        ([0.1, 0.1], -0.2, 0.3),  # no slope
        ([], -0.2, 0.3),
        ([0.1, -0.1], math.nan, 0.3),
        ([0.1, -0.1], 0.2, 0.2),  # both documents are stereotypical for one and for none
    ):
        assert math.isnan(agreement(queries, man, woman)[0])
    found = permutation_test([math.nan], [1.0])
    assert math.isnan(found.difference)
    assert math.isnan(found.p)
    assert permutation_test([0.0, math.nan], [1.0]).divisions == 2


def test_the_toy_set_is_the_study_occupations(occupations):
    """The three systems of the study are three of the solutions: their GSR is that of fairviz.evaluation.gsr."""
    direction = gender_direction(load_embedding("glove"))
    slopes = gsr(gsr_points(occupations, Settings(), direction=direction)).set_index("system")["slope"]
    found = parity_agreement(direction)
    assert found.solutions == 3**20
    assert (len(found.queries), found.missing, len(found.sample)) == (20, (), 2_000)
    assert 0.8 < found.r < 0.95  # the paper: 0.92
    assert found.sample.corr().iloc[0, 1] == pytest.approx(found.r, abs=0.03)
    x = direction.of(found.queries)
    man, woman = direction.of(["man", "woman"])
    typical = np.polyfit(x, [woman] * 10 + [man] * 10, 1)[0]
    assert slopes["S"] == pytest.approx(typical, abs=1e-9)
    assert (
        found.sample["gsr"].abs().max() <= np.abs(x - x.mean()).sum() / ((x - x.mean()) ** 2).sum() * (woman - man) / 2
    )


def test_with_the_vectors_of_the_paper(google_news):
    found = parity_agreement(gender_direction(google_news))
    assert found.solutions == 3**12
    assert round(found.r, 2) == 0.90  # the paper, with all twenty words: 0.92


def slow(lower: list[float], higher: list[float]) -> float:
    """The share of all divisions whose difference of means is at least the observed one."""
    values = [*lower, *higher]
    observed = np.mean(higher) - np.mean(lower)
    hits = total = 0
    for chosen in itertools.combinations(range(len(values)), len(higher)):
        taken = [values[place] for place in chosen]
        rest = [values[place] for place in range(len(values)) if place not in chosen]
        hits += np.mean(taken) - np.mean(rest) >= observed - 1e-9
        total += 1
    return hits / total


def test_by_hand():
    """{1, 2} below {3, 4}: of the six divisions only {3, 4} reaches the sum 7."""
    found = permutation_test([1, 2], [3, 4])
    assert (found.difference, found.p, found.exact, found.divisions) == (2, 1 / 6, True, 6)
    assert permutation_test([3, 4], [1, 2]).p == 1  # one-tailed
    assert permutation_test([1, 1], [1, 1]).p == 1  # ties reach it too
    assert permutation_test([0.1, 0.2, 0.3], [0.2]).p == 3 / 4  # 0.2 is there twice


@given(
    st.lists(st.integers(-5, 5).map(lambda whole: whole / 10), min_size=1, max_size=5),
    st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=5),
)
def test_every_division_is_counted(lower, higher):
    found = permutation_test(lower, higher)
    assert found.exact
    assert found.divisions == math.comb(len(lower) + len(higher), len(higher))
    assert found.p == pytest.approx(slow(lower, higher), abs=1e-12)
    assert found.p >= 1 / found.divisions


def test_where_there_are_too_many_divisions_some_are_drawn(monkeypatch):
    generator = np.random.default_rng(1)
    lower, higher = generator.normal(0, 1, 20), generator.normal(0.4, 1, 20)
    exact = permutation_test(lower, higher)
    assert (exact.exact, exact.divisions) == (True, math.comb(40, 20))
    drawn = permutation_test([*lower, 0.0], higher, draws=20_000)
    assert (drawn.exact, drawn.divisions) == (False, 20_000)
    assert drawn == permutation_test([*lower, 0.0], higher, draws=20_000)  # seeded
    assert drawn != permutation_test([*lower, 0.0], higher, draws=20_000, seed=1)
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    assert 0.01 < exact.p < 0.5
    assert permutation_test(np.zeros(30), np.ones(30), draws=99).p == 1 / 100  # never zero
    assert permutation_test(np.zeros(20), np.ones(20)).p == 1 / math.comb(40, 20)
    lower, higher = [0.1, 0.5, 0.2, 0.3], [0.3, 0.6, 0.4]
    p = permutation_test(lower, higher).p
    monkeypatch.setattr(parity, "MOST_COUNTED", 0)
    assert permutation_test(lower, higher, draws=50_000).p == pytest.approx(p, abs=3 * math.sqrt(p / 50_000))


def test_the_paper_with_glove():
    """All four stereotypes hold, and the words without a vector are named."""
    table = word_list_tests(gender_direction(load_embedding("glove")))
    assert list(table["table"]) == ["A.4", "A.4", "A.5", "A.6", "A.6", "A.7"]
    assert (table["p"] < 0.05).all()
    assert table["exact"].all()
    assert (table["female_mean"] > table["male_mean"]).all()
    assert list(table["missing"]) == ["corageous", "", "", "", "", ""]
    assert list(table["words"]) == [26, 27, 16, 16, 16, 20]
    assert list(table["divisions"]) == [
        math.comb(*pair) for pair in ((26, 12), (27, 12), (16, 8), (16, 8), (16, 8), (20, 10))
    ]
    direction = gender_direction(load_embedding("glove"))
    jobs = WORD_LISTS["jobs"]
    female, male = direction.of(jobs.female), direction.of(jobs.male)
    every = np.array([*itertools.combinations([*female, *male], 10)]).sum(axis=1)
    assert word_list_test(direction, jobs).test.p == (every >= female.sum() - 1e-9).mean()


def test_the_paper_with_its_own_vectors(google_news):
    """Table A.6, whose words are all there: 7 of 12,870 divisions, 5.4e-4, where the paper printed 5.5e-4. As printed,
    with cousin, five times as much."""
    table = word_list_tests(gender_direction(google_news)).set_index(["table", "edition"])
    assert table.loc[("A.6", "corrected"), "p"] == 7 / 12_870
    assert table.loc[("A.6", "corrected"), "p"] == pytest.approx(table.loc[("A.6", "corrected"), "printed_p"], rel=0.02)
    assert table.loc[("A.6", "as printed"), "p"] == pytest.approx(2.7e-3, rel=0.02)
    assert table.loc[("A.7", "as printed"), "p"] == 1 / math.comb(12, 6)  # the smallest that 12 words allow
    assert table.loc[("A.5", "as printed"), "missing"] == "Einstein, NASA, Shakespeare"
    assert table.loc[("A.4", "corrected"), "missing"] == "possessive"
