"""mend: fine-tuning of a sentence encoder against preferring one gender's wording, and its effect."""

import argparse
from contextlib import closing

from fairviz.cli.evaluate import open_under_settings
from fairviz.cli.options import add_choices
from fairviz.cli.record import (
    Command,
    add_output,
    add_study,
    not_negative,
    print_notes,
    random_seed,
    whole_number,
    write_result,
)
from fairviz.evaluation.formats import ProgressLines, say

TABLES = {
    "outcome": "every figure before and after, for the queries trained on and the held-out ones, with intervals over "
    "queries and paired tests (the default)",
    "queries": "these figures for each query",
    "losses": "the loss of each step and its two terms",
}
EPILOG = (
    "Pairs are documents in the wording of either gender, judged alike for their query (Grep-BiasIR); elsewhere "
    "documents and the same with every gender word and first name replaced by its counterpart. Four fifths of the "
    "queries are trained on; the others, and the texts of their pairs, are never seen in training.",
    "The aim is symmetric: gaps between the two scores are to be small whichever comes first, and each to come first "
    "equally often; a second term keeps all other scores as they were. After a stop or a crash, run the same "
    "command to resume the training.",
    "rank --with \"bi_encoder(adapter='NAME')\" ranks with the adapter. It is stored with its card in the data folder, "
    "under adapters. Training needs the package peft: pip install 'fairviz[train]'.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--ranker", default="bi_encoder", metavar="RANKER", help="bi_encoder, or bi_encoder(model='…') (default: "
           "%(default)s)")  # fmt: skip
    option("--rank", type=whole_number, default=4, metavar="N", help="of the weights added (default: %(default)s)")
    option("--strength", type=not_negative, default=1.0, metavar="X", help="of the aim beside what keeps other scores; "
           "0 changes nothing (default: %(default)s)")  # fmt: skip
    option("--steps", type=whole_number, default=40, metavar="N", help="of training (default: %(default)s)")
    option("--minutes", type=not_negative, default=None, metavar="X", help="a limit of time, which ends the training "
           "with steps left; the name then carries the steps done (default: no limit)")  # fmt: skip
    option(
        "--seed", type=random_seed, default=0, metavar="N", help="of split, weights and order (default: %(default)s)"
    )
    option("--name", default="", metavar="NAME", help="of the adapter (default: made of study and options)")
    option("--table", choices=tuple(TABLES), default="outcome", help="see below (default: %(default)s)")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.analyses.finetuning.pairs import Plan, encoder_of

    parameters = {name: getattr(arguments, name) for name in ("rank", "strength", "minutes", "steps", "seed", "name")}
    Plan(**parameters)
    encoder_of(arguments.ranker)
    from fairviz.analyses.finetuning.mended import mend

    study, settings = open_under_settings(arguments)
    with closing(ProgressLines()) as progress:
        result = mend(study, arguments.ranker, settings=settings, progress=progress, **parameters)
    print_notes((*result.messages, *result.sentences))
    say(f"the adapter is in {result.folder}")
    say(f'rank with it: fairviz rank {arguments.study} --with "{result.ranker}"')
    table = {"outcome": result.table, "queries": result.per_query, "losses": result.losses}[arguments.table]
    measures = [text for text in result.table["measure"].unique() if "@" in text]
    recorded = {name: value for name, value in (parameters | {"name": result.name}).items() if value is not None}
    provenance = [("ranker", arguments.ranker), *recorded.items()]
    write_result(table, arguments, study, provenance, settings=settings, measures=measures)
    return 0


MEND = Command(
    "mend", "fine-tune an encoder to put neither gender's wording first, and test it", _add_arguments,
    _run, EPILOG, "stopped: finished steps are kept; run the same command to resume", TABLES,
    example="mend grep-biasir --ranker bi_encoder",
)  # fmt: skip
