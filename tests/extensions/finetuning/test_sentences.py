"""The sentences of a fine-tuning in each state of its numbers, and the name of its adapter."""

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.extensions.finetuning.outcome import GAP, SPREAD
from fairviz.extensions.finetuning.outcome import sentences as finetuned
from fairviz.extensions.finetuning.pairs import HELD_OUT, FinetuningPlan
from fairviz.models.sentence_encoder import is_adapter_name

NAN = float("nan")
UNTRUE = ("not significantly", "is significant", "not significant", "tooltip", "117 queries are too few")


def trained(p: float = 0.01, queries: int = 40, difference: float = -0.1, high: float = 0.7) -> str:
    gap = {"split": HELD_OUT, "queries": queries, "before": 0.2, "after": 0.1, "difference": difference,
           "difference_low": -0.2, "difference_high": 0.0, "p_corrected": p, "tests": "1 difference, maxT"}  # fmt: skip
    first = gap | {"measure": "female first", "after": 0.6, "after_low": high - 0.1, "after_high": high}
    return " ".join(finetuned(pd.DataFrame([gap | {"measure": GAP}, gap | {"measure": SPREAD}, first])))


STATES: list[tuple[dict, str, tuple[str, ...]]] = [
    ({}, "significant (1 difference, maxT).", ("not significant ",)),
    ({"p": 0.4}, "not significant (1 difference, maxT).", ()),
    ({"p": NAN, "high": NAN}, "not tested: 40 queries give no verdict", UNTRUE),
    ({"p": NAN, "queries": 9, "high": NAN}, "not tested: 9 queries are too few", UNTRUE),
    ({"difference": NAN, "high": NAN}, "Female first", ("does not shrink", "not significantly")),
    ({"high": 0.55}, "not significantly different from one half", ()),
]


@pytest.mark.parametrize(("state", "said", "unsaid"), STATES)
def test_a_sentence_fits_its_state(state: dict, said: str, unsaid: tuple[str, ...]) -> None:
    sentence = trained(**state)
    assert said in sentence
    assert not [text for text in unsaid if text in sentence]


@given(st.floats(0, 1000))
@example(1.2345678901234567e-05)
def test_an_adapter_is_named_by_the_very_strength(strength: float) -> None:
    name = (
        FinetuningPlan(strength=strength, rank=64, steps=10_000, seed=2**31 - 1)
        .named("a study of a long name " * 5)
        .name
    )
    assert is_adapter_name(name)
    assert float(name.partition("-strength")[2].partition("-steps")[0]) == strength
