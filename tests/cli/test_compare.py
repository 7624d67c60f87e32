"""fairviz compare."""

import csv
import io
from pathlib import Path

import pytest

import fairviz
from fairviz.cli.main import main
from fairviz.comparison.compare import by_query, comparison
from fairviz.comparison.finding import orders, strips
from fairviz.comparison.pairs import AHEAD, BEHIND
from tests.cli.cases import rows


def test_the_table_is_that_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "newswire", "CWEx", "GSR", "--k", "5", "--annotator", "lexicon", "--format", "csv"]
    assert main([*arguments, "--baseline", "tfidf", "--tests", "bh(statistic='wilcoxon')"]) == 0
    streams = capsys.readouterr()
    found = list(csv.DictReader(io.StringIO(streams.out)))
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["CWEx", "GSR"], cutoff=5, annotator="lexicon")
    expected = fairviz.compare(scores, "tfidf", tests="bh(statistic='wilcoxon')")
    assert [row["system"] for row in found] == expected["system"].tolist()
    assert [float(row["difference"]) for row in found] == expected["difference"].tolist()
    assert [row["verdict"] for row in found] == expected["verdict"].tolist()
    assert found[-1]["wins"] == ""
    assert (
        "note: tests: all 21 pairs, Wilcoxon signed ranks, Benjamini-Hochberg; intervals: 95 % of one difference, "
        "uncorrected.\n"
    ) in streams.err
    assert "draws" not in streams.err


def test_the_family_and_the_monte_carlo_error_are_noted_once(capsys: pytest.CaptureFixture[str]) -> None:
    """sqrt(.5 · .5 / 10,000) = .005 and sqrt(.05 · .95 / 10,000) = .00218; 100 draws at least for each of 21 pairs."""
    assert main(["compare", "newswire", "CWEx", "RaB", "--baseline", "bm25"]) == 0
    said = capsys.readouterr().err
    assert said.count("note: tests: all 21 pairs, maxT; intervals: 95 % simultaneous.\n") == 1
    assert said.count("p by 10,000 draws: Monte Carlo error (one standard error) at most .005, .0022 at p = .05.") == 1
    assert main(["compare", "newswire", "CWEx", "--draws", "400"]) == 0
    assert "p by 2,100 draws: Monte Carlo error (one standard error) at most .011, .0048 at p = .05." in (
        capsys.readouterr().err
    )


def test_a_declared_family_holds_for_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "newswire", "CWEx", "NFaiRR", "--baseline", "bm25", "--format", "csv"]
    assert main([*arguments, "--tests", "maxT(family='measures')", "--tested", "random"]) == 0
    streams = capsys.readouterr()
    assert (
        "note: tests: all 56 pairs in 2 measures, maxT; intervals: 95 % simultaneous.\n" in streams.err
    )  # 2 · 8 · 7 / 2
    assert {row["measure"] for row in rows(streams.out)} == {"CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10"}
    assert {row["verdict"] for row in rows(streams.out) if row["system"] == "random"} != {"reference"}
    assert main([*arguments, "--tests", "maxT(baseline='bm25')"]) == 0
    assert "note: tests: 6 pairs with bm25, maxT; " in capsys.readouterr().err
    assert main([*arguments, "--tests", "fdr"]) == 2
    assert "method of the tests is 'fdr'\n" in capsys.readouterr().err


def test_a_margin_for_a_measure_of_the_family_that_was_not_requested_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["compare", "newswire", "CWEx", "--baseline", "bm25", "--margin", "CWEx=0.05"]
    tests = ["--tests", "maxT(family='measures')"]
    assert main([*arguments, *tests]) == 0
    assert main([*arguments, *tests, "--margin", "NFaiRR=0.05"]) == 2
    assert capsys.readouterr().err.endswith(
        "there is a margin for 'NFaiRR', and it is not compared\nUse one of CWEx(alpha=0.5)@10.\n"
    )
    assert main([*arguments, *tests, "--margin", "0.1"]) == 0


