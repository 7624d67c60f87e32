"""evaluate over a folder of studies: one table, with a line for each study that cannot be read."""

import io
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from fairviz.cli.main import main
from fairviz.home import application_folder

MEASURES = ["TExFAIR@5", "CWEx@5"]


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    for name in ("football", "traits"):
        shutil.copytree(application_folder() / "data" / name, tmp_path / "studies" / name)
    (tmp_path / "studies" / "notes").mkdir()
    return tmp_path / "studies"


def evaluated(capsys: pytest.CaptureFixture[str], *arguments: str) -> pd.DataFrame:
    assert main(["evaluate", *arguments, "--format", "csv"]) == 0
    return pd.read_csv(io.StringIO(capsys.readouterr().out))


@pytest.mark.parametrize("shape", [(), ("--per-query",), ("--wide",)])
def test_a_folder_of_studies_is_one_table(studies: Path, capsys: pytest.CaptureFixture[str], shape: tuple) -> None:
    table = evaluated(capsys, str(studies), "TExFAIR@5", *shape)
    assert list(table)[:2] == ["study", "system"]
    assert table["study"].unique().tolist() == ["football", "traits"]
    for name, part in table.groupby("study"):
        alone = evaluated(capsys, str(studies / str(name)), "TExFAIR@5", *shape)
        pd.testing.assert_frame_equal(part.drop(columns="study").reset_index(drop=True), alone)


def test_files_name_what_each_study_was_computed_with(studies: Path, tmp_path: Path) -> None:
    command = ["evaluate", str(studies), "TExFAIR@5", "--tokenizer", "whitespace"]
    assert main([*command, "--format", "json", "--output", str(tmp_path / "t.json")]) == 0
    rows = json.loads((tmp_path / "t.json").read_text())
    assert {(row["study"], row["settings"]) for row in rows} == {
        ("football", "tokenizer=whitespace"), ("traits", "tokenizer=whitespace"),
    }  # fmt: skip
    assert main([*command, "--format", "markdown", "--output", str(tmp_path / "t.md")]) == 0
    assert [line for line in (tmp_path / "t.md").read_text().splitlines() if line.startswith("<!-- study")] == [
        "<!-- study: football -->",
        "<!-- study: traits -->",
    ]


def test_a_study_that_cannot_be_read_is_named_and_the_others_are_answered(
    studies: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (studies / "broken" / "runs").mkdir(parents=True)
    (studies / "broken" / "runs" / "a.run").write_text("1 Q0 d one 2.5 a\n")
    assert main(["evaluate", str(studies), "TExFAIR@5", "--format", "csv"]) == 1
    said = capsys.readouterr()
    assert pd.read_csv(io.StringIO(said.out))["study"].unique().tolist() == ["football", "traits"]
    assert "broken: runs/a.run:1: the rank is not a whole number: 'one'\n" in said.err
    assert main(["evaluate", str(studies), "TExFAIR@5", "--wide", "--format", "latex"]) == 2
    assert "--wide in latex is a table of one study" in capsys.readouterr().err


def test_a_folder_without_studies_is_refused_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["evaluate", str(tmp_path), "TExFAIR@5"]) == 1
    assert "holds no part of a study" in capsys.readouterr().err


def test_a_measure_that_cannot_be_read_is_refused_before_a_study_is_opened(
    studies: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(studies), "Nonsense@5"]) == 2
    assert "football" not in capsys.readouterr().err
