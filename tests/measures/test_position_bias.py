"""Position bias: each function against its definition, and what cannot be one."""

import math

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.measures.position_bias import parse_position_bias, position_bias


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("log2", lambda i, k: 1 / math.log2(1 + i)),
        ("reciprocal", lambda i, k: 1 / i),
        ("rbp(p=0.8)", lambda i, k: 0.8 ** (i - 1)),
        ("linear", lambda i, k: 1 - (i - 1) / k),
        ("uniform", lambda i, k: 1.0),
    ],
)
def test_weights_are_those_of_the_definition(text: str, definition) -> None:
    bias = position_bias(text, 20)
    for k in (1, 2, 7, 20):
        np.testing.assert_allclose(bias.weights(k), [definition(i, k) for i in range(1, k + 1)], rtol=1e-13)
    assert bias.falling


def test_custom_weights_end_with_their_table_and_may_rise() -> None:
    bias = position_bias("custom", 5, np.array([0.2, 0.9]))
    assert bias.weights(5).tolist() == [0.2, 0.9, 0, 0, 0]
    assert not bias.falling
    assert position_bias("custom", 1, np.array([0.5, 0.1])).weights(1).tolist() == [0.5]


def test_what_is_no_position_bias() -> None:
    for text, message in {
        "log10": "unknown position bias 'log10'",
        "": "unknown position bias ''",
        "log2(p=1)": "the position bias log2 takes no parameter, got 'log2(p=1)'",
        "rbp(p=1.5)": "the position bias 'rbp(p=1.5)' takes p from 0.01 to 0.99",
        "rbp(p=1e5.5)": "'1e5.5' is not a number in the position bias 'rbp(p=1e5.5)'",
    }.items():
        with pytest.raises(UsageError) as error:
            parse_position_bias(text)
        assert error.value.message == message
    for weights in (None, [], [0, 0], [1, -1], [1, math.nan], [math.inf]):
        with pytest.raises(UsageError):
            position_bias("custom", 3, None if weights is None else np.array(weights, dtype=float))
