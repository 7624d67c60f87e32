"""fairviz gender-swap."""

from pathlib import Path

import pytest

import fairviz
from fairviz.cli.main import main
from tests.cli.cases import rows

ASKED = ["gender-swap", "football", "--ranker", "bm25", "--seeds", "1"]


@pytest.mark.parametrize("table", ["crbo", "wide", "queries"])
def test_the_tables_are_those_of_python(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, "--table", table, "--format", "csv"]) == 0
    streams = capsys.readouterr()
    python = fairviz.counterfactual(fairviz.open_study("football"), "bm25", seeds=1)
    expected = {"crbo": python.table, "wide": python.wide(), "queries": python.queries}[table]
    found = rows(streams.out)
    assert list(found[0]) == list(expected.columns)
    for name in expected.columns:
        assert [row[name] for row in found] == ["" if value != value else str(value) for value in expected[name]]
    assert "note: 12 words and names replaced in 6 of 10 documents.\n" in streams.err
    assert f"note: {python.sentences[0]}\n" in streams.err


def test_a_file_says_what_it_was_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.csv").write_text("female,male\nshe,he\n")
    file = tmp_path / "found.csv"
    options = ["--words", str(tmp_path / "own.csv"), "--substitute", "words", "--format", "csv"]
    assert main([*ASKED, *options, "--output", str(file)]) == 0
    found = rows(file.read_text(encoding="utf-8"))
    assert {row["substitute"] for row in found} == {"words"}
    assert {row["rankers"] for row in found} == {"bm25"}
    assert found[0]["words"].endswith("own.csv")


def test_one_column_is_no_list_of_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.csv").write_text("she\n")
    assert main([*ASKED, "--names", str(tmp_path / "own.csv")]) == 1
    assert capsys.readouterr().err.endswith(
        "own.csv:1: expected 2 columns, found 1: 'she'\nWrite a line as: female,male, such as: she,he.\n"
    )


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--ranker", "bm52"], 2, "there is no ranker 'bm52'\n"),
        (["--table", "triples"], 1, "football has no documents in three wordings\nThey are documents with a column "
         "query_id, judged alike for it, with a label of each gender and neutral.\n"),
    ],
)  # fmt: skip
def test_wrong_questions(options: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, *options]) == status
    assert said in capsys.readouterr().err
