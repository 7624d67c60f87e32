"""Measures of labels with a set of documents behind them: AWRF with the shares of a set as targets, what the analysis
`target-shares` shows, and NFaiRR(of='labels'), by hand, by the parts of a list, and against every order of a few
documents."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError, UsageError
from fairviz.figures.style import LIGHT
from fairviz.measures.awrf import distance_of
from fairviz.study.record import Study
from tests.made import labels_of, qrels_of, runs_of

LABELS = {"f1": "female", "f2": "female", "m1": "male", "m2": "male", "m3": "male", "n": "neutral", "m4": "male"}
LISTS = {"one": "f1 m1 n", "two": "m1 m2 m3"}  # candidates: one woman of four; m4 and f2 are retrieved by nobody
STUDY = {
    "runs": runs_of(LISTS),
    "labels": labels_of(LABELS),
    "qrels": qrels_of({"q": "f1 f2 m1"}),
    "documents": pd.DataFrame({"doc_id": [*LABELS, "u"], "text": ["a tree"] * 8}),
}


def shares(**parts) -> Study:
    return fairviz.make_study("made", **{**STUDY, **parts})


def values(measure: str, **parts) -> list[float]:
    return fairviz.evaluate(shares(**parts), measure, position_bias="uniform", cutoff=3)["value"].tolist()


@pytest.mark.parametrize(
    ("target", "women"), [("study", 1 / 2), ("candidates", 1 / 4), ("collection", 2 / 6), ("relevant", 2 / 3)]
)
def test_targets_by_hand(target: str, women: float) -> None:
    """Half of the gendered exposure of `one` is of a woman, none of `two`; l1 of two groups is twice the difference."""
    expected = [2 * abs(1 / 2 - women), 2 * women]
    assert values(f"AWRF(target='{target}')") == pytest.approx(expected)
    if target == "relevant":
        assert values("AWRF(target='relevant')", documents=None) == pytest.approx(expected), "of documents in no table"
    root = [abs(1 / 2 - women), women]  # RNOD of two groups: sqrt((d² + d²) / 2)
    targets = np.full((2, 2), [[women], [1 - women]])
    assert distance_of(np.array([[0.5, 0.0], [0.5, 1.0]]), targets, "rnod").tolist() == pytest.approx(root)


def test_without_the_set_there_is_no_value_and_no_sample(newswire) -> None:
    with pytest.raises(FairvizError, match="no relevance judgements"):
        values("AWRF(target='relevant')", qrels=None)
    with pytest.raises(FairvizError, match="no list of all documents"):
        values("AWRF(target='collection')", documents=None)
    assert np.isnan(values("AWRF(target='relevant')", qrels=qrels_of({"q": "n"}))).all()
    with pytest.raises(UsageError, match="documents that are in no sample"):
        fairviz.draw_sample(newswire, "queries", "AWRF(target='candidates')", 100, annotator="lexicon")


def test_the_sensitivity_analysis_computes_the_same(newswire) -> None:
    measures = ["AWRF(target='relevant')", "AWRF(target='collection')", "NFaiRR(of='labels',background='collection')"]
    found = fairviz.robustness(newswire, ["bm25", "w2v_add"], measures, ["unlabelled"])
    means = fairviz.summarise(fairviz.evaluate(newswire, measures, systems=["bm25"]))
    for row in means.itertuples():
        own = found.table[found.table["measure"] == row.measure]
        assert own["value_a"].to_numpy() == pytest.approx(row.value)


def test_shares_of_sets_and_of_exposure() -> None:
    answer = analyse(shares(), "target-shares", fairviz.Settings(position_bias="uniform", cutoff=3))
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


# --- NFaiRR of labels


NEUTRAL = {"n1": "neutral", "n2": "neutral", "f": "female", "m": "male", "u": None, "n3": "neutral"}
OF_LABELS = ["NFaiRR(of='labels')@4", "NFaiRR(of='labels',background='collection')@4", "FaiRR(of='labels')@4"]


def neutral(lists: dict[str, str], **parts: pd.DataFrame) -> Study:
    documents = pd.DataFrame({"doc_id": [*NEUTRAL], "text": "a tree"})
    given = {"runs": runs_of(lists), "labels": labels_of(NEUTRAL), "qrels": qrels_of({"q": "f"})}
    return fairviz.make_study("made", documents=documents, **{**given, **parts})


@pytest.mark.parametrize(
    ("unlabelled", "candidates", "collection"),
    [
        # p = 1, 1/2, 1/3, 1/4; list f n1 u n2: the ideal leaves out the third place, whose document has no label
        ("skip", (1 / 2 + 1 / 4) / (1 + 1 / 2), (1 / 2 + 1 / 4) / (1 + 1 / 2 + 1 / 4)),
        # u is neutral too: candidates hold three neutral documents, the collection four
        ("neutral", (1 / 2 + 1 / 3 + 1 / 4) / (1 + 1 / 2 + 1 / 3), (1 / 2 + 1 / 3 + 1 / 4) / (25 / 12)),
        ("strict", np.nan, np.nan),
    ],
)
def test_ideals_by_hand(unlabelled: str, candidates: float, collection: float) -> None:
    scores = fairviz.evaluate(
        neutral({"one": "f n1 u n2"}), OF_LABELS[:2], position_bias="reciprocal", unlabelled=unlabelled
    )
    assert scores["value"].tolist() == pytest.approx([candidates, collection], nan_ok=True)
    assert scores["labelled"].tolist() == [3, 3]


def test_shares_of_several_groups_and_lists_without_labels() -> None:
    """p = 1, 1/2: a document that is neutral by a quarter, then a neutral one: (1/4 + 1/2) / (1 + 1/8)."""
    rows = [("f", "ann", "female", 0.75), ("f", "ann", "neutral", 0.25), ("n1", "ann", "neutral", 1.0)]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "share"])
    scores = fairviz.evaluate(neutral({"one": "f n1"}, labels=labels), OF_LABELS[0], position_bias="reciprocal")
    assert scores["value"].item() == pytest.approx(0.75 / 1.125)
    scores = fairviz.evaluate(neutral({"one": "u", "two": "f m n1"}), OF_LABELS)
    assert scores["value"].isna().tolist() == [True, False] * 3


@pytest.mark.parametrize(
    "study", [shares(), neutral({"one": "f n1 u n2 m", "two": "n1 n2 n3"})], ids=["of shares", "of labels"]
)
def test_the_parts_of_a_list_sum_to_its_value(study: Study) -> None:
    targets = [f"AWRF(distance='{distance}',target='{target}')@3" for distance in ("l1", "jsd")
               for target in ("candidates", "relevant", "collection")]  # fmt: skip
    for unlabelled in ("skip", "neutral"):
        values = fairviz.evaluate(study, [*targets, *OF_LABELS], unlabelled=unlabelled, systems=("one",))["value"]
        for measure, value in zip((*targets, *OF_LABELS), values, strict=True):
            parts = fairviz.contributions(study, measure, "one", "q", unlabelled=unlabelled)
            assert parts["value"].sum() == pytest.approx(value), measure


@pytest.mark.parametrize("documents", ["n1 f m u", "n1 n2 f u m"])
def test_the_ends_over_all_orders_are_those_of_every_order(documents: str) -> None:
    orders = {f"o{place}": " ".join(order) for place, order in enumerate(permutations(documents.split()))}
    values = fairviz.evaluate(neutral(orders), OF_LABELS)["value"].to_numpy().reshape(len(OF_LABELS), -1)
    ends = np.stack([values.min(axis=1), values.max(axis=1)], axis=1)
    found = fairviz.ranges(neutral({"one": documents}), OF_LABELS, candidates="run")
    np.testing.assert_allclose(found[["worst", "best"]], ends)
    tied = neutral({}, runs=runs_of({"one": documents}).assign(score=1.0))
    np.testing.assert_allclose(fairviz.ties(tied, OF_LABELS)[["smallest", "largest"]], ends)


def test_the_front_of_labels_has_the_ideal_of_each_query() -> None:
    """Two queries with the same labels, too long for all orders, and ideals of one and of two neutral documents: the
    fairest order of each has the value 1."""
    gendered = [f"f{place}" for place in range(150)] + [f"m{place}" for place in range(150)]
    lists = {("one", "q1"): ["n1", *gendered], ("one", "q2"): ["n1", "n2", *gendered]}
    labels = {"n1": "neutral", "n2": "neutral"} | {
        name: "female" if name.startswith("f") else "male" for name in gendered
    }
    qrels = qrels_of({"q1": "f1", "q2": "f1"})
    study = fairviz.make_study("made", runs=runs_of(lists), labels=labels_of(labels), qrels=qrels)
    front = fairviz.achievable_front(study, "DPFR(nDCG,NFaiRR(of='labels'))", cutoff=2)
    assert front["fairness"].max() == pytest.approx(1.0)
    assert front["exact"].all()
