"""Verbs about labels: annotate, agree, consensus and adjudications."""

import argparse
import shlex
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from fairviz import declared
from fairviz.cli.options import add_choices, study_of
from fairviz.cli.record import (
    ANSWERS_KEPT,
    Command,
    add_excel,
    add_output,
    add_parameter,
    add_parameters,
    add_study,
    hanging,
    lexicon_text,
    print_estimates,
    print_notes,
    write_result,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import FORMATS, ProgressLine, emit, say, to_csv
from fairviz.words.sentences import counted
from fairviz.words.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.annotation.annotators.annotating import Annotations
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

MOST_SHOWN = 3  # unreadable answers printed
MILLION = 1_000_000
COEFFICIENTS = "coefficients"
AGREE_TABLES = {
    COEFFICIENTS: "all annotators together, then each against the reference (the default)",
    "overall": "all annotators together: alpha, Fleiss' kappa and agreement",
    "against": "each annotator against the reference: accuracy, kappa and their intervals",
    "pairs": "accuracy and Cohen's kappa of every pair with 20 documents in common or more, without labels "
    "stored next to a built-in study",
    "confusion": "how often each annotator gave each label where the reference gave each label",
    "themselves": "how often each annotator gave a document shown twice the same label, with an exact interval",
    "annotators": "each annotator's record: labels, agreement with the majority, test questions failed",
    "documents": "the documents on which the annotators disagree, most divided first",
    "ties": "the documents that a majority vote leaves open",
    "dawid-skene": "each annotator's confusion as Dawid and Skene's model estimates it",
}


def _add_annotate(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--with", dest="annotators", default="", metavar="ANNOTATORS", help="one or more of those below, such as "
           "\"classifier,llm(model='gpt-4o',url='openai',prompt='three-shot')\"")  # fmt: skip
    option("--template", metavar="PROMPT", help="write this prompt, with places such as {passage}, to --output and do "
           "nothing else: edit it, and use it as prompt='FILE'")  # fmt: skip
    option("--examples", choices=("people",), help="give language models people's labels with comments as worked "
           "examples; these documents are not judged")  # fmt: skip
    add_parameters(parser, declared.ANNOTATE, "queries")
    option("--reference", default="", metavar="NAME",
           help="compare with this annotator (default: the one whose labels count)")  # fmt: skip
    option("--by", default="", metavar="COLUMN", help="apart for each class (write class) or value of a column, such "
           "as stereotype")  # fmt: skip
    option("--estimate", action="store_true", help="count the requests to language models, and send none")
    names = ("price_in", "price_out", "most_requests", "most_tokens", "concurrency", "patience")
    add_parameters(parser, declared.ANNOTATE, *names)
    option("--batch", action="store_true", help="send the questions as batch files (/v1/batches), which a server "
           "answers within a day; the same command again collects the answers")  # fmt: skip
    option("--outcomes", metavar="FILE", help="write the outcome of each document, with the model's text, as CSV")
    option("--replace", action="store_true", help="replace the labels of an annotator that was added before")
    add_output(parser)


def _run_annotate(arguments: argparse.Namespace) -> int:
    from fairviz.annotation.annotators import parse
    from fairviz.annotation.annotators.llm import packaged

    if arguments.template is not None:
        emit(packaged(arguments.template), arguments.output)
        return 0
    choices = parse(arguments.annotators)
    if arguments.examples:
        if not any("examples" in part.values for choice in choices for part in choice.walk()):
            raise UsageError("--examples goes with a language model", "Add llm(model='…') to --with, or leave it out.")
        choices = tuple(choice.with_values(examples=arguments.examples) for choice in choices)
    from fairviz.annotation.annotators.annotating import (
        DEMONSTRATION,
        Hearing,
        annotate,
        estimates,
        is_demonstration,
    )
    from fairviz.datasets import check_new_annotators
    from fairviz.models.asking import Budget

    study = study_of(arguments)
    names = [choice.name for choice in choices]
    if not arguments.estimate:
        check_new_annotators(study, names, replace=arguments.replace)
    reference = _checked_reference(study, names, arguments)
    expected, cost_of = estimates(study, choices, queries=arguments.queries), partial(_format_cost, arguments)
    print_estimates(expected, estimate_only=arguments.estimate, cost_of=cost_of)
    for choice in filter(is_demonstration, choices):
        say(f"note: {choice.name}: {DEMONSTRATION}")
    if arguments.estimate:
        return 0

    with closing(ProgressLine("asking")) as progress, closing(ProgressLine("encoding")) as encoding:
        annotations = annotate(
            study, choices, queries=arguments.queries, concurrency=arguments.concurrency,
            budget=Budget(arguments.most_requests, arguments.most_tokens), patience=arguments.patience,
            in_batches=arguments.batch, hearing=Hearing(say, progress, encoding),
        )  # fmt: skip
    _print_record(annotations, arguments)
    if arguments.outcomes:
        emit(to_csv(annotations.outcomes), arguments.outcomes)
    _save_labels(study, annotations, replace=arguments.replace)
    _compare(arguments, annotations, reference)
    return 0


def _checked_reference(study: "Study", names: list[str], arguments: argparse.Namespace) -> str:
    """Return the annotator that the new ones, of these names, are compared with; empty for none. Raises FairvizError
    for an unknown one, and for an unknown column, before any model is called."""
    from fairviz.analyses.annotator_accuracy.labellers import CLASS
    from fairviz.analyses.annotator_accuracy.raters import groups_by
    from fairviz.annotation.voters import counted_annotator, labels_of

    reference = arguments.reference or counted_annotator(study)
    if not reference:
        return ""
    labels = study.labels if reference in names else labels_of(study, reference)
    if reference not in names and not len(labels):
        raise FairvizError(f"{reference!r} gave no label in {study.name}", "Name another reference.")
    if arguments.by not in ("", CLASS):
        groups_by(study, labels, arguments.by)
    return reference


def _save_labels(study: "Study", annotations: "Annotations", *, replace: bool) -> None:
    """Write the labels of all annotators that gave any."""
    from fairviz.datasets import save_labels

    labelling = set(annotations.labels["annotator"])
    for name in annotations.annotators:
        if name not in labelling:
            say(f"{name} gave no label; nothing of it is written")
    if labelling:
        annotators = {name: each for name, each in annotations.annotators.items() if name in labelling}
        say(f"wrote {save_labels(study, annotations.labels, annotators, replace=replace)}")


def _format_cost(arguments: argparse.Namespace, tokens_in: int, tokens_out: int) -> str:
    """Return the cost in the currency of the prices; "" without prices."""
    if arguments.price_in is None and arguments.price_out is None:
        return ""
    cost = (tokens_in * (arguments.price_in or 0) + tokens_out * (arguments.price_out or 0)) / MILLION
    return f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"


def _print_record(annotations: "Annotations", arguments: argparse.Namespace) -> None:
    """Print each annotator's outcomes, cost, and first unreadable answers."""
    from fairviz.models.replies import LABELLED, OUTCOMES

    outcomes = annotations.outcomes
    for row in annotations.record.to_dict("records"):
        counts = [f"{row[name.replace(' ', '_')]:,} {name}" for name in OUTCOMES if row[name.replace(" ", "_")]]
        say(f"{row['annotator']} ({row['kind']}): {', '.join(counts)} of {counted(row['documents'], 'document')}")
        if row["tokens_in"] or row["asked"]:
            cost = _format_cost(arguments, row["tokens_in"], row["tokens_out"])
            say(
                f"    {row['asked']:,} questions sent now; in all {row['tokens_in']:,} tokens of prompts, "
                f"{row['tokens_out']:,} of answers, {row['seconds']:.1f} s of answering"
                f"{f', cost {cost}' if cost else ''}"
            )
        failed = (outcomes["annotator"] == row["annotator"]) & (outcomes["outcome"] != LABELLED)
        for failure in outcomes[failed & (outcomes["text"] != "")].head(MOST_SHOWN).to_dict("records"):
            text = " ".join(failure["text"].split())[:100]
            say(f"    {failure['outcome']}: {failure['doc_id']}: {text!r}")


def _compare(arguments: argparse.Namespace, annotations: "Annotations", reference: str) -> None:
    """Write the table of accuracy and kappa against the reference, if there is one."""
    from fairviz.analyses.annotator_accuracy.labellers import annotator_table
    from fairviz.annotation.voters import annotator_names
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)  # with the new labels
    names = [name for name in annotations.annotators if name in annotator_names(study)]
    if not names or not reference or names == [reference]:
        say("nobody else labelled these documents, so there is nothing to compare with")
        return
    tried = {str(name): list(rows) for name, rows in annotations.outcomes.groupby("annotator")["doc_id"]}
    table = annotator_table(study, names, reference, arguments.by, tried=tried)
    say(f"against {reference}:")
    parameters = (("annotators", arguments.annotators), ("reference", reference), ("by", arguments.by))
    write_result(table, arguments, study, parameters)


