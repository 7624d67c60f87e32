"""How far doubtful labels carry: labels drawn from what the annotators said, and annotators left out one by one."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from scipy import sparse

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.consensus import CONSENSUSES
from fairviz.annotation.electorate import electorate
from fairviz.effects.annotations import posterior, votes
from fairviz.effects.lists import Lists, codes_under, lists_of
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import chosen_annotator, default_annotator, is_consensus, labels_of
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.speakers import speakers, told_voters
from fairviz.measures.sums import Places
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.study.study import Study

Array = np.ndarray
SOURCES = ("annotators", "dawid-skene")
CELLS = 1_000_000  # lists times draws that are computed together


def label_noise(
    study: Study,
    settings: Settings,
    measure: str,
    draws: int = 1000,
    seed: int = 0,
    source: Literal["annotators", "dawid-skene"] = "annotators",
    *,
    places: Places | None = None,
    annotators: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Each system's mean of a measure of labels under labels drawn at random: system, draw (from 1), value.

    Every document's label is drawn for itself: from the labels that the annotators gave it, or from its posterior
    under Dawid and Skene's model. One label is no doubt: a document of one annotator keeps it; one that a reader
    decided keeps the decision; one without a label stays without. All systems see the same draws. annotators: those
    to draw from, the study's electorate unless named. Raises UsageError for an unknown source or fewer than one draw,
    else as what_if.
    """
    if source not in SOURCES:
        raise UsageError(f"unknown source of noise {source!r}", f"Use one of {', '.join(SOURCES)}.")
    if draws < 1:
        raise UsageError(f"the number of draws is {draws}", "Use 1 or more.")
    lists = lists_of(study, settings, measure, places)
    given = votes(study, lists.doc_ids, annotators)
    if source == "dawid-skene":
        given = posterior(study, lists.doc_ids, given, annotators)
    total = given.sum(axis=1, keepdims=True)
    values = drawn_means(lists, np.divide(given, total, out=np.zeros(given.shape), where=total > 0), draws, seed)
    system, draw = (axis.ravel() for axis in np.indices((len(lists.systems), draws)))
    return pd.DataFrame(
        {"system": np.asarray(lists.systems, dtype=object)[system], "draw": draw + 1, "value": values.T.ravel()}
    ).astype({"system": "str"})


def drawn_means(lists: Lists, shares: Array, draws: int, seed: int) -> Array:
    """Each system's mean under `draws` sets of labels, (B, S). shares (D, 1 + G): of each label; all 0 for none."""
    open_, settled = (shares > 0).sum(axis=1) > 1, np.where(shares.any(axis=1), shares.argmax(axis=1), -1)
    fixed = lists.sums_where(~open_, settled)  # what no draw changes
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
            np.stack([base[0, :, None] + np.zeros(size), *_held(matrix, codes, base[1:])])
            for base, matrix in zip(fixed, moving, strict=True)
        )
        values = lists.values(weight.reshape(len(weight), -1), count.reshape(len(count), -1))
        out[start : start + size] = mean_over_queries(values.reshape(*lists.shape, size).swapaxes(1, 2)).T
    return out


def _open_lists(lists: Lists, open_: Array) -> tuple[sparse.csr_array, sparse.csr_array]:
    """p, and ones, at the places of the documents that are drawn, each (L, U)."""
    kept = open_[lists.place_document]
    column = np.cumsum(open_) - 1
    at = (lists.place_list[kept], column[lists.place_document[kept]])
    shape = (lists.shape[0] * lists.shape[1], int(open_.sum()))
    weight = lists.place_weight[kept]
    return sparse.csr_array((weight, at), shape=shape), sparse.csr_array((np.ones_like(weight), at), shape=shape)


def _held(matrix: sparse.csr_array, codes: Array, base: Array) -> list[Array]:
    """Sums by group, each (L, b), of what is drawn and what is not."""
    return [rest[:, None] + matrix @ (codes == code).astype(np.float64) for code, rest in enumerate(base)]


def leave_one_annotator_out(
    study: Study, settings: Settings, measure: str, *, annotators: Sequence[str] | None = None
) -> pd.DataFrame:
    """Each system's mean when the consensus does without one annotator: annotator, system, value, baseline, change.

    The consensus is what the settings let count: majority or Dawid-Skene, with the reader's decisions laid over it
    where those count; the majority where the settings choose a single annotator. annotators: those of the consensus,
    the study's electorate unless named. baseline: the value of all of them together, which for the electorate is what
    `evaluate` and `summarise` give under the settings that `all_together` returns. change: value minus baseline.
    Raises FairvizError where fewer than two vote, else as what_if.
    """
    names = electorate(study, annotators)
    if len(names) < 2:
        who = told_voters(study, names)
        raise FairvizError(
            f"in the study {study.name!r} {who} {'alone votes' if names else 'votes'}: none can be left out",
            "Add labels of another annotator, or name the annotators of whom a consensus is to be made.",
        )
    settings = all_together(study, settings)
    chosen = chosen_annotator(study, settings)
    lists = lists_of(study, settings, measure)

    def mean_of(kept: Sequence[str]) -> Array:
        return lists.means(codes_under(lists, labels_of(study, chosen, kept)))

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
    """The settings under which `without one annotator` has its baseline: these, where a consensus counts, else with
    the majority as the annotator. Raises FairvizError where annotators of the study are called as the consensuses."""
    chosen = chosen_annotator(study, settings)
    basis = default_annotator(study) if chosen == ADJUDICATED else chosen
    if is_consensus(study, basis):
        return settings
    free = [name for name in CONSENSUSES if is_consensus(study, name)]
    if not free:
        raise FairvizError(
            f"annotators of the study {study.name!r} are called {' and '.join(CONSENSUSES)}, as the consensuses are",
            "Rename them in the file of labels.",
        )
    return settings.changed(annotator=free[0])


def without_note(study: Study, settings: Settings, measure: str) -> str:
    """What `without one annotator` is compared with, in a sentence or two; empty where fewer than two vote."""
    if len(electorate(study)) < 2:
        return ""
    chosen = chosen_annotator(study, settings)
    whole = chosen_annotator(study, all_together(study, settings))
    told = f"{measure} of each system without one annotator, minus its value under {speakers(study, whole)}"
    if chosen == whole:
        return f"{told}, which is the value on this page."
    return (
        f"{told}. The other figures of this page count {speakers(study, chosen)} instead; "
        f"choose {whole} as the annotator to see that value everywhere."
    )
