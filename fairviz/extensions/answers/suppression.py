"""Which groups' documents a system cites less often than a random choice from what it was shown, and the quantity
`suppression of GROUP` for the conditions of a gate.

Axis letters: Q queries, L labels (neutral, then the groups), D documents shown for one query.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.comparison.conditions import Contrast, Pair, QuantityKind, read_group
from fairviz.comparison.pairs import FEWEST_QUERIES, no_verdict
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import chosen_labels, chosen_queries
from fairviz.evaluation.settings import Settings
from fairviz.extensions.answers.layouts import FOLDER, HOW, NONE, SUFFIXES, Answer, answering, read_answers
from fairviz.measures.rankings import LabelEvidence, label_evidence
from fairviz.statistics.intervals import ClusteredShare, clustered_share, difference_of, ratio_of
from fairviz.study.record import Study

Array = np.ndarray


def answers_of(study: Study, settings: Settings) -> dict[str, dict[str, Answer]]:
    """Return the answers in the study's folder to the queries that the filter keeps, by system and query.

    Raises FairvizError for a study without any, DataError for a bad line.
    """
    folder = None if study.folder is None else Path(study.folder, FOLDER)
    paths = sorted(folder.iterdir()) if folder is not None and folder.is_dir() else []
    found: dict[str, dict[str, Answer]] = {}
    for path in paths:
        if path.name.lower().endswith(SUFFIXES) and not path.name.startswith("."):
            for answer in read_answers(path, study.folder):
                found.setdefault(answer.system, {})[answer.query_id] = answer
    if not found:
        raise FairvizError(f"{study.name} {NONE}", HOW)
    kept = chosen_queries(study, settings)
    return {system: {query: answers[query] for query in kept if query in answers} for system, answers in found.items()}


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels that count, by document."""

    names: tuple[str, ...]  # neutral first
    evidence: LabelEvidence
    places: pd.Index
    unlabelled: str

    def of(self, documents: Sequence[str]) -> Array:
        """Return the share of each document in each label, (D, L); zeros without a label, unless those count as
        neutral."""
        places = self.places.get_indexer(pd.Index([*documents], dtype="str"))
        return self.evidence.memberships(places, len(self.names), 0 if self.unlabelled == "neutral" else -1)


def labels_of_answers(study: Study, settings: Settings, answers: dict[str, dict[str, Answer]]) -> Labels:
    """Return the labels of the chosen annotator for all documents shown or cited."""
    everything = [one for by_query in answers.values() for one in by_query.values()]
    documents = pd.Index(
        dict.fromkeys(name for one in everything for name in (*(one.context or ()), *one.counts)), dtype="str"
    )
    evidence = label_evidence(chosen_labels(study, settings), documents, study.neutral, study.groups)
    return Labels((study.neutral, *study.groups), evidence, documents, settings.unlabelled)


@dataclass(frozen=True, eq=False)
class Shares:
    """Citations of one group's documents by one system, over the queries with a citation of a labelled document shown.

    cited: the share of the citations. chance: the share that a random choice of as many from the same contexts has.
    chance_error: the standard deviation of `cited` under such choices. value: the suppression, 1 − cited / chance, 0
    where the group is cited like the others, below 0 where it is cited more; NaN where no context shows the group.
    citations: their number.
    """

    cited: ClusteredShare
    chance: ClusteredShare
    chance_error: float
    citations: float

    @property
    def value(self) -> float:
        """The suppression."""
        return 1 - ratio_of(self.cited, self.chance)[0]

    @property
    def errors(self) -> Array:
        """The parts of the queries in the error of the suppression, to first order, (Q,)."""
        share = self.chance.value or np.nan
        return -(self.cited.errors / share - self.cited.value * self.chance.errors / share**2)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return both ends of the interval of the suppression, of the ratio of the two shares over queries."""
        _, low, high = ratio_of(self.cited, self.chance, level)
        return 1 - high, 1 - low

    def chance_ends(self) -> tuple[float, float]:
        """Return both ends of the suppression that random choices have in 95 of 100 cases, by the normal curve."""
        half = 1.959964 * self.chance_error / self.chance.value if self.chance.value > 0 else np.nan
        return -half, half


def shares_of_citations(answers: dict[str, Answer], labels: Labels, *, counted: bool = False) -> dict[str, Shares]:
    """Return the shares of one system's citations by label. answers: its own, by query. counted: whether a document
    counts as often as sentences cite it, and not once.

    Citations of documents that were not shown, and of documents without a label, are in no share.
    """
    size = (len(answers), len(labels.names))
    cited, chance, spread, totals = np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(len(answers))
    for place, answer in enumerate(answers.values()):
        shares = labels.of(answer.context or ())  # (D, L)
        is_labelled = shares.sum(axis=1) > 0
        counts = answer.counts
        weights = np.array([counts.get(name, 0) for name in answer.context or ()], dtype=np.float64)
        weights = (weights if counted else np.minimum(weights, 1))[is_labelled]
        shares, totals[place] = shares[is_labelled], weights.sum()
        if not totals[place]:
            continue
        mean = shares.mean(axis=0)
        cited[place], chance[place] = weights @ shares, totals[place] * mean
        # the variance of Σ w v over all orders of v: Σ (w − w̄)² Σ (v − v̄)² / (D − 1)
        uneven = ((weights - weights.mean()) ** 2).sum() / max(len(weights) - 1, 1)
        spread[place] = uneven * ((shares - mean) ** 2).sum(axis=0)
    total = totals.sum()
    errors = np.sqrt(spread.sum(axis=0)) / total if total else np.full(size[1], np.nan)
    return {
        name: Shares(
            clustered_share(cited[:, at], totals),
            clustered_share(chance[:, at], totals),
            float(errors[at]),
            float(total),
        )
        for at, name in enumerate(labels.names)
    }


# --- the condition `suppression of female rises by 0.1` ---------------------------------------------------------------


def _read(text: str, settings: Settings) -> tuple[str, str]:
    group = read_group(text)
    return group, f"suppression of {group}"


def _contrast(study: Study, settings: Settings, pair: Pair, group: str, level: float) -> Contrast:
    """Return the suppression of a group by two systems, over the queries that both answer. Raises UsageError for a run
    that is no context or citations, and for a group that the study lacks, FairvizError without answers."""
    answers = answers_of(study, settings.changed(systems=()))
    systems = [answering(run) for run in pair]
    if unknown := [run for run, system in zip(pair, systems, strict=True) if system not in answers]:
        cited = [f"{name} · cited" for name in answers]
        raise UsageError(f"{unknown[0]!r} is no run of generated answers", use_one_of(cited, unknown[0]))
    labels = labels_of_answers(study, settings, answers)
    if group not in labels.names:
        raise UsageError(f"{study.name} has no group {group!r}", use_one_of(labels.names, group))
    common = [query for query in answers[systems[0]] if query in answers[systems[1]]]
    before, after = (
        shares_of_citations({query: answers[system][query] for query in common}, labels)[group] for system in systems
    )
    queries = min(before.cited.clusters, after.cited.clusters)
    is_enough = queries >= FEWEST_QUERIES
    warning = "" if is_enough else f"{no_verdict(queries)}: only these cite labelled documents that were shown"
    difference, *ends = difference_of(after, before, level)
    return Contrast(
        before.value, after.value, after.interval(level), difference, (ends[0], ends[1]), queries, is_enough, warning
    )


SUPPRESSION = QuantityKind(
    "suppression of", "GROUP", "suppression of female rises by 0.1", "none", _read, _contrast
)  # fmt: skip
