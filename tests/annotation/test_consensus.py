"""Consensus labels."""

import warnings

import numpy as np
import pandas as pd
import pytest

from fairviz.annotation.voters import CONSENSUSES, consensus, dawid_skene, open_ties, quality_control, voting_labels
from fairviz.errors import FairvizError
from fairviz.study.study import make_study

LABELS = pd.DataFrame(
    [("a", "x", "f"), ("a", "y", "f"), ("a", "z", "m"), ("b", "x", "m"), ("b", "y", "f"), ("c", "z", "n")],
    columns=["doc_id", "annotator", "label"],
    dtype="str",
)


def test_majority_leaves_a_tie_open() -> None:
    result = consensus(LABELS, "majority")
    assert result.to_numpy().tolist() == [["a", "majority", "f"], ["c", "majority", "n"]]


def test_dawid_skene_labels_every_document_and_trusts_whoever_agrees() -> None:
    rows = [(f"d{i}", who, "f" if i % 2 else "m") for i in range(12) for who in ("x", "y")]
    rows += [(f"d{i}", "contrary", "m" if i % 2 else "f") for i in range(12)]
    result = consensus(pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str"), "dawid-skene")
    assert result["label"].tolist() == ["f" if i % 2 else "m" for i in range(12)]
    assert set(result["annotator"]) == {"dawid-skene"}


def test_an_unknown_consensus() -> None:
    with pytest.raises(FairvizError, match="unknown consensus 'median'"):
        consensus(LABELS, "median")


def questioned(answers: dict[str, str]) -> pd.DataFrame:
    """Ten documents that are all f, each a test question; an annotator's answers are a word of ten letters."""
    rows = [
        (f"d{place}", who, said, "f") for who, letters in answers.items() for place, said in enumerate(letters)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "test_label"], dtype="str")


def test_who_fails_more_than_a_fifth_of_the_test_questions_is_dropped() -> None:
    labels = questioned({"good": "ffffffffff", "just": "mmffffffff", "bad": "mmmfffffff", "worse": "mmmmmmmmmm"})
    quality = quality_control(labels)
    assert quality.dropped == ("bad", "worse")
    assert quality.record.to_numpy().tolist() == [
        ["good", 10, 0, 0.0, False],
        ["just", 10, 2, 0.2, False],
        ["bad", 10, 3, 0.3, True],
        ["worse", 10, 10, 1.0, True],
    ]
    assert set(quality.labels["annotator"]) == {"good", "just"}


def test_the_dropped_do_not_vote_unless_everyone_does() -> None:
    labels = questioned({"good": "ffffffffff", "bad": "mmmfffffff", "worse": "mmmmmmmmmm"})
    asked = [("e", "good", "f", ""), ("e", "bad", "m", ""), ("e", "worse", "m", "")]
    labels = pd.concat([labels, pd.DataFrame(asked, columns=labels.columns, dtype="str")], ignore_index=True)
    study = make_study("asked", labels=labels, groups=("f", "m"), neutral="n")
    assert consensus(voting_labels(study), "majority").to_numpy().tolist() == [["e", "majority", "f"]]
    assert consensus(voting_labels(study, everyone=True), "majority")["label"].tolist() == ["m"]
    assert consensus(voting_labels(study), "dawid-skene")["label"].tolist() == ["f"]
    assert len(voting_labels(study, ["worse"])) == 0


