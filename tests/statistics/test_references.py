"""The distributions behind p and intervals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from fairviz.statistics.contrasts import Estimates, Pair, contrasts
from fairviz.statistics.references import (
    BLOCK,
    MOST_ROWS,
    Drawn,
    Ranges,
    Reference,
    bend,
    blocks,
    narrowed,
    signs,
    widened,
    within,
)

VALUES = np.random.default_rng(2).normal(size=(4, 20)) + np.array([0, 0.2, 0.4, 2.0])[:, None]
HELD = contrasts(Estimates(VALUES), [Pair(0, 1), Pair(0, 2), Pair(3, 0), Pair(1, 1)])
ORDERED = np.sort(np.random.default_rng(3).chisquare(2, size=(1, 99)))


def test_the_critical_value_is_the_draw_above_which_p_is_small_enough_but_for_rounding() -> None:
    drawn = Drawn(np.arange(1.0, 20.0)[None] ** 2)  # 19 draws: p of 1 / 20 needs a statistic above all
    assert drawn.critical(0.05) == 19
    assert drawn.critical(0.1) == 18
    assert drawn.critical(0.0499) == np.inf
    assert Drawn(np.zeros((1, 0))).critical(0.05) == np.inf
    assert within(np.array([0.05, 0.05 + 1e-13, 0.0501, np.nan]), 0.05).tolist() == [True, True, False, False]


@pytest.mark.filterwarnings("error")
def test_narrowing_is_the_inverse_of_widening() -> None:
    skewed = bend(replace(HELD, skewness=np.array([4.0, -0.5, 1e-9, 0.0])))
    for critical in (0.0, 0.5, 1.0, 1.0001, 2.0, 3.5, 20.0, 1e6):
        assert narrowed(widened(critical, skewed), skewed) == pytest.approx([critical] * 4, rel=1e-12)
    assert np.isnan(narrowed(np.full(4, np.nan), skewed)).all()


@pytest.mark.parametrize("reference", [Drawn(ORDERED), Ranges(np.sqrt(ORDERED) / 3)], ids=["maxT", "tukey"])
def test_the_level_of_one_test_is_the_tail_of_t_at_the_half_width(reference: Reference) -> None:
    t = reference.widths(HELD, 0.05)[0][0] / HELD.error[0]
    assert reference.level_per_test(HELD, 0.05)[0] == pytest.approx(2 * stats.t.sf(t, 19))


def test_signs_are_all_patterns_or_drawn_seeded_and_even() -> None:
    shapes = [signs(queries, draws).shape for queries, draws in ((4, 8), (4, 7), (8, 10_000), (1, 99), (0, 99))]
    assert shapes == [(8, 4), (7, 4), (128, 8), (1, 1), (1, 0)], "all where they are no more than the draws"
    table = signs(6, 32)
    assert len(np.unique(np.concatenate([table, -table]), axis=0)) == 64, "none is the opposite of another"
    assert set(np.unique(table)) == {-1, 1}
    table = signs(30, 4000, seed=1)
    assert (table == signs.__wrapped__(30, 4000, 1)).all()
    assert (table != signs(30, 4000, seed=2)).any()
    assert np.abs(table.mean(axis=0)).max() < 5 / np.sqrt(4000)
    assert np.abs(np.corrcoef(table.T) - np.eye(30)).max() < 5 / np.sqrt(4000)
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1


def test_blocks_are_all_rows_of_a_table_in_order() -> None:
    for table in (signs(300, BLOCK // 300 + 500), signs(20, MOST_ROWS + 1)):
        rows = [block for place, block in blocks(table) if (table[place] == block).all()]
        assert len(rows) > 1
        assert max(map(len, rows)) <= min(MOST_ROWS, BLOCK // table.shape[1])
        np.testing.assert_array_equal(np.concatenate(rows), table)
