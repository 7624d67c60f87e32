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

    measure: `DPFR(nDCG,CWEx)`; plain `DPFR` is of the settings' effectiveness and CWEx. choices: fields of Settings.
    Returns weight (of fairness in its unit, from which the point is the best), effectiveness, fairness (means over
    queries) and exact. Raises: see `achievable`.
    """
    settings = chosen_settings(study, settings, choices)
    answer = achievable(study, _of_all(front_choice(measure, settings)), settings)
    edges = answer.fronts[0].edges
    weights = np.append(0.0, -edges[:, 0] / (edges[:, 1] - edges[:, 0]))
    effect, fairness = answer.front.T
    return pd.DataFrame({"weight": weights, "effectiveness": effect, "fairness": fairness, "exact": answer.exact})


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

    measure: as `achievable_front` takes it, with the reference point as a share of the front's length from the most
    effective end, and the candidates: `DPFR(nDCG,CWEx,weight=0.3,candidates='run')`. choices: fields of Settings.
    Returns system, measure, value (Euclidean distance from the reference point, fairness in units of its range),
    ci_low, ci_high (Student's t over the queries' contributions, 0 at the least), queries, effectiveness, fairness,
    reference_effectiveness, reference_fairness and exact. per_query: instead rows of system, query_id, measure and
    value for `compare`; a query's value is its contribution to the distance, not a distance. Raises: see `achievable`.
    """
    check_level(level)
    expect("per_query", per_query, bool, "Use True or False.")
    settings = chosen_settings(study, settings, choices)
    answer = achievable(study, front_choice(measure, settings), settings)
    return front_scores(answer) if per_query else distance_table(answer, level)
