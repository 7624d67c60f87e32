"""Numbers of queries, and of those with a value."""

import fairviz
from fairviz.evaluation.settings import Settings
from tests.checks.cases import LISTS, Case, sound
from tests.made import runs_of


def triggers() -> Case:
    return Case(fairviz.open_study("football"), says="There is 1 query")


def triggers_by_a_filter() -> Case:
    study = sound()
    queries = study.queries.assign(topic=["sport"] * 3 + ["news"] * 9)
    return Case(sound(queries=queries), Settings(filter_column="topic", filter_values=("news",)), "There are 9 queries")


def triggers_by_undefined_ones() -> Case:
    lists = {key: list_ for key, list_ in LISTS.items() if key not in [("right", f"q0{place}") for place in range(3)]}
    return Case(sound(runs=runs_of(lists)), says="for 3 of 12 queries in right and for 0 in left")


def passes() -> Case:
    return Case(sound())
