"""fairviz compare."""

import csv
import io

import pytest

import fairviz
from fairviz.cli.main import main


def test_the_table_is_that_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "newswire", "CWEx", "GSR", "--k", "5", "--annotator", "lexicon", "--format", "csv"]
    assert main([*arguments, "--baseline", "tfidf", "--test", "wilcoxon", "--correction", "bh"]) == 0
    streams = capsys.readouterr()
    found = list(csv.DictReader(io.StringIO(streams.out)))
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["CWEx", "GSR"], cutoff=5, annotator="lexicon")
    expected = fairviz.compare(scores, "tfidf", test="wilcoxon", correction="bh")
    assert [row["system"] for row in found] == expected["system"].tolist()
    assert [float(row["difference"]) for row in found] == expected["difference"].tolist()
    assert [row["verdict"] for row in found] == expected["verdict"].tolist()
    assert found[-1]["wins"] == ""
    assert "note: 12 paired tests, correction: bh; perfect and random are references, in no family.\n" in streams.err


def test_an_unknown_baseline_is_a_wrong_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "football", "TExFAIR", "--baseline", "up"]) == 2
    assert "there is no system 'up' to compare with\nUse one of left, right.\n" in capsys.readouterr().err
