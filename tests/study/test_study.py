"""Studies: made, added to, saved and opened with nothing lost; their tables, those of other libraries, and attribute
sets."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import bias_of, exposures
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.measures.contributions import OneList, by_rank
from fairviz.output.capsule import tables_of
from fairviz.study import tables
from fairviz.study.attributes import CELL_REMEDY, Attribute, cell_shares, in_one_row, read_cell, share_column
from fairviz.study.loaders.labels import read_labels
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
from tests.made import qrels_of, runs_of
from tests.study.loaders.files import fill, put, refusal, rows

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


# --- Attribute sets, and documents that belong to several groups in shares: tables, files, arrays and measures.


LEVELS = ("low", "mid", "high")
TOML = '[attributes.h_index]\nlevels = ["low", "mid", "high"]\nscale = "ordinal"\n'


@given(weights=st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))
def test_shares_of_a_cell_come_back(weights: list[int]) -> None:
    shares = [weight / sum(weights) for weight in weights]
    text = "|".join(f"{level}={share!r}" for level, share in zip(LEVELS, shares, strict=True))
    found, reason = read_cell(text, LEVELS)
    assert reason == ""
    np.testing.assert_allclose(found, shares)


def test_cells_without_a_value_are_equal_shares() -> None:
    cells = ["low", "", None, " mid | high ", "low=0.333333|mid=0.333333|high=0.333333"]
    third = [1 / 3] * 3
    expected = [[1, 0, 0], third, third, [0, 0.5, 0.5], third]
    np.testing.assert_allclose(cell_shares(pd.Series(cells), Attribute(LEVELS)), expected)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("hi", "'hi' is not one of the levels low, mid, high"),
        ("low|low", "the level 'low' is named twice"),
        ("low=0|low=1", "the level 'low' is named twice"),
        ("low=0.5|mid=0.4", "the shares sum to 0.9, and not to 1"),
        ("low=x|mid=1", "the share of 'low=x' is not a number from 0 to 1"),
        ("low|mid=1", "the share of 'low' is not a number from 0 to 1"),
        ("low=2|mid=-1", "the share of 'low=2' is not a number from 0 to 1"),
        ("low|", "'' is not one of the levels low, mid, high"),
        ("low=nan", "the share of 'low=nan' is not a number from 0 to 1"),
    ],
)
def test_an_invalid_cell_is_named_with_its_line(tmp_path: Path, cell: str, reason: str) -> None:
    fill(tmp_path, {"study.toml": TOML, "documents.csv": f"doc_id,text,h_index\nd1,x,low\n\nd2,y,{cell}\n"})
    with refused(f"documents.csv:4: the column 'h_index': {reason}: {cell!r}\n{CELL_REMEDY}", DataError):
        open_study_folder(tmp_path)


def test_invalid_cells_of_files_without_lines_and_documents_without_the_column(tmp_path: Path) -> None:
    cell = "the column 'h_index': 'huge' is not one of the levels low, mid, high: 'huge'"
    lacking = (
        "study.toml: attributes.h_index: the documents have no column 'h_index'\n"
        "Add the column to the documents, or remove the table [attributes.NAME]."
    )
    table = pd.DataFrame({"doc_id": ["d1", "d2"], "text": "x", "h_index": ["huge", "low"]})
    table.head(1).to_parquet(tmp_path / "one")
    table.tail(1).to_parquet(tmp_path / "other")
    one, other = (tmp_path / "one").read_bytes(), (tmp_path / "other").read_bytes()
    for number, (files, told) in enumerate((
        ({}, lacking),
        ({"documents.csv": "doc_id,text\nd1,x\n"}, lacking),
        ({"documents.jsonl": '{"doc_id": "d1", "text": "x", "h_index": "huge"}\n'},
         f"documents.jsonl:1: {cell}\n{CELL_REMEDY}"),
        ({"documents.parquet": one}, f"documents.parquet: {cell}\n{CELL_REMEDY}"),
        ({"corpus/c-00000-of-00002.parquet": one, "corpus/c-00001-of-00002.parquet": other},
         f"documents: document 'd1' in {cell}\n{CELL_REMEDY}"),
    )):  # fmt: skip
        base = {"study.toml": TOML, "labels.csv": "doc_id,label\nd1,female\n"}
        with refused(told, DataError):
            open_study_folder(fill(tmp_path / str(number), base | files))


def frames(**fields: object) -> Study:
    documents = pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["x", "y"], "h_index": ["low", "mid|high"]})
    return make_study("made", documents=documents, **fields)


def test_a_set_survives_saving_and_enters_the_fingerprints(tmp_path: Path) -> None:
    written = {"h_index": {"levels": list(LEVELS), "scale": "ordinal", "target": [0.5, 0.25, 0.25]}}
    study = frames(attributes=written)
    assert study.attributes == {"h_index": Attribute(LEVELS, "ordinal", (0.5, 0.25, 0.25))}
    assert "attribute sets: h_index" in str(study)
    assert "attribute sets" not in str(frames())
    assert open_study_folder(save_study(study, tmp_path / "made")).attributes == study.attributes
    others = [frames(), frames(attributes={"h_index": Attribute(LEVELS)})]
    others += [frames(attributes={"h_index": Attribute(LEVELS, "ordinal")})]
    assert len({one.fingerprint for one in (study, *others)}) == 4
    assert len({tables_of(one)["metadata"]["sha256"] for one in (study, *others)}) == 4
    # one without sets has the fingerprint that it had before there were any
    assert frames().fingerprint == "774587ed42b0ad43ed6bd6e89d8a9d59979ec510e91407c934e57b967446e974"


def test_defects_of_sets_in_python() -> None:
    with pytest.raises(UsageError, match=r"attributes.h_index: levels must be two or more, each once: \"\('low',\)\""):
        frames(attributes={"h_index": Attribute(("low",))})
    with pytest.raises(UsageError, match=r"attributes\.h_index is not a table: '5'"):
        frames(attributes={"h_index": 5})
    with refused("the documents table has no column 'origin', of which attributes.origin is\nAdd it, or drop the set."):
        frames(attributes={"origin": Attribute(LEVELS)})
    with refused(f"document 'd2' in the column 'h_index': 'mid' is not one of the levels low, high\n{CELL_REMEDY}"):
        frames(attributes={"h_index": Attribute(("low", "high"))})


# --- Membership in the groups, in shares.

LABEL_MEASURES = [name for name, measure in MEASURES.items() if measure.family == "labels"]
GROUPS = ("neutral", "female", "male")


def study_of(labels: pd.DataFrame, order: tuple[str, ...] = ("d1", "d2", "d3"), **fields: object) -> Study:
    topics = [f"t{place % 2}" for place in range(len(order))]
    return make_study(
        "soft",
        queries=pd.DataFrame({"query_id": ["q"], "text": ["nurse"]}),
        documents=pd.DataFrame({"doc_id": order, "text": "she and he", "topic": topics}),
        labels=labels,
        qrels=qrels_of({"q": {order[0]: 1, order[-1]: 2}}),
        **{"runs": runs_of({"A": order}), **fields},
    )


def long(**shares: dict[str, float]) -> pd.DataFrame:
    table = [(name, "ann", group, share) for name, each in shares.items() for group, share in each.items()]
    return pd.DataFrame(table, columns=["doc_id", "annotator", "label", "share"])


SOFT = long(d1={"female": 0.75, "male": 0.25}, d2={"neutral": 0.5, "male": 0.5}, d3={"male": 1.0})


def test_exposures_and_measures_by_hand() -> None:
    """Equal attention to three documents: female .75/3, male (.25 + .5 + 1)/3, neutral .5/3. Crossed with the topic, d1
    and d3 have t0, d2 has t1, and its neutral half stays neutral."""
    table = in_one_row(SOFT, GROUPS)
    assert rows(table, "doc_id", "label") == [("d1", "female"), ("d2", "neutral"), ("d3", "male")]  # ties: the first
    assert table[share_column("female")].tolist()[:2] == [0.75, 0.0]
    assert np.isnan(table[share_column("male")].iloc[2])  # one label, no shares
    study, equal = study_of(SOFT), {"cutoff": 3, "position_bias": "uniform"}
    row = exposures(study, Settings(**equal)).iloc[0]
    assert row[["neutral", "female", "male"]].tolist() == pytest.approx([0.5 / 3, 0.75 / 3, 1.75 / 3])
    row = exposures(study, Settings(**equal, crossed_with="topic")).iloc[0]
    expected = {"neutral": 0.5, "female, t0": 0.75, "female, t1": 0, "male, t0": 1.25, "male, t1": 0.5}
    assert row[list(expected)].tolist() == pytest.approx([share / 3 for share in expected.values()])
    values = {
        "CWEx(alpha=0.5)": 0.5 * 0.5 / 3 - 0.5 * (1.75 - 0.75) / 3,
        "ExposureGap": 1 / 3,
        "AWRF": 2 * (0.5 - 0.75 / 2.5),  # shares 0.3 and 0.7 against 1/2
        "GroupExposureRatio": 1.0,  # equal attention everywhere
    }
    found = fairviz.evaluate(study, list(values), **equal)["value"]
    assert found.tolist() == pytest.approx(list(values.values()))


@settings(max_examples=settings.default.max_examples // 3)  # each evaluates every measure of labels
@given(codes=st.lists(st.sampled_from([*GROUPS, ""]), min_size=5, max_size=5).filter(any), k=st.integers(1, 6))
def test_one_label_as_a_share_of_1_gives_the_same_numbers_exactly(codes: list[str], k: int) -> None:
    names = tuple(f"d{place}" for place in range(5))
    hard = pd.DataFrame({"doc_id": names, "annotator": "ann", "label": codes}, dtype="str")
    hard = hard[hard["label"] != ""]
    both = [study_of(hard, names), study_of(hard.assign(share=1.0), names)]
    tables = [fairviz.evaluate(study, LABEL_MEASURES, cutoff=k) for study in both]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@settings(max_examples=settings.default.max_examples // 3)
@given(
    weights=st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=5, max_size=5),
    unlabelled=st.sampled_from(["skip", "neutral"]),
    bias=st.sampled_from(["log2", "uniform", "reciprocal"]),
)
def test_exposure_against_a_slow_reference(weights: list[list[int]], unlabelled: str, bias: str) -> None:
    """A document without a label stands in the middle of the list."""
    shares = {f"d{place}": np.array(row) / sum(row) for place, row in enumerate(weights)}
    names = ("d0", "d1", "none", "d2", "d3", "d4")
    table = long(**{name: dict(zip(GROUPS, row.tolist(), strict=True)) for name, row in shares.items()})
    chosen = Settings(cutoff=6, position_bias=bias, unlabelled=unlabelled)
    attention = {
        "log2": lambda rank: 1 / np.log2(rank + 1), "uniform": lambda rank: 1.0, "reciprocal": lambda rank: 1 / rank
    }[bias]  # fmt: skip
    sums, total = np.zeros(3), 0.0
    for rank, name in enumerate(names, start=1):
        if name in shares or unlabelled == "neutral":
            sums = sums + attention(rank) * shares.get(name, np.array([1, 0, 0]))
            total += attention(rank)
    row = exposures(study_of(table, names), chosen).iloc[0]
    assert row[list(GROUPS)].tolist() == pytest.approx((sums / total).tolist())


@pytest.mark.parametrize("name", [*LABEL_MEASURES, "AWRF(distance='jsd')"])
def test_parts_add_up_to_the_value(name: str) -> None:
    mixed = {"d1": {"female": 0.7, "male": 0.3}, "d2": {"neutral": 0.4, "female": 0.6}, "d3": {"male": 1.0}}
    study = study_of(long(**mixed, d5={"female": 0.1, "male": 0.9}), ("d1", "d2", "d3", "d4", "d5"))
    for choices in ({}, {"unlabelled": "neutral"}, {"crossed_with": "topic"}):
        if "crossed_with" in choices and name in MEASURES and MEASURES[name].protects:
            if name != "GroupExposureRatio":
                continue
            name = f"{name}(protected='male, t0')"
        chosen = Settings(cutoff=5, **choices)
        question, places = ask(name, chosen), align(study, chosen)
        decompose = question.measure.parts or partial(by_rank, compute=question.measure.compute)
        parts = decompose(OneList(places, question.parameters, bias_of(places, chosen, 5), 5, 0, 0))
        value = fairviz.evaluate(study, name, chosen)["value"].item()
        assert np.isfinite(value)
        assert parts.value == pytest.approx(value)
        assert len(parts.said) == 5


def test_what_needs_one_label_is_refused_and_ends_over_tied_orders_are_searched() -> None:
    study = study_of(SOFT)
    with refused(
        "CWEx(alpha=0.5)@10 cannot be computed for the study 'soft': documents belong to several groups in shares. "
        "Choose an annotator without shares."
    ):
        lists_of(study, Settings(), "CWEx")
    with pytest.raises(FairvizError, match="this needs one label for each"):
        _ = align(study, Settings()).labels.codes
    told = r"document 'd1' in the labels table: the shares of this document sum to 0\.9,"
    with pytest.raises(FairvizError, match=told):
        study_of(long(d1={"female": 0.5, "male": 0.4}))
    tied = study_of(SOFT, runs=runs_of({"A": ("d1", "d2", "d3")}).assign(score=1.0))
    row = fairviz.ties(tied, "Exposure(group='female')", cutoff=1).iloc[0]
    assert (row["smallest"], row["largest"]) == (0.0, 0.75)
    assert row["largest_is"] == "exact"  # all six orders of three documents are tried


HEADER = "doc_id,annotator,label,share\n"
MALFORMED = {
    "d1,ann,F,0.5\nd1,ann,M,0.25\n": "labels.csv:2: the shares of this document sum to 0.75, and not to 1: '0.5'",
    "d1,ann,F,half\nd1,ann,M,0.5\n": "labels.csv:2: the share is not a number from 0 to 1: 'half'",
    "d1,ann,F,-0.5\nd1,ann,M,1.5\n": "labels.csv:2: the share is not a number from 0 to 1: '-0.5'",
    "d1,ann,F,0.5\nd1,ann,female,0.5\n": "labels.csv:3: a second share of 'female' for this document: '0.5'",
}


def test_files_with_shares_are_read_and_saved_and_malformed_ones_are_named_with_their_line(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", f"{HEADER}d1,ann,F,0.75\nd1,ann,M,0.25\nd2,ann,N,\nd3,bob,male,1\n")
    table = read_labels(path, tmp_path)
    assert rows(table, "doc_id", "annotator", "label") == [
        ("d1", "ann", "female"), ("d2", "ann", "neutral"), ("d3", "bob", "male")
    ]  # fmt: skip
    assert table[share_column("male")].iloc[0] == 0.25
    remedy = "Give each group of a document one row, with shares from 0 to 1 that sum to 1."
    for content, line in MALFORMED.items():
        told = refusal(read_labels, put(tmp_path, "labels.csv", HEADER + content), tmp_path)
        assert told.startswith(line)
        assert told.endswith(remedy)
    files = {"memberships.csv": "doc_id,group,share\nd1,female,0.75\nd1,male,0.25\nd2,neutral,1\n"}
    study = open_study_folder(fill(tmp_path / "study", files | {"documents.csv": "doc_id,text\nd1,she\nd2,tree\n"}))
    assert study.labels["label"].tolist() == ["female", "neutral"]
    saved = open_study_folder(save_study(study, tmp_path / "saved"))
    pd.testing.assert_frame_equal(saved.labels, study.labels)
