"""What is asked about annotators, on published annotations and on labels small enough to count."""

from dataclasses import replace

import pandas as pd
import pytest

import fairviz
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, coefficients, table
from fairviz.analyses.annotator_accuracy.labellers import annotator_table
from fairviz.annotation.voters import annotator_names, annotators_alongside, with_labels_alongside
from fairviz.datasets import fetch
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.fresh import study_of

ALPHA = "Krippendorff's alpha"


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
    told = table(study, Settings(), Comparison(), "overall").set_index("coefficient").loc[ALPHA]
    assert told["value"] == pytest.approx(-1 / 9)
    assert told[["documents", "annotators", "votes"]].tolist() == [2, 4, 6]
    missing = table(study, Settings(), Comparison(without_empty="bias_types"), "overall").set_index("coefficient")
    assert missing.loc[ALPHA, "value"] == pytest.approx(0)
    assert missing.loc[ALPHA, ["documents", "votes"]].tolist() == [2, 4]


def test_crows_pairs_with_empty_annotations_as_an_answer_and_as_missing(published) -> None:
    study = published("crows-pairs")
    told = table(study, Settings(), Comparison(), "overall").set_index("coefficient").loc[ALPHA]
    assert told["value"] == pytest.approx(0.648, abs=5e-4)
    assert told["ci_low"] < 0.63 < 0.67 < told["ci_high"]
    assert told[["documents", "annotators", "votes"]].tolist() == [1508, 287, 5 * 1508]
    missing = Comparison(without_empty="bias_types")
    overall = table(study, Settings(), missing, "overall").set_index("coefficient")
    assert overall.loc[ALPHA, "value"] == pytest.approx(0.776, abs=5e-4)
    assert len(table(study, Settings(), missing, "ties")) == 0, "the consensus is of all labels, five a document"
    pairs = table(study, Settings(), Comparison(), "pairs")
    assert (len(pairs), (pairs["documents"] >= 20).all()) == (3, True)
    assert table(study, Settings(), Comparison(by="bias_type"), "overall")["bias_type"].nunique() == 9
    assert len(table(study, Settings(), Comparison(), "annotators")) == 287


@pytest.mark.parametrize("binary", [True, False])
def test_the_values_of_a_column_part_the_documents(binary: bool) -> None:
    """Every document is of one kind: what is right in all of them is what is right in each, added up."""
    study = study_of(0)
    parts = table(study, Settings(tau=0), Comparison("ann", binary=binary, by="kind"), "against")
    whole = table(study, Settings(tau=0), Comparison("ann", binary=binary), "against").set_index("annotator")
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
    assert (table(newswire, Settings(), Comparison(), "confusion").groupby("annotator")["documents"].sum() == 343).all()
    themselves = table(newswire, Settings(voters=("all",)), Comparison(), "themselves")
    assert themselves.empty, "no document of newswire was shown to an annotator twice"


def test_a_column_called_as_one_of_the_table_parts_documents_all_the_same() -> None:
    """The same table as by a column of another name; where the table has a column so called, it says which is which."""
    names, genders = [f"d{place}" for place in range(4)], ["female", "male", "female", "neutral"]
    said = {"ann": genders, "bob": ["female", "male", "male", "neutral"], "eve": ["neutral", "male", "female", "male"]}
    labels = [(name, who, label) for who, told in said.items() for name, label in zip(names, told, strict=True)]

    def apart(column: str, part: str) -> pd.DataFrame:
        """By a column of the four documents, or of the two queries that they are relevant to."""
        tables = {
            "documents": pd.DataFrame({"doc_id": names, "title": "", "text": ["she", "he", "her", "a tree"]}),
            "queries": pd.DataFrame({"query_id": ["q1", "q2"], "text": ["a", "b"]}),
        }
        tables[part][column] = {"documents": list("uuvv"), "queries": list("uv")}[part]
        study = make_study(
            "two kinds",
            labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
            qrels=pd.DataFrame({"query_id": ["q1", "q1", "q2", "q2"], "doc_id": names, "relevance": 1}),
            **tables,
        )
        return coefficients(study, Settings(), Comparison("ann", by=column))

    expected = {part: apart("kind", part) for part in ("documents", "queries")}
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
    told = table(newswire, Settings(), Comparison(), "against").set_index("annotator")
    asked = table(newswire, Settings(), Comparison("word list"), "against").set_index("annotator")
    assert "word list" not in told.index
    assert asked.loc["project", "kappa"] == told.loc["lexicon", "kappa"]
    assert asked.loc["lexicon", "accuracy"] == 1
    other = table(newswire, Settings(tau=2), Comparison(), "against")
    assert {"word list", "lexicon"} <= set(other["annotator"]), "under other choices it is another annotator"


def test_who_failed_the_test_questions_is_told_and_does_not_vote(crowd: Study) -> None:
    record = table(crowd, Settings(), Comparison(), "annotators").set_index("annotator")
    assert record.loc["worse", ["test_questions", "failed", "dropped"]].tolist() == [4, 4, True]
    assert not record.loc[["a", "b"], "dropped"].any()
    assert "majority" not in record.index, "a consensus has no record"
    assert table(crowd, Settings(), Comparison(), "ties").to_numpy().tolist() == [["d0", "female 1, male 1"]]
    assert set(table(crowd, Settings(), Comparison(), "dawid-skene")["annotator"]) == {"a", "b"}


def test_only_the_named_are_asked_and_names_and_labels_must_be_there(crowd: Study, football: Study) -> None:
    told = table(crowd, Settings(voters=("a", "b")), Comparison(), "overall").set_index("coefficient")
    assert told.loc["percent agreement", ["value", "annotators"]].tolist() == [0.75, 2]
    assert set(coefficients(crowd, Settings(), Comparison("a"))["drawn"]) == {"documents"}, "it has no queries"
    one = coefficients(football, Settings(), Comparison())
    assert set(one["annotator"]) == {"all", "word list"}
    whole = one[one["annotator"] == "all"]
    assert whole["value"].isna().all()
    assert set(whole["reason"]) == {"one annotator"}
    with refused("'crowd' has no annotator 'nobody'\nUse a, b, worse, majority, dawid-skene."):
        table(crowd, Settings(), Comparison(reference="nobody"), "against")
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
        names = [(f"q{query}", f"q{query}-{copy}", query < 7) for query in range(10) for copy in range(copies)]
        rows = [(name, "truth", "female") for _, name, _ in names]
        rows += [(name, "machine", "female" if is_right else "male") for _, name, is_right in names]
        labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str")
        qrels = pd.DataFrame(
            [(query, name, 1) for query, name, _ in names], columns=["query_id", "doc_id", "relevance"]
        )
        queries = pd.DataFrame({"query_id": [f"q{query}" for query in range(10)], "text": "x"})
        return make_study("copies", labels=labels, qrels=qrels.assign(relevance=1), queries=queries)

    def ends(copies: int, what: str) -> list[float]:
        study = of_copies(copies)
        found = table(study, Settings(), by_query, what, study.labels)
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
