"""senses: the senses of words in a Backpack, and their gender."""

import argparse

from fairviz.cli.record import Command, whole_number
from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, emit, say

EPILOG = (
    "With words: those whose vector of the same sense is nearest, by cosine. Without: the sensitivity of each sense, "
    "the mean cosine of its vectors over pairs of words (low: it carries gender), with an interval over resamples of "
    "the pairs; the two lowest are those that `rank --with backpack(weight=…)` scales.",
    "--model: one that `fairviz train-backpack` made, its folder, or the folder of the published Backpack-GPT2 "
    "(config.json; model.safetensors or pytorch_model.bin; GPT-2's tokenizer.json, or vocab.json and merges.txt). Of "
    "that one, the tokens that a sense raises most where words are predicted; it ranks nothing. No code in a folder "
    "is run.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORD", nargs="*", help="words; none for the sensitivity of the senses")
    option = parser.add_argument
    option("--model", default="", metavar="MODEL", help="a name or folder, see below (default: the packaged one)")
    option("--nearest", type=whole_number, default=5, metavar="N", help="words a sense (default: %(default)s)")
    option("--pairs", metavar="FILE", help="pairs for the sensitivity in place of the packaged ones: lines female,male")
    option("--format", choices=tuple(FORMATS), default="table", help="default: %(default)s")
    option("--output", metavar="FILE", help="write to this file instead of standard output")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.rankers.backpack.published import RANKS_NOTHING, LanguageBackpack
    from fairviz.rankers.backpack.sensitivity import sensitivities
    from fairviz.rankers.backpack.words import any_model, table_of, words_table
    from fairviz.study.loaders.word_files import read_counterparts

    if arguments.words and arguments.pairs:
        raise UsageError(
            "--pairs is for the sensitivity of the senses, not for a word", "Leave out the words, or --pairs."
        )
    pairs = read_counterparts(arguments.pairs) if arguments.pairs else None
    model = any_model(arguments.model)
    if isinstance(model, LanguageBackpack):
        say(f"note: {RANKS_NOTHING}.")
    if arguments.words:
        table = words_table(model, list(dict.fromkeys(arguments.words)), arguments.nearest)
    else:
        analysis = sensitivities(model, pairs)
        if analysis.left_out:
            say(f"note: {analysis.left_out}.")
        table = table_of(analysis)
    emit(FORMATS[arguments.format](table), arguments.output)
    return 0


SENSES = Command(
    "senses",
    "list the senses of words in a Backpack, and their gender",
    _add_arguments,
    _run,
    EPILOG,
    example="senses nurse",
)
