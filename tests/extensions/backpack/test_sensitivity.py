"""Policies of weights, and what is refused."""

import numpy as np

from fairviz.extensions.backpack.words import policy, sensitivities
from tests.extensions.backpack.test_network import Words

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
