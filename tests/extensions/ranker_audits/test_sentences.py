"""The sentences of audits in every state of a test: significant, not, not tested for each reason, undefined."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.extensions.ranker_audits import attribution
from fairviz.extensions.ranker_audits.attribution import ANY, GAP, PREFERENCE, RANKS, SIZE
from fairviz.extensions.ranker_audits.judging import NO_ORDER
from fairviz.extensions.ranker_audits.listwise import table_sentences
from fairviz.extensions.ranker_audits.pairwise import sentences_of
from fairviz.extensions.ranker_audits.shares import Preferred, preference_columns

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


def named(p: float = 0.01, queries: int = 40, sets: int = 20, *, pairs: int = 80, p_size: float = 0.01) -> str:
    """An audit by authors' names, whole and as the page shows it, and the note on its tests."""
    shown = {"value": 0.6, "placebo": 0.5, "beyond": 0.1}
    numbers = {f"{name}{end}": value for name, value in shown.items() for end in ("", "_low", "_high")}
    row = {"system": "s", "unit": "", "queries": queries, "sets": sets, "pairs": pairs, "p_corrected": p, **numbers}
    row |= {"family": int(p == p)}
    table = pd.DataFrame([row | {"quantity": one} for one in (PREFERENCE, GAP, SIZE, RANKS)])
    table.loc[table["quantity"] == SIZE, "p_corrected"] = p_size
    gaps = dict.fromkeys(("gap", "gap_low", "gap_high", "places", "places_low", "places_high"), NAN)
    unnamed = pd.DataFrame([{"system": "s", "gender": ANY, "unit": "", **gaps}])
    integrity = pd.DataFrame([{"system": "s", "verdict": NO_ORDER, "not_found": 0, "pairs": pairs, "answers": 0}])
    told = attribution.sentences_of(integrity, table, unnamed)
    short = attribution.short_sentences(integrity, table)
    return " ".join([*told, *short, attribution.family_note(table)])


def in_lists(above: int, below: int, queries: int, **checked: int) -> str:
    """A listwise audit's sentence on one ranker."""
    arm = {"system": "s", "attribute": "neutral", "window": 0, "step": 0}
    ends = ("", "_low", "_high")
    row = arm | {"queries": queries} | dict(zip((f"rank_gap{end}" for end in ends), (-0.5, -1.0, -0.1), strict=True))
    row |= dict(zip((f"ratio_of_means{end}" for end in ends), (1.2, 1.1, 1.3), strict=True))
    row |= preference_columns([Preferred(above, below, queries)])[0]
    checks = arm | {"answers": 0, "unread": 0, "missing": 0, "shown": 1, "position_bias": 0.0} | checked
    return " ".join(table_sentences(pd.DataFrame([row]), pd.DataFrame([checks]), "female"))


UNTRUE = ("not significantly", "is significant", "not significant", "tooltip", "117 queries are too few")
STATES: list[tuple[Callable[..., str], tuple, dict, str, tuple[str, ...]]] = [
    (preferred, (), {}, "The female one is preferred, and the female one scores higher on average", ()),
    (preferred, (), {"p_shares_corrected": 0.4}, "Neither is significantly preferred.", ()),
    (preferred, (), {"p_gap_corrected": 0.4}, "by a gap that is not significantly different from 0 (secondary", ()),
    (preferred, (), {"p_gap_corrected": NAN}, "by a gap that is not tested, as its differences are too few", UNTRUE),
    (preferred, (), {"gap": NAN, "p_gap_corrected": NAN}, "its answers do not show by how much", UNTRUE),
    (preferred, (), {"p_shares_corrected": NAN, "queries": 9}, "9 queries are too few for a verdict, which", UNTRUE),
    (preferred, (), {"judged_pairs": 0}, "no pair has a winner", UNTRUE),
    (named, (), {}, "female names are preferred beyond the placebo.", ("not significantly", "needs")),
    (named, (0.4,), {}, "neither gender's names are significantly preferred.", ("beyond the placebo", "needs")),
    (named, (0.4,), {"p_size": 0.4}, "against 0.500, not significantly different (secondary)", ("needs",)),
    (named, (NAN,), {"queries": 9, "p_size": NAN}, "9 queries are too few for a verdict", ("significant", "p =")),
    (named, (NAN,), {"sets": 9, "p_size": NAN}, "9 sets of names are too few for a verdict", ("significant", "p =")),
    (named, (NAN,), {"p_size": NAN}, "the reference, which is not tested. No difference", ("too few", "needs")),
    (named, (NAN,), {"p_size": NAN}, "the reference is alone.", ("significant", "too few")),
    (named, (NAN,), {"pairs": 0, "queries": 0, "sets": 0, "p_size": NAN}, "no version has an answer.", ("p =", "nan")),
    (in_lists, (35, 5, 40), {}, "35 of 40 queries (73% to 96%), significantly different", ("not sig", "tied")),
    (
        in_lists,
        (20, 20, 40),
        {},
        "not significantly different from one half (p = 1.000). Secondary: 1.200 [1.100, "
        "1.300] times the attention, +0.50 [+0.10, +1.00] ranks lower.",
        ("tied",),
    ),
    (in_lists, (6, 0, 40), {}, "6 of 6 queries without the 34 tied", ("not significantly",)),
    (in_lists, (0, 0, 40), {}, "neither group ranks higher for any of 40 queries.", ("significant", "0 of 0")),
    (in_lists, (5, 4, 9), {}, "a verdict needs 10 queries.", ("significant", "p =", "rank higher")),
    (in_lists, (35, 5, 40), {"answers": 40, "unread": 30}, "do not read a preference", ("significant", "p <")),
]


@pytest.mark.parametrize(
    ("of", "arguments", "state", "true", "false"), STATES,
    ids=[f"{of.__name__}-{place}" for place, (of, *_) in enumerate(STATES)],
)  # fmt: skip
def test_each_state_has_a_true_sentence(
    of: Callable[..., str], arguments: tuple, state: dict, true: str, false: tuple[str, ...]
) -> None:
    found = of(*arguments, **state)
    assert true in found, found
    assert not [words for words in false if words in found], found
