"""fairviz gender-swap: its sentence, its file, its lists; the tables are among those of test_same_as_python."""

from pathlib import Path

import pandas as pd

import fairviz
from tests.conftest import Call

ASKED = "gender-swap football --ranker bm25 --seeds 1"


def test_the_finding_is_that_of_python_and_a_file_says_what_it_was_made_of(tmp_path: Path, call: Call) -> None:
    finding = fairviz.counterfactual(fairviz.open_study("football"), "bm25", seeds=1).sentences[0]
    assert f"note: {finding}\n" in call(ASKED).err
    words, file = tmp_path / "own.csv", tmp_path / "found.csv"
    words.write_text("female,male\nshe,he\n")
    call(ASKED, f"--words {words} --substitute words --format csv --output {file}")
    found = pd.read_csv(file)
    assert set(zip(found["substitute"], found["rankers"], strict=True)) == {("words", "bm25")}
    assert found["words"][0].endswith("own.csv")
    words.write_text("she\n")
    assert call(ASKED, f"--names {words}", status=1).err.endswith(
        "own.csv:1: expected 2 columns, found 1: 'she'\nWrite a line as: female,male, such as: she,he.\n"
    )
