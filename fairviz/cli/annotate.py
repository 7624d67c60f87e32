"""annotate: labels by word lists, trained classifiers and language models."""

import argparse
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

from fairviz.cli.record import (
    ANSWERS_KEPT,
    Command,
    add_output,
    add_study,
    hanging,
    not_negative,
    number_to,
    print_estimates,
    print_notices,
    whole_number,
    whole_number_from,
    write_result,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import ProgressLine, emit, say, to_csv
from fairviz.words.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairviz.annotation.annotators import Choice
    from fairviz.annotation.annotators.annotating import Annotations
    from fairviz.models.asking import Estimate
    from fairviz.study.record import Study

MOST_SHOWN = 3  # unreadable answers printed
MILLION = 1_000_000


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--with", dest="annotators", default="", metavar="ANNOTATORS", help="one or more of those below, such as "
           "\"classifier,llm(model='gpt-4o',url='openai',prompt='three-shot')\"")  # fmt: skip
    option("--template", metavar="PROMPT", help="write this prompt, with places such as {passage}, to --output and do "
           "nothing else: edit it, and use it as prompt='FILE'")  # fmt: skip
    option("--queries", type=whole_number, default=0, metavar="N", help="only documents of the first N queries")
    option("--reference", default="", metavar="NAME",
           help="compare with this annotator (default: the one whose labels count)")  # fmt: skip
    option("--by", default="", metavar="COLUMN", help="apart for each class (write class) or value of a column, such "
           "as stereotype")  # fmt: skip
    option("--estimate", action="store_true", help="count the requests to language models, and send none")
    option("--price-in", type=not_negative, default=None, metavar="X", help="price of a million tokens of prompts")
    option("--price-out", type=not_negative, default=None, metavar="X", help="price of a million tokens of answers")
    option("--most-requests", type=whole_number, metavar="N", help="stop after N requests")
    option("--most-tokens", type=whole_number, metavar="N", help="stop after N tokens")
    option(
        "--concurrency",
        type=whole_number_from(1, 1000),
        default=8,
        metavar="N",
        help="requests at a time (default: %(default)s)",
    )
    option(
        "--patience",
        type=number_to(1_000_000),
        default=120.0,
        metavar="S",
        help="seconds from a request to the end of its whole answer, however slowly it comes (default: 120)",
    )
    option("--batch", action="store_true", help="send the questions as batch files (/v1/batches), which a server "
           "answers within a day; the same command again collects the answers")  # fmt: skip
    option("--outcomes", metavar="FILE", help="write the outcome of each document, with the model's text, as CSV")
    option("--replace", action="store_true", help="replace the labels of an annotator that was added before")
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.annotation.annotators import parse
    from fairviz.annotation.annotators.llm import packaged

    if arguments.template is not None:
        emit(packaged(arguments.template), arguments.output)
        return 0
    choices = parse(arguments.annotators)
    from fairviz.datasets import check_new_annotators
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    print_notices(study)
    if not arguments.estimate:
        check_new_annotators(study, [choice.name for choice in choices], replace=arguments.replace)
    _check_comparison(study, choices, arguments)
    _print_estimates(study, choices, arguments)
    if arguments.estimate:
        return 0
    annotations = _annotate_study(study, choices, arguments)
    _print_record(annotations, arguments)
    if arguments.outcomes:
        emit(to_csv(annotations.outcomes), arguments.outcomes)
    _save_labels(study, annotations, arguments)
    reference = _reference(study, arguments)
    return _compare(arguments, annotations, reference)


def _check_comparison(study: "Study", choices: "Sequence[Choice]", arguments: argparse.Namespace) -> None:
    """Raise FairvizError for an unknown reference or column before any model is called."""
    from fairviz.analyses.annotator_accuracy.annotator_table import CLASS
    from fairviz.analyses.annotator_accuracy.raters import groups_by
    from fairviz.annotation.voters import labels_of

    reference = _reference(study, arguments)
    joining = reference in [choice.name for choice in choices]
    labels = labels_of(study, reference) if reference and not joining else study.labels
    if reference and not joining and not len(labels):
        raise FairvizError(f"{reference!r} gave no label in {study.name}", "Name another reference.")
    if reference and arguments.by not in ("", CLASS):
        groups_by(study, labels, arguments.by)


def _print_estimates(study: "Study", choices: "Sequence[Choice]", arguments: argparse.Namespace) -> None:
    """Print the expected requests of each language model, and a warning for small demonstration models."""
    from fairviz.annotation.annotators.annotating import DEMONSTRATION, estimates, is_demonstration

    estimate_by_name: Mapping[str, Estimate] = estimates(study, choices, queries=arguments.queries)
    cost_of = partial(_format_cost, arguments)
    print_estimates(estimate_by_name, estimate_only=arguments.estimate, cost_of=cost_of)
    for choice in choices:
        if is_demonstration(choice):
            say(f"note: {choice.name}: {DEMONSTRATION}")


