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
from fairviz.study.record import Annotator
from fairviz.study.study import make_study

MEASURES = [parse(text, 10) for text in ("CWEx", "ExposureGap")]


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
        assert row["low"] <= row["tau"] <= row["high"]
        assert (row["systems"], row["queries"]) == (7, 40)
    same = order_validity(newswire, "project", "project", MEASURES, Settings())
    assert same["tau"].tolist() == [1, 1]


def test_queries_that_people_labelled_in_part_do_not_count(newswire) -> None:
    labels = newswire.labels[(newswire.labels["annotator"] != "project") | (newswire.labels["doc_id"] < "lee-150")]
    part = make_study(
        "part", runs=newswire.runs, queries=newswire.queries, labels=labels, annotators=newswire.annotators
    )
    row = order_validity(part, "lexicon", "project", MEASURES[:1], Settings(cutoff=3)).iloc[0]
    assert row["queries"] < 20
    few = order_validity(newswire, "lexicon", "project", MEASURES[:1], Settings(systems=("bm25", "rrf"))).iloc[0]
    assert np.isnan(few["tau"])


def test_a_measure_without_labels_is_refused(newswire) -> None:
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
