"""Studies: opened, made, added to and saved, with nothing lost on the way."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairviz.errors import FairvizError, UsageError
from fairviz.study.record import PARTS, Annotator, Study, with_fingerprint
from fairviz.study.study import (
    add_documents,
    add_labels,
    add_runs,
    make_study,
    open_study_folder,
    save_study,
    with_kinds,
)
from fairviz.words.counting import Lexicon
from tests.conftest import refused
from tests.study.loaders.files import refusal

RUNS = pd.DataFrame(
    [("b", "1", "007", 1, 2.0), ("b", "1", "null", 2, 1 / 3), ("a", "1", "NA", 1, 1e-9)],
    columns=["system", "query_id", "doc_id", "rank", "score"],
).astype({"system": pd.CategoricalDtype(["b", "a"])})
LABELS = pd.DataFrame([("007", "ann", "F"), ("null", "rule 1", "neutral")], columns=["doc_id", "annotator", "label"])
DOCUMENTS = pd.DataFrame(
    [("007", "", 'say "hi",\n<script>\t', "x"), ("null", "T\r\n", "", ""), ("NA", "", None, "y")],
    columns=["doc_id", "title", "text", "kind"],
)


def made(**changes) -> Study:
    parts = {
        "queries": pd.DataFrame({"query_id": ["1"], "text": ["how, é"], "category": ["c"]}),
        "documents": DOCUMENTS,
        "runs": RUNS,
        "qrels": pd.DataFrame({"query_id": ["1"], "doc_id": ["007"], "relevance": [2]}),
        "labels": LABELS,
        "lexicon": Lexicon("mine", (("she", "female"), ("he", "male"))),
        "title": 'A "study"',
        "description": "two\nlines\\",
        "licence": "MIT",
        "citation": "é",
        "protected": "male",
        "targets": {"female": 0.25, "male": 0.75},
        "annotator": "ann",
        "annotators": {"rule 1": Annotator("rule 1", "rule", "A list.")},
        "notices": ("Mind this.",),
    }
    return make_study("mine", **(parts | changes))


def assert_same(one: Study, two: Study) -> None:
    for part in PARTS:
        pd.testing.assert_frame_equal(getattr(one, part), getattr(two, part), check_categorical=False, check_exact=True)
    kept = ("title", "description", "licence", "citation", "groups", "neutral", "protected", "targets", "lexicon")
    for name in (*kept, "label_kind", "annotator", "annotators", "notices", "systems"):
        assert getattr(one, name) == getattr(two, name), name


def test_a_study_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    study = made()
    folder = save_study(study, tmp_path / "deep" / "mine")
    again = open_study_folder(folder)
    assert_same(study, again)
    assert (again.name, again.folder, again.warnings) == ("mine", folder, ())
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == [
        "documents.parquet",
        "labels.csv",
        "lexicon-mine.csv",
        "qrels.txt",
        "queries.csv",
        "runs/a.run",
        "runs/b.run",
        "study.toml",
    ]
    assert os.listdir(tmp_path / "deep") == ["mine"], "nothing half-done stands beside it"


def test_text_that_csv_cannot_hold_and_other_groups_come_back(tmp_path: Path) -> None:
    for text, suffix in ((None, "parquet"), ("a\rb", "parquet"), ('"\n,\t', "csv"), ("", "csv")):
        study = make_study("s", documents=pd.DataFrame({"doc_id": ["1", "2"], "text": ["x", text]}))
        folder = save_study(study, tmp_path / "s")
        assert sorted(path.name for path in folder.iterdir()) == [f"documents.{suffix}", "study.toml"]
        assert_same(study, open_study_folder(folder))
        shutil.rmtree(folder)
    labels = pd.DataFrame({"doc_id": ["1", "2"], "label": ["x", "y"], "confidence": [0.5, 0.25]})
    other = make_study("other", labels=labels, label_kind="other", groups=["w", "m", "o"], neutral="n")
    assert other.protected == "w"
    assert_same(other, open_study_folder(save_study(other, tmp_path / "other")))


ID = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6)
SCORES = st.floats(allow_nan=False, allow_infinity=False, width=64)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings.default.max_examples // 3,  # each saves and opens a study
)
@given(st.lists(st.tuples(ID, ID, SCORES), min_size=1, max_size=5, unique_by=lambda row: row[:2]))
def test_ids_and_scores_come_back_to_the_last_digit(tmp_path: Path, rows: list[tuple]) -> None:
    runs = pd.DataFrame([("s", *row[:2], 1, row[2]) for row in rows], columns=list(RUNS.columns))
    texts = list(dict.fromkeys(row[1] for row in rows))
    documents = pd.DataFrame({"doc_id": texts, "text": texts})
    labels = pd.DataFrame({"doc_id": texts, "annotator": texts, "label": "male"})
    study = make_study("s", runs=runs, documents=documents, labels=labels)
    assert_same(study, open_study_folder(save_study(study, tmp_path / os.urandom(8).hex())))


def test_another_study_is_not_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    told = "{} exists already, and is not this study\nSave under another name, or remove it."
    assert refusal(save_study, made(), folder) == told.format(folder)
    other = save_study(made(title="other"), tmp_path / "other")
    assert refusal(save_study, made(), other) == told.format(other)
    opened = open_study_folder(other)
    assert opened.title == "other"
    assert refusal(save_study, replace(opened, read_only=True), other) == told.format(other)
    assert os.listdir(folder) == ["thesis.tex"]


def test_the_same_study_is_replaced_and_other_files_stay(tmp_path: Path) -> None:
    folder = save_study(made(), tmp_path / "mine")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("mine")
    study = open_study_folder(folder)
    (folder / "runs" / "old.run").write_text("1 Q0 d 1 1 t\n")
    save_study(replace(study, labels=study.labels.head(1), title="new"), folder)
    again = open_study_folder(folder)
    assert (again.title, len(again.labels), again.systems) == ("new", 1, ("b", "a"))
    assert (folder / "notes" / "a.md").read_text() == "mine"
    assert os.listdir(tmp_path) == ["mine"]
    assert save_study(again, folder) == folder


CANNOT = [
    ({"runs": RUNS.assign(system="a/b")},
     "'a/b' cannot name the file of a system\nUse letters, digits, hyphens and underscores."),
    ({"runs": RUNS.assign(query_id="a b")}, "the query_id 'a b' cannot be written to a TREC file\n"
     "Use ids without white space, and of queries without # in front."),
    ({"runs": RUNS.assign(note="x")}, "the runs table has the column 'note', which a TREC file cannot hold\n"
     "Drop it first."),
]  # fmt: skip


def test_what_files_cannot_hold_leaves_nothing(tmp_path: Path) -> None:
    for changes, message in CANNOT:
        assert refusal(save_study, made(**changes), tmp_path / "mine") == message
    assert refusal(save_study, make_study("x"), tmp_path / "x") == (
        "x is empty\nAdd queries, documents, runs, qrels or labels first."
    )
    assert refusal(save_study, made(), tmp_path / "a:b") == (
        "'a:b' cannot name the file of a study\nUse letters, digits, hyphens and underscores."
    )
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("x")
    assert refusal(save_study, made(), tmp_path / "file" / "mine") == (
        f"{tmp_path / 'file' / 'mine'} cannot be written (File exists)\nChoose a folder that you can write, with room."
    )


def test_labels_of_a_made_study_are_its_groups_and_its_systems_have_rows() -> None:
    study = made(runs=RUNS[RUNS["system"] == "a"])
    assert study.systems == ("a",)
    assert study.labels["label"].tolist() == ["female", "neutral"]
    assert study.annotators["ann"] == Annotator("ann")
    assert Annotator("a", "human") == Annotator("a", "person")  # type: ignore[arg-type]
    assert refusal(lambda: made(labels=LABELS.assign(label=["botrh", "x"]))) == (
        "the labels table holds 'botrh', 'x', outside the groups of the study\n"
        "Use one of neutral, female, male, or make the study with label_kind='other'."
    )
    with refused(
        "the kind of the annotator 'ann' is 'dog'\nUse one of human, human with machine help, model, rule, unknown.",
        UsageError,
    ):
        Annotator("ann", "dog")  # type: ignore[arg-type]
    with pytest.raises(FairvizError, match="the labels table lacks the column 'label'"):
        make_study("a", labels=pd.DataFrame({"doc_id": ["d"], "share": [0.5]}))
    with pytest.raises(FairvizError, match=r"has no annotator 'x'\nAdd labels first\."):
        with_kinds(make_study("a", documents=pd.DataFrame({"doc_id": ["d"], "text": ["x"]})), {"x": "person"})


def test_the_fingerprint_follows_the_content() -> None:
    changes = {
        "queries": None, "runs": RUNS.assign(score=[2, 1, 0.5]), "documents": DOCUMENTS.assign(text="x"),
        "labels": LABELS.assign(label="male"), "qrels": None, "lexicon": None, "protected": "female", "targets": {},
        "annotator": "",
    }  # fmt: skip
    more = add_runs(made(), RUNS.assign(system="c"))
    seen = {made().fingerprint, more.fingerprint, *(made(**{part: new}).fingerprint for part, new in changes.items())}
    seen.add(add_labels(made(), LABELS.assign(annotator="c")).fingerprint)
    seen.add(add_documents(made(), DOCUMENTS.assign(doc_id=["x", "y", "z"])).fingerprint)
    assert len(seen) == 13
    assert with_fingerprint(made()).fingerprint == made().fingerprint
    assert add_runs(made(), RUNS.assign(system="c")).fingerprint == more.fingerprint


def test_adding_runs() -> None:
    study = add_runs(made(), RUNS.assign(system="c", doc_id=["new", "007", "null"]))
    assert study.systems == ("b", "a", "c")
    assert study.runs["doc_id"].tolist() == ["007", "null", "NA", "new", "007", "null"]
    assert add_runs(made(runs=None), RUNS).systems == ("b", "a")
    assert refusal(add_runs, made(), RUNS) == "mine has a run 'b' already\nRename the file: the system takes its name."
    assert len(made().runs) == 3


def test_adding_labels() -> None:
    study = add_labels(made(), LABELS.assign(annotator="new", label="M"))
    assert study.labels["label"].tolist() == ["female", "neutral", "male", "male"]
    assert study.annotators["new"] == Annotator("new")
    assert study.annotators["rule 1"].kind == "rule"
    assert refusal(add_labels, made(), LABELS) == (
        "mine has a label of document '007' by 'ann' already (2 such labels)\n"
        "Give the new labels another name in the column annotator."
    )
    assert refusal(add_labels, made(), LABELS.assign(label="x")).startswith("the labels table holds 'x', outside")


def test_adding_documents() -> None:
    more = pd.DataFrame({"doc_id": ["007", "new", "NA"], "text": [DOCUMENTS["text"][0], "text", None]})
    study = add_documents(made(), more)
    assert study.documents["doc_id"].tolist() == ["007", "null", "NA", "new"]
    told = (
        "mine has another text for document '007' already (2 such documents)\n"
        "Give the new documents other ids, or open them as a study of their own."
    )
    assert refusal(add_documents, made(), more.assign(text="else")) == told
    # what is added may have a column that the study lacks, but not for a document that it has
    study = add_documents(study, pd.DataFrame({"doc_id": ["e"], "text": ["y"], "topic": ["war"]}))
    assert study.documents["topic"].fillna("").tolist() == ["", "", "", "", "war"]
    assert refusal(add_documents, made(), DOCUMENTS.head(1).assign(topic="war")).startswith(told.partition(" (")[0])
