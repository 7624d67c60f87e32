"""From the study, settings and measures of a caller to the questions that are answered: what is invalid is named before
anything is computed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from fairviz.errors import PackageError, UsageError, expect, value_text
from fairviz.evaluation.choices import Resolved, bias_to_depth
from fairviz.evaluation.settings import Settings
from fairviz.installed import origin, record_fault
from fairviz.measures import MEASURES, Measure, Question, parse
from fairviz.measures.adopted import measure_of
from fairviz.measures.front_distance import DPFR, INSTEAD
from fairviz.study.record import A_STUDY, Study

MAIN = ("CWEx", "NFaiRR", "TExFAIR")
A_MEASURE = "Write measures as text, such as 'CWEx(alpha=0.5)@10'."
Measures = Sequence[str | Question]
_FAULTS: WeakKeyDictionary[Study, dict[str, str]] = WeakKeyDictionary()  # by measure of a package


def chosen_settings(study: object, settings: object, choices: Mapping[str, object]) -> Settings:
    """Return the settings with the choices in their place; the default ones for None.

    Raises UsageError for what is no study or no Settings, or a choice that there is not, FairvizError for a value that
    a setting cannot have.
    """
    expect("study", study, Study, A_STUDY)
    return settings_with(settings, choices)


def settings_with(settings: object, choices: Mapping[str, object]) -> Settings:
    """Return the settings with the choices in their place; the default ones for None. Raises: see `chosen_settings`."""
    if settings is not None:
        expect(
            "settings", settings, Settings, "Give a Settings, or its fields by name: cutoff=5, annotator='majority'."
        )
    return (settings if isinstance(settings, Settings) else Settings()).changed(**choices)


def measures_of(measures: object) -> list[str | Question]:
    """Return the measures as a list; a single one is a list of one. A function or a record is added to the measures of
    this process by its name.

    Raises UsageError unless each is text, parsed, a function of a ranked list, or a record of a measure.
    """
    if isinstance(measures, (str, Question)) or _is_added(measures):
        measures = [measures]
    expect("measures", measures, Iterable, A_MEASURE)
    listed = list(measures) if isinstance(measures, Iterable) else []
    added = {id(measure): _added(measure) for measure in listed if _is_added(measure)}
    names = [*added.values()]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two functions are called {repeated[0]!r}", "Give each a name of its own with def.")
    for measure in listed:
        if id(measure) not in added and not isinstance(measure, (str, Question)):
            raise UsageError(f"measures holds {value_text(measure)}", A_MEASURE)
    return [added.get(id(measure), measure) for measure in listed]


def _is_added(measure: object) -> bool:
    """Return whether this is a record of a measure, or a function."""
    return isinstance(measure, Measure) or (callable(measure) and not isinstance(measure, type))


def _added(measure: Measure | Callable[..., Any]) -> str:
    """Add a record or a function to the measures of this process; return its name. Raises UsageError."""
    record = measure if isinstance(measure, Measure) else measure_of(measure)
    try:
        MEASURES.take(record)
    except ValueError as error:
        raise UsageError(
            f"the measure {record.name} cannot be used: {error}", "Correct it, or name it otherwise."
        ) from error
    return record.name


def texts_of(measures: object) -> list[str]:
    """Return the texts of the measures. Raises: see `measures_of`."""
    return [measure.text if isinstance(measure, Question) else measure for measure in measures_of(measures)]


def ask(measure: str | Question, settings: Settings) -> Question:
    """Return the measure as a Question under these settings, whose values it takes where its text has none.

    A Question is returned as it is. Raises UsageError for a text that is not a measure, and for one that takes a stop
    list that the settings lack.
    """
    question = measure if isinstance(measure, Question) else parse(measure, settings.cutoff, _chosen(settings))
    if question.parameters.get("stop_words") == "own" and not settings.stop_words:
        raise UsageError(
            f"{question.text} takes a stop list of your own, and there is none",
            "Give its words: --stop-words FILE, or stop_words='the a of' in Python.",
        )
    return question


def _chosen(settings: Settings) -> dict[str, object]:
    """Return the settings' values of parameters of measures."""
    return {
        "alpha": settings.alpha,
        "tau": settings.tau,
        "background": settings.background,
        "depth": settings.gsr_depth,
        "query_terms": settings.query_terms,
        "weights": settings.list_weights,
        "stop_words": "own" if settings.stop_words else "built-in",
        "effectiveness": settings.effectiveness,
    }


def questions_of(measures: object, settings: Settings) -> list[Question]:
    """Return the measures as Questions, each once.

    Raises UsageError as `measures_of` and `ask`, and for a distance of means, which no list has.
    """
    questions = list(dict.fromkeys(ask(measure, settings) for measure in measures_of(measures)))
    for question in questions:
        if question.name == DPFR.name:
            raise UsageError(f"{question.text} is a distance of means, which no list has", INSTEAD)
    return questions


def wants_collection(questions: Sequence[Question], settings: Settings) -> bool:
    """Return whether any question needs the documents that no run retrieved."""
    return any(question.reads_collection for question in questions)


