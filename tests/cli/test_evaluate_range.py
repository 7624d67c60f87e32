"""evaluate --range: the table of ranges, and the options that exclude it."""

import io

import pandas as pd
import pytest

import fairviz
from fairviz.cli.main import main


def table_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> pd.DataFrame:
    assert main(["evaluate", "newswire", "CWEx", "nDCG", *arguments, "--format", "csv"]) == 0
    return pd.read_csv(io.StringIO(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("arguments", "candidates"),
    [(["--range"], "study"), (["--range", "run"], "run"), (["--range", "judged"], "judged")],
)
@pytest.mark.parametrize("per_query", [False, True])
def test_the_table_is_that_of_python(
    capsys: pytest.CaptureFixture[str], arguments: list[str], candidates: str, per_query: bool
) -> None:
    table = table_of(capsys, *arguments, *(["--per-query"] if per_query else []))
    study = fairviz.open_study("newswire")
    expected = fairviz.ranges(study, ["CWEx", "nDCG"], candidates=candidates, per_query=per_query)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_a_file_names_the_candidates(tmp_path) -> None:
    file = tmp_path / "ranges.csv"
    assert main(["evaluate", "newswire", "CWEx", "--range", "run", "--format", "csv", "--output", str(file)]) == 0
    assert set(pd.read_csv(file)["candidates"]) == {"run"}


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (["--wide"], "--range and --wide ask for different tables"),
        (["--tie-range"], "--range and --tie-range ask for different tables"),
        (["--chance"], "--range and --chance ask for different tables"),
        (["--runs", "*.run"], "--range and --runs ask for different tables"),
        (["--corrected-by", "project"], "--corrected-by gives means, and cannot be used with --range"),
    ],
)
def test_options_of_other_tables_are_refused(capsys: pytest.CaptureFixture[str], option: list[str], line: str) -> None:
    assert main(["evaluate", "newswire", "CWEx", "--range", "study", *option]) == 2
    assert line in capsys.readouterr().err


def test_a_slope_has_no_range(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "newswire", "GSR", "--range"]) == 1
    assert "GSR@10 has no range: it is a slope over queries" in capsys.readouterr().err