def _annotate_epilog() -> str:
    from fairviz.annotation.annotators import METHODS

    lines = ["Annotators:"]
    for method in METHODS.values():
        lines += hanging(f"{method.name}(OTHER,OTHER,…)" if method.votes else method.name, method.summary)
        lines += [f"      {parameter.described}" for parameter in method.parameters]
    lines += ["", "A model's key comes from the environment: FAIRVIZ_API_KEY, or OPENAI_API_KEY for OpenAI itself.",
              "url= names the server, url='openai' OpenAI itself; without it FAIRVIZ_BASE_URL does. FAIRVIZ_API_KEY "
              "goes to the server in FAIRVIZ_BASE_URL, or to OpenAI where that is not set."]  # fmt: skip
    return "\n".join(lines)


ANNOTATE = Command(
    "annotate", "label a study's documents by word lists, classifiers and language models", _add_annotate,
    _run_annotate, _annotate_epilog, ANSWERS_KEPT, example="annotate football --with lexicon",
)  # fmt: skip


def _add_agree(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--reference", default="", metavar="NAME", help="compare each annotator with this one: a name, majority, "
           "dawid-skene or 'word list' (default: the annotator whose labels count)")  # fmt: skip
    option("--by", default="", metavar="COLUMN", help="apart for each value of a column, such as category")
    option("--table", choices=tuple(AGREE_TABLES), default=COEFFICIENTS, help="which table, see below (default: "
           "%(default)s)")  # fmt: skip
    option("--binary", action="store_true", help="neutral against gendered")
    option("--without-empty", default="", metavar="COLUMN", help="leave out labels whose COLUMN is empty")
    option("--tokenizer", choices=tuple(TOKENIZERS), default="word", help="the word list's (default: %(default)s)")
    option("--lexicon", metavar="FILE", help="the word list (default: the study's own, else the built-in one)")
    add_parameter(parser, declared.TAU)
    add_parameters(parser, declared.AGREE)
    add_choices(parser, ("voters",))
    add_output(parser)


