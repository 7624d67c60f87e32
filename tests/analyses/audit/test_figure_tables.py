"""Pairs against lists: rankers of both audits side by side, and none where integrity speaks against it."""

import math

import fairviz
from fairviz.analyses.audit.figure_tables import pairs_and_lists
from tests.analyses.counterfactuals.cases import triples
from tests.model_server import ModelServer


def test_rankers_side_by_side_and_a_model_that_goes_by_position(server: ModelServer) -> None:
    server.answer = lambda prompt: "1"
    study, rankers = triples(), f"bm25,llm(model='m',url='{server.address}')"
    pairwise = fairviz.audit(study, rankers)
    listwise = fairviz.audit(study, rankers, kind="listwise", per_list=4)
    table = pairs_and_lists(pairwise, listwise)
    assert table["system"].tolist() == ["bm25", "llm_pairwise-model=m"]
    anchor, model = table.to_dict("records")
    assert anchor["pairs"] == pairwise.table["preferred"].iloc[0]
    lists = listwise.by_attribute().query("system == 'bm25' and attribute == 'neutral'")
    assert anchor["lists"] == lists["preferred"].item()
    assert anchor["doubt"] == ""
    assert math.isfinite(anchor["lists"])
    assert math.isnan(anchor["lists_low"]), "three queries are too few for an interval"
    assert model["doubt"] == "its answers to pairs go by the order in which they are shown."
    assert math.isnan(model["pairs"])
