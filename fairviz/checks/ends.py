"""FV108: whether a measure is at an end of its range in most lists."""

import numpy as np

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.evaluation.scores import bias_of
from fairviz.measures.record import Reach
from fairviz.words.sentences import number, percent

MOST = 0.5  # share of the lists
NEAR = 1e-9


def _run(context: Context) -> Finding | None:
    cutoff = context.settings.cutoff
    attention = float(bias_of(context.rankings, context.settings, cutoff).weights(cutoff).sum())
    scores = context.scores[context.scores["system"].isin(context.systems)]
    shares: dict[str, float] = {}
    ends: dict[str, float] = {}
    for question in context.questions:
        values = scores.loc[scores["measure"] == question.text, "value"].dropna().to_numpy()
        if not len(values):
            continue
        range_ends: tuple[float, ...] = (0.0,)  # of a measure of relevance: nothing relevant was found
        if question.measure is not None:
            range_ends = question.measure.range(Reach(question.parameters, context.rankings.targets, attention))
        for end in range_ends:
            share = float(np.mean(np.abs(values - end) <= NEAR)) if np.isfinite(end) else 0.0
            if share > max(MOST, shares.get(question.name, 0.0)):
                shares[question.name], ends[question.name] = share, end
    if not shares:
        return None
    name = max(shares, key=lambda each: shares[each])
    return Finding(
        f"{name} is at the end of its range, {number(ends[name])}, in {percent(shares[name])} of the lists: it "
        "does not tell these apart, and its mean is of the others, if there are any.",
        shares,
        "Look at the lists on Query, and use a measure or a cutoff under which they differ.",
        Link("measures"),
        tuple(shares),
    )


ENDS = Check(
    "FV108",
    "a measure is at the end of its range in most lists",
    "Does each measure tell lists apart?",
    ("runs", "measures"),
    "tip",
    _run,
    means="In more than half of the lists of the tested systems the value is the smallest or the largest that the "
    "measure can have. Such a mean counts how many lists are not there, and a paired test rests on few queries.",
    harmless="The measure is meant to be there: every list is fair by it, and that is the conclusion.",
    advice="See the values per query, take a larger cutoff, or report the share of lists at the end beside the mean.",
)
