"""How well each measure tells the systems apart: shares of significant pairs, detectable differences, split halves."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.analyses.measure_power.properties import HOLDS, NOT_APPLICABLE, properties_of, sentence
from fairviz.comparison.compare import compared_as
from fairviz.comparison.family import how_of
from fairviz.comparison.pairs import Pairs
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.questions import questions_of, split_by_data
from fairviz.evaluation.scores import evaluate, refuse_alone
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, unfairness
from fairviz.statistics.intervals import mean_over_queries
from fairviz.statistics.orders import kendall_tau
from fairviz.study.record import Study
from fairviz.words.sentences import agreeing, listed

Array = np.ndarray
ALPHA, POWER = 0.05, 0.8
FEWEST_SYSTEMS = 3  # that have an order to agree on
AT_ONCE = 2**20  # numbers
POWER_COLUMNS = ("measure", "pairs", "significant", "share", "alone", "share_alone", "detectable", "tau", "tau_low",
                 "tau_high", "queries")  # fmt: skip


@dataclass(frozen=True, eq=False)
class MeasurePower:
    """power: POWER_COLUMNS, a row a measure. curve: a row a pair: measure, pair (its number, 1 for the smallest p),
    share (of pairs up to it), p, p_corrected, system, other. properties: see
    `fairviz.analyses.measure_power.properties`. left_out: why a measure is not there. method: of the tests."""

    power: pd.DataFrame
    curve: pd.DataFrame
    properties: pd.DataFrame
    questions: tuple[Question, ...]
    left_out: tuple[str, ...]
    method: str

    @cached_property
    def wide(self) -> pd.DataFrame:
        """A row a property, a column a measure: ✓, ✗ with the counterexample, or not applicable; and the source."""
        rows = self.properties.copy()
        has_example = rows["before"] != ""
        rows["cell"] = rows["holds"].where(~has_example, rows["holds"] + " " + rows["before"] + " → " + rows["after"])
        wide = rows.pivot(index="property", columns="measure", values="cell")
        order, measures = rows["property"].unique(), [question.text for question in self.questions]
        wide = wide.loc[order, [text for text in measures if text in wide]].reset_index()
        wide.columns.name = None
        return wide.assign(source=rows.drop_duplicates("property")["source"].to_numpy())

    @property
    def sentences(self) -> tuple[str, ...]:
        """The measures that tell most and fewest pairs apart, and how many properties each has."""
        table = self.power.dropna(subset="share").sort_values("share", ascending=False, kind="stable")
        said = []
        if len(table):
            most, least = table.iloc[0], table.iloc[-1]
            best = list(table.loc[table["share"] == most["share"], "measure"])
            said.append(
                f"{listed(best)} {agreeing(len(best), 'tells', 'tell')} most pairs of systems apart: "
                f"{most['significant']} of {most['pairs']} at {ALPHA:g}, by {self.method}."
            )
            if len(table) > 1:
                said.append(f"Fewest: {least['measure']}, {least['significant']} of {least['pairs']}.")
        applicable = self.properties[self.properties["holds"] != NOT_APPLICABLE]
        counts = (applicable["holds"] == HOLDS).groupby(applicable["measure"], sort=False).sum()
        if len(counts):
            said.append(sentence(self.properties, str(counts.idxmax())))
        return tuple(said)


def measure_power(study: Study, settings: Settings, measures: str, splits: int, seed: int) -> MeasurePower:
    """Return the power and the properties of measures. measures: with blanks between them; those that the study cannot
    feed are left out.

    Raises UsageError for a measure that only describes or has no value for one query, FairvizError without two tested
    systems or any measure.
    """
    questions_of(measures.split(), settings)
    asked = split_by_data(study, settings, measures.split())
    for question in asked.questions:
        if question.direction == "none" or not question.per_query:
            raise UsageError(f"{question.text} orders no systems by query", "Use measures such as CWEx and nDCG.")
    if not asked.questions:
        raise FairvizError(f"{study.name} feeds none of these measures", " ".join(why for _, why in asked.missing))
    scores = evaluate(study, asked.questions, settings)
    refuse_alone(scores)
    how = how_of(study, settings)
    compared = compared_as(scores, how, power=POWER)
    powers, curves = [], []
    for pairs in compared.pairs:
        power, curve = _of_pairs(pairs, how.alpha)
        powers.append((pairs.text, *power, *split_half(pairs, how.is_tested, splits, seed), len(pairs.points.queries)))
        curves.append(curve)
    left_out = tuple(f"{name}: {why}" for name, why in asked.missing)
    method = how.method_text(asked.questions)
    table = pd.DataFrame(powers, columns=list(POWER_COLUMNS)).astype({"measure": "str"})
    properties = properties_of(study, settings, asked.questions)
    return MeasurePower(table, pd.concat(curves, ignore_index=True), properties, asked.questions, left_out, method)


def _of_pairs(pairs: Pairs, alpha: float) -> tuple[tuple[object, ...], pd.DataFrame]:
    """Return pairs, significant, share, alone, share_alone and detectable, and the rows of the curve."""
    names = np.array(pairs.points.systems, dtype=object)
    p, corrected = pairs.columns["p"], pairs.columns["p_corrected"]
    first, second = np.nonzero(np.triu(~np.isnan(corrected), 1))
    order = np.argsort(p[first, second], kind="stable")
    first, second = first[order], second[order]
    single, family = p[first, second], corrected[first, second]
    count = len(single)
    detectable = pairs.columns["minimum_detectable"][first, second]
    curve = pd.DataFrame(
        {
            "measure": pd.array([pairs.text] * count, dtype="str"), "pair": np.arange(1, count + 1),
            "share": np.arange(1, count + 1) / max(count, 1), "p": single, "p_corrected": family,
            "system": pd.array(names[first], dtype="str"), "other": pd.array(names[second], dtype="str"),
        }
    )  # fmt: skip
    significant, alone = int((family <= alpha).sum()), int((single <= alpha).sum())
    shares = (significant / count, alone / count) if count else (np.nan, np.nan)
    least = float(np.nanmedian(detectable)) if count and not np.isnan(detectable).all() else np.nan
    return (count, significant, shares[0], alone, shares[1], least), curve


def split_half(pairs: Pairs, is_tested: object, splits: int, seed: int) -> tuple[float, float, float]:
    """Return Kendall's τ of the orders of the tested systems on two random halves of the queries: the mean over splits,
    and the 2.5 and 97.5 % quantiles. NaN for fewer than FEWEST_SYSTEMS.

    Orders are by the distance of the mean from the fairest value; τ_b, so that equal means count as tied.
    """
    rows = [place for place, name in enumerate(pairs.points.systems) if is_tested(name)]  # type: ignore[operator]
    values = pairs.points.values[rows]  # (S, Q)
    systems, queries = values.shape
    if systems < FEWEST_SYSTEMS or queries < 4:
        return np.nan, np.nan, np.nan
    generator = np.random.default_rng(seed)
    at_once = max(AT_ONCE // (systems * max(systems, queries)), 1)  # splits, to limit memory
    found = []
    for start in range(0, splits, at_once):
        drawn = np.stack([generator.permutation(queries) for _ in range(start, min(start + at_once, splits))])  # (B, Q)
        one, two = (
            unfairness(pairs.question, mean_over_queries(values[:, part])).T
            for part in (drawn[:, : queries // 2], drawn[:, queries // 2 :])
        )  # (B, S) each
        enough = (~np.isnan(one) & ~np.isnan(two)).sum(axis=1) >= FEWEST_SYSTEMS
        found.append(kendall_tau(one[enough], two[enough]))
    taus = np.concatenate([*found, np.zeros(0)])
    taus = taus[~np.isnan(taus)]
    if not len(taus):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(taus, [0.025, 0.975])
    return float(taus.mean()), float(low), float(high)
