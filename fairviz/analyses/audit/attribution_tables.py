"""The tables of an audit by authors' names: each quantity between genders, within them, and what is beyond the latter;
and what any name costs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.audit.attribution_judging import Attributed
from fairviz.analyses.audit.attribution_versions import CONTRASTS, FEMALE, GENDER, MALE, PLACEBO
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.statistics.intervals import ClusteredMean, clustered_mean
from fairviz.statistics.paired import corrected

PREFERENCE, GAP, SIZE, RANKS, RANKS_SIZE = QUANTITIES = ("preference", "gap", "size", "places", "places_size")
FEWEST_SETS = FEWEST_QUERIES  # of names: errors clustered by fewer do not cover as they should
LEVEL = 0.95
ANY = "any"
COLUMNS = (
    "system", "quantity", "unit", "value", "value_low", "value_high", "placebo", "placebo_low", "placebo_high",
    "beyond", "beyond_low", "beyond_high", "p", "p_corrected", "family", "queries", "sets", "pairs",
)  # fmt: skip
UNNAMED_COLUMNS = (
    "system", "gender", "named_first", "named_first_low", "named_first_high", "gap", "gap_low", "gap_high", "unit",
    "places", "places_low", "places_high", "queries", "sets", "pairs",
)  # fmt: skip
Array = np.ndarray


def attribution_table(attributions: Sequence[Attributed], pairs: pd.DataFrame, reference: str = "") -> pd.DataFrame:
    """Return COLUMNS, a row for each system and quantity; the rows of one quantity are one family, by Bonferroni.

    reference: a system that is shown beside the others and is in no family: its tests are NaN.

    value: between the genders, the female version less the male one, or the share in which it is first; placebo: the
    same of two names of one gender; both with 95 % intervals. beyond: value less placebo, within each query and
    document, with the interval that agrees with p_corrected. Means are within a query first, then over queries, errors
    clustered by query and by set of names. Tests and their intervals are NaN under FEWEST_QUERIES queries or
    FEWEST_SETS sets of names.
    """
    queries, sets = clusters(pairs)
    rows: list[dict[str, object]] = []
    for quantity in QUANTITIES:
        numbers = [_numbers(one, quantity, queries, sets) for one in attributions]
        rows += _with_tests(numbers, reference)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {one.judged.system: place for place, one in enumerate(attributions)}
    return table.sort_values("system", key=lambda names: names.map(order), kind="stable").reset_index(drop=True)


def clusters(pairs: pd.DataFrame) -> tuple[Array, Array]:
    """Return the codes of the query and of the set of names of each query and document, (N,) each."""
    firsts = pairs.iloc[:: len(CONTRASTS)]
    return pd.factorize(firsts["query_id"])[0], firsts["set"].to_numpy()


def _numbers(one: Attributed, quantity: str, queries: Array, sets: Array) -> dict[str, object]:
    """Return a row before its test; under `beyond` the mean with its error."""
    value, placebo = (one.by_contrast(quantity, contrast) for contrast in (GENDER, PLACEBO))
    both = ~(np.isnan(value) | np.isnan(placebo))
    means = [clustered_mean(np.where(both, each, np.nan), queries, sets) for each in (value, placebo, value - placebo)]
    unit = {PREFERENCE: "share", RANKS: "places", RANKS_SIZE: "places"}.get(quantity, one.judged.unit)
    return {
        "system": one.judged.system, "quantity": quantity, "unit": unit,
        **named("value", means[0], share=quantity == PREFERENCE),
        **named("placebo", means[1], share=quantity == PREFERENCE),
        "beyond": means[2], "queries": means[2].queries, "sets": means[2].names, "pairs": int(both.sum()),
    }  # fmt: skip


def named(name: str, mean: ClusteredMean, *, share: bool = False) -> dict[str, float]:
    """Return the mean and its 95 % interval as columns: name, name_low, name_high; within 0 and 1 for a share."""
    low, high = mean.interval(LEVEL)
    if share and not np.isnan(low):
        low, high = max(low, 0.0), min(high, 1.0)
    return {name: mean.value, f"{name}_low": low, f"{name}_high": high}


def _with_tests(rows: list[dict], reference: str) -> list[dict[str, object]]:
    """Return the rows of one family with their tests."""
    means: list[ClusteredMean] = [row["beyond"] for row in rows]
    is_tested = [is_enough(mean) and row["system"] != reference for row, mean in zip(rows, means, strict=True)]
    p = np.array([mean.p if tested else np.nan for mean, tested in zip(means, is_tested, strict=True)])
    family = int((~np.isnan(p)).sum())
    after = corrected(p, "bonferroni")
    out = []
    for row, mean, alone, together in zip(rows, means, p.tolist(), after.tolist(), strict=True):
        low, high = mean.interval(1 - (1 - LEVEL) / family) if not np.isnan(alone) else (np.nan, np.nan)
        out.append(row | {"beyond": mean.value, "beyond_low": low, "beyond_high": high, "p": alone,
                          "p_corrected": together, "family": family})  # fmt: skip
    return out


def is_enough(mean: ClusteredMean) -> bool:
    """Return whether there are enough queries and sets of names for a verdict."""
    return mean.queries >= FEWEST_QUERIES and mean.names >= FEWEST_SETS


def unnamed_table(attributions: Sequence[Attributed], pairs: pd.DataFrame) -> pd.DataFrame:
    """Return UNNAMED_COLUMNS, three rows a system: versions under female, male and any names against the document as it
    is. named_first: the share in which the named version is first; gap and places: by how much. 95 % intervals."""
    queries, sets = clusters(pairs)
    rows = [
        _unnamed_row(one, gender, contrasts, queries, sets)
        for one in attributions
        for gender, contrasts in ((FEMALE, (FEMALE,)), (MALE, (MALE,)), (ANY, (FEMALE, MALE)))
    ]
    return pd.DataFrame(rows, columns=list(UNNAMED_COLUMNS))


def _unnamed_row(
    one: Attributed, gender: str, contrasts: Sequence[str], queries: Array, sets: Array
) -> dict[str, object]:
    row: dict[str, object] = {"system": one.judged.system, "gender": gender, "unit": one.judged.unit}
    for name, quantity in (("gap", GAP), ("places", RANKS), ("named_first", PREFERENCE)):
        values = np.mean([one.by_contrast(quantity, each) for each in contrasts], axis=0)
        mean = clustered_mean(values, queries, sets)
        row |= named(name, mean, share=quantity == PREFERENCE)
    return row | {"queries": mean.queries, "sets": mean.names, "pairs": int((~np.isnan(values)).sum())}


def comparisons_table(attributions: Sequence[Attributed], pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each system and comparison of versions: preference, gap and places, for the first name."""
    rows = pairs.drop(columns=["pair", "doc_id", "other_doc_id"]).rename(
        columns={"document": "doc_id", "group": "name", "other": "other_name"}
    )
    parts = [
        rows.assign(**{quantity: attribution.values(quantity) for quantity in (PREFERENCE, GAP, RANKS)}).assign(
            unit=attribution.judged.unit
        )
        for attribution in attributions
    ]
    table = pd.concat(parts, ignore_index=True)
    table.insert(0, "system", np.repeat([attribution.judged.system for attribution in attributions], len(pairs)))
    return table