def as_asked(question: Question, settings: Settings) -> Settings:
    """Return the settings of a GSR, with the question's own values."""
    own = question.parameters["stop_words"] == "own"
    return settings.changed(
        cutoff=question.cutoff or settings.cutoff,
        gsr_depth=question.parameters["depth"],
        query_terms=question.parameters["query_terms"],
        list_weights=question.parameters["weights"],
        stop_words=settings.stop_words if own else "",
    )


class Asked(NamedTuple):
    """The questions that a study can feed, and for each other measure the sentence that names what is missing."""

    questions: tuple[Question, ...]
    missing: tuple[tuple[str, str], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The canonical texts, as in the column `measure`."""
        return tuple(question.text for question in self.questions)


def tradeoff(study: Study, settings: Settings) -> Asked:
    """Return the three main measures; where the study can feed one alone, others that it can, for a comparison."""
    main = split_by_data(study, settings, MAIN)
    if len(main.questions) != 1:
        return main
    spare = split_by_data(study, settings, ("AWRF", "AbsExposureGap"))
    return Asked((*main.questions, *spare.questions), main.missing)


def of_lists(study: Study) -> list[str]:
    """Return the measures of one list: all, but those of relevance where a system has several draws."""
    return [name for name, one in MEASURES.items() if one.family != "relevance" or not study.draws]


def effective(study: Study, settings: Settings) -> Asked:
    """Return the measure of effectiveness that fairness is set against, where the study can feed it."""
    return split_by_data(study, settings, (settings.effectiveness,))


def overview(study: Study, settings: Settings) -> Asked:
    """Return the columns of the Overview: those of the settings; by default the main measures, others that are columns
    by their records, and effectiveness."""
    if settings.columns:
        return split_by_data(study, settings, settings.columns)
    others = (name for name, measure in MEASURES.items() if measure.column and measure.per_query and name not in MAIN)
    return split_by_data(study, settings, (*MAIN, *others, settings.effectiveness))


def offered_columns(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the measures to choose columns from: those of the settings as they are written there, and each other
    measure with values per query that the study can feed, by its name."""
    written = {ask(text, settings).name: text for text in settings.columns}
    names = [*MAIN, *(name for name, measure in MEASURES.items() if measure.per_query and name not in MAIN)]
    fed = split_by_data(study, settings, (*names, settings.effectiveness)).questions
    return tuple(({question.name: question.name for question in fed} | written).values())


def headline(request: Asked, settings: Settings) -> tuple[Question, ...]:
    """Return the columns of the Overview that its figure shows: all that the reader has chosen; else the three of the
    trade-off, or the first two of fairness, and effectiveness."""
    if settings.columns:
        return request.questions
    fair = [question for question in request.questions if question.family != "effectiveness"]
    main = [question for question in fair if question.name in MAIN]
    effective = [question for question in request.questions if question.family == "effectiveness"]
    return (*(main or fair[:2]), *effective)


def packages_note() -> str:
    """Return `Presence: package fairviz-template 1.0.`, with each measure of a package of others; empty for none."""
    named = [f"{name}: {origin(record.package)}" for name, record in MEASURES.items() if record.package]
    return f"{'; '.join(named)}." if named else ""


def left_out(study: Study, settings: Settings, measures: Measures) -> dict[str, str]:
    """Return for each measure that the study cannot feed, by its text, the reason.

    A distance from a front is of the two measures that make it.
    """
    reasons = {}
    resolved = Resolved(study, settings)
    for question in (ask(measure, settings) for measure in measures):
        is_front = question.name == DPFR.name
        own = [question.parameters[name] for name in ("effectiveness", "fairness")] if is_front else [question]
        if reason := next(filter(None, map(resolved.missing_part, own)), ""):
            reasons[question.text] = reason
    return reasons


def split_by_data(study: Study, settings: Settings, measures: Measures) -> Asked:
    """Return the measures as questions, apart from those that the study cannot feed, and those of packages that fail
    on it; each of these is tried once for each study."""
    questions, missing, resolved = [], [], Resolved(study, settings)
    for question in (ask(measure, settings) for measure in measures):
        reason = resolved.missing_part(question)
        if not reason and question.measure is not None and question.measure.package and question.cutoff is not None:
            faults = _FAULTS.setdefault(study, {})
            if question.name not in faults:
                rankings = resolved.align(wants_collection([question], settings))
                bias = bias_to_depth(settings, max(rankings.lists.depth, question.cutoff))
                faults[question.name] = ""
                try:
                    question.measure.compute(rankings, question.parameters, bias, np.array([question.cutoff]))
                except PackageError as error:
                    faults[question.name] = f"{error.message}. {error.remedy}"
                    record_fault("fairviz.measures", f"{error.message}; it is left out of {study.name}.")
            reason = faults[question.name]
        if reason:
            missing.append((question.name, reason))
        else:
            questions.append(question)
    return Asked(tuple(questions), tuple(missing))
