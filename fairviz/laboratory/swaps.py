"""The fewest swaps of a list that reach a value of a measure, at a bounded loss of effectiveness."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.given import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.laboratory.bench import (
    LEAST,
    MOST_EXACT,
    Bench,
    all_orders,
    as_swaps,
    bench_of,
    check_judged,
    swaps_between,
    swaps_within,
)
from fairviz.measures.sums import Places
from fairviz.study.study import Study

Array = np.ndarray
MOST_SWAPS = 100


@dataclass(frozen=True)
class Swaps:
    """Swaps of two ranks, counted from 1, one after the other, and what they do.

    doc_ids: the list after them. before and after: the measure; effect_before and effect_after: the effectiveness, NaN
    for a query without judgements. reached: whether the measure is at the target or beyond it, seen from where it was;
    where not, these are the swaps that come nearest. exact: whether no fewer swaps would do (or come as near), else
    they were found greedily, and their number is an upper bound.
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
    places: Places | None = None,
    **choices: object,
) -> Swaps:
    """The fewest swaps of two documents of one list after which the measure is at the target or beyond it.

    loss: how much of the effectiveness may go, as a difference (0.05: from 0.8 to 0.75); None for no bound.
    effectiveness: at the measure's cutoff unless it says otherwise. exact: True looks at every order, of 8 documents at
    most, and of those with the fewest swaps takes the most effective; False is greedy: each swap is the one that comes
    nearest, and the bound holds after each; None is exact where it can be. choices: fields of Settings to change.
    Raises UsageError for what cannot be asked, FairvizError where the measure is undefined, or a loss is.
    """
    settings = chosen_settings(study, settings, choices)
    bench = bench_of(study, settings, measure, system, query, effectiveness, places)
    return swaps_of(bench, target, loss, exact)


def swaps_of(bench: Bench, target: float, loss: float | None = 0.05, exact: bool | None = None) -> Swaps:
    """The same for a list that lies on a bench. Raises as `fewest_swaps`."""
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
    whole = len(bench) <= MOST_EXACT if exact is None else bool(exact)
    return _answer(bench, goal, _exactly(bench, goal) if whole else _greedily(bench, goal), exact=whole)


class _Goal:
    """What is wanted of orders: how near each comes, and whether it may be taken. Raises FairvizError where the
    measure is undefined as the list is."""

    def __init__(self, bench: Bench, target: float, loss: float | None) -> None:
        self.bench = bench
        start = bench.unmoved[None]
        self.before = float(bench.values(start)[0])
        if np.isnan(self.before) or np.isnan(target):
            raise FairvizError(
                f"{bench.question.text} is undefined for the list of the query {bench.query!r}"
                if np.isnan(self.before)
                else "the target is no number",
                "Choose another list or measure." if np.isnan(self.before) else "Give the value to reach.",
            )
        self.sign = 1.0 if target >= self.before else -1.0
        self.wanted = self.sign * target - LEAST
        self.least = -np.inf if loss is None else float(bench.effects(start)[0]) - loss - LEAST

    def near(self, orders: Array) -> tuple[Array, Array]:
        """How far along each order is, capped at the target, and its effectiveness (0 where it is unknown); -inf for
        what may not be taken."""
        effects = np.nan_to_num(self.bench.effects(orders), nan=0.0)
        along = np.nan_to_num(self.sign * self.bench.values(orders), nan=-np.inf)
        along = np.where(along >= self.wanted, np.inf, along)
        return np.where(effects >= self.least, along, -np.inf), effects


def _exactly(bench: Bench, goal: _Goal) -> Array:
    """Of all orders one that comes nearest with the fewest swaps, and of these the most effective; the first of equal
    ones."""
    orders = all_orders(len(bench))
    along, effects = goal.near(orders)
    nearest = np.flatnonzero(along >= along.max() - LEAST)
    swaps = swaps_between(orders[nearest])
    few = nearest[swaps == swaps.min()]
    return orders[few[np.argmax(effects[few] >= effects[few].max() - LEAST)]]


def _greedily(bench: Bench, goal: _Goal) -> Array:
    """Swap after swap, each the one that comes nearest, of equal ones the most effective, until none comes nearer."""
    order, now = bench.unmoved, goal.near(bench.unmoved[None])[0][0]
    for _ in range(MOST_SWAPS):
        if np.isposinf(now) or len(order) < 2:
            break
        orders, _ = swaps_within(order, bench.top)
        along, effects = goal.near(orders)
        if not along.max() > now + LEAST:
            break
        nearest = np.flatnonzero(along >= along.max() - LEAST)
        best = nearest[np.argmax(effects[nearest] >= effects[nearest].max() - LEAST)]
        order, now = orders[best], along[best]
    return order


def _answer(bench: Bench, goal: _Goal, order: Array, *, exact: bool) -> Swaps:
    both = np.stack([bench.unmoved, order])
    values, effects = bench.values(both).tolist(), bench.effects(both).tolist()
    return Swaps(
        bench.question.text,
        bench.effect.text,
        float(goal.sign * (goal.wanted + LEAST)),
        tuple((first + 1, second + 1) for first, second in as_swaps(order)),
        tuple(bench.names[place] for place in order),
        values[0],
        values[1],
        effects[0],
        effects[1],
        bool(goal.sign * values[1] >= goal.wanted),
        exact,
    )
