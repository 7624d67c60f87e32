"""Kendall's tau between the orders of systems under a machine's and under people's labels."""

import numpy as np
import pytest
from scipy.stats import kendalltau

import fairviz
from fairviz.analyses.annotator_accuracy.order_validity import of_one_family, order_validity
from fairviz.annotation.annotators.llm import LLM
from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.statistics.orders import top_tau
from fairviz.study.record import Annotator
from fairviz.study.study import make_study

MEASURES = [parse(text, 10) for text in ("CWEx", "ExposureGap")]


def slow_ap(values: np.ndarray, truth: np.ndarray) -> float:
    """The AP correlation of an order without ties: 2 / (n - 1) Σ C(i) / (i - 1) - 1."""
    order = [truth[place] for place in np.argsort(values)]
    shares = [sum(above < order[rank] for above in order[:rank]) / rank for rank in range(1, len(order))]
    return 2 * float(np.mean(shares)) - 1


def test_tau_is_that_of_scipy_and_inside_its_interval(newswire) -> None:
    table = order_validity(newswire, "lexicon", "project", MEASURES, Settings())
    for (_, row), measure in zip(table.iterrows(), MEASURES, strict=True):
        means = [
            fairviz.summarise(fairviz.evaluate(newswire, measure.text, annotator=name)).set_index("system")["value"]
            for name in ("lexicon", "project")
        ]
        own = [name for name in newswire.systems if name not in ("perfect", "random")]
        first, second = (np.abs(one[own]) if measure.direction == "zero" else one[own] for one in means)
        assert row["tau"] == pytest.approx(kendalltau(first, second).statistic)
        far, near = (np.abs(one[own]) if measure.direction == "zero" else -one[own] for one in means)
        assert row["tau_ap"] == pytest.approx(slow_ap(far.to_numpy(), near.to_numpy()))
        assert row["tau_top"] == pytest.approx(top_tau(far.to_numpy()[None], near.to_numpy()[None], 3)[0])
        for name in ("tau", "tau_ap", "tau_top"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert (row["systems"], row["queries"], row["queries_all"]) == (7, 40, 40)
        assert (row["labelled"], row["labelled_people"]) == (1, 1)
    same = order_validity(newswire, "project", "project", MEASURES, Settings())
    assert same[["tau", "tau_ap", "tau_top"]].to_numpy() == pytest.approx(1)


def test_queries_that_people_labelled_in_part_do_not_count(newswire) -> None:
    labels = newswire.labels[(newswire.labels["annotator"] != "project") | (newswire.labels["doc_id"] < "lee-150")]
    part = make_study(
        "part", runs=newswire.runs, queries=newswire.queries, labels=labels, annotators=newswire.annotators
    )
    row = order_validity(part, "lexicon", "project", MEASURES[:1], Settings(cutoff=3)).iloc[0]
    assert row["queries"] < 20
    assert row["queries_all"] == 40
    assert row["labelled_people"] < 0.8
    assert row["labelled"] == 1
    few = order_validity(newswire, "lexicon", "project", MEASURES[:1], Settings(systems=("bm25", "rrf"))).iloc[0]
    assert np.isnan(few["tau"])
    with pytest.raises(UsageError, match=r"NFaiRR.* reads no labels"):
        order_validity(newswire, "lexicon", "project", [parse("NFaiRR", 10)], Settings())


def test_models_of_one_family_are_named(newswire) -> None:
    names = {"bm25": "llm_pointwise-model=gpt-4o", "rrf": "llm-model=SmolLM2", "qlm": "gptune", "tfidf": "tfidf"}
    runs = newswire.runs[newswire.runs["system"].isin(names)]
    runs = runs.assign(system=runs["system"].astype("str").map(names))
    machine = "llm-model=gpt-4.1"
    text = f"{LLM.name} (model=gpt-4.1, prompt=zero-shot): {LLM.summary}."
    labels = newswire.labels[newswire.labels["annotator"] == "lexicon"].assign(annotator=machine)
    own = make_study("own", runs=runs, labels=labels, annotators={machine: Annotator(machine, "model", text)})
    assert of_one_family(own, machine) == ("llm_pointwise-model=gpt-4o",)
    assert of_one_family(newswire, "lexicon") == ()
