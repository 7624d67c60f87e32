"""Lists that end above the cutoff, as a check of claims."""

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link


def _short(context: Context) -> Finding | None:
    """Return a finding where the longest list of the study is shorter than the cutoff."""
    longest, cutoff = context.rankings.lists.depth, context.settings.cutoff
    if longest >= cutoff:
        return None
    sentence = f"The longest list has {longest} documents, and the cutoff is {cutoff}."
    return Finding(
        sentence, {"longest list": longest}, "Choose a smaller cutoff.", Link("overview", {"cutoff": longest})
    )


SHORT_LISTS = Check(
    code="TEMPLATE001",
    title="lists end above the cutoff",
    question="Do lists reach the cutoff?",
    needs=("runs",),
    severity="tip",
    run=_short,
    means="No list has as many ranks as the measures look at.",
    harmless="Measures divide by the ranks that a list has.",
    advice="Choose a smaller cutoff.",
)
