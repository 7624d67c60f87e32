"""Studies: made, added to, saved and opened with nothing lost; their tables, and those of other libraries."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.study import tables
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
from fairviz.study.tables import conform, ranked
from fairviz.words.counting import Lexicon
from tests.conftest import refused
from tests.study.loaders.files import fill, refusal, rows

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


# --- Saved and opened.


def test_a_study_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    study = made()
    folder = save_study(study, tmp_path / "deep" / "mine")
    again = open_study_folder(folder)
    assert_same(study, again)
    assert (again.name, again.folder, again.warnings) == ("mine", folder, ())
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == [
        "documents.parquet", "labels.csv", "lexicon-mine.csv", "qrels.txt", "queries.csv", "runs/a.run", "runs/b.run",
        "study.toml",
    ]  # fmt: skip
    assert os.listdir(tmp_path / "deep") == ["mine"], "nothing half-done stands beside it"


def test_text_that_csv_cannot_hold_scores_to_the_last_digit_and_other_groups_come_back(tmp_path: Path) -> None:
    """tests/test_round_trip.py draws studies of any texts and ids."""
    for number, (text, suffix) in enumerate(((None, "parquet"), ("a\rb", "parquet"), ('"\n,\t', "csv"), ("", "csv"))):
        study = make_study("s", documents=pd.DataFrame({"doc_id": ["1", "2"], "text": ["x", text]}))
        folder = save_study(study, tmp_path / str(number))
        assert sorted(path.name for path in folder.iterdir()) == [f"documents.{suffix}", "study.toml"]
        assert_same(study, open_study_folder(folder))
    scores = [1.7976931348623157e308, 1e22, 0.1 + 0.2, 5e-324, -1 / 3]
    scored = make_study("s", runs={"a": {"q": {f"d{rank}": score for rank, score in enumerate(scores)}}})
    assert open_study_folder(save_study(scored, tmp_path / "scored")).runs["score"].tolist() == scores
    labels = pd.DataFrame({"doc_id": ["1", "2"], "label": ["x", "y"], "confidence": [0.5, 0.25]})
    other = make_study("other", labels=labels, label_kind="other", groups=["w", "m", "o"], neutral="n")
    assert other.protected == "w"
    assert_same(other, open_study_folder(save_study(other, tmp_path / "other")))


def test_the_same_study_is_replaced_and_another_is_not(tmp_path: Path) -> None:
    folder = save_study(made(), tmp_path / "mine")
    study = open_study_folder(folder)
    fill(folder, {"notes/a.md": "mine", "runs/old.run": "1 Q0 d 1 1 t\n"})
    save_study(replace(study, labels=study.labels.head(1), title="new"), folder)
    again = open_study_folder(folder)
    assert (again.title, len(again.labels), again.systems) == ("new", 1, ("b", "a"))
    assert (folder / "notes" / "a.md").read_text() == "mine"
    assert os.listdir(tmp_path) == ["mine"]
    assert save_study(again, folder) == folder
    told = "{} exists already, and is not this study\nSave under another name, or remove it."
    assert refusal(save_study, made(title="other"), folder) == told.format(folder)
    assert refusal(save_study, replace(again, read_only=True), folder) == told.format(folder)
    assert open_study_folder(folder).title == "new"
    work = fill(tmp_path / "work", {"thesis.tex": "years of work"})
    assert refusal(save_study, made(), work) == told.format(work)
    assert os.listdir(work) == ["thesis.tex"]


NAME = "Use letters, digits, hyphens and underscores."
SOUND = make_study("s", labels=pd.DataFrame({"doc_id": ["1"], "label": ["male"]}))
CANNOT = [
    (made(runs=RUNS.assign(system="a/b")), f"'a/b' cannot name the file of a system\n{NAME}"),
    (made(runs=RUNS.assign(query_id="a b")), "the query_id 'a b' cannot be written to a TREC file\n"
     "Use ids without white space, and of queries without # in front."),
    (made(runs=RUNS.assign(note="x")), "the runs table has the column 'note', which a TREC file cannot hold\n"
     "Drop it first."),
    (make_study("x"), "x is empty\nAdd queries, documents, runs, qrels or labels first."),
    (replace(SOUND, title="\ud800"), "the description of the study holds half a character ('\\ud800')\n"
     "Take it out of the title, the description, the groups or the annotators."),
    (replace(SOUND, lexicon=Lexicon("mine", (("She", "female"),))), "the word 'She' cannot be written to a file of "
     "words\nWrite it in lower case, on one line, with a visible character and without tabs."),
    (replace(SOUND, lexicon=Lexicon("mine", (("she", " female"),))),
     "the group ' female' cannot be written to a file of words\nWrite it on one line."),
    # which make_study would not take
    (replace(make_study("s", labels=SOUND.labels.assign(label="w"), groups=("w", "m")), protected="x"),
     "the study could not be read again: "),
    (make_study("s", labels=pd.DataFrame({"doc_id": ["1", "2"], "label": "male", "note": [1, "x"]})),
     "the labels table cannot be written ("),
]  # fmt: skip


def test_what_files_cannot_hold_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for study, message in CANNOT:
        told = refusal(save_study, study, tmp_path / "mine")
        assert told.startswith(message) if message.endswith((" ", "(")) else told == message
    for number in (2**63, -(2**70), 10**5000):
        big = pd.DataFrame({"doc_id": ["1", "2"], "text": "x", "big": pd.Series([1, number], dtype="object")})
        with pytest.raises(FairvizError, match=r"the documents table .* column 'big'.*\nWrite .* as text"):
            save_study(make_study("own", documents=big), tmp_path / "own")
    assert refusal(save_study, made(), tmp_path / "a:b") == f"'a:b' cannot name the file of a study\n{NAME}"
    with (
        monkeypatch.context() as patch,
        refused(
            "documents would not read back as they are\nGive its ids and texts a plain form, or leave that part out."
        ),
    ):
        patch.setattr("fairviz.study.loaders.writing._fits_csv", lambda _: True)
        save_study(make_study("s", documents=pd.DataFrame({"doc_id": ["1", "2"], "text": [None, "x"]})), tmp_path / "s")
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("x")
    assert refusal(save_study, made(), tmp_path / "file" / "mine") == (
        f"{tmp_path / 'file' / 'mine'} cannot be written (File exists)\nChoose a folder that you can write, with room."
    )
    odd = make_study("s", labels=SOUND.labels.assign(note=[b"x"]), annotator=" a ")
    assert save_study(odd, tmp_path / "s").is_dir()


# --- Made and added to.


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
    study = made()
    more = add_runs(study, RUNS.assign(system="c"))
    seen = {study.fingerprint, more.fingerprint, *(made(**{part: new}).fingerprint for part, new in changes.items())}
    seen.add(add_labels(study, LABELS.assign(annotator="c")).fingerprint)
    seen.add(add_documents(study, DOCUMENTS.assign(doc_id=["x", "y", "z"])).fingerprint)
    assert len(seen) == 13
    assert with_fingerprint(made()).fingerprint == study.fingerprint
    assert add_runs(made(), RUNS.assign(system="c")).fingerprint == more.fingerprint


def test_runs_labels_and_documents_are_added_and_none_is_replaced() -> None:
    mine = made()
    study = add_runs(mine, RUNS.assign(system="c", doc_id=["new", "007", "null"]))
    assert study.systems == ("b", "a", "c")
    assert study.runs["doc_id"].tolist() == ["007", "null", "NA", "new", "007", "null"]
    assert add_runs(made(runs=None), RUNS).systems == ("b", "a")
    assert refusal(add_runs, mine, RUNS) == "mine has a run 'b' already\nRename the file: the system takes its name."
    study = add_labels(mine, LABELS.assign(annotator="new", label="M"))
    assert study.labels["label"].tolist() == ["female", "neutral", "male", "male"]
    assert study.annotators["new"] == Annotator("new")
    assert study.annotators["rule 1"].kind == "rule"
    assert refusal(add_labels, mine, LABELS) == (
        "mine has a label of document '007' by 'ann' already (2 such labels)\n"
        "Give the new labels another name in the column annotator."
    )
    assert refusal(add_labels, mine, LABELS.assign(label="x")).startswith("the labels table holds 'x', outside")
    more = pd.DataFrame({"doc_id": ["007", "new", "NA"], "text": [DOCUMENTS["text"][0], "text", None]})
    study = add_documents(mine, more)
    assert study.documents["doc_id"].tolist() == ["007", "null", "NA", "new"]
    told = (
        "mine has another text for document '007' already (2 such documents)\n"
        "Give the new documents other ids, or open them as a study of their own."
    )
    assert refusal(add_documents, mine, more.assign(text="else")) == told
    # what is added may have a column that the study lacks, but not for a document that it has
    study = add_documents(study, pd.DataFrame({"doc_id": ["e"], "text": ["y"], "topic": ["war"]}))
    assert study.documents["topic"].fillna("").tolist() == ["", "", "", "", "war"]
    assert refusal(add_documents, mine, DOCUMENTS.head(1).assign(topic="war")).startswith(told.partition(" (")[0])
    assert_same(mine, made())


# --- The last gate of every table, and the one rule for ties.


def test_conform_puts_columns_and_types_right() -> None:
    for schema in tables.SCHEMAS.values():
        tables.empty(schema).insert(0, "more", 1)  # which changes no other
        table = tables.empty(schema)
        assert len(table) == 0
        assert tuple(table.columns) == schema.column_names
        pd.testing.assert_frame_equal(conform(table, schema), table)
    frame = pd.DataFrame({"why": ["x", "y"], "relevance": ["1", 0.0], "doc_id": [7, 8], "query_id": ["007", "null"]})
    table = conform(frame, tables.QRELS)
    assert list(table.columns) == ["query_id", "doc_id", "relevance", "why"]
    assert rows(table) == [("007", "7", 1, "x"), ("null", "8", 0, "y")]
    labels = conform(pd.DataFrame({"doc_id": ["1"], "label": ["male"]}), tables.LABELS)
    assert labels["annotator"].tolist() == ["annotator"]
    documents = conform(pd.DataFrame({"doc_id": ["1"], "text": [None]}), tables.DOCUMENTS)
    assert documents["text"].isna().tolist() == [True]


BAD = [
    (tables.QUERIES, {"query_id": ["1"]}, "the queries table lacks the column 'text'; it has query_id\n"
     "Name its columns query_id, text."),
    (tables.QUERIES, {"query_id": ["1", None], "text": ["a", "b"]}, "the queries table has an empty 'query_id' in row "
     "2\nGive every row a value in the column 'query_id'."),
    (tables.QUERIES, {"query_id": ["1", "1"], "text": ["a", "b"]}, "the queries table names query_id '1' more than "
     "once (1 rows too many)\nKeep one row of each."),
    (tables.QRELS, {"query_id": ["1"], "doc_id": ["1"], "relevance": ["high"]}, "the qrels table has 'high' as "
     "'relevance' in row 1\nWrite a number in the column 'relevance'."),
    (tables.QRELS, {"query_id": ["1"], "doc_id": ["1"], "relevance": [0.5]}, "the qrels table has a fraction in the "
     "column 'relevance'\nWrite whole numbers there."),
    (tables.RUNS, {"system": ["a"] * 2, "query_id": [1, 1], "doc_id": [2, 2], "rank": [1, 2], "score": [1, 1]},
     "the runs table names system 'a', query_id '1', doc_id '2' more than once (1 rows too many)\n"
     "Keep one row of each."),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "columns", "message"), BAD)
def test_what_does_not_conform(schema, columns: dict, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for largest in (tables.LARGEST_KEY, 0):  # keys beyond it are compared as texts
        monkeypatch.setattr(tables, "LARGEST_KEY", largest)
        with refused(message):
            conform(pd.DataFrame(columns), schema)


def run_table(found: list[tuple]) -> pd.DataFrame:
    return conform(pd.DataFrame(found, columns=["system", "query_id", "doc_id", "rank", "score"]), tables.RUNS)


# 1.00000001 and 1 tie where trec_eval compares scores as 32-bit floats, as do two that no such float holds.
CLOSE = [("s", "q", *row) for row in (("a", 1, 1.00000001), ("b", 1, 1.0), ("c", 1, -2e300), ("d", 1, -1e300))]


@pytest.mark.parametrize(("ties", "order"), [("file", "abdc"), ("trec_eval", "badc")])
def test_the_tie_rule(ties: str, order: str) -> None:
    """Scores stay as they are, and ranks count anew."""
    table = ranked(run_table(CLOSE), ties)
    assert ("".join(table["doc_id"]), table["rank"].tolist()) == (order, [1, 2, 3, 4])
    assert dict(zip(table["doc_id"], table["score"], strict=True)) == {row[2]: row[4] for row in CLOSE}
    with refused("unknown tie rule 'alphabet'\nUse one of file, trec_eval."):
        ranked(table, "alphabet")


PLACE = st.tuples(st.sampled_from("st"), st.sampled_from("pqr"), st.sampled_from(["1", "2", "10", "x", "é"]))
ROWS = st.lists(st.tuples(PLACE, st.integers(0, 3), st.integers(0, 2)), max_size=20, unique_by=lambda row: row[0])


@given(ROWS, st.sampled_from(["file", "trec_eval"]))
def test_ranked_is_a_plain_sort(found: list[tuple], ties: str) -> None:
    table = run_table([(*place, rank, float(score)) for place, rank, score in found])
    expected = []
    for system in table["system"].cat.categories:
        for query in table["query_id"].cat.categories:
            own = [row for row in found if row[0][:2] == (system, query)]
            own.sort(key=lambda row: row[0][2], reverse=ties == "trec_eval")
            own.sort(key=lambda row: (-row[2], row[1] if ties == "file" else 0))
            expected += [row[0] for row in own]
    assert rows(ranked(table, ties), "system", "query_id", "doc_id") == expected


# --- Tables of other libraries, and tables for them.

RESULTS = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 0.5}}


class Ranx:
    """A run as ranx has it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def to_dataframe(self) -> pd.DataFrame:
        return pd.DataFrame({"q_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [
        (RESULTS, ["run q1 a 2", "run q1 b 1", "run q2 a 1"]),
        ({"z": {"q": {"a": 1}}, "b": {"q": {"a": 2}}}, ["z q a 1", "b q a 1"]),
        ([Ranx("z"), Ranx("b")], ["z q1 a 2", "z q1 b 1", "b q1 a 2", "b q1 b 1"]),
        (Ranx("mine"), ["mine q1 a 2", "mine q1 b 1"]),
        ({"pt": pd.DataFrame({"qid": ["1"], "docno": ["d"], "docid": [7], "rank": [0], "score": [2.5]})}, ["pt 1 d 0"]),
        (pd.DataFrame({"user_id": [1, 1], "item_id": [5, 6], "rank": [1, 2]}), ["run 1 5 1", "run 1 6 2"]),
    ],
)  # fmt: skip
def test_runs_of_other_libraries(runs: Any, wanted: list[str]) -> None:
    study = make_study("made", runs=runs)
    assert [" ".join(map(str, row)) for row in rows(study.runs, "system", "query_id", "doc_id", "rank")] == wanted
    assert list(study.systems) == list(dict.fromkeys(row.split()[0] for row in wanted))


