"""How well annotators label: whom they are compared with, on which documents, and the tables, by hand and against slow
readings; rules and the word list; and the orders of systems under a machine's labels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import fairviz
from fairviz.analyses.annotator_accuracy import labellers as machines
from fairviz.analyses.annotator_accuracy import raters
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, coefficients
from fairviz.analyses.annotator_accuracy.comparisons import table as compared
from fairviz.analyses.annotator_accuracy.labellers import annotator_table, disagreements, labellers
from fairviz.analyses.annotator_accuracy.order_validity import of_one_family, order_validity
from fairviz.analyses.annotator_accuracy.raters import COUNT, TOPIC, columns, has_topics, topics
from fairviz.annotation.agreement import against
from fairviz.annotation.agreement.coefficients import query_of
from fairviz.annotation.annotators import parse as parse_annotators
from fairviz.annotation.annotators.accounts import Account
from fairviz.annotation.annotators.llm import LLM
from fairviz.annotation.voters import annotator_names, annotators_alongside, voters_of, with_labels_alongside
from fairviz.datasets import fetch
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.statistics.orders import top_tau
from fairviz.study.loaders import read_lexicon
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, make_study
from fairviz.words.counting import format_lexicon
from tests.conftest import refused
from tests.fresh import study_of
from tests.made import documents_of, labels_by, labels_of, qrels_of, queries_of
from tests.reference import tokens

ALPHA, FOUR = "Krippendorff's alpha", ("d1", "d2", "d3", "d4")


@pytest.fixture(scope="module")
def crowd() -> Study:
    """Three people and test questions; worse fails all of hers."""
    rows = [(f"d{doc}", who, "male" if who == "worse" else "female", "") for doc in range(4) for who in "ab"]
    rows += [(f"d{doc}", "worse", "male", "female") for doc in range(4)]
    rows[0] = ("d0", "a", "male", "")
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "test_label"], dtype="str")
    return make_study("crowd", labels=labels)


def test_empty_annotations_as_an_answer_and_as_missing(publications) -> None:
    """Of two pairs with three annotations each, gender gender not and not not gender, one a pair is empty: as an
    answer alpha is 1 - (4/6) / (18/30) = -1/9; as missing, gender gender and not gender, 1 - (2/4) / (6/12) = 0."""
    fetch("crows-pairs", publications)
    study = fairviz.open_study("crows-pairs")
    told = compared(study, Settings(), Comparison(), "overall").set_index("coefficient").loc[ALPHA]
    assert told["value"] == pytest.approx(-1 / 9)
    assert told[["documents", "annotators", "votes"]].tolist() == [2, 4, 6]
    missing = compared(study, Settings(), Comparison(without_empty="bias_types"), "overall").set_index("coefficient")
    assert missing.loc[ALPHA, "value"] == pytest.approx(0)
    assert missing.loc[ALPHA, ["documents", "votes"]].tolist() == [2, 4]


def test_crows_pairs_with_empty_annotations_as_an_answer_and_as_missing(published) -> None:
    study = published("crows-pairs")
    told = compared(study, Settings(), Comparison(), "overall").set_index("coefficient").loc[ALPHA]
    assert told["value"] == pytest.approx(0.648, abs=5e-4)
    assert told["ci_low"] < 0.63 < 0.67 < told["ci_high"]
    assert told[["documents", "annotators", "votes"]].tolist() == [1508, 287, 5 * 1508]
    missing = Comparison(without_empty="bias_types")
    overall = compared(study, Settings(), missing, "overall").set_index("coefficient")
    assert overall.loc[ALPHA, "value"] == pytest.approx(0.776, abs=5e-4)
    assert len(compared(study, Settings(), missing, "ties")) == 0, "the consensus is of all labels, five a document"
    pairs = compared(study, Settings(), Comparison(), "pairs")
    assert (len(pairs), (pairs["documents"] >= 20).all()) == (3, True)
    assert compared(study, Settings(), Comparison(by="bias_type"), "overall")["bias_type"].nunique() == 9
    assert len(compared(study, Settings(), Comparison(), "annotators")) == 287


@pytest.mark.parametrize("binary", [True, False])
def test_the_values_of_a_column_part_the_documents(binary: bool) -> None:
    """Every document is of one kind: what is right in all of them is what is right in each, added up."""
    study = study_of(0)
    parts = compared(study, Settings(tau=0), Comparison("ann", binary=binary, by="kind"), "against")
    whole = compared(study, Settings(tau=0), Comparison("ann", binary=binary), "against").set_index("annotator")
    assert set(parts["kind"]) == {"a", "b", "c"}
    right = (parts["accuracy"] * parts["documents"]).groupby(parts["annotator"]).sum()
    documents = parts.groupby("annotator")["documents"].sum()
    for name in ("bob", "eve", "word list"):
        assert documents[name] == whole.loc[name, "documents"]
        assert right[name] == pytest.approx(whole.loc[name, "accuracy"] * whole.loc[name, "documents"])


def test_coefficients_of_all_then_of_each(newswire: Study) -> None:
    told = coefficients(newswire, Settings(), Comparison())
    own = told[~told["annotator"].isin(annotators_alongside(newswire))]
    assert own[["annotator", "reference", "coefficient"]].to_numpy().tolist() == [
        ["all", "", "percent agreement"],
        ["all", "", "Fleiss' kappa"],
        ["all", "", ALPHA],
        ["all", "", "Gwet's AC1"],
        ["lexicon", "project", "accuracy"],
        ["lexicon", "project", "kappa"],
        ["mentions", "project", "accuracy"],
        ["mentions", "project", "kappa"],
    ], "lexicon is the live word list under these settings"
    assert own["reason"].tolist() == ["one annotator"] * 4 + [""] * 4, "only project votes, until others are named"
    everyone = coefficients(newswire, Settings(voters=("all",)), Comparison())
    everyone = everyone[~everyone["annotator"].isin(annotators_alongside(newswire))]
    assert (everyone["ci_low"] < everyone["value"]).all()
    assert (everyone["reason"] == "").all()
    by = coefficients(newswire, Settings(), Comparison(by="bias_sensitive", reference="mentions"))
    assert by.columns[0] == "bias_sensitive"
    assert set(by["reference"]) == {"", "mentions"}
    confusion = compared(newswire, Settings(), Comparison(), "confusion")
    assert (confusion.groupby("annotator")["documents"].sum() == 343).all()
    themselves = compared(newswire, Settings(voters=("all",)), Comparison(), "themselves")
    assert themselves.empty, "no document of newswire was shown to an annotator twice"


def test_a_column_called_as_one_of_the_table_parts_documents_all_the_same() -> None:
    """The same table as by a column of another name; where the table has a column so called, it says which is which."""
    said = {
        "ann": ("female", "male", "female", "neutral"),
        "bob": ("female", "male", "male", "neutral"),
        "eve": ("neutral", "male", "female", "male"),
    }
    labels = labels_by({who: dict(zip(FOUR, told, strict=True)) for who, told in said.items()})
    values = {"documents": list("uuvv"), "queries": list("uv")}

    def apart(column: str, part: str) -> pd.DataFrame:
        """By a column of the four documents, or of the two queries that they are relevant to."""
        tables = {"documents": documents_of(dict.fromkeys(FOUR, "she")), "queries": queries_of({"q1": "a", "q2": "b"})}
        tables[part][column] = values[part]
        study = make_study("two kinds", labels=labels, qrels=qrels_of({"q1": "d1 d2", "q2": "d3 d4"}), **tables)
        return coefficients(study, Settings(), Comparison("ann", by=column))

    expected = {part: apart("kind", part) for part in values}
    for column, part, name in (
        ("value", "documents", "value (column)"),
        ("annotator", "documents", "annotator (column)"),
        ("accuracy", "documents", "accuracy"),
        ("place", "documents", "place"),
        ("doc_id", "queries", "doc_id"),
        ("relevance", "queries", "relevance"),
    ):
        found = apart(column, part)
        assert (expected[part].columns[0], found.columns[0]) == ("kind", name)
        pd.testing.assert_frame_equal(found.set_axis(expected[part].columns, axis="columns"), expected[part])


def test_the_live_word_list_is_the_rule_of_the_study_where_the_choices_are_its(newswire: Study) -> None:
    told = compared(newswire, Settings(), Comparison(), "against").set_index("annotator")
    asked = compared(newswire, Settings(), Comparison("word list"), "against").set_index("annotator")
    assert "word list" not in told.index
    assert asked.loc["project", "kappa"] == told.loc["lexicon", "kappa"]
    assert asked.loc["lexicon", "accuracy"] == 1
    other = compared(newswire, Settings(tau=2), Comparison(), "against")
    assert {"word list", "lexicon"} <= set(other["annotator"]), "under other choices it is another annotator"


def test_who_failed_the_test_questions_is_told_and_does_not_vote(crowd: Study) -> None:
    record = compared(crowd, Settings(), Comparison(), "annotators").set_index("annotator")
    assert record.loc["worse", ["test_questions", "failed", "dropped"]].tolist() == [4, 4, True]
    assert not record.loc[["a", "b"], "dropped"].any()
    assert "majority" not in record.index, "a consensus has no record"
    assert compared(crowd, Settings(), Comparison(), "ties").to_numpy().tolist() == [["d0", "female 1, male 1"]]
    assert set(compared(crowd, Settings(), Comparison(), "dawid-skene")["annotator"]) == {"a", "b"}


def test_only_the_named_are_asked_and_names_and_labels_must_be_there(crowd: Study, football: Study) -> None:
    told = compared(crowd, Settings(voters=("a", "b")), Comparison(), "overall").set_index("coefficient")
    assert told.loc["percent agreement", ["value", "annotators"]].tolist() == [0.75, 2]
    assert set(coefficients(crowd, Settings(), Comparison("a"))["drawn"]) == {"documents"}, "it has no queries"
    one = coefficients(football, Settings(), Comparison())
    assert set(one["annotator"]) == {"all", "word list"}
    whole = one[one["annotator"] == "all"]
    assert whole["value"].isna().all()
    assert set(whole["reason"]) == {"one annotator"}
    with refused("'crowd' has no annotator 'nobody'\nUse a, b, worse, majority, dawid-skene."):
        compared(crowd, Settings(), Comparison(reference="nobody"), "against")
    with refused(
        "'none' has no labels, so agreement is undefined\nAdd labels.csv with the columns doc_id, annotator, label."
    ):
        coefficients(make_study("none"), Settings(), Comparison())


@pytest.mark.parametrize(
    ("draw", "drawn"), [("documents", "documents"), ("queries", "queries, and documents without one")]
)
def test_one_accuracy_has_one_interval_everywhere(draw: str, drawn: str, newswire: Study) -> None:
    """agree and Agreement as Annotate and the manual."""
    (name,) = annotator_names(newswire)[:1]
    other = next(one for one in annotators_alongside(newswire) if one != name)
    lines = coefficients(newswire, Settings(), Comparison(name, draw=draw)).set_index(["annotator", "coefficient"])
    assert set(lines["drawn"]) == {drawn}
    row = annotator_table(with_labels_alongside(newswire), [other], name, draw=draw).set_index("classes").loc["all"]
    for coefficient in ("accuracy", "kappa"):
        line = lines.loc[(other, coefficient)]
        assert line["value"] == pytest.approx(row[coefficient])
        assert line["ci_low"] == pytest.approx(row[f"{coefficient}_low"])
        assert line["ci_high"] == pytest.approx(row[f"{coefficient}_high"])


def test_copies_of_a_document_within_a_query_add_no_certainty_where_queries_are_drawn() -> None:
    def of_copies(copies: int) -> Study:
        """Ten queries with so many equal documents each; a machine is right on seven of the queries."""
        held = {f"q{query}": [f"q{query}-{copy}" for copy in range(copies)] for query in range(10)}
        truth = {name: "female" for names in held.values() for name in names}
        machine = {name: label if name < "q7" else "male" for name, label in truth.items()}
        labels = labels_by({"truth": truth, "machine": machine})
        return make_study("copies", labels=labels, qrels=qrels_of(held), queries=queries_of(dict.fromkeys(held, "x")))

    def ends(copies: int, what: str) -> list[float]:
        study = of_copies(copies)
        found = compared(study, Settings(), by_query, what, study.labels)
        columns = ["value", "ci_low", "ci_high"] if what == "overall" else ["accuracy", "accuracy_low", "accuracy_high"]
        return found.iloc[0][columns].tolist()

    by_query = Comparison("truth", draw="queries")
    for what in ("overall", "against"):
        assert ends(1, what) == pytest.approx(ends(30, what))
        value, low, high = ends(30, what)
        assert value == pytest.approx(0.7)
        assert low < 0.45 < 0.85 < high
    assert ends(30, "pairs") == pytest.approx(ends(30, "against"))
    study = of_copies(2)
    assert set(coefficients(study, Settings(), by_query)["drawn"]) == {"queries"}
    some = replace(study, qrels=study.qrels[study.qrels["query_id"] != "q0"], fingerprint="")
    assert set(coefficients(some, Settings(), by_query)["drawn"]) == {"queries, and documents without one"}


# --- rules and models of a study, and annotators against a reference


SAID = {
    "ann": ("male", "female", "neutral", None),
    "rule": ("male", "neutral", "neutral", "male"),
    "model": ("female", "neutral", None, "female"),
    "other": ("female", "neutral", "neutral", None),
}
KINDS = {"ann": "person", "rule": "rule", "model": "model", "other": "rule"}


def labelled(*names: str) -> Study:
    names = names or tuple(SAID)
    return make_study(
        "s",
        documents=documents_of(dict.fromkeys(FOUR[::-1], "x")),
        labels=labels_by({name: dict(zip(FOUR, SAID[name], strict=True)) for name in names}),
        annotators={name: Annotator(name, KINDS[name]) for name in names},
    )


def test_who_is_compared_with_whom_on_which_documents() -> None:
    whole = labelled()
    assert labellers(whole) == ("rule", "model", "other")
    assert machines.references(whole) == ("ann", "rule", "model", "other")
    assert machines.usual_reference(whole, Settings()) == "ann"
    assert machines.usual_reference(whole, Settings(annotator="rule")) == "ann", (
        "a rule is no reference unless it is chosen"
    )
    assert machines.usual_reference(labelled("rule", "model"), Settings()) == "rule"
    assert machines.usual_reference(make_study("empty"), Settings()) == ""
    # documents of all are those that all labelled or were asked about
    assert machines.shared_documents(whole, ["rule", "model"], {}) == ["d4", "d2", "d1"]
    assert machines.shared_documents(whole, ["rule", "model"], {"model": ["d3"]}) == ["d4", "d3", "d2", "d1"]
    table = annotator_table(whole, ["rule"], "ann", documents=["d1", "d4"])
    assert table["documents"].tolist() == [1, 1, 1, 1], "the word list as well"


def test_where_they_part_from_the_reference_or_from_each_other() -> None:
    found = disagreements(labelled(), ["rule", "model", "other"], "ann")
    assert found.to_dict("records") == [
        {"doc_id": "d2", "reference": "female", "differing": 3, "label by rule": "neutral", "label by model": "neutral",
         "label by other": "neutral"},
        {"doc_id": "d1", "reference": "male", "differing": 2, "label by rule": "male", "label by model": "female",
         "label by other": "female"},
    ]  # fmt: skip
    found = disagreements(labelled(), ["rule", "model", "other"], "ann", machines.EACH_OTHER)
    assert found[["doc_id", "reference", "differing"]].to_numpy().tolist() == [["d4", "", 1], ["d1", "male", 1]]
    assert disagreements(labelled(), ["rule"], "ann", machines.EACH_OTHER).empty
    assert disagreements(labelled(), [], "ann").empty
    with pytest.raises(FairvizError, match=r"^annotators cannot part from 'nobody'\n"):
        disagreements(labelled(), ["rule"], "ann", "nobody")


def test_what_the_answers_took_and_which_gave_no_label() -> None:
    (choice,) = parse_annotators("llm(model='smollm2',prompt='one-shot')")
    outcomes = pd.DataFrame(
        {"doc_id": ["d1", "d2", "d3"], "outcome": ["labelled", "labelled", "unparsed"], "text": ["Female", "x", "<b>"]}
    )
    accounts = {"model": Account(choice, outcomes, 2_000_000, 500_000, 1.5)}
    table = pd.DataFrame({"annotator": ["rule", "model"], "accuracy": [0.5, 0.25]})
    shown = machines.with_accounts(table, labelled(), accounts, 3.0, 10.0)
    assert list(shown)[:5] == ["annotator", "kind", "model", "prompt", "accuracy"]
    assert shown.iloc[1][["kind", "model", "prompt", "unparsed", "too_long"]].tolist() == [
        "model", "smollm2", "one-shot", 1, 0,
    ]  # fmt: skip
    assert shown.iloc[1][["tokens_in", "tokens_out", "cost", "seconds"]].tolist() == [2_000_000, 500_000, 11.0, 1.5]
    assert shown.iloc[0][["unparsed", "tokens_in", "cost", "seconds"]].isna().all()
    assert machines.with_accounts(table, labelled(), accounts)["cost"].isna().all()
    assert machines.lost_answers(accounts).to_dict("records") == [
        {"annotator": "model", "doc_id": "d3", "outcome": "unparsed", "text": "<b>"}
    ]
    assert machines.lost_answers({}).empty
    assert machines.demonstrations(accounts) == ("model",)


def two_queries() -> Study:
    """Two queries with two documents, and one document that no query names. `rule` errs on d2 (female as neutral) and
    d3 (male as female)."""
    gold = {"d1": "female", "d2": "female", "d3": "male", "d4": "neutral", "d5": "neutral"}
    rule = {"d1": "female", "d2": "neutral", "d3": "female", "d4": "neutral", "d5": "neutral"}
    texts = dict.fromkeys(gold, "x") | {"d1": "she", "d3": "he him"}
    return make_study(
        "s",
        documents=documents_of(texts, kind=list("aabba")),
        labels=labels_by({"gold": gold, "rule": rule}),
        qrels=qrels_of({"q1": "d1 d2", "q2": "d3 d4"}),
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
    table = labels_by(
        {"gold": dict(zip(ids, names[true], strict=True)), "rule": dict(zip(ids, names[said], strict=True))}
    )
    qrels = pd.DataFrame({"query_id": [f"q{n}" for n in queries], "doc_id": ids, "relevance": 1})
    made = make_study("s", documents=documents_of(dict.fromkeys(ids, "x")), labels=table, qrels=qrels)
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


# --- Who can be compared with whom in a study


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
    texts = dict(zip(FOUR, ("she and her", "he he", "a man and his wife", None), strict=True))
    documents = documents_of(texts, topic=["sport", "art", "art", "art"], kind="same")
    queries = queries_of({"q1": "a", "q2": "b"}, category=["old", "new"])
    qrels = qrels_of({"q1": {"d1": 1, "d2": 0}, "q2": "d2"})
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
    grown = add_labels(study, labels_of({"d2": "male"}, "adjudicated"))
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
        "project": "model with a reader", "lexicon": "rule", "lexicon-tau=0": "rule", "word list": "rule",
        "prototypes": "trained classifier", "classifier-features=words": "trained classifier",
        "vote+lexicon-tau=0+classifier+classifier-features=words": "vote", "logprob-model=smollm2": "language model",
        "majority": "consensus", "adjudicated": "decisions",
    }  # fmt: skip
    assert {name: raters.kind_of(newswire, name) for name in kinds} == kinds
    assert raters.kind_of(newswire, "somebody else") == ""


def test_documents_of_one_subject_share_a_topic(newswire: Study) -> None:
    def study_of(texts: list, **columns: object) -> Study:
        held = {f"d{n}": text for n, text in enumerate(texts)}
        return make_study("topics", documents=documents_of(held, **columns))

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


# --- Kendall's tau between the orders of systems under a machine's and under people's labels


MEASURES = [parse(text, 10) for text in ("CWEx", "ExposureGap")]


def slow_ap(values: np.ndarray, truth: np.ndarray) -> float:
    """The AP correlation of an order without ties: 2 / (n - 1) Σ C(i) / (i - 1) - 1."""
    order = [truth[place] for place in np.argsort(values)]
    shares = [sum(above < order[rank] for above in order[:rank]) / rank for rank in range(1, len(order))]
    return 2 * float(np.mean(shares)) - 1


def test_tau_is_that_of_scipy_and_inside_its_interval(newswire) -> None:
    table = order_validity(newswire, "lexicon", "project", MEASURES, Settings())
    for (_, row), measure in zip(table.iterrows(), MEASURES, strict=True):
        means = [
            fairviz.summarise(fairviz.evaluate(newswire, measure.text, annotator=name)).set_index("system")["value"]
            for name in ("lexicon", "project")
        ]
        own = [name for name in newswire.systems if name not in ("perfect", "random")]
        first, second = (np.abs(one[own]) if measure.direction == "zero" else one[own] for one in means)
        assert row["tau"] == pytest.approx(kendalltau(first, second).statistic)
        far, near = (np.abs(one[own]) if measure.direction == "zero" else -one[own] for one in means)
        assert row["tau_ap"] == pytest.approx(slow_ap(far.to_numpy(), near.to_numpy()))
        assert row["tau_top"] == pytest.approx(top_tau(far.to_numpy()[None], near.to_numpy()[None], 3)[0])
        for name in ("tau", "tau_ap", "tau_top"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
        assert (row["systems"], row["queries"], row["queries_all"]) == (7, 40, 40)
        assert (row["labelled"], row["labelled_people"]) == (1, 1)
    same = order_validity(newswire, "project", "project", MEASURES, Settings())
    assert same[["tau", "tau_ap", "tau_top"]].to_numpy() == pytest.approx(1)


def test_queries_that_people_labelled_in_part_do_not_count(newswire) -> None:
    labels = newswire.labels[(newswire.labels["annotator"] != "project") | (newswire.labels["doc_id"] < "lee-150")]
    part = make_study(
        "part", runs=newswire.runs, queries=newswire.queries, labels=labels, annotators=newswire.annotators
    )
    row = order_validity(part, "lexicon", "project", MEASURES[:1], Settings(cutoff=3)).iloc[0]
    assert row["queries"] < 20
    assert row["queries_all"] == 40
    assert row["labelled_people"] < 0.8
    assert row["labelled"] == 1
    few = order_validity(newswire, "lexicon", "project", MEASURES[:1], Settings(systems=("bm25", "rrf"))).iloc[0]
    assert np.isnan(few["tau"])
    with pytest.raises(UsageError, match=r"NFaiRR.* reads no labels"):
        order_validity(newswire, "lexicon", "project", [parse("NFaiRR", 10)], Settings())


def test_models_of_one_family_are_named(newswire) -> None:
    names = {"bm25": "llm_pointwise-model=gpt-4o", "rrf": "llm-model=SmolLM2", "qlm": "gptune", "tfidf": "tfidf"}
    runs = newswire.runs[newswire.runs["system"].isin(names)]
    runs = runs.assign(system=runs["system"].astype("str").map(names))
    machine = "llm-model=gpt-4.1"
    text = f"{LLM.name} (model=gpt-4.1, prompt=zero-shot): {LLM.summary}."
    labels = newswire.labels[newswire.labels["annotator"] == "lexicon"].assign(annotator=machine)
    own = make_study("own", runs=runs, labels=labels, annotators={machine: Annotator(machine, "model", text)})
    assert of_one_family(own, machine) == ("llm_pointwise-model=gpt-4o",)
    assert of_one_family(newswire, "lexicon") == ()
