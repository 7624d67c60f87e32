"""The Pareto front of one list: its reorderings that are not dominated in fairness and effectiveness."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.analyses.what_if.bench import MOST_EXACT, Bench, bench_of, check_judged, swaps_between
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import chosen_settings
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import LEAST, all_orders, climb
from fairviz.study.record import Study

Array = np.ndarray
LOSSES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0)  # of the most effective order, for a greedy search


@dataclass(frozen=True, eq=False)
class Front:
    """Reorderings of a list that are not dominated, the fairest last.

    table: value (of the measure), effectiveness, swaps (the smallest number from the original list). orders: the
    documents of each row, best first. value and effect: of the original list. exact: whether every order was evaluated;
    else the search was greedy, and better orders may exist.
    """

    measure: str
    effectiveness: str
    table: pd.DataFrame
    orders: tuple[tuple[str, ...], ...]
    value: float
    effect: float
    exact: bool


def pareto_front(
    study: Study,
    measure: str,
    system: str,
    query: str,
    settings: Settings | None = None,
    *,
    effectiveness: str = "nDCG",
    places: AlignedRankings | None = None,
    **choices: object,
) -> Front:
    """Return the reorderings of one list that are not dominated in the measure and the effectiveness.

    Lists of up to 8 documents are searched exhaustively. Longer ones are searched greedily by swaps: from the original
    list and from its most effective order, towards fairness at each of nine losses of effectiveness. Of orders with
    equal values, the one with the fewest swaps is returned. For a measure that only describes, higher values are
    preferred. choices: fields of Settings. Raises: see `fewest_swaps`.
    """
    settings = chosen_settings(study, settings, choices)
    return front_of(bench_of(study, settings, measure, system, query, effectiveness, places))


def front_of(bench: Bench) -> Front:
    """Return the Pareto front of a bench. Raises: see `pareto_front`."""
    check_judged(bench)
    start = bench.unmoved[None]
    if np.isnan(bench.values(start)[0]):
        raise FairvizError(
            f"{bench.question.text} is undefined for the list of the query {bench.query!r}",
            "Choose another list or measure.",
        )
    exact = len(bench) <= MOST_EXACT
    orders = all_orders(len(bench)) if exact else _search_orders(bench)
    fairness, effects = bench.fairness(orders), bench.effects(orders)
    rows = unbeaten(fairness, effects, swaps_between(orders))
    table = pd.DataFrame(
        {
            "value": bench.values(orders[rows]),
            "effectiveness": effects[rows],
            "swaps": swaps_between(orders[rows]).astype(np.int64),
        }
    )
    names = bench.names
    return Front(
        bench.question.text,
        bench.effect.text,
        table,
        tuple(tuple(names[place] for place in order) for order in orders[rows].tolist()),
        float(bench.values(start)[0]),
        float(bench.effects(start)[0]),
        exact,
    )


def unbeaten(fairness: Array, effects: Array, swaps: Array) -> Array:
    """Return the rows that are not dominated, the fairest last; of equal ones that with the fewest swaps, (F,).

    Values are compared to twelve decimals; rows whose fairness is NaN are left out.

    >>> unbeaten(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.9, 0.5, 0.5, 0.4]), np.array([0, 2, 1, 3])).tolist()
    [0, 2, 3]
    """
    rows = np.flatnonzero(~np.isnan(fairness))
    fair, effect = fairness[rows].round(12), effects[rows].round(12)
    order = np.lexsort((swaps[rows], -effect, -fair))  # the fairest first, of these the most effective
    best = np.maximum.accumulate(np.concatenate([[-np.inf], effect[order][:-1]]))
    return rows[order[effect[order] > best]][::-1]


def _search_orders(bench: Bench) -> Array:
    """Return every order on the greedy paths to fairness, (X, N)."""
    best = _climb(bench, bench.unmoved, "effects", -np.inf)
    ways = [*best]
    highest = float(bench.effects(best[-1][None])[0])
    for loss in LOSSES:
        for start in (bench.unmoved, best[-1]):
            if bench.effects(start[None])[0] >= highest - loss - LEAST:
                ways += _climb(bench, start, "fairness", highest - loss)
    ways += _climb(bench, bench.unmoved, "fairness", float(bench.effects(bench.unmoved[None])[0]))
    return np.unique(np.stack(ways), axis=0)


def _climb(bench: Bench, start: Array, quantity: str, least: float) -> list[Array]:
    """Return the orders on a path of improving swaps whose effectiveness is at least `least`."""
    measure = bench.effects if quantity == "effects" else bench.fairness

    def progress(orders: Array) -> tuple[Array, Array]:
        effects = bench.effects(orders)
        return np.where(effects >= least - LEAST, np.nan_to_num(measure(orders), nan=-np.inf), -np.inf), effects

    return [start] if np.isnan(measure(start[None])[0]) else climb(start, bench.top, progress)