def test_an_unknown_baseline_is_a_wrong_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "football", "TExFAIR", "--baseline", "up"]) == 2
    assert "there is no system 'up' to compare with\nUse one of left, right.\n" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["compare", "evaluate"])
def test_only_the_systems_that_are_named_are_in_the_table_and_the_tests(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    study = fairviz.open_study("newswire")
    scores = fairviz.evaluate(study, "CWEx", systems=["w2v_add", "bm25", "rrf"])
    expected = fairviz.compare(scores) if verb == "compare" else fairviz.summarise(scores)
    for systems in (["--systems", "w2v_add,bm25, rrf"], ["--systems", "w2v_add", "--systems", "bm25,rrf"]):
        assert main([verb, "newswire", "CWEx", *systems, "--format", "csv", "--provenance"]) == 0
        found = rows(capsys.readouterr().out)
        assert [row["system"] for row in found] == expected["system"].tolist()
        column = "p_corrected" if verb == "compare" else "value"
        assert [float(row[column]) for row in found] == expected[column].tolist()
        assert {row["settings"] for row in found} == {"systems=w2v_add|bm25|rrf"}
    for name, remedy in {"up": "has no system 'up'\nUse one of bm25", "bm25,bm25": "names 'bm25' twice"}.items():
        assert main([verb, "newswire", "CWEx", "--systems", name]) == 2
        assert remedy in capsys.readouterr().err


def test_a_name_with_a_comma_is_named_with_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("a", "a, edited", "b"):
        (tmp_path / "runs" / f"{name}.run").write_text("q Q0 d1 1 2 x\n")
    (tmp_path / "labels.csv").write_text("doc_id,annotator,label\nd1,x,female\n")
    assert main(["evaluate", str(tmp_path), "CWEx", "--systems", "a, edited,b", "--format", "csv"]) == 0
    assert [row["system"] for row in rows(capsys.readouterr().out)] == ["a, edited", "b"]


def test_a_report_is_of_the_systems_that_are_named(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert main(["report", "newswire", "CWEx", "--systems", "bm25,rrf", "--output", str(file)]) == 0
    text = file.read_text()
    assert "rrf" in text
    assert "w2v_si" not in text


def test_margin_power_and_slices_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "newswire", "CWEx", "RaB", "--slice", "category", "--margin", "0.1", "--margin", "RaB=0.5"]
    assert main([*arguments, "--power", "0.9", "--level", "0.9", "--format", "csv", "--provenance"]) == 0
    streams = capsys.readouterr()
    found = rows(streams.out)
    study = fairviz.open_study("newswire")
    expected = fairviz.compare(
        fairviz.evaluate(study, ["CWEx", "RaB"]), slices=study.queries.set_index("query_id")["category"],
        margin={"": 0.1, "RaB": 0.5}, power=0.9, level=0.9,
    )  # fmt: skip
    for name in ("slice", "system", "verdict", "equivalence"):
        assert [row[name] for row in found] == expected[name].tolist()
    for name in ("margin", "p_equivalent", "minimum_detectable", "ci_low"):
        assert [float(row[name] or "nan") for row in found] == pytest.approx(expected[name].tolist(), nan_ok=True)
    assert {(row["slice_by"], row["margins"], row["power"], row["level"]) for row in found} == {
        ("category", "0.1, RaB=0.5", "0.9", "0.9")
    }
    assert "note: queries by category: sport 6, politics 6, crime 6, health 5, " in streams.err


def test_as_a_paper_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["compare", "newswire", "CWEx", "NFaiRR", "--baseline", "bm25", "--margin", "0.05", "--wide"]
    assert main([*arguments, "--format", "markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "| bm25 | −0.209 | 0.397 |"
    assert lines[5] == "| w2v\\_add | −0.093 (+0.115)‡ | 0.512 (+0.115)‡ |"
    assert main([*arguments, "--format", "latex", "--output", str(tmp_path / "table.tex")]) == 0
    text = (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert text.startswith("% study: newswire\n")
    assert "% margins: 0.05\n" in text
    assert "qlm & $-0.199$ ($+0.010$)$^{\\equiv}$ & 0.407 ($+0.009$)$^{\\equiv}$ \\\\\n" in text


def test_more_draws_of_signs(capsys: pytest.CaptureFixture[str]) -> None:
    tests = ["--tests", "none(statistic='randomisation')", "--draws", "40000"]
    assert main(["compare", "newswire", "CWEx", "--baseline", "bm25", *tests, "--format", "csv"]) == 0
    smallest = min(float(row["p"]) for row in rows(capsys.readouterr().out))
    assert smallest == pytest.approx(round(smallest * 40_001) / 40_001)


def two_runs(folder: Path, **queries: str) -> str:
    """A study of labelled documents with a run a system, each of which answers the queries of its name."""
    (folder / "runs").mkdir(parents=True)
    rows = "".join(f"d{n},{'female' if n % 3 else 'male'}\n" for n in range(6))
    (folder / "labels.csv").write_text(f"doc_id,label\n{rows}")
    for place, (system, asked) in enumerate(queries.items()):
        lines = [f"{query} Q0 d{(n + place) % 6} {n + 1} {6 - n} x\n" for query in asked for n in range(4)]
        (folder / "runs" / f"{system}.run").write_text("".join(lines))
    return str(folder)


def test_systems_that_answer_other_queries_are_paired_on_those_of_both(tmp_path: Path, capsys) -> None:
    study = two_runs(tmp_path / "odd", a="xyz", b="wxy")
    assert main(["compare", study, "CWEx", "--baseline", "a", "--format", "csv"]) == 0
    streams = capsys.readouterr()
    assert [row["queries"] for row in rows(streams.out)] == ["2"]
    assert (
        "note: CWEx(alpha=0.5)@10, b and a: 2 of 4 queries in common (undefined: 1 for b, 1 for a); a verdict needs "
        "10.\n"
    ) in streams.err


def test_one_system_is_data_to_mend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", two_runs(tmp_path / "one", a="xyz"), "CWEx"]) == 1
    assert capsys.readouterr().err.endswith(
        "there is one system, a, and nothing to compare it with\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--margin", "wide"], "--margin is 'wide'\nWrite a number, as 0.01, or a measure's, as CWEx=0.01.\n"),
        (["--margin", "-1"], "margin is -1.0\nUse a number above 0, in units of the measure, such as 0.01.\n"),
        (["--slice", "colour"], "no column 'colour' to slice by\nUse one of category, bias_sensitive.\n"),
        (["--power", "0.01"], "power is 0.01\nUse a number between 0.05 and 1, such as 0.8.\n"),
    ],
)
def test_wrong_options(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "newswire", "CWEx", *options]) == 2
    assert capsys.readouterr().err.endswith(said)


