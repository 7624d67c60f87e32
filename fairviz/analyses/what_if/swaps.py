"""The fewest swaps of a list that reach a value of a measure, at a bounded loss of effectiveness."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from fairviz.analyses.what_if.bench import (
    MOST_EXACT,
    Bench,
    bench_of,
    check_judged,
    decompose_order,
    swaps_between,
)
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import chosen_settings
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import LEAST, all_orders, climb
from fairviz.study.record import Study

Array = np.ndarray


@dataclass(frozen=True)
class Swaps:
    """A sequence of swaps of two ranks, from 1, and its effect.

    doc_ids: the list after the swaps. before and after: the measure; effect_before and effect_after: the effectiveness,
    NaN for a query without judgements. reached: whether the measure reaches the target; if not, the swaps come nearest
    to it. exact: whether fewer swaps are impossible; else the search was greedy, and the number is an upper bound.
    """

    measure: str
    effectiveness: str
    target: float
    swaps: tuple[tuple[int, int], ...]
    doc_ids: tuple[str, ...]
    before: float
    after: float
    effect_before: float
    effect_after: float
    reached: bool
    exact: bool


def fewest_swaps(
    study: Study,
    measure: str,
    system: str,
    query: str,
    target: float,
    settings: Settings | None = None,
    *,
    loss: float | None = 0.05,
    effectiveness: str = "nDCG",
    exact: bool | None = None,
    places: AlignedRankings | None = None,
    **choices: object,
) -> Swaps:
    """Return the fewest swaps of two documents of one list after which the measure reaches or passes the target.

    loss: largest allowed loss of effectiveness, as a difference (0.05: from 0.8 to 0.75); None for no bound.
    effectiveness: at the measure's cutoff unless it names another. exact: True tries every order, of 8 documents at
    most, and returns the most effective one with the fewest swaps; False is greedy: each swap is the one that comes
    nearest, and the bound applies after each; None is exact if possible. choices: fields of Settings. Raises UsageError
    for invalid arguments, FairvizError if the measure or a loss is undefined.
    """
    settings = chosen_settings(study, settings, choices)
    bench = bench_of(study, settings, measure, system, query, effectiveness, places)
    return swaps_of(bench, target, loss, exact)


def swaps_of(bench: Bench, target: float, loss: float | None = 0.05, exact: bool | None = None) -> Swaps:
    """Return the fewest swaps for a bench. Raises: see `fewest_swaps`."""
    expect("target", target, Real, "Give the value to reach, such as 0.5.")
    if loss is not None:
        expect("loss", loss, Real, "Use a number of 0 or more, or None for no bound.")
        if not loss >= 0:
            raise UsageError(f"loss is {loss}", "Use a number of 0 or more, or None for no bound.")
    if exact and len(bench) > MOST_EXACT:
        raise UsageError(
            f"the list has {len(bench):,} documents, too many for an exact search",
            f"Leave exact out: lists of up to {MOST_EXACT} are searched exactly, longer ones greedily.",
        )
    if loss is not None:
        check_judged(bench)
    goal = _Goal(bench, float(target), None if loss is None else float(loss))
    is_exact = len(bench) <= MOST_EXACT if exact is None else bool(exact)
    if is_exact:
        return _answer(bench, goal, _search_exactly(bench, goal), exact=True)
    return _answer(bench, goal, climb(bench.unmoved, bench.top, goal.progress_of)[-1], exact=False)


class _Goal:
    """The target and the bound of a search. Raises FairvizError if the measure of the original list is undefined."""

    def __init__(self, bench: Bench, target: float, loss: float | None) -> None:
        self.bench = bench
        start = bench.unmoved[None]
        self.before = float(bench.values(start)[0])
        if np.isnan(self.before) or np.isnan(target):
            raise FairvizError(
                f"{bench.question.text} is undefined for the list of the query {bench.query!r}"
                if np.isnan(self.before)
                else "the target is not a number",
                "Choose another list or measure." if np.isnan(self.before) else "Give the value to reach.",
            )
        self.sign = 1.0 if target >= self.before else -1.0
        self.wanted = self.sign * target - LEAST
        self.least = -np.inf if loss is None else float(bench.effects(start)[0]) - loss - LEAST

    def progress_of(self, orders: Array) -> tuple[Array, Array]:
        """Return each order's progress, capped at the target, and its effectiveness (0 if unknown); -inf outside the
        bound.
        """
        effects = np.nan_to_num(self.bench.effects(orders), nan=0.0)
        along = np.nan_to_num(self.sign * self.bench.values(orders), nan=-np.inf)
        along = np.where(along >= self.wanted, np.inf, along)
        return np.where(effects >= self.least, along, -np.inf), effects


def _search_exactly(bench: Bench, goal: _Goal) -> Array:
    """Return the order that comes nearest with the fewest swaps and then the highest effectiveness; the first of
    ties.
    """
    orders = all_orders(len(bench))
    along, effects = goal.progress_of(orders)
    nearest = np.flatnonzero(along >= along.max() - LEAST)
    swaps = swaps_between(orders[nearest])
    candidates = nearest[swaps == swaps.min()]
    return orders[candidates[np.argmax(effects[candidates] >= effects[candidates].max() - LEAST)]]


def _answer(bench: Bench, goal: _Goal, order: Array, *, exact: bool) -> Swaps:
    orders = np.stack([bench.unmoved, order])
    values, effects = bench.values(orders).tolist(), bench.effects(orders).tolist()
    return Swaps(
        bench.question.text,
        bench.effect.text,
        float(goal.sign * (goal.wanted + LEAST)),
        tuple((first + 1, second + 1) for first, second in decompose_order(order)),
        tuple(bench.names[place] for place in order),
        values[0],
        values[1],
        effects[0],
        effects[1],
        bool(goal.sign * values[1] >= goal.wanted),
        exact,
    )
