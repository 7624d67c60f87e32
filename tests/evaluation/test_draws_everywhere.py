"""A study with a stochastic system: every way to ask about systems answers, or leaves it out."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.running import analyse
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import gate
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.orders.ranges import value_scales
from fairviz.study.record import Study

DRAWS = ("pl/seed1", "pl/seed2", "pl/seed3")


def drawn_study(queries: int = 40) -> Study:
    """Return a study of bm25, w2v_add and three draws that reorder the documents of bm25. queries: how many."""
    newswire = fairviz.open_study("newswire")
    asked = newswire.queries.iloc[:queries]
    runs = newswire.runs[newswire.runs["system"].isin(["bm25", "w2v_add"])].astype({"system": "str", "query_id": "str"})
    runs, qrels = (table[table["query_id"].isin(asked["query_id"])] for table in (runs, newswire.qrels))
    generator = np.random.default_rng(0)
    drawn = []
    for name in DRAWS:
        shuffled = runs[runs["system"] == "bm25"].assign(system=name)
        drawn.append(shuffled.assign(score=generator.random(len(shuffled))).drop(columns="rank"))
    texts, labels = newswire.documents[["doc_id", "text"]], newswire.labels[newswire.labels["annotator"] == "project"]
    return fairviz.make_study(
        "drawn", runs=pd.concat([runs.drop(columns="rank"), *drawn]), queries=asked[["query_id", "text"]],
        documents=texts, labels=labels[["doc_id", "label"]], qrels=qrels,
    )  # fmt: skip


@pytest.fixture(scope="module")
def study() -> Study:
    return drawn_study()


def test_a_stochastic_system_has_a_range_and_no_chance_band(study):
    assert fairviz.chance(study, "CWEx", candidates="run")["system"].tolist() == ["bm25", "w2v_add"]
    with pytest.raises(FairvizError, match="pl has no chance band: its values are means over draws"):
        fairviz.chance(study, "CWEx", systems=("pl",))
    (row,) = fairviz.chance(study, "CWEx", systems=("pl/seed1",)).to_dict("records")
    assert row["low"] < row["chance"] < row["high"], "a draw of its own has a band"
    table = value_scales(study, "CWEx", candidates="run").set_index("system")
    assert table.loc["pl", "worst"] < table.loc["pl", "best"]
    assert table.loc["pl", ["chance", "outside"]].isna().all()
    assert table.loc["bm25", "chance_low"] < table.loc["bm25", "chance_high"]
    of_draws = fairviz.ranges(study, "CWEx", candidates="run", systems=DRAWS)
    assert table.loc["pl", "best"] == pytest.approx(of_draws["best"].mean())


def test_the_front_of_a_stochastic_system_is_of_the_documents_of_all_draws(study):
    table = fairviz.front_distances(study, "DPFR(nDCG,CWEx,candidates='run')").set_index("system")
    same = table.loc[["bm25", "pl"], ["reference_effectiveness", "reference_fairness"]]
    assert np.ptp(same.to_numpy(), axis=0) == pytest.approx([0, 0])  # the draws reorder the documents of bm25


def test_a_document_is_never_shown_if_no_draw_shows_it(study):
    table = analyse(study, "never-shown").table().set_index(["system", "group"])
    relevant = study.qrels[study.qrels["relevance"] > 0]["doc_id"].unique()
    labels = study.labels.set_index("doc_id")["label"].astype("str")
    male = {name for name in relevant if labels.get(name) == "male"}
    ranked = study.runs[study.runs["system"].isin(DRAWS) & (study.runs["rank"] <= 10)]
    assert table.loc[("pl", "male"), "never_shown"] == len(male - set(ranked["doc_id"]))


def test_a_gate_compares_the_means_over_draws(study):
    texts = ("never shown male rises by 0.9", "DPFR rises by 0.9", "CWEx falls by 0.9")
    conditions = [read_condition(text, Settings()) for text in texts]
    result = gate(study, "bm25", "pl", conditions, Settings())
    assert result.table["state"].tolist() == ["within"] * 3
    assert result.documents.empty
