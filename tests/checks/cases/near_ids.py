"""Ids of judgements as in the runs, and with another case."""

import pandas as pd

from tests.checks.cases import QUERIES, Case, sound
from tests.made import qrels_of


def triggers() -> Case:
    judged = qrels_of({query: f"{query}FA {query}NA" for query in QUERIES})
    return Case(sound(qrels=judged), says="What does not join counts as missing")


def passes() -> Case:
    return Case(sound())


def does_not_apply() -> Case:
    labels = pd.DataFrame({"doc_id": ["a"], "annotator": ["ann"], "label": ["female"]})
    return Case(sound(runs=None, qrels=None, queries=None, labels=labels), says="has no runs")
