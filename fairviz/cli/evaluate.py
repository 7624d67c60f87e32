"""evaluate: the values of measures for a study's systems."""

import argparse
import os
import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.gsr import add_embedding, add_words_and_weights, words_and_weights
from fairviz.cli.record import (
    Command,
    add_cutoff,
    add_measures,
    add_output,
    add_study,
    includes_origin,
    lexicon_text,
    print_notices,
    write,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.output.wide import to_wide_latex, wide

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

ANNOTATOR = (
    "whose labels: a name, majority, dawid-skene, or adjudicated (a reader's decisions, else the default's labels)"
)
SCORES = ["system", "query_id", "measure", "value"]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    add_choices(parser)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--per-query", action="store_true", help="one row a query instead of means over queries")
    rows.add_argument(
        "--wide",
        action="store_true",
        help="one row a system and one column a measure; in latex as a paper prints it, the best and what is not told "
        "apart from it in bold",
    )
    parser.add_argument(
        "--tie-range",
        action="store_true",
        help="the smallest and the largest value over all orders of documents with equal scores, and whether these "
        "ends are exact or searched (the range is at least as wide), with outer bounds; --ties says which of the "
        "orders the value itself is of",
    )
    add_output(parser)


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options for the choices behind every measure."""
    option = parser.add_argument
    add_cutoff(parser)
    option(
        "--position-bias",
        default="log2",
        metavar="BIAS",
        help="log2, reciprocal, rbp(p=0.8), linear, uniform, or a file with the columns rank and weight "
        "(default: %(default)s)",
    )
    option("--tokenizer", choices=("word", "whitespace"), default="word", help="default: %(default)s")
    option("--lexicon", metavar="FILE", help="words and their group (default: the study's own, else the built-in one)")
    option("--annotator", default="", metavar="NAME", help=ANNOTATOR)
    option("--unlabelled", choices=("skip", "neutral", "strict"), default="skip", help="default: %(default)s")
    option(
        "--background",
        default="candidates",
        metavar="SET",
        help="NFaiRR's: candidates, collection or run:NAME (default: %(default)s)",
    )
    add_embedding(parser)
    add_words_and_weights(parser)
    option("--ties", choices=("file", "trec_eval"), default="file", help="default: %(default)s")
    _add_tests(parser)


def _add_tests(parser: argparse.ArgumentParser) -> None:
    """Add the options of the families of tests."""
    parser.add_argument(
        "--tests", default="maxT", metavar="TESTS", help="families and method, such as maxT, "
        "holm(statistic='wilcoxon') or maxT(baseline='bm25') (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--tested", action="append", default=[], metavar="NAME", help="a reference, an edited list or an uploaded run "
        "that joins the tests; may be given several times",
    )  # fmt: skip


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.compare import check_how, compared_as
    from fairviz.comparison.family import how_of, measures_of, with_family
    from fairviz.evaluation.exports import headed, origin
    from fairviz.evaluation.scores import summarise

    if arguments.tie_range:
        return _tie_range(arguments)
    study, settings, scores = answered(arguments)
    table = scores[SCORES] if arguments.per_query else summarise(scores)
    about = partial(origin, study, settings, tuple(table["measure"].unique()))
    if arguments.wide and arguments.format == "latex":
        how = how_of(study, settings)
        check_how(scores, how)
        comparison_result = compared_as(with_family(study, settings, scores), how).showing(measures_of(scores))
        text = to_wide_latex(table, comparison_result)
        emit(headed(text, about()) if includes_origin(arguments) else text, arguments.output)
        return 0
    write(wide(table) if arguments.wide else table, arguments, about)
    return 0


def _tie_range(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.ties import ties

    if arguments.wide:
        raise UsageError("--wide and --tie-range ask for different tables", "Give one of them.")
    study, settings = opened(arguments)
    table = ties(study, arguments.measures, settings, per_query=arguments.per_query)
    if table.empty:
        say("note: GSR has no value for one query, and so no range over ties.")
    measures = tuple(table["measure"].unique())
    write(table, arguments, lambda: origin(study, settings, measures, (("ties", "all orders"),)))
    return 0


def answered(arguments: argparse.Namespace) -> "tuple[Study, Settings, pd.DataFrame]":
    """Return the study, the options as Settings, and the scores of the measures. Raises FairvizError, UsageError."""
    from fairviz.evaluation.scores import evaluate
    from fairviz.evaluation.speakers import labels_note

    study, settings = opened(arguments)
    scores = evaluate(study, arguments.measures, settings)
    if speaks := labels_note(study, settings, scores):
        say(f"note: {speaks}")
    return study, settings, scores


def opened(arguments: argparse.Namespace) -> "tuple[Study, Settings]":
    """Return the study and the options as Settings after checking both. Raises FairvizError, UsageError."""
    from fairviz.measures import parse

    for text in arguments.measures:
        parse(text, arguments.k)
    settings = settings_of(arguments)
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    check_choices(study, settings)
    print_notices(study)
    return study, settings


def settings_of(arguments: argparse.Namespace) -> "Settings":
    """Return the options as Settings. Raises UsageError for a value out of range, DataError for a bad file."""
    from fairviz.evaluation.settings import Settings

    bias, weights = _parse_position_bias(arguments.position_bias)
    lexicon = lexicon_text(arguments.lexicon) if arguments.lexicon else ""
    words = words_and_weights(arguments)
    try:
        return Settings(
            cutoff=arguments.k,
            position_bias=bias,
            custom_bias=weights,
            tokenizer=arguments.tokenizer,
            lexicon=lexicon,
            annotator=arguments.annotator,
            unlabelled=arguments.unlabelled,
            background=arguments.background,
            ties=arguments.ties,
            embedding=arguments.embedding,
            tests=arguments.tests,
            tested=tuple(arguments.tested),
            **words,
        )
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error


def _parse_position_bias(text: str) -> tuple[str, tuple[float, ...]]:
    """Return the name of a function and (), or `custom` and the weights in the file of this name."""
    from fairviz.measures.position_bias import parse_position_bias

    try:
        parse_position_bias(text)
    except UsageError:
        if not os.path.isfile(text):
            raise
        from fairviz.study.loaders.weights import read_weights

        return "custom", read_weights(Path(text))
    return text, ()


def check_choices(study: "Study", settings: "Settings") -> None:
    """Raise UsageError if an option names something that is not in the study."""

    background = settings.background
    if background.startswith("run:") and background[4:] not in study.systems:
        raise UsageError(
            f"{study.name} has no run {background[4:]!r} for --background",
            f"Its runs are {', '.join(study.systems) or 'none'}.",
        )
    from fairviz.evaluation.choices import chosen_annotator

    try:
        chosen_annotator(study, settings)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error


def _epilog() -> str:
    from fairviz.evaluation.settings import EFFECTIVENESS
    from fairviz.measures import MEASURES

    lines = ["Measures:"]
    for measure in MEASURES.values():
        inner = ", ".join(parameter.name for parameter in measure.parameters)
        text = f"{measure.name}({inner})" if inner else measure.name
        lines += textwrap.wrap(f"{text}: {measure.summary}", 100, initial_indent="  ", subsequent_indent="      ")
    lines.append(f"  {', '.join(EFFECTIVENESS)}, and most others of ir_measures; for the rest a line says why not")
    return "\n".join(lines)


EVALUATE = Command("evaluate", "what measures say about a study's systems", _add_arguments, _run, _epilog)
