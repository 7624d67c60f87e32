"""Edits of one list as an immutable value: order, labels and words, with undo and redo.

In the address a step is a few letters, and names a document by its position among the list's ids in alphabetical order:
`m3-1` (moved to rank 1), `s3-0` (swapped), `l3-2` (labelled; the position of the label, `n` for none), `w3` (gender
words replaced or restored), `wa` (in all documents). The steps follow the list's mark.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import chosen_lexicon, chosen_queries, positions
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.scores import values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import WordEvidence
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.loaders.writing import check_name
from fairviz.study.record import EDITED, Study, with_fingerprint
from fairviz.study.tables import ranked
from fairviz.words.counterparts import packaged, swap_words
from fairviz.words.counting import count_groups, document_text

Kind = Literal["move", "swap", "label", "words"]
MOST_CHARACTERS = 4_000  # of the steps of one list, as the address holds them
NO_LABEL = "no label"
_LETTERS: dict[str, Kind] = {"m": "move", "s": "swap", "l": "label", "w": "words"}
_STEP = re.compile(r"([msl])(\d{1,7})-(\d{1,7}|n)|(w)(\d{1,7}|a)")
FULL = "Save the list as a system, and continue from that system."
Array = np.ndarray
PARTS = ("before", "now", "difference")
COLUMNS = ("measure", *PARTS, *(f"mean_{part}" for part in PARTS))
LABELS = ("doc_id", "annotator", "label")


@dataclass(frozen=True)
class Step:
    """A step of an experiment.

    doc_ids: the document that is moved, relabelled or rewritten, or the two that are swapped. ranks, from 1: source and
    target of a move, or the two ranks before a swap. label: the new one, "" for none; before: the old one. all: whether
    the words of the whole list are replaced; back: whether words are restored.
    """

    kind: Kind
    doc_ids: tuple[str, ...]
    ranks: tuple[int, ...] = ()
    label: str = ""
    before: str = ""
    all: bool = False
    back: bool = False

    @property
    def text(self) -> str:
        """`d17 from rank 9 to 2`."""
        name = self.doc_ids[0] if self.doc_ids else ""
        if self.kind == "move":
            return f"{name} from rank {self.ranks[0]:,} to {self.ranks[1]:,}"
        if self.kind == "swap":
            return f"{name} (rank {self.ranks[0]:,}) and {self.doc_ids[1]} (rank {self.ranks[1]:,}) swapped"
        if self.kind == "label":
            return f"{name} from {self.before or NO_LABEL} to {self.label or NO_LABEL}"
        whose = "all documents of the list" if self.all else name
        return f"gender words of {whose} {'put back' if self.back else 'replaced'}"


@dataclass(frozen=True)
class Experiment:
    """A list and its edits.

    start: the system's documents, best first. labels: the possible labels. known: the counted label of each document.
    undone: undone steps, the next one to redo last. order, relabelled and reworded follow from the steps.
    """

    system: str
    query: str
    start: tuple[str, ...]
    labels: tuple[str, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()
    undone: tuple[Step, ...] = ()

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The documents in the edited order, best first."""
        order = self.start
        for step in self.steps:
            order = _reorder(order, step)
        return order

    @cached_property
    def relabelled(self) -> dict[str, str]:
        """New labels of the relabelled documents; "" for none."""
        labels = {step.doc_ids[0]: step.label for step in self.steps if step.kind == "label"}
        old_labels = dict(self.known)
        return {name: label for name, label in labels.items() if label != old_labels.get(name, "")}

    @cached_property
    def reworded(self) -> frozenset[str]:
        """The documents whose gender words are replaced."""
        doc_ids: set[str] = set()
        for step in self.steps:
            if step.kind == "words":
                doc_ids = doc_ids.difference(step.doc_ids) if step.back else doc_ids.union(step.doc_ids)
        return frozenset(doc_ids)

    @property
    def changed(self) -> bool:
        """True if anything differs from the original list."""
        return self.order != self.start or bool(self.relabelled) or bool(self.reworded)

    def label(self, name: str) -> str:
        """Return the document's current label."""
        return self.relabelled.get(name, dict(self.known).get(name, ""))

    def rank(self, name: str) -> int:
        """Return the document's rank, from 1. Raises UsageError for a document that is not in the list."""
        if name not in self.order:
            raise UsageError(f"the list of the query {self.query!r} holds no document {name!r}", "Check the id.")
        return self.order.index(name) + 1

    # --- steps: each gives the experiment after it, or the same where it would change nothing

    def moved(self, name: str, to: int) -> "Experiment":
        """Return the experiment with the document at another rank, limited to the ends of the list."""
        rank, to = self.rank(name), min(max(to, 1), len(self.start))
        return self if rank == to else self._after(Step("move", (name,), (rank, to)))

    def swapped(self, first: str, second: str) -> "Experiment":
        """Return the experiment with two documents swapped."""
        ranks = self.rank(first), self.rank(second)
        return self if first == second else self._after(Step("swap", (first, second), ranks))

    def labelled(self, name: str, label: str) -> "Experiment":
        """Return the experiment with another label of the document, "" for none. Raises UsageError for an unknown
        label.
        """
        self.rank(name)
        if label and label not in self.labels:
            raise UsageError(f"{label!r} is not a label of this study", f"Use one of {', '.join(self.labels)}.")
        old_label = self.label(name)
        return self if label == old_label else self._after(Step("label", (name,), label=label, before=old_label))

    def words_replaced(self, name: str | None = None) -> "Experiment":
        """Return the experiment with the document's gender words replaced, or restored if they are replaced.

        None: all documents, whose words are restored if all are replaced.
        """
        if name is not None:
            self.rank(name)
        names = self.start if name is None else (name,)
        back = bool(names) and self.reworded.issuperset(names)
        return self._after(Step("words", names, all=name is None, back=back)) if names else self

    def undo(self) -> "Experiment":
        """Return the experiment without the last step, which `redo` restores."""
        return replace(self, steps=self.steps[:-1], undone=(*self.undone, *self.steps[-1:]))

    def redo(self) -> "Experiment":
        """Return the experiment with the step that was undone last."""
        return replace(self, steps=(*self.steps, *self.undone[-1:]), undone=self.undone[:-1])

    def reset(self) -> "Experiment":
        """Return the experiment without steps; `redo` restores them one by one."""
        return replace(self, steps=(), undone=(*self.undone, *reversed(self.steps)))

    def _after(self, step: Step) -> "Experiment":
        """Return the experiment with one more step. Raises FairvizError if the address cannot contain more steps."""
        longer = replace(self, steps=(*self.steps, step), undone=())
        vars(longer)["order"] = _reorder(self.order, step)  # so that a long way is not gone again at each step
        if len(longer.text) > MOST_CHARACTERS:
            raise FairvizError(f"a list takes at most {len(self.steps):,} steps", FULL)
        return longer

    # --- as text

    @cached_property
    def mark(self) -> str:
        """Hash of eight letters that identifies the list: its system, query and documents in any order."""
        text = "\n".join((self.system, self.query, *sorted(self.start)))
        return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]

    @property
    def text(self) -> str:
        """The steps in the format of the address; "" without steps."""
        places = {name: place for place, name in enumerate(sorted(self.start))}
        written = []
        for step in self.steps:
            at = places[step.doc_ids[0]]
            if step.kind == "words":
                written.append("wa" if step.all else f"w{at}")
            elif step.kind == "label":
                written.append(f"l{at}-{self.labels.index(step.label) if step.label else 'n'}")
            else:
                to = step.ranks[1] if step.kind == "move" else places[step.doc_ids[1]]
                written.append(f"{step.kind[0]}{at}-{to}")
        return ".".join([self.mark, *written]) if written else ""


