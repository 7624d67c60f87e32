"""gsr: reinforcement of gender stereotypes: gendered language in results of gendered queries."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import check_choices
from fairviz.cli.options import add_choices, named_systems, values_of
from fairviz.cli.record import (
    Command,
    add_output,
    add_study,
    print_notes,
    print_notices,
    whole_number_from,
    write_result,
)
from fairviz.evaluation.formats import say
from fairviz.words.sentences import first_listed

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.words.genderedness import GenderDirection

MOST_WORDS = 10
OPTIONS = (  # the fields that GSR reads
    "systems", "filter_values", "cutoff", "ties", "embedding", "query_terms", "stop_words", "list_weights",
)  # fmt: skip


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    add_choices(parser, OPTIONS)
    option(
        "--depth",
        choices=("cutoff", "relevant"),
        default="cutoff",
        help="the top k, or as many documents as are relevant to the query (default: %(default)s)",
    )
    option(
        "--pairs",
        metavar="PAIRS",
        help="female-male pairs that make the direction: 'she-he, her-his, …'",
    )
    option(
        "--left-out",
        type=whole_number_from(0),
        default=0,
        metavar="N",
        help="leave out the N most gendered queries (default: 0)",
    )
    option("--per-query", action="store_true", help="one row a system and query: g of the query and of its list")
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.words.genderedness import PAIRS, parse_pairs

    pairs = parse_pairs(arguments.pairs) if arguments.pairs is not None else PAIRS
    from fairviz.evaluation.gsr import gsr, gsr_points, leave_out, unknown_words, why_undefined
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.settings import Settings
    from fairviz.words.genderedness import gender_direction
    from fairviz.words.vectors import load_embedding

    settings = Settings(gsr_depth=arguments.depth, **values_of(arguments))
    study = open_study(arguments.study)
    settings = named_systems(study, settings)
    check_choices(study, settings)
    direction = gender_direction(load_embedding(settings.embedding), pairs)
    print_notices(study)
    _print_direction(direction)
    points = leave_out(gsr_points(study, settings, direction=direction), arguments.left_out)
    _print_unknown_words(unknown_words(study, settings, direction))
    print_notes(why_undefined(points).values())
    parameters = (("k", arguments.k), ("left_out", arguments.left_out), ("pairs", arguments.pairs or ""))
    write_result(points if arguments.per_query else gsr(points), arguments, study, parameters, settings=settings)
    return 0


def _print_direction(direction: "GenderDirection") -> None:
    missing_pairs = ", ".join("-".join(pair) for pair in direction.missing)
    exception = f", without {missing_pairs}, which the vectors lack" if missing_pairs else ""
    share = f"{100 * direction.explained[0]:.1f} %"
    pairs = f"{len(direction.pairs)} pairs{exception}"
    say(f"{direction.embedding.name}: the gender direction explains {share} of the variance of {pairs}.")


def _print_unknown_words(unknown: "pd.DataFrame") -> None:
    for part in ("queries", "documents"):
        words = unknown.loc[unknown["part"] == part, "word"].tolist()
        if words:
            say(f"{len(words):,} different words of {part} have no vector: {first_listed(words, MOST_WORDS)}.")


GSR = Command(
    "gsr",
    "test whether systems answer gendered queries with gendered language",
    _add_arguments,
    _run,
    example="gsr newswire",
)
