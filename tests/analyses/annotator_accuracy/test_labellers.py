"""Rules and models of a study: whom they are set against, what they took, where they part; and annotators against a
reference, by hand, with intervals over queries, and in parts."""

from dataclasses import replace

import numpy as np
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
from fairviz.annotation.agreement import against
from fairviz.annotation.agreement.coefficients import query_of
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


def two_queries() -> Study:
    """Two queries with two documents, and one document that no query names. `rule` errs on d2 (female as neutral) and
    d3 (male as female)."""
    gold = {"d1": "female", "d2": "female", "d3": "male", "d4": "neutral", "d5": "neutral"}
    rule = {"d1": "female", "d2": "neutral", "d3": "female", "d4": "neutral", "d5": "neutral"}
    labels = [
        (doc_id, who, label) for who, given in (("gold", gold), ("rule", rule)) for doc_id, label in given.items()
    ]
    return make_study(
        "s",
        documents=pd.DataFrame({"doc_id": list(gold), "text": ["she", "x", "he him", "x", "x"], "kind": list("aabba")}),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
        qrels=pd.DataFrame({"query_id": ["q1", "q1", "q2", "q2"], "doc_id": ["d1", "d2", "d3", "d4"], "relevance": 1}),
    )


def test_the_table_by_hand() -> None:
    table = annotator_table(two_queries(), ["rule"], "gold").set_index(["annotator", "classes"])
    whole = table.loc[("rule", "all")]
    assert (whole["documents"], whole["accuracy"]) == (5, 0.6)
    assert whole["kappa"] == pytest.approx((0.6 - (0.4 * 0.6 + 0.4 * 0.4)) / (1 - 0.4))
    assert table.loc[("rule", "neutral or gendered"), "accuracy"] == 0.8
    baseline = table.loc[("NFaiRR's ω (whitespace tokens, τ = 1)", "neutral or gendered")]
    assert (baseline["documents"], baseline["accuracy"]) == (5, 0.6), "d1 holds one word, so only d3 is gendered"
    assert table.loc[("NFaiRR's ω (word tokens, τ = 0)", "neutral or gendered"), "accuracy"] == 0.8
    part = replace(two_queries(), labels=two_queries().labels.drop(index=[8, 9]))
    assert set(annotator_table(part, ["rule"], "gold")["documents"]) == {3}, "the baseline is of the same documents"
    table = annotator_table(part, ["rule"], "gold", tried={"rule": ["d1", "d2", "d3", "d4"]})
    row = table.iloc[0]  # what got no label counts as wrong
    assert (row["documents"], row["accuracy"], row["unlabelled"], row["accuracy_of_all"]) == (3, 1 / 3, 1, 1 / 4)
    assert table[["documents", "unlabelled"]].iloc[1:].to_numpy().tolist() == [[3, 1], [4, 0], [4, 0]]


def test_apart_for_each_class_and_each_value() -> None:
    classes = annotator_table(two_queries(), ["rule"], "gold", "class")
    assert classes[["class", "documents", "accuracy"]].to_numpy().tolist() == [
        ["neutral", 2, 1.0], ["female", 2, 0.5], ["male", 1, 0.0],
    ]  # fmt: skip
    assert classes["kappa"].isna().all(), "of one class it would be 0 whatever is said"
    kinds = annotator_table(two_queries(), ["rule"], "gold", "kind")
    assert kinds["kappa"].notna().all()
    assert kinds[["kind", "documents"]].to_numpy().tolist() == [["a", 3], ["b", 2]]
    with pytest.raises(FairvizError, match="'s' has no column 'nothing' to group documents by"):
        annotator_table(two_queries(), ["rule"], "gold", "nothing")
    with pytest.raises(FairvizError, match=r"^'nobody' gave no label in s\nName another reference\.$"):
        annotator_table(two_queries(), ["rule"], "nobody")


def test_intervals_draw_documents_as_elsewhere_or_queries() -> None:
    """Slow reading of the latter: each resample takes whole queries, with all their documents."""
    rng = np.random.default_rng(3)
    queries, true, said = rng.integers(0, 7, 60), rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    names, ids = np.array(["neutral", "female", "male"]), [f"d{n}" for n in range(60)]
    table = pd.concat(
        [pd.DataFrame({"doc_id": ids, "annotator": who, "label": names[codes]}) for who, codes in
         (("gold", true), ("rule", said))], ignore_index=True,
    )  # fmt: skip
    qrels = pd.DataFrame({"query_id": [f"q{n}" for n in queries], "doc_id": ids, "relevance": 1})
    made = make_study("s", documents=pd.DataFrame({"doc_id": ids, "text": "x"}), labels=table, qrels=qrels)
    ends = ["accuracy_low", "accuracy_high"]
    drawn = annotator_table(made, ["rule"], "gold", draw="queries").iloc[0]
    places, _ = pd.factorize(queries)
    weights = np.random.default_rng(0).multinomial(7, np.full(7, 1 / 7), size=1000)
    shares = [sum(w[places] * (true == said)) / sum(w[places]) for w in weights]
    assert drawn["accuracy"] == np.mean(true == said)
    assert drawn[ends].tolist() == pytest.approx(np.quantile(shares, [0.025, 0.975]))
    columns = [*ends, "accuracy", "kappa"]
    plain = annotator_table(made, ["rule"], "gold").iloc[0]
    other = against(made.labels, "gold", names.tolist()).iloc[0]
    assert plain[columns].tolist() == other[columns].tolist()
    first = made.qrels.assign(query_id="q")
    alone = annotator_table(replace(made, qrels=first), ["rule"], "gold", draw="queries").iloc[0]
    assert np.isnan(alone["accuracy_low"]), "one query has no spread"
    assert alone["reason"] == "fewer than 2 common queries"
    ids = pd.Series(["d1", "d2", "d5", "q1"])  # a document of no query stands for itself
    assert query_of(two_queries(), ids).tolist() == ["query q1", "query q1", "document d5", "document q1"]
