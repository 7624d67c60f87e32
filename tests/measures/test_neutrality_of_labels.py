"""NFaiRR(of='labels'): by hand, by the parts of a list, and against every order of a few documents."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.evaluation.settings import Settings
from tests.made import labels_of, qrels_of, runs_of

LABELS = {"n1": "neutral", "n2": "neutral", "f": "female", "m": "male", "u": None, "n3": "neutral"}
OF_LABELS = ["NFaiRR(of='labels')@4", "NFaiRR(of='labels',background='collection')@4", "FaiRR(of='labels')@4"]


def made(lists: dict[str, str], labels: pd.DataFrame | None = None):
    documents = pd.DataFrame({"doc_id": list(LABELS), "text": ["a tree"] * len(LABELS)})
    labels = labels_of(LABELS) if labels is None else labels
    return fairviz.make_study(
        "made", runs=runs_of(lists), labels=labels, documents=documents, qrels=qrels_of({"q": "f"})
    )


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
def test_by_hand(unlabelled: str, candidates: float, collection: float) -> None:
    scores = fairviz.evaluate(
        made({"one": "f n1 u n2"}), OF_LABELS[:2], position_bias="reciprocal", unlabelled=unlabelled
    )
    assert scores["value"].tolist() == pytest.approx([candidates, collection], nan_ok=True)
    assert scores["labelled"].tolist() == [3, 3]


def test_shares_of_several_groups_and_lists_without_labels() -> None:
    """p = 1, 1/2: a document that is neutral by a quarter, then a neutral one: (1/4 + 1/2) / (1 + 1/8)."""
    rows = [("f", "ann", "female", 0.75), ("f", "ann", "neutral", 0.25), ("n1", "ann", "neutral", 1.0)]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "share"])
    scores = fairviz.evaluate(made({"one": "f n1"}, labels), OF_LABELS[0], position_bias="reciprocal")
    assert scores["value"].item() == pytest.approx(0.75 / 1.125)
    scores = fairviz.evaluate(made({"one": "u", "two": "f m n1"}), OF_LABELS)
    assert scores["value"].isna().tolist() == [True, False] * 3


@pytest.mark.parametrize("unlabelled", ["skip", "neutral"])
def test_the_parts_of_a_list_sum_to_its_value(unlabelled: str) -> None:
    study, settings = made({"one": "f n1 u n2 m", "two": "n1 n2 n3"}), Settings(unlabelled=unlabelled)
    for measure in OF_LABELS:
        parts = fairviz.contributions(study, measure, "one", "q", settings=settings)
        assert parts["value"].sum() == pytest.approx(fairviz.evaluate(study, measure, settings)["value"].iloc[0])


@pytest.mark.parametrize("documents", ["n1 f m u", "n1 n2 f u m"])
@pytest.mark.parametrize("measure", OF_LABELS)
def test_the_ends_over_all_orders_are_those_of_every_order(measure: str, documents: str) -> None:
    names = documents.split()
    study = made({"one": documents})
    orders = {f"o{place}": " ".join(order) for place, order in enumerate(permutations(names))}
    values = fairviz.evaluate(made(orders), measure)["value"]
    found = fairviz.ranges(study, measure, candidates="run").iloc[0]
    assert (found["worst"], found["best"]) == pytest.approx((values.min(), values.max()))
    tied = runs_of({"one": documents}).assign(score=1.0)
    ends = fairviz.ties(
        fairviz.make_study("tied", runs=tied, labels=labels_of(LABELS), documents=study.documents), measure
    ).iloc[0]
    assert (ends["smallest"], ends["largest"]) == pytest.approx((values.min(), values.max()))


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
