"""Changes in a measure of labels, and in the order of systems, if one annotator's labels replace another's, compared
with noise: between people, or of an annotator with observed error rates.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.label_effects.annotations import votes
from fairviz.analyses.label_effects.lists import Lists, codes_under, fairness, lists_of
from fairviz.analyses.label_effects.noise import shares_of, table_of_draws
from fairviz.annotation.agreement import ordinary
from fairviz.annotation.voters import is_machine, labels_beside, labels_of, voters_of
from fairviz.comparison.family import how_of, without_untested
from fairviz.comparison.pairs import compare_rows
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import sign_of
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study, is_reference

Array = np.ndarray
DRAWS = 1000


def replaced(
    study: Study,
    settings: Settings,
    measure: str,
    annotators: Sequence[str],
    other: str,
    *,
    fill: bool = False,
    places: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return each system's mean of a measure of labels if an annotator's labels replace another's, a row per annotator
    and system: annotator, system, before, after, difference, ci_low, ci_high, queries, rank_before, rank_after,
    labelled and labelled_before.

    Added systems that are not ticked are left out. All over the queries in which the system's list has a value under
    both, so that difference is after - before. The differences of the table are one family, whose intervals are those
    of its tests; NaN under ten queries. Ranks: 1 is the fairest (for a measure that only describes, the highest), ties
    share the better one. labelled: the share of places within the cutoff with a label. fill: documents without a label
    by the annotator keep the other's. Raises: see `lists_of`; and FairvizError if either has no labels.
    """
    settings = without_untested(study, settings)
    lists = lists_of(study, settings, measure, places)
    base = _codes(study, settings, lists, other)
    tables, values = [], []
    for name in annotators:
        codes = _codes(study, settings, lists, name)
        table, value_pairs = _rows(lists, name, base, np.where((codes < 0) & fill, base, codes))
        tables.append(table)
        values.append(value_pairs)
    if not tables:
        return pd.DataFrame(columns=COLUMNS)
    before, after = np.concatenate(values, axis=1)
    tested = compare_rows(after, before, how_of(study, settings))
    return pd.concat(tables, ignore_index=True).assign(ci_low=tested.low, ci_high=tested.high)[list(COLUMNS)]


COLUMNS = ("annotator", "system", "before", "after", "difference", "ci_low", "ci_high", "queries", "rank_before",
           "rank_after", "labelled", "labelled_before")  # fmt: skip


def _codes(study: Study, settings: Settings, lists: Lists, name: str) -> Array:
    labels = labels_of(study, name, settings.voters)
    if not len(labels):
        raise FairvizError(f"{name!r} gave no label in {study.name}", "Name another annotator.")
    return codes_under(lists, labels)


def _rows(lists: Lists, name: str, base: Array, codes: Array) -> tuple[pd.DataFrame, Array]:
    """Return the rows of one annotator without intervals, and the values before and after, (2, S, Q)."""
    (before, labelled_before), (after, labelled) = (_values(lists, one) for one in (base, codes))
    is_defined = ~np.isnan(before) & ~np.isnan(after)
    before, after = np.where(is_defined, before, np.nan), np.where(is_defined, after, np.nan)  # (S, Q)
    means = mean_over_queries(before), mean_over_queries(after)
    ranks = [pd.Series(fairness(lists, mean)).round(12).rank(ascending=False, method="min") for mean in means]
    values = (name, list(lists.systems), *means, mean_over_queries(after - before), is_defined.sum(axis=1), *ranks,
              labelled, labelled_before)  # fmt: skip
    names = [column for column in COLUMNS if column not in ("ci_low", "ci_high")]
    table = pd.DataFrame(dict(zip(names, values, strict=True))).astype({"annotator": "str", "system": "str"})
    return table, np.stack([before, after])


def _values(lists: Lists, codes: Array) -> tuple[Array, Array]:
    """Return each list's value (S, Q) and the share of each system's places with a label (S,)."""
    weight, count = lists.sums(codes)
    by_system = count.reshape(len(count), *lists.shape).sum(axis=2)  # (2 + G, S)
    total = by_system.sum(axis=0)
    share = np.divide(total - by_system[0], total, out=np.full(total.shape, np.nan), where=total > 0)
    return lists.values(weight, count).reshape(lists.shape), share


def reversals(table: pd.DataFrame) -> pd.DataFrame:
    """Return annotator, pairs, reversed, tied: of all pairs of systems with an order before, the reversed and the tied
    ones.

    table: from `replaced`, without references.
    """
    rows = []
    for name, group in contenders(table).groupby("annotator", sort=False):
        before, after = (_pair_signs(group[column].to_numpy(dtype=float)) for column in ("rank_before", "rank_after"))
        pairs = before != 0
        rows.append((name, int(pairs.sum()), int((pairs & (after == -before)).sum()),
                     int((pairs & (after == 0)).sum())))  # fmt: skip
    return pd.DataFrame(rows, columns=["annotator", "pairs", "reversed", "tied"])


