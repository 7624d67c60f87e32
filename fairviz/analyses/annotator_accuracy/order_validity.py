"""How far the order of systems under a machine's labels is that under people's, and what both labelled."""

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from fairviz.annotation.annotators.accounts import choice_of
from fairviz.errors import UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.grammar import unfairness
from fairviz.statistics.intervals import interval, resampled_means
from fairviz.statistics.orders import ap_correlation, kendall_tau, top_tau
from fairviz.study.record import Study, is_reference

DRAWS = 1000
TOP = 3  # systems of top_tau
ORDERS = ("tau", "tau_ap", "tau_top")
COLUMNS = (
    "measure", *(name + end for name in ORDERS for end in ("", "_low", "_high")), "systems", "queries", "queries_all",
    "labelled", "labelled_people",
)  # fmt: skip


def order_validity(
    study: Study, machine: str, people: str, measures: Sequence[Question], settings: Settings, *, draws: int = DRAWS,
    seed: int = 0, top: int = TOP,
) -> pd.DataFrame:  # fmt: skip
    """Return how far the order of systems under a machine's labels is that under people's.

    A row a measure of labels: measure; tau (Kendall's tau-b), tau_ap (the AP correlation, to which the first places
    count most) and tau_top (of the first `top` places; see `fairviz.statistics.orders`), each with _low and _high, its
    95 % interval (percentiles of `draws` bootstraps over queries); systems, and queries (those on which every system
    has a value under both sets of labels and people labelled every place). Coverage is apart from order: queries_all,
    and labelled and labelled_people, the shares of places with a label.

    References are left out, and systems that people labelled on half as many queries as another. NaN with fewer than
    three systems or two queries, and where all systems tie. Raises UsageError for a measure without labels.
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
            rows.append([question.text, *_row(values, question, draws, seed, top), *_coverage(tables, question)])
    return pd.DataFrame(rows, columns=list(COLUMNS))


def of_one_family(study: Study, machine: str) -> tuple[str, ...]:
    """Return the systems whose ranker is a language model of the family that labelled: `gpt` of gpt-4o and gpt-4.1.

    Families are the letters at the beginning of the models' names, in the machine's parameters and the systems' names.
    """
    choice = choice_of(study, machine)
    model = re.match(r"[a-z]{3,}", str(choice.values["model"]).rpartition("/")[2].lower()) if choice else None
    pattern = re.compile(rf"(?<![a-z]){re.escape(model[0])}(?![a-z])") if model else None
    return tuple(name for name in study.systems if pattern and pattern.search(name.lower()))


def _coverage(tables: Sequence[pd.DataFrame], question: Question) -> list[float]:
    """Return the number of queries, and the share of places with a label, by the machine and by people."""
    own = [scores[scores["measure"] == question.text] for scores in tables]
    places = float(own[0]["places"].sum())
    shares = [float(scores["labelled"].sum()) / places if places else np.nan for scores in own]
    return [own[0]["query_id"].nunique(), *shares]


def _row(tables: Sequence[pd.DataFrame], question: Question, draws: int, seed: int, top: int) -> list[float]:
    is_defined = (tables[0].notna() & tables[1].notna()).to_numpy()
    is_frequent = is_defined.sum(axis=0) > is_defined.sum(axis=0).max(initial=0) / 2
    is_complete = is_defined[:, is_frequent].all(axis=1)
    machine, people = (table.to_numpy()[is_complete][:, is_frequent] for table in tables)
    queries, systems = machine.shape
    if queries < 2 or systems < 3:
        return [*[np.nan] * 3 * len(ORDERS), systems, queries]
    drawn = [unfairness(question, resampled_means(values.T, draws, seed)) for values in (machine, people)]
    means = [unfairness(question, values.mean(axis=0)[None]) for values in (machine, people)]
    row: list[float] = []
    for agreement in (kendall_tau, ap_correlation, partial(top_tau, top=top)):
        row += [float(agreement(*means)[0]), *(float(end) for end in interval(agreement(*drawn)))]
    return [*row, systems, queries]
