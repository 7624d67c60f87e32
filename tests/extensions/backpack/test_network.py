"""Equations 1, 4 and 5 of the Backpack paper against loops read off it, on a tiny model; policies of weights."""

import math
from typing import Any

import numpy as np
import torch

from fairviz.extensions.backpack.encoding import text_vectors
from fairviz.extensions.backpack.network import senses_of, text_senses
from fairviz.extensions.backpack.words import policy, sensitivities
from tests.extensions.backpack.tiny import weights

SENSES, SIZE, WORDS = 3, 4, 6
MODEL = weights(SENSES, SIZE)
GENERATOR = torch.Generator().manual_seed(1)
VECTORS = torch.randn(WORDS, SIZE, generator=GENERATOR, dtype=torch.float64)
TOKENS = torch.tensor([[0, 3, 3, 5], [2, 1, 0, 0], [0, 0, 0, 0]])  # two texts of 4 and 2 tokens, and one of none
MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]]).bool()
STATES = torch.randn(3, 4, SIZE, generator=GENERATOR, dtype=torch.float64)


def sense(word: int, number: int) -> np.ndarray:
    """C(x)_ℓ, one number after the other."""
    x = VECTORS[word].numpy()
    normal = (x - x.mean()) / math.sqrt(x.var() + 1e-5)  # the layer norm's weight is 1 and its bias 0 at first
    hidden = MODEL["hidden.weight"].numpy() @ normal + MODEL["hidden.bias"].numpy()
    hidden = np.array([h * (1 + math.erf(h / math.sqrt(2))) / 2 for h in hidden])
    rows = slice(number * SIZE, (number + 1) * SIZE)
    return MODEL["senses.weight"].numpy()[rows] @ hidden + MODEL["senses.bias"].numpy()[rows]


def alpha(states: np.ndarray, number: int, i: int, j: int) -> float:
    """α_ℓij: the softmax over j of the scaled products of query i and key j."""
    both = states @ MODEL["attention.weight"].numpy().T + MODEL["attention.bias"].numpy()
    width = 3
    query = both[i, number * width : (number + 1) * width]
    keys = both[:, (SENSES + number) * width : (SENSES + number + 1) * width]
    raised = [math.exp(query @ key / math.sqrt(width)) for key in keys]
    return raised[j] / sum(raised)


def slow_outputs(text: int, weighted: Any) -> np.ndarray:
    """o_i (T, d) of a text, as equation 5 is printed."""
    length = int(MASK[text].sum())
    states = STATES[text, :length].numpy()
    found = np.zeros((length, SIZE))
    for i in range(length):
        for j in range(length):
            for number in range(SENSES):
                found[i] += weighted[number] * alpha(states, number, i, j) * sense(int(TOKENS[text, j]), number)
    return found


def test_a_text_is_the_mean_of_its_tokens_outputs_whatever_stands_beside_it():
    senses = text_senses(MODEL, TOKENS, VECTORS, STATES, MASK).numpy()
    assert senses.shape == (3, SENSES, SIZE)
    assert (senses[2] == 0).all()  # no token, nothing
    for weighted in ([1.0, 1.0, 1.0], [2.0, 0.0, 0.5], [0.3, 1.0, 0.0]):
        found = text_vectors(senses, np.array(weighted))
        for text in (0, 1):
            np.testing.assert_allclose(found[text], slow_outputs(text, weighted).mean(axis=0), atol=1e-6)


def test_weight_1_is_the_unweighted_model_to_the_last_bit():
    senses = np.random.default_rng(0).normal(size=(50, 8, 384)).astype(np.float32)
    assert (text_vectors(senses, np.ones(8)) == senses.sum(axis=1)).all()
    assert text_vectors(senses, np.ones(8)).dtype == np.float32


class Words:
    """A model of words by number."""

    senses = SENSES

    def has(self, word: str) -> bool:
        return word.isdigit()

    def token_senses(self, word: str) -> np.ndarray:
        return np.array([sense(int(word), number) for number in range(SENSES)])


def test_equation_4_is_as_printed():
    pairs = (("0", "1"), ("2", "3"), ("4", "5"), ("0", "none"))
    found = sensitivities(Words(), pairs)
    for number in range(SENSES):
        cosine = 0.0
        for one, other in pairs[:3]:
            x, y = sense(int(one), number), sense(int(other), number)
            cosine += (x / np.linalg.norm(x)) @ (y / np.linalg.norm(y))
        assert math.isclose(found.values[number], cosine / 3, abs_tol=1e-6)
    assert found.pairs == pairs[:3]
    assert found.missing == pairs[3:]
    assert (found.low <= found.values).all()
    assert (found.values <= found.high).all()
    made = senses_of(MODEL, VECTORS).numpy()
    np.testing.assert_allclose(made, [[sense(w, n) for n in range(SENSES)] for w in range(WORDS)], atol=1e-6)


SCORES = np.array([0.5, 0.2, 0.6, 0.3])


def test_the_papers_policy_scales_the_most_sensitive_senses_and_the_placebo_the_least():
    assert policy("sensitive", SCORES, 2, 0.0).tolist() == [1, 0, 1, 0]
    assert policy("sensitive", SCORES, 1, 2.0).tolist() == [1, 2, 1, 1]
    assert policy("placebo", SCORES, 2, 0.5).tolist() == [0.5, 1, 0.5, 1]
    assert policy("sensitive", SCORES, 4, 0.5).tolist() == [0.5] * 4
    np.testing.assert_allclose(policy("graded", SCORES, 2, 0.0), [0.75, 0, 1, 0.25])
    assert policy("graded", np.full(3, 0.5), 2, 0.0).tolist() == [1, 1, 1]
    assert policy("1 0 0.5, 2", SCORES, 2, 1.0).tolist() == [1, 0, 0.5, 2]
    for name in ("sensitive", "placebo", "graded"):
        assert policy(name, SCORES, 2, 1.0).tolist() == [1, 1, 1, 1]


def test_pairs_that_count_for_nothing_are_told():
    found = sensitivities(Words(), [("0", "1"), ("queenly", "kingly"), ("0", "he")])
    assert found.left_out == ("2 of 3 pairs left out, since a word of theirs is not one token: queenly-kingly, 0-he")
    many = sensitivities(Words(), [("0", "1"), *[(f"she{n}", f"he{n}") for n in range(9)]])
    assert many.left_out == (
        "9 of 10 pairs left out, since a word of theirs is not one token: she0-he0, she1-he1, she2-he2, she3-he3, "
        "she4-he4 and 4 more"
    )
    assert sensitivities(Words(), [("0", "1")]).left_out == ""