@pytest.mark.parametrize("method", CONSENSUSES)
def test_answers_to_test_questions_do_not_vote(method: str) -> None:
    """`only` was nothing but a test question, and has no consensus. Of `both` an expert gave a label of her own, and it
    alone counts. `odd` has right answers that differ."""
    rows = [("only", who, said, "f") for who, said in zip("xyz", "mmf", strict=True)]
    rows += [("both", who, "m", "n") for who in "xyz"] + [("both", "expert", "n", "")]
    rows += [("odd", "x", "f", "f"), ("odd", "y", "f", "m")]
    rows += [("plain", who, "f", "") for who in "xyz"]
    rows += [(f"n{place}", who, "n", "") for place in range(3) for who in (*"xyz", "expert")]  # the model trusts her
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "test_label"], dtype="str")
    found = consensus(labels, method)
    assert found[["doc_id", "label"]].to_numpy().tolist()[:2] == [["both", "n"], ["plain", "f"]]
    assert {"only", "odd"}.isdisjoint(found["doc_id"])
    assert {"only", "odd"}.isdisjoint(dawid_skene(labels).posterior.index)
    assert not len(open_ties(labels)), "what is known is for no expert to decide"
    assert not len(consensus(labels[labels["doc_id"] == "only"], method))


def test_nobody_is_dropped_without_test_questions() -> None:
    assert quality_control(LABELS).dropped == ()
    assert len(quality_control(LABELS).labels) == len(LABELS)
    unasked = LABELS.assign(test_label="")
    assert len(quality_control(unasked).labels) == len(LABELS)


def test_ties_are_listed_for_an_expert() -> None:
    assert open_ties(LABELS).to_numpy().tolist() == [["b", "f 1, m 1"]]
    assert open_ties(LABELS[LABELS["annotator"] != "y"]).to_numpy().tolist() == [["a", "f 1, m 1"]]


def simulated() -> tuple[pd.DataFrame, np.ndarray]:
    """200 documents labelled by a good, a fair and a contrary annotator, with holes; and the truth."""
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 2, 200)
    rows = []
    for who, right in (("good", 0.95), ("fair", 0.8), ("fine", 0.9), ("contrary", 0.1)):
        said = np.where(generator.random(200) < right, truth, 1 - truth)
        rows += [(f"d{doc}", who, "fm"[label]) for doc, label in enumerate(said) if generator.random() < 0.9]
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str"), truth


def slow_dawid_skene(labels: pd.DataFrame, steps: int = 100) -> tuple[dict[str, float], dict[tuple, float]]:
    """Expectation and maximisation, read off the paper's equations 2.3 to 2.5, for labels f and m."""
    votes = list(labels.itertuples(index=False, name=None))
    documents, people = list(dict.fromkeys(v[0] for v in votes)), list(dict.fromkeys(v[1] for v in votes))
    chance = {d: {q: sum(v[0] == d and v[2] == q for v in votes) for q in "fm"} for d in documents}
    chance = {d: {q: held[q] / sum(held.values()) for q in "fm"} for d, held in chance.items()}
    by_person = {k: [(d, said) for d, who, said in votes if who == k] for k in people}
    by_document = {d: [(who, said) for doc, who, said in votes if doc == d] for d in documents}
    for _ in range(steps):
        prior = {q: sum(chance[d][q] for d in documents) / len(documents) for q in "fm"}
        error = {}
        for k in people:
            for q in "fm":
                total = sum(chance[d][q] for d, _ in by_person[k])
                for said in "fm":
                    error[k, q, said] = sum(chance[d][q] for d, s in by_person[k] if s == said) / total
        for d in documents:
            held = {q: prior[q] * np.prod([error[k, q, s] for k, s in by_document[d]]) for q in "fm"}
            chance[d] = {q: held[q] / sum(held.values()) for q in "fm"}
    return {d: chance[d]["f"] for d in documents}, error


def test_dawid_skene_is_the_model_of_the_paper() -> None:
    labels, truth = simulated()
    model = dawid_skene(labels)
    slow, errors = slow_dawid_skene(labels)
    assert model.posterior["f"].to_dict() == pytest.approx(slow, abs=1e-6)
    for row in model.confusions.itertuples():
        assert row.probability == pytest.approx(errors[row.annotator, row.true, row.said], abs=1e-6)
    right = consensus(labels, "dawid-skene").set_index("doc_id")["label"]
    expected = pd.Series(["fm"[label] for label in truth], index=[f"d{doc}" for doc in range(200)])
    assert (right == expected.reindex(right.index)).mean() > 0.95


