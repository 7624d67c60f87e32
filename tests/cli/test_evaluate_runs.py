"""evaluate --runs: the runs that match, in a pool of processes, and what is refused."""

import io
from pathlib import Path

import pandas as pd
import pytest

from fairviz.cli.main import main
from fairviz.home import application_folder

FOOTBALL = application_folder() / "data" / "football"
RUNS = str(FOOTBALL / "runs" / "*")


def table(capsys: pytest.CaptureFixture[str], *arguments: str) -> pd.DataFrame:
    assert main(["evaluate", "football", "TExFAIR@5", *arguments, "--format", "csv"]) == 0
    return pd.read_csv(io.StringIO(capsys.readouterr().out))


@pytest.mark.parametrize("shape", [(), ("--per-query",), ("--wide",)])
def test_the_studys_own_runs_by_a_pattern_have_the_same_table(
    capsys: pytest.CaptureFixture[str], shape: tuple[str, ...]
) -> None:
    pd.testing.assert_frame_equal(
        table(capsys, *shape, "--runs", RUNS, "--workers", "1"), table(capsys, *shape), rtol=1e-12
    )


def test_a_pool_and_a_folder_that_is_named_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(60):
        lines = (FOOTBALL / "runs" / "left.run").read_text().replace("left", f"s{number}")
        (tmp_path / f"s{number:02}.run").write_text(lines)
    command = ["evaluate", str(FOOTBALL), "TExFAIR@5", "--runs", str(tmp_path / "*.run"), "--format", "csv"]
    assert main([*command, "--workers", "2"]) == 0
    found = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert found["system"].tolist() == [f"s{number:02}" for number in range(60)]
    assert found["value"].nunique() == 1


def test_a_broken_run_is_named_and_the_status_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.run").write_text("1 Q0 d one 2.5 t\n")
    (tmp_path / "good.run").write_bytes((FOOTBALL / "runs" / "left.run").read_bytes())
    command = ["evaluate", "football", "TExFAIR@5", "--runs", str(tmp_path / "*.run"), "--workers", "1"]
    assert main([*command, "--output", str(tmp_path / "t.csv"), "--format", "csv"]) == 1
    assert "bad.run:1: the rank is not a whole number: 'one'\n" in capsys.readouterr().err
    written = pd.read_csv(tmp_path / "t.csv")
    assert written["system"].tolist() == ["good"]
    assert written["runs"].unique().tolist() == [str(tmp_path / "*.run")]


def test_what_is_of_all_runs_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", "football", "--runs", RUNS, "--workers", "1"]
    assert main([*command, "NFaiRR@5"]) == 2
    assert "depends on all runs together" in capsys.readouterr().err
    assert main([*command, "NFaiRR@5", "--background", "collection"]) == 0
    assert main([*command, "TExFAIR@5", "--tie-range"]) == 2
    assert "Leave them or --runs out." in capsys.readouterr().err
