"""Labels that come with the program and lie beside newswire and Grep-BiasIR: shown where annotators are compared, and
counted nowhere."""

from dataclasses import replace

import pytest

import fairviz
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, coefficients, table
from fairviz.analyses.annotator_accuracy.raters import kind_of
from fairviz.annotation.annotators.annotating import DEMONSTRATION, annotate
from fairviz.annotation.voters import (
    annotator_names,
    annotators_alongside,
    labels_alongside,
    voters_of,
    with_labels_alongside,
)
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels

WORDS = "classifier-features=words"
SMOLLM2 = "logprob-model=smollm2"


@pytest.fixture(scope="module")
def study() -> Study:
    return fairviz.open_study("newswire")


def test_every_document_has_a_label_by_each(study: Study) -> None:
    labels = labels_alongside(study)
    assert list(annotators_alongside(study)) == list(labels["annotator"].drop_duplicates())
    for _, rows in labels.groupby("annotator"):
        assert rows["doc_id"].tolist() == study.documents["doc_id"].tolist()
    kinds = {name: who.kind for name, who in annotators_alongside(study).items()}
    assert kinds.pop(SMOLLM2) == "model"
    assert set(kinds.values()) == {"rule"}
    assert annotators_alongside(study)[SMOLLM2].description.endswith(DEMONSTRATION)


def test_they_are_shown_and_counted_nowhere(study: Study) -> None:
    assert annotator_names(study) == ("project", "lexicon", "mentions")
    assert voters_of(study) == voters_of(with_labels_alongside(study)) == ("project",)
    assert chosen_annotator(with_labels_alongside(study), Settings()) == "project"
    shown = coefficients(study, Settings(), Comparison())
    assert set(labels_alongside(study)["annotator"]) < set(shown["annotator"])
    words = shown[(shown["annotator"] == WORDS) & (shown["coefficient"] == "accuracy")].iloc[0]
    assert (round(words["value"], 4), words["documents"]) == (0.8367, 343)
    everyone = Settings(voters=("all",))
    assert voters_of(with_labels_alongside(study), ["all"]) == ("project", "lexicon", "mentions")
    whole = coefficients(study, everyone, Comparison())["value"]
    assert whole.tolist()[1] == pytest.approx(0.5861, abs=1e-4)
    pairs = table(study, Settings(), Comparison(), "pairs")
    assert not set(annotators_alongside(study)) & {*pairs.iloc[:, 0], *pairs.iloc[:, 1]}
    assert (kind_of(study, WORDS), kind_of(study, SMOLLM2)) == ("trained classifier", "language model")


def test_labels_made_anew_stand_for_those_beside(study: Study) -> None:
    made = study.documents[["doc_id"]].assign(annotator=WORDS, label="neutral").astype("str")
    own = add_labels(study, made)
    assert WORDS not in annotators_alongside(own)
    assert set(labels_alongside(own)["annotator"]) == set(annotators_alongside(own))
    both = with_labels_alongside(own)
    assert with_labels_alongside(own) is both
    assert set(both.labels.loc[both.labels["annotator"] == WORDS, "label"]) == {"neutral"}
    assert both.annotators["project"] == Annotator("project", "mixed", study.annotators["project"].description)


def test_grep_biasir_has_some_where_its_texts_are_those_that_were_labelled(published) -> None:
    """The figures are those of docs/explanation/results.md."""
    study = published("grep-biasir")
    labels = labels_alongside(study)
    for _, rows in labels.groupby("annotator"):
        assert rows["doc_id"].tolist() == study.documents["doc_id"].tolist()
    assert voters_of(with_labels_alongside(study)) == ("gold",)
    gold = study.labels.set_index("doc_id")["label"]
    right = (labels["label"] == labels["doc_id"].map(gold)).groupby(labels["annotator"], sort=False).mean()
    assert right.round(3).to_dict() == {
        "lexicon": 0.724, "lexicon-tau=0": 0.893, "mentions": 0.893, "prototypes": 0.849, "classifier": 0.877,
        "classifier-features=tfidf": 0.849, WORDS: 0.906, f"vote+lexicon-tau=0+classifier+{WORDS}": 0.905,
        SMOLLM2: 0.420,
    }  # fmt: skip
    assert annotators_alongside(study)[SMOLLM2].description.endswith(DEMONSTRATION)
    texts = study.documents["text"].where(study.documents["doc_id"] != "7", "another text")
    assert labels_alongside(replace(study, documents=study.documents.assign(text=texts))).empty


def test_other_studies_have_none() -> None:
    football = fairviz.open_study("football")
    assert labels_alongside(football).empty
    assert list(labels_alongside(football)) == list(football.labels)
    assert with_labels_alongside(football) is football


def test_they_come_out_of_the_code_again(study: Study) -> None:
    """The word list from the text; the vote from those who vote, the first-named where all three say another."""
    wide = labels_alongside(study).pivot_table(index="doc_id", columns="annotator", values="label", aggfunc="first")
    made = annotate(study, "lexicon(tau=0)").labels.set_index("doc_id")["label"]
    assert made.to_dict() == wide["lexicon-tau=0"].to_dict()
    voters = ["lexicon-tau=0", "classifier", WORDS]
    for said, voted in zip(wide[voters].to_numpy().tolist(), wide[f"vote+{'+'.join(voters)}"], strict=True):
        assert voted == max(said, key=said.count)
