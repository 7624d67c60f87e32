"""Tables of the achievable front and of the distances of systems from it."""

import numpy as np
import pandas as pd

from fairviz.comparison.front_choice import FrontChoice, front_choice
from fairviz.comparison.pareto_front import achievable, distance_table, front_scores
from fairviz.errors import UsageError, expect
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import check_level, chosen_settings
from fairviz.measures.front_distance import NAME
from fairviz.study.record import Study


def achievable_front(
    study: Study, measure: str = NAME, settings: Settings | None = None, **choices: object
) -> pd.DataFrame:
    """Return the achievable front of effectiveness and fairness, the most effective point first.

    Parameters
    ----------
    study : Study
        With judgements.
    measure : str
        As `DPFR(nDCG,CWEx)`; plain `DPFR` is of the settings' effectiveness and CWEx.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        A row a corner of the front: weight (of fairness in its unit, from which the point is the best), effectiveness
        and fairness (means over queries), and exact (whether the front is; else it is inside the achievable one).

    Raises
    ------
    FairvizError
        If the study lacks what a measure needs, or no query has a front.
    UsageError
        For a fairness measure of unlimited range, and for candidates='run', with which each system has its own front.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.achievable_front(fairviz.open_study("football"), "DPFR(nDCG@4,CWEx@4)").round(2).values.tolist()
    [[0.0, 1.0, -0.06, True]]
    """
    settings = chosen_settings(study, settings, choices)
    answer = achievable(study, _of_all(front_choice(measure, settings)), settings)
    edges = answer.of_all.edges
    weights = np.append(0.0, -edges[:, 0] / (edges[:, 1] - edges[:, 0]))
    effect, fairness = answer.front.T
    return pd.DataFrame({"weight": weights, "effectiveness": effect, "fairness": fairness, "exact": answer.exact[0]})


def _of_all(choice: FrontChoice) -> FrontChoice:
    if choice.candidates == "run":
        raise UsageError("with candidates='run' each system has a front of its own", "Use 'study' or 'judged'.")
    return choice


def front_distances(
    study: Study,
    measure: str = NAME,
    settings: Settings | None = None,
    *,
    level: float = 0.95,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return each system's distance from the achievable front (DPFR), with its interval.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries, with judgements.
    measure : str
        As for `achievable_front`, with the reference point as a share of the front's length from the most effective
        end, and the candidates: `DPFR(nDCG,CWEx,weight=0.3,candidates='run')`.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    level : float
        Of the intervals, between 0 and 1.
    per_query : bool
        Whether to return S · Q rows of system, query_id, measure and value for `compare`. A query's value is its
        contribution to the distance, not a distance.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S rows: system, measure, value (Euclidean distance from the reference point, fairness in units of its range),
        ci_low and ci_high (Student's t over the queries' contributions, 0 at the least), queries, effectiveness
        and fairness (of the point whose distance it is: a query that the system leaves unanswered counts with 0 and the
        least fair value), reference_effectiveness, reference_fairness and exact.

    Raises
    ------
    FairvizError
        If the study lacks what a measure needs, or no query has a front.
    UsageError
        For a fairness measure of unlimited range.

    Examples
    --------
    >>> import fairviz
    >>> table = fairviz.front_distances(fairviz.open_study("football"), "DPFR(nDCG@4,CWEx@4)")
    >>> table[["system", "value"]].round(2).values.tolist()
    [['left', 0.17], ['right', 0.47]]
    """
    check_level(level)
    expect("per_query", per_query, bool, "Use True or False.")
    settings = chosen_settings(study, settings, choices)
    answer = achievable(study, front_choice(measure, settings), settings)
    return front_scores(answer) if per_query else distance_table(answer, level)
