"""Ids of judgements as in the runs, and with another case."""

from tests.checks.cases import QUERIES, Case, sound
from tests.made import qrels_of


def triggers() -> Case:
    judged = qrels_of({query: f"{query}FA {query}NA" for query in QUERIES})
    return Case(sound(qrels=judged), says="What does not join counts as missing")


def passes() -> Case:
    return Case(sound())
