"""Every sentence made of a test's result, in every state: significant, not, not tested for each reason, undefined.

A sentence calls nothing "not significant" that was not tested, and no number of queries too few that is enough.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.gender_swap.answer import sentence, triples_sentence
from fairviz.comparison.compare import comparison
from fairviz.comparison.pairs import no_verdict
from fairviz.comparison.ranking_sentences import warned_note

NAN = np.nan


def swapped(verdict: str, **state: object) -> str:
    """The sentence of a gender swap with the same verdict against both placebos."""
    rows = [{"value": 0.8, "queries": 117, "verdict": ""} | state] + [
        {"value": 0.9, "queries": 117, "verdict": verdict}
    ] * 2
    return sentence("s", pd.DataFrame(rows))


def tripled(p: float, queries: int = 117) -> str:
    row = {
        "judged": "all", "wording": "neutral", "share": 0.7, "share_low": 0.6, "share_high": 0.8, "difference": 0.1,
        "p_corrected": p, "queries": queries, "triples": 160,
    }  # fmt: skip
    return triples_sentence("s", pd.DataFrame([row]))


def warned(measure: str, value: float) -> str:
    """The note on two systems with 40 queries each, of which the first has this value everywhere."""
    rows = [(measure, system, f"q{query:02}", number + query / 1000 * (system == "b"))
            for system, number in (("a", value), ("b", 0.4)) for query in range(40)]  # fmt: skip
    return warned_note(comparison(pd.DataFrame(rows, columns=["measure", "system", "query_id", "value"])))


UNTRUE = ("not significantly", "is significant", "not significant", "tooltip", "117 queries are too few")
STATES: list[tuple[Callable[..., str], tuple, dict, str, tuple[str, ...]]] = [
    (swapped, ("gender disturbs more",), {}, "gender matters", ()),
    (swapped, ("gender disturbs less",), {}, "move its lists less", ()),
    (swapped, ("not significantly different",), {}, "are not significantly different", ()),
    (swapped, ("too few queries",), {"queries": 9}, "9 queries are too few for a verdict, which needs 10", UNTRUE),
    (swapped, ("too few queries",), {"queries": 14}, "14 queries give no verdict: they are under half", UNTRUE),
    (swapped, ("",), {"value": NAN}, "it found no document for any query", UNTRUE),
    (swapped, ("not significantly different",), {"by_construction": 117}, "CRBO is 1 by construction:", UNTRUE),
    (tripled, (0.01,), {}, "On average it scores the neutral one higher.", ()),
    (tripled, (0.4,), {}, "none significantly higher", ()),
    (tripled, (NAN,), {}, "117 queries give no verdict: they are under half of all", UNTRUE),
    (tripled, (NAN, 3), {}, "3 queries are too few for a verdict, which needs 10.", UNTRUE),
    (warned, ("CWEx@10", 0.2), {}, "", ("fewer queries", "undefined")),
    (warned, ("GroupExposureRatio@10", 0.0), {}, "1 of 1 difference is undefined, and not tested.", UNTRUE),
]


@pytest.mark.parametrize(
    ("of", "arguments", "state", "true", "false"), STATES,
    ids=[f"{of.__name__}-{'-'.join(map(str, (*arguments, *state.items())))}" for of, arguments, state, *_ in STATES],
)  # fmt: skip
def test_each_state_has_a_true_sentence(
    of: Callable[..., str], arguments: tuple, state: dict, true: str, false: tuple[str, ...]
) -> None:
    found = of(*arguments, **state)
    assert true in found
    assert not [words for words in false if words in found], found


def test_no_reason_names_queries_too_few_that_are_enough() -> None:
    for queries in (10, 40, 117):
        assert "too few" not in no_verdict(queries)
