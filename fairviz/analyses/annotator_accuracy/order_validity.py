"""Kendall's tau between the orders of systems under a machine's and under people's labels."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.annotators.accounts import choice_of
from fairviz.errors import UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.grammar import unfairness
from fairviz.statistics.contrasts import sign_of
from fairviz.statistics.intervals import interval, resampled_means
from fairviz.study.record import Study, is_reference

Array = np.ndarray
DRAWS = 1000
COLUMNS = ("measure", "tau", "low", "high", "systems", "queries")


def order_validity(
    study: Study, machine: str, people: str, measures: Sequence[Question], settings: Settings, *, draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Return Kendall's tau-b between the orders of systems under a machine's and under people's labels.

    A row a measure of labels: measure, tau, low and high (its 95 % interval, percentiles of `draws` bootstraps over
    queries), systems, and queries (those on which every system has a value under both sets of labels and people
    labelled every place). References are left out, and systems that people labelled on half as many queries as another.
    NaN with fewer than three systems or two queries, and where all systems tie. Raises UsageError for a measure without
    labels.
    """
    if without_labels := [
        question.text
        for question in measures
        if question.family != "labels" or (question.measure and not question.measure.per_query)
    ]:
        raise UsageError(f"{without_labels[0]} reads no labels", "Use measures of labels, such as CWEx.")
    systems = tuple(name for name in (settings.systems or study.systems) if not is_reference(name))
    rows = []
    if measures and systems:
        system_settings = settings.changed(systems=systems)
        tables = [
            evaluate(study, list(measures), system_settings.changed(annotator=name)) for name in (machine, people)
        ]
        for question in measures:
            values = []  # (Q, S) each, without queries that have a place without a label
            for scores in tables:
                own = scores[scores["measure"] == question.text].astype({"system": "str", "query_id": "str"})
                own = own.assign(value=own["value"].where(own["labelled"] == own["places"]))
                values.append(own.pivot(index="query_id", columns="system", values="value")[list(systems)])
            rows.append([question.text, *_row(values, question, draws, seed)])
    return pd.DataFrame(rows, columns=list(COLUMNS))


def of_one_family(study: Study, machine: str) -> tuple[str, ...]:
    """Return the systems whose ranker is a language model of the family that labelled: `gpt` of gpt-4o and gpt-4.1.

    Families are the letters at the beginning of the models' names, in the machine's parameters and the systems' names.
    """
    choice = choice_of(study, machine)
    model = re.match(r"[a-z]{3,}", str(choice.values["model"]).rpartition("/")[2].lower()) if choice else None
    pattern = re.compile(rf"(?<![a-z]){re.escape(model[0])}(?![a-z])") if model else None
    return tuple(name for name in study.systems if pattern and pattern.search(name.lower()))


def _row(tables: Sequence[pd.DataFrame], question: Question, draws: int, seed: int) -> list[float]:
    is_defined = (tables[0].notna() & tables[1].notna()).to_numpy()
    is_frequent = is_defined.sum(axis=0) > is_defined.sum(axis=0).max(initial=0) / 2
    is_complete = is_defined[:, is_frequent].all(axis=1)
    machine, people = (table.to_numpy()[is_complete][:, is_frequent] for table in tables)
    queries, systems = machine.shape
    if queries < 2 or systems < 3:
        return [np.nan, np.nan, np.nan, systems, queries]
    taus = _tau(*(unfairness(question, resampled_means(values.T, draws, seed)) for values in (machine, people)))
    value = _tau(*(unfairness(question, values.mean(axis=0)[None]) for values in (machine, people)))[0]
    return [float(value), *(float(end) for end in interval(taus)), systems, queries]


def _tau(first: Array, second: Array) -> Array:
    """Return Kendall's tau-b of each row of two arrays (N, S); NaN where all of a row tie."""
    one, two = np.triu_indices(first.shape[1], k=1)
    x, y = (sign_of(table[:, one] - table[:, two]) for table in (first, second))
    with np.errstate(invalid="ignore"):
        return (x * y).sum(axis=1) / np.sqrt((x != 0).sum(axis=1) * (y != 0).sum(axis=1))
