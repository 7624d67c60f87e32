"""Means of measures from a machine's labels, corrected by people's labels of a sample that was drawn at random."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.forms.database import Sample
from fairviz.annotation.voters import labels_of
from fairviz.correction.correction import LIKE_THESE, THESE, correction
from fairviz.correction.sampling import of_labels
from fairviz.errors import UsageError, expect, use_one_of
from fairviz.evaluation.questions import questions_of
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import check_level, chosen_settings, measures_of
from fairviz.measures import Question
from fairviz.statistics.corrected import SKEW
from fairviz.study.record import Study

Array = np.ndarray
COLUMNS = [
    *("system", "measure", "machine", "people", "people_low", "people_high", "value", "ci_low", "ci_high"),
    *("labels_error", "queries_error", "weight", "drawn", "frame", "design", "target"),
]


def corrected(
    study: Study,
    measures: str | Question | Sequence[str | Question],
    settings: Settings | None = None,
    *,
    sample: Sample | None = None,
    against: str = "",
    target: str = "",
    level: float = 0.95,
    **choices: object,
) -> pd.DataFrame:
    """Return the means of measures under people's labels, from a machine's labels of all and people's of a sample.

    No row is a verdict. The estimator is in `fairviz.statistics.corrected`.

    Parameters
    ----------
    study : Study
        Of S systems, with labels by the machine and by people.
    measures : str, Question or sequence of these
        M measures of labels.
    settings : Settings, optional
        The choices behind the values, among them annotator, the machine (default: that of the sample), and
        corrected_by, the annotator or consensus with people's labels.
    sample : Sample, optional
        From `fairviz.draw_sample`; by default the newest of queries, else of documents, of the study's forms that
        corrected_by has labelled whole.
    against : str
        A system, for the differences of the others from it.
    target : {'', 'queries like these', 'these queries'}
        By default the former for drawn queries; the latter needs ten of them, and allows no verdict. Drawn
        documents have the latter alone.
    level : float
        Of the intervals, between 0 and 1.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S · M rows: system, measure, machine (the mean with its labels), people, people_low and people_high (people
        alone), value, ci_low and ci_high (corrected), labels_error and queries_error (the two parts of the standard
        error), weight (of the machine, 0 to 1), drawn and frame (numbers of queries or documents), design and target.

    Raises
    ------
    UsageError
        For a measure or target that does not fit.
    FairvizError
        If no sample was drawn, or people left a part of it unlabelled.

    Examples
    --------
    >>> import fairviz
    >>> study = fairviz.open_study("newswire")
    >>> sample = fairviz.draw_sample(study, "queries", "CWEx@10", 600, annotator="lexicon")
    >>> table = corrected(study, "CWEx@10", sample=sample, corrected_by="project")
    >>> bool((table["ci_low"] < table["value"]).all())
    True
    """
    settings = chosen_settings(study, settings, choices)
    check_level(level)
    expect("against", against, str, "Give the name of a system, as text.")
    expect("target", target, str, f"Use {THESE!r} or {LIKE_THESE!r}.")
    expect("sample", sample, (Sample, type(None)), "Give what fairviz.draw_sample returns, or leave it out.")
    problem = correction(study, measures, settings, sample, target)
    if against and against not in problem.systems:
        raise UsageError(f"the sample was not drawn for {against!r}", use_one_of(problem.systems, against))
    rows = [row for question in problem.questions for row in problem.rows(question, against, level)]
    return pd.DataFrame(rows, columns=COLUMNS)


def corrected_scores(
    study: Study, measures: Sequence[str | Question], settings: Settings, *, sample: Sample | None = None,
    level: float = 0.95,
) -> pd.DataFrame:  # fmt: skip
    """Return scores as `evaluate` does, in which measures of labels are corrected for queries like these.

    A value of such a measure is no longer that of its query: it is what the query adds to the corrected mean, so that
    means, intervals and paired tests are those of the correction. Raises: see `corrected`; UsageError for a sample of
    documents or of fewer than FEWEST_TESTED queries, which allow no test.
    """
    questions = questions_of(measures_of(measures), settings)
    corrigible = labels_among(questions)
    problem = correction(study, corrigible, settings, sample)
    problem.refuse_tests()
    scores = evaluate(study, questions, problem.shown_settings)
    rows = [problem.systems.index(name) for name in problem.shown]
    for question in corrigible:
        values = problem.means(question, True, level).values[rows]
        scores.loc[scores["measure"] == question.text, "value"] = values.ravel()
    return scores


def labels_among(questions: Sequence[Question]) -> list[Question]:
    """Return the questions of labels. Raises UsageError without any: nothing could be corrected."""
    label_questions = of_labels(questions)
    if not label_questions:
        raise UsageError(
            "no measure reads labels, so there is nothing to correct", "Add CWEx, or leave out corrected_by."
        )
    return label_questions


def scores_under(
    study: Study, measures: Sequence[str | Question], settings: Settings, *, level: float = 0.95
) -> pd.DataFrame:
    """Return the scores that tests and means are of: measures of labels corrected where the settings name people."""
    if settings.corrected_by and of_labels(questions_of(measures_of(measures), settings)):
        return corrected_scores(study, measures, settings, level=level)
    return evaluate(study, measures, settings)


def half_widths(row: Mapping[str, Any], counts: Array, level: float = 0.95) -> Array:
    """Return about half the width of a row's interval had this many queries, or documents, been drawn: (N,).

    row: of `corrected`. The part of the error from drawing shrinks as 1/drawn − 1/frame; that of the queries stays.
    """
    from scipy.special import stdtrit

    number = np.clip(np.asarray(counts, dtype=np.float64), 2, row["frame"])
    now = 1 / row["drawn"] - 1 / row["frame"]
    ratio = (1 / number - 1 / row["frame"]) / now if now > 0 else np.ones(len(number))
    error = np.sqrt(row["labels_error"] ** 2 * ratio + row["queries_error"] ** 2)
    if row["design"] == "queries" and row["target"] == THESE:
        error *= 1 + SKEW / number
    return stdtrit(number - 1, (1 + level) / 2) * error


def now_and_with_more(study: Study, sample: Sample, name: str, more: int, voters: Sequence[str] = ()) -> str:
    """Return the first system's interval with this annotator's labels, and about its width with more of them.

    Empty where the annotator has not labelled the whole sample.
    """
    if not set(sample.documents) <= set(labels_of(study, name, voters)["doc_id"]):
        return ""
    settings = Settings(corrected_by=name, annotator=sample.annotator, systems=sample.systems[:1], voters=tuple(voters))
    table = corrected(study, sample.measure, settings, sample=sample)
    row = {str(name): value for name, value in table.iloc[0].items()}
    larger_size = row["drawn"] + more * len(sample.drawn) / len(sample.documents)
    now, then = half_widths(row, np.array([row["drawn"], larger_size]))
    return (
        f"{row['measure']} of {row['system']} by {name}: {row['value']:.3f} ± {now:.3f}; with {more} more labels about "
        f"± {then:.3f}"
    )
