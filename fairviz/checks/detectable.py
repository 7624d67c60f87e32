"""FV112: whether the study could show a difference as large as the one that is there."""

import numpy as np

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.comparison.compare import compared_as
from fairviz.words.sentences import decimal

POWER = 0.8


def _run(context: Context) -> Finding | None:
    numbers: dict[str, float] = {}
    names: list[str] = []
    sentence = ""
    for pairs in compared_as(context.scores, context.how, power=POWER).pairs:
        p, size = pairs.columns["p_corrected"], np.abs(pairs.columns["difference"])
        smallest = pairs.columns["minimum_detectable"]
        is_tested = np.isfinite(p) & np.isfinite(smallest)
        if not is_tested.any() or (p[is_tested] <= context.how.alpha).any():
            continue
        largest = np.unravel_index(np.argmax(np.where(is_tested, size, -np.inf)), size.shape)
        if size[largest] >= smallest[largest]:
            continue
        first, second = (pairs.points.systems[place] for place in largest)
        name = pairs.question.name
        names.append(name)
        numbers[f"{name}, observed"], numbers[f"{name}, detectable"] = float(size[largest]), float(smallest[largest])
        sentence = sentence or (
            f"No pair differs significantly in {name}. The largest difference, {decimal(size[largest])} between "
            f"{first} and {second}, is below the {decimal(smallest[largest])} that this study would show in 8 of 10 "
            "cases: that nothing was found says little."
        )
    if not sentence:
        return None
    return Finding(
        sentence,
        numbers,
        "Add queries, or state an equivalence margin and test against it (--margin).",
        Link("compare"),
        tuple(names),
    )


DETECTABLE = Check(
    "FV112",
    "differences smaller than this study can show",
    "Could the study show a difference of the observed size?",
    ("runs", "two systems", "measures"),
    "tip",
    _run,
    means="In a measure no pair of systems is significantly different, and even the largest observed difference is "
    "smaller than the minimum detectable difference: the one that the tests of this family find with power .8.",
    harmless="No claim is made that systems are alike, or an equivalence test with a margin supports it.",
    advice="Do not report that systems do not differ. Report the interval, the minimum detectable difference, or an "
    "equivalence test with a margin that matters.",
    slow=True,
)
