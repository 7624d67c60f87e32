"""How the values of two systems are spread over queries: quantiles with paired intervals, and the worst queries."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from fairviz.comparison.compare import by_query
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.declared import COMPARE
from fairviz.errors import expect
from fairviz.evaluation.scores import check_level, check_scores
from fairviz.measures import parse, unfairness
from fairviz.statistics.orders import largest_first
from fairviz.statistics.quantiles import quantile_differences, quantiles

SHARES = (0.1, 0.5, 0.9)
COLUMNS = ("measure", "quantile", "system", "value", "baseline", "baseline_value", "difference", "ci_low", "ci_high",
           "queries")  # fmt: skip
WORST = 0.1  # of the queries


def tails(
    scores: pd.DataFrame,
    system: str = "",
    baseline: str = "",
    *,
    level: float = COMPARE["level"].default,
    among: Collection[str] | None = None,
) -> pd.DataFrame:
    """Return the 10, 50 and 90 % quantiles of two systems' values over queries, with paired intervals.

    Two systems may have equal means and unlike tails: a few queries with very unfair lists. Quantiles are those of
    Harrell and Davis (1982), weighted means of sorted values. Intervals are percentiles of 2,000 resamples of queries,
    the same for both systems (Wilcox and Erceg-Hurn 2012). Each is of one quantile, uncorrected, and takes each query
    by itself. A measure that is fairest at 0 or 1 is not folded: its quantiles are of the values.

    Parameters
    ----------
    scores : DataFrame
        The table of `evaluate`; GSR, which has no value of a query, is left out.
    system, baseline : str
        Two systems; by default the two best of each measure.
    level : float
        Of the intervals, between 0 and 1.
    among : collection of str, optional
        The systems that the best are chosen from; by default all but references and lists edited by hand.

    Returns
    -------
    DataFrame
        A row a measure and quantile: measure, quantile (0 to 1), system, value, baseline, baseline_value, difference
        with ci_low and ci_high, and queries (that both have a value for). Ends are NaN for fewer than ten queries.

    Raises
    ------
    UsageError
        For a system without scores, and a level that is not between 0 and 1.

    Examples
    --------
    >>> import fairviz
    >>> scores = fairviz.evaluate(fairviz.open_study("newswire"), "NFaiRR")
    >>> table = fairviz.tails(scores, "w2v_add", "bm25")
    >>> table[["quantile", "value", "baseline_value"]].round(3).to_numpy().tolist()
    [[0.1, 0.226, 0.169], [0.5, 0.513, 0.379], [0.9, 0.807, 0.695]]
    """
    check_scores(scores)
    for name, value in (("system", system), ("baseline", baseline)):
        expect(name, value, str, "Use text.")
    check_level(level)
    if among is not None:
        expect("among", among, (list, tuple, set, frozenset), "Give a list of systems.")
    rows = []
    for text, table in by_query(scores, system, baseline, among).groupby("measure", sort=False):
        values, others = (table[name].to_numpy(dtype=np.float64) for name in ("value", "baseline_value"))
        difference, low, high = quantile_differences(values, others, SHARES, level)
        if len(table) < FEWEST_QUERIES:
            low = high = np.full(len(SHARES), np.nan)
        names = [(text, share, table["system"].iloc[0]) for share in SHARES]
        ends = zip(quantiles(values, SHARES), quantiles(others, SHARES), difference, low, high, strict=True)
        rows += [
            (*name, value, table["baseline"].iloc[0], other, *rest, len(table))
            for name, (value, other, *rest) in zip(names, ends, strict=True)
        ]
    found = pd.DataFrame(rows, columns=list(COLUMNS))
    return found.astype({"measure": "str", "system": "str", "baseline": "str"})


def worst_queries(table: pd.DataFrame, column: str = "value") -> pd.DataFrame:
    """Return the least fair tenth of the rows of one measure, at least one, the least fair first.

    table: of `by_query`, with one measure. column: `value` of the system, or `baseline_value`. Effectiveness counts as
    its measure has it; equal values stay in their order.
    """
    if table.empty:
        return table
    far = unfairness(parse(str(table["measure"].iloc[0])), table[column].to_numpy(dtype=np.float64))
    order = largest_first(far)
    return table.iloc[order[: int(np.ceil(WORST * len(table)))]].reset_index(drop=True)
