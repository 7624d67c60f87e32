"""The family of a comparison's tests and the coverage of its intervals, as captions show them."""

from collections.abc import Sequence

import numpy as np

from fairviz.comparison.compare import Comparison
from fairviz.comparison.how import How
from fairviz.comparison.pairs import why_untested
from fairviz.statistics.references import within
from fairviz.words.sentences import agreeing, counted, first_listed, p_cell

DIFFERING = 3  # verdicts that a sentence names


def family_text(comparison: Comparison) -> str:
    """Return the family and the method as captions show them: `all 21 pairs, maxT`."""
    sizes = dict(comparison.sizes_by_family)
    if not sizes:
        return f"no pair was tested, as {why_untested(comparison.pairs, comparison.how)}"
    parts = []
    if across := sizes.pop("", 0):
        parts.append(_pairs_text([across], comparison.how) + _across(comparison))
    if sizes:
        parts.append(_pairs_text(list(sizes.values()), comparison.how) + (" in each other measure" if across else ""))
    return f"{' and '.join(parts)}, {comparison.how.method_text([pairs.question for pairs in comparison.pairs])}"


def _pairs_text(sizes: Sequence[int], how: How) -> str:
    """Return the numbers of pairs in these families: `all 21 pairs`."""
    count = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    noun = agreeing(max(sizes), "pair")
    named = how.tests.baseline
    return f"{count} {noun} with {named}" if named else f"{'all ' * (max(sizes) > 1)}{count} {noun}"


def _across(comparison: Comparison) -> str:
    """Return of which measures the family across measures is; empty where it is one measure by itself."""
    texts = {pairs.text for pairs in (*comparison.pairs, *comparison.beside)}
    measures = {text for text in texts if not comparison.how.family_of(text)}
    if len(measures) < 2:
        return ""
    of_overview = comparison.how.chosen
    return f" in the {len(measures)} measures of the Overview" if of_overview else f" in {len(measures)} measures"


def interval_note(comparison: Comparison) -> str:
    """Return the coverage of the intervals of differences: `95 % simultaneous` or `95 % of one difference,
    uncorrected`."""
    level = f"{100 * comparison.how.level:g} %"
    together = comparison.how.tests.simultaneous and comparison.family
    return f"{level} simultaneous" if together else f"{level} of one difference, uncorrected"


def joining_text(before: Comparison, after: Comparison) -> str:
    """Return what systems that join the tests change: `7 → 8 systems, 28 pairs; corrections changed: 1 verdict differs:
    CWEx of w2v_add and bm25 (p .041 → .052).`

    before and after: of the same measures, and of the same systems shown.
    """
    counts = [sum(map(each.how.is_tested, each.pairs[0].points.systems)) for each in (before, after)]
    if not after.family:
        return f"{counts[0]:,} → {counts[1]:,} systems; no pair is tested: {why_untested(after.pairs, after.how)}."
    sizes = f"{counts[0]:,} → {counts[1]:,} systems, {counted(max(each.family for each in after.pairs), 'pair')}"
    differing = []
    for then, now in zip(before.pairs, after.pairs, strict=True):
        p_then, p_now = then.columns["p_corrected"], now.columns["p_corrected"]
        changed = within(p_then, before.how.alpha) != within(p_now, after.how.alpha)
        changed = ~np.isnan(p_then) & (changed | np.isnan(p_now))
        for first, second in np.argwhere(np.triu(changed)):
            names, p = [then.points.systems[place] for place in (first, second)], (p_then, p_now)
            p_text = " → ".join(p_cell(float(one[first, second]), "no verdict") for one in p)
            differing.append(f"{now.question.name} of {names[0]} and {names[1]} (p {p_text})")
    if not differing:
        return f"{sizes}; no verdict on the others differs."
    differ = f"{counted(len(differing), 'verdict')} {agreeing(len(differing), 'differs', 'differ')}"
    return f"{sizes}; corrections changed: {differ}: {first_listed(differing, DIFFERING)}."
