"""Who can be compared with whom in a study."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from fairviz.analyses.annotator_accuracy import raters
from fairviz.analyses.annotator_accuracy.labellers import annotator_table
from fairviz.analyses.annotator_accuracy.raters import COUNT, TOPIC, columns, has_topics, topics
from fairviz.annotation.voters import voters_of
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.loaders import read_lexicon
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, make_study
from fairviz.words.counting import format_lexicon
from tests.conftest import refused
from tests.reference import tokens

CHOICES = [
    ("set in the sidebar", "word", 1),
    ("word tokens, τ = 0", "word", 0),
    ("whitespace tokens, τ = 1", "whitespace", 1),
]
ROWS = [
    ("d1", "x", "female", "sure", ""), ("d1", "y", "female", "", "a"),
    ("d2", "x", "male", "sure", "b"), ("d2", "y", "neutral", "", ""),
    ("d3", "x", "neutral", "unsure", "c"), ("d3", "rule", "male", "", "d"),
]  # fmt: skip
SUBJECTS = ("goal striker match keeper", "budget minister tax parliament", "violin orchestra concert symphony")


@pytest.fixture
def study() -> Study:
    labels = pd.DataFrame(ROWS, columns=["doc_id", "annotator", "label", "confidence", "note"], dtype="str")
    documents = pd.DataFrame(
        {
            "doc_id": ["d1", "d2", "d3", "d4"],
            "text": ["she and her", "he he", "a man and his wife", None],
            "topic": ["sport", "art", "art", "art"],
            "kind": ["same"] * 4,
        }
    )
    queries = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["a", "b"], "category": ["old", "new"]})
    qrels = pd.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d2"], "relevance": [1, 0, 1]})
    made = make_study("made", documents=documents, queries=queries, labels=labels, qrels=qrels)
    return replace(made, annotators={**made.annotators, "rule": Annotator("rule", "rule")})


def test_the_word_list_is_an_annotator(study: Study) -> None:
    labels = raters.with_word_list(study.labels, study, Settings(tau=0))
    assert list(dict.fromkeys(labels["annotator"])) == ["x", "y", "rule", "word list"]
    said = labels[labels["annotator"] == "word list"].set_index("doc_id")["label"]
    assert said.to_dict() == {"d1": "female", "d2": "male", "d3": "male"}


def test_the_word_list_follows_tokenizer_and_tau(study: Study) -> None:
    said = {
        (tokenizer, tau): raters.word_list_labels(study, raters.chosen_lexicon(study, Settings()), tokenizer, tau)
        for tokenizer, tau in (("word", 0), ("word", 2), ("word", 3))
    }
    assert said["word", 0]["label"].tolist() == ["female", "male", "male"]
    assert said["word", 2]["label"].tolist() == ["neutral", "neutral", "male"]
    assert said["word", 3]["label"].tolist() == ["neutral", "neutral", "neutral"]


def test_who_is_compared_with_at_first(study: Study) -> None:
    assert raters.default_reference(study, Settings()) == "majority"
    assert raters.default_reference(study, Settings(annotator="y")) == "y"


def test_an_annotator_called_word_list_keeps_the_name(study: Study) -> None:
    renamed = replace(study, labels=study.labels.assign(annotator="word list").drop_duplicates(["doc_id"]))
    assert len(raters.with_word_list(renamed.labels, renamed, Settings())) == 3


def test_neutral_or_gendered(study: Study) -> None:
    labels = study.labels.assign(test_label=["", "female", "neutral", "", "", ""])
    merged = raters.neutral_or_gendered(labels, study)
    assert merged["label"].tolist() == ["gendered", "gendered", "gendered", "neutral", "neutral", "gendered"]
    assert merged["test_label"].tolist() == ["", "gendered", "neutral", "", "", ""]
    assert raters.domain(study) == ("neutral", "female", "male")
    assert raters.domain(study, binary=True) == ("neutral", "gendered")
    other = replace(study, label_kind="other")
    assert raters.domain(other) == ()
    with refused(
        "the labels of 'made' are not genders, so none of them is neutral\n"
        "Leave out the choice of neutral against gendered."
    ):
        raters.neutral_or_gendered(labels, other)


def test_columns_that_tell_documents_apart(study: Study) -> None:
    assert raters.columns(study) == ("topic", "confidence", "note", "category")
    assert raters.groups_by(study, study.labels, "topic").to_numpy().tolist() == [
        ["d1", "sport"], ["d2", "art"], ["d3", "art"], ["d4", "art"],
    ]  # fmt: skip
    relevant = raters.groups_by(study, study.labels, "category")
    assert relevant.to_numpy().tolist() == [["d1", "old"], ["d2", "new"]]


def test_a_column_of_labels_tells_labels_apart_and_keeps_those_without_one(study: Study) -> None:
    groups = raters.groups_by(study, study.labels, "confidence")
    sure = groups[groups["value"] == "sure"]
    assert sorted(zip(sure["doc_id"], sure["annotator"], strict=True)) == [
        ("d1", "x"), ("d1", "y"), ("d2", "x"), ("d2", "y"),
    ]  # fmt: skip


def test_a_column_that_is_not_there(study: Study) -> None:
    for name in ("nothing", "doc_id", "label"):
        with refused(
            f"'made' has no column {name!r} to group documents by\n"
            "Columns with few values: topic, confidence, note, category."
        ):
            raters.groups_by(study, study.labels, name)


def test_labels_whose_column_is_empty_can_be_left_out(study: Study) -> None:
    assert raters.partly_empty(study) == ("confidence", "note")
    assert raters.without_empty(study.labels, "confidence")["annotator"].tolist() == ["x", "x", "x"]
    with refused("the labels have no column 'colour'\nName a column of the file of labels."):
        raters.without_empty(study.labels, "colour")


def test_the_word_list_needs_text_genders_and_words(study: Study) -> None:
    assert raters.can_count_words(study, Settings())
    assert not raters.can_count_words(study, Settings(lexicon="female:she"))
    assert not raters.can_count_words(replace(study, label_kind="other"), Settings())
    assert not raters.can_count_words(replace(study, documents=study.documents.assign(text=None)), Settings())


@pytest.mark.parametrize(("choice", "tokenizer", "tau"), CHOICES)
def test_the_word_list_against_the_labels_of_newswire(choice: str, tokenizer: str, tau: int, newswire: Study) -> None:
    """Neutral up to tau gender words or with as many of each, by a count in plain Python."""
    words = dict(chosen_lexicon(newswire, Settings()).words)
    given = newswire.labels[newswire.labels["annotator"] == "project"].set_index("doc_id")["label"]
    right = []
    for document in newswire.documents.itertuples():
        held = [
            words[token] for token in tokens(f"{document.title} {document.text}".strip(), tokenizer) if token in words
        ]
        female, male = held.count("female"), held.count("male")
        neutral = female + male <= tau or female == male
        right.append(neutral == (given[document.doc_id] == "neutral"))
    table = raters.word_list_agreement(newswire, Settings(), "project").set_index("choice")
    assert table.loc[choice, ["documents", "accuracy"]].tolist() == pytest.approx([343, sum(right) / 343])
    assert table.loc[choice, "accuracy_low"] < table.loc[choice, "accuracy"] < table.loc[choice, "accuracy_high"]


def test_the_word_list_against_the_gold_of_grep_biasir(grep_biasir: Study, shared_data: Path) -> None:
    """Accuracy 0.90 and kappa 0.79 with word tokens and τ = 0; 0.63 and 0.34 with white space and τ = 1."""
    words = read_lexicon(shared_data / "fairness-retrieval-results" / "wordlist_gender_representative.txt")
    settings = Settings(lexicon=format_lexicon(words), tokenizer="whitespace", tau=1)
    table = raters.word_list_agreement(grep_biasir, settings, "gold").set_index("choice")
    best, code = table.loc["word tokens, τ = 0"], table.loc["whitespace tokens, τ = 1"]
    assert best[["documents", "accuracy", "kappa"]].tolist() == pytest.approx([702, 0.9017, 0.7899], abs=5e-5)
    assert code[["documents", "accuracy", "kappa"]].tolist() == pytest.approx([702, 0.6268, 0.3412], abs=5e-5)
    for row in (best, code):
        assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]
        assert row["kappa_low"] < row["kappa"] < row["kappa_high"]
        assert row["accuracy_high"] - row["accuracy_low"] < 0.09
    assert table.loc["set in the sidebar", "kappa"] == code["kappa"]


def test_a_readers_decisions_are_compared_but_not_among_the_raters(study: Study) -> None:
    decided = pd.DataFrame([("d2", "adjudicated", "male")], columns=["doc_id", "annotator", "label"], dtype="str")
    grown = add_labels(study, decided)
    assert voters_of(grown) == ("x", "y")
    assert raters.default_reference(grown, Settings(annotator="adjudicated")) == "adjudicated"
    assert raters.default_reference(study, Settings(annotator="adjudicated")) == "majority"


def test_what_is_no_person_says_so(newswire: Study) -> None:
    kinds = {
        "project": "model with a reader",
        "lexicon": "rule",
        "lexicon-tau=0": "rule",
        "prototypes": "trained classifier",
        "classifier-features=words": "trained classifier",
        "vote+lexicon-tau=0+classifier+classifier-features=words": "vote",
        "logprob-model=smollm2": "language model",
        "word list": "rule",
        "majority": "consensus",
        "adjudicated": "decisions",
    }
    assert {name: raters.kind_of(newswire, name) for name in kinds} == kinds
    assert raters.kind_of(newswire, "somebody else") == ""


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


def test_agreement_is_reported_by_topic(newswire: Study) -> None:
    assert columns(newswire)[-1] == TOPIC
    table = annotator_table(newswire, ["lexicon"], "project", TOPIC)
    assert 2 <= len(table) <= COUNT
    assert table["documents"].sum() == 343
    assert (table["accuracy_low"] <= table["accuracy"]).all()


@pytest.mark.parametrize("texts", [["one two"] * 39, [None] * 60])
def test_few_documents_have_no_topics(texts: list) -> None:
    assert not has_topics(study_of(texts))


def test_a_column_of_the_study_comes_first_and_words_of_one_document_make_no_topic() -> None:
    assert not has_topics(study_of(["one two"] * 60, topic="sport"))
    assert set(topics(study_of([f"word{n}" for n in range(60)]))["value"]) == {"all"}
