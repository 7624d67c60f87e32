"""--output, --provenance and --wide: a file says what it was made of, standard output keeps its documented columns."""

from pathlib import Path

import pandas as pd
import pytest

import fairviz
from tests.conftest import Call

ASKED = "evaluate football CWEx@4 TExFAIR@4"
SUMMARY = ["system", "measure", "value", "ci_low", "ci_high", "queries", "undefined", "coverage"]
ADDED = ["study", "position_bias", "k", "annotator", "settings", "version", "date"]


def test_standard_output_keeps_its_columns_unless_asked(call: Call) -> None:
    assert call(ASKED, "--format csv").out.splitlines()[0].split(",") == SUMMARY
    assert call(ASKED, "--format csv --per-query").out.splitlines()[0] == "system,query_id,measure,value"
    assert call(ASKED, "--format csv --provenance").out.splitlines()[0].split(",") == [*SUMMARY, *ADDED]
    said = call("gsr newswire --provenance")
    assert said.out.startswith("# study: newswire\n# k: 10\n# left_out: 0\n# made with: fairviz ")


def test_a_file_says_what_it_was_made_of_and_is_read_without_options(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "scores.csv"
    asked = f"{ASKED} --position-bias reciprocal --unlabelled strict --format csv --output {file}"
    call(asked)
    read = pd.read_csv(file)
    assert list(read.columns) == [*SUMMARY, *ADDED]
    football = fairviz.open_study("football")
    scores = fairviz.evaluate(football, ["CWEx@4", "TExFAIR@4"], position_bias="reciprocal", unlabelled="strict")
    expected = fairviz.summarise(scores)
    assert read["value"].tolist() == pytest.approx(expected["value"].tolist())
    by_measure = read.drop_duplicates("measure").set_index("measure")
    assert by_measure["annotator"].fillna("").tolist() == ["project", ""]
    made = set(zip(read["study"], read["position_bias"], read["k"], read["settings"], strict=True))
    assert made == {("football", "reciprocal", 4, "unlabelled=strict")}
    call(asked, "--no-provenance")
    assert list(pd.read_csv(file).columns) == SUMMARY


def test_a_comparison_says_its_test_and_its_family(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "compared.csv"
    call(f"compare newswire CWEx --tests \"holm(statistic='wilcoxon')\" --format csv --output {file}")
    read = pd.read_csv(file)
    assert set(zip(read["tests"], read["pairs"], read["k"], strict=True)) == {("holm(statistic='wilcoxon')", 21, 10)}


def test_agreement_says_its_study_and_its_word_list(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "agreement.csv"
    call(f"agree newswire --tau 0 --format csv --output {file}")
    read = pd.read_csv(file)
    assert set(read["study"]) == {"newswire"}
    assert set(read["tau"]) == {0}
    assert "position_bias" not in read.columns


def test_wide_is_a_row_a_system(call: Call) -> None:
    lines = call(ASKED, "--wide --format csv").out.splitlines()
    assert lines[0] == "system,CWEx(alpha=0.5)@4,TExFAIR@4"
    assert [line.split(",")[0] for line in lines[1:]] == ["left", "right"]
    latex = call(ASKED, "--wide --format latex --provenance").out
    assert latex.startswith("% study: football\n% measures: CWEx(alpha=0.5)@4, TExFAIR@4\n")
    assert "system & CWEx(alpha=0.5)@4 $\\uparrow$ & TExFAIR@4 $\\uparrow$ \\\\" in latex
    refusal = call(ASKED, "--wide --per-query", status=2).err
    assert "argument --per-query: not allowed with argument --wide" in refusal


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_who_speaks_is_said_beside_figures_of_labels(verb: str, call: Call) -> None:
    streams = call(f"{verb} newswire TExFAIR CWEx --k 5 --annotator lexicon")
    assert "note: all ranks (144 to 200 per system) labelled: lexicon (rule).\n" in streams.err
    assert "labels:" not in streams.out
    assert "labels:" not in call(f"{verb} newswire TExFAIR --k 5").err


@pytest.mark.parametrize(
    "arguments",
    [
        "check football",
        "evaluate football CWEx",
        "evaluate football CWEx --wide",
        "compare newswire CWEx --wide",
        "consensus football",
    ],
)
def test_csv_for_spreadsheets_begins_with_a_byte_order_mark(arguments: str, tmp_path: Path, call: Call) -> None:
    file = tmp_path / "values.csv"
    call(arguments, f"--format csv --excel --output {file}")
    call(arguments, f"--format csv --output {tmp_path}/plain.csv")
    assert file.read_bytes() == b"\xef\xbb\xbf" + (tmp_path / "plain.csv").read_bytes()


def test_excel_goes_with_csv_alone(call: Call) -> None:
    said = call("check football --excel", status=2)
    assert said.err == "--excel is a kind of CSV\nAdd --format csv, or leave out --excel.\n"
