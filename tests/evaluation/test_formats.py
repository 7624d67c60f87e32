"""Tables as text in every format."""

import csv
import io
import json

import pandas as pd

from fairviz.evaluation.formats import (
    ProgressLine,
    emit,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
    to_table,
)
from tests.conftest import refused

FRAME = pd.DataFrame(
    {
        "system": pd.Categorical(["bm25", "my_run & co"]),
        "value": [1 / 3, float("nan")],
        "queries": pd.Series([117, 0], dtype="int64"),
    }
)


def test_a_table_is_aligned_with_a_row_on_a_line_and_no_escapes():
    assert to_table(FRAME) == (
        "system        value  queries\nbm25         0.3333      117\nmy_run & co       –        0\n"
    )
    assert to_table(FRAME.head(0)) == "system  value  queries\n"
    assert to_table(pd.DataFrame({"text": ["two\nlines", "red\x1b[31m"]})) == "text\ntwo lines\nred [31m\n"
    endless = pd.DataFrame({"ratio": [float("inf"), float("-inf"), float("nan")]})
    assert to_table(endless) == "ratio\n  inf\n -inf\n    –\n"
    assert to_csv(endless) == 'ratio\ninf\n-inf\n""\n'


def test_csv_has_every_digit_empty_fields_and_quotes():
    assert to_csv(FRAME) == "system,value,queries\nbm25,0.3333333333333333,117\nmy_run & co,,0\n"
    frame = pd.DataFrame({"name": ['a,"b"\nc'], "value": [0.1]})
    assert list(csv.reader(io.StringIO(to_csv(frame)))) == [["name", "value"], ['a,"b"\nc', "0.1"]]


def test_json_has_records_and_null():
    assert json.loads(to_json(FRAME)) == [
        {"system": "bm25", "value": 1 / 3, "queries": 117},
        {"system": "my_run & co", "value": None, "queries": 0},
    ]
    assert "Ω" in to_json(pd.DataFrame({"name": ["Ω"]}))
    assert to_json(FRAME.head(0)) == "[]\n"


def test_latex_is_escaped():
    assert to_latex(FRAME) == (
        "\\begin{tabular}{lrr}\n\\toprule\nsystem & value & queries \\\\\n\\midrule\n"
        "bm25 & 0.3333 & 117 \\\\\nmy\\_run \\& co & -- & 0 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )
    odd = pd.DataFrame({"a": ["\\~^&%$#_{}"]})
    assert r"\textbackslash{}\textasciitilde{}\textasciicircum{}\&\%\$\#\_\{\} \\" in to_latex(odd).splitlines()


def test_markdown_is_escaped():
    assert to_markdown(FRAME) == (
        "| system | value | queries |\n| --- | ---: | ---: |\n| bm25 | 0.3333 | 117 |\n| my\\_run &amp; co | – | 0 |\n"
    )
    odd = pd.DataFrame({"a": ["a|b *c* `d` <img src=x> [e](f) \\ ~g~ $h$\n| i"]})
    assert to_markdown(odd).splitlines()[2] == (r"| a\|b \*c\* \`d\` &lt;img src=x\> \[e\](f) \\ \~g\~ \$h\$ \| i |")
    assert to_markdown(FRAME.head(0)).splitlines()[0] == "| system | value | queries |"


def test_emit_to_a_file_or_standard_output(tmp_path, capsys):
    target = tmp_path / "scores.csv"
    target.write_text("before")
    emit("after – Ω\n", target)
    assert target.read_text(encoding="utf-8") == "after – Ω\n"
    assert list(tmp_path.iterdir()) == [target]
    assert capsys.readouterr().out == ""
    emit("a\n")
    assert capsys.readouterr().out == "a\n"
    with refused(
        f"could not write {tmp_path}/no/scores.csv: No such file or directory\n"
        "Name a file in a folder that you can write."
    ):
        emit("x", tmp_path / "no" / "scores.csv")


def test_p_values_are_never_shown_as_0():
    frame = pd.DataFrame({"p": [2.34e-9, 0.04999, 0.00005, 0.0, float("nan")], "value": [2.34e-9, 0.1, 0.2, 0.3, 0.4]})
    assert [line.split() for line in to_table(frame).splitlines()[1:]] == [
        ["2.3e-09", "0.0000"], ["0.0500", "0.1000"], ["0.0001", "0.2000"], ["0.0000", "0.3000"], ["–", "0.4000"],
    ]  # fmt: skip
    named = pd.DataFrame({"p": [1e-9], "p_equivalent_corrected": [2e-9], "pearson": [1e-9]})
    assert to_table(named).split("\n")[1].split() == ["1.0e-09", "2.0e-09", "0.0000"]


def test_a_line_of_progress_has_the_time_left_at_its_own_pace(monkeypatch, capsys):
    clock = iter([0.0, 2.0, 30.0, 60.0, 61.0])
    monkeypatch.setattr("fairviz.evaluation.formats.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    flushed: list[int] = []
    monkeypatch.setattr("sys.stderr.flush", lambda: flushed.append(done))
    progress = ProgressLine("counting")
    for done in (10, 11, 25, 55, 100):  # ten were done before
        progress(done, 100)
    assert flushed == [10, 11, 25, 55, 100], "a line without its end is seen at once"
    progress.close()
    *lines, end = capsys.readouterr().err.split("\r")[1:]
    assert [line.rstrip() for line in (*lines, end)] == [
        "counting 10 % (10 of 100)",
        "counting 11 % (11 of 100)",
        "counting 25 % (25 of 100; about 2 minutes left)",
        "counting 55 % (55 of 100; about 60 seconds left)",
        "counting 100 % (100 of 100)",
    ]
    assert end.startswith("counting 100 % (100 of 100)" + " " * 5), "what was longer is overwritten"
