"""Achievable fronts of queries, each way against every order of the candidates."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison.pareto_front import achievable, front_choice
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import unfairness
from fairviz.orders import achievable as ways
from fairviz.statistics.fronts import upper_front
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import runs_of

Array = np.ndarray
NAMES = [f"d{number}" for number in range(6)]
TEXTS = ("she saw", "he and he and a tree", "she and he and a boy", "a tree")


def every_list(seed: int, length: int, unlabelled: bool = False) -> Study:
    """Six documents, judged and labelled at random, and a system for each order of their first ranks."""
    generator = np.random.default_rng(seed)
    labels = generator.choice(["neutral", "female", "male"], 6)
    kept = slice(1, None) if unlabelled else slice(None)
    return make_study(
        "lists",
        runs=runs_of({str(number): order for number, order in enumerate(permutations(NAMES, length))}),
        labels=pd.DataFrame({"doc_id": NAMES[kept], "label": labels[kept]}),
        documents=pd.DataFrame({"doc_id": NAMES, "text": generator.choice(TEXTS, 6)}),
        qrels=pd.DataFrame({"query_id": "q", "doc_id": NAMES, "relevance": generator.integers(0, 3, 6)}),
    )


def by_evaluate(study: Study, effect: str, fairness: str, settings: Settings) -> Array:
    """Both measures of every list as `evaluate` has them, fairness turned so that more is fairer, (X, 2)."""
    choice = front_choice(f"DPFR({effect},{fairness})", settings)
    tables = []
    for question in (choice.effectiveness, choice.fairness):
        values = evaluate(study, question, settings)["value"].to_numpy()
        tables.append(-unfairness(question, values) if question.measure else values)
    tables[1] = tables[1] / choice.unit(np.array([0.5, 0.5]))
    return np.stack(tables, axis=1)


def front_by(monkeypatch: pytest.MonkeyPatch, study: Study, text: str, settings: Settings) -> tuple[Array, bool]:
    """The front without the shortcut for few candidates."""
    monkeypatch.setattr(ways, "MOST_ORDERS", 0)
    found = achievable(study, front_choice(text, settings), settings)
    return found.of_all.points, all(found.exact)


EXACT = [
    ("nDCG", "CWEx(alpha=0.3)"), ("P", "AbsExposureGap"), ("AP", "AWRF"), ("RR", "CWEx"), ("R", "CWEx(alpha=0.9)"),
    ("Success", "CWEx"), ("nDCG(dcg='exp-log2')", "CWEx"), ("nDCG@2", "CWEx@4"), ("P@4", "AWRF@2"),
    ("nDCG", "NFaiRR(tau=0)"), ("P", "NFaiRR(tau=1)"), ("R@2", "FaiRR(tau=0)@4"), ("nDCG@4", "NFaiRR(tau=0)@2"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "measures"), [*enumerate(EXACT)])
def test_an_exact_front_is_that_of_every_order(
    monkeypatch: pytest.MonkeyPatch, place: int, measures: tuple[str, str]
) -> None:
    effect, fairness = measures
    if fairness.startswith("FaiRR"):
        monkeypatch.setattr("fairviz.comparison.pareto_front.FrontChoice.range", lambda *_: (0.0, 1.0))
    for seed in range(2):
        bias = ("log2", "rbp(p=0.5)", "uniform")[(place + seed) % 3]
        settings = Settings(cutoff=3, position_bias=bias, effectiveness="nDCG")
        study = every_list(seed, 4, unlabelled=seed % 2 == 1)
        found, exact = front_by(monkeypatch, study, f"DPFR({effect},{fairness})", settings)
        wanted = upper_front(by_evaluate(study, effect, fairness, settings))
        assert exact
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def reaches(found: Array, every: Array) -> list[bool]:
    """Whether the front reaches the best of all orders, by each of eleven weights of the two; it never passes it."""
    share = []
    for weight in np.linspace(0, 1, 11):
        best, reached = (np.nanmax(points @ np.array([1 - weight, weight])) for points in (every, found))
        assert reached <= best + 1e-9
        share.append(reached >= best - 1e-9)
    return share


def test_what_is_searched_is_inside_the_achievable_front_and_finds_most_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(cutoff=3)
    few = every_list(5, 3)  # few candidates are tried in every order
    tried = achievable(few, front_choice("DPFR(nDCG,TExFAIR)", settings), settings)
    assert tried.exact
    wanted = upper_front(by_evaluate(few, "nDCG", "TExFAIR", settings))
    np.testing.assert_allclose(tried.of_all.points, wanted, atol=1e-9)
    among, alone = [], []
    for seed, (effect, fairness) in enumerate([("nDCG", "TExFAIR"), ("AP", "NFaiRR"), ("nDCG", "TED")] * 2):
        study = every_list(seed, 3)
        found, exact = front_by(monkeypatch, study, f"DPFR({effect},{fairness})", settings)
        assert not exact
        among += reaches(found, by_evaluate(study, effect, fairness, settings))
        one = make_study("alone", runs=runs_of({"0": NAMES}), labels=study.labels[["doc_id", "label"]].astype("str"),
                         documents=study.documents[["doc_id", "text"]], qrels=study.qrels)  # fmt: skip
        found, _ = front_by(monkeypatch, one, "DPFR(nDCG,TExFAIR)", settings)
        alone += reaches(found, by_evaluate(study, "nDCG", "TExFAIR", settings))
    assert np.mean(among) > 0.9  # all systems' lists are among the points here
    assert np.mean(alone) > 0.8
