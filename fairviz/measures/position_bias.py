"""Position bias: the attention that each rank receives.

Every position bias is a mixture of a few curves that do not depend on the cutoff, so that a sum over ranks for every
cutoff is a handful of running sums: p_k(i) = sum over b of mix[k, b] * curves[b, i].
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fairviz import declared
from fairviz.errors import UsageError
from fairviz.installed import read_only
from fairviz.words.sentences import shortest

Array = np.ndarray
MAX_CUTOFF = declared.MAX_CUTOFF


@dataclass(frozen=True)
class PositionBias:
    """A position bias over ranks 1..K.

    `curves` (B, K) and `mix` (K, B): the weight of rank i at cutoff k is `mix[k - 1] @ curves[:, i - 1]`. `name` is
    the canonical text, such as `rbp(p=0.8)`. `falling`: whether no rank weighs more than the one above it.
    `together`: the other position biases of the question; sums over ranks are computed for all of them in one pass.
    """

    name: str
    curves: Array
    mix: Array
    falling: bool = True
    together: tuple["PositionBias", ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "curves", read_only(self.curves))
        object.__setattr__(self, "mix", read_only(self.mix))

    def weights(self, k: int) -> Array:
        """Return p(1) … p(k) at cutoff k, shape (k,)."""
        k = min(k, self.curves.shape[1])
        return self.mix[k - 1] @ self.curves[:, :k]


@dataclass(frozen=True)
class BiasFunction:
    """An entry of ATTENTION: `curve` maps ranks (K,) as floats, and the parameter, to the weights (K,)."""

    name: str
    formula: str
    summary: str
    curve: Callable[[Array, float], Array]
    parameter: str | None = None
    default: float = 0.0
    low: float = 0.0
    high: float = 1.0


ATTENTION: dict[str, BiasFunction] = {
    function.name: function
    for function in (
        BiasFunction(
            "log2", r"1/\log_2(1+i)", "as DCG discounts; what all five papers use", lambda i, _: 1 / np.log2(1 + i)
        ),
        BiasFunction("reciprocal", r"1/i", "falls fast: rank 2 gets half of rank 1", lambda i, _: 1 / i),
        BiasFunction(
            "rbp", r"p^{\,i-1}", "a reader continues to the next rank with probability p",
            lambda i, p: p ** (i - 1), "p", 0.8, 0.01, 0.99,
        ),
        BiasFunction(
            "linear", r"1-(i-1)/k", "falls evenly and reaches 1/k at the cutoff", lambda i, _: np.ones_like(i)
        ),
        BiasFunction("uniform", r"1", "every rank down to the cutoff counts equally", lambda i, _: np.ones_like(i)),
    )
}  # fmt: skip

_GRAMMAR = re.compile(r"^\s*([a-z0-9]+)\s*(?:\(\s*(?:p\s*=\s*)?([0-9.eE+-]+)\s*\))?\s*$")


def position_bias(text: str, depth: int, custom: Array | None = None) -> PositionBias:
    """Return the position bias named by `text` over ranks 1..depth.

    `log2`, `reciprocal`, `rbp(p=0.8)` (also `rbp(0.8)` and `rbp`), `linear`, `uniform`; or `custom`, whose weights
    by rank (at least one, none negative, not all 0) are `custom`, and 0 beyond its last rank.
    Raises UsageError for anything else.
    """
    ranks = np.arange(1, max(depth, 1) + 1, dtype=np.float64)
    unit_mix = np.ones((len(ranks), 1))
    if text == "custom":
        return _custom(custom, ranks, unit_mix)
    name, parameter = parse_position_bias(text)
    function = ATTENTION[name]
    if name == "linear":
        mix = np.stack([np.ones_like(ranks), -1 / ranks], axis=1)
        return PositionBias(name, np.stack([np.ones_like(ranks), ranks - 1]), mix)
    canonical = name if function.parameter is None else f"{name}({function.parameter}={shortest(parameter)})"
    return PositionBias(canonical, function.curve(ranks, parameter)[None], unit_mix)


def _custom(weights: Array | None, ranks: Array, unit_mix: Array) -> PositionBias:
    """Return the position bias of these weights by rank, 0 beyond the last. Raises UsageError for invalid ones."""
    if weights is None or not len(weights):
        raise UsageError("the custom position bias has no weights", "Give a table with the columns rank and weight.")
    weights = np.asarray(weights, dtype=np.float64)
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise UsageError("a custom position bias holds weights of 0 or more, at least one above 0")
    common_depth = min(len(ranks), len(weights))
    curve = np.zeros_like(ranks)
    curve[:common_depth] = weights[:common_depth]
    falling = bool((np.diff(curve) <= 0).all())
    return PositionBias("custom", curve[None], unit_mix, falling)


def parse_position_bias(text: str) -> tuple[str, float]:
    """Return `rbp(p=0.8)` as ("rbp", 0.8); 0.0 for a function without a parameter. Raises UsageError."""
    match = _GRAMMAR.match(text)
    function = ATTENTION.get(match[1]) if match else None
    if match is None or function is None:
        raise UsageError(
            f"unknown position bias {text!r}",
            "Use log2, reciprocal, rbp(p=0.8), linear, uniform, or a file of weights.",
        )
    if function.parameter is None:
        if match[2] is not None:
            raise UsageError(f"the position bias {function.name} takes no parameter, got {text!r}")
        return function.name, 0.0
    try:
        value = function.default if match[2] is None else float(match[2])
    except ValueError as error:
        raise UsageError(f"{match[2]!r} is not a number in the position bias {text!r}") from error
    if not function.low <= value <= function.high:
        raise UsageError(f"the position bias {text!r} takes p from {function.low:g} to {function.high:g}")
    return function.name, value


def counting(depth: int) -> PositionBias:
    """Return the position bias for counting: 1 at every rank."""
    return PositionBias("uniform", np.ones((1, depth)), np.ones((depth, 1)))


def running_sums(values: Array, bias: PositionBias, cutoffs: Array) -> Array:
    """Return the sum over ranks 1..k of values(i) * p_k(i) for ascending cutoffs: (K, …) to (C, …).

    One pass over the values for any number of cutoffs: the ranks between two cutoffs are one product.
    """
    depth, other_axes = len(values), values.shape[1:]
    flat = values.reshape(depth, -1)  # (K, N)
    curves = bias.curves.astype(values.dtype)  # (B, K)
    running = np.zeros((len(curves), flat.shape[1]))  # (B, N)
    sums = np.empty((len(cutoffs), flat.shape[1]), dtype=values.dtype)
    start = 0
    for row, cutoff in enumerate(cutoffs):
        stop = min(int(cutoff), depth)
        if stop > start:
            running += curves[:, start:stop] @ flat[start:stop]
            start = stop
        if len(running) == 1:
            np.multiply(running[0], bias.mix[cutoff - 1, 0], out=sums[row], casting="same_kind")
        else:
            sums[row] = bias.mix[cutoff - 1] @ running
    return sums.reshape(len(cutoffs), *other_axes)