def test_what_the_manual_says_of_newswire_is_what_the_tests_say() -> None:
    """Its first paragraph, figure by figure."""
    text = (Path(__file__).parents[2] / "docs" / "explanation" / "results.md").read_text(encoding="utf-8")
    paragraph = next(line for line in text.split("\n") if line.startswith("The app opens on"))
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["CWEx", "NFaiRR", "TExFAIR", "nDCG"])
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
    perfect = comparison(
        scores[~scores["measure"].astype("str").str.startswith("nDCG")], "perfect", ticked=("perfect",)
    )
    assert tuple(perfect.sizes_by_family.values()) == (28, 28, 28)
    ahead = perfect.table[perfect.table["verdict"] == AHEAD].set_index("measure")
    assert ahead.groupby("measure").size().to_dict() == {"NFaiRR(tau=1)@10": 7, "TExFAIR@10": 2}
    nfairr = ahead.loc["NFaiRR(tau=1)@10"]
    assert (f"{nfairr['difference'].min():.3f}", f"{nfairr['difference'].max():.3f}") == ("0.142", "0.257")
    assert nfairr["p_corrected"].max() < 0.001
    assert "overlap" not in text.replace("rank-biased overlap", "")  # of intervals, which is no test


def test_the_strip_is_the_order_of_each_measure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["compare", "newswire", "CWEx", "AWRF", "--format", "strip"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["CWEx", "AWRF"])
    result = comparison(scores)
    made = orders(fairviz.summarise(scores), [pairs.question for pairs in result.pairs], result)
    assert text == strips(made) + "\n"
    assert "CWEx(alpha=0.5)@10  fairer →" in text
    assert main([*arguments, "--output", str(tmp_path / "strip.txt")]) == 0
    assert "study: newswire" in (tmp_path / "strip.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [("--wide",), ("--slice", "category")], ids=["wide", "slice"])
def test_a_strip_is_refused_where_it_cannot_show_what_was_asked(
    option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "newswire", "CWEx", "--format", "strip", *option]) == 2
    assert capsys.readouterr().err.endswith(f"--format strip cannot show {option[0]}\nLeave out one of the two.\n")


