"""The verb of a registered analysis, made from its record: `fairviz NAME STUDY`, with its parameters as options."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from fairviz.analyses import Analysis
from fairviz.cli.evaluate import check_choices
from fairviz.cli.options import add_choices, named_systems, settings_of
from fairviz.cli.record import Command, add_output, add_study, format_epilog, print_notices, write
from fairviz.evaluation.formats import ProgressLines, say
from fairviz.parameters import Parameter
from fairviz.words.sentences import with_article


def command_of(analysis: Analysis) -> Command:
    """Return the verb of the analysis."""
    return Command(
        analysis.name,
        analysis.summary,
        partial(_add_arguments, analysis),
        partial(_run, analysis),
        partial(_epilog, analysis),
        analysis.stopped,
        example=f"{analysis.name} football",
    )


def _add_arguments(analysis: Analysis, parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    for parameter in analysis.parameters:
        _add_option(parser, parameter, _option(analysis, parameter.name))
    tables = tuple(analysis.tables)
    parser.add_argument("--table", choices=tables, default=tables[0], help="see below (default: %(default)s)")
    if analysis.reads or analysis.result:
        add_choices(parser, () if analysis.result else analysis.reads)
    add_output(parser)


def _option(analysis: Analysis, name: str) -> str:
    return analysis.options.get(name, f"--{name.replace('_', '-')}")


def _add_option(parser: argparse.ArgumentParser, parameter: Parameter, option: str) -> None:
    arguments: dict[str, Any] = {"dest": f"parameter_{parameter.name}", "default": parameter.default}
    shown_default = "" if parameter.default in (None, "") else " (default: %(default)s)"
    arguments["help"] = parameter.help.replace("%", "%%") + shown_default
    arguments["required"] = parameter.required
    if parameter.kind == "flag":
        parser.add_argument(option, action=argparse.BooleanOptionalAction, **arguments)
    elif parameter.kind == "choice":
        parser.add_argument(option, choices=parameter.choices, **arguments)
    elif parameter.is_text:
        parser.add_argument(option, metavar=parameter.names.upper(), **arguments)
    else:
        metavar = "N" if parameter.whole else parameter.name.upper()
        parser.add_argument(option, metavar=metavar, type=_number(parameter), **arguments)


def _number(parameter: Parameter) -> Callable[[str], float]:
    """Return a parser of the numbers that the parameter takes."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not parameter.accepts(value):
            noun = "whole number" if parameter.whole else "number"
            raise argparse.ArgumentTypeError(
                f"{text[:40]!r} is not {with_article(noun)} from {parameter.low:,g} to {parameter.high:,g}"
            )
        return type(parameter.default)(value)

    return read


def _run(analysis: Analysis, arguments: argparse.Namespace) -> int:
    from fairviz.analyses.running import analyse
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.opening import open_study

    settings = settings_of(arguments)
    values = {parameter.name: getattr(arguments, f"parameter_{parameter.name}") for parameter in analysis.parameters}
    values = {name: value for name, value in values.items() if value is not None}
    contents = analysis.read_values(values)  # refuses a bad file before the study is opened
    study = open_study(arguments.study)
    settings = named_systems(study, settings)
    check_choices(study, settings)
    print_notices(study)
    progress = ProgressLines()
    try:
        answer = analyse(study, analysis.name, settings, progress=progress, **contents)
    finally:
        progress.close()
    for line in (*analysis.notes(answer.value), *answer.sentences):
        say(f"note: {line}")
    table = answer.table(arguments.table)
    measures = [text for text in table["measure"].unique() if "@" in text] if "measure" in table else []
    write(table, arguments, lambda: origin(study, settings, measures, list(values.items())))
    return 0


def _epilog(analysis: Analysis) -> str:
    paragraphs = analysis.details or (analysis.question,)
    return format_epilog(paragraphs, {name: table.help for name, table in analysis.tables.items()})
