"""evaluate and explain: the values of measures for a study's systems, and the parts of a value."""

import argparse
from functools import partial
from typing import TYPE_CHECKING

from fairviz.cli.evaluate_range import add_range, check_range, write_ranges
from fairviz.cli.execution import add_execution
from fairviz.cli.options import add_choices, computable, named_systems, settings_of
from fairviz.cli.record import (
    Command,
    add_measures,
    add_output,
    add_study,
    hanging,
    includes_origin,
    print_notes,
    print_notices,
    write,
    write_result,
)
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.formats import emit, say
from fairviz.output.wide import to_wide_latex, wide

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    from fairviz.orders.candidates import SOURCES

    add_study(parser, "; or a folder of study folders")
    add_measures(parser)
    add_choices(parser)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--per-query", action="store_true", help="one row a query instead of means over queries")
    rows.add_argument(
        "--wide",
        action="store_true",
        help="one row a system and one column a measure; in latex as a paper prints it: in bold the best system and "
        "those that are not significantly different from it",
    )
    parser.add_argument(
        "--tie-range",
        action="store_true",
        help="the smallest and the largest value over all orders of documents with equal scores, and whether these "
        "ends are exact or searched (the range is at least as wide), with outer bounds; --ties sets the order that "
        "the value itself uses",
    )
    parser.add_argument(
        "--chance",
        choices=SOURCES,
        nargs="?",
        const=SOURCES[0],
        help="also the mean and the 95 %% band under a random order of the candidates, and how many queries are "
        "outside their own band; candidates: what any system retrieved for the query (study, the default), the run's "
        "own list (run), or the judged documents (judged)",
    )
    add_range(parser)
    parser.add_argument("--runs", metavar="GLOB", help="evaluate the runs that match, in place of the study's own")
    add_execution(parser)
    add_output(parser)


