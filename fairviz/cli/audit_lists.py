"""Listwise audits of the verb audit."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.record import print_notes
from fairviz.evaluation.formats import say, to_table

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from fairviz.analyses.audit.list_plan import ListwisePlan
    from fairviz.analyses.audit.listwise import ListwiseAudit
    from fairviz.study.record import Study

LIST_TABLES = {
    "exposure": "precision, group exposure ratio and ranks by the attribute that queries name (the default)",
    "windows": "the same by window and step, of language models under neutral queries",
    "integrity": "what answers came to: exact, repaired, unread, identity, and how far the first order shows through",
    "queries": "precision, ratio and ranks of each query",
    "ranks": "the rank of each document of each list before and after",
    "answers": "a row a window that was sent to a model, with the model's text",
}
_TABLE_COLUMNS = ("system", "attribute", "window", "step", "queries", "preferred", "preferred_low", "preferred_high",
          "p_shares_corrected", "queries_first", "queries_other", "family", "P@10", "P@20",
          "ratio", "ratio_low", "ratio_high", "ratio_of_means", "ratio_of_means_low", "ratio_of_means_high", "rank_gap",
          "rank_gap_low", "rank_gap_high", "ratio_shift", "ratio_shift_low", "ratio_shift_high")  # fmt: skip


def parse_window(text: str) -> tuple[int, int]:
    """Return the window and the step of an argument such as 10/5."""
    window, slash, step = text.partition("/")
    is_valid = slash and window.isascii() and window.isdigit() and step.isascii() and step.isdigit()
    if not is_valid or len(text) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a window and step, such as 10/5")
    return int(window), int(step)


def plan_lists(study: "Study", arguments: argparse.Namespace) -> "tuple[ListwisePlan, Callable]":
    """Return the plan of a listwise audit and the function that runs it. Raises FairvizError for an unknown column."""
    from fairviz.analyses.audit.list_plan import ListwisePlan
    from fairviz.analyses.audit.listwise import audit_listwise, check_slices

    if arguments.by:
        check_slices(study, arguments.by)
    return ListwisePlan(
        arguments.window, arguments.step, arguments.per_list, arguments.seed, windows=tuple(arguments.windows),
        queries=arguments.queries or None, annotator=arguments.annotator, most_requests=arguments.most_requests,
        voters=tuple(arguments.voters),
    ), audit_listwise  # fmt: skip


def conclude_lists(
    audit: "ListwiseAudit", plan: "ListwisePlan", arguments: argparse.Namespace
) -> "tuple[pd.DataFrame, list[tuple[str, object]]]":
    """Print the findings; return the requested table and the parameters that it depends on."""
    _print_findings(audit)
    table = _select_table(audit, arguments.table or "exposure", arguments.by, all_columns=arguments.every_column)
    return table, [("kind", "listwise"), ("window", plan.window), ("step", plan.step),
                   ("documents a list", plan.per_list), ("seed", plan.seed)]  # fmt: skip


def _print_findings(audit: "ListwiseAudit") -> None:
    """Print integrity before any figure of fairness, then the findings."""
    print_notes(audit.messages)
    has_answers = (audit.integrity["answers"] > 0).any()
    integrity = audit.integrity.dropna(axis="columns", how="all")
    columns = (
        integrity if has_answers else integrity.loc[:, [name for name in integrity if not _is_zero(integrity[name])]]
    )
    say(f"Integrity:\n{to_table(columns)}")
    print_notes((*audit.integrity_sentences, *audit.sentences))
    if has_answers:
        say(
            f"note: {audit.asked:,} questions sent now; in all {audit.tokens_in:,} tokens of prompts, "
            f"{audit.tokens_out:,} of answers, {audit.seconds:.1f} s of answering"
        )


def _is_zero(column: "pd.Series") -> bool:
    from pandas.api.types import is_numeric_dtype

    return is_numeric_dtype(column) and bool((column == 0).all())


def _select_table(audit: "ListwiseAudit", name: str, column: str, *, all_columns: bool) -> "pd.DataFrame":
    if column:
        table = audit.sliced(column)
        return table if all_columns else table[["value", *_TABLE_COLUMNS]]
    if name in ("exposure", "windows"):
        table = audit.by_attribute() if name == "exposure" else audit.by_window()
        return table if all_columns else table[list(_TABLE_COLUMNS)]
    if name == "answers":
        return audit.answers.assign(
            **{part: [" ".join(map(str, one or ())) for one in audit.answers[part]] for part in ("shown", "order")}
        )
    return {"integrity": audit.integrity, "queries": audit.values, "ranks": audit.ranks}[name]
