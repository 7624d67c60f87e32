"""fairviz compare: its notes, its options, its shapes, and the results that the manual tells."""

from pathlib import Path

import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import orders, strips
from fairviz.comparison.pairs import AHEAD, BEHIND
from fairviz.study.record import Study
from tests.conftest import ROOT, Call


def test_the_family_and_the_monte_carlo_error_are_noted_once(call: Call) -> None:
    """sqrt(.5 · .5 / 10,000) = .005 and sqrt(.05 · .95 / 10,000) = .00218; 100 draws at least for each of 21 pairs."""
    said = call("compare newswire CWEx RaB --baseline bm25").err
    note = "tests: all 21 pairs, maxT; intervals: 95 % simultaneous; ranks: 95 % simultaneous in each measure."
    assert said.count(f"note: {note}\n") == 1
    assert said.count("p by 10,000 draws: Monte Carlo error (one standard error) at most .005, .0022 at p = .05.") == 1
    said = call("compare newswire CWEx --draws 400").err
    assert "p by 2,100 draws: Monte Carlo error (one standard error) at most .011, .0048 at p = .05." in said
    assert "draws" not in call("compare newswire CWEx --tests \"bh(statistic='wilcoxon')\"").err
    signs = "--tests \"none(statistic='randomisation')\" --draws 40000"
    found = call(f"compare newswire CWEx --baseline bm25 {signs} --format csv").rows
    smallest = min(float(row["p"]) for row in found)
    assert smallest == pytest.approx(round(smallest * 40_001) / 40_001)


def test_a_declared_family_holds_for_the_table(call: Call) -> None:
    asked = "compare newswire CWEx NFaiRR --baseline bm25 --format csv"
    family = "--tests \"maxT(family='measures')\""
    said = call(asked, family, "--tested random --margin CWEx=0.05")
    covered = "intervals: 95 % simultaneous; ranks: 95 % simultaneous over all measures."
    assert f"note: tests: all {2 * 8 * 7 // 2} pairs in 2 measures, maxT; {covered}\n" in said.err
    assert {row["measure"] for row in said.rows} == {"CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10"}
    assert {row["verdict"] for row in said.rows if row["system"] == "random"} != {"reference"}
    assert "note: tests: 6 pairs with bm25, maxT; " in call(asked, "--tests \"maxT(baseline='bm25')\"").err
    assert call("compare newswire CWEx --margin NFaiRR=0.05", family, status=2).err.endswith(
        "there is a margin for 'NFaiRR', and it is not compared\nUse one of CWEx(alpha=0.5)@10.\n"
    )


@pytest.mark.parametrize("verb", ["compare", "evaluate"])
def test_only_the_systems_that_are_named_are_in_the_table_and_the_tests(newswire: Study, verb: str, call: Call) -> None:
    scores = fairviz.evaluate(newswire, "CWEx", systems=["w2v_add", "bm25", "rrf"])
    expected = fairviz.compare(scores) if verb == "compare" else fairviz.summarise(scores)
    column = "p_corrected" if verb == "compare" else "value"
    for systems in ("--systems 'w2v_add,bm25, rrf'", "--systems w2v_add --systems bm25,rrf"):
        found = call(f"{verb} newswire CWEx {systems} --format csv --provenance").rows
        assert [row["system"] for row in found] == expected["system"].tolist()
        assert [float(row[column]) for row in found] == expected[column].tolist()
        assert {row["settings"] for row in found} == {"systems=w2v_add|bm25|rrf"}


def test_a_report_is_of_the_systems_that_are_named_also_with_a_comma(tmp_path: Path, call: Call) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("a", "a, edited", "b"):
        (tmp_path / "runs" / f"{name}.run").write_text("q Q0 d1 1 2 x\n")
    (tmp_path / "labels.csv").write_text("doc_id,annotator,label\nd1,x,female\n")
    call(f"report {tmp_path} CWEx --systems 'a, edited,b' --output {tmp_path}/report.html")
    text = (tmp_path / "report.html").read_text()
    assert ("a, edited" in text, "<td>a</td>" in text) == (True, False)
    found = call(f"evaluate {tmp_path} CWEx --systems 'a, edited,b' --format csv").rows
    assert [row["system"] for row in found] == ["a, edited", "b"]


