"""senses from the command line, on the shipped model and on a tiny one in the published format."""

import os
from pathlib import Path

import pytest

from tests.conftest import Call
from tests.extensions.backpack.test_published import checkpoint


def test_the_sensitivity_of_the_senses(tmp_path: Path, call: Call) -> None:
    said = call("senses --format json")
    rows = said.json
    assert said.err.startswith("note: 101 of 168 pairs left out, since a word of theirs is not one token: ")
    assert rows[0]["pairs"] == 67
    assert list(rows[0]) == ["sense", "sensitivity", "ci_low", "ci_high", "pairs", "scaled"]
    assert [row["sense"] for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(row["ci_low"] < row["sensitivity"] < row["ci_high"] for row in rows)
    lowest = sorted(rows, key=lambda row: row["sensitivity"])[:2]
    assert {row["sense"] for row in rows if row["scaled"] == "yes"} == {row["sense"] for row in lowest}

    pairs = tmp_path / "pairs.csv"
    pairs.write_text("female,male\nstepdaughter,stepson\n", encoding="utf-8")
    assert call(f"senses --pairs {pairs}", status=1).err == (
        "no pair of the list has both words in the model's vocabulary (stepdaughter-stepson)\n"
        "Give pairs of common words, such as she-he.\n"
    )
    assert call(f"senses nurse --pairs {pairs}", status=2).err == (
        "--pairs is for the sensitivity of the senses, not for a word\nLeave out the words, or --pairs.\n"
    )
    for word, told in (("🦖", "🦖"), (os.fsdecode(b"a\xffb"), "a\\udcffb")):
        assert call(["senses", word], status=1).err == (
            f"the word '{told}' has no token in MiniLM's vocabulary\nGive a word whose letters are in it.\n"
        )


@pytest.mark.slow
def test_the_nearest_words_of_each_sense(call: Call) -> None:
    rows = call("senses Nurse king --nearest 3 --format csv").rows
    assert [(row["word"], row["sense"]) for row in rows] == [
        (w, str(n)) for w in ("Nurse", "king") for n in range(1, 9)
    ]
    assert "nurses" in rows[0]["nearest"]
    assert all(len(row["nearest"].split(", ")) == 3 and "nurse " not in row["nearest"] for row in rows)


def test_the_published_model_has_senses_and_ranks_nothing(tmp_path: Path, call: Call) -> None:
    folder = checkpoint(tmp_path / "backpack-gpt2")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("she,he\nwoman,man\n", encoding="utf-8")
    said = call(f"senses --model {folder} --pairs {pairs} --format json")
    assert [(row["sense"], row["pairs"]) for row in said.json] == [(1, 2), (2, 2), (3, 2)]
    assert said.err == (
        "note: a Backpack language model predicts words and has no vectors of texts: nothing is ranked with it.\n"
    )
    assert list(call(f"senses she --model {folder} --format json").json[0]) == ["word", "sense", "predicted"]
