"""Blocks of comparisons, and stacks of them that are computed together, which takes less time than one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairviz.statistics.contrasts import (
    Contrasts,
    Estimates,
    Mask,
    contrasts_of,
    masks_of,
    split_contrasts,
)

Array = np.ndarray
ROWS = 64  # systems in a stack; their 10,000 signed sums take 5 MB


@dataclass(frozen=True, eq=False)
class Block:
    """One measure's pairs of systems in a family.

    pairs: places of two systems each. folded: whether the measure is fairest at 0 (or its logarithm is), so that
    distances are compared: the contrasts are then all differences, and after them all sums.
    """

    estimates: Estimates
    pairs: tuple[tuple[int, int], ...]
    folded: bool = False

    @property
    def rows(self) -> Array:
        """What is tested, (C, 3): the places of two systems and the sign of the second."""
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        out = np.full((1 + self.folded, len(pairs), 3), -1)
        out[:, :, :2] = pairs
        out[1:, :, 2] = 1
        return out.reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Stack:
    """Blocks whose systems are laid one below another.

    places: of these blocks among all; counts: how many contrasts each has; queries: how many all have.
    """

    places: tuple[int, ...]
    counts: tuple[int, ...]
    queries: int
    masks: list[Mask]

    @cached_property
    def contrasts(self) -> Contrasts:
        """All contrasts, one block after another."""
        return contrasts_of(self.masks, sum(self.counts))

    def split(self, *columns: Array) -> list[tuple]:
        """Return each block's contrasts, and its part of every column (C,)."""
        ends = np.cumsum(self.counts)[:-1]
        return list(
            zip(
                split_contrasts(self.contrasts, self.counts),
                *(np.split(column, ends) for column in columns),
                strict=True,
            )
        )


def filled(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Yield consecutive places whose sizes add up to ROWS at most, one place at least."""
    held: list[int] = []
    total = 0
    for place, size in enumerate(sizes):
        if held and total + size > ROWS:
            yield held
            held, total = [], 0
        held.append(place)
        total += size
    if held:
        yield held


def stacked(blocks: Sequence[Block]) -> list[Stack]:
    """Return the blocks in stacks: of as many queries, all means or all logarithms of means; slopes alone."""
    groups: dict[tuple[int, bool, int], list[int]] = {}
    for place, block in enumerate(blocks):
        held = block.estimates
        groups.setdefault((held.values.shape[1], held.logarithm, -1 if held.x is None else place), []).append(place)
    return [
        _stack([group[place] for place in places], blocks)
        for group in groups.values()
        for places in filled([len(blocks[place].estimates.values) for place in group])
    ]


def _stack(places: Sequence[int], blocks: Sequence[Block]) -> Stack:
    held = [blocks[place] for place in places]
    values = np.concatenate([block.estimates.values for block in held])
    starts = np.cumsum([0, *(len(block.estimates.values) for block in held)])
    rows = [block.rows + np.array([start, start, 0]) for block, start in zip(held, starts, strict=False)]
    masks = masks_of(replace(held[0].estimates, values=values), np.concatenate(rows))
    return Stack(tuple(places), tuple(map(len, rows)), values.shape[1], masks)


def by_block(stacks: Sequence[Stack], parts: Sequence[Sequence[tuple]]) -> list[tuple]:
    """Return what each stack has of its blocks, in the order of the blocks."""
    found: dict[int, tuple] = {}
    for stack, held in zip(stacks, parts, strict=True):
        found |= dict(zip(stack.places, held, strict=True))
    return [found[place] for place in range(len(found))]
