"""The arrays behind a map's combinations: words are counted and lists laid out once for each way to do it.

Only the systems that are tested together and the queries shown are kept, as deep as any combination looks;
backgrounds are those of the whole study.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from fairviz.analyses.sensitivity.grid import Branch, Grid
from fairviz.annotation.counted import labels_of
from fairviz.evaluation.choices import aligned_runs, chosen_annotator, chosen_lexicon, chosen_queries
from fairviz.evaluation.scores import positions
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import (
    LabelEvidence,
    Rankings,
    WordEvidence,
    candidate_lists,
    label_evidence,
    targets,
    word_evidence,
)
from fairviz.measures.sums import Places

Array = np.ndarray
MOST_PLACES = 12  # arrays of so many ways are kept; those of others are made again


class Shared:
    """A cache whose values are computed once for each key, also under concurrent requests; beyond `most` the oldest is
    dropped."""

    def __init__(self, most: int | None = None) -> None:
        self._lock, self._most = Lock(), most
        self._gates: dict[Any, Lock] = {}
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the value under the key; compute it if missing."""
        with self._lock:
            gate = self._gates.setdefault(key, Lock())
        with gate:
            if key in self._made:
                return self._made[key]
            made = make()
        with self._lock:
            self._made[key] = made
            while self._most is not None and len(self._made) > self._most:
                self._made.pop(next(iter(self._made)))
        return made


class Evidence:
    """Places of the systems of a grid, under any settings of it. Safe to share between threads."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.study = grid, grid.study
        held = (*grid.choices.get("background", ()), grid.settings.background)
        written = [branch.question.parameters.get("background") for branch in grid.branches]
        self._names = {str(name) for name in (*held, *written) if name}
        self._parts, self._places = Shared(), Shared(MOST_PLACES)
        self._depth = self._deepest()

    def _deepest(self) -> int | None:
        """The deepest rank that any combination looks at; None for as deep as the lists are."""
        if any(branch.question.cutoff is None for branch in self.grid.branches):
            return None
        levels = [int(level) for level in self.grid.choices.get("cutoff", ())]
        return max([*levels, *(branch.question.cutoff or 0 for branch in self.grid.branches)])

    def places(self, branch: Branch, settings: Settings) -> Places:
        """The arrays that the measure is computed from under these settings."""
        labels = branch.question.family == "labels"
        ties, unlabelled = settings.ties, settings.unlabelled
        if labels:
            what: tuple = (chosen_annotator(self.study, settings),)
        else:
            what = (chosen_lexicon(self.study, settings), settings.tokenizer)
        key = (ties, unlabelled, what)
        return self._places.get(key, lambda: self._made(settings, labels, what))

    def _made(self, settings: Settings, labels: bool, what: tuple) -> Places:
        study = self.study
        rankings, backgrounds = self._parts.get(("rankings", settings.ties), lambda: self._rankings(settings))
        empty = np.zeros(len(rankings.doc_ids), dtype=bool)
        codes, words = LabelEvidence(np.full(len(empty), -1, dtype=np.int8)), self._no_words(empty)
        if labels:
            codes = self._parts.get(("labels", *what), lambda: self._labels(rankings, *what))
        else:
            words = self._parts.get(("words", *what), lambda: self._words(rankings, *what))
        places = Places(
            rankings, codes, words, study.groups, study.neutral, study.groups.index(study.protected), targets(study),
            settings.unlabelled,  # type: ignore[arg-type]
        )  # fmt: skip
        for name, lists in backgrounds.items():
            places.remembered(("background", name), lambda held=lists: held)  # type: ignore[misc]
        return places

    def _rankings(self, settings: Settings) -> tuple[Rankings, dict[str, list[Array]]]:
        study = self.study
        collection = study.documents["doc_id"].tolist() if "collection" in self._names else []
        whole = aligned_runs(study, settings, collection)
        rows = positions(whole.systems, self.grid.systems)
        shown = chosen_queries(study, self.grid.settings, whole.queries)
        columns = positions(whole.queries, shown)
        documents = whole.documents[: self._depth, rows][:, :, columns]
        lengths = whole.lengths[rows][:, columns]
        narrow = Rankings(self.grid.systems, tuple(shown), whole.doc_ids, np.ascontiguousarray(documents), lengths)
        return narrow, {name: lists for name in self._names if (lists := _background(whole, name, columns)) is not None}

    def _words(self, rankings: Rankings, lexicon: Any, tokenizer: str) -> WordEvidence:
        return word_evidence(self.study.documents, rankings.doc_ids, lexicon, tokenizer, self.study.groups)

    def _labels(self, rankings: Rankings, annotator: str) -> LabelEvidence:
        labels = labels_of(self.study, annotator)
        return label_evidence(labels, rankings.doc_ids, self.study.neutral, self.study.groups)

    def _no_words(self, empty: Array) -> WordEvidence:
        counts = np.zeros((len(empty), len(self.study.groups)), dtype=np.int32)
        return WordEvidence(counts, np.zeros(len(empty), dtype=np.int32), empty, empty)


def _background(whole: Rankings, name: str, columns: Array) -> list[Array] | None:
    """The documents of a background by query, where it is one of runs."""
    if name == "collection":
        return None
    if name == "candidates":
        lists = whole.candidates
    else:
        lists = candidate_lists(whole, [whole.systems.index(name.removeprefix("run:"))])
    return [lists[column] for column in columns]
