"""Depth of the lists of the Query page."""

from fairviz.ui.query.lists import deepest


def test_many_long_lists_show_fewer_ranks() -> None:
    assert deepest(10, 60) == 10
    assert deepest(1000, 2) == 300
    assert deepest(1000, 60) == 10
    assert deepest(5, 1) == 5