def _reorder(order: tuple[str, ...], step: Step) -> tuple[str, ...]:
    """Return the order after the step."""
    if step.kind not in ("move", "swap"):
        return order
    doc_ids = list(order)
    if step.kind == "move":
        doc_ids.remove(step.doc_ids[0])
        doc_ids.insert(step.ranks[1] - 1, step.doc_ids[0])
    else:
        first, second = (doc_ids.index(name) for name in step.doc_ids)
        doc_ids[first], doc_ids[second] = doc_ids[second], doc_ids[first]
    return tuple(doc_ids)


def add_steps(original: Experiment, text: str) -> Experiment:
    """Return the experiment with the steps in a text. Raises FairvizError for the steps of another list and invalid
    steps.
    """
    mark, *written = text.split(".")
    if mark != original.mark:
        raise FairvizError("they are of another list")
    names, experiment = sorted(original.start), original
    for step_text in written:
        match = _STEP.fullmatch(step_text)
        if match is None:
            raise FairvizError(f"{step_text[:40]!r} is not a step")
        letter, first, *second = (group for group in match.groups() if group is not None)
        try:
            experiment = _with_step(experiment, names, _LETTERS[letter], first, *second)
        except (IndexError, ValueError) as error:
            raise FairvizError(f"{step_text[:40]!r} is not a step of this list") from error
    return experiment


