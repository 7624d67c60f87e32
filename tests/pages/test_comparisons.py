"""Comparisons on the pages: the command line's own, stars where tests allow them, none where nothing is tested; and the
two systems and the measure chosen on one page, which are in view on every page that compares two systems."""

import shlex

import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.comparison.compare import by_query, comparison, starred
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.shell.controls import BASELINE, METHOD, STATISTIC
from fairviz.ui.state import pair
from tests.made import labels_of, qrels_of, runs_of
from tests.pages.conftest import OVERVIEW, PATIENCE, ROOT, Seen, first_run, grid_of, html_of, kept, numbers_of
from tests.pages.test_read import RUNS

MEASURES = ("CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10", "TExFAIR@10", "nDCG@10")


def card(page: AppTest) -> pd.DataFrame:
    """The table of the card of differences."""
    return numbers_of(page, "tradeoff_differences")


def test_differences_follow_the_pair_and_the_tests_and_a_hidden_baseline_gives_way(printed, newswire: Study) -> None:
    page = first_run("tradeoff.py", study="newswire")
    assert list(page.selectbox(key=pair.BASELINE).options) == [
        "the best of each measure", "bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "bi_encoder", "rrf",
    ]  # fmt: skip
    scores = fairviz.evaluate(newswire, list(MEASURES))
    texts = dict(zip(newswire.queries["query_id"], newswire.queries["text"], strict=True))
    for system, baseline in (("", ""), ("rrf", "tfidf")):  # of the two best of each measure, and of the chosen pair
        if baseline:
            page.session_state["system"] = system
            page.selectbox(key=pair.BASELINE).select(baseline).run()
        expected = by_query(scores, system, baseline)
        (shown,) = [each.value for each in page.dataframe if "baseline_value" in each.value and "query" in each.value]
        pd.testing.assert_frame_equal(shown.drop(columns="query"), expected, check_dtype=False)
        first = expected.iloc[0]
        link = page.button(key="tradeoff_most_0")
        assert link.label.startswith(f"CWEx “{texts[first['query_id']]}” ")
        assert link.help.replace("\\", "").startswith(f"{first['baseline']} ")

    page.selectbox(key=METHOD).select("bh").run()
    page.selectbox(key=STATISTIC).select("wilcoxon").run()
    command = f"fairviz compare newswire {' '.join(map(shlex.quote, MEASURES))} --baseline tfidf"
    table = printed(command, "--tests", "bh(statistic='wilcoxon')")
    ranks = {name: table[name].astype("Int64") for name in table.columns if "rank_" in name}
    table = table.assign(warning=table["warning"].astype("object").fillna(""), **ranks)
    pd.testing.assert_frame_equal(card(page), table, check_dtype=False, rtol=1e-12)
    family = "all 21 pairs, Wilcoxon signed ranks, Benjamini-Hochberg"
    assert f"note: tests: {family}; intervals: 95 % of one difference, uncorrected; ranks: not" in table.attrs["note"]
    text = html_of(page)
    assert text.count(f"Tests: {family}.") == 2  # of the page's sentence, and of the card
    assert "Intervals: 95 % of one difference, uncorrected." in text

    page.multiselect(key="systems").set_value(["bm25", "w2v_si", "random"]).run()
    assert page.selectbox(key=pair.BASELINE).value == ""
    assert set(card(page)["system"]) == {"bm25", "w2v_si", "random"}


def test_overview_stars_whom_no_test_puts_behind(seen: Seen, newswire: Study) -> None:
    page = seen("overview.py", study="newswire")
    (styled,) = [element for element in page.dataframe if "CWEx ↑" in element.value]
    assert styled.value["system"].tolist()[-2:] == ["perfect (reference)", "random (reference)"]
    assert styled.value["RaB → 0"].dtype == "float64"
    shown = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas()
    stars = {name: set(styled.value["system"][shown[name].astype("str").str.endswith("★")]) for name in shown}
    scores = fairviz.evaluate(newswire, OVERVIEW)
    for measure, systems in starred(comparison(scores)).items():
        (name,) = [name for name in shown if name.split(" ")[0] == parse(measure).name]
        assert stars[name] == systems
    text = html_of(page)
    assert "<b>TExFAIR</b>: w2v_si is ahead of bi_encoder, rrf, qlm and 2 more (" in text
    assert text.count("all 21 pairs, maxT") == 1
    assert "★ best, or not significantly different from the best; two starred ones may differ." in text
    assert "Do not compare intervals of single systems; the paired tests (★) do that." in text


