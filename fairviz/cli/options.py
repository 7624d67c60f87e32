"""The options of the command line that are fields of `Settings`, the study opened under them, and where work is done.

The records of the fields are imported by the functions: they bring in pandas, which the list of verbs does without.
"""

import argparse
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.cli.record import (
    add_parameters,
    lexicon_text,
    more_options,
    print_notes,
    print_notices,
    reader,
    stop_words_text,
)
from fairviz.declared import MAX_CUTOFF, PROCESSES, count
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.formats import say
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.executors import Executor
    from fairviz.evaluation.settings import SettingChoice, Settings
    from fairviz.study.record import Study

VARIABLE = "DASK_SCHEDULER_ADDRESS"
SHARE = reader(Parameter("share", 0.5))  # of an argument: a number from 0 to 1
COMMON = ("cutoff", "position_bias", "annotator")  # fields whose options every --help shows


def add_choices(parser: argparse.ArgumentParser, names: Collection[str] = (), *, rare: bool = False) -> None:
    """Add the options of these fields; by default of all fields with an option. rare: only `--help all` shows them."""
    from fairviz.evaluation.settings import CHOICES

    for name, choice in CHOICES.items():
        has_verb = not choice.verbs or parser.prog.rpartition(" ")[2] in choice.verbs
        if choice.option and has_verb and (name in names or not names):
            place = parser if not rare and (names or name in COMMON) else more_options(parser)
            place.add_argument(choice.option, metavar=choice.metavar, help=choice.option_help, **_values_of(choice))


def _values_of(choice: "SettingChoice") -> dict[str, Any]:
    """Return the arguments of argparse that depend on the type of the field."""
    if choice.name == "voters":
        return {"nargs": "+", "action": "extend", "default": []}
    if isinstance(choice.default, tuple):
        return {"action": "append", "default": []}
    arguments: dict[str, Any] = {"default": choice.default}
    if choice.texts:
        return arguments | {"choices": tuple(choice.texts)}
    if choice.name == "cutoff":
        return arguments | {"type": _whole_number_from(1)}
    if isinstance(choice.default, int):
        return arguments | {"type": _whole_number_from(choice.least or 0)}
    if isinstance(choice.default, float):
        return arguments | {"type": SHARE}
    return arguments


def _whole_number_from(least: int) -> Callable[[str], int]:
    return reader(count("number", least, low=least, high=MAX_CUTOFF))


def settings_of(arguments: argparse.Namespace) -> "Settings":
    """Return the options as Settings. Raises UsageError for a value out of range, DataError for a bad file."""
    from fairviz.evaluation.settings import Settings

    values = values_of(arguments)
    try:
        return Settings(**values)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error


def values_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options as fields of `Settings`, with the content of files.

    Raises DataError for a bad file, UsageError for an unknown position bias.
    """
    from fairviz.evaluation.settings import CHOICES

    values: dict[str, Any] = {}
    for name, choice in CHOICES.items():
        option = choice.option.strip("-").replace("-", "_")
        if option and option in arguments:
            value = getattr(arguments, option)
            values |= _READERS[name](value) if name in _READERS else {name: value}
    return values


def systems_in(study: "Study", text: str) -> list[str]:
    """Return the names in `A,B`, which may contain commas: the longest names that the study has, from the left; a part
    that is none of them as it is."""
    known, parts, names = {*study.systems, *study.run_names}, text.split(","), list[str]()
    while parts:
        lengths = range(len(parts), 0, -1)
        length = next((one for one in lengths if ",".join(parts[:one]).strip() in known), 1)
        names.append(",".join(parts[:length]).strip())
        parts = parts[length:]
    return names


def _position_bias(text: str) -> dict[str, Any]:
    """Return the name of a function, or `custom` and the weights, written or in the file of this name."""
    from fairviz.measures.position_bias import parse_position_bias

    try:
        parse_position_bias(text)
    except UsageError:
        if os.path.isfile(text):
            from fairviz.study.loaders.weights import read_weights

            return {"position_bias": "custom", "custom_bias": read_weights(Path(text))}
        with suppress(ValueError):
            return {"position_bias": "custom", "custom_bias": tuple(map(float, text.split(",")))}
        raise
    return {"position_bias": text}


def _where(texts: Sequence[str]) -> dict[str, Any]:
    """Return the column and the values of texts `COLUMN=VALUE`. Raises UsageError."""
    pairs = [text.partition("=") for text in texts]
    columns = list(dict.fromkeys(column for column, _, _ in pairs))
    if len(columns) > 1 or not all(column and sign for column, sign, _ in pairs):
        raise UsageError(
            f"--where is {', '.join(texts)[:80]!r}", "Write one column and its value, as --where category=sport."
        )
    return {"filter_column": columns[0], "filter_values": tuple(value for _, _, value in pairs)} if pairs else {}


_READERS: Mapping = {  # the fields whose option is not their value
    "position_bias": _position_bias,
    "filter_values": _where,
    "lexicon": lambda file: {"lexicon": lexicon_text(file) if file else ""},
    "stop_words": lambda file: {"stop_words": stop_words_text(file) if file else ""},
}


def computable(study: "Study", settings: "Settings", measures: list[str], *, beside: bool = False) -> list[str]:
    """Return the measures that the study can feed, and print why each other is left out.

    beside: whether there are others. Raises FairvizError with every reason where the study can feed none.
    """
    from fairviz.evaluation.choices import refusal
    from fairviz.evaluation.questions import ask, left_out

    reasons = left_out(study, settings, measures)
    fed = [text for text in measures if ask(text, settings).text not in reasons]
    by_reason = {why: [text for text in reasons if reasons[text] == why] for why in reasons.values()}
    sentences = [refusal(study, texts, why) for why, texts in by_reason.items()]
    if measures and not fed and not beside:
        raise FairvizError("\n".join(sentences))
    print_notes(sentences)
    return fed


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Add --workers, --scheduler and --scheduler-file, of which one may be given, and --patience."""
    where = parser.add_mutually_exclusive_group()
    add_parameters(where, PROCESSES, "workers")
    where.add_argument("--scheduler", metavar="ADDRESS", help=f"a Dask cluster (default: ${VARIABLE})")
    where.add_argument("--scheduler-file", metavar="FILE", help="the file that `dask scheduler` wrote")
    add_parameters(parser, PROCESSES, "patience")


