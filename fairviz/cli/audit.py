"""audit: rankers' preferences between groups, in pairs, in lists and by authors' names, and the integrity of their
answers."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING, Any

from fairviz.cli.audit_lists import LIST_TABLES, conclude_lists, parse_window, plan_lists
from fairviz.cli.audit_names import NAME_TABLES, add_name_options, check_name_options, conclude_names, plan_names
from fairviz.cli.options import add_choices
from fairviz.cli.record import (
    ANSWERS_KEPT,
    Command,
    add_output,
    add_study,
    format_epilog,
    print_estimates,
    print_notes,
    print_notices,
    random_seed,
    whole_number,
    write_result,
)
from fairviz.errors import UsageError, use_one_of
from fairviz.evaluation.formats import ProgressLines, say, to_table
from fairviz.words.sentences import with_article

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from fairviz.analyses.audit.pairs import PairwisePlan
    from fairviz.analyses.audit.pairwise import PairwiseAudit
    from fairviz.study.record import Study

PAIR_TABLES = {
    "shares": "how often each group's document comes first, the ratio, and by how much (the default)",
    "integrity": "shares of answers that are unparsed, missing, always the same place, the same in both orders",
    "pairs": "a row a ranker and pair, with the winner in both orders",
    "answers": "a row a ranker, pair and order, with the model's text",
}
TABLES = {"pairwise": PAIR_TABLES, "listwise": LIST_TABLES, "attribution": NAME_TABLES}
TABLE_COLUMNS = ("system", "kind", "judged", "group", "other", "preferred", "preferred_low", "preferred_high", "ratio",
         "ratio_low", "ratio_high", "p_shares_corrected", "queries_first", "queries_other", "first", "first_low",
         "first_high", "other_first", "other_first_low", "other_first_high", "tied", "gap", "gap_low", "gap_high",
         "size", "unit", "p_gap_corrected", "queries", "pairs", "family")  # fmt: skip
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
    option("--kind", choices=tuple(TABLES), default="pairwise", help="default: %(default)s")
    option("--anchor", action=argparse.BooleanOptionalAction, default=True,
           help="audit BM25 too, which scores most wordings of one text alike (default: yes)")  # fmt: skip
    option("--queries", type=whole_number, default=0, metavar="N", help="only N queries: the first ones, for lists "
           "drawn by lot")  # fmt: skip
    option("--pairs", choices=("auto", "same-text", "drawn", "both"), default="auto",
           help="texts in several wordings, pairs drawn by lot, or both (pairwise; auto: the first)")  # fmt: skip
    option("--per-query", type=whole_number, default=5, metavar="N", help="pairs drawn for each query, relevant and "
           "irrelevant apart (default: %(default)s)")  # fmt: skip
    option("--neutral", action=argparse.BooleanOptionalAction, default=True,
           help="a neutral document beside each pair, as a third arm (default: yes)")  # fmt: skip
    option("--annotator", default="", metavar="NAME", help="whose labels make the groups")
    add_choices(parser, ("voters",), rare=True)
    option("--window", type=whole_number, default=20, metavar="N", help="documents in one request (listwise)")
    option("--step", type=whole_number, default=10, metavar="N", help="how far the window moves (listwise)")
    option("--windows", type=parse_window, nargs="+", default=[], metavar="N/M",
           help="other windows and steps to compare, as 10/5 5/1 (listwise)")  # fmt: skip
    option("--per-list", type=whole_number, default=20, metavar="N", help="documents of a list (listwise)")
    add_name_options(parser)
    option("--seed", type=random_seed, default=0, metavar="N", help="of what is drawn by lot (default: %(default)s)")
    option("--by", default="", metavar="COLUMN", help="apart for each value of a column, such as stereotype; "
           "of lists a column of the queries")  # fmt: skip
    names = tuple(dict.fromkeys(name for tables in TABLES.values() for name in tables))
    option("--table", choices=names, default="", help="see below (default: the first of its kind)")
    option("--every-column", action="store_true", help="all columns of the tables shares, exposure and windows")
    option("--estimate", action="store_true", help="count the requests to language models, and send none")
    option("--most-requests", type=whole_number, default=0, metavar="N", help="stop after N requests")
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.analyses.audit.auditing import estimates, rankers_of

    _check(arguments)
    choices = rankers_of(arguments.rankers, arguments.kind, anchor=arguments.anchor)
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    print_notices(study)
    plan_kind, conclude = KINDS[arguments.kind]
    plan, run = plan_kind(study, arguments)
    print_estimates(estimates(study, choices, plan), estimate_only=arguments.estimate)
    if arguments.estimate:
        return 0
    with closing(ProgressLines()) as progress:
        audit = run(study, choices, plan, progress)
    table, parameters = conclude(audit, plan, arguments)
    write_result(table, arguments, study, [("rankers", ", ".join(audit.systems)), *parameters])
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options that exclude each other."""
    tables = TABLES[arguments.kind]
    if arguments.table and arguments.table not in tables:
        article = "an" if arguments.kind == "attribution" else "a"
        raise UsageError(
            f"{article} {arguments.kind} audit has no table {arguments.table}", use_one_of(tables, arguments.table)
        )
    check_name_options(arguments)
    default_table = next(iter(tables))
    if arguments.by and arguments.table not in ("", default_table):
        raise UsageError(
            f"--by goes with the table {default_table} of {with_article(arguments.kind)} audit",
            "Leave out one of them.",
        )


