"""Two systems on one query after another: where they differ most."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import UsageError, use_one_of
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.validation import check_scores
from fairviz.measures import parse, unfairness
from fairviz.normal_form import normal_form
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.study.record import is_contender

COLUMNS = ("measure", "query_id", "system", "value", "baseline", "baseline_value", "difference")
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "query_id", "system", "baseline"), "str"),
    **dict.fromkeys(("value", "baseline_value", "difference"), "float64"),
}


def query_values(scores: pd.DataFrame, query: str, systems: Sequence[str], measures: Sequence[str]) -> pd.DataFrame:
    """Return a table of one query: measure, a column a system, and with two systems their difference.

    scores: of `evaluate`.
    """
    query_scores = scores[scores["query_id"] == query]
    table = pd.DataFrame({"measure": measures})
    for name in systems:
        system_scores = query_scores[query_scores["system"] == name]
        values = pd.Series(system_scores["value"].to_numpy(), index=system_scores["measure"].astype("str"))
        table[name] = values.reindex(table["measure"]).to_numpy()
    if len(systems) == 2:
        table["difference"] = table[systems[0]] - table[systems[1]]
    return table


def by_query(
    scores: pd.DataFrame, system: str = "", baseline: str = "", among: Collection[str] | None = None
) -> pd.DataFrame:
    """Compare two systems on every query for which both have a value, by measure, the greatest difference first.

    scores: of `evaluate`; GSR, which has no value of a query, is left out. They are the two best of each measure; a
    baseline that is named takes the place of the best, and a system, where it is another, that of the best of the
    others. among: the systems that the best are chosen from; None for all but references and lists edited by hand. A
    measure for which there are no two is left out. Returns measure, query_id, system, value, baseline, baseline_value
    and difference (value less baseline_value); queries that differ alike stay in their order. Raises UsageError for a
    system without scores.
    """
    check_scores(scores)
    system, baseline = normal_form(system), normal_form(baseline)
    systems = list(dict.fromkeys(scores["system"].astype("str")))
    for name in filter(None, (system, baseline)):
        if name not in systems:
            raise UsageError(f"there is no system {name!r} to compare", use_one_of(systems, name))
    parts = [pd.DataFrame(columns=list(COLUMNS))]
    for text, points in split_parts(scores):
        if "list" in points:
            continue
        wide = _wide(points)
        best = _best_first(wide, text, among)
        against = baseline or next(iter(best), "")
        other = next((name for name in (system, *best) if name and name != against), "")
        if {against, other} <= set(wide.columns):
            parts.append(_of_measure(wide, text, other, against))
    return pd.concat(parts, ignore_index=True).astype(_TYPES)


def _wide(points: pd.DataFrame) -> pd.DataFrame:
    """A row a query and a column a system, both as the scores list them."""
    system, query = points["system"].astype("str"), points["query_id"].astype("str")
    table = points.assign(system=system, query_id=query).pivot(index="query_id", columns="system", values="value")
    return table.reindex(index=list(dict.fromkeys(query)), columns=list(dict.fromkeys(system)))


def _best_first(wide: pd.DataFrame, text: str, among: Collection[str] | None) -> list[str]:
    """Return the systems by their means, the best first, equal ones as the scores list them. Those without a mean are
    left out; so are all where the measure has no better end."""
    names = [str(name) for name in wide.columns if (is_contender(name) if among is None else name in among)]
    far = unfairness(parse(text), mean_over_queries(wide[names].to_numpy(dtype=np.float64).T))
    return [names[place] for place in np.argsort(far, kind="stable") if not np.isnan(far[place])]


def _of_measure(wide: pd.DataFrame, text: str, system: str, baseline: str) -> pd.DataFrame:
    columns = {"measure": text, "query_id": wide.index, "system": system, "value": wide[system].to_numpy()}
    columns |= {"baseline": baseline, "baseline_value": wide[baseline].to_numpy()}
    table = pd.DataFrame(columns)
    table["difference"] = table["value"] - table["baseline_value"]
    order = np.argsort(-table["difference"].abs().to_numpy(dtype=np.float64), kind="stable")
    return table.iloc[order].dropna(subset=["difference"])
