"""The verb `answer-texts`; see `fairviz.cli.record`."""

import argparse

from fairviz.cli.record import Command, add_study
from fairviz.evaluation.formats import say


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the folder of the new study")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.opening import open_study
    from fairviz.extensions.answers.texts import answer_texts
    from fairviz.study.study import save_study

    say(f"wrote {save_study(answer_texts(open_study(arguments.study)), arguments.out)}")
    return 0


ANSWER_TEXTS = Command(
    "answer-texts", "write the texts of generated answers as a study of their own", _add_arguments, _run,
    example="answer-texts my-study --out my-answers", group="Data",
)  # fmt: skip
