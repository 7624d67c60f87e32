"""Corrected means with their sample, their order of systems, and the width of intervals over the number of labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.correction.corrected import Correction, correctable, corrected, correction, half_widths
from fairviz.correction.sampling import attention_of, is_linear, label_values
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.grammar import unfairness
from fairviz.statistics.corrected import expected_error, probabilities
from fairviz.study.record import Study

Array = np.ndarray
POINTS = 12  # of a curve
CURVE_COLUMNS = ("design", "labels", "half_width")


@dataclass(frozen=True, eq=False)
class Corrections:
    """The corrected means of a page.

    table: of `fairviz.corrected`. text: whose labels correct whose, of which sample. machine, people: annotators.
    no_tests: why no verdict is possible, empty where one is. labels: the number of documents in the sample.
    """

    table: pd.DataFrame
    text: str
    machine: str
    people: str
    target: str
    no_tests: str
    labels: int


def corrections(study: Study, settings: Settings, measures: Sequence[Question], against: str = "") -> Corrections:
    """Return the corrected means, or differences from a system. Raises: see `fairviz.corrected`."""
    problem = correction(study, (), settings)
    table = corrected(study, correctable(measures, problem.sample), settings, sample=problem.sample, against=against)
    return Corrections(
        table, problem.text, problem.settings.annotator, problem.people, problem.target, problem.no_tests,
        len(problem.sample.documents),
    )  # fmt: skip


def order_of(table: pd.DataFrame, question: Question) -> pd.DataFrame:
    """Return the systems of one measure with the machine's bias, and their ranks before and after, 1 for the fairest.

    Returns system, machine, corrected, bias (machine − corrected), rank_machine and rank_corrected.
    """
    rows = table[table["measure"] == question.text].rename(columns={"value": "corrected"})
    out = rows[["system", "machine", "corrected"]].reset_index(drop=True)
    out["bias"] = out["machine"] - out["corrected"]
    for name in ("machine", "corrected"):
        out[f"rank_{name}"] = pd.Series(unfairness(question, out[name].to_numpy())).rank(method="min")
    return out


def width_curves(study: Study, settings: Settings, question: Question, system: str) -> pd.DataFrame:
    """Return CURVE_COLUMNS: about half the width of the interval with this many labelled documents, by design.

    The design of the sample, and from a sample of queries also that of documents, where the measure allows it, for
    these queries alone. Raises: see `fairviz.corrected`.
    """
    problem = correction(study, [question], settings)
    table = corrected(study, question, settings, sample=problem.sample, target=problem.target)
    row = {str(name): value for name, value in table[table["system"] == system].iloc[0].items()}
    most = round(row["frame"] * problem.labels_each)
    labels = np.unique(np.geomspace(max(2 * problem.labels_each, 10), max(most, 11), POINTS).round())
    own = half_widths(row, labels / problem.labels_each)
    curves = [pd.DataFrame({"design": problem.sample.design, "labels": labels, "half_width": own})]
    if problem.sample.design == "queries" and is_linear(question):
        curves.append(_by_documents(problem, question, system, row["weight"]))
    return pd.concat(curves, ignore_index=True)[list(CURVE_COLUMNS)]


def _by_documents(problem: Correction, question: Question, system: str, weight: float) -> pd.DataFrame:
    """Return the curve that drawn documents would have, from the labels of drawn queries."""
    rankings, measure = problem.rankings, question.measure
    attention = attention_of(problem.study, problem.settings, question, rankings)
    weights = attention.weights([problem.systems.index(system)], len(rankings.lists.doc_ids))[0]
    largest_weights = attention.weights(range(len(problem.systems)), len(weights)).max(axis=0)
    codes = (rankings.labels.codes, problem.people_rankings.labels.codes)
    if measure is None or (codes[0][largest_weights > 0] < 0).any():
        return pd.DataFrame(columns=list(CURVE_COLUMNS))
    values = label_values(measure, question.parameters, rankings)
    drawn_documents = attention.documents[:, problem.is_drawn]
    labelled = np.unique(drawn_documents[attention.share[:, problem.is_drawn] > 0])
    gaps = weights[labelled] * (values[codes[1][labelled]] - weight * values[codes[0][labelled]])
    frame = np.flatnonzero(largest_weights > 0)
    budgets = np.unique(np.geomspace(10, len(frame), POINTS).round()).astype(int)
    widths = []
    for budget in budgets:
        chances = np.zeros(len(weights))
        chances[frame] = probabilities(largest_weights[frame], np.ones(len(frame)), int(budget))
        widths.append(1.96 * expected_error(gaps, chances[labelled], len(frame) / max(len(labelled), 1)))
    return pd.DataFrame({"design": "documents", "labels": budgets.astype(float), "half_width": widths})
