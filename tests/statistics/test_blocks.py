"""Families that are tested together are each what they are alone."""

import numpy as np
import pytest

from fairviz.statistics import contrasts, references, simultaneous
from fairviz.statistics.contrasts import Block, Estimates, Mixture
from fairviz.statistics.families import parse_tests
from fairviz.statistics.simultaneous import compare_blocks

GENERATOR = np.random.default_rng(11)
FAMILIES = ([(0, 1), (0, 2), (1, 2)], [(0, 3)], [(0, 1), (1, 2), (2, 3), (3, 0)], [(1, 2)])
SYSTEMS, QUERIES = 4, 24
KINDS = [{}, {"folded": True}, {"folded": True, "logarithm": True}]


def values_of(family: int) -> np.ndarray:
    """Values of one family's systems: two that are always as far apart, and one that lacks queries."""
    values = GENERATOR.gamma(3.0, size=(SYSTEMS, QUERIES)) + 0.3 * np.arange(SYSTEMS)[:, None]
    values[1] = values[0] + (family > 0)
    if family == 2:
        values[3, :5] = np.nan
    return values


VALUES = [values_of(family) for family in range(len(FAMILIES))]
X = GENERATOR.normal(size=QUERIES)


def alone(family: int, *, folded: bool = False, logarithm: bool = False, x: np.ndarray | None = None) -> Block:
    return Block(Estimates(VALUES[family], x, logarithm), FAMILIES[family], folded)


def together(*, folded: bool = False, logarithm: bool = False, x: np.ndarray | None = None) -> Block:
    numbers = np.repeat(np.arange(len(FAMILIES)), list(map(len, FAMILIES)))
    pairs = np.concatenate(FAMILIES) + SYSTEMS * numbers[:, None]
    return Block(Estimates(np.concatenate(VALUES), x, logarithm), pairs, folded, numbers)


@pytest.mark.parametrize("rows", [1, 8])
@pytest.mark.parametrize("kind", [*KINDS, {"x": X}], ids=str)
@pytest.mark.parametrize("text", ["maxT", "tukey", "holm", "bonferroni", "none", "bh(statistic='wilcoxon')"])
def test_families_together_are_what_they_are_alone(
    monkeypatch: pytest.MonkeyPatch, text: str, kind: dict, rows: int
) -> None:
    tests = parse_tests(text)
    expected = [compare_blocks([alone(family, **kind)], tests, 199, 3)[0] for family in range(len(FAMILIES))]
    monkeypatch.setattr(contrasts, "ROWS", rows)
    monkeypatch.setattr(references, "TOGETHER", 2)
    (found,) = compare_blocks([together(**kind)], tests, 199, 3)
    for column, parts in zip(answers_of(found), zip(*map(answers_of, expected), strict=True), strict=True):
        np.testing.assert_allclose(column, np.concatenate(parts), rtol=1e-10, atol=1e-12)


def answers_of(tested: simultaneous.Tested) -> list[np.ndarray]:
    """What each pair has."""
    margin = np.full(len(tested.block.pairs), 0.8)
    return [tested.p, tested.p_corrected, tested.difference, *tested.interval(0.9), tested.equivalence(margin),
            tested.minimum_detectable(0.05, 0.8)]  # fmt: skip


def test_families_reach_over_blocks() -> None:
    """Two blocks of two families each: a family is what it is of both blocks' pairs."""
    numbers = np.array([0, 0, 1])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    estimates = [Estimates(VALUES[family]) for family in (0, 3)]
    found = compare_blocks([Block(held, pairs, families=numbers) for held in estimates], parse_tests("maxT"), 199)
    for family in (0, 1):
        expected = compare_blocks(
            [Block(held, pairs[numbers == family]) for held in estimates], parse_tests("maxT"), 199
        )
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.p_corrected[numbers == family], other.p_corrected)


@pytest.mark.parametrize("undefined", [False, True])
def test_draws_of_parts_are_those_of_their_mixtures(undefined: bool) -> None:
    parts = GENERATOR.normal(size=(2, SYSTEMS, QUERIES))
    if undefined:
        parts[:, 1, :4] = np.nan
    shares = np.array([0.0, 0.3, 1.0])
    values = np.concatenate([share * parts[0] - (1 - share) * parts[1] for share in shares])
    systems = np.eye(SYSTEMS)
    weights = np.concatenate([np.hstack([share * systems, -(1 - share) * systems]) for share in shares])
    numbers = np.repeat(np.arange(3), 3)
    pairs = np.array([(0, 1), (0, 2), (1, 3)] * 3) + SYSTEMS * numbers[:, None]
    found, expected = (
        compare_blocks([Block(Estimates(values, mixture=mixture), pairs, families=numbers)], parse_tests("maxT"), 199)[
            0
        ]
        for mixture in (Mixture(weights, np.concatenate(parts)), None)
    )
    for one, other in zip(answers_of(found), answers_of(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
