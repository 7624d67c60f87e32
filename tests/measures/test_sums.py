"""What is remembered of the sums: whatever was asked before, the answer is that of a fresh start."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.measures import MEASURES
from fairviz.measures.position_bias import position_bias
from fairviz.measures.sums import AlignedRankings, toy

TEXTS = ("his brother and his father", "she", "he and her sister", "a tree", "he he he and her")
LABELS = ("male", "female", "-", "neutral", "male")
AT = np.array([2, 4])


def both() -> AlignedRankings:
    return toy(LABELS, TEXTS)


def value(rankings: AlignedRankings, name: str, given: dict, weights: tuple[float, ...]) -> list[float]:
    bias = position_bias("custom", 5, np.array(weights)) if weights else position_bias("log2", 5)
    found = MEASURES[name].compute(rankings, given, bias, AT)
    return found.ravel().tolist()


CWEX, TED = ("CWEx", {"alpha": 0.5}), ("TED", {"rbdf": False})
LIGHT, HEAVY = (0.9, 0.5, 0.1), (0.2, 0.9, 0.9, 0.3)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((*CWEX, LIGHT), (*CWEX, HEAVY)),  # the weights of a person's own position bias
        ((*TED, LIGHT), (*TED, HEAVY)),
        (("FaiRR", {"tau": 0}, HEAVY), ("FaiRR", {"tau": 0}, ())),
        (("FaiRR", {"tau": 0}, ()), ("FaiRR", {"tau": 3}, ())),
        (("NFaiRR", {"tau": 0, "background": None}, LIGHT), ("NFaiRR", {"tau": 0, "background": None}, HEAVY)),
        (("RaB", {"magnitude": "tf"}, ()), ("RaB", {"magnitude": "tc"}, ())),
        (("RaB", {"magnitude": "tc"}, ()), ("RaB", {"magnitude": "bool"}, ())),
        (("ARaB", {"magnitude": "tf"}, ()), ("ARaB", {"magnitude": "tc"}, ())),
        (("ARaB", {"magnitude": "tc"}, ()), ("ARaB", {"magnitude": "bool"}, ())),
    ],
)
def test_no_answer_is_that_of_another_question(before: tuple, after: tuple) -> None:
    places = both()
    first = value(places, *before)
    assert value(places, *after) == value(both(), *after) != first
    assert value(places, *before) == first


def two_systems() -> AlignedRankings:
    """System `system` ranks the five texts; `other` retrieves the tree alone, so that its background is neutral."""
    rankings = both()
    documents = np.full((5, 2, 1), -1, dtype=np.int32)
    documents[:, 0, 0], documents[0, 1, 0] = range(5), 3
    lists = replace(
        rankings.lists,
        systems=("system", "other"),
        documents=documents,
        lengths=np.array([[5], [1]], dtype=np.int32),
    )
    return replace(rankings, lists=lists)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"tau": 0, "background": "candidates"}, {"tau": 3, "background": "candidates"}),
        ({"tau": 0, "background": "candidates"}, {"tau": 0, "background": "run:other"}),
        ({"tau": 0, "background": "run:system"}, {"tau": 0, "background": "run:other"}),
    ],
)
def test_the_ideal_is_that_of_its_tau_and_background(before: dict, after: dict) -> None:
    """The list's own FaiRR is divided by another ideal: one neutral text in the background, or two, or five."""
    places = two_systems()
    first = value(places, "NFaiRR", before, ())
    assert value(places, "NFaiRR", after, ()) == value(two_systems(), "NFaiRR", after, ()) != first
    assert value(places, "NFaiRR", before, ()) == first


def test_the_ideal_by_hand_and_a_copy_that_remembers_nothing() -> None:
    """Equal attention at cutoff 4. omega with tau 0 is 0, 0, 2/3, 1 and 1/2; the other run retrieves the fourth."""
    places, bias, at = two_systems(), position_bias("uniform", 5), np.array([4])
    of = MEASURES["NFaiRR"].compute
    everything = of(places, {"tau": 0, "background": "candidates"}, bias, at)[0, 0, 0]
    assert everything == pytest.approx((2 / 3 + 1) / (1 + 2 / 3 + 1 / 2))
    assert of(places, {"tau": 0, "background": "run:other"}, bias, at)[0, 0, 0] == pytest.approx((2 / 3 + 1) / 1)
    with_one = of(places, {"tau": 1, "background": "candidates"}, bias, at)[0, 0, 0]
    assert with_one == pytest.approx((1 + 2 / 3 + 1) / (1 + 1 + 2 / 3 + 1 / 2))  # `she` alone is neutral now
    places = both()
    lenient = value(places, *CWEX, ())
    strict = replace(places, unlabelled="strict")
    assert np.isnan(value(strict, *CWEX, ())[1])
    assert value(places, *CWEX, ()) == lenient


def test_sums_made_together_are_those_made_alone_however_deep_the_lists() -> None:
    generator = np.random.default_rng(3)
    rankings, depth = toy(labels=["female"]), 700
    values = generator.random((depth, 4))
    biases = [position_bias(f"rbp(p={p})", depth) for p in (0.01, 0.5, 0.95, 0.99)] + [position_bias("log2", depth)]
    for number, bias in enumerate(biases):
        bias = replace(bias, together=tuple(biases))
        found = rankings.sums_of("values", lambda: values, bias, np.array([depth]))
        np.testing.assert_allclose(found[0], bias.weights(depth) @ values, rtol=1e-13)
        assert number == 0 or rankings.sums_of("values", lambda: 1 / 0, bias, np.array([depth])).shape == (1, 4)
