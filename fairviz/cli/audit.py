"""audit: rankers' preferences between groups, in pairs, in lists and by authors' names, and the integrity of their
answers."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING, Any

from fairviz import declared
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
from fairviz.evaluation.formats import ProgressLines, say, to_table
from fairviz.words.sentences import with_article

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from fairviz.analyses.audit.attribution import AttributionAudit
    from fairviz.analyses.audit.attribution_plan import AttributionPlan
    from fairviz.analyses.audit.list_plan import ListwisePlan
    from fairviz.analyses.audit.listwise import ListwiseAudit
    from fairviz.analyses.audit.pairs import PairwisePlan
    from fairviz.analyses.audit.pairwise import PairwiseAudit
    from fairviz.study.record import Study

    Parameters = list[tuple[str, object]]

TABLES = {  # of each kind of audit; the first is the default
    "pairwise": {
        "shares": "how often each group's document comes first, the ratio, and by how much (the default)",
        "integrity": "shares of answers that are unparsed, missing, always the same place, the same in both orders",
        "pairs": "a row a ranker and pair, with the winner in both orders",
        "answers": "a row a ranker, pair and order, with the model's text",
    },
    "listwise": {
        "exposure": "precision, group exposure ratio and ranks by the attribute that queries name (the default)",
        "windows": "the same by window and step, of language models under neutral queries",
        "integrity": "what answers came to: exact, repaired, unread, identity, and how far the first order shows "
        "through",
        "queries": "precision, ratio and ranks of each query",
        "ranks": "the rank of each document of each list before and after",
        "answers": "a row a window that was sent to a model, with the model's text",
    },
    "attribution": {
        "names": "preference, gap, size and places between genders, within them, and beyond the latter (the default)",
        "unnamed": "what female, male and any names do to the document as it is",
        "integrity": "shares of unusable answers, as of a pairwise audit",
        "versions": "a row a ranker and comparison of two versions, with the names",
        "answers": "a row a ranker, comparison and order, with the model's text",
    },
}
PAIR_COLUMNS = ("system", "kind", "judged", "group", "other", "preferred", "preferred_low", "preferred_high", "ratio",
         "ratio_low", "ratio_high", "p_shares_corrected", "queries_first", "queries_other", "first", "first_low",
         "first_high", "other_first", "other_first_low", "other_first_high", "tied", "gap", "gap_low", "gap_high",
         "size", "unit", "p_gap_corrected", "queries", "pairs", "family")  # fmt: skip
LIST_COLUMNS = ("system", "attribute", "window", "step", "queries", "preferred", "preferred_low", "preferred_high",
          "p_shares_corrected", "queries_first", "queries_other", "family", "P@10", "P@20",
          "ratio", "ratio_low", "ratio_high", "ratio_of_means", "ratio_of_means_low", "ratio_of_means_high", "rank_gap",
          "rank_gap_low", "rank_gap_high", "ratio_shift", "ratio_shift_low", "ratio_shift_high")  # fmt: skip
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
    names = tuple(dict.fromkeys(name for tables in TABLES.values() for name in tables))
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
    from fairviz.analyses.audit.auditing import estimates, rankers_of

    _refuse_misplaced(arguments)
    choices = rankers_of(arguments.rankers, arguments.kind, anchor=arguments.anchor)
    study = study_of(arguments)
    plan_kind, conclude = KINDS[arguments.kind]
    plan, run = plan_kind(study, arguments)
    print_estimates(estimates(study, choices, plan), estimate_only=arguments.estimate)
    if arguments.estimate:
        return 0
    with closing(ProgressLines()) as progress:
        audit = run(study, choices, plan, progress)
    print_notes(audit.messages)
    name = arguments.table or next(iter(TABLES[arguments.kind]))
    table, parameters = conclude(audit, plan, name, arguments.by, all_columns=arguments.every_column)
    write_result(table, arguments, study, [("rankers", ", ".join(audit.systems)), *parameters])
    return 0


def _refuse_misplaced(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options of another kind of audit, or of another of its tables."""
    kind, tables = arguments.kind, TABLES[arguments.kind]
    default_table = next(iter(tables))
    if arguments.table and arguments.table not in tables:
        raise UsageError(
            f"{'an' if kind == 'attribution' else 'a'} {kind} audit has no table {arguments.table}",
            use_one_of(tables, arguments.table),
        )
    if kind == "attribution" and arguments.by:
        raise UsageError("--by goes with pairwise and listwise audits", "Leave it out.")
    for name in ("names", "template") if kind != "attribution" else ():
        if getattr(arguments, name):
            raise UsageError(f"--{name} goes with an attribution audit", "Add --kind attribution, or leave it out.")
    if arguments.by and arguments.table not in ("", default_table):
        raise UsageError(
            f"--by goes with the table {default_table} of {with_article(kind)} audit", "Leave out one of them."
        )


# Of each kind of audit: first its plan, and the function that runs it; then, with integrity printed before any figure
# of fairness, the requested table and the parameters that it depends on.


def _plan_pairs(study: "Study", arguments: argparse.Namespace) -> "tuple[PairwisePlan, Callable]":
    from fairviz.analyses.audit.pairs import PairwisePlan
    from fairviz.analyses.audit.pairwise import audit_pairwise, check_column

    if arguments.by:
        check_column(study, arguments.by)
    return PairwisePlan(
        arguments.pairs.replace("-", " "), arguments.per_query, arguments.queries, arguments.neutral,
        arguments.annotator, arguments.seed, arguments.most_requests, tuple(arguments.voters),
    ), audit_pairwise  # fmt: skip


