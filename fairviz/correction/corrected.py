"""Means of measures from a machine's labels, corrected by people's labels of a sample that was drawn at random."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.forms.database import Sample, samples_of
from fairviz.annotation.voters import labels_of
from fairviz.correction.sampling import (
    attention_of,
    is_linear,
    label_values,
    of_labels,
    refuse_machine,
    refuse_nonlinear,
    refuse_unlabelled,
    refuse_without_labels,
)
from fairviz.errors import FairvizError, UsageError, expect, use_one_of
from fairviz.evaluation.choices import Resolved, align, selection_of
from fairviz.evaluation.questions import chosen_settings, questions_of
from fairviz.evaluation.scores import check_level, evaluate, values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.corrected import SKEW, CorrectedMeans, corrected_means, corrected_sum
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed, listed

NOT_DRAWN = "Labels that a person chose, or labelled first, have no known probability and correct nothing."
Array = np.ndarray
Row = Callable[[list[int]], list[float]]  # columns `machine` to `weight`, of a system or of the difference of two
THESE, LIKE_THESE = "these queries", "queries like these"
FEWEST_TESTED = 10  # drawn queries for a verdict, and for an interval of these queries alone
COLUMNS = [
    *("system", "measure", "machine", "people", "people_low", "people_high", "value", "ci_low", "ci_high"),
    *("labels_error", "queries_error", "weight", "drawn", "frame", "design", "target"),
]


def sample_for(study: Study, name: str, voters: Sequence[str] = ()) -> Sample:
    """Return the newest sample of queries of which this annotator, or consensus, has labelled every document, else the
    newest of documents. voters: of a consensus, as in `Settings.voters`.

    Raises FairvizError where no sample was drawn, or none is labelled.
    """
    samples = sorted(samples_of(study), key=lambda sample: sample.design != "queries")  # stable: newest first
    if not samples:
        raise FairvizError(
            f"no sample was drawn in {study.name}, so {name} cannot correct a machine. {NOT_DRAWN}",
            f"Draw one: fairviz study-form {study.name} --design queries --budget 100",
        )
    labelled = set(labels_of(study, name, voters)["doc_id"])
    missing = {sample.form: [doc for doc in sample.documents if doc not in labelled] for sample in samples}
    for sample in samples:
        if not missing[sample.form]:
            return sample
    best = min(samples, key=lambda sample: len(missing[sample.form]) / len(sample.documents))
    lacking = missing[best.form]
    raise FairvizError(
        f"{name} labelled {len(best.documents) - len(lacking):,} of the {len(best.documents):,} documents that form "
        f"{best.form} of {study.name} drew; without are {first_listed(lacking, 3)}. {NOT_DRAWN}",
        f"Bring in all answers (fairviz study-form {study.name} --collect), or decide where people differ: majority "
        "has no label there, dawid-skene has.",
    )


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
    questions = questions_of(measures, settings)
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


def _refuse_uncorrectable(question: Question, sample: Sample) -> None:
    """Raise UsageError for a measure without labels, and for one that drawn documents cannot correct."""
    refuse_without_labels(question)
    if sample.design == "documents":
        refuse_nonlinear(question)


def _target_of(sample: Sample, target: str) -> str:
    """Return the target, by default that of the sample's design. Raises UsageError for one that it cannot have."""
    if target not in ("", THESE, LIKE_THESE):
        raise UsageError(f"target is {target!r}", f"Use {THESE!r} or {LIKE_THESE!r}.")
    if sample.design == "queries":
        return target or LIKE_THESE
    if target == LIKE_THESE:
        raise UsageError("drawn documents represent these queries only", "Leave out the target, or draw queries.")
    return THESE


