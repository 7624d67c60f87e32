"""train-backpack: training of a small Backpack ranker on texts, distilled from MiniLM."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from fairviz.cli.record import MOST, Command, above_0_to, random_seed, whole_number
from fairviz.evaluation.formats import ProgressLines, say

if TYPE_CHECKING:
    from fairviz.rankers.backpack.loading import Backpack


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = "studies to learn from: their documents' text, and neither queries nor labels nor judgements"
    parser.add_argument("studies", metavar="STUDY", nargs="+", help=help_text)
    option = parser.add_argument
    option("--senses", type=whole_number, default=8, metavar="N", help="vectors a word (default: %(default)s)")
    option("--minutes", type=above_0_to(MOST), default=5.0, metavar="M", help="stop after M minutes (default: 5)")
    option("--seed", type=random_seed, default=0, metavar="N", help="of weights and order (default: %(default)s)")
    option("--texts", nargs="+", default=(), metavar="FILE", help="free text to learn from, a text a line, in place "
           "of 7,000 sentences of Wikipedia that gensim ships")  # fmt: skip
    option("--name", default="", metavar="NAME", help="of the model (default: after the studies)")
    option("--replace", action="store_true", help="replace a model of this name")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.rankers.backpack.training import Recipe, train, trained_model

    recipe = Recipe(arguments.senses, arguments.minutes, arguments.seed, arguments.name)
    from fairviz.evaluation.opening import open_study

    studies = [open_study(name) for name in dict.fromkeys(arguments.studies)]
    with closing(ProgressLines()) as progress:
        folder = train(studies, recipe, arguments.texts, progress, replace=arguments.replace)
    for line in card_lines(trained_model(folder)):
        say(line)
    say(f"wrote {folder}")
    say(f"Now: fairviz rank STUDY --with \"backpack(weight=0.5,model='{folder.name}')\"")
    return 0


def card_lines(model: "Backpack") -> list[str]:
    """Return the content of the model's card in lines."""
    card = model.card
    steps, held_out, scores = card["steps"], card["held_out"], card["sensitivity"]
    lines = [f"{source['passages']:,} passages of {source['name']} ({source['licence']})" for source in card["sources"]]
    lines.append(
        f"{steps['taken']:,} of {steps['planned']:,} steps in {card['seconds']:.0f} seconds ({steps['ended']}); the "
        f"best on held-out text after {steps['best']:,}: cosine {held_out['cosine_to_teacher']:.3f} to MiniLM's vectors"
    )
    sensitivities = ", ".join(f"{place}: {value:.2f}" for place, value in enumerate(scores["values"], start=1))
    lines.append(
        f"sensitivity of the senses over {scores['pairs']} pairs of words, low carries gender: {sensitivities}"
    )
    return lines


TRAIN_BACKPACK = Command(
    "train-backpack", "train a small Backpack ranker on texts", _add_arguments, _run,
    stopped="stopped: texts read and steps up to the last checkpoint are kept; run the same command to resume",
    example="train-backpack newswire --seed 1",
)  # fmt: skip