def test_systems_that_answer_other_queries_are_paired_on_those_of_both(tmp_path: Path, call: Call) -> None:
    (tmp_path / "runs").mkdir()
    rows = "".join(f"d{n},{'female' if n % 3 else 'male'}\n" for n in range(6))
    (tmp_path / "labels.csv").write_text(f"doc_id,label\n{rows}")
    for system, asked in (("a", "xyz"), ("b", "wxy")):
        lines = [f"{query} Q0 d{n} {n + 1} {6 - n} x\n" for query in asked for n in range(4)]
        (tmp_path / "runs" / f"{system}.run").write_text("".join(lines))
    said = call(f"compare {tmp_path} CWEx --baseline a --format csv")
    assert [row["queries"] for row in said.rows] == ["2"]
    assert (
        "note: CWEx(alpha=0.5)@10, b and a: 2 of 4 queries in common (undefined: 1 for b, 1 for a); a verdict needs "
        "10.\n"
    ) in said.err
    assert call(f"compare {tmp_path} CWEx --systems a", status=1).err.endswith(
        "there is one system, a, and nothing to compare it with\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.\n"
    )


def test_the_strip_is_the_order_of_each_measure(newswire: Study, tmp_path: Path, call: Call) -> None:
    asked = "compare newswire CWEx AWRF --format strip"
    text = call(asked).out
    scores = fairviz.evaluate(newswire, ["CWEx", "AWRF"])
    result = comparison(scores)
    assert text == strips(orders(fairviz.summarise(scores), [pairs.question for pairs in result.pairs], result)) + "\n"
    assert "CWEx(alpha=0.5)@10  fairer →" in text
    call(asked, f"--output {tmp_path}/strip.txt")
    assert "study: newswire" in (tmp_path / "strip.txt").read_text(encoding="utf-8")


def test_what_the_manual_says_of_newswire_is_what_the_tests_say(newswire: Study) -> None:
    """Its first paragraph, figure by figure."""
    text = (ROOT / "docs" / "explanation" / "results.md").read_text(encoding="utf-8")
    paragraph = next(line for line in text.split("\n") if line.startswith("The app opens on"))
    scores = fairviz.evaluate(newswire, ["CWEx", "NFaiRR", "TExFAIR", "nDCG"])
    found = comparison(scores)
    assert "All 21 pairs in each measure, maxT; against `perfect`, all 28 pairs:" in text
    assert tuple(found.sizes_by_family.values()) == (21, 21, 21, 21)
    behind = found.table[found.table["verdict"] == BEHIND].set_index("measure")
    assert behind.groupby("measure")["baseline"].agg(lambda names: (len(names), *set(names))).to_dict() == {
        "CWEx(alpha=0.5)@10": (5, "w2v_add"), "NFaiRR(tau=1)@10": (4, "w2v_add"), "TExFAIR@10": (5, "w2v_si"),
        "nDCG@10": (2, "bm25"),
    }  # fmt: skip
    cwex = behind.loc["CWEx(alpha=0.5)@10"]
    assert (-cwex["difference"]).agg(["min", "max"]).round(3).tolist() == [0.081, 0.115]
    assert cwex["p_corrected"].max() <= 0.043
    assert "(by 0.081 to 0.115, p ≤ .043)" in paragraph
    ndcg = behind.loc["nDCG@10"].set_index("system")
    assert ndcg["value"].round(3).to_dict() == {"w2v_add": 0.559, "w2v_si": 0.578}
    assert ndcg["baseline_value"].round(3).unique().tolist() == [0.865]
    assert ndcg["p_corrected"].max() < 0.001
    fair = scores[~scores["measure"].astype("str").str.startswith("nDCG")]
    perfect = comparison(fair, "perfect", ticked=("perfect",))
    assert tuple(perfect.sizes_by_family.values()) == (28, 28, 28)
    ahead = perfect.table[perfect.table["verdict"] == AHEAD].set_index("measure")
    assert ahead.groupby("measure").size().to_dict() == {"NFaiRR(tau=1)@10": 7, "TExFAIR@10": 2}
    nfairr = ahead.loc["NFaiRR(tau=1)@10"]
    assert nfairr["difference"].agg(["min", "max"]).round(3).tolist() == [0.142, 0.257]
    assert nfairr["p_corrected"].max() < 0.001
    assert "overlap" not in text.replace("rank-biased overlap", "")  # of intervals, which is no test
