"""compare: systems against one of them, query by query."""

import argparse
import textwrap
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import add_choices, answered
from fairviz.cli.record import (
    Command,
    add_measures,
    add_output,
    add_study,
    between_0_and_1,
    says_origin,
    whole_number,
    write,
)
from fairviz.evaluation.formats import emit, say

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.comparing import Comparison
    from fairviz.evaluation.exports import Origin

TESTS = ("t", "randomisation", "wilcoxon")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
EPILOG = (
    "A difference is taken query by query, on the queries that both systems have a value for, and is tested at 1 - "
    "--level. Not told apart is not the same as equal: --margin asks for that, by two one-sided paired t-tests "
    "(TOST), corrected over the same family; and --power adds the minimum detectable difference, from the observed "
    "standard deviation, in one test (detectable) and after the correction (detectable_in_family).",
    "--slice makes a comparison of its own for each value of a column of the queries; all are one family.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    option = parser.add_argument
    option(
        "--baseline", default="", metavar="NAME", help="the system to compare with (default: the best of each measure)"
    )
    option("--test", choices=TESTS, default="t", help="the paired test (default: %(default)s)")
    option("--draws", type=whole_number, default=9999, metavar="N", help="of signs, by the randomisation test "
           "over more than 13 queries (default: %(default)s)")  # fmt: skip
    option("--correction", choices=CORRECTIONS, default="holm", help="for the number of tests (default: %(default)s)")
    option("--level", type=between_0_and_1, default=0.95, metavar="L", help="of intervals (default: %(default)s)")
    option("--margin", action="append", default=[], metavar="M", help="differences up to M do not matter: a number, or "
           "CWEx=0.01 for one measure; may be given several times")  # fmt: skip
    option("--power", type=between_0_and_1, metavar="P", help="also the minimum detectable difference with this "
           "chance, as 0.8")  # fmt: skip
    option("--slice", default="", metavar="COLUMN", help="apart for each value of a column of the queries")
    option("--wide", action="store_true", help="one row a system and one column a measure, as a paper prints it")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.comparing import comparison, refuse_alone
    from fairviz.evaluation.comparison_tables import notes, to_wide
    from fairviz.evaluation.equivalence import extended, read_margins
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.slices import slices_of

    margin = read_margins(arguments.margin) if arguments.margin else None
    study, settings, scores = answered(arguments)
    refuse_alone(scores)
    slices = slices_of(study, arguments.slice) if arguments.slice else None
    options = {name: getattr(arguments, name) for name in ("test", "correction", "level", "draws")}
    found = extended(comparison(scores, arguments.baseline, slices=slices, **options), margin, arguments.power)
    for line in (family_note(found), *slices_note(scores, slices), *notes(found)):
        say(f"note: {line}")

    def about() -> "Origin":
        return origin(study, settings, tuple(found.table["measure"].unique()), _told(found, arguments))

    if arguments.wide:
        emit(to_wide(found, arguments.format, about() if says_origin(arguments) else None), arguments.output)
    else:
        write(found.table, arguments, about)
    return 0


def _told(found: "Comparison", arguments: argparse.Namespace) -> tuple[tuple[str, object], ...]:
    """What the file says of the comparison beyond its rows."""
    told = {"test": found.test, "correction": found.correction, "family": found.family}
    more = {"slice_by": arguments.slice, "margins": ", ".join(arguments.margin), "power": arguments.power or ""}
    if found.test == "randomisation":
        more["draws"] = arguments.draws
    if found.level != 0.95:
        more["level"] = found.level
    return tuple((told | {name: value for name, value in more.items() if value}).items())


def family_note(found: "Comparison") -> str:
    """How many tests the correction is for."""
    tests = f"{found.family} paired test{'' if found.family == 1 else 's'}"
    return f"{tests}, correction: {found.correction}; perfect and random are references, in no family."


def slices_note(scores: "pd.DataFrame", slices: "pd.Series | None") -> list[str]:
    """How many queries each slice holds, in a sentence; none where there are no slices."""
    from fairviz.evaluation.slices import sizes

    if slices is None:
        return []
    told = ", ".join(f"{name} {count:,}" for name, count in sizes(scores, slices).items())
    return [f"queries by {slices.name}: {told}."]


def _epilog() -> str:
    return "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in EPILOG)


COMPARE = Command("compare", "systems against one of them, query by query", _add_arguments, _run, _epilog)