def _plan_pairs(study: "Study", arguments: argparse.Namespace) -> "tuple[PairwisePlan, Callable]":
    """Return the plan of a pairwise audit and the function that runs it. Raises FairvizError for an unknown column."""
    from fairviz.analyses.audit.pairs import PairwisePlan
    from fairviz.analyses.audit.pairwise import audit_pairwise, check_column

    if arguments.by:
        check_column(study, arguments.by)
    return PairwisePlan(
        arguments.pairs.replace("-", " "), arguments.per_query, arguments.queries, arguments.neutral,
        arguments.annotator, arguments.seed, arguments.most_requests, tuple(arguments.voters),
    ), audit_pairwise  # fmt: skip


def _conclude_pairs(
    audit: "PairwiseAudit", plan: "PairwisePlan", arguments: argparse.Namespace
) -> "tuple[pd.DataFrame, list[tuple[str, object]]]":
    """Print the findings; return the requested table and the parameters that it depends on."""
    _print_findings(audit)
    table = _select_table(audit, arguments.table or "shares", arguments.by, all_columns=arguments.every_column)
    return table, [("pairs", plan.source), ("pairs a query", plan.per_query), ("seed", plan.seed)]


def _print_findings(audit: "PairwiseAudit") -> None:
    """Print integrity before any figure of fairness, then the findings."""
    from fairviz.analyses.audit.pairwise import UNIT_IS_THE_QUERY, family_note

    print_notes(audit.messages)
    integrity = audit.integrity.dropna(axis="columns", how="all")
    say(f"Integrity:\n{to_table(integrity)}")
    families = [
        f"{kind}, {judged}: {family_note(part)}"
        for (kind, judged), part in audit.table.groupby(["kind", "judged"], sort=False)
    ]
    print_notes((*audit.sentences, UNIT_IS_THE_QUERY, *families))


def _select_table(audit: "PairwiseAudit", name: str, column: str = "", *, all_columns: bool = False) -> "pd.DataFrame":
    """Return the named table; shares by the values of a column if one is named. every: with all columns."""
    if name == "shares":
        table = audit.by(column) if column else audit.table
        names = [*TABLE_COLUMNS[:1], column, *TABLE_COLUMNS[1:]] if column else list(TABLE_COLUMNS)
        return table if all_columns else table[names]
    return {"integrity": audit.integrity, "pairs": audit.preferences(), "answers": audit.answers}[name]


KINDS: dict[str, tuple[Any, Any]] = {  # the functions that plan an audit of the kind, and that conclude it
    "pairwise": (_plan_pairs, _conclude_pairs),
    "listwise": (plan_lists, conclude_lists),
    "attribution": (plan_names, conclude_names),
}


def _epilog() -> str:
    tables = (format_epilog((), rows, f"Tables of {with_article(kind)} audit:") for kind, rows in TABLES.items())
    return "\n".join([format_epilog(EPILOG), *tables])


AUDIT = Command(
    "audit", "test which group's documents rankers prefer, in pairs, in lists and by authors' names", _add_arguments,
    _run, _epilog, ANSWERS_KEPT, example="audit newswire --with bm25",
)  # fmt: skip
