"""Expected exposure against a slow reference, read off the definitions of Diaz and others and the authors' code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from tests.made import qrels_of, runs_of

DOCUMENTS = tuple("abcdefg")
NAMES = ("EE_D", "EE_R", "EE_L", "EE_D(estimate='unbiased')", "EE_L(estimate='unbiased')")
Lists = dict[str, dict[str, list[str]]]  # run to query to documents


def study_of(lists: Lists, judged: dict[str, dict[str, int]]) -> Study:
    runs = {(run, query): names for run, by_query in lists.items() for query, names in by_query.items()}
    return fairviz.make_study("draws", runs=runs_of(runs), qrels=qrels_of(judged))


def values(study: Study, measure: str, **choices: object) -> dict[tuple[str, str], float]:
    scores = fairviz.evaluate(study, [measure], **choices)
    return {(row.system, row.query_id): row.value for row in scores.itertuples()}


def exposures(lists: list[list[str]], weights: list[float]) -> list[dict[str, float]]:
    return [dict(zip(documents, weights, strict=False)) for documents in lists]


def target(grades: dict[str, int], weights: list[float]) -> dict[str, float]:
    """The authors' loop: documents of a grade share the ranks below those of higher grades."""
    shares, start = {}, 0
    for grade in sorted({grade for grade in grades.values() if grade > 0}, reverse=True):
        names = [name for name, own in grades.items() if own == grade]
        attention = sum(weights[start : start + len(names)])
        shares |= dict.fromkeys(names, attention / len(names))
        start += len(names)
    return shares


def dot(first: dict[str, float], second: dict[str, float]) -> float:
    return sum(value * second.get(name, 0.0) for name, value in first.items())


def reference(lists: list[list[str]], grades: dict[str, int], weights: list[float]) -> dict[str, float]:
    draws = exposures(lists, weights)
    mean: dict[str, float] = {}
    for draw in draws:
        for name, value in draw.items():
            mean[name] = mean.get(name, 0.0) + value / len(draws)
    wanted = target(grades, weights)
    names = {*mean, *wanted}
    pairs = [dot(a, b) for i, a in enumerate(draws) for j, b in enumerate(draws) if i != j] or [dot(draws[0], draws[0])]
    loss = sum((mean.get(name, 0.0) - wanted.get(name, 0.0)) ** 2 for name in names)
    unbiased = sum(pairs) / len(pairs)
    return {
        "EE_D": dot(mean, mean),
        "EE_R": dot(mean, wanted) if wanted else np.nan,
        "EE_L": loss if wanted else np.nan,
        "EE_D(estimate='unbiased')": unbiased,
        "EE_L(estimate='unbiased')": unbiased - 2 * dot(mean, wanted) + dot(wanted, wanted) if wanted else np.nan,
    }


def test_by_hand() -> None:
    """p = 1, 1/2; both documents relevant: ε* = (3/4, 3/4). One order: 1/16 + 1/16; both orders: ε = ε*."""
    judged = {"q": {"a": 1, "b": 1}}
    study = study_of({"one": {"q": ["a", "b"]}, "pl/seed1": {"q": ["a", "b"]}, "pl/seed2": {"q": ["b", "a"]}}, judged)
    half = {"position_bias": "rbp(p=0.5)"}
    assert values(study, "EE_L@2", **half) == {("one", "q"): 0.125, ("pl", "q"): 0}
    assert values(study, "EE_D@2", **half) == {("one", "q"): 1.25, ("pl", "q"): 1.125}
    assert values(study, "EE_R@2", **half) == {("one", "q"): 1.125, ("pl", "q"): 1.125}
    assert values(study, "EE_D(estimate='unbiased')@2", **half)["pl", "q"] == 1  # the two draws' product


@st.composite
def studies(draw: st.DrawFn) -> tuple[Lists, dict[str, dict[str, int]]]:
    ranking = st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1, max_size=6)
    runs = ["one", *(f"pl/seed{number}" for number in range(1, draw(st.integers(1, 4)) + 1))]
    lists = {run: {query: draw(ranking) for query in ("q1", "q2")} for run in runs}
    grade = st.integers(-1, 3)
    judged = {query: {name: draw(grade) for name in (*DOCUMENTS, "never")} for query in ("q1", "q2")}
    return lists, judged


@given(content=studies(), k=st.integers(1, 8))
def test_against_the_reference(content: tuple[Lists, dict[str, dict[str, int]]], k: int) -> None:
    lists, judged = content
    study = study_of(lists, judged)
    weights = [1 / np.log2(1 + rank) for rank in range(1, k + 1)]
    scores = fairviz.evaluate(study, [f"{name}@{k}" for name in NAMES])
    found = {(row.measure, row.system, row.query_id): row.value for row in scores.itertuples()}
    for query in ("q1", "q2"):
        for system in ("one", "pl"):
            mine = [by_query[query] for run, by_query in lists.items() if run.partition("/")[0] == system]
            for name, expected in reference(mine, judged[query], weights).items():
                assert found[f"{name}@{k}", system, query] == pytest.approx(expected, abs=1e-9, nan_ok=True), name


def test_a_draw_without_the_query_is_left_out() -> None:
    judged = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    lists = {
        "pl/seed1": {"q1": ["a", "b"], "q2": ["a"]},
        "pl/seed2": {"q1": ["b", "a"]},
        "pl/seed3": {"q2": ["b", "a"]},
    }
    study = study_of(lists, judged)
    assert values(study, "EE_L@2", position_bias="rbp(p=0.5)")["pl", "q1"] == pytest.approx(0)
    for name in ("EE_L", "EE_L(estimate='unbiased')"):
        mine = [["a"], ["b", "a"]]
        expected = reference(mine, judged["q2"], [1, 0.5])[name]
        assert values(study, f"{name}@2", position_bias="rbp(p=0.5)")["pl", "q2"] == pytest.approx(expected)


def test_a_draw_has_no_expected_exposure() -> None:
    study = study_of({"pl/seed1": {"q": ["a"]}, "pl/seed2": {"q": ["b"]}}, {"q": {"a": 1}})
    message = "it is of all draws of a system together. Name the system, not pl/seed1."
    with pytest.raises(FairvizError, match=message):
        fairviz.evaluate(study, ["EE_L@2"], systems=("pl/seed1",))
