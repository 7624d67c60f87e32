"""fairviz compare."""

import csv
import io
from pathlib import Path

import pytest

import fairviz
from fairviz.cli.main import main
from fairviz.evaluation.compare import AHEAD, BEHIND, comparison


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


def test_what_the_readme_says_of_newswire_is_what_the_tests_say() -> None:
    """Its second paragraph, figure by figure."""
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    paragraph = next(line for line in text.split("\n") if line.startswith("This is what it opens on"))
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["CWEx", "NFaiRR", "TExFAIR", "nDCG"])
    found = comparison(scores)
    assert "Holm over 24 and over 21 comparisons" in paragraph
    assert found.family == 24
    behind = found.table[found.table["verdict"] == BEHIND].set_index("measure")
    cwex = behind.loc["CWEx(alpha=0.5)@10"]
    assert (f"{-cwex['difference'].max():.3f}", f"{-cwex['difference'].min():.3f}") == ("0.081", "0.115")
    assert cwex["p_corrected"].max() <= 0.031
    assert "(by 0.081 to 0.115, p ≤ .031)" in paragraph
    assert {measure: sorted(set(rows["baseline"])) for measure, rows in behind.groupby("measure")} == {
        "CWEx(alpha=0.5)@10": ["w2v_add"], "NFaiRR(tau=1)@10": ["w2v_add"], "TExFAIR@10": ["w2v_si"],
        "nDCG@10": ["bm25"],
    }  # fmt: skip
    assert behind.groupby("measure").size().to_dict() == {
        "CWEx(alpha=0.5)@10": 5, "NFaiRR(tau=1)@10": 4, "TExFAIR@10": 5, "nDCG@10": 2
    }  # fmt: skip
    ndcg = behind.loc["nDCG@10"].set_index("system")
    assert [f"{ndcg.loc[name, 'value']:.3f}" for name in ("w2v_add", "w2v_si")] == ["0.559", "0.578"]
    assert f"{ndcg['baseline_value'].iloc[0]:.3f}" == "0.865"
    assert ndcg["p_corrected"].max() < 0.001
    perfect = comparison(scores[~scores["measure"].astype("str").str.startswith("nDCG")], "perfect")
    assert perfect.family == 21
    ahead = perfect.table[perfect.table["verdict"] == AHEAD].set_index("measure")
    assert ahead.groupby("measure").size().to_dict() == {"NFaiRR(tau=1)@10": 7, "TExFAIR@10": 2}
    nfairr = ahead.loc["NFaiRR(tau=1)@10"]
    assert (f"{nfairr['difference'].min():.3f}", f"{nfairr['difference'].max():.3f}") == ("0.142", "0.257")
    assert nfairr["p_corrected"].max() < 0.001
    assert "overlap" not in text
