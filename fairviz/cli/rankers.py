"""The verb rank."""

import argparse
from contextlib import closing

from fairviz import declared
from fairviz.cli.record import CODES_KEPT, Command, add_parameters, add_study, hanging
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import ProgressLine, say

NOTHING = "Use another ranker, or correct what the lines above name."


def _add_rank(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--with", dest="rankers", required=True, metavar="RANKERS", help="one or more of the rankers below, such as "
           "'bm25(k1=0.9,b=0.4),tfidf'")  # fmt: skip
    add_parameters(parser, declared.RANK)
    option("--embedding", default="", metavar="VECTORS", help="word vectors for w2v_add, w2v_si and fasttext_add: "
           "glove, google-news-subset or the path of a file")  # fmt: skip
    option("--replace", action="store_true", help="replace a run that was added before")


def _run_rank(arguments: argparse.Namespace) -> int:
    from fairviz.rankers import parse_rankers

    choices = parse_rankers(arguments.rankers, arguments.embedding)
    from fairviz.datasets import check_new, save_runs
    from fairviz.evaluation.opening import open_study
    from fairviz.rankers.ranking import rank
    from fairviz.study.record import is_contender

    study = open_study(arguments.study)
    check_new(study, tuple(choice.system for choice in choices), replace=arguments.replace)
    with closing(ProgressLine("ranking")) as progress, closing(ProgressLine("encoding")) as encoding:
        ranked = rank(study, choices, arguments.depth, progress, encoding, candidates=arguments.candidates)
    for message in ranked.messages:
        say(message)
    systems = ranked.runs["system"].cat.categories
    if not len(systems):
        raise FairvizError("no ranker found a document for any query, so no run was written", NOTHING)
    for file in save_runs(study, ranked.runs, replace=arguments.replace):
        say(f"wrote {file}")
    new = [name for name in systems if name not in study.systems and is_contender(name)]
    if study.contenders and new:
        say(f"note: tested with the other systems: {', '.join(new)}. Without: --not-tested {new[0]!r}.")
    return 0


def _rank_epilog() -> str:
    from fairviz.rankers import RANKERS

    lines = ["Rankers:"]
    for ranker in RANKERS.values():
        lines += hanging(ranker.name, ranker.summary)
        lines += [f"      {parameter.described}" for parameter in ranker.parameters]
    return "\n".join(lines)


RANK = Command(
    "rank", "rank a study's documents for its queries", _add_rank, _run_rank, _rank_epilog, CODES_KEPT,
    example="rank football --with bm25",
)  # fmt: skip
