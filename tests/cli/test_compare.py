"""fairviz compare and gate: notes, options and shapes, what the manual tells; statuses, run files and the page."""

from pathlib import Path

import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import orders, strips
from fairviz.comparison.pairs import AHEAD, BEHIND
from fairviz.study.record import Study
from tests.cli.test_evaluate import folder_of
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
    runs = {f"runs/{name}.run": "q Q0 d1 1 2 x\n" for name in ("a", "a, edited", "b")}
    folder_of(tmp_path, runs | {"labels.csv": "doc_id,annotator,label\nd1,x,female\n"})
    call(f"report {tmp_path} CWEx --systems 'a, edited,b' --output {tmp_path}/report.html")
    text = (tmp_path / "report.html").read_text()
    assert ("a, edited" in text, "<td>a</td>" in text) == (True, False)
    found = call(f"evaluate {tmp_path} CWEx --systems 'a, edited,b' --format csv").rows
    assert [row["system"] for row in found] == ["a, edited", "b"]


def test_systems_that_answer_other_queries_are_paired_on_those_of_both(tmp_path: Path, call: Call) -> None:
    labels = "".join(f"d{n},{'female' if n % 3 else 'male'}\n" for n in range(6))
    folder_of(tmp_path, {"labels.csv": f"doc_id,label\n{labels}"} | {
        f"runs/{system}.run": "".join(f"{query} Q0 d{n} {n + 1} {6 - n} x\n" for query in asked for n in range(4))
        for system, asked in (("a", "xyz"), ("b", "wxy"))
    })  # fmt: skip
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
    cwex, ndcg = behind.loc["CWEx(alpha=0.5)@10"], behind.loc["nDCG@10"]
    assert (-cwex["difference"]).agg(["min", "max"]).round(3).tolist() == [0.081, 0.115]
    assert cwex["p_corrected"].max() <= 0.043
    assert "(by 0.081 to 0.115, p ≤ .043)" in paragraph
    assert ndcg.set_index("system")["value"].round(3).to_dict() == {"w2v_add": 0.559, "w2v_si": 0.578}
    assert ndcg["baseline_value"].round(3).unique().tolist() == [0.865]
    fair = scores[~scores["measure"].astype("str").str.startswith("nDCG")]
    perfect = comparison(fair, "perfect", ticked=("perfect",))
    assert tuple(perfect.sizes_by_family.values()) == (28, 28, 28)
    ahead = perfect.table[perfect.table["verdict"] == AHEAD].set_index("measure")
    assert ahead.groupby("measure").size().to_dict() == {"NFaiRR(tau=1)@10": 7, "TExFAIR@10": 2}
    nfairr = ahead.loc["NFaiRR(tau=1)@10"]
    assert nfairr["difference"].agg(["min", "max"]).round(3).tolist() == [0.142, 0.257]
    assert max(ndcg["p_corrected"].max(), nfairr["p_corrected"].max()) < 0.001
    assert "overlap" not in text.replace("rank-biased overlap", "")  # of intervals, which is no test


# --- gate -------------------------------------------------------------------------------------------------------

GATED = "gate newswire --baseline w2v_add --candidate bm25"


def study(folder: Path, queries: int = 12) -> Path:
    """A study with one run: the neutral document above the female one, for each query."""
    names = [f"{letter}{query}" for query in range(queries) for letter in "nf"]
    labels = "".join(f"{name},{'neutral' if name[0] == 'n' else 'female'}\n" for name in names)
    folder_of(folder, {"labels.csv": f"doc_id,label\n{labels}"})
    run(folder / "runs" / "first.run", ["nf"] * queries)
    return folder


def run(file: Path, orders: list[str]) -> Path:
    """A run with the documents of each query in this order."""
    lines = [
        f"q{query} Q0 {letter}{query} {rank} {-rank} x\n"
        for query, order in enumerate(orders)
        for rank, letter in enumerate(order, 1)
    ]
    folder_of(file.parent, {file.name: "".join(lines)})
    return file


