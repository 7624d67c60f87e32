"""The data of a correction, checked: a machine's labels of all, people's labels of a sample, and the questions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.annotation.forms.database import Sample
from fairviz.correction.drawn_samples import sample_for
from fairviz.correction.sampling import (
    Attention,
    attention_of,
    is_linear,
    label_values,
    of_labels,
    refuse_machine,
    refuse_nonlinear,
    refuse_unlabelled,
    refuse_without_labels,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import Resolved, align
from fairviz.evaluation.questions import questions_of
from fairviz.evaluation.scores import values_of
from fairviz.evaluation.selection import selection_of
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import measures_of
from fairviz.measures import Question
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.corrected import CorrectedMeans, corrected_means, corrected_sum
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed, listed

Array = np.ndarray
Row = Callable[[list[int]], list[float]]  # columns `machine` to `weight`, of a system or of the difference of two
THESE, LIKE_THESE = "these queries", "queries like these"
FEWEST_TESTED = 10  # drawn queries for a verdict, and for an interval of these queries alone


def correction(
    study: Study,
    measures: str | Question | Sequence[str | Question],
    settings: Settings,
    sample: Sample | None = None,
    target: str = "",
) -> "Correction":
    """Return what a correction needs, checked, for those of the systems shown that the sample was drawn for.

    Raises: see `fairviz.corrected`.
    """
    if not settings.corrected_by:
        raise UsageError("no labels are named to correct the machine's", "Name them with corrected_by.")
    people = Resolved(study, settings.changed(annotator=settings.corrected_by)).annotator
    refuse_machine(study, people, settings.voters)
    sample = sample or sample_for(study, people, settings.voters)
    machine = settings.annotator or sample.annotator
    if machine == people:
        raise UsageError(f"{machine} cannot correct itself", "Name the machine as annotator, people as corrected_by.")
    questions = questions_of(measures_of(measures), settings)
    for question in questions:
        _refuse_uncorrectable(question, sample)
    target = _target_of(sample, target)
    systems = [name for name in Resolved(study, settings).systems if name in sample.systems]
    if not systems:
        raise FairvizError(
            f"the sample was drawn for {listed(sample.systems)}, and none of them is shown", "Show one of them."
        )
    all_systems = tuple(name for name in study.systems if name in sample.systems)  # so that λ is that of every page
    whole = settings.changed(annotator=machine, systems=all_systems)
    built = Correction(study, whole, people, sample, tuple(questions), target, tuple(systems))
    built.refuse_few_for_these()
    if questions:
        built.refuse_missing()
    return built


def correctable(questions: Sequence[Question], sample: Sample) -> list[Question]:
    """Return the measures that labels of the sample can correct."""
    return [one for one in of_labels(questions) if sample.design == "queries" or is_linear(one)]


def _refuse_uncorrectable(question: Question, sample: Sample) -> None:
    """Raise UsageError for a measure without labels, and for one that drawn documents cannot correct."""
    refuse_without_labels(question)
    if sample.design == "documents":
        refuse_nonlinear(question)


def _target_of(sample: Sample, target: str) -> str:
    """Return the target, by default that of the sample's design. Raises UsageError for one that it cannot have."""
    if target not in ("", THESE, LIKE_THESE):
        raise UsageError(f"target is {target!r}", f"Use {THESE!r} or {LIKE_THESE!r}.")
    if sample.design == "documents" and target == LIKE_THESE:
        raise UsageError("drawn documents represent these queries only", "Leave out the target, or draw queries.")
    return target or (THESE if sample.design == "documents" else LIKE_THESE)


