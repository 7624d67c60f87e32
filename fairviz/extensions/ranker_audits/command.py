"""audit: rankers' preferences between groups, in pairs, in lists and by authors' names, and the integrity of their
answers."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING, Any

from fairviz.cli.options import add_choices, study_of
from fairviz.cli.record import (
    ANSWERS_KEPT,
    Command,
    add_output,
    add_parameters,
    add_study,
    format_epilog,
    print_estimates,
    print_notes,
    write_result,
)
from fairviz.errors import UsageError, use_one_of
from fairviz.evaluation.formats import ProgressLines, say
from fairviz.extensions.ranker_audits import declared
from fairviz.extensions.ranker_audits.analysis import AUDITS, BY
from fairviz.words.sentences import with_article

if TYPE_CHECKING:
    from collections.abc import Callable

    from fairviz.extensions.ranker_audits.attribution_plan import AttributionPlan
    from fairviz.extensions.ranker_audits.list_plan import ListwisePlan
    from fairviz.extensions.ranker_audits.pairs import PairwisePlan
    from fairviz.study.record import Study

EPILOG = (
    "Pairwise: pairs of documents, one of each group, both relevant to a query or both not, and texts that "
    "the study has in several wordings (Grep-BiasIR). A ranker with scores prefers the higher one; a language model, "
    "llm(model='gpt-4o',url='openai') or llm(model='smollm2'), compares each pair in both orders. preferred is "
    "the share of queries that prefer the first group's document, of those that prefer either, ratio these queries "
    "over the others: they decide, by the exact sign test with Bonferroni over the family, whose intervals they have. "
    "first and other_first are shares of pairs, gap (secondary) by how much the first group's document is preferred "
    "(in standard deviations of the ranker's scores for the query, or log-odds of a model), size the same without "
    "sign. With --every-column first_twice and other_twice are the shares of pairs that one document wins in both "
    "orders.",
    "The unit is the query, not the pair: tests and intervals are over queries, and under ten there is no verdict. "
    "Integrity is printed before any figure of fairness: a model that always names the first document shows position "
    "bias, and nothing else.",
    "Listwise: the same shuffled lists are ordered by each ranker, under neutral queries and under queries that name a "
    "group; a language model sorts them a window at a time. preferred is the share of queries on which the protected "
    "group is higher on average, which decides; ratio, secondary, is the attention that its documents get over "
    "that of the others.",
    "Attribution: the same document under two female and two male authors' names, and as it is (--template, --names). "
    "value compares the genders, placebo two names of one gender, and beyond, their difference, decides for the "
    "quantity preference; gap, places and the sizes of both are secondary. Errors are clustered by query and by set of "
    "names; a verdict needs ten of either.",
    "Answers of a language model are kept: after a stop, run the same command to resume. Answered questions are not "
    "sent again.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--with", dest="rankers", default="bm25,bi_encoder", metavar="RANKERS",
           help="one or more, as `rank --with` takes them, and llm(model='…') (default: %(default)s)")  # fmt: skip
    option("--kind", choices=tuple(AUDITS), default="pairwise", help="default: %(default)s")
    option("--anchor", action=argparse.BooleanOptionalAction, default=True,
           help="audit BM25 too, which scores most wordings of one text alike (default: yes)")  # fmt: skip
    add_parameters(parser, declared.AUDIT, "queries")
    option("--pairs", choices=("auto", "same-text", "drawn", "both"), default="auto",
           help="texts in several wordings, pairs drawn by lot, or both (pairwise; auto: the first)")  # fmt: skip
    add_parameters(parser, declared.AUDIT, "per_query")
    option("--neutral", action=argparse.BooleanOptionalAction, default=True,
           help="a neutral document beside each pair, as a third arm (default: yes)")  # fmt: skip
    option("--annotator", default="", metavar="NAME", help="whose labels make the groups")
    add_choices(parser, ("voters",), rare=True)
    add_parameters(parser, declared.AUDIT_LISTS, "window", "step")
    option("--windows", type=_window, nargs="+", default=[], metavar="N/M",
           help="other windows and steps to compare, as 10/5 5/1 (listwise)")  # fmt: skip
    add_parameters(parser, declared.AUDIT_LISTS, "per_list")
    option("--names", metavar="FILE",
           help="authors in place of the packaged ones: lines gender,name (attribution)")  # fmt: skip
    option("--template", default="", metavar="TEXT",
           help="a version's text, with {name} and {text} (attribution; default: 'By {name}. {text}')")  # fmt: skip
    option("--candidates", default="auto", metavar="WHICH", help="pairs, relevant, or the run whose top is compared "
           "(attribution; auto: the first of these)")  # fmt: skip
    add_parameters(parser, declared.AUDIT, "seed")
    option("--by", default="", metavar="COLUMN", help="apart for each value of a column, such as stereotype; "
           "of lists a column of the queries")  # fmt: skip
    names = tuple(dict.fromkeys(name for record in AUDITS.values() for name in record.tables))
    option("--table", choices=names, default="", help="see below (default: the first of its kind)")
    option("--every-column", action="store_true", help="all columns of the tables shares, exposure and windows")
    option("--estimate", action="store_true", help="count the requests to language models, and send none")
    add_parameters(parser, declared.AUDIT, "most_requests")
    add_output(parser)


def _window(text: str) -> tuple[int, int]:
    """Return the window and the step of an argument such as 10/5."""
    window, slash, step = text.partition("/")
    is_valid = slash and window.isascii() and window.isdigit() and step.isascii() and step.isdigit()
    if not is_valid or len(text) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a window and step, such as 10/5")
    return int(window), int(step)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.extensions.ranker_audits.auditing import estimates, rankers_of

    _refuse_misplaced(arguments)
    record = AUDITS[arguments.kind]
    choices = rankers_of(arguments.rankers, arguments.kind, anchor=arguments.anchor)
    study = study_of(arguments)
    plan = PLANS[arguments.kind](study, arguments)
    print_estimates(estimates(study, choices, plan), estimate_only=arguments.estimate)
    if arguments.estimate:
        return 0
    values = {"rankers": choices, "plan": plan}
    with closing(ProgressLines()) as progress:
        audit = record.compute(study, None, progress, **values)
    print_notes(record.notes(audit))
    for line in record.said(audit, arguments.study) if record.said else ():
        say(line)
    table = record.tables[arguments.table or next(iter(record.tables))]
    rows = table.by(audit, arguments.by) if table.by and arguments.by else table.rows(audit)
    if table.columns and not arguments.every_column:
        columns = (arguments.by if name == BY else name for name in table.columns)
        rows = rows[[name for name in columns if name in rows]]
    about = record.origin(audit, values).parameters if record.origin else ()
    write_result(rows, arguments, study, [("rankers", ", ".join(audit.systems)), *about])
    return 0


def _refuse_misplaced(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options of another kind of audit, or of another of its tables."""
    kind, tables = arguments.kind, AUDITS[arguments.kind].tables
    if arguments.table and arguments.table not in tables:
        article = "an" if kind == "attribution" else "a"
        raise UsageError(f"{article} {kind} audit has no table {arguments.table}", use_one_of(tables, arguments.table))
    _refuse_other_kinds(arguments)
    default_table = next(iter(tables))
    if arguments.by and arguments.table not in ("", default_table):
        raise UsageError(
            f"--by goes with the table {default_table} of {with_article(kind)} audit", "Leave out one of them."
        )


