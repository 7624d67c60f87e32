"""Comparisons on the pages: the command line's own, stars where tests allow them, none where nothing is tested; and the
two systems and the measure chosen on one page, which are in view on every page that compares two systems."""

import shlex
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.comparison.compare import by_query, comparison, starred
from fairviz.measures import parse
from fairviz.study.record import Study, with_fingerprint
from fairviz.study.study import make_study
from fairviz.ui.kit import charts
from fairviz.ui.shell.controls import BASELINE, METHOD, STATISTIC
from fairviz.ui.state import pair
from tests.made import labels_of, qrels_of, runs_of
from tests.pages.conftest import (
    OVERVIEW,
    PATIENCE,
    ROOT,
    Seen,
    first_run,
    grid_of,
    html_of,
    kept,
    numbers_of,
    table_with,
)
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
            page.selectbox(key=METHOD).select("bh")
            page.selectbox(key=pair.BASELINE).select(baseline).run()
        expected = by_query(scores, system, baseline)
        (shown,) = [each.value for each in page.dataframe if "baseline_value" in each.value and "query" in each.value]
        pd.testing.assert_frame_equal(shown.drop(columns="query"), expected, check_dtype=False)
        first = expected.iloc[0]
        link = page.button(key="tradeoff_most_0")
        assert link.label.startswith(f"CWEx “{texts[first['query_id']]}” ")
        assert link.help.replace("\\", "").startswith(f"{first['baseline']} ")

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
    choices = {"tests": "maxT(baseline='S')", "systems": ["N", "CS"], "columns": ["CWEx"]}
    text = html_of(first_run(name, study="occupations", **choices))
    assert "fv-error" not in text
    assert "S, is not shown" in text or "the tests are of differences to S" in text


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


def test_pages_agree_where_nothing_is_chosen_and_what_is_chosen_on_one_is_in_view_on_the_others(
    session: AppTest,
) -> None:
    """Each page chooses a pair and a measure, which the next one has; that of the last is on all."""
    assert {in_view(session, page)[:2] for page in ("measures", "query", "sensitivity", "compare")} == {("s2", "s1")}
    chosen = {
        "compare": ("s1", "s4", "RaB"), "measures": ("s2", "s3", "NFaiRR"), "query": ("s4", "s1", "RaB"),
        "sensitivity": ("s1", "s3", "NFaiRR"), "read": ("s4", "s2", ""),
    }  # fmt: skip
    before = None
    for page, (system, baseline, measure) in chosen.items():
        if before is not None:  # Read has other measures: those of labels
            expected = (*before[:2], "CWEx") if page == "read" else before
            assert in_view(session, page) == expected, page
        session.selectbox(key="pair_system").select(system)
        session.selectbox(key="baseline").select(baseline)
        if page == "sensitivity":
            session.multiselect(key="robustness_measures").set_value([measure])
        elif measure:
            session.selectbox(key="measure").select(measure)
        before = (system, baseline, measure)
    assert in_view(session, "compare") == ("s4", "s2", "NFaiRR")
    assert in_view(session, "tradeoff") == ("s4", "s2", "")
    assert session.query_params["baseline"] in ("s2", ["s2"])


def test_a_pair_changes_places_none_on_query_stays_there_and_the_baseline_of_the_differences_is_that_of_other_pages(
    session: AppTest,
) -> None:
    session.query_params.update(system="s4", baseline="s1")
    assert in_view(session, "query")[:2] == ("s4", "s1")
    session.selectbox(key="pair_system").select("s1").run()
    assert session.selectbox(key="baseline").value == "s4"
    session.selectbox(key="baseline").set_value("").run()
    assert "lost" not in html_of(session)
    assert in_view(session, "compare")[:2] == ("s1", "s2"), "no other system on Query leaves that of other pages"
    assert in_view(session, "query")[1] == ""
    assert in_view(session, "tradeoff")[1] == ""
    session.selectbox(key="baseline").select("s3").run()
    assert in_view(session, "compare")[:2] == ("s1", "s3")


