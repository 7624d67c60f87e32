"""atlas: where measures disagree."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import answered
from fairviz.cli.options import add_choices
from fairviz.cli.record import Command, add_measures, add_output, add_study, write_result
from fairviz.errors import UsageError
from fairviz.evaluation.formats import say

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

TABLES = {
    "correlations": "Pearson's r and Kendall's tau of two measures over the queries of each system (the default)",
    "orders": "Kendall's tau between the orders of the systems by two measures",
    "opposed": "on how many queries two measures order two systems oppositely, and whether their means do",
    "curves": "the means of each measure along the cutoffs with their intervals, and without the discount RBDF where a "
    "measure has it (figure 2 of the TExFAIR paper); effectiveness and GSR have no curve",
    "queries": "those queries, of the two --systems, the clearest first",
}
EPILOG = (
    "All tables go by fairness: a measure whose least value is fairest counts backwards, one that is fairest at 0 or 1 "
    "by its distance from there, so that measures which agree have positive correlations.",
)
CORRECTIONS = ("bonferroni", "holm", "bh", "none")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    option = parser.add_argument
    option("--table", choices=tuple(TABLES), default="correlations", help="see below (default: %(default)s)")
    option("--systems", dest="pair", nargs=2, default=[], metavar=("A", "B"), help="the two systems of --table queries")
    option("--correction", choices=CORRECTIONS, default="bonferroni", help="for the number of correlations (default: "
           "%(default)s)")  # fmt: skip
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.atlas import atlas_of
    from fairviz.comparison.family import untested

    if (arguments.table == "queries") != bool(arguments.pair):
        raise UsageError(
            "--table queries and --systems A B belong together", "Write --table queries --systems bm25 tfidf."
        )
    study, settings, scores = answered(arguments)
    if arguments.table == "curves":
        _write_curves(study, settings, scores, arguments)
        return 0
    disagreement = atlas_of(scores, arguments.correction, untested(study, settings))
    if disagreement.without:
        say(f"note: {', '.join(disagreement.without)} has no value for a query, and is in --table orders only.")
    table = disagreement.queries(*arguments.pair) if arguments.pair else getattr(disagreement, arguments.table)
    parameters = [("table", arguments.table), ("systems", ", ".join(arguments.pair))]
    if arguments.table == "correlations":
        parameters.append(("correction", arguments.correction))
    write_result(table, arguments, study, parameters, settings=settings, measures=disagreement.measures)
    return 0


def _write_curves(
    study: "Study", settings: "Settings", scores: "pd.DataFrame", arguments: argparse.Namespace
) -> None:  # fmt: skip
    """Write the table of curves. Raises UsageError if no measure has a curve."""
    from fairviz.comparison.curves import over_cutoffs, with_and_without_rbdf
    from fairviz.evaluation.gsr import split_parts
    from fairviz.measures import parse

    requested_texts = list(dict(split_parts(scores)))
    curve_texts = [
        text for text in requested_texts if (measure := parse(text).measure) is not None and measure.per_query
    ]
    if without_curve := [text for text in requested_texts if text not in curve_texts]:
        say(f"note: {', '.join(without_curve)}: no curve over the cutoff.")
    if not curve_texts:
        raise UsageError("no measure of these has a curve over the cutoff", "Give one of fairness: CWEx TExFAIR.")
    texts = with_and_without_rbdf(curve_texts)
    table = over_cutoffs(study, texts, settings)
    write_result(table, arguments, study, [("table", "curves")], settings=settings, measures=texts)


ATLAS = Command(
    "atlas", "find where measures disagree, by query and by system", _add_arguments, _run, EPILOG,
    tables=TABLES,
    example="atlas newswire NFaiRR TExFAIR CWEx",
)  # fmt: skip