def test_a_method_a_baseline_and_ticked_systems_of_the_sidebar_hold_on_every_page() -> None:
    page = first_run("overview.py", study="newswire", columns=["CWEx", "NFaiRR"])
    page.selectbox(key=METHOD).select("holm").run()
    page.selectbox(key=STATISTIC).select("wilcoxon")
    page.selectbox(key=BASELINE).select("bm25")
    page.multiselect(key="tested").set_value(["random"]).run()
    assert page.session_state["tests"] == "holm(statistic='wilcoxon',baseline='bm25')"
    told = "Tests: 7 pairs with bm25, Wilcoxon signed ranks, Holm"
    assert told in html_of(page)
    assert "tests Holm, Wilcoxon, against bm25" in " ".join(button.label for button in page.button)
    for name in ("tradeoff.py", "compare.py"):
        assert told in html_of(first_run(name, **dict(page.query_params.items())))
    page.selectbox(key=METHOD).select("maxT").run()
    assert page.session_state["tests"] == "maxT(baseline='bm25')", "maxT has a statistic of its own"


def test_one_family_across_measures_is_that_of_the_overview_on_every_page() -> None:
    tests = {"study": "newswire", "tests": "maxT(family='measures')"}
    pages = {name: first_run(f"{name}.py", **tests) for name in ("overview", "tradeoff", "compare")}
    count = len(OVERVIEW)
    for page in pages.values():
        assert f"Tests: all {21 * count} pairs in the {count} measures of the Overview, maxT" in html_of(page)
    measures = card(pages["tradeoff"])["measure"].map(lambda text: parse(text).name)
    assert set(measures) == {"CWEx", "NFaiRR", "TExFAIR", "nDCG"}


@pytest.mark.parametrize("name", ["overview.py", "compare.py", "gsr.py", "sensitivity.py"])
def test_a_baseline_of_the_tests_that_is_hidden_is_one_clear_line(name: str) -> None:
    choices = {"tests": "maxT(baseline='bm25')", "systems": ["w2v_add", "w2v_si", "rrf"], "columns": ["CWEx"]}
    text = html_of(first_run(name, study="newswire", **choices))
    assert "fv-error" not in text
    assert "bm25, is not shown" in text or "the tests are of differences to bm25" in text


@pytest.mark.parametrize("name", ["overview.py", "tradeoff.py"])
def test_with_one_query_nobody_is_starred(name: str, seen: Seen) -> None:
    text = html_of(seen(name, study="football"))
    assert "No difference is tested: a verdict needs 10 queries, and half of all, that two systems both answer." in text
    assert "★" not in text.replace("the paired tests (★) do that", "")


def test_intervals_are_shown_from_the_start_where_the_measures_leave_them_room(seen: Seen) -> None:
    """And what the address says of them is held to, the default or not."""

    def columns(opened: Seen = first_run, **query: object) -> list[str]:
        return list(grid_of(opened("overview.py", **query), "overview").columns)

    labels = pd.DataFrame({"doc_id": ["a", "b"], "label": ["female", "male"]}).assign(annotator="ann")
    kept(make_study("few", runs=RUNS, labels=labels))
    few = {"study": "few", "columns": ["CWEx", "ExposureGap", "AWRF"]}
    assert columns(**few) == [
        "system", "CWEx ↑", "CWEx 95 %", "ExposureGap → 0", "ExposureGap 95 %", "AWRF ↓", "AWRF 95 %",
    ]  # fmt: skip
    assert columns(**few, overview_intervals="off") == ["system", "CWEx ↑", "ExposureGap → 0", "AWRF ↓"]
    assert len(columns(seen, study="newswire")) == 1 + len(OVERVIEW)
    assert len(columns(study="newswire", overview_intervals="on")) == 1 + 2 * len(OVERVIEW)


# What is chosen on one page is in view on the others


def pages(folder: str) -> None:
    """One session, in which the page named in its state is drawn."""
    import runpy

    import streamlit as st

    from fairviz.ui.shell import frame

    with frame.around():
        runpy.run_path(f"{folder}/{st.session_state['page_shown']}.py")