def test_a_measure_chosen_elsewhere_replaces_those_of_the_sensitivity_analysis_if_it_is_not_among_them(
    session: AppTest,
) -> None:
    session.query_params["robustness_measures"] = ["NFaiRR", "CWEx"]
    assert in_view(session, "sensitivity")[2] == "NFaiRR|CWEx"
    assert in_view(session, "compare")[2] == "NFaiRR"
    for measure, expected in (("CWEx", "NFaiRR|CWEx"), ("RaB", "RaB")):
        opened(session, "compare").selectbox(key="measure").select(measure).run()
        assert in_view(session, "sensitivity")[2] == expected


# The pages Two systems and Measures

SYSTEMS = "All systems against the baseline"
TABS = ("Queries", "Tails", SYSTEMS, "Slices")


def test_only_the_open_tab_is_computed_and_says_what_it_rests_on(seen: Seen) -> None:
    page = seen("compare.py", study="newswire")
    assert [tab.label for tab in page.tabs if tab.label in TABS] == list(TABS)
    assert "The two lists" in html_of(page)
    assert not [element for element in page.dataframe if "p_corrected" in element.value]
    choices = {"study": "newswire", "system": "w2v_add", "baseline": "tfidf", "tests": "holm(statistic='wilcoxon')",
               "columns": ["CWEx", "RaB"], "compare_margin": "0.1 RaB=0.5", "compare_slice": "category"}  # fmt: skip
    text = html_of(first_run("compare.py", **choices, compare_tab=SYSTEMS))
    assert "The two lists" not in text
    assert "<b>w2v_add</b>" in text
    assert "Tests: all 21 pairs, Wilcoxon signed ranks, Holm; intervals 95 % of one difference, uncorrected." in text
    assert "Equivalence (±0.1): not shown." in text
    page = first_run("compare.py", **choices, compare_tab="Slices")
    whole, shown = [element.value for element in page.dataframe if "slice" in element.value]  # exported, and the grid
    rows = whole[(whole["system"] == "w2v_add") & whole["measure"].str.startswith("CWEx")]
    assert shown["difference"].tolist() == rows["difference"].tolist()
    why = "a verdict needs 10 queries, and half of all, that two systems both answer"  # a slice has 5 or 6
    assert f"Tests: no pair was tested, as {why}. All slices of a measure are one family." in html_of(page)


