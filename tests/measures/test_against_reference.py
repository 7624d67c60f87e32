"""The fast arrays against slow references: on studies that Hypothesis makes up, and expected exposure, read off the
definitions of Diaz and others and the authors' code."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, RUNS, conform
from fairviz.words.counting import Lexicon
from tests.made import labels_of, qrels_of, runs_of
from tests.reference import Slow, weight

THREE = Lexicon("three", (("he", "male"), ("him", "male"), ("she", "female"), ("her", "female"), ("they", "other")))
WORDS = ["he", "She", "her", "him", "they", "cat", "dog.", "man,", "—"]
CUSTOM = (0.2, 0.9, 0.0, 0.4)


def made_up(draw: st.DrawFn, groups: tuple[str, ...]) -> Study:
    size = draw(st.integers(1, 9))
    names = [f"d{i}" for i in range(size)]
    text = st.none() | st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
    texts = [*draw(st.lists(text, min_size=size, max_size=size)), "he"]  # a list of which nothing occurs is refused
    documents = pd.DataFrame({"doc_id": [*names, "in no run"], "text": texts})
    label = st.sampled_from([None, "neutral", *groups])
    labels = zip(names, draw(st.lists(label, min_size=size, max_size=size)), strict=True)
    runs = []
    for system in ("one", "two"):
        for query in ("q1", "q2", "q3"):
            found = draw(st.lists(st.sampled_from(names), unique=True, max_size=size))
            runs += [
                (system, query, doc, rank, float(draw(st.integers(0, 2)))) for rank, doc in enumerate(found, start=1)
            ]
    return Study(
        "made-up",
        groups=groups,
        documents=conform(documents.astype({"text": "str"}), DOCUMENTS),
        labels=conform(labels_of(dict(labels)), LABELS),
        runs=conform(pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]), RUNS),
        lexicon=THREE,
        fingerprint="made-up",
    )


studies = st.composite(made_up)


def reference(study: Study, choices: dict) -> Callable[[str, int, dict], dict[tuple[str, str], float]]:
    """What computes one measure of every ranking: its name in `Slow`, the cutoff, and its parameters."""
    custom, bias = choices.get("custom_bias", ()), choices["position_bias"]

    def p(i: int, cutoff: int) -> float:
        if bias == "custom":
            return custom[i - 1] if i <= len(custom) else 0.0
        return weight(bias, i, cutoff)

    slow = Slow(
        dict(study.lexicon.words), study.groups, study.protected, choices["tokenizer"], choices["unlabelled"], p
    )
    labels = dict(zip(study.labels.doc_id, study.labels.label, strict=True))
    documents = {
        row.doc_id: {"label": labels.get(row.doc_id), "text": None if pd.isna(row.text) else row.text}
        for row in study.documents.itertuples()
    }
    lists: dict[tuple[str, str], list[str]] = {}
    rows = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    for row in sorted(rows.itertuples(), key=lambda r: (-r.score, r.rank, r.doc_id)):
        lists.setdefault((row.system, row.query_id), []).append(row.doc_id)
    candidates = {query: {doc for (_, q), found in lists.items() if q == query for doc in found} for _, query in lists}

    def scores(name: str, k: int, parameters: dict) -> dict[tuple[str, str], float]:
        out = {}
        for (system, query), found in lists.items():
            others, given = [], dict(parameters)
            if background := given.pop("background", ""):
                names = documents if background == "collection" else sorted(candidates[query])
                others = [*given.values(), [documents[doc] for doc in names]]
                given = {}
            out[system, query] = getattr(slow, name)([documents[doc] for doc in found], k, *others, **given)
        return out

    return scores


CASES = [
    ("exposure", "Exposure(group='female')", {"group": "female"}),
    ("exposure", "Exposure(group='neutral')", {"group": "neutral"}),
    ("cwex", "CWEx(alpha=0.3)", {"alpha": 0.3}),
    ("gap", "ExposureGap", {}),
    ("awrf", "AWRF", {"distance": "l1"}),
    ("awrf", "AWRF(distance='jsd')", {"distance": "jsd"}),
    ("awrf_of_set", "AWRF(target='candidates')", {"distance": "l1", "background": "candidates"}),
    ("awrf_of_set", "AWRF(target='collection')", {"distance": "l1", "background": "collection"}),
    ("awrf_of_set", "AWRF(distance='jsd',target='candidates')", {"distance": "jsd", "background": "candidates"}),
    ("ratio", "GroupExposureRatio", {}),
    ("fairr", "FaiRR(tau=0)", {"tau": 0}),
    ("nfairr", "NFaiRR(tau=1)", {"tau": 1, "background": "candidates"}),
    ("nfairr", "NFaiRR(tau=0,background='collection')", {"tau": 0, "background": "collection"}),
    ("fairr_of_labels", "FaiRR(of='labels')", {}),
    ("nfairr_of_labels", "NFaiRR(of='labels')", {"background": "candidates"}),
    ("nfairr_of_labels", "NFaiRR(of='labels',background='collection')", {"background": "collection"}),
    ("rbdf", "RBDF", {}),
    ("ted", "TED", {"rbdf": True}),
    ("ted", "TED(rbdf=False)", {"rbdf": False}),
    ("texfair", "TExFAIR", {"rbdf": True}),
    ("rab", "RaB", {"magnitude": "tf"}),
    ("rab", "RaB(magnitude='tc')", {"magnitude": "tc"}),
    ("rab", "RaB(magnitude='bool')", {"magnitude": "bool"}),
    ("arab", "ARaB", {"magnitude": "tf"}),
]


@given(data=st.data())
def test_every_measure_agrees_with_the_slow_reference(data) -> None:
    """All measures of one study at once: to lay out a study costs more than any measure."""
    groups = data.draw(st.sampled_from([("female", "male"), ("male", "female", "other")]))
    study = data.draw(studies(groups))
    bias = data.draw(st.sampled_from(["log2", "reciprocal", "rbp(p=0.7)", "linear", "uniform", "custom"]))
    choices = {
        "position_bias": bias,
        "unlabelled": data.draw(st.sampled_from(["skip", "neutral", "strict"])),
        "tokenizer": data.draw(st.sampled_from(["word", "whitespace"])),
    }
    if bias == "custom":
        choices["custom_bias"] = CUSTOM
    k = data.draw(st.integers(1, 12))
    if not study.has("runs") or not study.has("labels") or study.documents.text.isna().all():
        return
    texts = {ask(f"{text}@{k}", Settings(**choices)).text: (name, parameters) for name, text, parameters in CASES}
    scores = evaluate(study, list(texts), **choices)
    assert {*scores["measure"]} == {*texts}
    slow = reference(study, choices)
    expected = {measure: slow(name, k, parameters) for measure, (name, parameters) in texts.items()}
    keys = zip(scores["measure"], scores["system"], scores["query_id"], strict=True)
    wanted = [expected[measure].get((system, query), math.nan) for measure, system, query in keys]
    np.testing.assert_allclose(scores["value"], wanted, rtol=0, atol=1e-12)


SEVEN = tuple("abcdefg")
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


def expected_exposures(lists: list[list[str]], grades: dict[str, int], weights: list[float]) -> dict[str, float]:
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
def draws_and_judgements(draw: st.DrawFn) -> tuple[Lists, dict[str, dict[str, int]]]:
    ranking = st.lists(st.sampled_from(SEVEN), unique=True, min_size=1, max_size=6)
    runs = ["one", *(f"pl/seed{number}" for number in range(1, draw(st.integers(1, 4)) + 1))]
    lists = {run: {query: draw(ranking) for query in ("q1", "q2")} for run in runs}
    grade = st.integers(-1, 3)
    judged = {query: {name: draw(grade) for name in (*SEVEN, "never")} for query in ("q1", "q2")}
    return lists, judged


@given(content=draws_and_judgements(), k=st.integers(1, 8))
def test_against_the_reference(content: tuple[Lists, dict[str, dict[str, int]]], k: int) -> None:
    lists, judged = content
    study = study_of(lists, judged)
    weights = [1 / np.log2(1 + rank) for rank in range(1, k + 1)]
    scores = fairviz.evaluate(study, [f"{name}@{k}" for name in NAMES])
    found = {(row.measure, row.system, row.query_id): row.value for row in scores.itertuples()}
    for query in ("q1", "q2"):
        for system in ("one", "pl"):
            mine = [by_query[query] for run, by_query in lists.items() if run.partition("/")[0] == system]
            for name, expected in expected_exposures(mine, judged[query], weights).items():
                assert found[f"{name}@{k}", system, query] == pytest.approx(expected, abs=1e-9, nan_ok=True), name


def test_a_draw_without_the_query_is_left_out_and_one_draw_has_no_expected_exposure() -> None:
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
        expected = expected_exposures(mine, judged["q2"], [1, 0.5])[name]
        assert values(study, f"{name}@2", position_bias="rbp(p=0.5)")["pl", "q2"] == pytest.approx(expected)
    study = study_of({"pl/seed1": {"q": ["a"]}, "pl/seed2": {"q": ["b"]}}, {"q": {"a": 1}})
    message = "it is of all draws of a system together. Name the system, not pl/seed1."
    with pytest.raises(FairvizError, match=message):
        fairviz.evaluate(study, ["EE_L@2"], systems=("pl/seed1",))
