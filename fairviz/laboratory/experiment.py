"""What a person does to one list, step by step, as a pure value: its order, labels and words, with undo and redo.

In the address a step is a few letters, and names a document by its place among the list's ids in alphabetical order:
`m3-1` (moved to rank 1), `s3-0` (swapped), `l3-2` (labelled; a name's place among the labels, `n` for none), `w3`
(gender words replaced, or put back), `wa` (of all). A line of steps begins with the mark of its list.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from fairviz.errors import FairvizError, UsageError

Kind = Literal["move", "swap", "label", "words"]
MOST_CHARACTERS = 4_000  # of the steps of one list, as the address holds them
NO_LABEL = "no label"
_LETTERS: dict[str, Kind] = {"m": "move", "s": "swap", "l": "label", "w": "words"}
_STEP = re.compile(r"([msl])(\d{1,7})-(\d{1,7}|n)|(w)(\d{1,7}|a)")
FULL = "Save it as a system, and go on from that one."


@dataclass(frozen=True)
class Step:
    """One step. doc_ids: the document moved, relabelled or rewritten, or the two that change places. ranks, from 1: of
    a move from and to, of a swap those of the two before it. label: the new one, empty for none; before: the old one.
    all: whether the words of the whole list are meant; back: whether words are put back as they were."""

    kind: Kind
    doc_ids: tuple[str, ...]
    ranks: tuple[int, ...] = ()
    label: str = ""
    before: str = ""
    all: bool = False
    back: bool = False

    @property
    def said(self) -> str:
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
    """One list and what was done to it. start: its documents as the system has them, best first. labels: the names
    that a label may have. known: the label of each document, as it counts. undone: steps taken back, the last first to
    be taken again. order, relabelled and reworded follow from the steps."""

    system: str
    query: str
    start: tuple[str, ...]
    labels: tuple[str, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()
    undone: tuple[Step, ...] = ()

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The documents as they stand now, best first."""
        order = self.start
        for step in self.steps:
            order = _reordered(order, step)
        return order

    @cached_property
    def relabelled(self) -> dict[str, str]:
        """The documents whose label is another now, with it; empty for none."""
        last = {step.doc_ids[0]: step.label for step in self.steps if step.kind == "label"}
        known = dict(self.known)
        return {name: label for name, label in last.items() if label != known.get(name, "")}

    @cached_property
    def reworded(self) -> frozenset[str]:
        """The documents whose gender words are replaced now."""
        held: set[str] = set()
        for step in self.steps:
            if step.kind == "words":
                held = held.difference(step.doc_ids) if step.back else held.union(step.doc_ids)
        return frozenset(held)

    @property
    def changed(self) -> bool:
        """Whether anything differs from the list as it is."""
        return self.order != self.start or bool(self.relabelled) or bool(self.reworded)

    def label(self, name: str) -> str:
        """The document's label as it is now."""
        return self.relabelled.get(name, dict(self.known).get(name, ""))

    def rank(self, name: str) -> int:
        """Where the document stands, from 1. Raises UsageError for one that the list does not hold."""
        if name not in self.order:
            raise UsageError(f"the list of the query {self.query!r} holds no document {name!r}", "Check the id.")
        return self.order.index(name) + 1

    # --- steps: each gives the experiment after it, or the same where it would change nothing

    def moved(self, name: str, to: int) -> "Experiment":
        """The document at another rank; beyond an end of the list at that end."""
        rank, to = self.rank(name), min(max(to, 1), len(self.start))
        return self if rank == to else self._after(Step("move", (name,), (rank, to)))

    def swapped(self, first: str, second: str) -> "Experiment":
        """Two documents in each other's places."""
        ranks = self.rank(first), self.rank(second)
        return self if first == second else self._after(Step("swap", (first, second), ranks))

    def labelled(self, name: str, label: str) -> "Experiment":
        """The document with another label, empty for none. Raises UsageError for a label that there is not."""
        self.rank(name)
        if label and label not in self.labels:
            raise UsageError(f"{label!r} is no label of this study", f"Use one of {', '.join(self.labels)}.")
        before = self.label(name)
        return self if label == before else self._after(Step("label", (name,), label=label, before=before))

    def words_replaced(self, name: str | None = None) -> "Experiment":
        """The document with its gender words replaced, or put back where they are; None for all documents, whose words
        are put back where all are replaced."""
        if name is not None:
            self.rank(name)
        names = self.start if name is None else (name,)
        back = bool(names) and self.reworded.issuperset(names)
        return self._after(Step("words", names, all=name is None, back=back)) if names else self

    def undo(self) -> "Experiment":
        """Without the last step, which `redo` takes again."""
        return replace(self, steps=self.steps[:-1], undone=(*self.undone, *self.steps[-1:]))

    def redo(self) -> "Experiment":
        """With the step that was undone last."""
        return replace(self, steps=(*self.steps, *self.undone[-1:]), undone=self.undone[:-1])

    def reset(self) -> "Experiment":
        """Without any step; `redo` takes them again, one by one."""
        return replace(self, steps=(), undone=(*self.undone, *reversed(self.steps)))

    def _after(self, step: Step) -> "Experiment":
        """Raises FairvizError where the address cannot hold more steps."""
        after = replace(self, steps=(*self.steps, step), undone=())
        vars(after)["order"] = _reordered(self.order, step)  # so that a long way is not gone again at each step
        if len(after.text) > MOST_CHARACTERS:
            raise FairvizError(f"{len(self.steps):,} steps are as many as one list takes", FULL)
        return after

    # --- as text

    @cached_property
    def mark(self) -> str:
        """Eight letters that tell this list from others: of its system, query and documents, in whatever order."""
        told = "\n".join((self.system, self.query, *sorted(self.start)))
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:8]

    @property
    def text(self) -> str:
        """The steps as the address holds them; empty without one."""
        places = {name: place for place, name in enumerate(sorted(self.start))}
        written = [_written(step, places, self.labels) for step in self.steps]
        return ".".join([self.mark, *written]) if written else ""