def test_the_status_is_3_where_a_condition_is_met_and_what_is_said(call: Call) -> None:
    for conditions, status in (
        # of the first the difference lies beyond, and its interval reaches back
        (["CWEx falls by 0.11", "CWEx worse by 0.5", "nDCG falls by 0.5"], 0),
        (["nDCG falls by 0.5", "CWEx worse by 0.02"], 3),
        (["CWx falls by 0.02"], 2),
    ):
        call(GATED, *(f"--fail-if '{text}'" for text in conditions), status=status)
    said = call(GATED, "--fail-if 'CWEx falls by 0.02' --fail-if 'TED above 0.9' --most 2 --format csv", status=3)
    falls, above = said.rows
    assert (falls["state"], above["state"]) == ("beyond", "within")
    assert falls["moved"] == "q23 (lee-186, lee-071); q30 (lee-311, lee-296)"
    span = " to ".join(f"{float(falls[end]):+.4f}" for end in ("ci_low", "ci_high"))
    value = " to ".join(f"{float(above[end]):.4f}" for end in ("ci_low", "ci_high"))
    assert (
        f"beyond: CWEx falls by 0.02: CWEx(alpha=0.5)@10 differs by -0.1153 (95 % interval {span}, 40 common queries)\n"
        "  moved most: q23 (lee-186, lee-071); q30 (lee-311, lee-296)\n"
        f"within: TED above 0.9: TED@10 is 0.6369 (95 % interval {value}, 40 common queries)\n"
    ) in said.err
    background = (
        "note: the background of NFaiRR is collection here, and candidates on the pages; `compare --background "
        "collection` gives these numbers.\n"
    )
    assert background in call(GATED, "--fail-if 'NFaiRR worse by 0.5'").err
    assert background[:23] not in call(GATED, "--fail-if 'NFaiRR worse by 0.5' --background candidates").err


def test_run_files_are_read_beside_the_study(tmp_path: Path, call: Call) -> None:
    """Also where both have the name of the study's own system."""
    folder, page = study(tmp_path / "mine"), tmp_path / "page.html"
    old, new = run(tmp_path / "old" / "first.run", ["nf"] * 12), run(tmp_path / "new" / "first.run", ["fn"] * 12)
    asked = f"gate {folder} --baseline {old} --candidate {new} --fail-if 'CWEx@2 falls by 0.1' --report {page}"
    assert call(asked, status=3).err.endswith(f"wrote {page}\n")
    assert "<h1>first (candidate) against first (baseline)</h1>" in page.read_text(encoding="utf-8")
    call(f"gate {folder} --baseline first --candidate {old} --fail-if 'CWEx@2 falls by 0'")
    assert [file.name for file in (folder / "runs").iterdir()] == ["first.run"], "nothing is added to the study"


def test_strict_makes_every_status_1_one_of_3(tmp_path: Path, call: Call) -> None:
    (tmp_path / "bad.run").write_text("q1 Q0\n")
    few = f"{study(tmp_path / 'few', 9)} --baseline first --candidate {run(tmp_path / 'few.run', ['fn'] * 9)}"
    own = f"{study(tmp_path / 'mine')} --baseline first --candidate"
    lacking, same = run(tmp_path / "lacking.run", ["nf"] * 10), run(tmp_path / "same.run", ["nf"] * 12)
    mute = run(tmp_path / "mute.run", ["n"] * 12)  # of no gender
    condition = "--fail-if 'CWEx@2 falls by 0.1'"
    help_text = " ".join(call("gate --help").out.split())
    for line, statuses, cause, said in (
        (f"{few} {condition}", (1, 3), "fewer than ten queries", "undecided: CWEx@2 falls by 0.1"),
        (f"{own} {lacking} {condition}", (1, 3), "half of all", "is undefined for 2 of 12 queries"),
        (f"{own} {lacking} {condition} --undefined 20% --all-queries", (1, 3), "--all-", "does not answer 2 queries"),
        (f"{own} {lacking} --fail-if 'nDCG@2 falls by 0.1'", (1, 3), "without what a measure needs", "relevance"),
        (f"{own} {lacking} --fail-if 'never shown female above 0.1'", (1, 3), "'never shown GROUP'",
         "mine has no relevance judgements"),
        (f"{own} {tmp_path}/bad.run {condition}", (1, 3), "with errors", "bad.run:1: "),
        (f"{own} {lacking} {condition} --undefined 0.2 --report {tmp_path}/no/page.html", (1, 3), "cannot be written",
         f"could not write {tmp_path}/no/page.html"),
        (f"{own} {mute} --fail-if 'AWRF@2 worse by 0.02'", (1, 3), "more than --undefined",
         "AWRF@2 is undefined for 12 of 12 queries in mute alone"),
        (f"{own} {mute} --fail-if 'AWRF@2 worse by 0.02' --undefined 100%", (1, 3), "",
         "AWRF@2 has no value to compare ("),
        (f"{own} {same} {condition}", (0, 0), "", ""),
        (f"{own} {lacking} --fail-if 'CWEx is bad'", (2, 2), "", ""),
    ):  # fmt: skip
        for option, status in zip(("", "--strict"), statuses, strict=True):
            told = call("gate", line, option, status=status).err
            assert (said in told, " nan" in told.lower()) == (True, False)
        assert cause in help_text, "every cause is in the short help"
