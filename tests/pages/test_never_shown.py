"""The page Never shown: findings, figures and tables, and the way of a ticked document to the page Read."""

from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from fairviz.analyses.running import analyse
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kit import jobs
from fairviz.ui.state import going
from tests.pages.conftest import PATIENCE, drawn_by, html_of, kept


def framed() -> None:
    from fairviz.analyses import ANALYSES
    from fairviz.ui.analyses import page
    from fairviz.ui.shell import frame

    with frame.around():
        page.draw(ANALYSES["never-shown"])


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    st.cache_resource.clear()
    yield
    jobs.end_all()


def opened(**query: str) -> AppTest:
    return drawn_by(framed, **query)


def test_the_page_shows_findings_figures_and_documents(newswire: Study) -> None:
    page = opened(**{"study": "newswire", "cutoff": "5", "never-shown_documents": "candidates"})
    answer = analyse(newswire, "never-shown", Settings(cutoff=5), documents="candidates")
    assert answer.sentences[0] in html_of(page)
    grids = [frame.value for frame in page.dataframe if "best_rank" in frame.value]
    assert grids[-1]["doc_id"].tolist() == answer.table("documents")["doc_id"].tolist()
    charts = " ".join(str(chart.proto) for chart in page.get("plotly_chart"))
    assert "Never shown within 5" in charts
    assert "Lorenz curves of exposure within the cutoff" in charts
    assert "Tick a row to read the document." in html_of(page)


def test_a_study_without_judgements_names_the_other_pools() -> None:
    from tests.comparison.test_never_shown import lists

    kept(lists(12, 3, judged=False), "unjudged")
    page = opened(study="unjudged")
    assert "unjudged has no relevance judgements" in html_of(page)
    assert "use the documents `candidates` or `all`" in html_of(page)


def test_a_ticked_document_opens_on_the_page_read() -> None:
    def ticked() -> None:
        import streamlit as st

        from fairviz.ui.kit.views import _open_document

        st.session_state["grid"] = {"selection": {"rows": st.session_state["ticked"]}}
        _open_document("grid", ("d1", "<b>d2"))

    page = AppTest.from_function(ticked, default_timeout=PATIENCE)
    page.session_state["ticked"] = []
    page.run()
    assert going.TO not in page.session_state
    page.session_state["ticked"] = [1]
    page.run()
    assert (page.session_state["document"], page.session_state[going.TO]) == ("<b>d2", going.INSPECT)
