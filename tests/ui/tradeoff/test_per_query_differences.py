"""On which query two systems differ most, in words."""

import pandas as pd

from fairviz.comparison.per_query_differences import by_query
from fairviz.ui.tradeoff.per_query_differences import sentence
from fairviz.words.sentences import plain

CWEX, NDCG = "CWEx(alpha=0.5)@10", "nDCG@10"


def told(texts: dict[str, str] | None = None, **systems: list[float]) -> str:
    """The sentence for values of CWEx, a list a system."""
    rows = [(name, f"q{at}", CWEX, value) for name, values in systems.items() for at, value in enumerate(values)]
    scores = pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])
    both = pd.concat([scores, scores.assign(measure=NDCG)])
    return plain(sentence(by_query(both), texts or {}))


def test_the_query_is_named_by_its_text_with_both_values() -> None:
    assert told({"q1": "nurse"}, best=[0.5, 0.25], other=[0.5, -0.125]) == (
        "Query by query: by CWEx, best and other differ most on “nurse” (0.250 and −0.125); "
        "by nDCG, best and other differ most on “nurse” (0.250 and −0.125)."
    )


def test_a_query_without_text_has_its_name_and_a_long_one_is_cut() -> None:
    assert "on “q1” (0.250 and −0.125)" in told(best=[0.5, 0.25], other=[0.5, -0.125])
    assert f"on “{'nurse' * 12} …” (" in told({"q1": "nurse" * 40}, best=[0.5, 0.25], other=[0.5, -0.125])


def test_queries_that_differ_as_much_are_counted() -> None:
    assert "on “q0” (0.500 and 0.250), and as much on 2 more;" in told(best=[0.5] * 3, other=[0.25] * 3)


def test_systems_that_are_equal_everywhere() -> None:
    assert told(one=[0.5], two=[0.5]).startswith("Query by query: by CWEx, one and two do not differ on any query; by ")
