"""Changes in a measure of labels, and in the order of systems, if one annotator's labels replace another's, compared
with noise: between people, or of an annotator with observed error rates.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy import sparse

from fairviz.analyses.label_effects.lists import Lists, codes_under, lists_of
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import entropy, label_counts, ordinary
from fairviz.annotation.voters import (
    CONSENSUSES,
    dawid_skene,
    default_annotator,
    is_consensus,
    is_machine,
    labels_beside,
    labels_of,
    voters_of,
    votes_of,
    voting_labels,
)
from fairviz.comparison.atlas import fairness
from fairviz.comparison.family import how_of, without_untested
from fairviz.comparison.pairs import compare_rows
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import speakers, told_voters
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.contrasts import sign_of
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study, is_reference

Array = np.ndarray
SOURCES = ("annotators", "dawid-skene")
CELLS = 1_000_000  # lists times draws computed at once
DRAWS = 1000


COLUMNS = ("annotator", "system", "before", "after", "difference", "ci_low", "ci_high", "queries", "rank_before",
           "rank_after", "labelled", "labelled_before")  # fmt: skip


def votes(study: Study, doc_ids: pd.Index, settings: Settings) -> Array:
    """Return how many of the voters gave each document each label, (D, 1 + G), neutral first.

    Where the annotator is `adjudicated`, an adjudicated document counts only its decision.
    """
    names = (study.neutral, *study.groups)
    counts = votes_of(study, settings.voters).counts_of(doc_ids, names)
    if chosen_annotator(study, settings) != ADJUDICATED:
        return counts
    decided = label_counts(study.labels[study.labels["annotator"] == ADJUDICATED], doc_ids, names)
    return np.where(decided.sum(axis=1, keepdims=True) > 0, decided, counts)


def posterior(study: Study, doc_ids: pd.Index, values: Array, settings: Settings) -> Array:
    """Return the probabilities (D, 1 + G), neutral first, under Dawid and Skene's model of the voters' labels.

    values (D, 1 + G): votes. A document with fewer than two votes keeps them: a single label has no uncertainty.
    """
    if not (values.sum(axis=1) > 1).any():
        return values
    probabilities = dawid_skene(voting_labels(study, settings.voters)).posterior
    likely = (
        probabilities.reindex(index=doc_ids, columns=[study.neutral, *study.groups])
        .fillna(0.0)
        .to_numpy(dtype=np.float64)
    )
    return np.where((values.sum(axis=1, keepdims=True) > 1) & (likely.sum(axis=1, keepdims=True) > 0), likely, values)


def uncertainty(study: Study, doc_ids: pd.Index, settings: Settings) -> Array:
    """Return the entropy of the voters' labels over its largest value, log(1 + G), in [0, 1], (D,).

    1 with fewer than two labels; 0 for adjudicated documents, which need no other label.
    """
    counts = votes(study, doc_ids, settings)
    is_decided = doc_ids.isin(study.labels.loc[study.labels["annotator"] == ADJUDICATED, "doc_id"])
    return np.where(is_decided, 0.0, np.where(counts.sum(axis=1) < 2, 1.0, entropy(counts)))


def label_noise(
    study: Study,
    settings: Settings,
    measure: str,
    draws: int = 1000,
    seed: int = 0,
    source: Literal["annotators", "dawid-skene"] = "annotators",
    *,
    rankings: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return each system's mean of a measure of labels under labels drawn at random: system, draw (from 1), value.

    Documents' labels are drawn independently: from the voters' labels of the document, or from its posterior under
    Dawid and Skene's model. A document with a single label keeps it, and an unlabelled one stays unlabelled; where the
    annotator is `adjudicated`, a decided one keeps its decision. All systems share the same draws. Raises UsageError
    for an unknown source or fewer than one draw; otherwise see `what_if`.
    """
    if source not in SOURCES:
        raise UsageError(f"unknown source of noise {source!r}", use_one_of(SOURCES, source))
    if draws < 1:
        raise UsageError(f"the number of draws is {draws}", "Use 1 or more.")
    lists = lists_of(study, settings, measure, rankings)
    counts = votes(study, lists.doc_ids, settings)
    if source == "dawid-skene":
        counts = posterior(study, lists.doc_ids, counts, settings)
    return table_of_draws(lists, shares_of(counts), draws, seed)