def _reordered(order: tuple[str, ...], step: Step) -> tuple[str, ...]:
    """The order after the step."""
    if step.kind not in ("move", "swap"):
        return order
    held = list(order)
    if step.kind == "move":
        held.remove(step.doc_ids[0])
        held.insert(step.ranks[1] - 1, step.doc_ids[0])
    else:
        first, second = (held.index(name) for name in step.doc_ids)
        held[first], held[second] = held[second], held[first]
    return tuple(held)


def _written(step: Step, places: Mapping[str, int], labels: Sequence[str]) -> str:
    letter, at = step.kind[0], places[step.doc_ids[0]]
    if step.kind == "words":
        return "wa" if step.all else f"w{at}"
    if step.kind == "label":
        return f"l{at}-{labels.index(step.label) if step.label else 'n'}"
    return f"{letter}{at}-{step.ranks[1] if step.kind == 'move' else places[step.doc_ids[1]]}"


def with_steps(bare: Experiment, text: str) -> Experiment:
    """The experiment with the steps that a text holds. Raises FairvizError for a text that is of another list, or that
    holds what is no step of this one."""
    mark, *written = text.split(".")
    if mark != bare.mark:
        raise FairvizError("they are of another list")
    names, held = sorted(bare.start), bare
    for part in written:
        found = _STEP.fullmatch(part)
        if found is None:
            raise FairvizError(f"{part[:40]!r} is no step")
        try:
            held = _taken(held, names, *(group for group in found.groups() if group is not None))
        except (IndexError, ValueError) as error:
            raise FairvizError(f"{part[:40]!r} is no step of this list") from error
    return held


def _taken(held: Experiment, names: Sequence[str], letter: str, first: str, second: str = "") -> Experiment:
    """The step of these parts. Raises IndexError for a place that there is not, ValueError for a number missing."""
    kind = _LETTERS[letter]
    if kind == "words":
        return held.words_replaced(None if first == "a" else names[int(first)])
    name = names[int(first)]
    if kind == "move":
        return held.moved(name, int(second))
    if kind == "swap":
        return held.swapped(name, names[int(second)])
    return held.labelled(name, "" if second == "n" else held.labels[int(second)])
