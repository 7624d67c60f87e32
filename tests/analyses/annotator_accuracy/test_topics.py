"""Topics of documents, by which agreement can be split."""

import pandas as pd
import pytest

import fairviz
from fairviz.analyses.annotator_accuracy.labellers import annotator_table
from fairviz.analyses.annotator_accuracy.raters import COUNT, TOPIC, columns, has_topics, topics
from fairviz.study.study import make_study

SUBJECTS = ("goal striker match keeper", "budget minister tax parliament", "violin orchestra concert symphony")


def study_of(texts: list[str], **columns: object):
    table = pd.DataFrame({"doc_id": [f"d{n}" for n in range(len(texts))], "text": texts, **columns})
    return make_study("topics", documents=table)


def test_documents_of_one_subject_share_a_topic() -> None:
    study = study_of([f"{SUBJECTS[n % 3]} number{n}" for n in range(60)])
    found = topics(study)
    assert len(found) == 60
    subjects_of = found.assign(subject=[n % 3 for n in range(60)]).groupby("value")["subject"].nunique()
    assert (subjects_of == 1).all()
    assert topics(study) is found


def test_agreement_is_reported_by_topic() -> None:
    study = fairviz.open_study("newswire")
    assert columns(study)[-1] == TOPIC
    table = annotator_table(study, ["lexicon"], "project", TOPIC)
    assert 2 <= len(table) <= COUNT
    assert table["documents"].sum() == 343
    assert (table["accuracy_low"] <= table["accuracy"]).all()


@pytest.mark.parametrize("texts", [["one two"] * 39, [None] * 60])
def test_few_documents_have_no_topics(texts: list) -> None:
    assert not has_topics(study_of(texts))


def test_a_column_of_the_study_comes_first_and_words_of_one_document_make_no_topic() -> None:
    assert not has_topics(study_of(["one two"] * 60, topic="sport"))
    assert set(topics(study_of([f"word{n}" for n in range(60)]))["value"]) == {"all"}
