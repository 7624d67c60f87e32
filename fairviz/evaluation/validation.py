"""Validation of the arguments of public functions: an invalid one is named before anything is computed."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real

import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.evaluation.choices import Resolved
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.study.record import Study

A_STUDY = "Give a Study, as fairviz.open_study opens and fairviz.make_study makes."
A_MEASURE = "Write measures as text, such as 'CWEx(alpha=0.5)@10'."
MOST_SEED = 2**32 - 1
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
    """Return the measures as a list; a single one is a list of one. Raises UsageError unless each is text or parsed."""
    if isinstance(measures, (str, Question)):
        return [measures]
    expect("measures", measures, Iterable, A_MEASURE)
    listed = list(measures) if isinstance(measures, Iterable) else []
    for measure in listed:
        if not isinstance(measure, (str, Question)):
            raise UsageError(f"measures holds {value_text(measure)}", A_MEASURE)
    return listed


def texts(measures: object) -> list[str]:
    """Return the texts of the measures. Raises: see `measures_of`."""
    return [measure.text if isinstance(measure, Question) else measure for measure in measures_of(measures)]


def refuse_missing(study: Study, questions: Sequence[Question], settings: Settings) -> None:
    """Raise FairvizError where the study lacks what a measure needs, with how to add it."""
    Resolved(study, settings).refuse_missing(questions)


def check_scores(scores: object, argument: str = "scores") -> None:
    """Raise UsageError, with the argument's name, for a value that is not a table of scores."""
    expect(argument, scores, pd.DataFrame, "Give the table that fairviz.evaluate returns.")
    lacking = [name for name in SCORES if isinstance(scores, pd.DataFrame) and name not in scores.columns]
    if lacking:
        raise UsageError(f"{argument} has no column {lacking[0]!r}", "Give the table that fairviz.evaluate returns.")


def check_level(level: object, seed: object = 0) -> None:
    """Raise UsageError for a level or a seed that cannot be."""
    expect("level", level, Real, "Use a number between 0 and 1, such as 0.95.")
    if not 0 < float(level) < 1:  # type: ignore[arg-type]
        raise UsageError(f"level is {level}", "Use a number between 0 and 1, such as 0.95.")
    remedy = f"Use a whole number from 0 to {MOST_SEED:,}."
    expect("seed", seed, Integral, remedy)
    if not 0 <= int(seed) <= MOST_SEED:  # type: ignore[call-overload]
        raise UsageError(f"seed is {seed}", remedy)


def refuse_alone(scores: pd.DataFrame) -> None:
    """Raise FairvizError for the scores of a single system, which has none to be compared with."""
    systems = scores["system"].unique()
    if len(systems) == 1:
        raise FairvizError(
            f"there is one system, {systems[0]}, and nothing to compare it with",
            "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.",
        )
