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


def test_a_declared_family_holds_for_the_table(call: Call) -> None:
    asked = "compare newswire CWEx NFaiRR --baseline bm25 --format csv"
    said = call(asked, "--tests \"maxT(family='measures')\" --tested random")
    pairs = 2 * 8 * 7 // 2
    covered = "intervals: 95 % simultaneous; ranks: 95 % simultaneous over all measures."
    assert f"note: tests: all {pairs} pairs in 2 measures, maxT; {covered}\n" in said.err
    assert {row["measure"] for row in said.rows} == {"CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10"}
    assert {row["verdict"] for row in said.rows if row["system"] == "random"} != {"reference"}
    assert "note: tests: 6 pairs with bm25, maxT; " in call(asked, "--tests \"maxT(baseline='bm25')\"").err
    assert "method of the tests is 'fdr'\n" in call(asked, "--tests fdr", status=2).err


def test_a_margin_for_a_measure_of_the_family_that_was_not_requested_is_refused(call: Call) -> None:
    asked = "compare newswire CWEx --baseline bm25 --margin CWEx=0.05 --tests \"maxT(family='measures')\""
    call(asked)
    assert call(asked, "--margin NFaiRR=0.05", status=2).err.endswith(
        "there is a margin for 'NFaiRR', and it is not compared\nUse one of CWEx(alpha=0.5)@10.\n"
    )
    call(asked, "--margin 0.1")


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
    for name, remedy in {"up": "has no system 'up'\nUse one of bm25", "bm25,bm25": "names 'bm25' twice"}.items():
        assert remedy in call(f"{verb} newswire CWEx --systems {name}", status=2).err


def test_a_name_with_a_comma_is_named_with_others(tmp_path: Path, call: Call) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("a", "a, edited", "b"):
        (tmp_path / "runs" / f"{name}.run").write_text("q Q0 d1 1 2 x\n")
    (tmp_path / "labels.csv").write_text("doc_id,annotator,label\nd1,x,female\n")
    found = call(f"evaluate {tmp_path} CWEx --systems 'a, edited,b' --format csv").rows
    assert [row["system"] for row in found] == ["a, edited", "b"]


