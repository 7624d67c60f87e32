"""fairviz gender-swap: its sentence, its file, its lists; the tables are among those of test_same_as_python."""

from pathlib import Path

import pytest

import fairviz
from tests.cli.cases import rows
from tests.conftest import Call

ASKED = "gender-swap football --ranker bm25 --seeds 1"


def test_the_finding_is_that_of_python(call: Call) -> None:
    finding = fairviz.counterfactual(fairviz.open_study("football"), "bm25", seeds=1).sentences[0]
    assert f"note: {finding}\n" in call(ASKED).err


def test_a_file_says_what_it_was_made_of(tmp_path: Path, call: Call) -> None:
    words, file = tmp_path / "own.csv", tmp_path / "found.csv"
    words.write_text("female,male\nshe,he\n")
    call(ASKED, f"--words {words} --substitute words --format csv --output {file}")
    found = rows(file.read_text(encoding="utf-8"))
    assert {(row["substitute"], row["rankers"]) for row in found} == {("words", "bm25")}
    assert found[0]["words"].endswith("own.csv")


def test_one_column_is_no_list_of_pairs(tmp_path: Path, call: Call) -> None:
    (tmp_path / "own.csv").write_text("she\n")
    assert call(ASKED, f"--names {tmp_path}/own.csv", status=1).err.endswith(
        "own.csv:1: expected 2 columns, found 1: 'she'\nWrite a line as: female,male, such as: she,he.\n"
    )


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ("--ranker bm52", 2, "there is no ranker 'bm52'\n"),
        ("--table triples", 1, "football has no documents in three wordings\nThey are documents with a column "
         "query_id, judged alike for it, with a label of each gender and neutral.\n"),
    ],
)  # fmt: skip
def test_wrong_questions(options: str, status: int, said: str, call: Call) -> None:
    assert said in call(ASKED, options, status=status).err