def hard(seed: int) -> pd.DataFrame:
    """24 documents of three labels by three annotators who are often wrong."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 3, 24)
    rows = []
    for who, right in (("a", 0.6), ("b", 0.7), ("c", 0.55)):
        said = np.where(generator.random(24) < right, truth, generator.integers(0, 3, 24))
        rows += [(f"d{doc}", who, "fmn"[label]) for doc, label in enumerate(said)]
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str")


def crowd_kit(labels: pd.DataFrame, rounds: int, tolerance: float) -> pd.DataFrame:
    """crowd-kit's posterior, in the order of ours."""
    from crowdkit.aggregation import DawidSkene

    table = labels.rename(columns={"doc_id": "task", "annotator": "worker"})
    with warnings.catch_warnings():  # crowd-kit 1.4.2 calls pandas in a way that pandas 3.1 will retire
        warnings.simplefilter("ignore", pd.errors.Pandas4Warning)
        found = DawidSkene(n_iter=rounds, tol=tolerance).fit(table).probas_
    return found.reindex(index=labels["doc_id"].drop_duplicates(), columns=["f", "m", "n"])


def test_the_fit_goes_on_where_crowd_kits_default_stops() -> None:
    labels = hard(37)
    model = dawid_skene(labels)
    assert model.converged
    assert model.rounds > 100
    early = crowd_kit(labels, 100, 1e-5)
    assert (early.idxmax(axis=1) != model.posterior.idxmax(axis=1)).sum() == 2
    same = crowd_kit(labels, model.rounds, -1.0)  # a negative tolerance never stops
    np.testing.assert_allclose(model.posterior, same, atol=1e-6)


def test_more_rounds_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = dawid_skene(hard(22))
    monkeypatch.setattr("fairviz.annotation.agreement.votes.CHANGE", -1.0)
    monkeypatch.setattr("fairviz.annotation.agreement.votes.ROUNDS", 10 * model.rounds)
    np.testing.assert_allclose(model.posterior, dawid_skene(hard(22)).posterior, atol=1e-6)


def test_how_the_fit_ended_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    model = dawid_skene(LABELS[LABELS["doc_id"] == "c"])
    assert model.ending == "Dawid and Skene's model converged after 1 round"
    monkeypatch.setattr("fairviz.annotation.agreement.votes.ROUNDS", 3)
    model = dawid_skene(hard(37))
    assert not model.converged
    assert model.ending == "Dawid and Skene's model did not converge in 3 rounds: check its labels"


def test_the_posterior_has_a_row_a_document_and_sums_to_one() -> None:
    table = dawid_skene(LABELS).posterior
    assert table.index.tolist() == ["a", "b", "c"]
    assert table.columns.tolist() == ["f", "m", "n"]
    np.testing.assert_allclose(table.sum(axis=1), 1)


def test_confusions_sum_to_one_for_every_true_label() -> None:
    fit = dawid_skene(simulated()[0])
    np.testing.assert_allclose(fit.confusions.groupby(["annotator", "true"])["probability"].sum(), 1)
    assert list(dict.fromkeys(fit.confusions["annotator"])) == ["good", "fair", "fine", "contrary"]
    contrary = fit.confusions.set_index(["annotator", "true", "said"])["probability"]
    assert contrary["contrary", "f", "m"] > 0.8
    assert fit.priors.sum() == pytest.approx(1)


def test_one_label_and_one_annotator_are_no_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = consensus(LABELS[LABELS["annotator"] == "z"], "dawid-skene")
        same = consensus(LABELS[LABELS["doc_id"] == "c"], "dawid-skene")
    assert table["label"].tolist() == ["m", "n"]
    assert same["label"].tolist() == ["n"]


def test_nothing_to_fit() -> None:
    with pytest.raises(FairvizError) as error:
        dawid_skene(LABELS.iloc[:0])
    assert str(error.value) == (
        "there are no labels to fit Dawid and Skene's model to\nName annotators who gave labels."
    )