def _with_step(experiment: Experiment, names: Sequence[str], kind: Kind, first: str, second: str = "") -> Experiment:
    """Return the experiment with one step. first, second: what the address holds behind the step's letter. Raises
    IndexError for a position beyond the list, ValueError for `n` in place of a number."""
    if kind == "words":
        return experiment.words_replaced(None if first == "a" else names[int(first)])
    name = names[int(first)]
    if kind == "move":
        return experiment.moved(name, int(second))
    if kind == "swap":
        return experiment.swapped(name, names[int(second)])
    return experiment.labelled(name, "" if second == "n" else experiment.labels[int(second)])


def bare_experiment(study: Study, rankings: AlignedRankings, system: str, query: str) -> Experiment:
    """Return the unedited list of a system for a query. Raises FairvizError if there is none."""
    documents = rankings.lists.list_of(system, query)
    if not len(documents):
        raise FairvizError(f"{system!r} has no list for the query {query!r}", "Choose another query or system.")
    names = tuple(map(str, rankings.lists.doc_ids[documents]))
    labels = (rankings.neutral, *rankings.groups) if study.label_kind == "gender" and study.has("labels") else ()
    codes = rankings.labels.largest[documents].tolist()
    label_pairs = tuple((name, labels[code]) for name, code in zip(names, codes, strict=True) if code >= 0 and labels)
    return Experiment(system, query, names, labels, label_pairs)


def outcome(
    study: Study,
    settings: Settings,
    experiment: Experiment,
    questions: Sequence[Question],
    rankings: AlignedRankings,
    scores: pd.DataFrame,
) -> pd.DataFrame:
    """Return every measure before, now and the difference: of the query, and as mean_… of the system's mean over
    queries.

    questions: those with a value for one query. rankings: of the study under these settings. scores: from
    `fairviz.evaluate`, with the experiment's system. Returns a row per question: measure, before, now, difference,
    mean_before, mean_now, mean_difference; NaN if a value is undefined.
    """
    chosen, reads_collection = chosen_queries(study, settings), wants_collection(questions, settings)
    was = restricted(rankings, affected(rankings, experiment, reads_collection), reads_collection)
    now = changed(study, settings, was, experiment)
    queries, system = was.lists.queries, rankings.lists.row_of(experiment.system)
    query = queries.index(experiment.query)
    kept = [column for column, name in enumerate(queries) if name in set(chosen)]
    at = positions(chosen, [queries[column] for column in kept])
    stored, rows = values_of_system(scores, experiment.system), []
    for question in questions:
        both = np.stack([values_of(study, one, question, settings)[0, system] for one in (was, now)])  # (2, q)
        # The means are over all chosen queries; those that cannot change have the value of the scores.
        by_query = np.tile(stored[question.text].reindex(list(chosen)).to_numpy(), (2, 1))
        by_query[:, at] = both[:, kept]
        before, after = both[:, query].tolist()
        mean_before, mean_after = mean_over_queries(by_query).tolist()
        rows.append((question.text, before, after, after - before, mean_before, mean_after, mean_after - mean_before))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"measure": "str"})


