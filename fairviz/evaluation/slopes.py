"""From the points of GSR to its slope for each system, its interval, and which queries carry it."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from fairviz.measures.gsr import FLAT
from fairviz.statistics.intervals import slope_interval

Array = np.ndarray
Summary = Callable[[pd.DataFrame, float], pd.DataFrame]
PERFECT = "perfect"
FEWEST_QUERIES = 3  # fewer tell nothing of the spread about the line


def gsr(points: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """GSR of each system: system, slope, intercept, r, p, queries, undefined, ci_low, ci_high, theil_sen, relative.

    points: of `fairviz.evaluation.gsr.gsr_points`. slope, intercept, Pearson's r and the two-sided p of a slope of 0
    are those of least squares; theil_sen is the median of the slopes of all pairs of queries, which single queries do
    not move. The interval is by Student's t, n − 2 degrees of freedom. relative: the slope over that of the system
    named `perfect`, NaN without one (table 2 of the GSR paper prints this less 1, in percent). queries: those where
    query and list have a g; undefined: the rest. NaN where fewer than two queries are left or all have the same g (see
    `why_undefined`); r, p and the interval need three, r and p lists that differ.
    """
    systems, query, lists = _pivoted(points)
    rows = [_fitted(x, y) for x, y in zip(query, lists, strict=True)]
    table = pd.DataFrame(rows, columns=["slope", "intercept", "r", "p", "queries", "theil_sen"])
    ends = [slope_interval(x, y, level) for x, y in zip(query, lists, strict=True)]
    low, high = np.array(ends).reshape(-1, 2).T
    enough = (table["queries"] >= FEWEST_QUERIES) & table["slope"].notna()
    perfect = table["slope"][systems.index(PERFECT)] if PERFECT in systems else np.nan
    table = table.assign(
        system=pd.Series(systems, dtype="str"),
        undefined=points.groupby("system", sort=False).size().to_numpy() - table["queries"],
        ci_low=np.where(enough, low, np.nan),
        ci_high=np.where(enough, high, np.nan),
        relative=table["slope"] / (perfect if perfect != 0 else np.nan),
    )
    columns = ["system", "slope", "intercept", "r", "p", "queries", "undefined", "ci_low", "ci_high", "theil_sen"]
    return table[[*columns, "relative"]]


def _pivoted(points: pd.DataFrame) -> tuple[list[str], Array, Array]:
    """The systems, and g of queries and lists by system and query, (S, Q) each; NaN where a point is not there."""
    (system, systems), (query, queries) = (pd.factorize(points[name]) for name in ("system", "query_id"))
    tables = np.full((2, len(systems), len(queries)), np.nan)
    tables[:, system, query] = points[["query", "list"]].to_numpy(dtype=np.float64).T
    return [str(name) for name in systems], tables[0], tables[1]


def _fitted(query: Array, lists: Array) -> tuple[float, float, float, float, int, float]:
    """slope, intercept, r, p, number of queries and Theil-Sen slope of one system's points (Q,)."""
    from scipy.stats import linregress, theilslopes

    is_defined = ~(np.isnan(query) | np.isnan(lists))
    x, y = query[is_defined], lists[is_defined]
    if len(x) < 2 or np.var(x) <= FLAT:
        return np.nan, np.nan, np.nan, np.nan, len(x), np.nan
    with np.errstate(invalid="ignore"):  # the interval of a slope through many ties, which is not used
        line, robust = linregress(x, y), theilslopes(y, x).slope
    has_spread = len(x) >= FEWEST_QUERIES and np.var(y) > FLAT  # a flat line has no correlation to speak of
    r, p = (line.rvalue, line.pvalue) if has_spread else (np.nan, np.nan)
    return float(line.slope), float(line.intercept), float(r), float(p), len(x), float(robust)


def why_undefined(points: pd.DataFrame) -> dict[str, str]:
    """One sentence for each system whose slope is undefined, saying why."""
    reasons = {}
    for system, query, lists in zip(*_pivoted(points), strict=True):
        is_defined = ~(np.isnan(query) | np.isnan(lists))
        if np.isnan(query).all():
            reasons[system] = "no query has a word that the vectors hold"
        elif is_defined.sum() == 0:
            reasons[system] = "no query that has a genderedness is answered by a list that has one"
        elif is_defined.sum() == 1:
            reasons[system] = "only one query and its list have a genderedness, and a slope needs two"
        elif np.var(query[is_defined]) <= FLAT:
            reasons[system] = f"all {is_defined.sum()} queries have the same genderedness"
    return {system: f"The slope of {system} is undefined: {reason}." for system, reason in reasons.items()}


