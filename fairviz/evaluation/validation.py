"""Validation of the arguments of public functions: an invalid one is named before anything is computed."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fairviz.declared import COMPARE
from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.evaluation.choices import Resolved
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Measure, Question
from fairviz.measures.adopted import measure_of
from fairviz.normal_form import normal_form
from fairviz.parameters import check_parameters
from fairviz.study.record import A_STUDY, Study

A_MEASURE = "Write measures as text, such as 'CWEx(alpha=0.5)@10'."
SCORES = ("system", "query_id", "measure", "value")


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
    added: dict[int, str] = {}
    for measure in filter(_is_added, listed):
        record = measure if isinstance(measure, Measure) else measure_of(measure)
        try:
            MEASURES.take(record)
        except ValueError as error:
            raise UsageError(
                f"the measure {record.name} cannot be used: {error}", "Correct it, or name it otherwise."
            ) from error
        added[id(measure)] = record.name
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


def texts(measures: object) -> list[str]:
    """Return the texts of the measures. Raises: see `measures_of`."""
    return [measure.text if isinstance(measure, Question) else measure for measure in measures_of(measures)]


def refuse_missing(study: Study, questions: Sequence[Question], settings: Settings) -> None:
    """Raise FairvizError where the study lacks what a measure needs, with how to add it."""
    Resolved(study, settings).refuse_missing(questions)


def refuse_slopes(questions: Sequence[Question], reason: str) -> None:
    """Raise FairvizError, with this reason after its name, for a measure without a value for one query."""
    for question in questions:
        if not question.per_query:
            raise FairvizError(f"{question.text} {reason}", "Leave it out.")


def check_scores(scores: object, argument: str = "scores") -> None:
    """Raise UsageError, with the argument's name, for a value that is not a table of scores."""
    expect(argument, scores, pd.DataFrame, "Give the table that fairviz.evaluate returns.")
    lacking = [name for name in SCORES if isinstance(scores, pd.DataFrame) and name not in scores.columns]
    if lacking:
        raise UsageError(f"{argument} has no column {lacking[0]!r}", "Give the table that fairviz.evaluate returns.")
    names = [normal_form(str(name)) for name in scores["system"].unique()]  # type: ignore[index]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise UsageError(f"{argument} has two systems {twice!r}, in two Unicode forms", "Give each a name of its own.")


def check_level(level: object, seed: object = 0) -> None:
    """Raise UsageError for a level or a seed that cannot be."""
    check_parameters({"level": level, "seed": seed}, COMPARE, "level", "seed")


def refuse_alone(scores: pd.DataFrame) -> None:
    """Raise FairvizError for the scores of a single system, which has none to be compared with."""
    systems = scores["system"].unique()
    if len(systems) == 1:
        raise FairvizError(
            f"there is one system, {systems[0]}, and nothing to compare it with",
            "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.",
        )