def _conclude_pairs(
    audit: "PairwiseAudit", plan: "PairwisePlan", name: str, by: str, *, all_columns: bool
) -> "tuple[pd.DataFrame, Parameters]":
    from fairviz.analyses.audit.pairwise import UNIT_IS_THE_QUERY, family_note

    say(f"Integrity:\n{to_table(audit.integrity.dropna(axis='columns', how='all'))}")
    families = [
        f"{kind}, {judged}: {family_note(part)}"
        for (kind, judged), part in audit.table.groupby(["kind", "judged"], sort=False)
    ]
    print_notes((*audit.sentences, UNIT_IS_THE_QUERY, *families))
    if name == "shares":
        table = audit.by(by) if by else audit.table
        columns = [*PAIR_COLUMNS[:1], *([by] if by else []), *PAIR_COLUMNS[1:]]
        table = table if all_columns else table[columns]
    else:
        table = {"integrity": audit.integrity, "pairs": audit.preferences(), "answers": audit.answers}[name]
    return table, [("pairs", plan.source), ("pairs a query", plan.per_query), ("seed", plan.seed)]


def _plan_lists(study: "Study", arguments: argparse.Namespace) -> "tuple[ListwisePlan, Callable]":
    from fairviz.analyses.audit.list_plan import ListwisePlan
    from fairviz.analyses.audit.listwise import audit_listwise, check_slices

    if arguments.by:
        check_slices(study, arguments.by)
    return ListwisePlan(
        arguments.window, arguments.step, arguments.per_list, arguments.seed, windows=tuple(arguments.windows),
        queries=arguments.queries or None, annotator=arguments.annotator, most_requests=arguments.most_requests,
        voters=tuple(arguments.voters),
    ), audit_listwise  # fmt: skip


def _conclude_lists(
    audit: "ListwiseAudit", plan: "ListwisePlan", name: str, by: str, *, all_columns: bool
) -> "tuple[pd.DataFrame, Parameters]":
    from pandas.api.types import is_numeric_dtype

    integrity = audit.integrity.dropna(axis="columns", how="all")
    has_answers = (audit.integrity["answers"] > 0).any()
    if not has_answers:  # of rankers with scores alone: columns of zeros are of models
        zero = [each for each in integrity if is_numeric_dtype(integrity[each]) and bool((integrity[each] == 0).all())]
        integrity = integrity.drop(columns=zero)
    say(f"Integrity:\n{to_table(integrity)}")
    print_notes((*audit.integrity_sentences, *audit.sentences))
    if has_answers:
        say(
            f"note: {audit.asked:,} questions sent now; in all {audit.tokens_in:,} tokens of prompts, "
            f"{audit.tokens_out:,} of answers, {audit.seconds:.1f} s of answering"
        )
    if by or name in ("exposure", "windows"):
        table = audit.sliced(by) if by else audit.by_attribute() if name == "exposure" else audit.by_window()
        table = table if all_columns else table[[*(["value"] if by else []), *LIST_COLUMNS]]
    elif name == "answers":
        joined = {part: [" ".join(map(str, one or ())) for one in audit.answers[part]] for part in ("shown", "order")}
        table = audit.answers.assign(**joined)
    else:
        table = {"integrity": audit.integrity, "queries": audit.values, "ranks": audit.ranks}[name]
    return table, [("kind", "listwise"), ("window", plan.window), ("step", plan.step),
                   ("documents a list", plan.per_list), ("seed", plan.seed)]  # fmt: skip


def _plan_names(study: "Study", arguments: argparse.Namespace) -> "tuple[AttributionPlan, Callable]":
    from fairviz.analyses.audit.attribution import audit_attribution
    from fairviz.analyses.audit.attribution_plan import TEMPLATE, AttributionPlan
    from fairviz.study.loaders.word_files import read_names
    from fairviz.words.author_names import packaged_names

    names = read_names(arguments.names) if arguments.names else packaged_names()
    return AttributionPlan(
        arguments.candidates, arguments.per_query, arguments.queries, names, arguments.template or TEMPLATE,
        arguments.annotator, arguments.seed, arguments.most_requests, tuple(arguments.voters),
    ), audit_attribution  # fmt: skip


def _conclude_names(
    audit: "AttributionAudit", plan: "AttributionPlan", name: str, _by: str, **_: bool
) -> "tuple[pd.DataFrame, Parameters]":
    from fairviz.analyses.audit.attribution import ERRORS_ARE_CLUSTERED, family_note

    say(f"Integrity:\n{to_table(audit.integrity.dropna(axis='columns', how='all'))}")
    print_notes((*audit.sentences, ERRORS_ARE_CLUSTERED, family_note(audit.table)))
    table = audit.comparisons() if name == "versions" else getattr(audit, "table" if name == "names" else name)
    return table, [
        ("kind", "attribution"), ("candidates", plan.candidates), ("template", plan.template),
        ("names", f"{len(plan.names.female)} female, {len(plan.names.male)} male"),
        ("per query", plan.per_query), ("seed", plan.seed),
    ]  # fmt: skip


KINDS: dict[str, tuple[Any, Any]] = {
    "pairwise": (_plan_pairs, _conclude_pairs),
    "listwise": (_plan_lists, _conclude_lists),
    "attribution": (_plan_names, _conclude_names),
}


def _epilog() -> str:
    tables = (format_epilog((), rows, f"Tables of {with_article(kind)} audit:") for kind, rows in TABLES.items())
    return "\n".join([format_epilog(EPILOG), *tables])


AUDIT = Command(
    "audit", "test which group's documents rankers prefer, in pairs, in lists and by authors' names", _add_arguments,
    _run, _epilog, ANSWERS_KEPT, example="audit newswire --with bm25",
)  # fmt: skip
