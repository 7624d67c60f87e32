"""What changes in a measure of labels, and in the order of systems, when one annotator's labels replace another's; and
how much of that is noise: between people, or of an annotator who errs as often as it was seen to."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.electorate import by_hand, electorate
from fairviz.effects.annotations import votes
from fairviz.effects.lists import Lists, codes_under, fairness, lists_of
from fairviz.effects.noise import drawn_means, label_noise
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import labels_of
from fairviz.evaluation.family import how_of, without_untested
from fairviz.evaluation.paired_rows import compare_rows
from fairviz.evaluation.points import is_reference
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import Places
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.study.study import Study

Array = np.ndarray
DRAWS = 1000
SAME = 1e-12  # systems this near are tied: what sums lose


def replaced(
    study: Study,
    settings: Settings,
    measure: str,
    annotators: Sequence[str],
    other: str,
    *,
    fill: bool = False,
    places: Places | None = None,
) -> pd.DataFrame:
    """Each system's mean of a measure of labels when an annotator's labels replace another's, a row an annotator and
    system: annotator, system, before, after, difference, ci_low, ci_high, queries, rank_before, rank_after, labelled
    and labelled_before.

    Added systems that are not ticked take no part. All over the queries in which the system's list has a value under
    both, so that difference is after - before. The differences of the table are one family, whose intervals are those
    of its tests; NaN under ten queries. Ranks: 1 is the fairest (for a measure that only describes, the highest), ties
    share the better one. labelled: the share of places within the cutoff with a label.
    fill: a document without a label by the annotator keeps the other's. Raises as lists_of, and FairvizError where
    either gave no label.
    """
    settings = without_untested(study, settings)
    lists = lists_of(study, settings, measure, places)
    base = _codes(study, lists, other)
    tables, values = [], []
    for name in annotators:
        codes = _codes(study, lists, name)
        table, both = _rows(lists, name, base, np.where((codes < 0) & fill, base, codes))
        tables.append(table)
        values.append(both)
    if not tables:
        return pd.DataFrame(columns=COLUMNS)
    before, after = np.concatenate(values, axis=1)
    tested = compare_rows(after, before, how_of(study, settings))
    return pd.concat(tables, ignore_index=True).assign(ci_low=tested.low, ci_high=tested.high)[list(COLUMNS)]


COLUMNS = ("annotator", "system", "before", "after", "difference", "ci_low", "ci_high", "queries", "rank_before",
           "rank_after", "labelled", "labelled_before")  # fmt: skip


def _codes(study: Study, lists: Lists, name: str) -> Array:
    labels = labels_of(study, name)
    if not len(labels):
        raise FairvizError(f"{name!r} gave no label in {study.name}", "Name another annotator.")
    return codes_under(lists, labels)


def _rows(lists: Lists, name: str, base: Array, codes: Array) -> tuple[pd.DataFrame, Array]:
    """Return the rows of one annotator without intervals, and the values before and after, (2, S, Q)."""
    (before, known), (after, labelled) = (_values(lists, one) for one in (base, codes))
    both = ~np.isnan(before) & ~np.isnan(after)
    before, after = np.where(both, before, np.nan), np.where(both, after, np.nan)  # (S, Q)
    means = mean_over_queries(before), mean_over_queries(after)
    ranks = [pd.Series(fairness(lists, mean)).round(12).rank(ascending=False, method="min") for mean in means]
    values = (name, list(lists.systems), *means, mean_over_queries(after - before), both.sum(axis=1), *ranks, labelled,
              known)  # fmt: skip
    names = [column for column in COLUMNS if column not in ("ci_low", "ci_high")]
    table = pd.DataFrame(dict(zip(names, values, strict=True))).astype({"annotator": "str", "system": "str"})
    return table, np.stack([before, after])


def _values(lists: Lists, codes: Array) -> tuple[Array, Array]:
    """Each list's value (S, Q) and the share of each system's places that have a label (S,)."""
    weight, count = lists.sums(codes)
    by_system = count.reshape(len(count), *lists.shape).sum(axis=2)  # (2 + G, S)
    total = by_system.sum(axis=0)
    share = np.divide(total - by_system[0], total, out=np.full(total.shape, np.nan), where=total > 0)
    return lists.values(weight, count).reshape(lists.shape), share


def reversals(table: pd.DataFrame) -> pd.DataFrame:
    """annotator, pairs, reversed, tied: of all pairs of systems that have an order before, how many have the other one
    after, and how many none. table: as `replaced` gives it. References are no contenders, and have no place."""
    rows = []
    for name, part in contenders(table).groupby("annotator", sort=False):
        before, after = (_order(part[column].to_numpy(dtype=float)) for column in ("rank_before", "rank_after"))
        pairs = before != 0
        rows.append((name, int(pairs.sum()), int((pairs & (after == -before)).sum()),
                     int((pairs & (after == 0)).sum())))  # fmt: skip
    return pd.DataFrame(rows, columns=["annotator", "pairs", "reversed", "tied"])


def contenders(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of systems that are no references; all of them where there are only references."""
    kept = table[~table["system"].map(is_reference).astype(bool)]
    return kept if len(kept) else table


