"""evaluate: the values of measures for a study's systems, alone or beside what other orders of the documents give."""

import argparse
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fairviz.cli.options import (
    add_choices,
    add_execution,
    asked,
    checked_choices,
    computable,
    executor_of,
    opened,
    scores_of,
)
from fairviz.cli.record import (
    Command,
    add_measures,
    add_output,
    add_study,
    hanging,
    includes_origin,
    print_notes,
    print_notices,
    refuse_conflicts,
    write_result,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import FORMATS, ProgressLine, emit, say

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.exports import Origin
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

CONFLICTS = (  # see `refuse_conflicts`
    ("corrected_by", ("per_query", "wide", "tie_range", "chance", "range", "runs"),
     "--corrected-by gives means, and cannot be used with --{}", "Leave out --{}."),
    ("own_runs", ("workers", "scheduler", "scheduler_file"),
     "--workers and --scheduler are for many runs", "Add --runs GLOB, or leave them out."),
    ("runs", ("systems",),
     "--runs evaluates files in place of the study's systems", "Leave out --systems or --runs."),
    ("range", ("wide", "tie_range", "runs", "chance"),
     "--range and --{} ask for different tables", "Give one of them."),
    ("runs", ("tie_range", "chance", "wide_latex"),
     "--tie-range, --chance and --wide in latex are of a study's own runs", "Leave them or --runs out."),
    ("chance", ("wide", "tie_range"), "--{} and --chance ask for different tables", "Give one of them."),
    ("tie_range", ("wide",), "--wide and --tie-range ask for different tables", "Give one of them."),
    ("folder", ("chance",),
     "--chance is of one study, not of a folder of them", "Name one study, or leave out --chance."),
    ("folder", ("wide_latex",), "--wide in latex is a table of one study", "Name one study, or another --format."),
)  # fmt: skip


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    from fairviz.orders.candidates import SOURCES

    add_study(parser, "; or a folder of study folders")
    add_measures(parser)
    add_choices(parser)
    rows, option = parser.add_mutually_exclusive_group().add_argument, parser.add_argument
    rows("--per-query", action="store_true", help="one row a query instead of means over queries")
    rows("--wide", action="store_true", help="one row a system and one column a measure; in latex as a paper prints "
         "it: in bold the best system and those that are not significantly different from it")  # fmt: skip
    option("--tie-range", action="store_true", help="the smallest and the largest value over all orders of documents "
           "with equal scores, and whether these ends are exact or searched (the range is at least as wide), with "
           "outer bounds; --ties sets the order that the value itself uses")  # fmt: skip
    option("--chance", choices=SOURCES, nargs="?", const=SOURCES[0],
           help="also the mean and the 95 %% band under a random order of the candidates, and how many queries are "
           "outside their own band; candidates: what any system retrieved for the query (study, the default), the "
           "run's own list (run), or the judged documents (judged)")  # fmt: skip
    option("--range", choices=SOURCES, nargs="?", const=SOURCES[0],
           help="the worst and the best value over all orders of the candidates, whether these ends are exact, a bound "
           "or searched, and the value's place from worst (0) to best (1); candidates: study (what any system "
           "retrieved for the query; the default), run (the system's own list) or judged")  # fmt: skip
    option("--runs", metavar="GLOB", help="evaluate the runs that match, in place of the study's own")
    add_execution(parser)
    add_output(parser)


def corrected_table(
    study: "Study", settings: "Settings", arguments: argparse.Namespace, against: str = "", level: float = 0.95
) -> "pd.DataFrame":
    """Return the means that people correct, or their differences from a system, and print of which sample. Raises: see
    `fairviz.corrected`."""
    from fairviz.correction.corrected import corrected, correction

    table = corrected(study, arguments.measures, settings, against=against, level=level)
    print_notes([f"{correction(study, (), settings).text}; no row is a verdict."])
    return table


def _beside_chance(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    from fairviz.evaluation.scores import values_or_means
    from fairviz.orders.chance import beside, chance

    values, rows = values_or_means(scores_of(study, settings, arguments), arguments.per_query), arguments.per_query
    return beside(values, chance(study, arguments.measures, settings, candidates=arguments.chance, per_query=rows))


def _tie_ranges(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    from fairviz.evaluation.questions import questions_of
    from fairviz.orders.ties import ties

    for question in questions_of(arguments.measures, settings):
        if not question.per_query:
            say(f"note: {question.text} has no value for one query, and so no range over ties.")
    return ties(study, arguments.measures, settings, per_query=arguments.per_query)


def _ranges(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    from fairviz.orders.ranges import ranges

    rows = arguments.per_query
    return ranges(study, arguments.measures, settings, candidates=arguments.range, per_query=rows)


class Form(NamedTuple):
    """A table of one study in place of its plain values. parameter: of its provenance, with the option's value, or the
    one that is given here."""

    table: "Callable[[Study, Settings, argparse.Namespace], pd.DataFrame]"
    parameter: str
    value: str | None = None


FORMS = {  # by the option that asks for it
    "corrected_by": Form(corrected_table, "against", ""),
    "chance": Form(_beside_chance, "chance"),
    "tie_range": Form(_tie_ranges, "ties", "all orders"),
    "range": Form(_ranges, "candidates"),
}


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.compare import check_how, compared_as
    from fairviz.comparison.family import how_of
    from fairviz.datasets.opening import studies_in
    from fairviz.evaluation.exports import headed, origin
    from fairviz.evaluation.scores import evaluate, summarise, values_or_means
    from fairviz.output.comparison_tables import to_wide_latex, wide

    is_latex = arguments.wide and arguments.format == "latex"
    folders = [] if arguments.tie_range or arguments.range else studies_in(arguments.study)
    more = {"own_runs": not arguments.runs, "wide_latex": is_latex, "folder": folders}
    refuse_conflicts(vars(arguments) | more, CONFLICTS)
    settings = asked(arguments)
    if arguments.runs:
        return _evaluate_runs(settings, arguments)
    if folders:
        return _evaluate_folder(folders, settings, arguments)

    study, settings = opened(arguments, settings)
    if option := next((name for name in FORMS if getattr(arguments, name)), ""):
        form = FORMS[option]
        table = form.table(study, settings, arguments)
        parameters = [(form.parameter, getattr(arguments, option) if form.value is None else form.value)]
    else:
        scores, parameters = scores_of(study, settings, arguments), []
        table = values_or_means(scores, arguments.per_query)
        if study.draws and not arguments.per_query and not arguments.wide:  # with the noise of stochastic rankers
            table = summarise(evaluate(study, arguments.measures, settings, by_draw=True))
    measures = tuple(table["measure"].unique())
    if is_latex:
        how = how_of(study, settings)
        check_how(scores, how)
        text = to_wide_latex(table, compared_as(scores, how))
        text = headed(text, origin(study, settings, measures)) if includes_origin(arguments) else text
        emit(text, arguments.output)
    else:
        table = wide(table) if arguments.wide else table
        write_result(table, arguments, study, parameters, settings=settings, measures=measures)
    return 0


def _evaluate_folder(folders: Sequence[Path], settings: "Settings", arguments: argparse.Namespace) -> int:
    """Write one table of the studies in these folders, opened one at a time, with the column `study` first.

    Raises FairvizError after writing with a line for each study that could not be evaluated.
    """
    import pandas as pd

    from fairviz.evaluation.exports import COMMENTS, origin, with_columns

    is_commented = arguments.format in COMMENTS or not includes_origin(arguments)
    tables, origins, failures = [], [], []
    for folder in folders:
        try:
            study, table = _evaluated(folder, settings, arguments)
        except FairvizError as error:
            failures.append(f"{folder.name}: {error.message}")
            continue
        about = origin(study, settings, tuple(table["measure"].unique()) if "measure" in table else ())
        if not is_commented:
            table = with_columns(table, about).drop(columns="study")
        table.insert(0, "study", study.name)
        tables.append(table)
        origins.append(about)
    if tables:
        emit(_text_of(pd.concat(tables, ignore_index=True), origins, arguments), arguments.output)
    if failures:
        remedy = f"Check each study by itself: fairviz check {folders[0].parent}/NAME"
        raise FairvizError("\n".join(failures), remedy)
    return 0


def _evaluated(folder: Path, settings: "Settings", arguments: argparse.Namespace) -> "tuple[Study, pd.DataFrame]":
    """Return the study in the folder and its table, and print its notices."""
    from fairviz.evaluation.opening import open_study

    study = open_study(folder)
    table = _table_of(study, checked_choices(study, settings), arguments)
    print_notes(f"{study.name}: {line}" for line in (*study.notices, *study.warnings))
    return study, table


def _table_of(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    from fairviz.correction.corrected import corrected
    from fairviz.evaluation.scores import evaluate, values_or_means
    from fairviz.output.comparison_tables import wide

    measures = computable(study, settings, arguments.measures)
    if settings.corrected_by:
        return corrected(study, measures, settings)
    table = values_or_means(evaluate(study, measures, settings), arguments.per_query)
    return wide(table) if arguments.wide else table


def _text_of(table: "pd.DataFrame", origins: "Sequence[Origin]", arguments: argparse.Namespace) -> str:
    """Return the table in its format, below the provenance of each study where it has comment lines."""
    from fairviz.evaluation.exports import COMMENTS, headed

    text = FORMATS[arguments.format](table)
    if arguments.format in COMMENTS and includes_origin(arguments):
        for about in reversed(origins):
            text = headed(text, about, arguments.format)
    return text


def _evaluate_runs(settings: "Settings", arguments: argparse.Namespace) -> int:
    """Write one table of the runs that match --runs, thousands of them, in batches. Raises FairvizError after writing
    with a line for each file that cannot be read."""
    from fairviz.evaluation import run_batches
    from fairviz.evaluation.opening import open_study
    from fairviz.output.comparison_tables import wide

    study = open_study(arguments.study)
    print_notices(study)
    measures = computable(_with_a_run(study), settings, arguments.measures)
    name = os.path.abspath(arguments.study) if study.folder and os.path.isdir(arguments.study) else arguments.study
    evaluation = run_batches.Evaluation(name, tuple(measures), settings, arguments.per_query)
    with closing(ProgressLine("runs")) as progress:
        files = run_batches.run_files(arguments.runs)
        table, broken = run_batches.evaluate_runs(evaluation, files, executor_of(arguments), progress)
    if not table.empty:
        names = table["measure"].unique()
        table = wide(table) if arguments.wide else table
        write_result(table, arguments, study, [("runs", arguments.runs)], settings=settings, measures=names)
    if broken:
        raise FairvizError("\n".join(broken), "Correct these files; the others are in the table.")
    return 0


def _with_a_run(study: "Study") -> "Study":
    """Return the study with one list in place of its runs: whether it feeds a measure does not depend on these."""
    import pandas as pd

    from fairviz.study.tables import RUNS, conform

    query = study.query_ids[0] if study.query_ids else "1"
    row = {"system": ["run"], "query_id": [query], "doc_id": ["1"], "rank": [1], "score": [1.0]}
    return replace(study, runs=conform(pd.DataFrame(row), RUNS), drafts=(), fingerprint="")


def _epilog() -> str:
    from fairviz.evaluation.settings import EFFECTIVENESS
    from fairviz.measures import MEASURES

    lines = ["Measures:"]
    for measure in MEASURES.values():
        inner = ", ".join(parameter.name for parameter in measure.parameters)
        lines += hanging(f"{measure.name}({inner})" if inner else measure.name, measure.summary)
    lines.append(f"  {', '.join(EFFECTIVENESS)}, and most others of ir_measures; an error explains each exception")
    return "\n".join(lines)


EVALUATE = Command(
    "evaluate", "evaluate a study's systems by measures", _add_arguments, _run, _epilog,
    example="evaluate football CWEx NFaiRR nDCG --k 5",
)  # fmt: skip
