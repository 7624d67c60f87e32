"""FV109: whether ids that nearly match were meant to match."""

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link


def _run(context: Context) -> Finding | None:
    if not context.near_misses:
        return None
    worst = max(context.near_misses, key=lambda miss: miss.count)
    numbers = {" ".join(filter(None, (miss.part, miss.column))): miss.count for miss in context.near_misses}
    return Finding(
        f"{worst.sentence.rstrip('.')}. What does not join counts as missing: its labels, texts or judgements are not "
        "in any value.",
        numbers,
        worst.remedy,
        Link("data"),
    )


NEAR_IDS = Check(
    "FV109",
    "ids that nearly join",
    "Do ids that look alike join?",
    ("runs",),
    "issue",
    _run,
    means="Ids of one file are not found in another and would be if blanks, case, an ending .0 or the Unicode form "
    "were the same. What does not join counts as missing, without a further word in any value.",
    harmless="The ids really are of different documents, and their likeness is chance.",
    advice="Write the ids as in the other file. fairviz check lists every part with its numbers.",
)
