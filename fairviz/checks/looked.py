"""FV116: how often several measures and settings would show a difference that is not there."""

import numpy as np

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.comparison.pairs import false_stars
from fairviz.comparison.points import points_of
from fairviz.errors import FairvizError
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.settings import SHOWN_ONLY
from fairviz.measures import parse
from fairviz.words.sentences import counted, percent

MOST = 40  # settings whose tests are repeated, the last ones
DRAWS = 2_000  # of random signs


def _run(context: Context) -> Finding | None:
    now = context.settings.reset(*SHOWN_ONLY)
    looked = [one for one in context.looked if one != now]
    if not looked and len({context.how.family_of(question.text) for question in context.questions}) == 1:
        return None

    # The values of each setting, and how they are compared there; settings that cannot be are left out.
    values = [(context.scores, context.how)]
    for settings in reversed(looked[-(MOST - 1) :]):
        other = Context(context.study, settings)
        try:
            values.append((other.scores, other.how))
        except FairvizError:
            continue
    tables = [
        ([("", parse(text), points_of(points)) for text, points in split_parts(scores)], how) for scores, how in values
    ]
    found = [of_families for of_families in false_stars(tables, DRAWS) if len(of_families)]
    if not found:
        return None
    chance = float(np.concatenate(found).any(axis=0).mean())
    if chance <= context.how.alpha:
        return None
    measures = len({question.name for parts, _ in tables for _, question, _ in parts})
    before = f" (the last {len(found)} count)" if len(looked) >= MOST else ""
    return Finding(
        f"You looked at {counted(1 + len(looked), 'setting')} of {counted(measures, 'measure')}{before}, with no "
        "correction across them. If no two systems differed, some pair would still be called significantly different "
        f"in {percent(chance)} of cases, not in {percent(context.how.alpha)}.",
        {
            "settings": 1 + len(looked),
            "measures": measures,
            "chance of a false star": chance,
            "draws of signs": found[0].shape[1],
        },
        "Declare one measure and one setting beforehand, and report the others as exploration; "
        "maxT(family='measures') under Tests corrects over the measures of one setting.",
        Link("compare", {"tests": "maxT(family='measures')"}),
    )


LOOKED = Check(
    "FV116",
    "several measures or settings without a correction",
    "Are the tests corrected for all measures and settings that were looked at?",
    ("runs", "two systems", "measures"),
    "tip",
    _run,
    means="Tests are corrected for the pairs within one measure at one setting. Each further measure, and each further "
    "setting that was on screen in this session (the last 40 count), is another occasion for a false star. How often "
    "there would be one somewhere among them, if no pair of systems differed, is computed for this study. Random signs "
    "are given to the differences of each query, the same in all measures and settings, so that what these have in "
    "common is kept; statistic, correction and critical values are those of the page.",
    harmless="The measure and the setting of the conclusion were named before the runs were seen, and the others are "
    "reported as exploration.",
    advice="Declare the measure and the setting of the claim beforehand, test the measures as one family "
    "(maxT(family='measures') in Tests), and report how many settings were looked at.",
    slow=True,
)