def test_rows_of_a_data_set_are_documents_and_relevance_of_terrier() -> None:
    """Arrow tables and Hugging Face datasets have to_pandas."""
    table = pa.table({"_id": ["a", "b"], "title": ["", "t"], "text": ["she", "he"], "year": [1, 2]})
    study = make_study("made", documents=table, qrels={"q": {"a": 1}})
    assert study.documents.columns.tolist() == ["doc_id", "title", "text", "year"]
    assert study.qrels.values.tolist() == [["q", "a", 1]]
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2]})
    study = make_study("made", qrels=qrels, queries=pd.DataFrame({"qid": ["1"], "query": ["nurse"]}))
    assert study.qrels.values.tolist() == [["1", "d", 2]]
    assert study.queries.values.tolist() == [["1", "nurse"]]
    for part in ("queries", "documents", "runs", "qrels", "labels"):
        with pytest.raises(UsageError, match=rf"^{part} is 3\nGive a pandas DataFrame with the columns "):
            make_study("made", **{part: 3})


def test_a_study_for_trec_terrier_and_ranx(tmp_path: Path, football: Study) -> None:
    folder = football.to_trec(tmp_path / "new")
    again = fairviz.open_study(folder)
    pd.testing.assert_frame_equal(again.qrels, football.qrels)
    kept = ("system", "query_id", "doc_id", "rank", "score")
    assert rows(again.runs, *kept) == rows(football.runs, *kept)
    with pytest.raises(FairvizError, match="is there already"):
        football.to_trec(folder)
    terrier = football.to_pyterrier()
    assert terrier.runs["left"]["rank"].tolist() == list(range(len(terrier.runs["left"])))
    stored = football.runs[football.runs["system"] == "left"].set_index("doc_id")["score"]
    assert terrier.runs["left"]["score"].tolist() == stored.loc[terrier.runs["left"]["docno"]].tolist()
    assert set(terrier.runs["left"]["query"]) == set(football.queries["text"])
    assert list(terrier.qrels) == ["qid", "docno", "label"]
    for _ in range(2):  # a second iteration
        assert [row["docno"] for row in terrier.corpus] == football.documents["doc_id"].tolist()
    with pytest.raises(FairvizError, match="need the package ranx, which is not installed\nRun: pip install ranx"):
        football.to_ranx()


def test_the_order_of_tied_documents_is_kept_where_asked() -> None:
    """trec_eval puts the larger id of two tied documents first, the file's rule the smaller rank."""
    runs = pd.DataFrame({"system": "s", "query_id": "q", "doc_id": ["a", "b"], "rank": [1, 2], "score": [1.0, 1.0]})
    study = make_study("tied", runs=runs, qrels={"q": {"a": 1}})
    values = {}
    for keep_order in (False, True):
        qrels, lists = study.to_ir_measures(keep_order=keep_order)
        values[keep_order] = ir_measures.calc_aggregate([ir_measures.RR], qrels, lists["s"])[ir_measures.RR]
    assert values == {False: 0.5, True: 1.0}
    assert fairviz.evaluate(study, "RR")["value"].tolist() == [1.0]
    assert study.to_ir_measures(ties="trec_eval")[1]["s"]["doc_id"].tolist() == ["b", "a"]
