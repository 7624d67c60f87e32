"""Comparisons on the pages: the command line's own, stars where tests allow them, none where nothing is tested."""

import io

import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.cli.main import main
from fairviz.comparison.compare import by_query, comparison, starred
from fairviz.datasets import studies_folder
from fairviz.measures import parse
from fairviz.study.study import make_study, save_study
from fairviz.ui.shell.controls import BASELINE, METHOD, STATISTIC
from fairviz.ui.state import pair
from tests.pages.test_first_run import first_run, grid_of, html_of, numbers_of
from tests.pages.test_read import RUNS

MEASURES = ("CWEx(alpha=0.3)@5", "NFaiRR(tau=1)@5", "TExFAIR@5", "nDCG@5")
COLUMNS = ("CWEx", "NFaiRR", "TExFAIR", "ExposureGap", "AWRF", "RaB", "ARaB", "nDCG")
TEXT = ["measure", "system", "baseline", "verdict"]


def card(page: AppTest) -> pd.DataFrame:
    """The table of the card of differences."""
    return numbers_of(page, "tradeoff_differences")


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[pd.DataFrame, str]:
    """The table of the command line, and its note."""
    assert main(["compare", "newswire", *MEASURES, *options, "--format", "csv"]) == 0
    streams = capsys.readouterr()
    table = pd.read_csv(
        io.StringIO(streams.out), dtype=dict.fromkeys(TEXT, "str"), keep_default_na=False, na_values=[""]
    )
    return table.assign(warning=table["warning"].astype("object").fillna("")), streams.err


def test_the_card_and_the_command_line_give_the_same_differences(capsys: pytest.CaptureFixture[str]) -> None:
    page = first_run("tradeoff.py", study="newswire", alpha="0.3", cutoff="5")
    assert not page.exception
    pd.testing.assert_frame_equal(card(page), printed(capsys)[0], check_dtype=False, rtol=1e-12)

    page.selectbox(key=pair.BASELINE).select("tfidf")
    page.selectbox(key=METHOD).select("bh").run()
    page.selectbox(key=STATISTIC).select("wilcoxon").run()
    assert not page.exception
    expected, note = printed(capsys, "--baseline", "tfidf", "--tests", "bh(statistic='wilcoxon')")
    pd.testing.assert_frame_equal(card(page), expected, check_dtype=False, rtol=1e-12)
    family = "all 21 pairs, Wilcoxon signed ranks, Benjamini-Hochberg"
    assert f"note: tests: {family}; intervals: 95 % of one difference, uncorrected." in note
    text = html_of(page)
    assert text.count(f"Tests: {family}.") == 2  # of the page's sentence, and of the card
    assert "Intervals: 95 % of one difference, uncorrected." in text
    assert list(page.selectbox(key=pair.BASELINE).options) == [
        "the best of each measure", "bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "bi_encoder", "rrf",
    ]  # fmt: skip


def test_the_query_on_which_two_systems_differ_most_is_named() -> None:
    """Of the two best of each measure; of the baseline and the selected system where they are chosen."""
    page = first_run("tradeoff.py", study="newswire", alpha="0.3", cutoff="5")
    study = fairviz.open_study("newswire")
    scores = fairviz.evaluate(study, list(MEASURES))
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    for system, baseline in (("", ""), ("rrf", "bm25")):
        if baseline:
            page.session_state["system"] = system
            page.selectbox(key=pair.BASELINE).select(baseline).run()
        assert not page.exception
        (shown,) = [each.value for each in page.dataframe if "baseline_value" in each.value and "query" in each.value]
        expected = by_query(scores, system, baseline)
        pd.testing.assert_frame_equal(shown.drop(columns="query"), expected, check_dtype=False)
        first = expected.iloc[0]
        link = page.button(key="tradeoff_most_0")
        assert link.label.startswith(f"CWEx “{texts[first['query_id']]}” ")
        assert link.help.replace("\\", "").startswith(f"{first['baseline']} ")


def test_a_baseline_that_is_hidden_gives_way_to_the_best() -> None:
    page = first_run("tradeoff.py", study="newswire")
    page.selectbox(key=pair.BASELINE).select("rrf").run()
    page.multiselect(key="systems").set_value(["bm25", "w2v_si", "random"]).run()
    assert not page.exception
    assert page.selectbox(key=pair.BASELINE).value == ""
    assert set(card(page)["system"]) == {"bm25", "w2v_si", "random"}


def test_overview_stars_whom_no_test_puts_behind() -> None:
    page = first_run("overview.py", study="newswire")
    (styled,) = [element for element in page.dataframe if "CWEx ↑" in element.value]
    assert styled.value["system"].tolist()[-2:] == ["perfect (reference)", "random (reference)"]
    assert styled.value["RaB → 0"].dtype == "float64"
    shown = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas()
    stars = {name: set(styled.value["system"][shown[name].astype("str").str.endswith("★")]) for name in shown}
    scores = fairviz.evaluate(fairviz.open_study("newswire"), COLUMNS)
    for measure, systems in starred(comparison(scores)).items():
        (name,) = [name for name in shown if name.split(" ")[0] == parse(measure).name]
        assert stars[name] == systems
    text = html_of(page)
    assert "<b>TExFAIR</b>: w2v_si is ahead of bi_encoder, rrf, qlm and 2 more (" in text
    assert text.count("all 21 pairs, maxT") == 1
    assert "★ best, or not significantly different from the best." in text
    assert "Do not compare intervals of single systems; the paired tests (★) do that." in text