def shares_of(counts: Array) -> Array:
    """Return each label's share of the votes, (D, 1 + G) to the same; all 0 without votes."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)


def table_of_draws(lists: Lists, shares: Array, draws: int, seed: int) -> pd.DataFrame:
    """Return each system's mean under `draws` sets of labels: system, draw (from 1), value. shares (D, 1 + G): of each
    label; all 0 for none.
    """
    open_, settled = (shares > 0).sum(axis=1) > 1, np.where(shares.any(axis=1), shares.argmax(axis=1), -1)
    fixed = lists.sums(settled, ~open_)  # sums of fixed labels
    # p, and ones, at the places of the documents whose labels are drawn, (L, U) each.
    is_open = open_[lists.place_document]
    at = (lists.place_list[is_open], (np.cumsum(open_) - 1)[lists.place_document[is_open]])
    shape = (lists.shape[0] * lists.shape[1], int(open_.sum()))
    p = lists.place_weight[is_open]
    moving = [sparse.csr_array((values, at), shape=shape) for values in (p, np.ones_like(p))]

    upper = np.cumsum(shares[open_], axis=1)[:, :-1]  # (U, G)
    generator = np.random.default_rng(seed)
    step = max(1, CELLS // max(len(lists.systems) * len(lists.queries), 1))
    means = np.empty((draws, len(lists.systems)))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        chance = generator.random((size, open_.sum()))  # (b, U)
        codes = (chance[:, :, None] >= upper).sum(axis=2).T  # (U, b)
        sums = []  # without a label, and by group the drawn and fixed ones, (2 + G, L, b)
        for base, matrix in zip(fixed, moving, strict=True):
            by_label = [base[0, :, None] + np.zeros(size)]
            for code, rest in enumerate(base[1:]):
                by_label.append(rest[:, None] + matrix @ (codes == code).astype(np.float64))
            sums.append(np.stack(by_label))
        weight, count = sums
        values = lists.values(weight.reshape(len(weight), -1), count.reshape(len(count), -1))
        means[start : start + size] = mean_over_queries(values.reshape(*lists.shape, size).swapaxes(1, 2)).T
    system, draw = (axis.ravel() for axis in np.indices(means.T.shape))
    return pd.DataFrame(
        {"system": np.asarray(lists.systems, dtype=object)[system], "draw": draw + 1, "value": means.T.ravel()}
    ).astype({"system": "str"})


def leave_one_annotator_out(study: Study, settings: Settings, measure: str) -> pd.DataFrame:
    """Return each system's mean if the consensus leaves out one annotator: annotator, system, value, baseline, change.

    The consensus is that of the settings' voters: majority or Dawid-Skene, with the reader's decisions if they count;
    the majority if the settings name a single annotator. baseline: the value with all of them, which equals `evaluate`
    and `summarise` under the settings of `all_together`. change: value minus baseline. Raises FairvizError with fewer
    than two voters; otherwise see `what_if`.
    """
    names = voters_of(study, settings.voters)
    if len(names) < 2:
        voters_text = told_voters(study, names)
        raise FairvizError(
            f"in the study {study.name!r} {voters_text} {'alone votes' if names else 'votes'}: none can be left out",
            "Add labels of another annotator, or name more voters.",
        )
    settings = all_together(study, settings)
    annotator_choice = chosen_annotator(study, settings)
    lists = lists_of(study, settings, measure)

    def mean_of(names: Sequence[str]) -> Array:
        return lists.means(codes_under(lists, labels_of(study, annotator_choice, names)))

    everyone = mean_of(names)
    values = np.stack([mean_of([name for name in names if name != left]) for left in names])  # (A, S)
    annotator, system = (axis.ravel() for axis in np.indices(values.shape))
    return pd.DataFrame(
        {
            "annotator": np.asarray(names, dtype=object)[annotator],
            "system": np.asarray(lists.systems, dtype=object)[system],
            "value": values.ravel(),
            "baseline": everyone[system],
            "change": (values - everyone).ravel(),
        }
    ).astype({"annotator": "str", "system": "str"})


def all_together(study: Study, settings: Settings) -> Settings:
    """Return the settings of the baseline of `leave_one_annotator_out`: these, if a consensus counts, else with the
    majority.

    Raises FairvizError if annotators of the study have the names of the consensuses.
    """
    annotator = chosen_annotator(study, settings)
    basis = default_annotator(study) if annotator == ADJUDICATED else annotator
    if is_consensus(study, basis):
        return settings
    consensuses = [name for name in CONSENSUSES if is_consensus(study, name)]
    if not consensuses:
        raise FairvizError(
            f"annotators of the study {study.name!r} are called {' and '.join(CONSENSUSES)}, as the consensuses are",
            "Rename them in the file of labels.",
        )
    return settings.changed(annotator=consensuses[0])


def without_note(study: Study, settings: Settings, measure: str) -> str:
    """Return a note on the baseline of `leave_one_annotator_out`; "" with fewer than two voters."""
    if len(voters_of(study, settings.voters)) < 2:
        return ""
    annotator = chosen_annotator(study, settings)
    consensus = chosen_annotator(study, all_together(study, settings))
    whose = speakers(study, consensus, settings.voters)
    note = f"{measure} of each system without one annotator, minus its value under {whose}"
    if annotator == consensus:
        return f"{note}, which is the value on this page."
    return (
        f"{note}. The other figures of this page count {speakers(study, annotator, settings.voters)} instead; "
        f"choose {consensus} as the annotator to see that value everywhere."
    )


def replaced(
    study: Study,
    settings: Settings,
    measure: str,
    annotators: Sequence[str],
    other: str,
    *,
    fill: bool = False,
    rankings: AlignedRankings | None = None,
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
    lists = lists_of(study, settings, measure, rankings)
    base = _codes(study, settings, lists, other)
    value_before, labelled_before = _values(lists, base)
    tables, pairs = [], []
    for name in annotators:
        codes = _codes(study, settings, lists, name)
        value_after, labelled = _values(lists, np.where((codes < 0) & fill, base, codes))
        is_defined = ~np.isnan(value_before) & ~np.isnan(value_after)
        before, after = (np.where(is_defined, values, np.nan) for values in (value_before, value_after))  # (S, Q)
        means = mean_over_queries(before), mean_over_queries(after)
        ranks = [
            pd.Series(fairness(lists.question, mean)).round(12).rank(ascending=False, method="min") for mean in means
        ]
        columns = {
            "annotator": name, "system": list(lists.systems), "before": means[0], "after": means[1],
            "difference": mean_over_queries(after - before), "queries": is_defined.sum(axis=1),
            "rank_before": ranks[0], "rank_after": ranks[1], "labelled": labelled, "labelled_before": labelled_before,
        }  # fmt: skip
        tables.append(pd.DataFrame(columns).astype({"annotator": "str", "system": "str"}))
        pairs.append(np.stack([before, after]))
    if not tables:
        return pd.DataFrame(columns=COLUMNS)
    before, after = np.concatenate(pairs, axis=1)
    tested = compare_rows(after, before, how_of(study, settings))
    return pd.concat(tables, ignore_index=True).assign(ci_low=tested.low, ci_high=tested.high)[list(COLUMNS)]


def _values(lists: Lists, codes: Array) -> tuple[Array, Array]:
    """Return each list's value (S, Q) and the share of each system's places with a label (S,)."""
    weight, count = lists.sums(codes)
    by_system = count.reshape(len(count), *lists.shape).sum(axis=2)  # (2 + G, S)
    total = by_system.sum(axis=0)
    share = np.divide(total - by_system[0], total, out=np.full(total.shape, np.nan), where=total > 0)
    return lists.values(weight, count).reshape(lists.shape), share


def _codes(study: Study, settings: Settings, lists: Lists, name: str) -> Array:
    labels = labels_of(study, name, settings.voters)
    if not len(labels):
        raise FairvizError(f"{name!r} gave no label in {study.name}", "Name another annotator.")
    return codes_under(lists, labels)


def reversals(table: pd.DataFrame) -> pd.DataFrame:
    """Return annotator, pairs, reversed, tied: of all pairs of systems with an order before, the reversed and the tied
    ones.

    table: from `replaced`, without references.
    """
    rows = []
    for name, group in contenders(table).groupby("annotator", sort=False):
        before, after = (_pair_signs(group[column].to_numpy(dtype=float)) for column in ("rank_before", "rank_after"))
        ordered = before != 0
        turned, tied = ordered & (after == -before), ordered & (after == 0)
        rows.append((name, int(ordered.sum()), int(turned.sum()), int(tied.sum())))
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
    study: Study, settings: Settings, measure: str, draws: int = DRAWS, *, rankings: AlignedRankings | None = None
) -> pd.DataFrame | None:
    """Return each system's mean with labels drawn from people's labels of each document: system, draw, value.

    None if no two people labelled the same document of these lists. See `label_noise`.
    """
    names = people(study, settings)
    lists = lists_of(study, settings, measure, rankings)
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
    rankings: AlignedRankings | None = None,
) -> pd.DataFrame:
    """Return each system's mean with the annotator's errors drawn at random: system, draw, value.

    Every document's label is drawn from the reference's labels of documents with the annotator's label; labels that the
    annotator gave to none of the reference's documents stay. All systems share the same draws. Raises: see `lists_of`;
    and FairvizError if no document has both labels.
    """
    lists = lists_of(study, settings, measure, rankings)
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
    rankings: AlignedRankings | None = None,
) -> tuple[int, float, float]:
    """Return the number of ordered pairs of systems under the annotator's labels, the mean number reversed in a draw,
    and the share of draws with any reversal.

    table: system, draw, value.
    """
    lists = lists_of(study, without_untested(study, settings), measure, rankings)
    systems = contenders(pd.DataFrame({"system": list(lists.systems)}))
    values = table.pivot(index="draw", columns="system", values="value").reindex(columns=systems["system"])
    means = lists.means(_codes(study, settings, lists, annotator))[systems.index]
    base = _pair_signs(-fairness(lists.question, means))  # (P,)
    orders = _pair_signs(-fairness(lists.question, values.to_numpy()))  # (B, P)
    turned = ((orders == -base) & (base != 0)).sum(axis=1)
    return int((base != 0).sum()), float(turned.mean()), float((turned > 0).mean())