def values_of_system(scores: pd.DataFrame, system: str) -> Mapping[str, pd.Series]:
    """Return the system's values by query for each measure in the scores."""
    mine = scores[scores["system"] == system]
    queries = pd.Index(mine["query_id"].astype("str"))
    codes, names = pd.factorize(mine["measure"])
    values = mine["value"].to_numpy(dtype=np.float64)
    return {str(name): pd.Series(values[codes == at], index=queries[codes == at]) for at, name in enumerate(names)}


def affected(rankings: AlignedRankings, experiment: Experiment, whole: bool = False) -> Array:
    """Return the positions of the queries whose values may change, ascending, always including the experiment's own.

    A changed text also affects queries with a shared ideal: of all lists, or of the `whole` collection, which affects
    every query.
    """
    lists = rankings.lists
    is_affected = np.zeros(len(lists.queries), dtype=bool)
    is_affected[lists.queries.index(experiment.query)] = True
    touched = {*experiment.relabelled, *experiment.reworded}
    if touched:
        rows = lists.doc_ids.get_indexer(pd.Index(sorted(touched), dtype="str"))
        is_changed = np.zeros(len(lists.doc_ids) + 1, dtype=bool)
        is_changed[rows[rows >= 0]] = True  # the last place, where -1 looks, is no document
        system = lists.row_of(experiment.system)
        systems = slice(None) if experiment.reworded else slice(system, system + 1)  # others' labels move no ideal
        for documents in lists.documents:  # a rank at a time, so that no array of all places is made
            is_affected |= is_changed[documents[systems]].any(axis=0)
    if experiment.reworded and whole:
        is_affected[:] = True
    return np.flatnonzero(is_affected)


def restricted(rankings: AlignedRankings, columns: Array, whole: bool = False) -> AlignedRankings:
    """Return the places of these queries in all systems, without other documents, unless the `whole` collection is
    read.
    """
    lists, words = rankings.lists, rankings.words
    documents = lists.documents[:, :, columns]  # (K, S, q)
    document_rows = np.arange(len(lists.doc_ids)) if whole else np.unique(documents[documents >= 0])
    place = np.full(len(lists.doc_ids) + 1, -1, dtype=np.int32)
    place[document_rows] = np.arange(len(document_rows), dtype=np.int32)
    return replace(
        rankings,
        lists=replace(
            lists,
            queries=tuple(lists.queries[column] for column in columns.tolist()),
            doc_ids=lists.doc_ids[document_rows],
            documents=place[documents],
            lengths=lists.lengths[:, columns],
        ),
        labels=rankings.labels.take(document_rows),
        words=WordEvidence(
            words.counts[document_rows],
            words.tokens[document_rows],
            words.known[document_rows],
            words.in_collection[document_rows],
        ),
        made_of=(),
    )


def changed(study: Study, settings: Settings, rankings: AlignedRankings, experiment: Experiment) -> AlignedRankings:
    """Return the places after the experiment: with its order, labels and word counts."""
    lists, words = rankings.lists, rankings.words
    at = lists.row_of(experiment.system), lists.queries.index(experiment.query)
    documents = lists.documents.copy()
    order = lists.doc_ids.get_indexer(pd.Index(experiment.order, dtype="str"))
    documents[: len(order), at[0], at[1]] = order

    code_of = {"": -1, **{name: code for code, name in enumerate((rankings.neutral, *rankings.groups))}}
    relabelled = lists.doc_ids.get_indexer(pd.Index(list(experiment.relabelled), dtype="str"))
    codes = [code_of[label] for label in experiment.relabelled.values()]
    labels = rankings.labels.changed(dict(zip(relabelled.tolist(), codes, strict=True)))

    if texts := replaced_texts(study, sorted(experiment.reworded)):
        lexicon = chosen_lexicon(study, settings)
        group_counts = count_groups(list(texts.values()), lexicon, settings.tokenizer, study.groups)
        rows = lists.doc_ids.get_indexer(pd.Index(list(texts), dtype="str"))
        counts, tokens = words.counts.copy(), words.tokens.copy()
        counts[rows], tokens[rows] = group_counts.counts, group_counts.tokens
        words = WordEvidence(counts, tokens, words.known, words.in_collection)
    return replace(rankings, lists=replace(lists, documents=documents), labels=labels, words=words, made_of=())


