"""The page, Python and the command line give the same number for the same question."""

import io

import pandas as pd
import pytest

import fairviz
from fairviz.cli.main import main
from tests.pages.test_first_run import first_run

QUESTIONS = [
    "CWEx(alpha=0.3)@3",
    "NFaiRR(tau=0)@3",
    "TExFAIR@3",
    "ExposureGap@3",
    "AWRF@3",
    "RaB@3",
    "ARaB@3",
    "nDCG@3",
]
CHOICES = {"position_bias": "rbp(p=0.7)", "unlabelled": "strict", "background": "collection", "ties": "trec_eval"}
COLUMNS = ["value", "ci_low", "ci_high", "queries", "undefined", "coverage"]


@pytest.mark.parametrize("study", ["football", "occupations"])
def test_page_python_and_command_line_agree(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = first_run("overview.py", study=study, cutoff="3", alpha="0.3", tau="0", **CHOICES)
    on_page = next(element.value for element in page.dataframe if "ci_low" in element.value)
    in_python = fairviz.summarise(fairviz.evaluate(fairviz.open_study(study), QUESTIONS, **CHOICES))
    options = [f"--{name.replace('_', '-')}={value}" for name, value in CHOICES.items()]
    assert main(["evaluate", study, *QUESTIONS, *options, "--format", "csv"]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype={"system": "str", "measure": "str"})
    for table in (on_page, printed):
        assert table["measure"].tolist() == in_python["measure"].tolist()
        assert table["system"].tolist() == in_python["system"].tolist()
        for column in COLUMNS:
            pd.testing.assert_series_equal(
                table[column], in_python[column], check_dtype=False, check_names=False, rtol=1e-12
            )
    assert in_python["value"].notna().sum() > 10
