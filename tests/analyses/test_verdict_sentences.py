"""Sentences on comparisons, gates, never shown documents and gender swaps, in every state of a test: significant, not,
equivalent, not tested for each reason, and undefined. (Those on slopes and sensitivity are with their pages and maps.)

A sentence calls nothing "not significant" that was not tested, and no number of queries too few that is enough.
"""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.answer import APART, FEW, LESS, MORE, sentence, triples_sentence, verdict_of
from fairviz.analyses.never_shown.answer import NeverShown
from fairviz.cli.compare import condition_lines
from fairviz.comparison.compare import comparison
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import gate
from fairviz.comparison.pairs import no_verdict
from fairviz.comparison.ranking_sentences import family_note, stars_note, warned_note
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.output.gate_page import VERDICT_TEXTS, verdict
from fairviz.ui.compare import cards as compare_wording
from fairviz.ui.gsr import validity as validity_wording
from fairviz.words.sentences import plain
from tests.comparison.test_gate import swapped

NAN = np.nan
TESTED = ("significant", "Equivalence", "p =", "p <")
TOO_FEW = ("too few",)
UNTRUE = ("not significantly", "is significant", "not significant", "tooltip", "117 queries are too few")


def values(gap: float, queries: int = 40, common: int | None = None, systems: tuple[str, str] = ("a", "b")):
    """Two systems, the second by `gap` above the first; undefined in the second beyond the common queries."""
    noise = np.random.default_rng(1).uniform(-0.05, 0.05, queries)
    second = np.where(np.arange(queries) < (queries if common is None else common), 0.2 + gap + noise, NAN)
    names = [f"q{query:02}" for query in range(queries)]
    parts = [
        pd.DataFrame({"measure": "CWEx@10", "system": system, "query_id": names, "value": numbers})
        for system, numbers in zip(systems, (np.full(queries, 0.2), second), strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def ratios(first: float, second: float) -> str:
    """What is stated of two systems with these means of GroupExposureRatio, the first without noise."""
    scores = values(0.0).assign(measure="GroupExposureRatio@10")
    is_first = scores["system"] == "a"
    noise = np.where(is_first | (second == 0), 0.0, scores["value"] - 0.2)
    return compared(scores.assign(value=np.where(is_first, first, second) + noise))


def compared(scores: pd.DataFrame, **options: object) -> str:
    """What the page *Two systems* and a table's caption state of the two."""
    first, second = dict.fromkeys(scores["system"])
    found = comparison(scores, first, **options)  # type: ignore[arg-type]
    measure, pair = parse(scores["measure"].iloc[0]), (second, first)
    told = [compare_wording.finding(found, measure, pair), *compare_wording.details(found, measure, pair)]
    return " ".join([*map(plain, told), stars_note(found), family_note(found)])


def gated(text: str, queries: int = 20, moved: int = 0, lost: int = 0) -> str:
    """The line of a condition, its text on the gate's page, and the page's verdict."""
    condition = read_condition(text, Settings())
    found = gate(swapped(queries, moved, lost), "old", "new", [condition], Settings())
    state = found.table["state"].iloc[0]
    return " ".join([*condition_lines(found), f"[{VERDICT_TEXTS[state]}]", f"[{verdict(found)}]"])


def never_shown(low: float, high: float, queries: int = 40) -> str:
    row = {"group": "female", "other": "male", "system": "s", "ci_low": low, "ci_high": high, "queries": queries}
    pool = SimpleNamespace(cutoff=10)
    study = SimpleNamespace(neutral="neutral")
    answer = SimpleNamespace(documents="relevant", differences=pd.DataFrame([row]), study=study, pool=pool)
    return " ".join(NeverShown.sentences.fget(answer))  # type: ignore[attr-defined]


def exchanged(first: str, second: str = "", **state: object) -> str:
    """The sentence of a gender swap with these verdicts against the placebos, the second as the first unless given."""
    rows = [{"value": 0.8, "verdict": ""} | state, {"value": 0.9, "verdict": first}]
    rows.append({"value": 0.85, "verdict": second or first})
    return sentence("s", pd.DataFrame(rows).assign(queries=state.get("queries", 117)))


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


STATES: list[tuple[Callable[..., str], tuple, dict, str, tuple[str, ...]]] = [
    (compared, (values(0.1),), {}, "b is ahead of a in CWEx (+0.1", ("not significantly different from a", "too few")),
    (compared, (values(-0.1),), {}, "b is behind a in CWEx (−0.1", ("is ahead",)),
    (compared, (values(0.0),), {}, "b is not significantly different from a in CWEx", ("ahead", "Equivalence")),
    (compared, (values(0.0),), {"margin": 0.2}, "Equivalence (±0.2): shown.", ("not shown",)),
    (compared, (values(0.0),), {"margin": 0.001}, "Equivalence (±0.001): not shown.", ("): shown",)),
    (compared, (values(0.1),), {"margin": 0.2}, "b is ahead of a in CWEx", ("not shown",)),
    (compared, (values(0.1, 9),), {"margin": 0.2}, "9 queries are too few for a verdict, which needs 10.", TESTED),
    (compared, (values(0.1, 40, 9),), {}, "9 of 40 queries in common", TESTED),
    (compared, (values(0.1, 40, 15),), {}, "a verdict needs 20. No verdict.", (*TESTED, "too few")),
    (compared, (values(NAN),), {"margin": 0.2}, "0 of 40 queries in common", TESTED),
    (compared, (values(0.1, systems=("a", "random")),), {"margin": 0.2}, "random is not tested against a", TESTED),
    (ratios, (0.0, 1.2), {}, "the mean of a is 0, which is infinitely far from 1.", (*TESTED, "a verdict needs")),
    (ratios, (0.0, 0.0), {}, "the mean of b and a is 0, which is infinitely far from 1.", (*TESTED, "a verdict needs")),
    (ratios, (0.5, 1.2), {}, "b is ahead of a in GroupExposureRatio", ("infinitely", "a verdict needs")),
    (compared, (values(0.1),), {"tests": "none"}, "paired t, no correction", ("simultaneous",)),
    (gated, ("CWEx falls by 0.01",), {"moved": 20}, "[the whole interval is beyond the limit] [not passed]", TOO_FEW),
    (gated, ("CWEx falls by 0.1",), {"moved": 10}, "its interval reaches back] [passed]", ("[not passed]",)),
    (gated, ("CWEx falls by 0.01",), {}, "[not beyond the limit] [passed]", ("moved most",)),
    (gated, ("CWEx falls by 0.01",), {"queries": 9, "moved": 9}, "[undecided]", ("[passed]", "[not passed]")),
    (gated, ("CWEx falls by 0.01",), {"lost": 15}, "a verdict needs 10", ("[passed]", "[not passed]")),
    (never_shown, (0.1, 0.3), {}, "female − male: above 0 for s, below 0 for none (1 system).", TOO_FEW),
    (never_shown, (-0.3, -0.1), {}, "above 0 for none, below 0 for s", TOO_FEW),
    (never_shown, (NAN, NAN), {"queries": 9}, "only 9 queries have relevant documents", ("above 0", "below 0")),
    (exchanged, (MORE, LESS), {}, "s: gender matters. Swaps move its lists more (CRBO 0.80)", ()),
    (exchanged, (LESS, MORE), {}, "s: gender swaps move its lists less (CRBO 0.80) than", ("matters",)),
    (exchanged, (LESS, MORE), {}, f"Second placebo, query words spared (RBO 0.85): {MORE}", ()),
    (exchanged, (LESS, MORE), {}, "0.90", ()),
    (exchanged, (APART,), {}, "are not significantly different", ()),
    (exchanged, (FEW,), {"queries": 9}, "9 queries are too few for a verdict, which needs 10", UNTRUE),
    (exchanged, (FEW,), {"queries": 14}, "14 queries give no verdict: they are under half", UNTRUE),
    (exchanged, ("",), {"value": NAN}, "it found no document for any query", UNTRUE),
    (exchanged, (APART,), {"by_construction": 117}, "CRBO is 1 by construction:", UNTRUE),
    (tripled, (0.01,), {}, "On average it scores the neutral one higher.", ()),
    (tripled, (0.4,), {}, "none significantly higher", ()),
    (tripled, (NAN,), {}, "117 queries give no verdict: they are under half of all", UNTRUE),
    (tripled, (NAN, 3), {}, "3 queries are too few for a verdict, which needs 10.", UNTRUE),
    (warned, ("CWEx@10", 0.2), {}, "", ("fewer queries", "undefined")),
    (warned, ("GroupExposureRatio@10", 0.0), {}, "1 of 1 difference is undefined, and not tested.", UNTRUE),
]


def test_each_state_has_a_true_sentence() -> None:
    for of, arguments, state, true, false in STATES:
        found = of(*arguments, **state)
        assert true in found, found
        assert not [words for words in false if words in found], found


def test_verdicts_go_by_the_test_and_enough_queries_are_not_too_few() -> None:
    for r, said in ((0.9, "follows"), (0.1, "does not follow"), (-0.9, "does not follow")):
        parity = SimpleNamespace(r=r, solutions=9)
        assert f"GSR {said} the share" in plain(validity_wording.parity(parity))  # type: ignore[arg-type]
    for p, side, said in ((0.01, -1, MORE), (0.01, 1, LESS), (0.2, 0, APART), (1.0, 0, APART), (NAN, 0, FEW)):
        assert verdict_of(p, side) == said
    for queries in (10, 40, 117):
        assert "too few" not in no_verdict(queries)
