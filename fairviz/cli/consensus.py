"""consensus: one label per document from several annotators' labels."""

import argparse
import shlex

from fairviz.cli.agree import quality_notes, test_notes
from fairviz.cli.options import add_choices
from fairviz.cli.record import Command, add_excel, add_study, print_notes
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import FORMATS, emit, say
from fairviz.words.sentences import counted


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option(
        "--method",
        choices=("majority", "dawid-skene"),
        default="majority",
        help="the most frequent label, ties left open, or Dawid and Skene's model (default: %(default)s)",
    )
    add_choices(parser, ("voters",))
    option("--keep-all", action="store_true", help="count those too who fail more than 20 %% of the test questions")
    option("--format", choices=("csv", "table", "json"), default="csv", help="default: %(default)s")
    option("--output", metavar="FILE", help="write to this file instead of standard output")
    add_excel(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.annotation.agreement import read_votes
    from fairviz.annotation.voters import consensus, dawid_skene, voters_of, voting_labels
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.study_facts import told_voters

    study = open_study(arguments.study)
    if not study.has("labels"):
        raise FairvizError(
            f"{study.name!r} has no labels to find a consensus of",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )
    try:
        voters = voters_of(study, arguments.voters, everyone=arguments.keep_all)
        labels = voting_labels(study, arguments.voters, everyone=arguments.keep_all)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
    table = consensus(labels, arguments.method)
    if arguments.method == "dawid-skene" and len(labels):
        say(dawid_skene(labels).ending)
    print_notes(test_notes(study))
    if not arguments.keep_all:
        print_notes(quality_notes(study))
    documents = study.labels["doc_id"].nunique()
    say(f"{arguments.method} of {told_voters(study, voters)}: {len(table):,} of {documents:,} labelled documents")
    if arguments.method == "majority":
        votes = read_votes(labels)
        if single := int((~votes.is_shared).sum()):
            say(f"{counted(single, 'document has', 'documents have')} one label, which is taken as it is")
        if ties := int((votes.winners < 0).sum()):
            named = " --voters " + " ".join(map(shlex.quote, arguments.voters)) if arguments.voters else ""
            tie_count = counted(ties, "tie is", "ties are")
            where = "" if arguments.keep_all else f": fairviz agree {arguments.study} --table ties{named}"
            say(f"{tie_count} left open for an expert{where}")
    emit(FORMATS[arguments.format](table), arguments.output)
    return 0


CONSENSUS = Command(
    "consensus",
    "combine several annotators' labels into one label a document",
    _add_arguments,
    _run,
    example="consensus newswire",
)
