"""The listwise part of the verb audit."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.record import write
from fairviz.evaluation.formats import ProgressLines, say, to_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from fairviz.audits.listwise import ListwiseAudit, ListwisePlan
    from fairviz.audits.pairs import PairwisePlan
    from fairviz.rankers.grammar import Choice
    from fairviz.study.study import Study

LIST_TABLES = {
    "exposure": "precision, group exposure ratio and ranks by the attribute that queries name (the default)",
    "windows": "the same by window and step, of language models under neutral queries",
    "integrity": "what answers came to: exact, repaired, unread, identity, and how far the first order shows through",
    "queries": "precision, ratio and ranks of each query",
    "ranks": "where each document of each list stood before and after",
    "answers": "a row a window that a model was asked about, with its text",
}
_SHOWN = ("system", "attribute", "window", "step", "queries", "preferred", "preferred_low", "preferred_high",
          "p_shares_corrected", "queries_first", "queries_other", "family", "P@10", "P@20",
          "ratio", "ratio_low", "ratio_high", "ratio_of_means", "ratio_of_means_low", "ratio_of_means_high", "rank_gap",
          "rank_gap_low", "rank_gap_high", "ratio_shift", "ratio_shift_low", "ratio_shift_high")  # fmt: skip


def windows(text: str) -> tuple[int, int]:
    """An argument that is a window and its step: 10/5."""
    window, slash, step = text.partition("/")
    sound = slash and window.isascii() and window.isdigit() and step.isascii() and step.isdigit()
    if not sound or len(text) > 12:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no window and step, as 10/5")
    return int(window), int(step)


def say_estimates(
    study: "Study", choices: "Sequence[Choice]", plan: "PairwisePlan | ListwisePlan", *, alone: bool
) -> None:
    """What language models would be asked. alone: whether nothing else is done."""
    from fairviz.audits.auditing import estimates

    found = estimates(study, choices, plan)
    for name, one in found.items():
        say(
            f"{name}: {one.open:,} of {one.questions:,} questions to ask, about {one.tokens_in:,} tokens of prompts "
            f"and at most {one.tokens_out:,} of answers"
        )
    if alone and not found:
        say("no language model is asked: nothing to pay")


def run_lists(study: "Study", choices: "Sequence[Choice]", arguments: argparse.Namespace) -> int:
    """Audits by lists, says integrity first, and writes the table that was asked for. Raises FairvizError."""
    from fairviz.audits.list_tables import check_slices
    from fairviz.audits.listwise import ListwisePlan, audit_listwise
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.settings import Settings

    plan = ListwisePlan(
        arguments.window, arguments.step, arguments.per_list, arguments.seed, windows=tuple(arguments.windows),
        queries=arguments.queries or None, annotator=arguments.annotator, most_requests=arguments.most_requests,
    )  # fmt: skip
    if arguments.by:
        check_slices(study, arguments.by)
    say_estimates(study, choices, plan, alone=arguments.estimate)
    if arguments.estimate:
        return 0
    progress = ProgressLines()
    try:
        found = audit_listwise(study, choices, plan, progress)
    finally:
        progress.close()
    _say_first(found)
    more = [("rankers", ", ".join(found.systems)), ("kind", "listwise"), ("window", plan.window), ("step", plan.step),
            ("documents a list", plan.per_list), ("seed", plan.seed)]  # fmt: skip
    table = _table(found, arguments.table or "exposure", arguments.by, every=arguments.every_column)
    write(table, arguments, lambda: origin(study, Settings(), (), more))
    return 0


def _say_first(found: "ListwiseAudit") -> None:
    """Integrity, before any figure of fairness, then what to notice."""
    for message in found.messages:
        say(f"note: {message}")
    asked = (found.integrity["answers"] > 0).any()
    counted = found.integrity.dropna(axis="columns", how="all")
    shown = counted if asked else counted.loc[:, [name for name in counted if not _is_nought(counted[name])]]
    say(f"Integrity:\n{to_table(shown)}")
    for sentence in (*found.integrity_sentences, *found.sentences):
        say(f"note: {sentence}")
    if asked:
        say(
            f"note: {found.asked:,} questions asked now; in all {found.tokens_in:,} tokens of prompts, "
            f"{found.tokens_out:,} of answers, {found.seconds:.1f} s of answering"
        )


def _is_nought(column: "pd.Series") -> bool:
    from pandas.api.types import is_numeric_dtype

    return is_numeric_dtype(column) and bool((column == 0).all())


def _table(found: "ListwiseAudit", name: str, by: str, *, every: bool) -> "pd.DataFrame":
    if by:
        table = found.sliced(by)
        return table if every else table[["value", *_SHOWN]]
    if name in ("exposure", "windows"):
        table = found.by_attribute() if name == "exposure" else found.by_window()
        return table if every else table[list(_SHOWN)]
    if name == "answers":
        return found.answers.assign(
            **{part: [" ".join(map(str, one or ())) for one in found.answers[part]] for part in ("shown", "order")}
        )
    return {"integrity": found.integrity, "queries": found.values, "ranks": found.ranks}[name]
