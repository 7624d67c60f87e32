"""A few flipped bits in word counts; `flipped_bits` has the rest."""

import pytest

from tests.extensions.collections import flipped_bits

SEED = 2


@pytest.mark.slow
def test_flipped_bits_in_word_counts_give_right_figures_or_are_refused_and_repaired() -> None:
    outcomes, bad = flipped_bits.flip(6, SEED)
    assert bad == []
    assert outcomes.total() == 6
    assert all(outcomes[name] for name in flipped_bits.GOOD)