def replaced_texts(study: Study, names: Sequence[str]) -> Mapping[str, str]:
    """Return title and text of these documents with gender words replaced, by id, without documents lacking text."""
    if not names:
        return {}
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    words = packaged().only("words")
    pairs = zip(documents["doc_id"].tolist(), document_text(documents).tolist(), strict=True)
    return {str(name): swap_words(text, words) for name, text in pairs if isinstance(text, str)}


def suggested_name(study: Study, system: str) -> str:
    """Return `bm25, edited`, with the first number that makes it unique if necessary."""
    return _unique_name(study, edited_name(system))


def edited_name(name: str) -> str:
    """Return the name with the suffix `, edited`."""
    name = name.strip()
    return name if EDITED in name else f"{name}{EDITED}"


def _unique_name(study: Study, name: str) -> str:
    number, candidate = 2, name
    while candidate in study.systems:
        candidate, number = f"{name} {number}", number + 1
    return candidate


def edited_run(study: Study, experiment: Experiment, name: str, ties: str = "file") -> pd.DataFrame:
    """Return the run of the experiment's system with the edited list, under the new name.

    Other queries' lists are unchanged. The scores of the edited list count down to 1, so that its order is the same
    under every rule for tied scores; `ties` is the rule by which the lists are read. Raises FairvizError for a name
    that is in use or invalid in files, and if nothing was moved.
    """
    check_name(name, "system")
    if name in study.systems:
        raise FairvizError(
            f"{study.name} has a run {name!r} already",
            f"{_unique_name(study, name)!r} is free: save it under that name.",
        )
    if experiment.order == experiment.start:
        raise FairvizError(
            f"the list is in the order that {experiment.system!r} gives it", "Move a document, then save it."
        )
    rows = study.runs[study.runs["system"] == experiment.system]
    mine = (rows["query_id"] == experiment.query).to_numpy()
    edited = ranked(rows[mine], ties)  # type: ignore[arg-type]
    place = {document: rank for rank, document in enumerate(experiment.order, start=1)}
    ranks = edited["doc_id"].astype("str").map(place).astype("int32")
    edited = edited.assign(rank=ranks, score=(len(place) + 1 - ranks).astype("float64")).sort_values("rank")
    run = pd.concat([rows[~mine], edited], ignore_index=True)
    run["query_id"] = run["query_id"].astype(study.runs["query_id"].dtype)
    order = run["query_id"].cat.codes.sort_values(kind="stable").index
    run = run.loc[order].reset_index(drop=True)
    system = pd.Categorical.from_codes([0] * len(run), categories=pd.Index([name], dtype="str"))
    return run.assign(system=pd.Series(system))


def without_run(study: Study, name: str) -> Study:
    """Return the study without the system of this name. Raises FairvizError if it is the only one."""
    if study.systems == (name,):
        raise FairvizError(f"{name!r} is the only system of {study.name}", "Add another one first.")
    rows = study.runs[study.runs["system"] != name]
    rows = rows.assign(system=rows["system"].cat.remove_unused_categories()).reset_index(drop=True)
    return with_fingerprint(replace(study, runs=rows))


def changed_labels(experiment: Experiment, annotator: str) -> pd.DataFrame:
    """Return the experiment's new labels as doc_id, annotator, label; removed labels have no row."""
    rows = [(name, annotator, label) for name, label in experiment.relabelled.items() if label]
    return pd.DataFrame(rows, columns=list(LABELS)).astype("str")
