"""AWRF with the shares of a set as targets: by hand, without a set, and what the analysis `target-shares` shows."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError, UsageError
from fairviz.figures.style import LIGHT
from fairviz.measures.awrf import distance_of
from tests.made import labels_of, qrels_of, runs_of

LABELS = {"f1": "female", "f2": "female", "m1": "male", "m2": "male", "m3": "male", "n": "neutral", "m4": "male"}
LISTS = {"one": "f1 m1 n", "two": "m1 m2 m3"}  # candidates: one woman of four; m4 and f2 are retrieved by nobody
STUDY = {
    "runs": runs_of(LISTS),
    "labels": labels_of(LABELS),
    "qrels": qrels_of({"q": "f1 f2 m1"}),
    "documents": pd.DataFrame({"doc_id": [*LABELS, "u"], "text": ["a tree"] * 8}),
}


def values(measure: str, **parts) -> list[float]:
    study = fairviz.make_study("made", **{**STUDY, **parts})
    return fairviz.evaluate(study, measure, position_bias="uniform", cutoff=3)["value"].tolist()


@pytest.mark.parametrize(
    ("target", "women"), [("study", 1 / 2), ("candidates", 1 / 4), ("collection", 2 / 6), ("relevant", 2 / 3)]
)
def test_by_hand(target: str, women: float) -> None:
    """Half of the gendered exposure of `one` is of a woman, none of `two`; l1 of two groups is twice the difference."""
    expected = [2 * abs(1 / 2 - women), 2 * women]
    assert values(f"AWRF(target='{target}')") == pytest.approx(expected)
    root = [abs(1 / 2 - women), women]  # RNOD of two groups: sqrt((d² + d²) / 2)
    shares = np.array([[0.5, 0.0], [0.5, 1.0]])
    targets = np.full((2, 2), [[women], [1 - women]])
    assert distance_of(shares, targets, "rnod").tolist() == pytest.approx(root)


def test_labels_of_documents_that_no_table_has_count_as_relevant() -> None:
    assert values("AWRF(target='relevant')", documents=None) == pytest.approx([2 * abs(1 / 2 - 2 / 3), 4 / 3])


def test_without_the_set_there_is_no_value_and_no_sample(newswire) -> None:
    with pytest.raises(FairvizError, match="no relevance judgements"):
        values("AWRF(target='relevant')", qrels=None)
    with pytest.raises(FairvizError, match="no list of all documents"):
        values("AWRF(target='collection')", documents=None)
    assert np.isnan(values("AWRF(target='relevant')", qrels=qrels_of({"q": "n"}))).all()
    with pytest.raises(UsageError, match="documents that are in no sample"):
        fairviz.draw_sample(newswire, "queries", "AWRF(target='candidates')", 100, annotator="lexicon")


@pytest.mark.parametrize("target", ["candidates", "relevant", "collection"])
def test_the_parts_of_a_list_sum_to_its_value(target: str) -> None:
    study = fairviz.make_study("made", **STUDY)
    for distance in ("l1", "jsd"):
        measure = f"AWRF(distance='{distance}',target='{target}')@3"
        parts = fairviz.contributions(study, measure, "one", "q")
        assert parts["value"].sum() == pytest.approx(fairviz.evaluate(study, measure)["value"].iloc[0])


def test_the_sensitivity_analysis_computes_the_same(newswire) -> None:
    measures = ["AWRF(target='relevant')", "AWRF(target='collection')", "NFaiRR(of='labels',background='collection')"]
    found = fairviz.robustness(newswire, ["bm25", "w2v_add"], measures, ["unlabelled"])
    means = fairviz.summarise(fairviz.evaluate(newswire, measures, systems=["bm25"]))
    for row in means.itertuples():
        own = found.table[found.table["measure"] == row.measure]
        assert own["value_a"].to_numpy() == pytest.approx(row.value)


def test_shares_of_sets_and_of_exposure() -> None:
    study = fairviz.make_study("made", **STUDY)
    answer = analyse(study, "target-shares", fairviz.Settings(position_bias="uniform", cutoff=3))
    table = answer.table()
    women = table[table["group"] == "female"].set_index("of")["share"]
    assert women.to_dict() == pytest.approx(
        {"collection": 2 / 6, "candidates": 1 / 4, "relevant": 2 / 3, "one": 1 / 2, "two": 0.0}
    )
    assert answer.sentences[0] == (
        "Of gendered documents, female are 33% of the collection, 25% of the candidates, 67% of relevant documents."
    )
    distances = answer.table("distances").set_index(["system", "target"])["value"]
    assert distances["two", "relevant"] == pytest.approx(4 / 3)
    drawing = answer.analysis.figures["Shares in documents and in exposure"](answer.value, LIGHT)
    assert drawing.alt.endswith("0% to 50% of exposure by 2 systems.")
