"""What the annotators are that no person and no model gave: two rules, and the word list as it is set now."""

from collections.abc import Sequence

from fairviz.annotation.rules import ANNOTATORS
from fairviz.inspection.raters import WORD_LIST

MEANINGS = {
    **{name: f"a rule, stored: {rule.summary}" for name, rule in ANNOTATORS.items()},
    WORD_LIST: (
        "live, as “Which words count?” is set: neutral up to τ gender words and where no group has most, "
        "else the group whose words prevail"
    ),
}


def explained(names: Sequence[str]) -> list[str]:
    """What those of these annotators are that come of words, a sentence each."""
    return [f"{name}: {MEANINGS[name]}." for name in names if name in MEANINGS]
