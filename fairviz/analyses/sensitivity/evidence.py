"""The arrays of the combinations: words are counted once for each tokenizer and word list, lists laid out once for each
order of ties.

Only the systems that are tested together and the queries shown are kept, as deep as any combination looks;
backgrounds are those of the whole study.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np

from fairviz.analyses.sensitivity.grid import Branch, Grid
from fairviz.evaluation.choices import EVIDENCE, Resolved, aligned_runs, chosen_queries, positions
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.measures.rankings import LabelEvidence, Rankings, candidate_lists, collection_of, no_words
from fairviz.measures.sums import AlignedRankings
from fairviz.study.tables import expanded

Array = np.ndarray
NO_EVIDENCE = ("ties", "unlabelled")  # choices that leave the labels and words of each document as they are
MOST_PLACES = 12  # arrays of so many ways are kept; those of others are made again


class Shared:
    """A cache whose values are computed once for each key, also under concurrent requests; beyond `most` the oldest is
    dropped."""

    def __init__(self, most: int | None = None) -> None:
        self._lock, self._most = Lock(), most
        self._gates: dict[Any, Lock] = {}
        self._places_of: dict[Any, Any] = {}

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the value under the key; compute it if missing."""
        with self._lock:
            gate = self._gates.setdefault(key, Lock())
        with gate:
            if key in self._places_of:
                return self._places_of[key]
            value = make()
        with self._lock:
            self._places_of[key] = value
            while self._most is not None and len(self._places_of) > self._most:
                self._places_of.pop(next(iter(self._places_of)))
        return value


class Evidence:
    """Aligned rankings of the systems of a grid, under any settings of it. Safe to share between threads."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.study = grid, grid.study
        backgrounds = (*grid.choices.get("background", ()), grid.settings.background)
        parameter_backgrounds = [branch.question.parameters.get("background") for branch in grid.branches]
        self._names = {str(name) for name in (*backgrounds, *parameter_backgrounds) if name}
        self._parts, self._places = Shared(), Shared(MOST_PLACES)
        self._depth = self._deepest()

    def _deepest(self) -> int | None:
        """The deepest rank that any combination looks at; None for as deep as the lists are."""
        if any(branch.question.cutoff is None for branch in self.grid.branches):
            return None
        levels = [int(level) for level in self.grid.choices.get("cutoff", ())]
        return max([*levels, *(branch.question.cutoff or 0 for branch in self.grid.branches)])

    def places(self, branch: Branch, settings: Settings) -> AlignedRankings:
        """The arrays that the measure is computed from under these settings."""
        resolved = Resolved(self.study, settings)
        part = "labels" if branch.question.family == "labels" else "words"
        key = (part, *_read(resolved, "rankings", part))
        return self._places.get(key, lambda: self._places_of(resolved, part))

    def _places_of(self, resolved: Resolved, part: str) -> AlignedRankings:
        key = ("rankings", *_read(resolved, "rankings"))
        rankings, backgrounds = self._parts.get(key, lambda: self._rankings(resolved.settings))
        labels = LabelEvidence(np.full(len(rankings.doc_ids), -1, dtype=np.int8))
        words = no_words(rankings.doc_ids, self.study.groups)
        key = (part, *_read(resolved, "rankings", part, without=NO_EVIDENCE))
        if part == "labels":
            labels = self._parts.get(key, lambda: resolved.labels(rankings))
        else:
            words = self._parts.get(key, lambda: resolved.words(rankings))
        places = resolved.places(rankings, labels, words)
        for name, lists in backgrounds.items():
            places.remembered(("background", name), lambda held=lists: held)  # type: ignore[misc]
        return places

    def _rankings(self, settings: Settings) -> tuple[Rankings, dict[str, list[Array]]]:
        study = self.study
        collection = collection_of(study) if "collection" in self._names else []
        whole = aligned_runs(study, settings, collection)
        runs = expanded(self.grid.systems, whole.systems)
        rows = positions(whole.systems, runs)
        queries = chosen_queries(study, self.grid.settings)
        columns = positions(whole.queries, queries)
        documents = whole.documents[: self._depth, rows][:, :, columns]
        lengths = whole.lengths[rows][:, columns]
        narrow = Rankings(runs, tuple(queries), whole.doc_ids, np.ascontiguousarray(documents), lengths)
        return narrow, {name: lists for name in self._names if (lists := _background(whole, name, columns)) is not None}


def _read(resolved: Resolved, *parts: str, without: Sequence[str] = ()) -> tuple:
    """Return the choices, with their values, that these parts of the evidence are made from."""
    values = zip(EVIDENCE, resolved.evidence, strict=True)
    return tuple(
        (name, value)
        for name, value in values
        if name not in without and not set(parts).isdisjoint(CHOICES[name].reads)
    )


def _background(whole: Rankings, name: str, columns: Array) -> list[Array] | None:
    """The documents of a background by query, where it is one of runs."""
    if name == "collection":
        return None
    if name == "candidates":
        lists = whole.candidates
    else:
        lists = candidate_lists(whole, whole.rows_of(name.removeprefix("run:")))
    return [lists[column] for column in columns]
