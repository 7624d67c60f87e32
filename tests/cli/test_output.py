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


def test_a_file_of_another_verb_says_what_it_was_made_of(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "made.csv"
    call(f"compare newswire CWEx --tests \"holm(statistic='wilcoxon')\" --format csv --output {file}")
    read = pd.read_csv(file)
    assert set(zip(read["tests"], read["pairs"], read["k"], strict=True)) == {("holm(statistic='wilcoxon')", 21, 10)}
    call(f"compare newswire CWEx RaB --slice category --margin 0.1 --margin RaB=0.5 --power 0.9 --level 0.9 "
         f"--format csv --output {file}")  # fmt: skip
    read = pd.read_csv(file)
    made = set(zip(read["slice_by"], read["margins"], read["power"], read["level"], strict=True))
    assert made == {("category", "0.1, RaB=0.5", 0.9, 0.9)}
    call(f"agree newswire --tau 0 --format csv --output {file}")
    read = pd.read_csv(file)
    assert set(zip(read["study"], read["tau"], strict=True)) == {("newswire", 0)}
    assert "position_bias" not in read.columns
    call(f"evaluate newswire CWEx --range run --format csv --output {file}")
    assert set(pd.read_csv(file)["candidates"]) == {"run"}


def test_csv_for_spreadsheets_begins_with_a_byte_order_mark(tmp_path: Path, call: Call) -> None:
    for arguments in ("check football", "evaluate football CWEx", "evaluate football CWEx --wide",
                      "compare newswire CWEx --wide", "consensus football"):  # fmt: skip
        for name, option in (("excel", "--excel"), ("plain", "")):
            call(arguments, f"--format csv {option} --output {tmp_path}/{name}.csv")
        assert (tmp_path / "excel.csv").read_bytes() == b"\xef\xbb\xbf" + (tmp_path / "plain.csv").read_bytes()


def test_a_replay_without_differences_replaces_the_table_of_an_earlier_one(tmp_path: Path, call: Call) -> None:
    table = tmp_path / "differs.csv"
    table.write_text("an earlier one")
    call(f"capsule football CWEx@4 --no-figures -o {tmp_path}/c.zip")
    call(f"replay {tmp_path}/c.zip --format csv --output {table}")
    assert table.read_text() == "measure,system,values,differ,largest_difference,then,now\n"


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_who_speaks_is_said_beside_figures_of_labels(verb: str, call: Call) -> None:
    streams = call(f"{verb} newswire TExFAIR CWEx --k 5 --annotator lexicon")
    assert "note: all ranks (144 to 200 per system) labelled: lexicon (rule).\n" in streams.err
    assert "labels:" not in call(f"{verb} newswire TExFAIR --k 5").err


def test_wide_is_a_row_a_system(call: Call) -> None:
    lines = call(ASKED, "--wide --format csv").out.splitlines()
    assert lines[0] == "system,CWEx(alpha=0.5)@4,TExFAIR@4"
    assert [line.split(",")[0] for line in lines[1:]] == ["left", "right"]
    latex = call(ASKED, "--wide --format latex --provenance").out
    assert latex.startswith("% study: football\n% measures: CWEx(alpha=0.5)@4, TExFAIR@4\n")
    assert "system & CWEx(alpha=0.5)@4 $\\uparrow$ & TExFAIR@4 $\\uparrow$ \\\\" in latex