def scheduler_of(arguments: argparse.Namespace) -> str:
    """Return the scheduler's address or file, empty for this machine. Raises UsageError for a file that is not
    there."""
    file = arguments.scheduler_file
    if file and not os.path.isfile(file):
        raise UsageError(f"{file} is not there", f"Start it: `dask scheduler --scheduler-file {file}`.")
    default = "" if arguments.workers else os.environ.get(VARIABLE, "")
    return file or arguments.scheduler or default


def executor_of(arguments: argparse.Namespace, most: int | None = None) -> "Executor":
    """Return what does the work. most: processes of this machine. Raises FairvizError for a missing Dask."""
    from fairviz.evaluation.executors import local, on_cluster

    if scheduler := scheduler_of(arguments):
        return on_cluster(scheduler, say, arguments.patience)
    workers = arguments.workers or os.cpu_count() or 1
    return local(workers if most is None else min(workers, most))


def scores_of(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    """Return the scores of the measures, corrected where people are to correct them, and print whose labels count."""
    from fairviz.correction.corrected import labels_among, scores_under
    from fairviz.evaluation.choices import Resolved, near_miss_note
    from fairviz.evaluation.questions import questions_of
    from fairviz.evaluation.study_facts import labels_note

    questions = questions_of(arguments.measures, settings)
    if settings.corrected_by:
        labels_among(questions)
    scores = scores_under(study, arguments.measures, settings, level=getattr(arguments, "level", 0.95))
    notes = [labels_note(study, settings, scores), Resolved(study, settings).notes_on(questions)]
    print_notes(filter(None, [*notes, near_miss_note(study, scores), correction_note(study, settings)]))
    return scores


def correction_note(study: "Study", settings: "Settings") -> str:
    """Return whose labels correct whose, of which sample; empty without a correction."""
    from fairviz.correction.corrected import correction

    return f"{correction(study, (), settings).text}." if settings.corrected_by else ""


def opened(arguments: argparse.Namespace, settings: "Settings | None" = None) -> "tuple[Study, Settings]":
    """Return the study and the options as Settings after checking both. Raises FairvizError, UsageError.

    settings: of `asked`, where they are read already.
    """
    study, settings = open_under_settings(arguments, settings or asked(arguments))
    settings = with_machine(study, settings)
    arguments.measures = computable(study, settings, arguments.measures)
    return study, settings


def asked(arguments: argparse.Namespace) -> "Settings":
    """Return the options as Settings. Raises UsageError also for a measure that cannot be read: nothing is opened."""
    from fairviz.measures import parse

    for text in arguments.measures:
        parse(text, arguments.k)
    return settings_of(arguments)


def with_machine(study: "Study", settings: "Settings") -> "Settings":
    """Return the settings with the annotator that people correct: the sample's machine, unless one is named."""
    if not settings.corrected_by:
        return settings
    from fairviz.correction.corrected import correction

    return correction(study, (), settings).shown_settings


def study_of(arguments: argparse.Namespace) -> "Study":
    """Return the study STUDY, and print its notices. Raises FairvizError."""
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    print_notices(study)
    return study


def open_under_settings(
    arguments: argparse.Namespace, settings: "Settings | None" = None
) -> "tuple[Study, Settings]":  # fmt: skip
    """Return the study and the options as Settings, and print the study's notices. Raises FairvizError, UsageError.

    settings: the options, where they are read already.
    """
    settings = settings or settings_of(arguments)
    study = study_of(arguments)
    return study, checked_choices(study, settings)


def checked_choices(study: "Study", settings: "Settings") -> "Settings":
    """Return the settings with the systems that --systems names. Raises UsageError if an option names something that is
    not in the study."""
    settings = _named_systems(study, settings)
    _check_choices(study, settings)
    return settings


def _named_systems(study: "Study", settings: "Settings") -> "Settings":
    from fairviz.evaluation.choices import chosen_systems

    if not settings.systems:
        return settings
    names = [name for text in settings.systems for name in systems_in(study, text)]
    try:
        settings = settings.changed(systems=names)
        chosen_systems(study, settings)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
    return settings


def _check_choices(study: "Study", settings: "Settings") -> None:
    """Raise UsageError if an option names a run, a system, an annotator or a query that is not in the study."""
    from fairviz.annotation.voters import voters_of
    from fairviz.evaluation.choices import chosen_annotator, chosen_queries

    background = settings.background
    if background.startswith("run:") and background[4:] not in study.systems:
        raise UsageError(
            f"{study.name} has no run {background[4:]!r} for --background",
            f"Its runs are {', '.join(study.systems) or 'none'}.",
        )
    for option in ("tested", "not_tested"):
        if unknown := [name for name in getattr(settings, option) if name not in study.systems]:
            raise UsageError(
                f"{study.name} has no system {unknown[0]!r} for --{option.replace('_', '-')}",
                use_one_of(study.systems, unknown[0]),
            )
    try:
        chosen_annotator(study, settings)
        voters_of(study, settings.voters)
        chosen_queries(study, settings)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
