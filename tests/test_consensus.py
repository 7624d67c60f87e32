"""Consensus labels."""

import pandas as pd
import pytest

from fairviz.consensus import consensus
from fairviz.errors import FairvizError

LABELS = pd.DataFrame(
    [("a", "x", "f"), ("a", "y", "f"), ("a", "z", "m"), ("b", "x", "m"), ("b", "y", "f"), ("c", "z", "n")],
    columns=["doc_id", "annotator", "label"],
    dtype="str",
)


def test_majority_leaves_a_tie_open() -> None:
    result = consensus(LABELS, "majority")
    assert result.to_numpy().tolist() == [["a", "majority", "f"], ["c", "majority", "n"]]


def test_only_the_named_annotators_vote() -> None:
    assert consensus(LABELS, "majority", ["x"])["label"].tolist() == ["f", "m"]
    assert len(consensus(LABELS, "majority", ["nobody"])) == 0


def test_dawid_skene_labels_every_document_and_trusts_whoever_agrees() -> None:
    rows = [(f"d{i}", who, "f" if i % 2 else "m") for i in range(12) for who in ("x", "y")]
    rows += [(f"d{i}", "contrary", "m" if i % 2 else "f") for i in range(12)]
    result = consensus(pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str"), "dawid-skene")
    assert result["label"].tolist() == ["f" if i % 2 else "m" for i in range(12)]
    assert set(result["annotator"]) == {"dawid-skene"}


def test_an_unknown_consensus() -> None:
    with pytest.raises(FairvizError, match="unknown consensus 'median'"):
        consensus(LABELS, "median")