def _run_agree(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.settings import Settings

    lexicon = lexicon_text(arguments.lexicon) if arguments.lexicon else ""
    study = study_of(arguments)
    settings = Settings(
        tokenizer=arguments.tokenizer, tau=arguments.tau, lexicon=lexicon, voters=tuple(arguments.voters)
    )
    table = _agreement_table(study, settings, arguments)
    print_notes(_agree_notes(study, settings, arguments.table))
    names = ("table", "reference", "by", "without_empty", "tau", "draw")
    parameters = {name: getattr(arguments, name) for name in names} | {"binary": "yes" if arguments.binary else ""}
    write_result(table, arguments, study, parameters.items(), settings=settings)
    return 0


def _agreement_table(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> "pd.DataFrame":
    """Return the requested table. Raises FairvizError for a study without labels, UsageError for an unknown name or
    column."""
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


def _agree_notes(study: "Study", settings: "Settings", table: str) -> list[str]:
    """Return notes on who votes, on what a table leaves out, and on labels that vote nowhere."""
    from fairviz.annotation.agreement import COMMON, LABEL_AGAIN
    from fairviz.annotation.voters import votes_of
    from fairviz.evaluation.study_facts import disagreement_text, told_voters

    votes = votes_of(study, settings.voters)
    notes = [f"voters: {told_voters(study, votes.annotators)}; {disagreement_text(votes)}."]
    if len(votes.annotators) < 2:
        notes.append("agreement needs two annotators: --voters all, or names, count others.")
    if table == "pairs":
        notes.append(f"pairs with fewer than {COMMON} documents in common are left out.")
    if table == "themselves" and LABEL_AGAIN not in study.labels:
        notes.append("no label has a second one in the column label_again: study-form --repeat 5% collects them.")
    return [*notes, *_test_notes(study), *_quality_notes(study), *_alongside_notes(study)]


def _test_notes(study: "Study") -> list[str]:
    """Return a note on the test questions, and labels with a suggestion in view, that count in no vote."""
    from fairviz.annotation.agreement import left_out_text

    return list(filter(None, [left_out_text(study.labels)]))


def _quality_notes(study: "Study") -> list[str]:
    """Return a note for each annotator excluded from every consensus because of failed test questions."""
    from fairviz.annotation.voters import quality_control

    record = quality_control(study.labels).record
    return [
        f"{row['annotator']} failed {row['failed']} of {row['test_questions']} test questions, more than 20 %, and is "
        "left out of every consensus."
        for row in record[record["dropped"]].to_dict("records")
    ]


def _alongside_notes(study: "Study") -> list[str]:
    """Return notes on the annotators stored next to a built-in study, whose labels are not used, and on their
    models."""
    from fairviz.annotation.voters import annotators_alongside

    annotators = annotators_alongside(study)
    if not annotators:
        return []
    note = f"labels beside the study, which vote nowhere and count in no measure: {', '.join(annotators)}."
    return [note, *(f"{name}: {each.description}" for name, each in annotators.items() if each.kind == "model")]


AGREE = Command(
    "agree", "measure how far a study's annotators agree", _add_agree, _run_agree, tables=AGREE_TABLES,
    example="agree newswire",
)  # fmt: skip


def _add_consensus(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    add_parameters(parser, declared.CONSENSUS)
    add_choices(parser, ("voters",))
    option("--keep-all", action="store_true", help="count those too who fail more than 20 %% of the test questions")
    option("--format", choices=("csv", "table", "json"), default="csv", help="default: %(default)s")
    option("--output", metavar="FILE", help="write to this file instead of standard output")
    add_excel(parser)


def _run_consensus(arguments: argparse.Namespace) -> int:
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
    print_notes(_test_notes(study))
    if not arguments.keep_all:
        print_notes(_quality_notes(study))
    documents = study.labels["doc_id"].nunique()
    say(f"{arguments.method} of {told_voters(study, voters)}: {len(table):,} of {documents:,} labelled documents")
    if arguments.method == "majority":
        _say_single_and_tied(labels, arguments)
    emit(FORMATS[arguments.format](table), arguments.output)
    return 0


def _say_single_and_tied(labels: "pd.DataFrame", arguments: argparse.Namespace) -> None:
    """Print how many documents have one label, and how many a majority vote leaves open."""
    from fairviz.annotation.agreement import read_votes

    votes = read_votes(labels)
    if single := int((~votes.is_shared).sum()):
        say(f"{counted(single, 'document has', 'documents have')} one label, which is taken as it is")
    if ties := int((votes.winners < 0).sum()):
        tie_count = counted(ties, "tie is", "ties are")
        named = " --voters " + " ".join(map(shlex.quote, arguments.voters)) if arguments.voters else ""
        where = "" if arguments.keep_all else f": fairviz agree {arguments.study} --table ties{named}"
        say(f"{tie_count} left open for an expert{where}")


CONSENSUS = Command(
    "consensus", "combine several annotators' labels into one label a document", _add_consensus, _run_consensus,
    example="consensus newswire",
)  # fmt: skip


def _add_adjudications(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("what", choices=("export", "import"), help="export writes every decision with its time and author; import "
           "adds what is not there yet, and refuses documents that are not in the study")  # fmt: skip
    add_study(parser)
    option("file", metavar="FILE", help="a file that ends in .csv or .jsonl; in CSV, texts that a spreadsheet would "
           "run begin with an apostrophe, and a last column guarded_by_apostrophe marks their rows")  # fmt: skip
    option("--labels", action="store_true", help="export the long table that agreement is computed from: doc_id, "
           "annotator, label")  # fmt: skip


def _run_adjudications(arguments: argparse.Namespace) -> int:
    from fairviz.annotation.adjudications import export_decisions, export_labels, history, import_decisions
    from fairviz.evaluation.opening import open_study

    if arguments.what == "import" and arguments.labels:
        raise UsageError("--labels goes with export", "Leave it out: import reads either kind of file.")
    study = open_study(arguments.study)
    if arguments.what == "import":
        count = import_decisions(study, arguments.file)
        say(f"added {counted(count, 'decision')} to {study.name}")
        return 0
    if arguments.labels:
        say(f"wrote {export_labels(study, arguments.file)}: {len(study.labels):,} labels")
        return 0
    file = export_decisions(study, arguments.file)
    say(f"wrote {file}: {len(history(study)):,} rows")
    return 0


ADJUDICATIONS = Command(
    "adjudications", "write the decisions of the label room to a file, or add those of a file", _add_adjudications,
    _run_adjudications, example="adjudications export football decisions.csv",
)  # fmt: skip
