"""Descriptions of the annotators that are neither people nor models: two rules, and the current word list."""

from collections.abc import Sequence

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST
from fairviz.annotation.rules import ANNOTATORS

MEANINGS = {
    **{name: f"a rule, stored: {rule.summary}" for name, rule in ANNOTATORS.items()},
    WORD_LIST: (
        "live, as “Which words count?” is set: neutral up to τ gender words and where no group has most, "
        "else the group whose words prevail"
    ),
}


def describe(names: Sequence[str]) -> list[str]:
    """Return a sentence for each of the annotators that is a rule or the word list."""
    return [f"{name}: {MEANINGS[name]}." for name in names if name in MEANINGS]
