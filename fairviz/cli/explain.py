"""explain: the parts of a value, by rank or by query."""

import argparse

from fairviz.cli.options import add_choices, settings_of
from fairviz.cli.record import Command, add_output, add_study, print_notices, write
from fairviz.evaluation.formats import say


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("measure", metavar="MEASURE", help="such as 'CWEx(alpha=0.5)@10'; without @k it takes --k")
    option("--system", required=True, metavar="NAME", help="the system whose value is taken apart")
    option("--query", metavar="ID", help="one query's list, rank by rank (default: the mean, query by query)")
    option("--against", metavar="NAME", help="another system: what the difference of the two is made of")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.measures import parse

    parse(arguments.measure, arguments.k)
    settings = settings_of(arguments)
    from fairviz.evaluation.contributions import anatomy
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    print_notices(study)
    result = anatomy(study, arguments.measure, arguments.system, arguments.query, settings, against=arguments.against)
    say(f"note: {result.sentence}")
    parameters = [("system", arguments.system), ("query", arguments.query or ""), ("against", arguments.against or "")]
    write(result.table, arguments, lambda: origin(study, settings, (result.measure,), parameters))
    return 0


EXPLAIN = Command("explain", "what a value is made of, rank by rank or query by query", _add_arguments, _run)
