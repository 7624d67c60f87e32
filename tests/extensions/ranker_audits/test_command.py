"""audit from the command line: integrity first, tables, what it asks, and that it prints what the call computes."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.extensions.ranker_audits.analysis import AUDITS
from fairviz.output.recipes import call as called
from fairviz.output.recipes import command_of
from fairviz.study.study import save_study
from fairviz.ui.state import registry
from tests.analyses.test_gender_swap import triples
from tests.conftest import Call
from tests.model_server import ModelServer

TABLES = {  # of each kind: a column, and the rows that two rankers have (None: of lists, whose rows depend on queries)
    "pairwise": {"shares": ("p_gap_corrected", 9), "integrity": ("verdict", 1), "pairs": ("preference", 9),
                 "answers": ("text", 18)},
    "listwise": {"exposure": ("ratio_of_means", None), "ranks": ("after", None), "integrity": ("tied", None)},
    "attribution": {"names": ("beyond", 5), "unnamed": ("named_first", 3), "integrity": ("verdict", 1),
                    "versions": ("other_name", 54), "answers": ("text", 108)},
}  # fmt: skip
NOTES = {
    "pairwise": "note: same text, all: No preference is tested: a verdict needs 10 queries.\n",
    "listwise": "",
    "attribution": "note: bm25: the female version is first in 50% ",
}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(save_study(triples(), tmp_path / "threefold"))


@pytest.mark.parametrize("kind", TABLES)
def test_tables_come_after_their_integrity(folder: str, kind: str, call: Call) -> None:
    more = " --per-list 4" if kind == "listwise" else ""
    for table, (column, rows) in TABLES[kind].items():
        said = call(f"audit {folder} --kind {kind} --with bm25 --table {table} --format csv{more}")
        lines = said.out.splitlines()
        assert column in lines[0].split(",")
        assert rows in (None, len(lines) - 1)
        assert said.err.startswith("Integrity:\nsystem ")
        assert NOTES[kind] in said.err
    rows = call(f"audit {folder} --kind {kind} --with tfidf --format json{more}").json
    assert {"bm25", "tfidf"} <= {row["system"] for row in rows}


def test_a_model_is_asked_and_then_not_again(folder: str, server: ModelServer, call: Call) -> None:
    server.answer = lambda prompt: "1"
    asked = f"audit {folder} --with \"llm(model='m',url='{server.address}')\" --no-anchor"
    assert "18 of 18 questions to ask" in call(asked, "--estimate").err
    assert server.bodies == []
    first = call(asked)
    assert "That is position bias, not a preference" in first.err
    second = call(asked)
    assert "0 of 18 questions to ask" in second.err
    assert first.out == second.out
    assert len(server.bodies) == 18


def test_windows_of_a_model(folder: str, server: ModelServer, call: Call) -> None:
    server.answer = lambda prompt: "[1] > [2]"
    options = "--kind listwise --per-list 4 --window 2 --step 1 --windows 4/2"
    asked = f"audit {folder} --no-anchor {options} --with \"llm(model='m',url='{server.address}')\""
    assert " questions to ask. About " in call(asked, "--estimate").err
    assert server.bodies == []
    said = call(asked, "--table windows --format json")
    assert [(row["window"], row["step"]) for row in said.json] == [(2, 1), (4, 2)]
    count = len(server.bodies)
    assert "note: 0 questions sent now" in call(asked, "--table answers --format csv").err
    assert len(server.bodies) == count


def test_lists_by_a_column_of_the_queries(tmp_path: Path, call: Call) -> None:
    made = triples()
    made = replace(made, queries=made.queries.assign(topic=["x", "y", "y"]), fingerprint="")
    asked = f"audit {save_study(made, tmp_path / 'topics')} --kind listwise --per-list 4"
    rows = call(asked, "--with bm25 --by topic --format json").json
    assert {row["value"] for row in rows} == {"x", "y"}
    said = call(asked, "--with", "\"llm(model='m',url='http://127.0.0.1:9')\" --by colour", status=2).err
    assert said == "the queries of topics have no column 'colour' to slice by\nUse topic.\n"


def test_authors_names_from_a_file(folder: str, tmp_path: Path, call: Call) -> None:
    file = tmp_path / "names.csv"
    file.write_text("gender,name\nfemale,Ada\nf,Bea\nmale,Carl\nm,Dan\n", encoding="utf-8")
    asked = f"audit {folder} --kind attribution --with bm25 --names {file}"
    said = call(asked, "--template '{text} ({name})' --table versions --format json")
    assert {row["name"] for row in said.json} == {"Ada", "Bea", "Carl", "Dan"}
    assert "Versions read 'TEXT (NAME)'; the collection holds them all at once." in said.err


def test_what_is_asked_wrongly(folder: str, call: Call) -> None:
    for options, message in (
        ("--kind attribution --table pairs",
         "an attribution audit has no table pairs\nUse one of names, unnamed, integrity, versions, answers.\n"),
        ("--names names.csv", "--names goes with an attribution audit\nAdd --kind attribution, or leave it out.\n"),
        ("--kind attribution --by text", "--by goes with pairwise and listwise audits\nLeave it out.\n"),
        ("--by text --table pairs", "--by goes with the table shares of a pairwise audit\n"),
        ("--kind listwise --by text --table ranks", "--by goes with the table exposure of a listwise "),
    ):  # fmt: skip
        assert message in call(f"audit {folder}", options, status=2).err


def test_the_command_of_a_call_prints_its_table(folder: str, call: Call) -> None:
    study = fairviz.open_study(folder)
    for options, table in (
        ({"queries": 1, "annotator": "gold", "neutral": False}, "found.table"),
        ({"kind": "listwise", "queries": 2, "per_list": 4}, "found.by_attribute()"),
        ({"kind": "attribution", "queries": 2}, "found.table"),
    ):
        made = called(fairviz.audit, study, "bm25", **options)
        expected = eval(table, {"found": made.function(*made.arguments, **made.keywords)})
        found = call(command_of(made, table).removeprefix("fairviz "), "--format csv").frame
        printed = expected[list(found.columns)].reset_index(drop=True)
        pd.testing.assert_frame_equal(found, printed, check_dtype=False, rtol=1e-9)
    assert command_of(called(fairviz.audit, study, "bm25"), "found.by('category')") == "", "no verb prints these"
    assert {control.key for record in AUDITS.values() for control in record.controls} <= set(registry.CHOICES)
