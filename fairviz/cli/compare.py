"""compare: systems against one of them, query by query."""

import argparse
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import opened, scores_of, write_corrected
from fairviz.cli.options import add_choices, computable
from fairviz.cli.record import (
    Command,
    add_measures,
    add_output,
    add_study,
    between_0_and_1,
    includes_origin,
    print_notes,
    whole_number,
    write,
    write_result,
)
from fairviz.errors import UsageError
from fairviz.evaluation.formats import emit

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.comparison.compare import Comparison
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

STRIP = "strip"
BY_QUERY = ("effect_size", "wins", "ties", "losses")  # of queries themselves, which corrected values are not
EPILOG = (
    "A difference is taken query by query, on the queries that both systems have a value for, and is tested at 1 - "
    "--level. By default all pairs of systems in a measure are one family, tested by single-step maxT: p and intervals "
    "then agree. --baseline changes which system the rows are against, not the tests; to test one baseline alone, "
    "declare it: --tests \"maxT(baseline='bm25')\". Other methods: holm, bonferroni, bh, tukey, none, with "
    "statistic='t', 'wilcoxon' or 'randomisation'; family='measures' makes one family across the "
    "measures that are named here.",
    "Not significantly different does not mean equal: --margin tests equivalence (the interval at 2 * --level - 1 is "
    "within the margin), and --power adds the minimum detectable difference.",
    "--background collection, or run:BASELINE without text, is the background of `gate`, which no other run changes.",
    "--slice compares within each value of a column of the queries; all slices of a measure are one family.",
    "DPFR is the distance from the achievable front of two measures: 'DPFR(nDCG,CWEx,weight=0.5)'. The reference "
    "point is at this share of the front's length, from its most effective end; candidates='run' or 'judged' takes "
    "other candidates than the study's. Contributions of queries are tested.",
    f"--format {STRIP} draws the systems in the order of each measure, a line a measure.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    option = parser.add_argument
    option(
        "--baseline", default="", metavar="NAME", help="the system to compare with (default: the best of each measure)"
    )
    option("--draws", type=whole_number, default=10_000, metavar="N", help="of random signs, at least 100 a difference "
           "of the family (default: %(default)s)")  # fmt: skip
    option("--seed", type=whole_number, default=0, metavar="N", help="of random signs (default: %(default)s)")
    option("--level", type=between_0_and_1, default=0.95, metavar="L", help="of intervals (default: %(default)s)")
    option("--margin", action="append", default=[], metavar="M", help="differences up to M do not matter: a number, or "
           "CWEx=0.01 for one measure; may be given several times")  # fmt: skip
    option("--power", type=between_0_and_1, metavar="P", help="also the minimum detectable difference for this power, "
           "such as 0.8")  # fmt: skip
    option("--slice", default="", metavar="COLUMN", help="apart for each value of a column of the queries")
    option("--by-query", nargs="?", const="", metavar="NAME", help="instead this system and --baseline on each query, "
           "the greatest difference first (default: the two best of each measure)")  # fmt: skip
    option("--wide", action="store_true", help="one row a system and one column a measure, as a paper prints it")
    add_choices(parser)
    add_output(parser, STRIP)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.compare import check_how, compared_as, read_margins, slices_of
    from fairviz.comparison.family import how_of
    from fairviz.comparison.finding import orders, strips
    from fairviz.comparison.pareto_front import with_fronts
    from fairviz.comparison.ranking_sentences import family_text, interval_note
    from fairviz.evaluation.exports import headed, origin
    from fairviz.evaluation.scores import summarise
    from fairviz.evaluation.validation import refuse_alone
    from fairviz.output.comparison_tables import draws_note, notes, to_wide

    for option in ("slice", "wide"):
        if arguments.format == STRIP and getattr(arguments, option):
            raise UsageError(f"--format {STRIP} cannot show --{option}", "Leave out one of the two.")
    margin = read_margins(arguments.margin) if arguments.margin else None
    if arguments.corrected_by and arguments.slice:
        raise UsageError("--corrected-by corrects means over all queries", "Leave out --slice.")
    fronts = _split_fronts(arguments)
    study, settings = opened(arguments)
    if arguments.by_query is not None:
        return _by_query(study, settings, arguments)
    fronts = computable(study, settings, fronts, beside=True)
    if settings.corrected_by and _wrote_untested(study, settings, arguments):
        return 0
    scores = scores_of(study, settings, arguments)
    refuse_alone(scores)
    scores, front_notes = with_fronts(study, settings, scores, fronts)
    slices = slices_of(study, arguments.slice) if arguments.slice else None
    how = replace(how_of(study, settings), level=arguments.level, draws=arguments.draws, seed=arguments.seed)
    check_how(scores, how, arguments.baseline)
    result = compared_as(scores, how, arguments.baseline, slices=slices, margin=margin, power=arguments.power)
    family = f"tests: {family_text(result)}; intervals: {interval_note(result)}."
    print_notes(filter(None, (*front_notes, family, draws_note(result), *slices_note(scores, slices), *notes(result))))
    measures = tuple(result.table["measure"].unique())
    about = partial(origin, study, settings, measures, _parameters(result, arguments))
    if arguments.format == STRIP:
        text = strips(orders(summarise(scores), [pairs.question for pairs in result.pairs], result)) + "\n"
        emit(headed(text, about(), "table") if includes_origin(arguments) else text, arguments.output)
    elif arguments.wide:
        emit(to_wide(result, arguments.format, about() if includes_origin(arguments) else None), arguments.output)
    else:
        counts = list(BY_QUERY) if settings.corrected_by else []
        write(result.table.drop(columns=counts), arguments, about)
    return 0


def _by_query(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> int:
    """Write the differences of two systems on each query. Raises UsageError for options of a table of means."""
    from fairviz.comparison.compare import by_query
    from fairviz.comparison.family import candidates

    for option in ("slice", "wide", "margin", "power", "corrected_by"):
        if getattr(arguments, option):
            name = option.replace("_", "-")
            raise UsageError(f"--by-query and --{name} ask for different tables", "Give one of them.")
    scores = scores_of(study, settings, arguments)
    table = by_query(scores, arguments.by_query, arguments.baseline, among=candidates(study, settings))
    parameters = [("system", arguments.by_query), ("baseline", arguments.baseline)]
    write_result(table, arguments, study, parameters, settings=settings, measures=table["measure"].unique())
    return 0


def _split_fronts(arguments: argparse.Namespace) -> list[str]:
    """Return the measures that are distances from a front, and leave the others; of a front alone its two measures."""
    from fairviz.measures import parse
    from fairviz.measures.front_distance import is_front

    fronts = [text for text in arguments.measures if is_front(text)]
    if fronts and (arguments.slice or arguments.corrected_by):
        option = "--slice" if arguments.slice else "--corrected-by"
        raise UsageError(f"{fronts[0]} is a distance of means over all queries", f"Leave out {option}.")
    questions = [parse(text, arguments.k) for text in fronts]
    own = [one.parameters[name].text for one in questions for name in ("effectiveness", "fairness")]
    arguments.measures = [text for text in arguments.measures if not is_front(text)] or list(dict.fromkeys(own))
    return fronts


def _wrote_untested(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> bool:
    """Write corrected differences from the baseline, and return True, where the sample allows no test."""
    from fairviz.correction.corrected import correction

    reason = correction(study, (), settings).no_tests
    if not reason:
        return False
    if not arguments.baseline:
        raise UsageError(f"{reason}, so no system is known to be the best", "Name one: --baseline NAME")
    print_notes([f"{reason}."])
    write_corrected(study, settings, arguments, arguments.baseline, arguments.level)
    return True


def _parameters(result: "Comparison", arguments: argparse.Namespace) -> tuple[tuple[str, object], ...]:
    """Return the parameters of the comparison for the provenance columns."""
    parameters: dict[str, object] = {"tests": result.how.tests.text, "pairs": result.family}
    options = {"slice_by": arguments.slice, "margins": ", ".join(arguments.margin), "power": arguments.power or ""}
    options |= {"draws": arguments.draws} if arguments.draws != 10_000 else {}
    options |= {"level": result.how.level} if result.how.level != 0.95 else {}
    return tuple((parameters | {name: value for name, value in options.items() if value}).items())


def slices_note(scores: "pd.DataFrame", slices: "pd.Series | None") -> list[str]:
    """Return the number of queries in each slice as one note; none without slices."""
    from fairviz.comparison.compare import sizes

    if slices is None:
        return []
    counts = ", ".join(f"{name} {count:,}" for name, count in sizes(scores, slices).items())
    return [f"queries by {slices.name}: {counts}."]


COMPARE = Command(
    "compare",
    "compare systems with one of them, query by query",
    _add_arguments,
    _run,
    EPILOG,
    example="compare newswire CWEx NFaiRR nDCG --baseline bm25",
)