def test_the_chosen_measures_are_those_of_the_table_and_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice that Overview shares."""
    files: list[Callable[[str], str] | None] = []
    real = charts.table

    def noted(*given, printed: Callable[[str], str] | None = None, **named) -> None:
        files.append(printed)
        real(*given, printed=printed, **named)

    monkeypatch.setattr(charts, "table", noted)
    page = first_run("compare.py", study="newswire", compare_tab=SYSTEMS, columns=["TExFAIR", "RaB"])
    (latex,) = [printed("latex") for printed in files if printed]
    assert latex.splitlines()[1] == "% measures: TExFAIR@10, RaB@10"
    assert "% needs: \\usepackage{booktabs}" in latex.splitlines()
    assert r"system & TExFAIR@10 $\uparrow$ & RaB@10 $\rightarrow 0$" in latex
    files.clear()
    page.multiselect(key="overview_columns").set_value(["TExFAIR", "RaB", "AWRF"]).run()
    assert page.session_state["columns"] == ["TExFAIR", "RaB", "AWRF"]
    (latex,) = [printed("latex") for printed in files if printed]
    assert "AWRF@10" in latex


def test_the_lists_of_a_query_by_hand() -> None:
    """`left` and `right` of football: the same four documents, turned round."""
    moved = {"compare_curves": ["TED"]}  # these cards were on Two systems
    page = first_run("compare.py", study="football", cutoff="4", measure="TExFAIR", compare_tab="Slices", **moved)
    text = html_of(page)
    assert "The address sets compare_tab to &#x27;Slices&#x27;, which is not offered here" in text
    assert "Slices" not in [one.label for one in page.tabs]
    lists = next(line for line in text.split("\n") if "The two lists" in line)
    study = fairviz.open_study("football")
    for system in ("left", "right"):
        run = study.runs[study.runs["system"] == system].sort_values("rank")
        places = [lists.find(f"<b>{name}</b>") for name in run["doc_id"].head(4)]
        assert min(places) > 0
    assert "<b>left</b> in TExFAIR: 1 query is too few for a verdict, which needs 10. No verdict." in text
    assert page.button(key="compare_moved").label == "Open the choices of this link on Measures"
    assert page.query_params["compare_curves"] in ("TED", ["TED"])


def test_a_pair_and_a_query_are_chosen_change_places_and_stand_in_the_address() -> None:
    page = first_run("compare.py", study="newswire", system="w2v_si", columns=["CWEx", "RaB"])
    assert "compare_moved" not in {button.key for button in page.button}
    assert (page.selectbox(key="pair_system").value, page.selectbox(key="baseline").value) == ("w2v_si", "bm25")
    page.button(key="compare_swap").click().run()
    assert (page.selectbox(key="pair_system").value, page.selectbox(key="baseline").value) == ("bm25", "w2v_si")
    page.selectbox(key="query").select("q07").run()
    assert page.query_params["query"] in ("q07", ["q07"])
    page.selectbox(key="measure").select("RaB").run()
    assert page.selectbox(key="query").value == "q07"
    assert "RaB@10: bm25 " in html_of(page)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"system": "w2v_add", "baseline": "bm25"}, ["<b>w2v_add</b> is ahead of <b>bm25</b> in CWEx (+0."]),
        ({"system": "bm25", "baseline": "w2v_add"}, ["<b>bm25</b> is behind <b>w2v_add</b> in CWEx (−0."]),
        ({"system": "random", "baseline": "bm25"},
         ["<b>random</b> is not tested against <b>bm25</b> in CWEx (", "random (reference): tick it under Tests",
          " The interval is of one difference, uncorrected."]),
        ({"system": "w2v_add", "baseline": "rrf", "tests": "maxT(baseline='bm25')"},
         ["<b>w2v_add</b> is not tested against <b>rrf</b> in CWEx (", "Only differences to bm25 are tested. The"]),
    ],
    ids=["ahead", "behind", "a reference", "another baseline is tested"],
)  # fmt: skip
def test_the_verdict_is_told_with_what_it_rests_on(query: dict[str, str], told: list[str], seen: Seen) -> None:
    text = html_of(seen("compare.py", study="newswire", measure="CWEx", columns="CWEx", **query))
    for sentence in told:
        assert sentence in text
    assert (", p " in text.partition(told[0])[2][:60]) == (len(told) == 1)


def test_a_margin_that_cannot_be_is_told_and_none_asks_for_no_equivalence() -> None:
    page = first_run("compare.py", study="football", compare_tab=SYSTEMS, columns="CWEx", compare_margin="GSR=0.1")
    assert "there is a margin for &#x27;GSR&#x27;, and it is not compared" in html_of(page)
    for typed, told in (("much", "the margin is &#x27;much&#x27;"), ("", "")):
        page.text_input(key="compare_margin").set_value(typed).run()
        assert told in html_of(page)
        assert ("fv-warning" in html_of(page)) == bool(told)
        assert "p_equivalent" not in {column for element in page.dataframe for column in element.value}


@pytest.mark.parametrize("page", ["compare.py", "measures.py", "tradeoff.py"])
def test_ranks_without_a_label_are_told_in_sight(page: str, football: Study, seen: Seen) -> None:
    labelled = football.labels["doc_id"].isin(football.documents["doc_id"][::2])
    half = with_fingerprint(replace(football, name="half", folder=None, labels=football.labels[labelled]))
    scores = fairviz.evaluate(half, "CWEx")
    share = scores["labelled"].sum() / scores["places"].sum()
    assert f"top 10: {share:.0%} labelled" in html_of(first_run(page, half, columns=["CWEx", "AWRF"]))
    assert " labelled</span>" not in html_of(seen(page, study="newswire")), "all are"


def test_curves_are_of_the_chosen_measures() -> None:
    """At first those of figure 2 of the TExFAIR paper: NFaiRR, and TExFAIR with and without the discount."""
    page = first_run("measures.py", study="football", columns=["CWEx", "AWRF"])
    assert page.multiselect(key="compare_curves").value == ["TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR"]
    shown = table_with(page, "cutoff")["measure"].unique().tolist()
    assert shown == ["TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR(tau=1)"]
    page.multiselect(key="compare_curves").set_value(["TED", "TED(rbdf=False)"]).run()
    assert set(table_with(page, "cutoff")["measure"]) == {"TED", "TED(rbdf=False)"}