def test_two_systems_query_by_query_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    scores = fairviz.evaluate(fairviz.open_study("newswire"), ["CWEx", "nDCG"])
    for words, pair in {("rrf", "--baseline", "bm25"): ("rrf", "bm25"), (): ("", "")}.items():
        assert main(["compare", "newswire", "CWEx", "nDCG", "--by-query", *words, "--format", "csv"]) == 0
        found, expected = rows(capsys.readouterr().out), by_query(scores, *pair)
        assert [row["query_id"] for row in found] == expected["query_id"].tolist()
        assert [float(row["difference"]) for row in found] == expected["difference"].tolist()
    assert main(["compare", "newswire", "CWEx", "--by-query", "rrf", "--margin", "0.1"]) == 2
    assert capsys.readouterr().err.startswith("--by-query and --margin ask for different tables\n")


def test_where_keeps_the_queries_with_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    filtered = {"filter_column": "category", "filter_values": ("sport", "crime")}
    expected = fairviz.summarise(fairviz.evaluate(fairviz.open_study("newswire"), "CWEx", **filtered))
    wheres = ("--where", "category=sport", "--where", "category=crime")
    assert main(["evaluate", "newswire", "CWEx", *wheres, "--format", "csv"]) == 0
    found = rows(capsys.readouterr().out)
    assert [float(row["value"]) for row in found] == expected["value"].tolist()
    for wrong, message in {
        ("sport",): "Write one column and its value, as --where category=sport.",
        ("category=sport", "--where", "text=x"): "Write one column and its value, as --where category=sport.",
        ("colour=red",): "have no column 'colour'",
    }.items():
        assert main(["evaluate", "newswire", "CWEx", "--where", *wrong]) == 2
        assert message in capsys.readouterr().err


def test_lists_of_words_and_weights_can_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    words, weights = "female:she|her;male:he|his", (1.0, 0.5)
    choices = {"lexicon": words, "position_bias": "custom", "custom_bias": weights}
    expected = fairviz.summarise(fairviz.evaluate(fairviz.open_study("newswire"), "TExFAIR", **choices))
    typed = ("--lexicon", words, "--position-bias", "1,0.5")
    assert main(["evaluate", "newswire", "TExFAIR", *typed, "--format", "csv"]) == 0
    assert [float(row["value"]) for row in rows(capsys.readouterr().out)] == expected["value"].tolist()
    assert main(["evaluate", "newswire", "TExFAIR", "--lexicon", "female:she|her;male:she"]) == 2
    assert main(["evaluate", "newswire", "TExFAIR", "--position-bias", "1,x"]) == 2
