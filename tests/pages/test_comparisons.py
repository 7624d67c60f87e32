"""Comparisons on the pages: the command line's own, stars where tests allow them, none where nothing is tested."""

import io

import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.cli.main import main
from fairviz.datasets import studies_folder
from fairviz.evaluation.by_query import by_query
from fairviz.evaluation.compare import starred
from fairviz.measures import parse
from fairviz.study.study import make_study, save_study
from fairviz.ui.tradeoff.comparing import AGAINST, CORRECTION, TEST, Chosen, chosen
from tests.pages.test_first_run import first_run, html_of
from tests.pages.test_inspect import RUNS

MEASURES = ("CWEx(alpha=0.3)@5", "NFaiRR(tau=1)@5", "TExFAIR@5", "nDCG@5")
COLUMNS = ("CWEx", "NFaiRR", "TExFAIR", "ExposureGap", "AWRF", "RaB", "ARaB", "nDCG")
TEXT = ["measure", "system", "baseline", "verdict"]


def card(page: AppTest) -> pd.DataFrame:
    """The table of the card of differences."""
    (found,) = [element.value for element in page.dataframe if "effect_size" in element.value]
    return found


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[pd.DataFrame, str]:
    """The table of the command line, and its note."""
    assert main(["compare", "newswire", *MEASURES, *options, "--format", "csv"]) == 0
    streams = capsys.readouterr()
    return pd.read_csv(io.StringIO(streams.out), dtype=dict.fromkeys(TEXT, "str")), streams.err


def test_the_card_and_the_command_line_give_the_same_differences(capsys: pytest.CaptureFixture[str]) -> None:
    page = first_run("tradeoff.py", study="newswire", alpha="0.3", cutoff="5")
    assert not page.exception
    pd.testing.assert_frame_equal(card(page), printed(capsys)[0], check_dtype=False, rtol=1e-12)

    page.selectbox(key=AGAINST).select("tfidf")
    page.selectbox(key=TEST).select("wilcoxon")
    page.selectbox(key=CORRECTION).select("bh").run()
    assert not page.exception
    expected, note = printed(capsys, "--baseline", "tfidf", "--test", "wilcoxon", "--correction", "bh")
    pd.testing.assert_frame_equal(card(page), expected, check_dtype=False, rtol=1e-12)
    assert "note: 24 paired tests, correction: bh;" in note
    text = html_of(page)
    assert (
        text.count("Wilcoxon&#x27;s signed-rank test, Benjamini-Hochberg over 24 comparisons.") == 3
    )  # both sentences
    assert "overlap" not in text
    assert list(page.selectbox(key=AGAINST).options) == [
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
            page.selectbox(key=AGAINST).select(baseline).run()
        assert not page.exception
        (shown,) = [each.value for each in page.dataframe if "baseline_value" in each.value and "query" in each.value]
        expected = by_query(scores, system, baseline)
        pd.testing.assert_frame_equal(shown.drop(columns="query"), expected, check_dtype=False)
        first = expected.iloc[0]
        told = f"by CWEx, <b>{first['baseline']}</b> and <b>{first['system']}</b> differ most on"
        assert f"{told} “{texts[first['query_id']]}” (" in html_of(page)


def test_a_baseline_that_is_hidden_gives_way_to_the_best() -> None:
    page = first_run("tradeoff.py", study="newswire")
    page.selectbox(key=AGAINST).select("rrf").run()
    page.multiselect(key="systems").set_value(["bm25", "w2v_si", "random"]).run()
    assert not page.exception
    assert page.selectbox(key=AGAINST).value == ""
    assert set(card(page)["system"]) == {"bm25", "w2v_si", "random"}


def test_overview_stars_whom_no_test_puts_behind() -> None:
    page = first_run("overview.py", study="newswire")
    (styled,) = [element for element in page.dataframe if "CWEx ↑" in element.value]
    assert styled.value["system"].tolist()[-2:] == ["perfect (reference)", "random (reference)"]
    assert styled.value["RaB → 0"].dtype == "float64"
    shown = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas()
    stars = {name: set(styled.value["system"][shown[name].astype("str").str.endswith("★")]) for name in shown}
    scores = fairviz.evaluate(fairviz.open_study("newswire"), COLUMNS)
    for measure, systems in starred(fairviz.compare(scores)).items():
        (name,) = [name for name in shown if name.split(" ")[0] == parse(measure).name]
        assert stars[name] == systems
    text = html_of(page)
    assert "<b>w2v_si</b> is ahead of <b>bm25</b> and 4 more by TExFAIR" in text
    assert (
        "★ the best, and every system that is not told apart from it (paired t test, Holm over 48 comparisons)." in text
    )
    assert "An interval is of one system alone." in text


@pytest.mark.parametrize("name", ["overview.py", "tradeoff.py"])
def test_with_one_query_nobody_is_ahead_and_nobody_is_starred(name: str) -> None:
    page = first_run(name, study="football")
    assert not page.exception
    text = html_of(page)
    assert "No difference can be tested, as that takes two queries that two systems both answer" in text
    assert "★" not in text


@pytest.mark.parametrize("name", ["overview.py", "tradeoff.py"])
def test_one_system_alone(name: str) -> None:
    page = first_run(name, study="newswire", systems=["bm25"])
    assert not page.exception
    assert "Only <b>bm25</b> is shown: a second system is needed" in html_of(page)


def test_methods_says_how_systems_are_compared() -> None:
    text = html_of(first_run("methods.py"))
    assert "take this family as a guide, and name the baseline beforehand for a claim." in text
    assert "Nobody is starred where fewer than two queries are common." in text


def test_intervals_stand_from_the_start_where_the_measures_leave_them_room() -> None:
    """And what the address says of them is held to, the default or not."""

    def columns(**query: str) -> list[str]:
        page = first_run("overview.py", **query)
        assert not page.exception
        return list(next(each.value for each in page.dataframe if "system" in each.value).columns)

    labels = pd.DataFrame({"doc_id": ["a", "b"], "label": ["female", "male"]}).assign(annotator="ann")
    save_study(make_study("few", runs=RUNS, labels=labels), studies_folder() / "few")
    assert columns(study="few") == [
        "system", "CWEx ↑", "CWEx 95 %", "ExposureGap → 0", "ExposureGap 95 %", "AWRF ↓", "AWRF 95 %",
    ]  # fmt: skip
    assert columns(study="few", overview_intervals="off") == ["system", "CWEx ↑", "ExposureGap → 0", "AWRF ↓"]
    assert len(columns(study="newswire")) == 1 + len(COLUMNS)
    assert len(columns(study="newswire", overview_intervals="on")) == 1 + 2 * len(COLUMNS)


def test_methods_says_how_trec_eval_compares_scores() -> None:
    assert "it compares scores as 32-bit floats" in html_of(first_run("methods.py", methods_tab="Words and labels"))


def test_choices_that_there_are_not_are_the_defaults() -> None:
    assert chosen({}) == Chosen("t", "holm")
    assert chosen({TEST: "wilcoxon", CORRECTION: "none"}) == ("wilcoxon", "none")
    assert chosen({TEST: "z", CORRECTION: 3}) == Chosen()
