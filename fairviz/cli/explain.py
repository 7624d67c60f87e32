"""explain: what a value is made of."""

import argparse

from fairviz.cli.options import add_choices, settings_of
from fairviz.cli.record import Command, add_output, add_study, print_notices, write_result
from fairviz.evaluation.formats import say


def _add_explain(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("measure", metavar="MEASURE", help="such as 'CWEx(alpha=0.5)@10'; without @k it takes --k")
    option("--system", required=True, metavar="NAME", help="the system whose value is split")
    option("--query", metavar="ID", help="one query's list, rank by rank (default: the mean, query by query)")
    option("--against", metavar="NAME", help="another system: split the difference of the two")
    add_choices(parser)
    add_output(parser)


def _explain(arguments: argparse.Namespace) -> int:
    from fairviz.measures import parse

    parse(arguments.measure, arguments.k)
    settings = settings_of(arguments)
    from fairviz.evaluation.contributions import anatomy
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    print_notices(study)
    result = anatomy(study, arguments.measure, arguments.system, arguments.query, settings, against=arguments.against)
    say(f"note: {result.sentence}")
    parameters = [("system", arguments.system), ("query", arguments.query or ""), ("against", arguments.against or "")]
    write_result(result.table, arguments, study, parameters, settings=settings, measures=[result.measure])
    return 0


EXPLAIN = Command(
    "explain",
    "split a value into its parts, rank by rank or query by query",
    _add_explain,
    _explain,
    example="explain newswire CWEx --system bm25 --query q22",
)
