"""gsr: reinforcement of gender stereotypes: gendered language in results of gendered queries."""

import argparse
from typing import TYPE_CHECKING, Any

from fairviz.cli.record import (
    Command,
    add_cutoff,
    add_output,
    add_study,
    print_notices,
    stop_words_text,
    whole_number_from,
    write,
)
from fairviz.evaluation.formats import say
from fairviz.words.sentences import first_listed

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.words.genderedness import GenderDirection

MOST_WORDS = 10


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    add_cutoff(parser)
    option(
        "--depth",
        choices=("cutoff", "relevant"),
        default="cutoff",
        help="the top k, or as many documents as are relevant to the query (default: %(default)s)",
    )
    add_embedding(parser)
    add_words_and_weights(parser)
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
    option("--ties", choices=("file", "trec_eval"), default="file", help="default: %(default)s")
    option("--per-query", action="store_true", help="one row a system and query: g of the query and of its list")
    add_output(parser)


def add_embedding(parser: argparse.ArgumentParser) -> None:
    """Add the option --embedding."""
    parser.add_argument(
        "--embedding",
        default="glove",
        metavar="VECTORS",
        help="GSR's word vectors: glove, google-news-subset or a word2vec or fastText file (default: %(default)s)",
    )


def add_words_and_weights(parser: argparse.ArgumentParser) -> None:
    """Add the options in which the GSR paper and its authors' code differ: words dropped from documents, weights of
    ranks.
    """
    option = parser.add_argument
    option(
        "--query-terms",
        choices=("exact", "lemma"),
        default="exact",
        help="GSR drops from documents the query's words, or all that share a noun's lemma with one, as its authors' "
        "code does (default: %(default)s)",
    )
    option(
        "--stop-words",
        metavar="FILE",
        help="GSR's stop list, a word a line (default: scikit-learn's English ones; those that tell a gender count)",
    )
    option(
        "--list-weights",
        choices=("equation", "code"),
        default="equation",
        help="GSR's weight of a rank: 1/log2(rank + 1), or its authors' code's 1/max(1, log2 rank) "
        "(default: %(default)s)",
    )


def words_and_weights(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the options as fields of Settings. Raises DataError that names every bad line of the stop list."""
    return {
        "query_terms": arguments.query_terms,
        "stop_words": stop_words_text(arguments.stop_words) if arguments.stop_words else "",
        "list_weights": arguments.list_weights,
    }


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.words.genderedness import PAIRS, parse_pairs

    pairs = parse_pairs(arguments.pairs) if arguments.pairs is not None else PAIRS
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.gsr import gsr_points, unknown_words
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.settings import Settings
    from fairviz.evaluation.slopes import gsr, leave_out, why_undefined
    from fairviz.words.genderedness import gender_direction
    from fairviz.words.vectors import load_embedding

    settings = Settings(
        cutoff=arguments.k,
        gsr_depth=arguments.depth,
        embedding=arguments.embedding,
        ties=arguments.ties,
        **words_and_weights(arguments),
    )
    study = open_study(arguments.study)
    direction = gender_direction(load_embedding(settings.embedding), pairs)
    print_notices(study)
    _print_direction(direction)
    points = leave_out(gsr_points(study, settings, direction=direction), arguments.left_out)
    _print_unknown_words(unknown_words(study, settings, direction))
    for line in why_undefined(points).values():
        say(f"note: {line}")
    parameters = (("k", arguments.k), ("left_out", arguments.left_out), ("pairs", arguments.pairs or ""))
    write(points if arguments.per_query else gsr(points), arguments, lambda: origin(study, settings, (), parameters))
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


GSR = Command("gsr", "whether systems answer gendered queries with gendered language", _add_arguments, _run)
