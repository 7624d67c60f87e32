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


def test_the_word_list_is_an_annotator_of_tokenizer_and_tau(study: Study) -> None:
    labels = raters.with_word_list(study.labels, study, Settings(tau=0))
    assert list(dict.fromkeys(labels["annotator"])) == ["x", "y", "rule", "word list"]
    said = labels[labels["annotator"] == "word list"].set_index("doc_id")["label"]
    assert said.to_dict() == {"d1": "female", "d2": "male", "d3": "male"}
    for tau, expected in ((2, ["neutral", "neutral", "male"]), (3, ["neutral"] * 3)):
        told = raters.word_list_labels(study, raters.chosen_lexicon(study, Settings()), "word", tau)
        assert told["label"].tolist() == expected
    renamed = replace(study, labels=study.labels.assign(annotator="word list").drop_duplicates(["doc_id"]))
    assert len(raters.with_word_list(renamed.labels, renamed, Settings())) == 3, "an annotator of this name keeps it"
    assert raters.can_count_words(study, Settings())
    assert not raters.can_count_words(study, Settings(lexicon="female:she"))
    assert not raters.can_count_words(replace(study, label_kind="other"), Settings())
    assert not raters.can_count_words(replace(study, documents=study.documents.assign(text=None)), Settings())


def test_who_is_compared_with_at_first(study: Study) -> None:
    assert raters.default_reference(study, Settings()) == "majority"
    assert raters.default_reference(study, Settings(annotator="y")) == "y"
    assert raters.default_reference(study, Settings(annotator="adjudicated")) == "majority"
    decided = pd.DataFrame([("d2", "adjudicated", "male")], columns=["doc_id", "annotator", "label"], dtype="str")
    grown = add_labels(study, decided)
    assert voters_of(grown) == ("x", "y")
    assert raters.default_reference(grown, Settings(annotator="adjudicated")) == "adjudicated"


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


def test_columns_that_tell_documents_and_labels_apart(study: Study) -> None:
    assert raters.columns(study) == ("topic", "confidence", "note", "category")
    assert raters.groups_by(study, study.labels, "topic").to_numpy().tolist() == [
        ["d1", "sport"], ["d2", "art"], ["d3", "art"], ["d4", "art"],
    ]  # fmt: skip
    relevant = raters.groups_by(study, study.labels, "category")
    assert relevant.to_numpy().tolist() == [["d1", "old"], ["d2", "new"]]
    groups = raters.groups_by(study, study.labels, "confidence")
    sure = groups[groups["value"] == "sure"]  # labels without one are of a document that has it
    assert sorted(zip(sure["doc_id"], sure["annotator"], strict=True)) == [
        ("d1", "x"), ("d1", "y"), ("d2", "x"), ("d2", "y"),
    ]  # fmt: skip
    for name in ("nothing", "doc_id", "label"):
        with refused(
            f"'made' has no column {name!r} to group documents by\n"
            "Columns with few values: topic, confidence, note, category."
        ):
            raters.groups_by(study, study.labels, name)
    assert raters.partly_empty(study) == ("confidence", "note")
    assert raters.without_empty(study.labels, "confidence")["annotator"].tolist() == ["x", "x", "x"]
    with refused("the labels have no column 'colour'\nName a column of the file of labels."):
        raters.without_empty(study.labels, "colour")


def test_the_word_list_against_the_labels_of_newswire(newswire: Study) -> None:
    """Neutral up to tau gender words or with as many of each, by a count in plain Python."""
    agreement = raters.word_list_agreement(newswire, Settings(), "project").set_index("choice")
    words = dict(chosen_lexicon(newswire, Settings()).words)
    given = newswire.labels[newswire.labels["annotator"] == "project"].set_index("doc_id")["label"]
    for choice, tokenizer, tau in CHOICES:
        right = 0
        for document in newswire.documents.itertuples():
            text = f"{document.title} {document.text}".strip()
            held = [words[token] for token in tokens(text, tokenizer) if token in words]
            neutral = len(held) <= tau or held.count("female") == held.count("male")
            right += neutral == (given[document.doc_id] == "neutral")
        row = agreement.loc[choice]
        assert row[["documents", "accuracy"]].tolist() == pytest.approx([343, right / 343])
        assert row["accuracy_low"] < row["accuracy"] < row["accuracy_high"]


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


def test_documents_of_one_subject_share_a_topic(newswire: Study) -> None:
    def study_of(texts: list, **columns: object) -> Study:
        table = pd.DataFrame({"doc_id": [f"d{n}" for n in range(len(texts))], "text": texts, **columns})
        return make_study("topics", documents=table)

    study = study_of([f"{SUBJECTS[n % 3]} number{n}" for n in range(60)])
    found = topics(study)
    assert len(found) == 60
    subjects_of = found.assign(subject=[n % 3 for n in range(60)]).groupby("value")["subject"].nunique()
    assert (subjects_of == 1).all()
    for texts in (["one two"] * 39, [None] * 60):
        assert not has_topics(study_of(texts)), "few documents have none"
    assert not has_topics(study_of(["one two"] * 60, topic="sport")), "a column of the study comes first"
    assert set(topics(study_of([f"word{n}" for n in range(60)]))["value"]) == {"all"}
    assert columns(newswire)[-1] == TOPIC
    table = annotator_table(newswire, ["lexicon"], "project", TOPIC)
    assert 2 <= len(table) <= COUNT
    assert table["documents"].sum() == 343