def _evaluate(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.compare import check_how, compared_as
    from fairviz.comparison.family import how_of
    from fairviz.datasets.opening import studies_in
    from fairviz.evaluation.exports import headed, origin
    from fairviz.evaluation.scores import values_or_means

    _check_options(arguments)
    check_range(arguments)
    if arguments.runs:
        from fairviz.cli.evaluate_runs import evaluate_runs

        return evaluate_runs(arguments)
    if arguments.chance:
        return _chance(arguments)
    if arguments.tie_range:
        return _tie_range(arguments)
    if arguments.range:
        write_ranges(*opened(arguments), arguments)
        return 0
    if folders := studies_in(arguments.study):
        from fairviz.cli.evaluate_folder import evaluate_folder

        check_measures(arguments)
        return evaluate_folder(folders, arguments, partial(_table_of, arguments))
    if arguments.corrected_by:
        write_corrected(*opened(arguments), arguments)
        return 0
    study, settings, scores = answered(arguments)
    table = _with_noise(study, settings, arguments, values_or_means(scores, arguments.per_query))
    about = partial(origin, study, settings, tuple(table["measure"].unique()))
    if arguments.wide and arguments.format == "latex":
        how = how_of(study, settings)
        check_how(scores, how)
        comparison_result = compared_as(scores, how)
        text = to_wide_latex(table, comparison_result)
        emit(headed(text, about()) if includes_origin(arguments) else text, arguments.output)
        return 0
    write(wide(table) if arguments.wide else table, arguments, about)
    return 0


def _check_options(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options that exclude each other."""
    for option in ("per_query", "wide", "tie_range", "chance", "range", "runs"):
        if arguments.corrected_by and getattr(arguments, option):
            name = option.replace("_", "-")
            raise UsageError(f"--corrected-by gives means, and cannot be used with --{name}", f"Leave out --{name}.")
    if not arguments.runs and (arguments.workers or arguments.scheduler or arguments.scheduler_file):
        raise UsageError("--workers and --scheduler are for many runs", "Add --runs GLOB, or leave them out.")
    if arguments.runs and arguments.systems:
        raise UsageError("--runs evaluates files in place of the study's systems", "Leave out --systems or --runs.")


def _with_noise(
    study: "Study", settings: "Settings", arguments: argparse.Namespace, table: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the table of means with the noise of stochastic rankers; any other table as it is."""
    from fairviz.evaluation.scores import evaluate, summarise

    if not study.draws or arguments.per_query or arguments.wide:
        return table
    return summarise(evaluate(study, arguments.measures, settings, by_draw=True))


def write_corrected(
    study: "Study", settings: "Settings", arguments: argparse.Namespace, against: str = "", level: float = 0.95
) -> None:
    """Write the means that people correct, or their differences from a system. Raises: see `fairviz.corrected`."""
    from fairviz.correction.corrected import corrected, correction

    table = corrected(study, arguments.measures, settings, against=against, level=level)
    print_notes([f"{correction(study, (), settings).text}; no row is a verdict."])
    measures = table["measure"].unique()
    write_result(table, arguments, study, [("against", against)], settings=settings, measures=measures)


def _table_of(arguments: argparse.Namespace, study: "Study", settings: "Settings") -> "pd.DataFrame":
    """Return the table of one of several studies."""
    from fairviz.correction.corrected import corrected
    from fairviz.evaluation.scores import evaluate, values_or_means

    check_choices(study, settings)
    measures = computable(study, settings, arguments.measures)
    if settings.corrected_by:
        return corrected(study, measures, settings)
    table = values_or_means(evaluate(study, measures, settings), arguments.per_query)
    return wide(table) if arguments.wide else table


def _tie_range(arguments: argparse.Namespace) -> int:
    from fairviz.orders.ties import ties

    if arguments.wide:
        raise UsageError("--wide and --tie-range ask for different tables", "Give one of them.")
    study, settings = opened(arguments)
    table = ties(study, arguments.measures, settings, per_query=arguments.per_query)
    if table.empty:
        say("note: GSR has no value for one query, and so no range over ties.")
    measures = table["measure"].unique()
    write_result(table, arguments, study, [("ties", "all orders")], settings=settings, measures=measures)
    return 0


def _chance(arguments: argparse.Namespace) -> int:
    from fairviz.datasets.opening import studies_in
    from fairviz.evaluation.scores import values_or_means
    from fairviz.orders.chance import beside, chance

    for option in ("wide", "tie_range"):
        if getattr(arguments, option):
            raise UsageError(f"--{option.replace('_', '-')} and --chance ask for different tables", "Give one of them.")
    if studies_in(arguments.study):
        raise UsageError("--chance is of one study, not of a folder of them", "Name one study, or leave out --chance.")
    study, settings, scores = answered(arguments)
    options = {"candidates": arguments.chance, "per_query": arguments.per_query}
    table = beside(values_or_means(scores, arguments.per_query), chance(study, arguments.measures, settings, **options))
    measures = table["measure"].unique()
    write_result(table, arguments, study, [("chance", arguments.chance)], settings=settings, measures=measures)
    return 0


def answered(arguments: argparse.Namespace) -> "tuple[Study, Settings, pd.DataFrame]":
    """Return the study, the options as Settings, and the scores of the measures. Raises FairvizError, UsageError."""
    study, settings = opened(arguments)
    return study, settings, scores_of(study, settings, arguments)


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


def opened(arguments: argparse.Namespace) -> "tuple[Study, Settings]":
    """Return the study and the options as Settings after checking both. Raises FairvizError, UsageError."""
    check_measures(arguments)
    study, settings = open_under_settings(arguments)
    settings = with_machine(study, settings)
    arguments.measures = computable(study, settings, arguments.measures)
    return study, settings


def with_machine(study: "Study", settings: "Settings") -> "Settings":
    """Return the settings with the annotator that people correct: the sample's machine, unless one is named."""
    if not settings.corrected_by:
        return settings
    from fairviz.correction.corrected import correction

    return correction(study, (), settings).shown_settings


def check_measures(arguments: argparse.Namespace) -> None:
    """Raise UsageError for a measure that cannot be read, before anything is opened."""
    from fairviz.measures import parse

    for text in arguments.measures:
        parse(text, arguments.k)


def open_under_settings(arguments: argparse.Namespace) -> "tuple[Study, Settings]":
    """Return the study and the options as Settings, and print the study's notices. Raises FairvizError, UsageError."""
    settings = settings_of(arguments)
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    settings = named_systems(study, settings)
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
    for option in ("tested", "not_tested"):
        if unknown := [name for name in getattr(settings, option) if name not in study.systems]:
            raise UsageError(
                f"{study.name} has no system {unknown[0]!r} for --{option.replace('_', '-')}",
                use_one_of(study.systems, unknown[0]),
            )
    from fairviz.annotation.voters import voters_of
    from fairviz.evaluation.choices import chosen_annotator, chosen_queries

    try:
        chosen_annotator(study, settings)
        voters_of(study, settings.voters)
        chosen_queries(study, settings)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error


def _epilog() -> str:
    from fairviz.evaluation.settings import EFFECTIVENESS
    from fairviz.measures import MEASURES

    lines = ["Measures:"]
    for measure in MEASURES.values():
        inner = ", ".join(parameter.name for parameter in measure.parameters)
        text = f"{measure.name}({inner})" if inner else measure.name
        lines += hanging(text, measure.summary)
    lines.append(f"  {', '.join(EFFECTIVENESS)}, and most others of ir_measures; an error explains each exception")
    return "\n".join(lines)


EVALUATE = Command(
    "evaluate",
    "evaluate a study's systems by measures",
    _add_evaluate,
    _evaluate,
    _epilog,
    example="evaluate football CWEx NFaiRR nDCG --k 5",
)
