"""Random signs of queries."""

import numpy as np
import pytest

from fairviz.statistics.references import BLOCK, MOST_ROWS, blocks, signs


@pytest.mark.parametrize(("queries", "draws", "rows"), [(4, 8, 8), (4, 7, 7), (8, 10_000, 128), (1, 99, 1), (0, 99, 1)])
def test_all_patterns_are_enumerated_where_they_are_no_more_than_the_draws(queries: int, draws: int, rows: int) -> None:
    assert signs(queries, draws).shape == (rows, queries)


def test_enumerated_patterns_are_distinct_and_none_is_the_opposite_of_another() -> None:
    table = signs(6, 32)
    both = np.concatenate([table, -table])
    assert len(np.unique(both, axis=0)) == 64
    assert set(np.unique(table)) == {-1, 1}


def test_drawn_signs_are_seeded_and_even() -> None:
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
