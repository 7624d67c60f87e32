"""agree: the agreement of a study's annotators."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.options import add_choices
from fairviz.cli.record import (
    Command,
    add_output,
    add_study,
    lexicon_text,
    print_notes,
    print_notices,
    whole_number_from,
    write_result,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.words.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

COEFFICIENTS = "coefficients"
TABLES = {
    COEFFICIENTS: "all annotators together, then each against the reference (the default)",
    "overall": "all annotators together: alpha, Fleiss' kappa and agreement",
    "against": "each annotator against the reference: accuracy, kappa and their intervals",
    "pairs": "accuracy and Cohen's kappa of every pair with 20 documents in common or more, without labels "
    "stored next to a built-in study",
    "confusion": "how often each annotator gave each label where the reference gave each label",
    "annotators": "each annotator's record: labels, agreement with the majority, test questions failed",
    "documents": "the documents on which the annotators disagree, most divided first",
    "ties": "the documents that a majority vote leaves open",
    "dawid-skene": "each annotator's confusion as Dawid and Skene's model estimates it",
}


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option(
        "--reference",
        default="",
        metavar="NAME",
        help="compare each annotator with this one: a name, majority, dawid-skene or 'word list' "
        "(default: the annotator whose labels count)",
    )
    option("--by", default="", metavar="COLUMN", help="apart for each value of a column, such as category")
    option("--table", choices=tuple(TABLES), default=COEFFICIENTS, help="which table, see below (default: %(default)s)")
    option("--binary", action="store_true", help="neutral against gendered")
    option("--without-empty", default="", metavar="COLUMN", help="leave out labels whose COLUMN is empty")
    option("--tokenizer", choices=tuple(TOKENIZERS), default="word", help="the word list's (default: %(default)s)")
    option("--lexicon", metavar="FILE", help="the word list (default: the study's own, else the built-in one)")
    option(
        "--tau",
        type=whole_number_from(0),
        default=1,
        help="gender words a neutral document may hold (default: %(default)s)",
    )
    option(
        "--draw",
        choices=("documents", "queries"),
        default="documents",
        help="what intervals draw: documents, or queries with all their documents (default: %(default)s)",
    )
    add_choices(parser, ("voters",))
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.settings import Settings

    lexicon = lexicon_text(arguments.lexicon) if arguments.lexicon else ""
    study = open_study(arguments.study)
    print_notices(study)
    settings = Settings(
        tokenizer=arguments.tokenizer, tau=arguments.tau, lexicon=lexicon, voters=tuple(arguments.voters)
    )
    table = _agreement_table(study, settings, arguments)
    print_notes((*agreement_notes(study, settings, arguments.table), *test_notes(study), *quality_notes(study)))
    print_notes(alongside_notes(study))
    names = ("table", "reference", "by", "without_empty", "tau", "draw")
    parameters = {name: getattr(arguments, name) for name in names} | {"binary": "yes" if arguments.binary else ""}
    write_result(table, arguments, study, parameters.items(), settings=settings)
    return 0


def _agreement_table(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    """Return the requested table. Raises FairvizError for a study without labels, UsageError for an unknown name or
    column.
    """
    from fairviz.analyses.annotator_accuracy.comparisons import Comparison, coefficients, table

    comparison = Comparison(
        arguments.reference, arguments.binary, arguments.by, arguments.without_empty, arguments.draw
    )
    try:
        if arguments.table == COEFFICIENTS:
            return coefficients(study, settings, comparison)
        return table(study, settings, comparison, arguments.table)
    except FairvizError as error:
        if not study.has("labels"):
            raise
        raise UsageError(error.message, error.remedy) from error


def agreement_notes(study: "Study", settings: "Settings", table: str) -> list[str]:
    """Return notes on who votes and on how many documents these disagree, and on the pairs that are left out."""
    from fairviz.annotation.agreement import COMMON
    from fairviz.annotation.voters import votes_of
    from fairviz.evaluation.study_facts import disagreement_text, told_voters

    votes = votes_of(study, settings.voters)
    notes = [f"voters: {told_voters(study, votes.annotators)}; {disagreement_text(votes)}."]
    if len(votes.annotators) < 2:
        notes.append("agreement needs two annotators: --voters all, or names, count others.")
    if table == "pairs":
        notes.append(f"pairs with fewer than {COMMON} documents in common are left out.")
    return notes


def test_notes(study: "Study") -> list[str]:
    """Return a note on the test questions, and labels with a suggestion in view, that count in no vote."""
    from fairviz.annotation.agreement import left_out_text

    return list(filter(None, [left_out_text(study.labels)]))


def quality_notes(study: "Study") -> list[str]:
    """Return a note for each annotator excluded from every consensus because of failed test questions."""
    from fairviz.annotation.voters import quality_control

    record = quality_control(study.labels).record
    dropped_rows = record[record["dropped"]]
    rows = zip(dropped_rows["annotator"], dropped_rows["failed"], dropped_rows["test_questions"], strict=True)
    return [
        f"{name} failed {failed} of {count} test questions, more than 20 %, and is left out of every consensus."
        for name, failed, count in rows
    ]


def alongside_notes(study: "Study") -> list[str]:
    """Return notes on the annotators stored next to a built-in study, whose labels are not used, and on their
    models.
    """
    from fairviz.annotation.voters import annotators_alongside

    annotators = annotators_alongside(study)
    models = [f"{name}: {each.description}" for name, each in annotators.items() if each.kind == "model"]
    note = f"labels beside the study, which vote nowhere and count in no measure: {', '.join(annotators)}."
    return [note, *models] if annotators else []


AGREE = Command(
    "agree", "measure how far a study's annotators agree", _add_arguments, _run, tables=TABLES, example="agree newswire"
)