def influence(points: pd.DataFrame) -> pd.DataFrame:
    """Return the influence of each query on its system's slope: system, query_id, without, change, a row for each
    defined point.

    without: the slope when this query is left out; change: without minus the slope. NaN where too few queries, or
    only equal ones, are left. In closed form: leaving out a point with distances dx and dy from the means takes
    n/(n-1)·dx² from the sum of squares and n/(n-1)·dx·dy from that of products.
    """
    defined = points.dropna(subset=["query", "list"])
    parts = []
    for system, part in defined.groupby("system", sort=False):
        x, y = (part[name].to_numpy() - part[name].mean() for name in ("query", "list"))
        count, squares, products = len(part), x @ x, x @ y
        scale = count / (count - 1) if count > 1 else np.nan
        left = squares - scale * x**2
        enough = left > FLAT * max(count - 1, 1)
        without = np.divide(products - scale * x * y, left, out=np.full(count, np.nan), where=enough)
        slope = products / squares if squares > FLAT * count else np.nan
        rows = {"system": system, "query_id": part["query_id"].to_numpy(), "without": without}
        parts.append(pd.DataFrame({**rows, "change": without - slope}))
    empty = pd.DataFrame({"system": [], "query_id": [], "without": [], "change": []})
    table = pd.concat(parts, ignore_index=True) if parts else empty.astype({"without": "f8", "change": "f8"})
    return table.astype({"system": "str", "query_id": "str"})


def leave_out(points: pd.DataFrame, n: int) -> pd.DataFrame:
    """The points without the n most gendered queries: those whose g is farthest from the queries' mean.

    Distance from the mean, not from 0, is what gives a point weight in a slope: in GloVe nearly all g are negative.
    Equal distances go by query_id. Queries without g stay.
    """
    queries = points.drop_duplicates("query_id")[["query_id", "query"]].dropna()
    distance = (queries["query"] - queries["query"].mean()).abs().round(12)
    order = queries.assign(distance=-distance).sort_values(["distance", "query_id"])
    return points[~points["query_id"].isin(order["query_id"].head(n))].reset_index(drop=True)


_PART = re.compile(r"^GSR\.(query|list)(?=[(@]|$)")


def part_names(text: str) -> tuple[str, str]:
    """GSR@10 as its two parts per query, GSR.query@10 and GSR.list@10."""
    return text.replace("GSR", "GSR.query", 1), text.replace("GSR", "GSR.list", 1)


def split_parts(scores: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each measure of a scores table with its rows, in the table's order; GSR's two parts are one measure, whose rows
    are points: system, query_id, query, list."""
    code, texts = pd.factorize(scores["measure"])
    names = [str(text) for text in texts]
    wholes = [_PART.sub("GSR", name) for name in names]
    for name in dict.fromkeys(wholes):
        parts = {names[place]: code == place for place in range(len(names)) if wholes[place] == name}
        if not any(map(_PART.match, parts)):
            yield name, scores[parts[name]]
            continue
        columns = ["system", "query_id", "value"]
        query, lists = (scores.loc[parts.get(part, code < 0), columns] for part in part_names(name))
        points = query.merge(lists, on=["system", "query_id"]).astype({"system": "str"})
        yield name, points.set_axis(["system", "query_id", "query", "list"], axis=1)


def summarise_parts(scores: pd.DataFrame, means: Summary, level: float) -> pd.DataFrame:
    """The summary of a scores table: `means` of it, with one row a system where the scores hold the parts of a GSR.

    Columns of `fairviz.evaluation.scores.summarise`, in the order of the scores.
    """
    if not any(_PART.match(name) for name in scores["measure"].astype("str").unique()):
        return means(scores, level)
    measures = list(split_parts(scores))
    plain = [points for _, points in measures if "list" not in points]
    tables = [means(pd.concat(plain), level)] if plain else []
    tables += [_summarised(name, points, level) for name, points in measures if "list" in points]
    order = {name: place for place, (name, _) in enumerate(measures)}
    summary = pd.concat(tables, ignore_index=True)
    return summary.sort_values("measure", key=lambda column: column.map(order), kind="stable").reset_index(drop=True)


def _summarised(name: str, points: pd.DataFrame, level: float) -> pd.DataFrame:
    """GSR's rows of a summary."""
    table = gsr(points, level=level).rename(columns={"slope": "value"})
    table = table.assign(measure=pd.Series(name, index=table.index, dtype="str"), coverage=np.nan)
    return table[["system", "measure", "value", "ci_low", "ci_high", "queries", "undefined", "coverage"]]
