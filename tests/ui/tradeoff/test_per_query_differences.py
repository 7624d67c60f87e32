"""On which query two systems differ most: the texts of its link and tooltip."""

import pandas as pd

from fairviz.comparison.compare import by_query
from fairviz.ui.tradeoff.cards import largest_gaps

CWEX, NDCG = "CWEx(alpha=0.5)@10", "nDCG@10"


def gaps(texts: dict[str, str] | None = None, **systems: list[float]) -> list[tuple[str, str]]:
    """Label and values of each measure's link, for values of CWEx, a list a system."""
    rows = [(name, f"q{at}", CWEX, value) for name, values in systems.items() for at, value in enumerate(values)]
    scores = pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])
    both = pd.concat([scores, scores.assign(measure=NDCG)])
    return [(gap.label, gap.values) for gap in largest_gaps(by_query(both), texts or {})]


def test_the_query_is_named_by_its_text_with_the_gap_and_both_values() -> None:
    assert gaps({"q1": "nurse"}, best=[0.5, 0.25], other=[0.5, -0.125]) == [
        ("CWEx “nurse” 0.375", "best 0.250, other −0.125."),
        ("nDCG “nurse” 0.375", "best 0.250, other −0.125."),
    ]


def test_a_query_without_text_has_its_name_and_a_long_one_is_cut() -> None:
    assert gaps(best=[0.5, 0.25], other=[0.5, -0.125])[0][0] == "CWEx “q1” 0.375"
    assert gaps({"q1": "nurse" * 40}, best=[0.5, 0.25], other=[0.5, -0.125])[0][0] == f"CWEx “{'nurse' * 8} …” 0.375"


def test_queries_that_differ_as_much_are_counted() -> None:
    assert gaps(best=[0.5] * 3, other=[0.25] * 3)[0][1] == "best 0.500, other 0.250; as large on 2 more queries."
    assert gaps(best=[0.5] * 2, other=[0.25] * 2)[0][1] == "best 0.500, other 0.250; as large on 1 more query."


def test_systems_that_are_equal_everywhere() -> None:
    assert gaps(one=[0.5], two=[0.5])[0] == ("CWEx no gap", "one 0.500, two 0.500 on every query.")