def contenders(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of systems that are not references; all rows if there are only references."""
    rows = table[~table["system"].map(is_reference).astype(bool)]
    return rows if len(rows) else table


def _pair_signs(values: Array) -> Array:
    """Return which of each pair is smaller, (…, S) to (…, P): -1, 0 for a tie or an undefined one, 1."""
    first, second = np.triu_indices(values.shape[-1], 1)
    difference = np.nan_to_num(values[..., first] - values[..., second])
    return sign_of(difference)


def people(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the voters that are no rules or models alone, in order of appearance."""
    return tuple(name for name in voters_of(study, settings.voters) if not is_machine(study, name))


def noise_between_people(
    study: Study, settings: Settings, measure: str, draws: int = DRAWS, *, places: AlignedRankings | None = None
) -> pd.DataFrame | None:
    """Return each system's mean with labels drawn from people's labels of each document: system, draw, value.

    None if no two people labelled the same document of these lists. See `label_noise`.
    """
    names = people(study, settings)
    lists = lists_of(study, settings, measure, places)
    counts = votes(study, lists.doc_ids, settings.changed(voters=names))
    if len(names) < 2 or not (counts.sum(axis=1) > 1).any():
        return None
    return table_of_draws(lists, shares_of(counts), draws, 0)


def noise_of_errors(
    study: Study,
    settings: Settings,
    measure: str,
    annotator: str,
    reference: str,
    draws: int = DRAWS,
    seed: int = 0,
    *,
    places: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return each system's mean with the annotator's errors drawn at random: system, draw, value.

    Every document's label is drawn from the reference's labels of documents with the annotator's label; labels that the
    annotator gave to none of the reference's documents stay. All systems share the same draws. Raises: see `lists_of`;
    and FairvizError if no document has both labels.
    """
    lists = lists_of(study, settings, measure, places)
    doc_ids = pd.Index(study.labels["doc_id"].unique(), dtype="str")
    own = ordinary(labels_of(study, annotator, settings.voters))
    true = ordinary(labels_beside(study, reference, annotator, settings.voters))
    annotator_codes, true_codes = (codes_under(lists, labels, doc_ids) for labels in (own, true))
    is_shared = (annotator_codes >= 0) & (true_codes >= 0)
    if not is_shared.any():
        raise FairvizError(
            f"{annotator} and {reference} labelled no document in common, so their error rates are unknown",
            "Choose another reference.",
        )
    names = len(lists.names)
    counts = (
        np.bincount(annotator_codes[is_shared] * names + true_codes[is_shared], minlength=names * names)
        .reshape(names, names)
        .astype(float)
    )
    counts += np.eye(names) * (counts.sum(axis=1) == 0)
    rates = counts / counts.sum(axis=1, keepdims=True)  # (said, true)
    codes = _codes(study, settings, lists, annotator)
    return table_of_draws(lists, np.where((codes >= 0)[:, None], rates[codes], 0.0), draws, seed)


def noise_ranges(table: pd.DataFrame) -> pd.DataFrame:
    """Return system, low, value, high: the middle 95 % of each system's draws, and their median."""
    quantiles = table.groupby("system", sort=False)["value"].quantile(np.array([0.025, 0.5, 0.975])).unstack()
    quantiles.columns = pd.Index(["low", "value", "high"])
    return quantiles.reset_index()


def order_in_draws(
    study: Study,
    settings: Settings,
    measure: str,
    table: pd.DataFrame,
    annotator: str,
    *,
    places: AlignedRankings | None = None,
) -> tuple[int, float, float]:
    """Return the number of ordered pairs of systems under the annotator's labels, the mean number reversed in a draw,
    and the share of draws with any reversal.

    table: system, draw, value.
    """
    lists = lists_of(study, without_untested(study, settings), measure, places)
    systems = contenders(pd.DataFrame({"system": list(lists.systems)}))
    values = table.pivot(index="draw", columns="system", values="value").reindex(columns=systems["system"])
    means = lists.means(_codes(study, settings, lists, annotator))[systems.index]
    base = _pair_signs(-np.asarray(fairness(lists, means)))  # (P,)
    orders = _pair_signs(-np.asarray(fairness(lists, values.to_numpy())))  # (B, P)
    turned = ((orders == -base) & (base != 0)).sum(axis=1)
    return int((base != 0).sum()), float(turned.mean()), float((turned > 0).mean())
