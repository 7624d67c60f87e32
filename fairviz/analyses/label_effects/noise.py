"""Effects of label noise: labels drawn from the annotators' labels, and annotators left out one by one."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy import sparse

from fairviz.analyses.label_effects.annotations import posterior, votes
from fairviz.analyses.label_effects.lists import Lists, codes_under, lists_of
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.voters import CONSENSUSES, default_annotator, is_consensus, labels_of, voters_of
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import speakers, told_voters
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
SOURCES = ("annotators", "dawid-skene")
CELLS = 1_000_000  # lists times draws computed at once


def label_noise(
    study: Study,
    settings: Settings,
    measure: str,
    draws: int = 1000,
    seed: int = 0,
    source: Literal["annotators", "dawid-skene"] = "annotators",
    *,
    places: AlignedRankings | None = None,
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
    lists = lists_of(study, settings, measure, places)
    counts = votes(study, lists.doc_ids, settings)
    if source == "dawid-skene":
        counts = posterior(study, lists.doc_ids, counts, settings)
    return table_of_draws(lists, shares_of(counts), draws, seed)


def shares_of(counts: Array) -> Array:
    """Return each label's share of the votes, (D, 1 + G) to the same; all 0 without votes."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)


def table_of_draws(lists: Lists, shares: Array, draws: int, seed: int) -> pd.DataFrame:
    """Return system, draw, value: see `means_of_draws`."""
    values = means_of_draws(lists, shares, draws, seed)
    system, draw = (axis.ravel() for axis in np.indices((len(lists.systems), draws)))
    return pd.DataFrame(
        {"system": np.asarray(lists.systems, dtype=object)[system], "draw": draw + 1, "value": values.T.ravel()}
    ).astype({"system": "str"})


def means_of_draws(lists: Lists, shares: Array, draws: int, seed: int) -> Array:
    """Return each system's mean under `draws` sets of labels, (B, S). shares (D, 1 + G): of each label; all 0 for
    none.
    """
    open_, settled = (shares > 0).sum(axis=1) > 1, np.where(shares.any(axis=1), shares.argmax(axis=1), -1)
    fixed = lists.sums_where(~open_, settled)  # sums of fixed labels
    moving = _open_lists(lists, open_)
    upper = np.cumsum(shares[open_], axis=1)[:, :-1]  # (U, G)
    generator = np.random.default_rng(seed)
    step = max(1, CELLS // max(len(lists.systems) * len(lists.queries), 1))
    out = np.empty((draws, len(lists.systems)))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        chance = generator.random((size, open_.sum()))  # (b, U)
        codes = (chance[:, :, None] >= upper).sum(axis=2).T  # (U, b)
        weight, count = (
            np.stack(
                [base[0, :, None] + np.zeros(size)]
                + [rest[:, None] + matrix @ (codes == code).astype(np.float64) for code, rest in enumerate(base[1:])]
            )  # without a label, and by group the drawn and fixed ones, (2 + G, L, b)
            for base, matrix in zip(fixed, moving, strict=True)
        )
        values = lists.values(weight.reshape(len(weight), -1), count.reshape(len(count), -1))
        out[start : start + size] = mean_over_queries(values.reshape(*lists.shape, size).swapaxes(1, 2)).T
    return out


def _open_lists(lists: Lists, open_: Array) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return p, and ones, at the places of the documents whose labels are drawn, each (L, U)."""
    is_open = open_[lists.place_document]
    column = np.cumsum(open_) - 1
    at = (lists.place_list[is_open], column[lists.place_document[is_open]])
    shape = (lists.shape[0] * lists.shape[1], int(open_.sum()))
    weight = lists.place_weight[is_open]
    return sparse.csr_array((weight, at), shape=shape), sparse.csr_array((np.ones_like(weight), at), shape=shape)


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
