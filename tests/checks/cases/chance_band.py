"""Lists like those of a random order, and lists that no random order gives."""

from tests.checks.cases import QUERIES, Case, sound
from tests.made import runs_of


def _both(left: str, right: str) -> Case:
    orders = {"left": left.split(), "right": right.split()}
    lists = {(name, query): [query + each for each in order] for query in QUERIES for name, order in orders.items()}
    return Case(sound(runs=runs_of(lists), documents=None))


def triggers() -> Case:
    case = _both("fa ma na fb mb nb", "na ma fa fb nb mb")
    return case._replace(settings=case.settings.changed(cutoff=5), says="95 of 100 random orders of the same")


def passes() -> Case:
    """Every list begins with all documents of one gender."""
    case = _both("fa fb na nb ma mb", "fb fa nb na mb ma")
    return case._replace(settings=case.settings.changed(cutoff=3))
