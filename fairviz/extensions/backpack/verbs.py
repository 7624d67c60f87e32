"""The verbs train-backpack and senses; see `fairviz.cli.record`."""

import argparse
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from fairviz.cli.record import Command, add_parameters
from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, ProgressLines, emit, say
from fairviz.extensions.backpack.declared import BACKPACK
from fairviz.extensions.backpack.declared import SENSES as SENSES_PARAMETERS

SENSES_EPILOG = (
    "With words: those whose vector of the same sense is nearest, by cosine. Without: the sensitivity of each sense, "
    "the mean cosine of its vectors over pairs of words (low: it carries gender), with an interval over resamples of "
    "the pairs; the two lowest are those that `rank --with backpack(weight=…)` scales.",
    "--model: one that `fairviz train-backpack` made, its folder, or the folder of the published Backpack-GPT2 "
    "(config.json; model.safetensors or pytorch_model.bin; GPT-2's tokenizer.json, or vocab.json and merges.txt). Of "
    "that one, the tokens that a sense raises most where words are predicted; it ranks nothing. No code in a folder "
    "is run.",
)


def _add_train(parser: argparse.ArgumentParser) -> None:
    help_text = "studies to learn from: their documents' text, and neither queries nor labels nor judgements"
    parser.add_argument("studies", metavar="STUDY", nargs="+", help=help_text)
    option = parser.add_argument
    add_parameters(parser, BACKPACK)
    option("--texts", nargs="+", default=(), metavar="FILE", help="free text to learn from, a text a line, in place "
           "of 7,000 sentences of Wikipedia that gensim ships")  # fmt: skip
    option("--name", default="", metavar="NAME", help="of the model (default: after the studies)")
    option("--replace", action="store_true", help="replace a model of this name")


def _run_train(arguments: argparse.Namespace) -> int:
    from fairviz.extensions.backpack.training import Recipe, train, trained_model

    recipe = Recipe(arguments.senses, arguments.minutes, arguments.seed, arguments.name)
    from fairviz.evaluation.opening import open_study

    studies = [open_study(name) for name in dict.fromkeys(arguments.studies)]
    with closing(ProgressLines()) as progress:
        folder = train(studies, recipe, arguments.texts, progress, replace=arguments.replace)
    for line in _card_lines(trained_model(folder).card):
        say(line)
    say(f"wrote {folder}")
    say(f"Now: fairviz rank STUDY --with \"backpack(weight=0.5,model='{folder.name}')\"")
    return 0


def _card_lines(card: Mapping[str, Any]) -> list[str]:
    """Return the content of a model's card in lines: its texts, its training, and the sensitivity of its senses."""
    steps, scores, cosine = card["steps"], card["sensitivity"], card["held_out"]["cosine_to_teacher"]
    sensitivities = ", ".join(f"{place}: {value:.2f}" for place, value in enumerate(scores["values"], start=1))
    return [
        *(f"{source['passages']:,} passages of {source['name']} ({source['licence']})" for source in card["sources"]),
        f"{steps['taken']:,} of {steps['planned']:,} steps in {card['seconds']:.0f} seconds ({steps['ended']}); the "
        f"best on held-out text after {steps['best']:,}: cosine {cosine:.3f} to MiniLM's vectors",
        f"sensitivity of the senses over {scores['pairs']} pairs of words, low carries gender: {sensitivities}",
    ]


TRAIN_BACKPACK = Command(
    "train-backpack", "train a small Backpack ranker on texts", _add_train, _run_train,
    stopped="stopped: texts read and steps up to the last checkpoint are kept; run the same command to resume",
    example="train-backpack newswire --seed 1", group="Rankers",
)  # fmt: skip


def _add_senses(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORD", nargs="*", help="words; none for the sensitivity of the senses")
    option = parser.add_argument
    option("--model", default="", metavar="MODEL", help="a name or folder, see below (default: the packaged one)")
    add_parameters(parser, SENSES_PARAMETERS)
    option("--pairs", metavar="FILE", help="pairs for the sensitivity in place of the packaged ones: lines female,male")
    option("--format", choices=tuple(FORMATS), default="table", help="default: %(default)s")
    option("--output", metavar="FILE", help="write to this file instead of standard output")


def _run_senses(arguments: argparse.Namespace) -> int:
    from fairviz.extensions.backpack.published import RANKS_NOTHING, LanguageBackpack
    from fairviz.extensions.backpack.words import any_model, sensitivities, table_of, words_table
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
    "senses", "list the senses of words in a Backpack, and their gender", _add_senses, _run_senses, SENSES_EPILOG,
    example="senses nurse", group="Rankers",
)  # fmt: skip
