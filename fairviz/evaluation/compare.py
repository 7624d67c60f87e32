"""Two systems answer the same queries, so they are compared by their differences query by query, never by their own
two intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.given import check_bootstrap, check_scores
from fairviz.evaluation.slopes import split_parts
from fairviz.measures import Question, parse, unfairness
from fairviz.measures.bootstrap import RESAMPLES, interval, mean_over_queries, resampled_means, resampling_weights
from fairviz.measures.gsr import slope
from fairviz.measures.paired import EQUAL, TESTS, corrected, distances, leaning, slope_p
from fairviz.rankers import RANKERS

Array = np.ndarray
REFERENCES = ("perfect", "random")
COLUMNS = (
    "measure", "system", "baseline", "value", "baseline_value", "difference", "ci_low", "ci_high", "p", "p_corrected",
    "effect_size", "wins", "ties", "losses", "queries", "verdict",
)  # fmt: skip
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "system", "baseline"), "str"),
    **dict.fromkeys(("value", "baseline_value", "difference", "ci_low", "ci_high", "p", "effect_size"), "float64"),
    **dict.fromkeys(("wins", "ties", "losses", "queries"), "Int64"),
}
AHEAD, BEHIND, SAME, UNTESTED, REFERENCE = "ahead", "behind", "not told apart", "too few queries", "reference"
MIXED = "mean and test part"
Verdict = Literal["ahead", "behind", "not told apart", "mean and test part", "too few queries", "reference"]


@dataclass(frozen=True)
class Comparison:
    """`table` has COLUMNS, a row for each measure and system but its baseline; `family` is how many tests the
    correction was for."""

    table: pd.DataFrame
    family: int
    test: str = "t"
    correction: str = "holm"
    level: float = 0.95


def is_reference(system: str) -> bool:
    """Whether the system is no contender: the relevant documents themselves, or chance, with or without parameters."""
    name = system.partition("-")[0]
    return name in REFERENCES and name in RANKERS and (system == name or "=" in system)


def compare(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Every system against a baseline, measure by measure, on the queries that both have a value for.

    scores: of `evaluate`. baseline: a system, or nothing for the best one of each measure (the fairest, or the most
    effective; measures that only describe then have none and are left out). test: `t`, `randomisation` or `wilcoxon`.
    correction: `holm`, `bonferroni`, `bh` or `none`, over all systems and measures of the table; the systems `perfect`
    and `random` are references, which are in no family.

    Returns measure, system, baseline, value and baseline_value (means over the common queries), difference with its
    percentile bootstrap interval (shared resamples of queries), p, p_corrected, effect_size (mean over standard
    deviation of the differences), wins, ties and losses (queries on which the system is fairer, equal, less fair),
    queries, and verdict: ahead, behind, not told apart, mean and test part (Wilcoxon's signed ranks can point the other
    way than the mean, and then no order is claimed), too few queries, reference. A measure that is fairest at 0 is
    compared by |mean|, one that is fairest at 1 by |ln mean|: `difference` is then one of these distances. GSR is
    compared by the slope of the lists' differences over the queries; its effect_size is their correlation. NaN where
    fewer than two queries (three for GSR) are common. Raises UsageError for an unknown baseline, test or correction.
    """
    return comparison(
        scores, baseline, test=test, correction=correction, level=level, resamples=resamples, seed=seed
    ).table


