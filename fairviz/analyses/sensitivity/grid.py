"""Every combination of the choices that are varied: which are distinct, in which order, and what each one is.

A choice that a measure does not read does not multiply the measure's combinations: each measure has a grid of its own
over the choices that touch it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
import pandas as pd

from fairviz.analyses.sensitivity.levels import CHOICES, meaning, wanted_levels
from fairviz.annotation.voters import labels_of
from fairviz.comparison.family import How, how_of
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import EVIDENCE, chosen_annotator, chosen_systems, refuse_missing
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import CHOICES as RECORDS
from fairviz.evaluation.settings import Level, Settings
from fairviz.measures import Question
from fairviz.measures.rankings import align_runs
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study
from fairviz.study.tables import expanded

Array = np.ndarray
# From what takes longest to make anew to what takes least: combinations are computed in this order.
WITHIN = ("cutoff", "alpha")
_SLOWEST = ("ties", "annotator", "lexicon", "tokenizer", "unlabelled", "background", "tau", "position_bias")
_FIRST = tuple(name for name in dict.fromkeys((*_SLOWEST, *CHOICES)) if name not in WITHIN)
MAKES_ARRAYS = tuple(name for name in _FIRST if name in EVIDENCE)  # combinations that differ in none share all arrays
ORDER = (*MAKES_ARRAYS, *(name for name in _FIRST if name not in EVIDENCE), *WITHIN)


@dataclass(frozen=True)
class Branch:
    """One measure's grid. text: as requested; question: under the present settings. axes: the choices that touch it, in
    ORDER, each with its levels; the last one changes fastest."""

    text: str
    question: Question
    axes: tuple[tuple[str, tuple[Level, ...]], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The choices that touch the measure."""
        return tuple(name for name, _ in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each choice."""
        return tuple(len(levels) for _, levels in self.axes)

    @property
    def count(self) -> int:
        """The number of the measure's combinations."""
        return prod(self.shape)

    @cached_property
    def codes(self) -> dict[str, Array]:
        """The level of each choice in all combinations, (N,), by name."""
        indices = np.unravel_index(np.arange(self.count), self.shape) if self.axes else ()
        return dict(zip(self.names, indices, strict=True))

    def chosen(self, row: int) -> dict[str, Level]:
        """The levels of one combination, by choice."""
        return {name: levels[self.codes[name][row]] for name, levels in self.axes}


@dataclass(frozen=True, eq=False)
class Grid:
    """The input of a sensitivity analysis: two systems of a study under every combination.

    choices: the varied choices by name with their levels, whether or not a measure reads them. systems: the pair, and
    after it all others that are tested together with it; how: the tests.
    """

    study: Study
    settings: Settings
    pair: tuple[str, str]
    choices: Mapping[str, tuple[Level, ...]]
    branches: tuple[Branch, ...]
    systems: tuple[str, ...]
    how: How

    @property
    def count(self) -> int:
        """The number of distinct combinations."""
        return sum(branch.count for branch in self.branches)

    @property
    def asked(self) -> int:
        """The number of combinations of levels, equivalent ones included."""
        return len(self.branches) * prod(len(levels) for levels in self.choices.values())

    @cached_property
    def starts(self) -> list[int]:
        """The number of each measure's first combination."""
        return [0, *np.cumsum([branch.count for branch in self.branches]).tolist()][:-1]

    @property
    def touched(self) -> tuple[str, ...]:
        """The choices that touch any measure."""
        return tuple(name for name in self.choices if any(name in branch.names for branch in self.branches))

    def place(self, number: int) -> tuple[Branch, int]:
        """The measure of a combination, and its number among that measure's. Raises UsageError beyond the last."""
        if not 0 <= number < self.count:
            raise UsageError(f"there is no combination {number}", f"Use a number from 0 to {self.count - 1:,}.")
        which = bisect_right(self.starts, number) - 1
        return self.branches[which], number - self.starts[which]

    def settings_at(self, number: int) -> Settings:
        """The settings of a combination: what does not touch its measure is as it is at present."""
        branch, row = self.place(number)
        return self.settings.changed(**branch.chosen(row))

    def present(self) -> list[int]:
        """The combinations of the present settings, one a measure."""
        numbers = []
        for start, branch in zip(self.starts, self.branches, strict=True):
            codes = [levels.index(getattr(self.settings, name)) for name, levels in branch.axes]
            numbers.append(start + (int(np.ravel_multi_index(codes, branch.shape)) if codes else 0))
        return numbers


def grid_of(
    study: Study,
    systems: Sequence[str],
    measures: Sequence[str],
    choices: Mapping[str, Iterable[Level] | None],
    settings: Settings,
) -> Grid:
    """Return the grid of these measures and choices; None as levels means the usual ones.

    Raises UsageError for systems that are not two of the study's, a measure that orders no systems by fairness, an
    unknown choice or level; FairvizError where the study lacks what a measure needs.
    """
    pair = _pair(study, systems)
    questions = {question.text: (text, question) for text, question in _parse_measures(measures, settings)}
    refuse_missing(study, [question for _, question in questions.values()], settings)
    levels = wanted_levels(study, settings, choices)
    levels = {name: levels[name] for name in CHOICES if name in levels}
    how = replace(how_of(study, settings), tests=replace(parse_tests(settings.tests), family="pairs"))
    others = (name for name in chosen_systems(study, settings) if name not in pair and how.is_tested(name))
    together = (*pair, *others) if all(map(how.is_tested, pair)) else pair
    facts = Facts(study, settings, levels, together)
    branches = tuple(
        Branch(text, question, tuple((name, levels[name]) for name in ORDER if facts.touches(name, text)))
        for text, question in questions.values()
    )
    return Grid(study, settings, pair, levels, branches, together, how)


def _pair(study: Study, systems: Sequence[str]) -> tuple[str, str]:
    if len(study.systems) < 2:
        system_text = f"one system, {study.systems[0]}" if study.systems else "no system"
        raise FairvizError(
            f"the study {study.name!r} has {system_text}, and a sensitivity analysis compares two",
            "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.",
        )
    names = [systems] if isinstance(systems, str) else list(systems)
    for name in names:
        if name not in study.systems:
            raise UsageError(
                f"the study {study.name!r} has no system {name!r}", f"Use two of {', '.join(study.systems)}."
            )
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(
            f"a sensitivity analysis compares two systems, not {', '.join(names) or 'none'}",
            f"Name two of {', '.join(study.systems)}.",
        )
    return names[0], names[1]


def _parse_measures(measures: Sequence[str], settings: Settings) -> list[tuple[str, Question]]:
    named_questions = [(text, ask(text, settings)) for text in ([measures] if isinstance(measures, str) else measures)]
    if not named_questions:
        raise UsageError("no measure is named", "Name one, such as CWEx.")
    for text, question in named_questions:
        if question.measure is None or question.direction == "none":
            describes = "only describes: none of its values is fairer"
            what = "is not a measure of fairness" if question.measure is None else describes
            raise UsageError(f"{text} {what}", "Name a measure by which one of two systems is fairer, such as CWEx.")
    return named_questions


@dataclass(frozen=True, eq=False)
class Facts:
    """The choices that affect a measure in this study, by the inputs of the measure and by the data."""

    study: Study
    settings: Settings
    levels: Mapping[str, tuple[Level, ...]]
    systems: Sequence[str]

    def touches(self, name: str, text: str) -> bool:
        """Return True if the choice is varied and the measure reads it here."""
        levels = self.levels.get(name, ())
        if len(levels) < 2:
            return False
        inputs = set()  # all that the measure's value depends on, at each level
        for level in levels:
            settings = self.settings.changed(**{name: level})
            question = ask(text, settings)
            read = (each for each in CHOICES if RECORDS[each].is_read_by(question))
            inputs.add(
                (question.text, *(meaning(self.study, settings, each, getattr(settings, each)) for each in read))
            )
        if len(inputs) < 2 or name not in ("ties", "unlabelled"):
            return len(inputs) > 1
        question = ask(text, self.settings)
        if name == "ties":  # whether the two orders lead to different lists within the measure's depth
            cutoffs = [int(level) for level in self.levels.get("cutoff", ())]
            deepest = None if question.cutoff is None else max(question.cutoff, *cutoffs, 1)
            first, second = (documents[:deepest] for documents in self._ordered)
            return not np.array_equal(first, second)
        # Unlabelled: whether a document of the runs lacks the text, or the label of any of the varied annotators.
        if question.family == "words":
            return self._text_lacks
        names = self.levels.get("annotator", (self.settings.annotator,))
        chosen = {chosen_annotator(self.study, self.settings.changed(annotator=each)) for each in names}
        labels = (labels_of(self.study, each, self.settings.voters) for each in chosen)
        return any(not self._retrieved <= set(each["doc_id"]) for each in labels)

    @cached_property
    def _ordered(self) -> tuple[Array, Array]:
        runs = self.study.runs[self.study.runs["system"].isin(expanded(self.systems, self.study.run_names))]
        return align_runs(runs, "file").documents, align_runs(runs, "trec_eval").documents

    @cached_property
    def _text_lacks(self) -> bool:
        if stored := self.study.word_counts:
            return not stored.counts(pd.Index(sorted(self._retrieved), dtype="str"), ()).known.all()
        ids_with_text = self.study.documents.loc[self.study.documents["text"].notna(), "doc_id"]
        return not self._retrieved <= set(ids_with_text)

    @cached_property
    def _retrieved(self) -> set[str]:
        return set(self.study.retrieved)
