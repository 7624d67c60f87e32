"""The page that is made from an analysis's record: controls, job, results, and what it refuses."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.record import Analysis, Table
from fairviz.datasets import studies_folder
from fairviz.errors import FairvizError
from fairviz.parameters import Parameter
from fairviz.study.record import Study
from fairviz.study.study import save_study
from fairviz.ui.kit import charts, jobs
from fairviz.ui.state import registry
from tests.pages.conftest import drawn_by, html_of, settled

GO, STOP = "analysis_tried_go", "analysis_tried_stop"
GATE = threading.Event()  # closed, the work waits


def count(study, settings, progress, *, top, name, reverse, broken, rankers):
    progress("counting queries", 3, 10)
    GATE.wait()
    progress("counting queries", 4, 10)
    if broken == "yes":
        raise FairvizError("it is broken", "Set broken to no.")
    return study.queries.sort_values("query_id", ascending=not reverse).head(top).assign(name=name)


def no_table(queries):
    raise FairvizError("there is no such table", "Use another study.")


SAMPLE = Analysis(
    name="tried",
    title="Tried",
    question="Does the page work?",
    summary="a trial",
    compute=count,
    parameters=(
        Parameter("top", 2, "how many", low=1, high=5, whole=True),
        Parameter("name", "a", "a text"),
        Parameter("reverse", False, "from the end"),
        Parameter("broken", "no", choices=("no", "yes")),
        Parameter("rankers", "bm25", names="rankers"),
    ),
    needs={"queries": "to count", "labels": ""},
    tables={"queries": Table(lambda queries: queries, "the queries"), "none": Table(no_table, "nothing")},
    sentences=lambda queries: [f"{len(queries)} queries, the first is {queries['query_id'].iloc[0]}."],
    notes=lambda queries: ["This is a note."],
)


def framed() -> None:
    from fairviz.ui.analyses import page
    from fairviz.ui.shell import frame
    from tests.ui.analyses.test_page import SAMPLE

    with frame.around():
        page.draw(SAMPLE)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    st.cache_resource.clear()
    monkeypatch.setattr(jobs, "SHORT", 0.0)
    for parameter in SAMPLE.parameters:
        choice = registry._choice_of(SAMPLE, parameter)
        monkeypatch.setitem(registry.CHOICES.computed, choice.key, choice)
    GATE.set()
    yield
    GATE.set()
    jobs.end_all()


def opened(study: str = "newswire", **query: str) -> AppTest:
    return drawn_by(framed, study=study, **query)


def started(page: AppTest) -> AppTest:
    return page.button(key=GO).click().run()


def test_a_run_shows_sentence_table_note_and_recipe(newswire: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    page = settled(started(opened(tried_top="3", tried_reverse="on")))
    queries = newswire.queries["query_id"]
    assert f"3 queries, the first is {max(queries)}." in html_of(page)
    assert "This is a note." in html_of(page)
    assert "there is no such table" in html_of(page)
    assert [len(each.value) for each in page.dataframe if "name" in each.value] == [3, 3]
    code = next(each.value for each in page.code if "analyse(" in each.value)
    assert "'tried', settings, top=3, reverse=True)" in code
    assert "table = found.table('queries')" in code
    monkeypatch.setattr(charts, "AT_ONCE", 2)
    page.run()
    assert "First 2 of 3 rows; Export has all." in html_of(page).replace("<i>", "").replace("</i>", "")
    assert [len(each.value) for each in page.dataframe if "name" in each.value] == [2]  # the other is sent when opened


def test_values_that_were_run_are_shown_again_and_others_are_not() -> None:
    page = opened(tried_top="7")
    assert page.number_input(key="tried_top").value == 2
    assert "The address sets tried_top to" in html_of(page.run())
    page = settled(started(page))
    page.number_input(key="tried_top").set_value(5).run()
    assert "queries, the first is" not in html_of(page)
    assert page.button(key=GO)
    page.number_input(key="tried_top").set_value(2).run()
    assert "2 queries, the first is" in html_of(page)


def test_the_progress_is_shown_and_the_run_can_be_stopped() -> None:
    GATE.clear()
    page = started(opened())
    text = page.get("progress")[0].proto.text.replace("\\", "")
    assert text == "Counting queries: 3 of 10; the app can be used meanwhile"
    page.button(key=STOP).click().run()
    GATE.set()
    page = settled(page)
    assert "The run was stopped." in html_of(page)
    assert "2 queries" in html_of(settled(started(page)))


def test_a_problem_is_shown_with_its_remedy() -> None:
    page = settled(started(opened(tried_broken="yes")))
    assert "it is broken" in html_of(page)
    assert "Set broken to no." in html_of(page)
    assert page.button(key=GO).label == "Try again"


def test_a_missing_input_is_named_with_the_remedy() -> None:
    football = fairviz.open_study("football")
    save_study(replace(football, name="bare", labels=football.labels.head(0)), studies_folder() / "bare")
    page = opened(study="bare")
    assert "bare has no gender labels." in html_of(page)
    assert "or run `fairviz annotate`." in html_of(page)
    assert not [button for button in page.button if button.key == GO]
