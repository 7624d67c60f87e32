"""Every sentence made of a test's result, in every state: significant, not, not tested for each reason, undefined.

A sentence calls nothing "not significant" that was not tested, and no number of queries too few that is enough.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.gender_swap.answer import sentence, triples_sentence
from fairviz.comparison.compare import comparison
from fairviz.comparison.pairs import no_verdict
from fairviz.comparison.ranking_sentences import warned_note
from fairviz.extensions.ranker_audits.judging import NO_ORDER
from fairviz.extensions.ranker_audits.pairwise import sentences_of

NAN = np.nan
STUDY = fairviz.make_study("states")


def preferred(**state: object) -> str:
    """The audit's sentence on a pair of groups that 117 queries have."""
    row = {
        "system": "s", "kind": "same text", "judged": "all", "group": "female", "other": "male", "judged_pairs": 232,
        "tied": 0.0, "tied_pairs": 0, "first": 0.6, "first_low": 0.5, "first_high": 0.7, "other_first": 0.4,
        "other_first_low": 0.3, "other_first_high": 0.5, "queries_first": 70, "queries_other": 47, "ratio": 1.5,
        "ratio_low": 1.1, "ratio_high": 2.0, "preferred": 0.6, "gap": 0.1, "gap_low": 0.05, "gap_high": 0.15,
        "size": 0.2, "unit": "", "p_shares_corrected": 0.01, "p_gap": 0.003, "p_gap_corrected": 0.01, "queries": 117,
    }  # fmt: skip
    integrity = {"system": "s", "verdict": NO_ORDER, "not_found": 0, "pairs": 232, "answers": 0, "read": 0}
    return " ".join(sentences_of(STUDY, pd.DataFrame([integrity]), pd.DataFrame([row | state])))


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
    (preferred, (), {}, "The female one is preferred, and the female one scores higher on average", ()),
    (preferred, (), {"p_shares_corrected": 0.4}, "Neither is significantly preferred.", ()),
    (preferred, (), {"p_gap_corrected": 0.4}, "by a gap that is not significantly different from 0 (secondary", ()),
    (preferred, (), {"p_gap_corrected": NAN}, "by a gap that is not tested, as its differences are too few", UNTRUE),
    (preferred, (), {"gap": NAN, "p_gap_corrected": NAN}, "its answers do not show by how much", UNTRUE),
    (preferred, (), {"p_shares_corrected": NAN, "queries": 9}, "9 queries are too few for a verdict, which", UNTRUE),
    (preferred, (), {"judged_pairs": 0}, "no pair has a winner", UNTRUE),
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
