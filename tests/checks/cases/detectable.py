"""Differences that the study can show, and differences that it cannot."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LISTS, QUERIES, Case, sound
from tests.made import runs_of

FORWARD, BACK = "fa ma na fb mb nb", "ma fa na fb mb nb"


def _orders(left: list[str], right: list[str]) -> Case:
    lists = {
        (system, query): [f"{query}{document}" for document in order.split()]
        for system, orders in {"left": left, "right": right}.items()
        for query, order in zip(QUERIES, orders, strict=True)
    }
    return Case(sound(runs=runs_of(lists)), Settings(cutoff=3))


def triggers() -> Case:
    """Nine queries differ one way, and three the other, so that nothing is significant."""
    mixed = [FORWARD if place % 2 else BACK for place in range(len(QUERIES))]
    swapped = [BACK if place in (1, 2, 3, 5, 6, 8, 11) else FORWARD for place in range(len(QUERIES))]
    return _orders(mixed, swapped)._replace(says="No pair differs significantly in")


def passes() -> Case:
    """Every query has the same difference."""
    return Case(sound(runs=runs_of(LISTS)), Settings(cutoff=2))
