"""GSR against statistical parity: moments against every solution written out."""

import itertools
import math

import numpy as np
import pytest

import fairviz
from fairviz.analyses.gsr_validity.parity import agreement, parity_agreement
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.words.genderedness import gender_direction
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
    assert math.isnan(agreement([0.1, 0.1], -0.2, 0.3)[0])  # no slope
    assert math.isnan(agreement([], -0.2, 0.3)[0])
    assert math.isnan(agreement([0.1, -0.1], math.nan, 0.3)[0])
    assert math.isnan(agreement([0.1, -0.1], 0.2, 0.2)[0])  # both documents are stereotypical for one and for none


def test_the_toy_set_with_glove():
    found = parity_agreement(gender_direction(load_embedding("glove")))
    assert found.solutions == 3**20
    assert (len(found.queries), found.missing) == (20, ())
    assert 0.8 < found.r < 0.95  # the paper: 0.92
    assert found.sample.corr().iloc[0, 1] == pytest.approx(found.r, abs=0.03)
    assert len(found.sample) == 2_000


def test_it_is_the_study_occupations():
    """The three systems of the study are three of the solutions: their GSR is that of fairviz.evaluation.gsr."""
    direction = gender_direction(load_embedding("glove"))
    slopes = gsr(gsr_points(fairviz.open_study("occupations"), Settings(), direction=direction)).set_index("system")[
        "slope"
    ]
    found = parity_agreement(direction)
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
