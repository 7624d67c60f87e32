"""The sentences and recipes over a weight of senses."""

import pandas as pd
import pytest

from fairviz.extensions.backpack.steering import APART as SAME
from fairviz.extensions.backpack.steering import BETTER, FEW, Column, sentences
from fairviz.extensions.backpack.ui.cards import lists_recipe
from fairviz.words.sentences import plain

NAN = float("nan")


def weighted(own: str, placebo: str, beyond: str) -> str:
    """The Backpack's conclusions for one measure with these three verdicts."""
    numbers = {f"{arm}{name}": NAN if verdict == FEW else 0.1
               for arm, verdict in (("", own), ("placebo_", placebo), ("beyond_", beyond))
               for name in ("difference", "p_corrected")}  # fmt: skip
    row = numbers | {"measure": "m", "verdict": own, "placebo_verdict": placebo, "beyond_verdict": beyond}
    row |= {"placebo_difference": 0.1}
    told = sentences([Column("m", "m", "high")], pd.DataFrame([row]), 0.5)
    return " ".join(map(plain, told))


@pytest.mark.parametrize(
    ("verdicts", "true", "false"),
    [
        ((BETTER, SAME, BETTER), "does the same to none of them.", ("no verdict",)),
        ((BETTER, BETTER, SAME), "nothing significant, so no effect of gender is shown.", ("no verdict",)),
        ((SAME, SAME, SAME), "moves nothing either.", ("no verdict", "better in")),
        ((BETTER, FEW, FEW), "Beyond the placebo, weight 1 → 0.5: no verdict.", ("nothing", "none of them")),
        ((SAME, FEW, FEW), "other senses, has no verdict.", ("moves nothing", "nothing significant")),
        ((FEW, FEW, FEW), "No verdict: that needs 10 queries", ("better in", "significant")),
    ],
)
def test_each_state_has_a_true_sentence(verdicts: tuple[str, str, str], true: str, false: tuple[str, ...]) -> None:
    found = weighted(*verdicts)
    assert true in found, found
    assert not [words for words in false if words in found], found


def test_a_recipe_of_lists_holds_every_digit_of_a_weight(football) -> None:
    assert "backpack(weight=0.1234567)" in lists_recipe(football, "q", "", [0.1234567], 10).python
