"""The family of a comparison's tests and the coverage of its intervals, as captions show them."""

from collections.abc import Sequence

from fairviz.comparison.compare import Comparison
from fairviz.comparison.how import How
from fairviz.comparison.pairs import why_untested
from fairviz.words.sentences import agreeing


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
