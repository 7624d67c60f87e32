"""The sentence of what the order of equal scores can move."""

import pandas as pd

from fairviz.ui.tradeoff.overview import ties_sentence as sentence
from fairviz.words.sentences import plain

COLUMNS = ["system", "measure", "value", "smallest", "largest", "smallest_is", "largest_is", "tied"]
COLUMNS += ["outer_smallest", "outer_largest"]


def table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


def test_the_system_with_most_ties_is_named_and_what_moves() -> None:
    held = table(
        ("a", "CWEx(alpha=0.5)@10", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1),
        ("b", "CWEx(alpha=0.5)@10", -0.2, -0.25, -0.15, "exact", "searched", 35, -0.25, -0.12),
        ("a", "RaB@10", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1),
        ("b", "RaB@10", 0.5, 0.5, 0.5001, "exact", "exact", 35, 0.4, 0.6),
        ("b", "TExFAIR@10", 0.5, 0.4, 0.6, "searched", "searched", 35, float("nan"), float("nan")),
        ("b", "NFaiRR(tau=1)@10", 0.5, 0.4, 0.6, "exact", "exact", 35, 0.4, 0.6),
    )
    assert plain(sentence(held, 10)) == (
        "Ties at rank 10: 35 lists of b and of 1 more system. Their order moves CWEx from −0.250 to at least −0.150 "
        "(bound −0.120), and 2 more measures (Table)."
    )
    assert plain(sentence(held.iloc[4:5], 10)) == (
        "Ties at rank 10: 35 lists of b. Their order moves TExFAIR from at most 0.400 to at least 0.600."
    )


def test_ties_that_move_nothing_are_said_and_none_leave_no_sentence() -> None:
    held = table(("a", "RaB@5", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1))
    assert plain(sentence(held, 5)) == ("Ties at rank 5: 1 list of a. No order of them moves a value by 0.001.")
    assert sentence(held.assign(tied=0), 5) == ()