@pytest.fixture
def session() -> AppTest:
    lists = {("s1", 1): "abcd", ("s2", 1): "dcba", ("s3", 1): "acbd", ("s4", 1): "bdac"}
    runs = runs_of({(system, f"q{turn}"): [*documents[turn:], *documents[:turn]]
                    for (system, _), documents in lists.items() for turn in range(3)})  # fmt: skip
    labels = labels_of(dict(zip("abcd", ("female", "male", "neutral", "female"), strict=True)))
    documents = pd.DataFrame({"doc_id": list("abcd"), "text": ["she", "he", "tree", "her"]})
    kept(make_study("four", runs=runs, labels=labels, documents=documents, qrels=qrels_of({"q0": "a", "q1": "b"})))
    session = AppTest.from_function(pages, args=(str(ROOT / "pages"),), default_timeout=PATIENCE)
    session.query_params.update(study="four", robustness_choices="tau", tradeoff_tab="Differences")
    return session


def opened(session: AppTest, page: str) -> AppTest:
    session.session_state["page_shown"] = page
    return session.run()


def in_view(session: AppTest, page: str) -> tuple[str, str, str]:
    """System, baseline and measure of the page, by its widgets; those that it does not have are empty."""
    opened(session, page)
    boxes = {box.key: box.value for box in session.selectbox}
    measure = "|".join(session.multiselect(key="robustness_measures").value) if page == "sensitivity" else ""
    system = session.session_state["system"] if page == "tradeoff" else boxes["pair_system"]
    return system, boxes["baseline"], measure or boxes.get("measure", "")


def test_what_is_chosen_on_a_page_is_in_view_on_the_others(session: AppTest) -> None:
    """Each page chooses a pair and a measure, which the next one has; that of the last is on all."""
    chosen = {
        "compare": ("s1", "s4", "RaB"), "measures": ("s2", "s3", "NFaiRR"), "query": ("s4", "s1", "RaB"),
        "sensitivity": ("s2", "s3", "NFaiRR"), "read": ("s4", "s2", ""),
    }  # fmt: skip
    before = None
    for page, (system, baseline, measure) in chosen.items():
        in_force = in_view(session, page)
        if before is not None:  # Read has other measures: those of labels
            assert in_force == ((*before[:2], "CWEx") if page == "read" else before), page
        session.selectbox(key="pair_system").select(system).run()
        session.selectbox(key="baseline").select(baseline)
        if page == "sensitivity":
            session.multiselect(key="robustness_measures").set_value([measure])
        elif measure:
            session.selectbox(key="measure").select(measure)
        session.run()
        before = (system, baseline, measure)
    assert in_view(session, "compare") == ("s4", "s2", "NFaiRR")
    assert in_view(session, "tradeoff") == ("s4", "s2", "")
    assert session.query_params["baseline"] in ("s2", ["s2"])


def test_pages_agree_on_the_pair_where_nothing_is_chosen_and_it_changes_places(session: AppTest) -> None:
    assert {in_view(session, page)[:2] for page in ("compare", "measures", "query", "sensitivity")} == {("s2", "s1")}
    opened(session, "query")
    session.selectbox(key="pair_system").select("s4").run()
    session.selectbox(key="pair_system").select("s1").run()
    assert in_view(session, "compare")[:2] == ("s1", "s4")
    opened(session, "query")
    session.selectbox(key="baseline").set_value("").run()
    assert "lost" not in html_of(session)
    assert in_view(session, "compare")[:2] == ("s1", "s2"), "no other system on Query leaves that of other pages"
    assert in_view(session, "query")[1] == ""


def test_the_baseline_of_the_differences_is_that_of_other_pages(session: AppTest) -> None:
    assert in_view(session, "tradeoff")[1] == ""
    session.selectbox(key="baseline").select("s3").run()
    assert {in_view(session, page)[:2] for page in ("compare", "query")} == {("s1", "s3")}


def test_a_measure_chosen_elsewhere_replaces_those_of_the_sensitivity_analysis(session: AppTest) -> None:
    session.query_params["robustness_measures"] = ["NFaiRR", "CWEx"]
    assert in_view(session, "sensitivity")[2] == "NFaiRR|CWEx"
    assert in_view(session, "compare")[2] == "NFaiRR"
    session.selectbox(key="measure").select("CWEx").run()
    assert in_view(session, "sensitivity")[2] == "NFaiRR|CWEx"
    opened(session, "compare").selectbox(key="measure").select("nDCG").run()
    assert in_view(session, "sensitivity")[2] in ("CWEx", "NFaiRR|CWEx")  # nDCG is in no sensitivity analysis
    opened(session, "compare").selectbox(key="measure").select("RaB").run()
    assert in_view(session, "sensitivity")[2] == "RaB"
