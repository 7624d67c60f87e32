"""The two systems and the measure that are chosen on one page are in view on every page that compares two systems."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.test_first_run import PATIENCE, ROOT, html_of

SHOWN = "page_shown"


def pages(folder: str) -> None:
    """One session, in which the page under SHOWN is drawn."""
    import runpy

    import streamlit as st

    from fairviz.ui.shell import frame

    with frame.around():
        runpy.run_path(f"{folder}/{st.session_state['page_shown']}.py")


@pytest.fixture
def session() -> AppTest:
    session = AppTest.from_function(pages, args=(str(ROOT / "pages"),), default_timeout=PATIENCE)
    for name, value in {"study": "newswire", "robustness_choices": "tau", "tradeoff_tab": "Differences"}.items():
        session.query_params[name] = value
    return session


def opened(session: AppTest, page: str) -> AppTest:
    session.session_state[SHOWN] = page
    session.run()
    assert not session.exception, page
    return session


def in_view(session: AppTest, page: str) -> tuple[str, str, str]:
    """System, baseline and measure of the page, by its widgets; those that it does not have are empty."""
    opened(session, page)
    boxes = {box.key: box.value for box in session.selectbox}
    measure = "|".join(session.multiselect(key="robustness_measures").value) if page == "sensitivity" else ""
    system = session.session_state["system"] if page == "tradeoff" else boxes["pair_system"]
    return system, boxes["baseline"], measure or boxes.get("measure", "")


BOTH = ("compare", "measures", "query", "sensitivity", "read")


@pytest.mark.parametrize("page", BOTH)
def test_what_is_chosen_on_a_page_is_in_view_on_the_others(session: AppTest, page: str) -> None:
    opened(session, page)
    session.selectbox(key="pair_system").select("w2v_add").run()
    session.selectbox(key="baseline").select("rrf").run()
    if page == "sensitivity":
        session.multiselect(key="robustness_measures").set_value(["RaB"]).run()
    elif page != "read":  # which has other measures: those of labels
        session.selectbox(key="measure").select("RaB").run()
    measure = "CWEx" if page == "read" else "RaB"
    for other in BOTH:
        assert in_view(session, other) == ("w2v_add", "rrf", "CWEx" if other == "read" else measure), other
    assert in_view(session, "tradeoff") == ("w2v_add", "rrf", "")
    assert session.query_params["baseline"] in ("rrf", ["rrf"])


def test_the_baseline_of_the_differences_is_that_of_two_systems(session: AppTest) -> None:
    opened(session, "tradeoff")
    session.selectbox(key="baseline").select("qlm").run()
    assert in_view(session, "compare")[:2] == ("bm25", "qlm")
    assert in_view(session, "query")[:2] == ("bm25", "qlm")


def test_pages_agree_on_the_pair_where_nothing_is_chosen(session: AppTest) -> None:
    assert {in_view(session, page)[:2] for page in ("compare", "measures", "query", "sensitivity")} == {
        ("tfidf", "bm25")
    }
    assert in_view(session, "tradeoff")[1] == ""


def test_the_two_change_places_where_the_baseline_is_taken_as_system(session: AppTest) -> None:
    opened(session, "query")
    session.selectbox(key="pair_system").select("w2v_add").run()
    session.selectbox(key="pair_system").select("bm25").run()
    assert in_view(session, "compare")[:2] == ("bm25", "w2v_add")


def test_no_other_system_on_query_leaves_the_baseline_of_other_pages_at_their_default(session: AppTest) -> None:
    opened(session, "query")
    session.selectbox(key="baseline").set_value("").run()
    assert "lost" not in html_of(session)
    assert in_view(session, "compare")[:2] == ("tfidf", "bm25")
    assert in_view(session, "query")[1] == ""


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