@dataclass(frozen=True, eq=False)
class Correction:
    """A machine's labels under settings, people's labels of a sample, and the questions to be corrected.

    settings: with every system that the sample was drawn for, since λ is one for all of them. shown: those shown.
    """

    study: Study
    settings: Settings
    people: str
    sample: Sample
    questions: tuple[Question, ...]
    target: str
    shown: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that the sample was drawn for, shown or not."""
        return self.settings.systems

    @property
    def shown_settings(self) -> Settings:
        """The settings with the systems shown."""
        return self.settings.changed(systems=self.shown)

    @cached_property
    def places(self) -> AlignedRankings:
        """The rankings with the machine's labels."""
        return align(self.study, self.settings)

    @cached_property
    def people_places(self) -> AlignedRankings:
        """The rankings with people's labels."""
        return align(self.study, self._people_settings)

    @property
    def _people_settings(self) -> Settings:
        return self.settings.changed(annotator=self.people)

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries shown."""
        return selection_of(self.study, self.settings, self.places).queries

    @property
    def is_drawn(self) -> Array:
        """True for each query shown that was drawn, (Q,)."""
        return np.isin(np.array(self.queries, dtype=object), self.sample.drawn)

    @property
    def about(self) -> list[object]:
        """The columns `drawn` to `target`."""
        if self.sample.design == "queries":
            return [int(self.is_drawn.sum()), len(self.queries), "queries", self.target]
        return [len(self.sample.drawn), len(self.sample.frame), "documents", self.target]

    @property
    def text(self) -> str:
        """`lexicon corrected by anna's labels of 15 of 40 queries, drawn at random by form 2`."""
        form = f" by form {self.sample.form}" if self.sample.form else ""
        return f"{self.settings.annotator} corrected by {self.people}: {self.sample.text}, drawn at random{form}"

    @property
    def labels_each(self) -> float:
        """The mean number of documents to label for one more drawn query, or document."""
        return len(self.sample.documents) / max(len(self.sample.drawn), 1)

    def rows(self, question: Question, against: str, level: float) -> Iterator[list[object]]:
        """Yield the row of `fairviz.corrected` of each system shown, or of its difference from another."""
        row = (self._of_queries if self.sample.design == "queries" else self._of_documents)(question, level)
        for system in self.shown:
            if system != against:
                places = [self.systems.index(name) for name in (system, *([against] if against else []))]
                yield [system, question.text, *row(places), *self.about]

    def means(self, question: Question, is_corrected: bool, level: float) -> CorrectedMeans:
        """Return the corrected means of the systems, or those by people alone."""
        machine, people = self._values[question]
        return corrected_means(
            machine if is_corrected else np.zeros_like(machine), people, self.is_drawn, level=level,
            others_like_them=self.target == LIKE_THESE,
        )  # fmt: skip

    @property
    def no_tests(self) -> str:
        """The reason why the sample allows no verdict; empty where it does."""
        if self.sample.design == "documents":
            return "drawn documents give intervals and no test"
        count = int(self.is_drawn.sum())
        return f"{count} drawn queries give an interval and no test" if count < FEWEST_TESTED else ""

    def refuse_tests(self) -> None:
        """Raise UsageError for a sample or a statistic that allows no verdict."""
        if self.no_tests:
            raise UsageError(self.no_tests, f"Draw {FEWEST_TESTED} queries or more to compare systems.")
        tests = parse_tests(self.settings.tests)
        if tests.statistic != "t" or tests.method == "tukey":
            raise UsageError(
                f"{tests.text} ranks or shuffles queries, and corrected means are tested by t", "Use maxT."
            )

    def refuse_few_for_these(self) -> None:
        """Raise UsageError for drawn queries too few for an interval of these queries alone."""
        if self.sample.design != "queries" or self.target != THESE:
            return
        count = int(self.is_drawn.sum())
        if count < min(FEWEST_TESTED, len(self.queries)):
            raise UsageError(
                f"{count} drawn queries give no interval for these queries alone, which would too often miss the mean",
                f"Use target={LIKE_THESE!r}, or draw {FEWEST_TESTED} queries or more.",
            )

    def refuse_missing(self) -> None:
        """Raise FairvizError where the sample does not reach, or people left a part of it unlabelled."""
        if self.sample.design == "queries":
            if unknown := [query for query in self.queries if query not in self.sample.frame]:
                raise FairvizError(
                    f"the sample was drawn before {first_listed(unknown, 3)} had lists", "Draw a new sample."
                )
        elif self.questions:
            refuse_unlabelled(self.study, self.settings, self.questions[0], self.places)
        for question in self.questions:
            self._refuse_unlabelled_sample(question)

    def _refuse_unlabelled_sample(self, question: Question) -> None:
        attention, codes = self._attention(question), self.people_places.labels.codes
        names, has_attention = self.places.rankings.doc_ids, attention.share > 0
        if self.sample.design == "queries":
            places = np.unique(attention.documents[:, self.is_drawn][has_attention[:, self.is_drawn]])
            missing = names[places[codes[places] < 0]]
            where, remedy = "the drawn queries' top documents", "take the cutoff and systems that it was drawn for"
        else:
            doc_ids = names[np.unique(attention.documents[has_attention])]
            if outside := [name for name in doc_ids if name not in self.sample.frame]:
                raise FairvizError(
                    f"{question.text} reads {len(outside):,} documents that could not be drawn, such as {outside[0]}",
                    f"The sample is for {self.sample.measure} of {', '.join(self.sample.systems)}; draw another.",
                )
            places = names.get_indexer(pd.Index(self.sample.drawn))
            missing = names[places[codes[places] < 0]]
            where, remedy = "the drawn documents", "bring in all answers"
        if len(missing):
            raise FairvizError(
                f"{self.people} did not label {len(missing):,} of {where}, such as {missing[0]}",
                f"Have them labelled, or {remedy}.",
            )

    @cached_property
    def _values(self) -> dict[Question, tuple[Array, Array]]:
        """The values (S, Q) by the machine and by people."""
        return {question: (self._table(question, False), self._table(question, True)) for question in self.questions}

    def _table(self, question: Question, by_people: bool) -> Array:
        settings = self._people_settings if by_people else self.settings
        places = self.people_places if by_people else self.places
        selection = selection_of(self.study, settings, places)
        return selection.take(values_of(self.study, places, question, settings))[0]

    def _attention(self, question: Question) -> Attention:
        return attention_of(self.study, self.settings, question, self.places)

    def _of_queries(self, question: Question, level: float) -> Row:
        """Return the function of a row from one estimate of all systems."""
        by_machine, alone = (self.means(question, is_corrected, level) for is_corrected in (True, False))
        of_machine = mean_over_queries(self._values[question][0])

        def row(places: list[int]) -> list[float]:
            signs = np.zeros(len(self.systems))
            signs[places] = [1.0, -1.0][: len(places)]
            intervals = [*alone.interval(signs), *by_machine.interval(signs)]
            return [float(signs[places] @ of_machine[places]), *intervals, *by_machine.errors(signs), by_machine.weight]

        return row

    def _of_documents(self, question: Question, level: float) -> Row:
        """Return the function of a row from the labels of the frame."""
        names, attention, measure = self.places.rankings.doc_ids, self._attention(question), question.measure
        chances = np.array([self.sample.frame.get(name, 0.0) for name in names])
        inside = chances > 0
        values = label_values(measure, question.parameters, self.places) if measure else np.zeros(1)
        machine, people = (values[one.labels.codes[inside]] for one in (self.places, self.people_places))
        is_drawn = np.asarray(names[inside].isin(self.sample.drawn))

        def row(places: list[int]) -> list[float]:
            table = attention.weights(places, len(names))[:, inside]
            weights = table[0] - table[1] if len(places) > 1 else table[0]
            by_machine, alone = (
                corrected_sum(weights, one, people, chances[inside], is_drawn, steps=np.unique(values), level=level)
                for one in (machine, np.zeros_like(machine))
            )
            return [
                float(weights @ machine), alone.value, alone.low, alone.high, by_machine.value, by_machine.low,
                by_machine.high, by_machine.error, 0.0, by_machine.weight,
            ]  # fmt: skip

        return row
