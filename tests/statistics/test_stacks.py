"""Families that are tested together are each what they are alone."""

import numpy as np
import pytest

from fairviz.statistics import simultaneous, stacks
from fairviz.statistics.contrasts import Estimates
from fairviz.statistics.families import parse_tests
from fairviz.statistics.simultaneous import compare_blocks, compare_families
from fairviz.statistics.stacks import Block, filled

GENERATOR = np.random.default_rng(11)
ALL = ((0, 1), (0, 2), (1, 2))


def block(systems: int = 3, *, folded: bool = False, logarithm: bool = False, slope: bool = False) -> Block:
    values = GENERATOR.gamma(3.0, size=(systems, 24))
    values[1] = values[0] + 1
    if systems > 3:
        values[2, :5] = np.nan
    x = GENERATOR.normal(size=24) if slope else None
    return Block(Estimates(values, x, logarithm), ALL, folded)


FAMILIES = (
    [block()],
    [block(5), block(slope=True)],
    [],
    [block(folded=True), block(4, folded=True, logarithm=True)],
    [block(), block(5), block(4)],
)


@pytest.mark.parametrize("rows", [1, 8, 64])
@pytest.mark.parametrize("text", ["maxT", "tukey", "holm", "none", "bh(statistic='wilcoxon')"])
def test_families_together_are_what_they_are_alone(monkeypatch: pytest.MonkeyPatch, text: str, rows: int) -> None:
    tests = parse_tests(text)
    alone = [compare_blocks(family, tests, 199, 3) for family in FAMILIES]
    monkeypatch.setattr(stacks, "ROWS", rows)
    together = compare_families(FAMILIES, tests, 199, 3)
    assert [len(family) for family in together] == [len(family) for family in FAMILIES]
    for one, other in ((a, b) for pair in zip(together, alone, strict=True) for a, b in zip(*pair, strict=True)):
        assert one.block is other.block
        for found, expected in zip(answers_of(one), answers_of(other), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def answers_of(tested: simultaneous.Tested) -> list[np.ndarray]:
    return [tested.p, tested.p_corrected, tested.contrast_p, tested.difference, *tested.interval(0.9)]


def test_what_is_tested_as_rows() -> None:
    for held in (block(), block(folded=True), Block(Estimates(np.ones((2, 3))), ())):
        signs = (-1, 1) if held.folded else (-1,)  # all differences, and after them all sums
        assert held.rows.tolist() == [[*pair, sign] for sign in signs for pair in held.pairs]


def test_stacks_are_filled_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "ROWS", 10)
    assert list(filled([4, 6, 1, 30, 2, 2])) == [[0, 1], [2], [3], [4, 5]]
    assert list(filled([])) == []
