"""Swaps and fronts of one list, against every order of it, written out as systems of a study and evaluated there."""

from collections import deque
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.analyses.what_if.bench import (
    Swaps,
    bench_of,
    decompose_order,
    fewest_swaps,
    pareto_front,
    swaps_between,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import unfairness
from fairviz.orders.candidates import all_orders
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.analyses.label_effects.cases import LEXICON, choices
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of

MEASURES = (
    "CWEx(alpha=0.3)", "Exposure(group='female')", "ExposureGap", "AbsExposureGap", "AWRF", "GroupExposureRatio",
    "NFaiRR(tau=0)", "NFaiRR(background='run:0')", "NFaiRR(background='collection')", "FaiRR", "TExFAIR", "RBDF", "RaB",
    "ARaB",
)  # fmt: skip
TEXTS = ("she saw", "he and he and a tree", "she and he", "a tree", None)


@st.composite
def every_order(draw: st.DrawFn) -> Study:
    """A system for each order of four documents, the first the list as it is; judged, labelled, with text.

    A document beyond the lists has a word of the word list, without which measures of words are refused.
    """
    names = ["d0", "d1", "d2", "d3"]
    labels = {name: draw(st.sampled_from([None, "neutral", "female", "male"])) for name in names}
    texts = [draw(st.sampled_from(TEXTS)) for _ in names]
    grades = [draw(st.integers(0, 2)) for _ in names]
    return make_study(
        "orders",
        runs=runs_of({(str(number), "q"): order for number, order in enumerate(permutations(names))}),
        labels=labels_of(labels if any(labels.values()) else {"d0": "male"}),
        documents=pd.DataFrame({"doc_id": [*names, "d8", "d9"], "text": [*texts, "she", "a tree"]}),  # in no list
        qrels=qrels_of({"q": dict(zip(names, grades, strict=True))}),
        lexicon=LEXICON,
    )


def by_system(study: Study, text: str, chosen: Settings) -> tuple[np.ndarray, np.ndarray]:
    """The measure of each order, and its nDCG."""
    scores = evaluate(study, [text, "nDCG"], chosen)
    table = scores.assign(order=scores["system"].astype(int)).pivot(index="order", columns="measure", values="value")
    return table[ask(text, chosen).text].to_numpy(), table[ask("nDCG", chosen).text].to_numpy()


def swaps_by_search(length: int) -> dict[tuple[int, ...], int]:
    """The fewest swaps to each order, by breadth-first search."""
    start = tuple(range(length))
    found, waiting = {start: 0}, deque([start])
    while waiting:
        order = waiting.popleft()
        for first, second in combinations(range(length), 2):
            other = list(order)
            other[first], other[second] = other[second], other[first]
            if tuple(other) not in found:
                found[tuple(other)] = found[order] + 1
                waiting.append(tuple(other))
    return found


ORDERS = list(permutations(range(4)))
FEWEST = np.array([swaps_by_search(4)[order] for order in ORDERS])


def test_orders_and_the_swaps_between_them() -> None:
    assert all_orders(4).tolist() == [list(order) for order in ORDERS]
    assert swaps_between(all_orders(4)).tolist() == FEWEST.tolist()
    five = swaps_by_search(5)
    assert swaps_between(all_orders(5)).tolist() == [five[order] for order in permutations(range(5))]
    for order in all_orders(5):
        held, swaps = list(range(5)), list(decompose_order(order))
        for first, second in swaps:
            held[first], held[second] = held[second], held[first]
        assert held == order.tolist()
        assert len(swaps) == five[tuple(order.tolist())]


@pytest.mark.slow
@given(
    study=every_order(),
    chosen=choices(),
    text=st.sampled_from(MEASURES),
    loss=st.sampled_from([None, 0.0, 0.1, 0.5]),
    share=st.sampled_from([0.0, 0.3, 0.9, 1.0, 1.2]),
    least=st.booleans(),
)
def test_exact_is_brute_force_and_greedy_never_better(
    study: Study, chosen: Settings, text: str, loss: float | None, share: float, least: bool
) -> None:
    values, effects = by_system(study, text, chosen)
    if np.isnan(values[0]):
        return
    end = np.nanmin(values) if least else np.nanmax(values)
    target = float(values[0] + share * (end - values[0]) + (0 if share <= 1 else (-0.1 if least else 0.1)))
    asked = {"target": target, "loss": loss, "settings": chosen}
    exact = fewest_swaps(study, text, "0", "q", **asked)
    greedy = fewest_swaps(study, text, "0", "q", exact=False, **asked)
    sign = 1 if target >= values[0] else -1
    allowed = np.ones(24, dtype=bool) if loss is None else effects >= effects[0] - loss - 1e-9
    there = allowed & (np.nan_to_num(sign * values, nan=-np.inf) >= sign * target - 1e-9)
    assert exact.exact
    assert not greedy.exact
    assert exact.reached == bool(there.any())
    assert len(greedy.swaps) >= len(exact.swaps) or not greedy.reached
    assert exact.reached or not greedy.reached
    if there.any():
        assert len(exact.swaps) == FEWEST[there].min()
        best = effects[there & (FEWEST[there].min() == FEWEST)].max()
        assert exact.effect_after == pytest.approx(best, abs=1e-9)
    else:
        nearest = np.nanmax(np.where(allowed, sign * values, np.nan))
        assert sign * exact.after == pytest.approx(nearest, abs=1e-9)
    for found in (exact, greedy):
        _consistent(study, text, chosen, found, values, effects)
        assert loss is None or found.effect_after >= effects[0] - loss - 1e-9


def _consistent(study, text, chosen, found: Swaps, values: np.ndarray, effects: np.ndarray) -> None:
    """The swaps make the list, and the list has the values."""
    held = [0, 1, 2, 3]
    for first, second in found.swaps:
        held[first - 1], held[second - 1] = held[second - 1], held[first - 1]
    assert found.doc_ids == tuple(f"d{place}" for place in held)
    at = ORDERS.index(tuple(held))
    assert (found.before, found.effect_before) == pytest.approx((values[0], effects[0]), nan_ok=True)
    assert (found.after, found.effect_after) == pytest.approx((values[at], effects[at]), nan_ok=True)
    assert found.measure == ask(text, chosen).text


@pytest.mark.slow
@given(study=every_order(), chosen=choices(), text=st.sampled_from(MEASURES))
def test_the_front_is_what_no_order_beats(study: Study, chosen: Settings, text: str) -> None:
    """Of the values that the bench has of each order, which are those of `evaluate`."""
    held = bench_of(study, chosen, text, "0", "q")
    values, effects = by_system(study, text, chosen)
    np.testing.assert_allclose(held.values(all_orders(4)), values, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(held.effects(all_orders(4)), effects, rtol=1e-12)
    assert held.names == ("d0", "d1", "d2", "d3")
    if np.isnan(values[0]):
        return
    question = ask(text, chosen)
    fair = (values if question.direction == "none" else -unfairness(question, values)).round(9)
    pairs = {(f, e) for f, e in zip(fair, effects.round(9), strict=True) if not np.isnan(f)}
    expected = sorted((f, e) for f, e in pairs if not any(a >= f and b >= e and (a, b) != (f, e) for a, b in pairs))
    drawn = pareto_front(study, text, "0", "q", chosen)
    assert drawn.exact
    found = []
    for order, row in zip(drawn.orders, drawn.table.itertuples(), strict=True):
        at = ORDERS.index(tuple(int(name[1]) for name in order))
        assert (row.value, row.effectiveness) == pytest.approx((values[at], effects[at]), abs=1e-9)
        same = (fair == fair[at]) & (effects.round(9) == effects[at].round(9))
        assert row.swaps == FEWEST[same].min()
        found.append((fair[at], effects[at].round(9)))
    assert found == expected


def one_list(letters: str, relevant: str = "") -> Study:
    names = {"f": "female", "m": "male", "n": "neutral"}
    documents = [f"{letter}{rank}" for rank, letter in enumerate(letters, start=1)]
    labels = labels_of(dict(zip(documents, (names[letter] for letter in letters), strict=True)))
    qrels = qrels_of({"q": relevant}) if relevant else None
    return make_study("hand", runs=runs_of({"one": documents}), labels=labels, qrels=qrels)


def test_one_swap_by_hand() -> None:
    """m m f, k = 2, equal attention: CWEx −0.5, with f3 at rank 2 it is 0. m1 alone is relevant, and stays first."""
    study = one_list("mmf", "m1")
    found = fewest_swaps(study, "CWEx@2", "one", "q", 0, loss=0, position_bias="uniform")
    assert found == Swaps(
        "CWEx(alpha=0.5)@2", "nDCG@2", 0.0, ((2, 3),), ("m1", "f3", "m2"), -0.5, 0.0, 1.0, 1.0, True, True
    )
    nothing = fewest_swaps(study, "CWEx@2", "one", "q", -0.5, position_bias="uniform")
    assert (nothing.swaps, nothing.reached) == ((), True)
    never = fewest_swaps(study, "CWEx@2", "one", "q", 0.4, loss=0, position_bias="uniform")
    assert (never.swaps, never.after, never.reached) == (((2, 3),), 0.0, False)


def test_a_long_list_is_searched_greedily() -> None:
    study = one_list("m" * 30 + "f" * 5, "m1 m2")
    found = fewest_swaps(study, "AbsExposureGap@10", "one", "q", 0.2, loss=0.0)
    assert (found.reached, found.exact, found.effect_after) == (True, False, 1.0)
    assert found.doc_ids[:2] == ("m1", "m2")
    drawn = pareto_front(study, "AbsExposureGap@10", "one", "q")
    assert not drawn.exact
    assert drawn.table["effectiveness"].is_monotonic_decreasing
    assert drawn.table["value"].is_monotonic_decreasing  # less of a gap is fairer, and the fairest is last
    assert drawn.table["effectiveness"].iloc[0] == 1.0
    assert drawn.table["value"].iloc[0] <= found.after


def test_what_cannot_be_asked() -> None:
    no_fairness = "{} does not measure the fairness of one list\nUse a fairness measure such as NFaiRR@10."
    no_bound = "loss is {}\nUse a number of 0 or more, or None for no bound."
    study = one_list("mmmmmmmmm", "m1")
    for changes, message in (
        ({"measure": "nDCG@4"}, no_fairness.format("nDCG@4")),
        ({"measure": "GSR@4"}, no_fairness.format("GSR@4")),
        ({"effectiveness": "TED"}, "TED@4 is not a measure of effectiveness\nUse nDCG, RR, AP, P, R or Success."),
        ({"system": "up"}, "the study 'hand' has no system 'up'\nUse one of one."),
        ({"query": "q9"}, "no run of 'hand' answers the query 'q9'\nCheck the id."),
        ({"loss": -0.1}, no_bound.format("-0.1")),
        ({"loss": float("nan")}, no_bound.format("nan")),
        ({"target": "high"}, "target is 'high'\nGive the value to reach, such as 0.5."),
        ({"target": float("nan")}, "the target is not a number\nGive the value to reach."),
        ({"exact": True}, "the list has 9 documents, too many for an exact search\n"
         "Leave exact out: lists of up to 8 are searched exactly, longer ones greedily."),
        ({"measure": "GroupExposureRatio@4"},
         "GroupExposureRatio@4 is undefined for the list of the query 'q'\nChoose another list or measure."),
    ):  # fmt: skip
        asked = {"measure": "CWEx@4", "system": "one", "query": "q", "target": 0.2} | changes
        kind = FairvizError if "undefined" in message or "not a number" in message else UsageError
        with refused(message, kind):
            fewest_swaps(study, **asked)
    unjudged = one_list("mmf")
    with refused(
        "the query 'q' has no relevance judgements, so a loss of nDCG@2 has no bound\n"
        "Choose a query that has some, or loss=None for no bound."
    ):
        fewest_swaps(unjudged, "CWEx@2", "one", "q", 0)
    free = fewest_swaps(unjudged, "CWEx@2", "one", "q", 0, loss=None)
    assert free.reached is False  # under log2 a woman and a man leave a gap
    assert np.isnan(free.effect_after)
    with pytest.raises(FairvizError):
        pareto_front(unjudged, "CWEx@2", "one", "q")
