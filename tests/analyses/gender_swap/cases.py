"""Small studies for counterfactual lists."""

import pandas as pd

from fairviz.study.record import Study
from fairviz.study.study import make_study

TEXTS = {
    "f": "The woman drove her car through the town.",
    "m": "The man drove his car through the town.",
    "n": "The driver took a car through the village.",
    "x": "Mary repaired the engine of an old lorry.",
    "y": "An engine and a wheel lay in the garden.",
}
QUERIES = {"q1": "woman driving a car", "q2": "engine repair", "q3": "car in the village"}


def study(texts: dict[str, str | None] = TEXTS, queries: dict[str, str] = QUERIES, **parts) -> Study:
    documents = pd.DataFrame({"doc_id": list(texts), "title": "", "text": list(texts.values())})
    asked = pd.DataFrame({"query_id": list(queries), "text": list(queries.values())})
    return make_study("small", **{"documents": documents, "queries": asked, **parts})


def triples() -> Study:
    """One query with two documents in three wordings, one with one, and one with a wording too few."""
    rows = [
        ("a1", "a", "The driver and the car", "neutral", 1),
        ("a2", "a", "The woman and the car car", "female", 1),
        ("a3", "a", "The man and the car car", "male", 1),
        ("a4", "a", "car car car", "neutral", 0),
        ("a5", "a", "The woman drives", "female", 0),
        ("a6", "a", "The man and a car", "male", 0),
        ("b1", "b", "engine engine", "neutral", 1),
        ("b2", "b", "woman and engine", "female", 1),
        ("b3", "b", "man and engine", "male", 1),
        ("c1", "c", "a town", "neutral", 1),
        ("c2", "c", "a town of women", "female", 1),
    ]
    table = pd.DataFrame(rows, columns=["doc_id", "query_id", "text", "label", "relevance"])
    return make_study(
        "threefold",
        documents=table[["doc_id", "text", "query_id"]].assign(title=""),
        queries=pd.DataFrame({"query_id": ["a", "b", "c"], "text": ["car", "engine", "town"]}),
        labels=table[["doc_id", "label"]].assign(annotator="gold"),
        qrels=table[["query_id", "doc_id", "relevance"]],
    )