def _order(values: Array) -> Array:
    """Which of each pair is smaller, (…, S) to (…, P): -1, 0 for a tie or an undefined one, 1."""
    first, second = np.triu_indices(values.shape[-1], 1)
    apart = np.nan_to_num(values[..., first] - values[..., second])
    return np.where(np.abs(apart) < SAME, 0, np.sign(apart))


def people(study: Study) -> tuple[str, ...]:
    """Those in whose labels a person had a hand and whose labels vote, in order of appearance."""
    return tuple(name for name in electorate(study) if by_hand(study, name) and name != ADJUDICATED)


def noise_between_people(
    study: Study, settings: Settings, measure: str, draws: int = DRAWS, *, places: Places | None = None
) -> pd.DataFrame | None:
    """Each system's mean when every label is drawn from what people gave the document: system, draw, value, as
    label_noise. None where it cannot be known: no two people labelled the same document of these lists."""
    voters = people(study)
    lists = lists_of(study, settings, measure, places)
    if len(voters) < 2 or not (votes(study, lists.doc_ids, voters).sum(axis=1) > 1).any():
        return None
    return label_noise(study, settings, measure, draws, places=places, annotators=voters)


def noise_of_errors(
    study: Study,
    settings: Settings,
    measure: str,
    annotator: str,
    reference: str,
    draws: int = DRAWS,
    seed: int = 0,
    *,
    places: Places | None = None,
) -> pd.DataFrame:
    """Each system's mean when the annotator errs as often as against the reference: system, draw, value.

    Every document's label is drawn from what the reference says of documents to which the annotator gave this label;
    a label that it gave to none of the reference's documents stays. All systems see the same draws. Raises as
    lists_of, and FairvizError where the two labelled no document in common.
    """
    lists = lists_of(study, settings, measure, places)
    said, true = (codes_under(lists, labels_of(study, name), _all(study)) for name in (annotator, reference))
    both = (said >= 0) & (true >= 0)
    if not both.any():
        raise FairvizError(
            f"{annotator} and {reference} labelled no document in common, so nobody knows how often one errs",
            "Choose another reference.",
        )
    names = len(lists.names)
    counts = np.bincount(said[both] * names + true[both], minlength=names * names).reshape(names, names).astype(float)
    counts += np.eye(names) * (counts.sum(axis=1) == 0)
    rates = counts / counts.sum(axis=1, keepdims=True)  # (said, true)
    codes = _codes(study, lists, annotator)
    shares = np.where((codes >= 0)[:, None], rates[codes], 0.0)
    values = drawn_means(lists, shares, draws, seed)  # (B, S)
    system, draw = (axis.ravel() for axis in np.indices((len(lists.systems), draws)))
    return pd.DataFrame(
        {"system": np.asarray(lists.systems, dtype=object)[system], "draw": draw + 1, "value": values.T.ravel()}
    ).astype({"system": "str"})


def _all(study: Study) -> pd.Index:
    return pd.Index(study.labels["doc_id"].unique(), dtype="str")


def noise_ranges(drawn: pd.DataFrame) -> pd.DataFrame:
    """system, low, value, high: the middle 95 % of each system's draws, and their median."""
    found = drawn.groupby("system", sort=False)["value"].quantile(np.array([0.025, 0.5, 0.975])).unstack()
    found.columns = pd.Index(["low", "value", "high"])
    return found.reset_index()


def order_in_draws(
    study: Study, settings: Settings, measure: str, drawn: pd.DataFrame, annotator: str, *, places: Places | None = None
) -> tuple[int, float, float]:
    """How many pairs of systems have an order under the annotator's labels; how many of them have the other one in a
    draw, on average; and the share of draws in which any has. drawn: system, draw, value."""
    lists = lists_of(study, without_untested(study, settings), measure, places)
    systems = contenders(pd.DataFrame({"system": list(lists.systems)}))
    wide = drawn.pivot(index="draw", columns="system", values="value").reindex(columns=systems["system"])
    means = lists.means(_codes(study, lists, annotator))[systems.index]
    base = _order(-np.asarray(fairness(lists, means)))  # (P,)
    orders = _order(-np.asarray(fairness(lists, wide.to_numpy())))  # (B, P)
    turned = ((orders == -base) & (base != 0)).sum(axis=1)
    return int((base != 0).sum()), float(turned.mean()), float((turned > 0).mean())