def _format_cost(arguments: argparse.Namespace, tokens_in: int, tokens_out: int) -> str:
    """Return the cost in the currency of the prices; "" without prices."""
    if arguments.price_in is None and arguments.price_out is None:
        return ""
    cost = (tokens_in * (arguments.price_in or 0) + tokens_out * (arguments.price_out or 0)) / MILLION
    return f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"


def _annotate_study(study: "Study", choices: "Sequence[Choice]", arguments: argparse.Namespace) -> "Annotations":
    from fairviz.annotation.annotators.annotating import Hearing, annotate
    from fairviz.models.asking import Budget

    with closing(ProgressLine("asking")) as progress, closing(ProgressLine("encoding")) as encoding:
        return annotate(
            study,
            choices,
            queries=arguments.queries,
            concurrency=arguments.concurrency,
            budget=Budget(arguments.most_requests, arguments.most_tokens),
            patience=arguments.patience,
            in_batches=arguments.batch,
            hearing=Hearing(say, progress, encoding),
        )


def _print_record(annotations: "Annotations", arguments: argparse.Namespace) -> None:
    """Print each annotator's outcomes, cost, and first unreadable answers."""
    from fairviz.models.replies import LABELLED, OUTCOMES

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
        failures = annotations.outcomes[
            (annotations.outcomes["annotator"] == row["annotator"]) & (annotations.outcomes["outcome"] != LABELLED)
        ]
        for failure in failures[failures["text"] != ""].head(MOST_SHOWN).to_dict("records"):
            text = " ".join(failure["text"].split())[:100]
            say(f"    {failure['outcome']}: {failure['doc_id']}: {text!r}")


def _save_labels(study: "Study", annotations: "Annotations", arguments: argparse.Namespace) -> None:
    from fairviz.datasets import save_labels

    labelling_names = set(annotations.labels["annotator"])
    for name in annotations.annotators:
        if name not in labelling_names:
            say(f"{name} gave no label; nothing of it is written")
    if labelling_names:
        annotators = {name: each for name, each in annotations.annotators.items() if name in labelling_names}
        say(f"wrote {save_labels(study, annotations.labels, annotators, replace=arguments.replace)}")


def _reference(study: "Study", arguments: argparse.Namespace) -> str:
    """Return the annotator to compare with: the named one, else the one whose labels were used before; "" for none."""
    from fairviz.annotation.voters import counted_annotator

    return arguments.reference or counted_annotator(study)


def _compare(arguments: argparse.Namespace, annotations: "Annotations", reference: str) -> int:
    """Write the table of accuracy and kappa against the reference, if there is one, and return the status."""
    from fairviz.analyses.annotator_accuracy.annotator_table import annotator_table
    from fairviz.annotation.voters import annotator_names
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    names = [name for name in annotations.annotators if name in annotator_names(study)]
    if not names or not reference or names == [reference]:
        say("nobody else labelled these documents, so there is nothing to compare with")
        return 0
    doc_ids_by_annotator = {str(name): list(rows) for name, rows in annotations.outcomes.groupby("annotator")["doc_id"]}
    table = annotator_table(study, names, reference, arguments.by, tried=doc_ids_by_annotator)
    say(f"against {reference}:")
    parameters = (("annotators", arguments.annotators), ("reference", reference), ("by", arguments.by))
    write_result(table, arguments, study, parameters)
    return 0


def _epilog() -> str:
    from fairviz.annotation.annotators import METHODS

    lines = ["Annotators:"]
    for method in METHODS.values():
        usage = f"{method.name}(OTHER,OTHER,…)" if method.votes else method.name
        lines += hanging(usage, method.summary)
        lines += [f"      {parameter.described}" for parameter in method.parameters]
    lines += ["", "A model's key comes from the environment: FAIRVIZ_API_KEY, or OPENAI_API_KEY for OpenAI itself.",
              "url= names the server, url='openai' OpenAI itself; without it FAIRVIZ_BASE_URL does. FAIRVIZ_API_KEY "
              "goes to the server in FAIRVIZ_BASE_URL, or to OpenAI where that is not set."]  # fmt: skip
    return "\n".join(lines)


ANNOTATE = Command(
    "annotate",
    "label a study's documents by word lists, classifiers and language models",
    _add_arguments,
    _run,
    _epilog,
    ANSWERS_KEPT,
    example="annotate football --with lexicon",
)
