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

from fairviz.errors import FairvizError, UsageError

Kind = Literal["move", "swap", "label", "words"]
MOST_CHARACTERS = 4_000  # of the steps of one list, as the address holds them
NO_LABEL = "no label"
_LETTERS: dict[str, Kind] = {"m": "move", "s": "swap", "l": "label", "w": "words"}
_STEP = re.compile(r"([msl])(\d{1,7})-(\d{1,7}|n)|(w)(\d{1,7}|a)")
FULL = "Save the list as a system, and continue from that system."


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
        written = [_format_step(step, places, self.labels) for step in self.steps]
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


def _format_step(step: Step, places: Mapping[str, int], labels: Sequence[str]) -> str:
    letter, at = step.kind[0], places[step.doc_ids[0]]
    if step.kind == "words":
        return "wa" if step.all else f"w{at}"
    if step.kind == "label":
        return f"l{at}-{labels.index(step.label) if step.label else 'n'}"
    return f"{letter}{at}-{step.ranks[1] if step.kind == 'move' else places[step.doc_ids[1]]}"


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
        try:
            experiment = _apply_step(experiment, names, *(group for group in match.groups() if group is not None))
        except (IndexError, ValueError) as error:
            raise FairvizError(f"{step_text[:40]!r} is not a step of this list") from error
    return experiment


def _apply_step(experiment: Experiment, names: Sequence[str], letter: str, first: str, second: str = "") -> Experiment:
    """Return the experiment with one step. Raises IndexError for an unknown position, ValueError for a missing
    number.
    """
    kind = _LETTERS[letter]
    if kind == "words":
        return experiment.words_replaced(None if first == "a" else names[int(first)])
    name = names[int(first)]
    if kind == "move":
        return experiment.moved(name, int(second))
    if kind == "swap":
        return experiment.swapped(name, names[int(second)])
    return experiment.labelled(name, "" if second == "n" else experiment.labels[int(second)])
