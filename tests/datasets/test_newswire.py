"""The built-in study newswire: whole, and what comes from code comes out of the code again."""

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.rules import ANNOTATORS, annotate
from fairviz.datasets import BUILTIN
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import make_study


@pytest.fixture(scope="module")
def study() -> Study:
    return fairviz.open_study("newswire")


def test_it_holds_what_it_says(study: Study) -> None:
    assert (len(study.documents), len(study.queries), len(study.systems)) == (343, 40, 9)
    assert study.documents["doc_id"].is_unique
    assert study.documents["text"].is_unique, "repeated documents of the corpus are one"
    assert study.queries["category"].nunique() == 7
    assert study.queries["bias_sensitive"].value_counts().to_dict() == {"no": 26, "yes": 14}
    assert chosen_annotator(study, Settings()) == "project"
    assert {name: who.kind for name, who in study.annotators.items()} == {
        "project": "mixed",
        "lexicon": "rule",
        "mentions": "rule",
    }
    assert "not human gold" in study.notices[0]


def test_every_document_is_labelled_with_a_reason(study: Study) -> None:
    project = study.labels[study.labels["annotator"] == "project"]
    assert set(project["doc_id"]) == set(study.documents["doc_id"])
    assert (project["rationale"].str.len() > 5).all()


def test_the_pool_is_judged(study: Study) -> None:
    runs = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    pool = runs[(runs["rank"] <= 5) & (runs["system"] != "perfect")]
    judged = set(zip(study.qrels["query_id"], study.qrels["doc_id"], strict=True))
    assert set(zip(pool["query_id"], pool["doc_id"], strict=True)) <= judged
    assert set(study.qrels["relevance"]) == {0, 1, 2}
    assert (study.qrels.groupby("query_id")["relevance"].max() == 2).all()


@pytest.mark.parametrize("name", list(ANNOTATORS))
def test_labels_from_code_come_out_of_the_code_again(study: Study, name: str) -> None:
    shipped = study.labels[study.labels["annotator"] == name][["doc_id", "annotator", "label"]]
    pd.testing.assert_frame_equal(annotate(study, name), shipped.reset_index(drop=True))


@pytest.mark.parametrize("name", ["bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "random", "perfect"])
def test_runs_come_out_of_the_rankers_again(study: Study, name: str) -> None:
    shipped, made = (
        runs[runs["system"] == name].astype({"query_id": "str", "doc_id": "str"}).sort_values(["query_id", "rank"])
        for runs in (study.runs, rank(study, parse_rankers(name)).runs)
    )
    assert made["doc_id"].tolist() == shipped["doc_id"].tolist()
    assert made["score"].tolist() == pytest.approx(shipped["score"].tolist(), rel=1e-6)


def test_the_text_is_not_copied_into_the_project() -> None:
    assert not list(BUILTIN["newswire"].glob("documents*"))


def test_rules_by_hand() -> None:
    texts = {"a": "he ran", "b": "he and his dog", "c": "she saw him and his dog", "d": "a tree", "e": "her sister, he"}
    study = make_study("s", documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}))
    assert annotate(study, "lexicon")["label"].tolist() == ["neutral", "male", "male", "neutral", "female"]
    assert annotate(study, "mentions")["label"].tolist() == ["male", "male", "male", "neutral", "female"]
    with pytest.raises(FairvizError, match="there is no annotator 'oracle'"):
        annotate(study, "oracle")