def correctable(questions: Sequence[Question], sample: Sample) -> list[Question]:
    """Return the measures that labels of the sample can correct."""
    return [one for one in of_labels(questions) if sample.design == "queries" or is_linear(one)]


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
    def rankings(self) -> AlignedRankings:
        """The rankings with the machine's labels."""
        return align(self.study, self.settings)

    @cached_property
    def people_rankings(self) -> AlignedRankings:
        """The rankings with people's labels."""
        return align(self.study, self.settings.changed(annotator=self.people))

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries shown."""
        return selection_of(self.study, self.settings, self.rankings).queries

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
            refuse_unlabelled(self.study, self.settings, self.questions[0], self.rankings)
        names, codes = self.rankings.lists.doc_ids, self.people_rankings.labels.codes
        for question in self.questions:
            attention = attention_of(self.study, self.settings, question, self.rankings)
            has_attention = attention.share > 0
            if self.sample.design == "queries":
                places = np.unique(attention.documents[:, self.is_drawn][has_attention[:, self.is_drawn]])
                where, remedy = "the drawn queries' top documents", "take the cutoff and systems that it was drawn for"
            else:
                doc_ids = names[np.unique(attention.documents[has_attention])]
                if outside := [name for name in doc_ids if name not in self.sample.frame]:
                    raise FairvizError(
                        f"{question.text} reads {len(outside):,} documents that could not be drawn, such as "
                        f"{outside[0]}",
                        f"The sample is for {self.sample.measure} of {', '.join(self.sample.systems)}; draw another.",
                    )
                places = names.get_indexer(pd.Index(self.sample.drawn))
                where, remedy = "the drawn documents", "bring in all answers"
            missing = names[places[codes[places] < 0]]
            if len(missing):
                raise FairvizError(
                    f"{self.people} did not label {len(missing):,} of {where}, such as {missing[0]}",
                    f"Have them labelled, or {remedy}.",
                )

    @cached_property
    def _values(self) -> dict[Question, tuple[Array, Array]]:
        """The values (S, Q) by the machine and by people."""
        tables = []
        people_settings = self.settings.changed(annotator=self.people)
        for settings, rankings in ((self.settings, self.rankings), (people_settings, self.people_rankings)):
            selection = selection_of(self.study, settings, rankings)
            tables.append([selection.take(values_of(self.study, rankings, one, settings))[0] for one in self.questions])
        return dict(zip(self.questions, zip(*tables, strict=True), strict=True))

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
        names, measure = self.rankings.lists.doc_ids, question.measure
        attention = attention_of(self.study, self.settings, question, self.rankings)
        chances = np.array([self.sample.frame.get(name, 0.0) for name in names])
        inside = chances > 0
        values = label_values(measure, question.parameters, self.rankings) if measure else np.zeros(1)
        machine, people = (values[one.labels.codes[inside]] for one in (self.rankings, self.people_rankings))
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


def corrected(
    study: Study,
    measures: str | Question | Sequence[str | Question],
    settings: Settings | None = None,
    *,
    sample: Sample | None = None,
    against: str = "",
    target: str = "",
    level: float = 0.95,
    **choices: object,
) -> pd.DataFrame:
    """Return the means of measures under people's labels, from a machine's labels of all and people's of a sample.

    No row is a verdict. The estimator is in `fairviz.statistics.corrected`.

    Parameters
    ----------
    study : Study
        Of S systems, with labels by the machine and by people.
    measures : str, Question or sequence of these
        M measures of labels.
    settings : Settings, optional
        The choices behind the values, among them annotator, the machine (default: that of the sample), and
        corrected_by, the annotator or consensus with people's labels.
    sample : Sample, optional
        From `fairviz.draw_sample`; by default the newest of queries, else of documents, of the study's forms that
        corrected_by has labelled whole.
    against : str
        A system, for the differences of the others from it.
    target : {'', 'queries like these', 'these queries'}
        By default the former for drawn queries; the latter needs ten of them, and allows no verdict. Drawn
        documents have the latter alone.
    level : float
        Of the intervals, between 0 and 1.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S · M rows: system, measure, machine (the mean with its labels), people, people_low and people_high (people
        alone), value, ci_low and ci_high (corrected), labels_error and queries_error (the two parts of the standard
        error), weight (of the machine, 0 to 1), drawn and frame (numbers of queries or documents), design and target.

    Raises
    ------
    UsageError
        For a measure or target that does not fit.
    FairvizError
        If no sample was drawn, or people left a part of it unlabelled.

    Examples
    --------
    >>> import fairviz
    >>> study = fairviz.open_study("newswire")
    >>> sample = fairviz.draw_sample(study, "queries", "CWEx@10", 600, annotator="lexicon")
    >>> table = corrected(study, "CWEx@10", sample=sample, corrected_by="project")
    >>> bool((table["ci_low"] < table["value"]).all())
    True
    """
    settings = chosen_settings(study, settings, choices)
    check_level(level)
    expect("against", against, str, "Give the name of a system, as text.")
    expect("target", target, str, f"Use {THESE!r} or {LIKE_THESE!r}.")
    expect("sample", sample, (Sample, type(None)), "Give what fairviz.draw_sample returns, or leave it out.")
    problem = correction(study, measures, settings, sample, target)
    if against and against not in problem.systems:
        raise UsageError(f"the sample was not drawn for {against!r}", use_one_of(problem.systems, against))
    rows = [row for question in problem.questions for row in problem.rows(question, against, level)]
    return pd.DataFrame(rows, columns=COLUMNS)


def corrected_scores(
    study: Study, measures: Sequence[str | Question], settings: Settings, *, sample: Sample | None = None,
    level: float = 0.95,
) -> pd.DataFrame:  # fmt: skip
    """Return scores as `evaluate` does, in which measures of labels are corrected for queries like these.

    A value of such a measure is no longer that of its query: it is what the query adds to the corrected mean, so that
    means, intervals and paired tests are those of the correction. Raises: see `corrected`; UsageError for a sample of
    documents or of fewer than FEWEST_TESTED queries, which allow no test.
    """
    questions = questions_of(measures, settings)
    corrigible = labels_among(questions)
    problem = correction(study, corrigible, settings, sample)
    problem.refuse_tests()
    scores = evaluate(study, questions, problem.shown_settings)
    rows = [problem.systems.index(name) for name in problem.shown]
    for question in corrigible:
        values = problem.means(question, True, level).values[rows]
        scores.loc[scores["measure"] == question.text, "value"] = values.ravel()
    return scores


def labels_among(questions: Sequence[Question]) -> list[Question]:
    """Return the questions of labels. Raises UsageError without any: nothing could be corrected."""
    label_questions = of_labels(questions)
    if not label_questions:
        raise UsageError(
            "no measure reads labels, so there is nothing to correct", "Add CWEx, or leave out corrected_by."
        )
    return label_questions


def scores_under(
    study: Study, measures: Sequence[str | Question], settings: Settings, *, level: float = 0.95
) -> pd.DataFrame:
    """Return the scores that tests and means are of: measures of labels corrected where the settings name people."""
    if settings.corrected_by and of_labels(questions_of(measures, settings)):
        return corrected_scores(study, measures, settings, level=level)
    return evaluate(study, measures, settings)


def half_widths(row: Mapping[str, Any], counts: Array, level: float = 0.95) -> Array:
    """Return about half the width of a row's interval had this many queries, or documents, been drawn: (N,).

    row: of `corrected`. The part of the error from drawing shrinks as 1/drawn − 1/frame; that of the queries stays.
    """
    from scipy.special import stdtrit

    number = np.clip(np.asarray(counts, dtype=np.float64), 2, row["frame"])
    now = 1 / row["drawn"] - 1 / row["frame"]
    ratio = (1 / number - 1 / row["frame"]) / now if now > 0 else np.ones(len(number))
    error = np.sqrt(row["labels_error"] ** 2 * ratio + row["queries_error"] ** 2)
    if row["design"] == "queries" and row["target"] == THESE:
        error *= 1 + SKEW / number
    return stdtrit(number - 1, (1 + level) / 2) * error


def now_and_with_more(study: Study, sample: Sample, name: str, more: int, voters: Sequence[str] = ()) -> str:
    """Return the first system's interval with this annotator's labels, and about its width with more of them.

    Empty where the annotator has not labelled the whole sample.
    """
    if not set(sample.documents) <= set(labels_of(study, name, voters)["doc_id"]):
        return ""
    settings = Settings(corrected_by=name, annotator=sample.annotator, systems=sample.systems[:1], voters=tuple(voters))
    table = corrected(study, sample.measure, settings, sample=sample)
    row = {str(name): value for name, value in table.iloc[0].items()}
    larger_size = row["drawn"] + more * len(sample.drawn) / len(sample.documents)
    now, then = half_widths(row, np.array([row["drawn"], larger_size]))
    return (
        f"{row['measure']} of {row['system']} by {name}: {row['value']:.3f} ± {now:.3f}; with {more} more labels about "
        f"± {then:.3f}"
    )
