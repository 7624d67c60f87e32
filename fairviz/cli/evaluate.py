"""evaluate: the values of measures for a study's systems."""

import argparse
import textwrap
from functools import partial
from typing import TYPE_CHECKING

from fairviz.cli.options import add_choices, settings_of
from fairviz.cli.record import (
    Command,
    add_measures,
    add_output,
    add_study,
    includes_origin,
    print_notices,
    write,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.output.wide import to_wide_latex, wide

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

SCORES = ["system", "query_id", "measure", "value"]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    add_choices(parser)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--per-query", action="store_true", help="one row a query instead of means over queries")
    rows.add_argument(
        "--wide",
        action="store_true",
        help="one row a system and one column a measure; in latex as a paper prints it, the best and what is not told "
        "apart from it in bold",
    )
    parser.add_argument(
        "--tie-range",
        action="store_true",
        help="the smallest and the largest value over all orders of documents with equal scores, and whether these "
        "ends are exact or searched (the range is at least as wide), with outer bounds; --ties says which of the "
        "orders the value itself is of",
    )
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.compare import check_how, compared_as
    from fairviz.comparison.family import how_of, measures_of, with_family
    from fairviz.evaluation.exports import headed, origin
    from fairviz.evaluation.scores import summarise

    if arguments.tie_range:
        return _tie_range(arguments)
    study, settings, scores = answered(arguments)
    table = scores[SCORES] if arguments.per_query else summarise(scores)
    about = partial(origin, study, settings, tuple(table["measure"].unique()))
    if arguments.wide and arguments.format == "latex":
        how = how_of(study, settings)
        check_how(scores, how)
        comparison_result = compared_as(with_family(study, settings, scores), how, requested=measures_of(scores))
        text = to_wide_latex(table, comparison_result)
        emit(headed(text, about()) if includes_origin(arguments) else text, arguments.output)
        return 0
    write(wide(table) if arguments.wide else table, arguments, about)
    return 0


def _tie_range(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.ties import ties

    if arguments.wide:
        raise UsageError("--wide and --tie-range ask for different tables", "Give one of them.")
    study, settings = opened(arguments)
    table = ties(study, arguments.measures, settings, per_query=arguments.per_query)
    if table.empty:
        say("note: GSR has no value for one query, and so no range over ties.")
    measures = tuple(table["measure"].unique())
    write(table, arguments, lambda: origin(study, settings, measures, (("ties", "all orders"),)))
    return 0


def answered(arguments: argparse.Namespace) -> "tuple[Study, Settings, pd.DataFrame]":
    """Return the study, the options as Settings, and the scores of the measures. Raises FairvizError, UsageError."""
    from fairviz.evaluation.scores import evaluate
    from fairviz.evaluation.speakers import labels_note

    study, settings = opened(arguments)
    scores = evaluate(study, arguments.measures, settings)
    if speaks := labels_note(study, settings, scores):
        say(f"note: {speaks}")
    return study, settings, scores


def opened(arguments: argparse.Namespace) -> "tuple[Study, Settings]":
    """Return the study and the options as Settings after checking both. Raises FairvizError, UsageError."""
    from fairviz.measures import parse

    for text in arguments.measures:
        parse(text, arguments.k)
    settings = settings_of(arguments)
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    check_choices(study, settings)
    print_notices(study)
    return study, settings


def check_choices(study: "Study", settings: "Settings") -> None:
    """Raise UsageError if an option names something that is not in the study."""

    background = settings.background
    if background.startswith("run:") and background[4:] not in study.systems:
        raise UsageError(
            f"{study.name} has no run {background[4:]!r} for --background",
            f"Its runs are {', '.join(study.systems) or 'none'}.",
        )
    from fairviz.evaluation.choices import chosen_annotator

    try:
        chosen_annotator(study, settings)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error


def _epilog() -> str:
    from fairviz.evaluation.settings import EFFECTIVENESS
    from fairviz.measures import MEASURES

    lines = ["Measures:"]
    for measure in MEASURES.values():
        inner = ", ".join(parameter.name for parameter in measure.parameters)
        text = f"{measure.name}({inner})" if inner else measure.name
        lines += textwrap.wrap(f"{text}: {measure.summary}", 100, initial_indent="  ", subsequent_indent="      ")
    lines.append(f"  {', '.join(EFFECTIVENESS)}, and most others of ir_measures; for the rest a line says why not")
    return "\n".join(lines)


EVALUATE = Command("evaluate", "what measures say about a study's systems", _add_arguments, _run, _epilog)