def test_a_report_is_of_the_systems_that_are_named(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "report.html"
    call(f"report newswire CWEx --systems bm25,rrf --output {file}")
    text = file.read_text()
    assert "rrf" in text
    assert "w2v_si" not in text


def test_what_the_numbers_were_made_with(call: Call) -> None:
    found = call(
        "compare newswire CWEx RaB --slice category --margin 0.1 --margin RaB=0.5 --power 0.9 --level 0.9",
        "--format csv --provenance",
    ).rows
    made = {(row["slice_by"], row["margins"], row["power"], row["level"]) for row in found}
    assert made == {("category", "0.1, RaB=0.5", "0.9", "0.9")}


def test_as_a_paper_prints_it(tmp_path: Path, call: Call) -> None:
    asked = "compare newswire CWEx NFaiRR --baseline bm25 --margin 0.05 --wide"
    lines = call(asked, "--format markdown").out.splitlines()
    assert lines[2] == "| bm25 | −0.209 | 0.397 |"
    assert lines[5] == "| w2v\\_add | −0.093 (+0.115)‡ | 0.512 (+0.115)‡ |"
    call(asked, f"--format latex --output {tmp_path}/table.tex")
    text = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert text.startswith("% study: newswire\n")
    assert "% margins: 0.05\n" in text
    assert "qlm & $-0.199$ ($+0.010$)$^{\\equiv}$ & 0.407 ($+0.009$)$^{\\equiv}$ \\\\\n" in text


def test_more_draws_of_signs(call: Call) -> None:
    tests = "--tests \"none(statistic='randomisation')\" --draws 40000"
    found = call(f"compare newswire CWEx --baseline bm25 {tests} --format csv").rows
    smallest = min(float(row["p"]) for row in found)
    assert smallest == pytest.approx(round(smallest * 40_001) / 40_001)


def two_runs(folder: Path, **queries: str) -> Path:
    """A study of labelled documents with a run a system, each of which answers the queries of its name."""
    (folder / "runs").mkdir(parents=True)
    rows = "".join(f"d{n},{'female' if n % 3 else 'male'}\n" for n in range(6))
    (folder / "labels.csv").write_text(f"doc_id,label\n{rows}")
    for place, (system, asked) in enumerate(queries.items()):
        lines = [f"{query} Q0 d{(n + place) % 6} {n + 1} {6 - n} x\n" for query in asked for n in range(4)]
        (folder / "runs" / f"{system}.run").write_text("".join(lines))
    return folder


def test_systems_that_answer_other_queries_are_paired_on_those_of_both(tmp_path: Path, call: Call) -> None:
    said = call(f"compare {two_runs(tmp_path / 'odd', a='xyz', b='wxy')} CWEx --baseline a --format csv")
    assert [row["queries"] for row in said.rows] == ["2"]
    assert (
        "note: CWEx(alpha=0.5)@10, b and a: 2 of 4 queries in common (undefined: 1 for b, 1 for a); a verdict needs "
        "10.\n"
    ) in said.err


def test_one_system_is_data_to_mend(tmp_path: Path, call: Call) -> None:
    assert call(f"compare {two_runs(tmp_path / 'one', a='xyz')} CWEx", status=1).err.endswith(
        "there is one system, a, and nothing to compare it with\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.\n"
    )


EXCLUDES_STRIP = "--format strip cannot show {}\nLeave out one of the two.\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--margin wide", "--margin is 'wide'\nWrite a number, as 0.01, or a measure's, as CWEx=0.01.\n"),
        ("--margin -1", "margin is -1.0\nUse a number above 0, in units of the measure, such as 0.01.\n"),
        ("--slice colour", "no column 'colour' to slice by\nUse one of category, bias_sensitive.\n"),
        ("--power 0.01", "power is 0.01\nUse a number between 0.05 and 1, such as 0.8.\n"),
        ("--format strip --wide", EXCLUDES_STRIP.format("--wide")),
        ("--format strip --slice category", EXCLUDES_STRIP.format("--slice")),
    ],
)
def test_wrong_options(options: str, said: str, call: Call) -> None:
    assert call("compare newswire CWEx", options, status=2).err.endswith(said)


def test_other_tables_and_systems_that_are_not_there(call: Call) -> None:
    said = call("compare newswire CWEx --by-query rrf --margin 0.1", status=2)
    assert said.err.startswith("--by-query and --margin ask for different tables\n")
    said = call("compare football TExFAIR --baseline up", status=2)
    assert "there is no system 'up' to compare with\nUse one of left, right.\n" in said.err


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
    cwex = behind.loc["CWEx(alpha=0.5)@10"]
    assert (f"{-cwex['difference'].max():.3f}", f"{-cwex['difference'].min():.3f}") == ("0.081", "0.115")
    assert cwex["p_corrected"].max() <= 0.043
    assert "(by 0.081 to 0.115, p ≤ .043)" in paragraph
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
    fair = scores[~scores["measure"].astype("str").str.startswith("nDCG")]
    perfect = comparison(fair, "perfect", ticked=("perfect",))
    assert tuple(perfect.sizes_by_family.values()) == (28, 28, 28)
    ahead = perfect.table[perfect.table["verdict"] == AHEAD].set_index("measure")
    assert ahead.groupby("measure").size().to_dict() == {"NFaiRR(tau=1)@10": 7, "TExFAIR@10": 2}
    nfairr = ahead.loc["NFaiRR(tau=1)@10"]
    assert (f"{nfairr['difference'].min():.3f}", f"{nfairr['difference'].max():.3f}") == ("0.142", "0.257")
    assert nfairr["p_corrected"].max() < 0.001
    assert "overlap" not in text.replace("rank-biased overlap", "")  # of intervals, which is no test
