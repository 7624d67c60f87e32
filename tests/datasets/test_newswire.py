"""The built-in study newswire: whole, and what comes from code comes out of the code again."""

import pandas as pd
import pytest

from fairviz.annotation.rules import annotate
from fairviz.datasets import BUILTIN
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import make_study


def test_it_holds_what_it_says_and_each_document_is_labelled_with_a_reason(newswire: Study) -> None:
    assert (len(newswire.documents), len(newswire.queries), len(newswire.systems)) == (343, 40, 9)
    assert newswire.documents["doc_id"].is_unique
    assert newswire.documents["text"].is_unique, "repeated documents of the corpus are one"
    assert newswire.queries["category"].nunique() == 7
    assert newswire.queries["bias_sensitive"].value_counts().to_dict() == {"no": 26, "yes": 14}
    assert chosen_annotator(newswire, Settings()) == "project"
    assert {name: who.kind for name, who in newswire.annotators.items()} == {
        "project": "mixed",
        "lexicon": "rule",
        "mentions": "rule",
    }
    assert "not human gold" in newswire.notices[0]
    assert not list(BUILTIN["newswire"].glob("documents*")), "the text is not copied into the project"
    project = newswire.labels[newswire.labels["annotator"] == "project"]
    assert set(project["doc_id"]) == set(newswire.documents["doc_id"])
    assert (project["rationale"].str.len() > 5).all()


def test_the_pool_is_judged(newswire: Study) -> None:
    runs = newswire.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    pool = runs[(runs["rank"] <= 5) & (runs["system"] != "perfect")]
    judged = set(zip(newswire.qrels["query_id"], newswire.qrels["doc_id"], strict=True))
    assert set(zip(pool["query_id"], pool["doc_id"], strict=True)) <= judged
    assert set(newswire.qrels["relevance"]) == {0, 1, 2}
    assert (newswire.qrels.groupby("query_id")["relevance"].max() == 2).all()


@pytest.mark.parametrize("name", ["bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "random", "perfect"])
def test_runs_come_out_of_the_rankers_again(newswire: Study, name: str) -> None:
    shipped, made = (
        runs[runs["system"] == name].astype({"query_id": "str", "doc_id": "str"}).sort_values(["query_id", "rank"])
        for runs in (newswire.runs, rank(newswire, parse_rankers(name)).runs)
    )
    assert made["doc_id"].tolist() == shipped["doc_id"].tolist()
    assert made["score"].tolist() == pytest.approx(shipped["score"].tolist(), rel=1e-6)


def test_rules_by_hand_and_those_of_the_shipped_labels(newswire: Study) -> None:
    for name in ("lexicon", "mentions"):
        shipped = newswire.labels[newswire.labels["annotator"] == name][["doc_id", "annotator", "label"]]
        pd.testing.assert_frame_equal(annotate(newswire, name), shipped.reset_index(drop=True))
    texts = {"a": "he ran", "b": "he and his dog", "c": "she saw him and his dog", "d": "a tree", "e": "her sister, he"}
    study = make_study("s", documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}))
    assert annotate(study, "lexicon")["label"].tolist() == ["neutral", "male", "male", "neutral", "female"]
    assert annotate(study, "mentions")["label"].tolist() == ["male", "male", "male", "neutral", "female"]
    with pytest.raises(FairvizError, match="there is no annotator 'oracle'"):
        annotate(study, "oracle")
