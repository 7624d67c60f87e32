"""One label a document out of several annotators' labels."""

import warnings

import pandas as pd

from fairviz.errors import FairvizError

CONSENSUSES = ("majority", "dawid-skene")
ITERATIONS = 100


def consensus(labels: pd.DataFrame, method: str, annotators: list[str] | None = None) -> pd.DataFrame:
    """The consensus of these annotators (default all) as an annotator of its own: doc_id, annotator, label.

    `majority`: the most frequent label; a tie is left open, so the document has no row. `dawid-skene`: the most
    probable label under Dawid and Skene's model of each annotator's confusions (crowd-kit; Dawid and Skene 1979).
    Rows in the order in which documents first appear. Raises FairvizError for an unknown method.
    """
    if method not in CONSENSUSES:
        raise FairvizError(f"unknown consensus {method!r}", f"Use one of {', '.join(CONSENSUSES)}.")
    if annotators is not None:
        labels = labels[labels["annotator"].isin(annotators)]
    if not len(labels):
        return labels[["doc_id", "annotator", "label"]]
    chosen = _majority(labels) if method == "majority" else _dawid_skene(labels)
    order = labels["doc_id"].drop_duplicates()
    chosen = chosen.reindex(order).dropna()
    return pd.DataFrame(
        {"doc_id": chosen.index.astype("str"), "annotator": method, "label": chosen.to_numpy()}
    ).astype({"annotator": "str", "label": "str"})  # fmt: skip


def _majority(labels: pd.DataFrame) -> pd.Series:
    votes = labels.groupby(["doc_id", "label"], sort=False).size().rename("votes").reset_index()
    most = votes.groupby("doc_id")["votes"].transform("max")
    winners = votes[votes["votes"] == most]
    return winners.drop_duplicates("doc_id", keep=False).set_index("doc_id")["label"]


def _dawid_skene(labels: pd.DataFrame) -> pd.Series:
    from crowdkit.aggregation import DawidSkene

    table = labels.rename(columns={"doc_id": "task", "annotator": "worker"})[["task", "worker", "label"]]
    with warnings.catch_warnings():  # crowd-kit 1.4.2 calls pandas in a way that pandas 3.1 will retire
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        return DawidSkene(n_iter=ITERATIONS).fit_predict(table)