def comparison(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """`compare` with the size of its family."""
    check_scores(scores)
    check_bootstrap(level, resamples, seed)
    for name, value in (("baseline", baseline), ("test", test), ("correction", correction)):
        expect(name, value, str, "Use text.")
    if test not in TESTS:
        raise UsageError(f"test is {test!r}", f"Use one of {', '.join(TESTS)}.")
    systems = list(dict.fromkeys(scores["system"].astype("str")))
    if baseline and baseline not in systems:
        raise UsageError(f"there is no system {baseline!r} to compare with", f"Use one of {', '.join(systems)}.")
    rows: list[dict] = []
    for text, points in split_parts(scores):
        question = parse(text)
        made = _slopes(points) if "list" in points else _values(points, question)
        rows += [{"measure": text} | row for row in made.rows(question, baseline, test, level, resamples, seed)]
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype(_TYPES)
    contenders = ~table["system"].map(is_reference).astype(bool)
    p = np.where(contenders, table["p"].astype(float), np.nan)
    try:
        table["p_corrected"] = corrected(p, correction)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
    leans = np.array([row["leans"] for row in rows])
    table["verdict"] = _verdicts(table, contenders.to_numpy(), leans, 1 - level)
    return Comparison(table, int((~np.isnan(p)).sum()), test, correction, level)


def starred(found: pd.DataFrame) -> dict[str, frozenset[str]]:
    """For each measure of a comparison with its best system, that system and every one that no test puts behind it;
    nobody where no order could be tested."""
    stars = {}
    for text, rows in found.groupby("measure", sort=False):
        # ahead: on the queries that both answer
        same = rows.loc[rows["verdict"].isin([SAME, AHEAD, MIXED]), "system"]
        tested = rows["p_corrected"].notna().any()
        stars[str(text)] = frozenset([*same, rows["baseline"].iloc[0]]) if tested else frozenset()
    return stars


def slopes_against(points: pd.DataFrame, first: str, others: Sequence[str], correction: str = "holm") -> pd.DataFrame:
    """One system's GSR less that of each other one, signed: system, difference, p, p_corrected.

    points: system, query_id, query, list. p is that of the slope of the lists' differences over the queries that both
    answer; one family. NaN with fewer than three such queries. Systems without a point are left out.
    """
    held = _slopes(points)
    place = {name: row for row, name in enumerate(held.systems)}
    rows = []
    for name in others:
        if name in place and first in place:
            apart = held.values[place[first]] - held.values[place[name]]
            difference, p, _ = slope_p(held.query, apart)
            rows.append((name, difference, p))
    table = pd.DataFrame(rows, columns=["system", "difference", "p"]).astype({"difference": "f8", "p": "f8"})
    return table.assign(p_corrected=corrected(table["p"].to_numpy(), correction))


@dataclass(frozen=True)
class _Points:
    """One measure's values by system and query, (S, Q); `query` (Q,) is GSR's x, empty for all other measures."""

    systems: tuple[str, ...]
    values: Array
    query: Array

    def rows(self, question: Question, baseline: str, test: str, level: float, resamples: int, seed: int) -> list[dict]:
        """A row for every system but the baseline."""
        name = baseline or self._best(question)
        if name not in self.systems:
            return []
        against = self.systems.index(name)
        others = [place for place in range(len(self.systems)) if place != against]
        named = [{"system": self.systems[place], "baseline": name} for place in others]
        if len(self.query):
            found = [self._slope_row(place, against, level, resamples, seed) for place in others]
        else:
            found = [self._row(question, place, against, level, resamples, seed) for place in others]
            _test(found, test)
        return [names | row for names, row in zip(named, found, strict=True)]

    def _best(self, question: Question) -> str:
        """The contender with the fairest mean; nobody where none has one."""
        means = [_slope(self.query, row) for row in self.values] if len(self.query) else mean_over_queries(self.values)
        far = np.where([is_reference(name) for name in self.systems], np.nan, unfairness(question, np.array(means)))
        return "" if np.isnan(far).all() else self.systems[int(np.nanargmin(far))]

    def _common(self, place: int, against: int) -> Array:
        """The values of the two, (2, Q), NaN where either has none."""
        pair = self.values[[place, against]]
        return np.where(np.isnan(pair).any(axis=0), np.nan, pair)

    def _row(self, question: Question, place: int, against: int, level: float, resamples: int, seed: int) -> dict:
        pair = self._common(place, against)
        ours, theirs = (distances(row, question.direction) for row in pair)
        apart = ours - theirs
        count = int((~np.isnan(apart)).sum())
        drawn = resampled_means(pair, resamples, seed)  # (B, 2)
        far_drawn = _distance(drawn, question)
        low, high = interval(far_drawn[:, :1] - far_drawn[:, 1:], level)
        far = unfairness(question, pair) if question.direction != "none" else -pair
        with np.errstate(invalid="ignore"):
            nearer = far[0] - far[1]
        value, baseline_value = mean_over_queries(pair)
        spread = np.nanstd(apart, ddof=1) if count >= 2 else np.nan
        return {
            "value": value,
            "baseline_value": baseline_value,
            "difference": mean_over_queries(apart),
            "ci_low": low[0] if count >= 2 else np.nan,
            "ci_high": high[0] if count >= 2 else np.nan,
            "apart": apart,
            "effect_size": mean_over_queries(apart) / spread if spread > EQUAL else np.nan,
            "wins": int((nearer < -EQUAL).sum()),
            "ties": int((np.abs(nearer) <= EQUAL).sum()),
            "losses": int((nearer > EQUAL).sum()),
            "queries": count,
        }

    def _slope_row(self, place: int, against: int, level: float, resamples: int, seed: int) -> dict:
        pair = self._common(place, against)
        pair = np.where(np.isnan(self.query), np.nan, pair)
        count = int((~np.isnan(pair[0])).sum())
        value, baseline_value = (_slope(self.query, row) for row in pair)
        signs = [-1.0 if mean < 0 else 1.0 for mean in (value, baseline_value)]
        apart = signs[0] * pair[0] - signs[1] * pair[1]  # GSR is fairest at 0
        difference, p, r = slope_p(self.query, apart)
        weights = resampling_weights(len(self.query), resamples, seed)
        drawn = np.stack([np.abs(slope(self.query, row, weights)) for row in pair])
        low, high = interval((drawn[0] - drawn[1])[:, None], level)
        return {
            "value": value, "baseline_value": baseline_value, "difference": difference,
            "ci_low": low[0] if count >= 3 else np.nan, "ci_high": high[0] if count >= 3 else np.nan,
            "p": p, "leans": np.sign(difference), "effect_size": r,
            "wins": pd.NA, "ties": pd.NA, "losses": pd.NA, "queries": count,
        }  # fmt: skip


def _test(rows: list[dict], test: str) -> None:
    """Puts the p of each row's differences into it, and which way its test points."""
    if not rows:
        return
    apart = np.stack([row["apart"] for row in rows])  # (N, Q)
    for row, p, leans in zip(rows, TESTS[test](apart), leaning(apart, test), strict=True):
        row |= {"p": p, "leans": leans}


def _slope(query: Array, lists: Array) -> float:
    return float(slope(query, lists, np.ones(len(query))))


def _distance(means: Array, question: Question) -> Array:
    """Means as an order goes by them."""
    if question.direction == "zero":
        return np.abs(means)
    if question.direction == "one":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.abs(np.log(means))
    return means


def _values(points: pd.DataFrame, question: Question) -> _Points:
    (system, systems), (query, queries) = (pd.factorize(points[name].astype("str")) for name in ("system", "query_id"))
    values = np.full((len(systems), len(queries)), np.nan)
    values[system, query] = points["value"].to_numpy(dtype=np.float64)
    return _Points(tuple(systems), values, np.zeros(0))


def _slopes(points: pd.DataFrame) -> _Points:
    (system, systems), (query, queries) = (pd.factorize(points[name].astype("str")) for name in ("system", "query_id"))
    lists, asked = np.full((len(systems), len(queries)), np.nan), np.full(len(queries), np.nan)
    lists[system, query] = points["list"].to_numpy(dtype=np.float64)
    asked[query] = points["query"].to_numpy(dtype=np.float64)
    return _Points(tuple(systems), lists, asked)


def _verdicts(table: pd.DataFrame, contenders: Array, leans: Array, alpha: float) -> Array:
    directions = {text: parse(text).direction for text in table["measure"].unique()}
    low = table["measure"].map(directions).isin(["lower", "zero", "one"]).to_numpy()  # the fairest value lies low
    p, difference = table["p_corrected"].to_numpy(), table["difference"].to_numpy()
    order = np.where(leans * difference > 0, np.where((difference < 0) == low, AHEAD, BEHIND), MIXED)
    verdict = np.where(p < alpha, order, SAME)
    return np.where(contenders, np.where(np.isnan(p), UNTESTED, verdict), REFERENCE)
