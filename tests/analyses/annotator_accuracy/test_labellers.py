"""Rules and models of a study: whom they are set against, what they took, where they part."""

import pandas as pd
import pytest

from fairviz.analyses.annotator_accuracy.labellers import (
    EACH_OTHER,
    annotator_table,
    demonstrations,
    disagreements,
    labellers,
    lost_answers,
    references,
    shared_documents,
    usual_reference,
    with_accounts,
)
from fairviz.annotation.annotators import parse
from fairviz.annotation.annotators.accounts import Account
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study

SAID = {
    "ann": ("male", "female", "neutral", None),
    "rule": ("male", "neutral", "neutral", "male"),
    "model": ("female", "neutral", None, "female"),
    "other": ("female", "neutral", "neutral", None),
}
KINDS = {"ann": "person", "rule": "rule", "model": "model", "other": "rule"}


def study(*names: str) -> Study:
    names = names or tuple(SAID)
    rows = [(f"d{place}", name, label) for name in names for place, label in enumerate(SAID[name], start=1) if label]
    return make_study(
        "s",
        documents=pd.DataFrame({"doc_id": ["d4", "d3", "d2", "d1"], "text": "x"}),
        labels=pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]),
        annotators={name: Annotator(name, KINDS[name]) for name in names},
    )


def test_who_is_compared_with_whom_on_which_documents() -> None:
    whole = study()
    assert labellers(whole) == ("rule", "model", "other")
    assert references(whole) == ("ann", "rule", "model", "other")
    assert usual_reference(whole, Settings()) == "ann"
    assert usual_reference(whole, Settings(annotator="rule")) == "ann", "a rule is no reference unless it is chosen"
    assert usual_reference(study("rule", "model"), Settings()) == "rule"
    assert usual_reference(make_study("empty"), Settings()) == ""
    # documents of all are those that all labelled or were asked about
    assert shared_documents(whole, ["rule", "model"], {}) == ["d4", "d2", "d1"]
    assert shared_documents(whole, ["rule", "model"], {"model": ["d3"]}) == ["d4", "d3", "d2", "d1"]
    table = annotator_table(whole, ["rule"], "ann", documents=["d1", "d4"])
    assert table["documents"].tolist() == [1, 1, 1, 1], "the word list as well"


def test_where_they_part_from_the_reference_or_from_each_other() -> None:
    found = disagreements(study(), ["rule", "model", "other"], "ann")
    assert found.to_dict("records") == [
        {"doc_id": "d2", "reference": "female", "differing": 3, "label by rule": "neutral", "label by model": "neutral",
         "label by other": "neutral"},
        {"doc_id": "d1", "reference": "male", "differing": 2, "label by rule": "male", "label by model": "female",
         "label by other": "female"},
    ]  # fmt: skip
    found = disagreements(study(), ["rule", "model", "other"], "ann", EACH_OTHER)
    assert found[["doc_id", "reference", "differing"]].to_numpy().tolist() == [["d4", "", 1], ["d1", "male", 1]]
    assert disagreements(study(), ["rule"], "ann", EACH_OTHER).empty
    assert disagreements(study(), [], "ann").empty
    with pytest.raises(FairvizError, match=r"^annotators cannot part from 'nobody'\n"):
        disagreements(study(), ["rule"], "ann", "nobody")


def test_what_the_answers_took_and_which_gave_no_label() -> None:
    (choice,) = parse("llm(model='smollm2',prompt='one-shot')")
    outcomes = pd.DataFrame(
        {"doc_id": ["d1", "d2", "d3"], "outcome": ["labelled", "labelled", "unparsed"], "text": ["Female", "x", "<b>"]}
    )
    accounts = {"model": Account(choice, outcomes, 2_000_000, 500_000, 1.5)}
    table = pd.DataFrame({"annotator": ["rule", "model"], "accuracy": [0.5, 0.25]})
    shown = with_accounts(table, study(), accounts, 3.0, 10.0)
    assert list(shown)[:5] == ["annotator", "kind", "model", "prompt", "accuracy"]
    assert shown.iloc[1][["kind", "model", "prompt", "unparsed", "too_long"]].tolist() == [
        "model", "smollm2", "one-shot", 1, 0,
    ]  # fmt: skip
    assert shown.iloc[1][["tokens_in", "tokens_out", "cost", "seconds"]].tolist() == [2_000_000, 500_000, 11.0, 1.5]
    assert shown.iloc[0][["unparsed", "tokens_in", "cost", "seconds"]].isna().all()
    assert with_accounts(table, study(), accounts)["cost"].isna().all()
    assert lost_answers(accounts).to_dict("records") == [
        {"annotator": "model", "doc_id": "d3", "outcome": "unparsed", "text": "<b>"}
    ]
    assert lost_answers({}).empty
    assert demonstrations(accounts) == ("model",)