def _refuse_other_kinds(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options of another kind of audit than this one."""
    if arguments.kind == "attribution":
        if arguments.by:
            raise UsageError("--by goes with pairwise and listwise audits", "Leave it out.")
        return
    for name in ("names", "template"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} goes with an attribution audit", "Add --kind attribution, or leave it out.")


# The plan of each kind of audit.


def _plan_pairs(study: "Study", arguments: argparse.Namespace) -> "PairwisePlan":
    from fairviz.extensions.ranker_audits.pairs import PairwisePlan
    from fairviz.extensions.ranker_audits.pairwise import check_column

    if arguments.by:
        check_column(study, arguments.by)
    return PairwisePlan(
        arguments.pairs.replace("-", " "), arguments.per_query, arguments.queries, arguments.neutral,
        arguments.annotator, arguments.seed, arguments.most_requests, tuple(arguments.voters),
    )  # fmt: skip


def _plan_lists(study: "Study", arguments: argparse.Namespace) -> "ListwisePlan":
    from fairviz.extensions.ranker_audits.list_plan import ListwisePlan
    from fairviz.extensions.ranker_audits.listwise import check_slices

    if arguments.by:
        check_slices(study, arguments.by)
    return ListwisePlan(
        arguments.window, arguments.step, arguments.per_list, arguments.seed, windows=tuple(arguments.windows),
        queries=arguments.queries or None, annotator=arguments.annotator, most_requests=arguments.most_requests,
        voters=tuple(arguments.voters),
    )  # fmt: skip


def _plan_names(study: "Study", arguments: argparse.Namespace) -> "AttributionPlan":
    from fairviz.extensions.ranker_audits.attribution_plan import TEMPLATE, AttributionPlan
    from fairviz.extensions.ranker_audits.author_names import packaged_names, read_names

    names = read_names(arguments.names) if arguments.names else packaged_names()
    return AttributionPlan(
        arguments.candidates, arguments.per_query, arguments.queries, names, arguments.template or TEMPLATE,
        arguments.annotator, arguments.seed, arguments.most_requests, tuple(arguments.voters),
    )  # fmt: skip


PLANS: "dict[str, Callable[[Study, argparse.Namespace], Any]]" = {
    "pairwise": _plan_pairs, "listwise": _plan_lists, "attribution": _plan_names,
}  # fmt: skip


def _epilog() -> str:
    tables = (
        format_epilog((), {name: table.help for name, table in record.tables.items()},
                      f"Tables of {with_article(kind)} audit:")
        for kind, record in AUDITS.items()
    )  # fmt: skip
    return "\n".join([format_epilog(EPILOG), *tables])


AUDIT = Command(
    "audit", "test which group's documents rankers prefer, in pairs, in lists and by authors' names", _add_arguments,
    _run, _epilog, ANSWERS_KEPT, example="audit newswire --with bm25", group="Rankers",
)  # fmt: skip