def test_a_method_a_baseline_and_ticked_systems_of_the_sidebar_hold_on_every_page() -> None:
    page = first_run("overview.py", study="newswire")
    page.selectbox(key=METHOD).select("holm").run()
    page.selectbox(key=STATISTIC).select("wilcoxon").run()
    page.selectbox(key=BASELINE).select("bm25").run()
    page.multiselect(key="tested").set_value(["random"]).run()
    assert not page.exception
    assert page.session_state["tests"] == "holm(statistic='wilcoxon',baseline='bm25')"
    told = "Tests: 7 pairs with bm25, Wilcoxon signed ranks, Holm"
    assert told in html_of(page)
    assert "tests Holm, Wilcoxon, against bm25" in " ".join(button.label for button in page.button)
    for name in ("tradeoff.py", "compare.py"):
        other = first_run(name, **dict(page.query_params.items()))
        assert not other.exception
        assert told in html_of(other)
    page.selectbox(key=METHOD).select("maxT").run()
    assert page.session_state["tests"] == "maxT(baseline='bm25')", "maxT has a statistic of its own"


def test_one_family_across_measures_is_that_of_the_overview_on_every_page() -> None:
    tests = {"study": "newswire", "tests": "maxT(family='measures')"}
    for name in ("overview.py", "tradeoff.py", "compare.py"):
        page = first_run(name, **tests)
        assert not page.exception
        assert "Tests: all 168 pairs in the 8 measures of the Overview, maxT" in html_of(page)
    assert set(card(first_run("tradeoff.py", **tests))["measure"].map(lambda text: parse(text).name)) == {
        "CWEx", "NFaiRR", "TExFAIR", "nDCG",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["overview.py", "tradeoff.py", "compare.py", "gsr.py", "sensitivity.py"])
def test_a_baseline_of_the_tests_that_is_hidden_is_one_clear_line(name: str) -> None:
    page = first_run(name, study="newswire", tests="maxT(baseline='bm25')", systems=["w2v_add", "w2v_si", "rrf"])
    assert not page.exception
    text = html_of(page)
    assert "fv-error" not in text
    assert "bm25, is not shown" in text or "the tests are of differences to bm25" in text


@pytest.mark.parametrize("name", ["overview.py", "tradeoff.py"])
def test_with_one_query_nobody_is_ahead_and_nobody_is_starred(name: str) -> None:
    page = first_run(name, study="football")
    assert not page.exception
    text = html_of(page)
    assert "No difference is tested: a verdict needs 10 queries, and half of all, that two systems both answer." in text
    assert "★" not in text.replace("the paired tests (★) do that", "")


@pytest.mark.parametrize("name", ["overview.py", "tradeoff.py"])
def test_one_system_alone(name: str) -> None:
    page = first_run(name, study="newswire", systems=["bm25"])
    assert not page.exception
    assert "Only <b>bm25</b> is shown: a second system is needed" in html_of(page)


def test_methods_says_how_systems_are_compared() -> None:
    text = html_of(first_run("methods.py"))
    assert "All pairs of the systems shown, within a measure." in text
    assert "Name a baseline before looking at the results." in text
    assert "A verdict needs 10 common queries and half of all queries." in text


def test_intervals_stand_from_the_start_where_the_measures_leave_them_room() -> None:
    """And what the address says of them is held to, the default or not."""

    def columns(**query: str) -> list[str]:
        page = first_run("overview.py", **query)
        assert not page.exception
        return list(grid_of(page, "overview").columns)

    labels = pd.DataFrame({"doc_id": ["a", "b"], "label": ["female", "male"]}).assign(annotator="ann")
    save_study(make_study("few", runs=RUNS, labels=labels), studies_folder() / "few")
    assert columns(study="few") == [
        "system", "CWEx ↑", "CWEx 95 %", "ExposureGap → 0", "ExposureGap 95 %", "AWRF ↓", "AWRF 95 %",
    ]  # fmt: skip
    assert columns(study="few", overview_intervals="off") == ["system", "CWEx ↑", "ExposureGap → 0", "AWRF ↓"]
    assert len(columns(study="newswire")) == 1 + len(COLUMNS)
    assert len(columns(study="newswire", overview_intervals="on")) == 1 + 2 * len(COLUMNS)


def test_methods_says_how_trec_eval_compares_scores() -> None:
    assert "It compares scores as 32-bit floats" in html_of(first_run("methods.py", methods_tab="Words and labels"))
