"""The page that is made from an analysis's record: controls, job, results, and what it refuses; and the mitigation
bench: what a study lacks, the run as a job, warnings and table."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.mitigations.views import COLUMNS
from fairviz.analyses.record import Analysis, Table
from fairviz.datasets import studies_folder
from fairviz.errors import FairvizError
from fairviz.evaluation.columns import cells
from fairviz.models import sentence_encoder
from fairviz.parameters import Parameter
from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study
from fairviz.ui.kit import charts, jobs
from fairviz.ui.state import registry
from tests.analyses.test_mitigations import one_sided
from tests.made import documents_of, labels_of, queries_of
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
    from tests.ui.test_analyses import SAMPLE

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


def opened(study: str = "newswire", page: Callable[[], None] = framed, **query: str) -> AppTest:
    return drawn_by(page, study=study, **query)


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


# --- The mitigation bench under AppTest: what a study lacks, the run as a job, warnings and table


CHOSEN = {"audit_bench_mitigations": "neutral(run='first',weight=1)", "audit_bench_share": "1"}


def bench_card():
    from fairviz.ui.mitigations import bench
    from fairviz.ui.shell import frame

    with frame.around():
        bench.cards(*frame.current())


@pytest.fixture
def study() -> str:
    save_study(one_sided(), studies_folder() / "one-sided")
    return "one-sided"


def test_the_run_is_a_job_whose_answer_is_python_s(study):
    page = opened(study, bench_card, **CHOSEN)
    assert "1 mitigation: neutral-run=first-weight=1." in html_of(page)
    page.button(key="audit_bench_run").click().run()
    (job,) = jobs._jobs().values()
    job.wait()
    page.run()
    text = html_of(page)
    found = fairviz.mitigation_bench(fairviz.open_study(study), CHOSEN["audit_bench_mitigations"], held_out=1)
    assert found.warnings
    assert found.warnings[0] in text
    grid = cells(found.table, COLUMNS)
    assert grid.columns.tolist()[:2] == ["mitigation", "against"]
    assert grid["nDCG@10"][0].endswith("✗")
    assert page.button(key="audit_bench_run").disabled
    (shown,) = jobs._jobs().values()
    shown.outcome = replace(found, leanings=("m: by its means better by <b>, and worse by N.",))
    assert "m: by its means better by &lt;b&gt;" in html_of(page.run())
    code = next(block.value for block in page.code if "found.table" in block.value)
    made: dict = {}
    exec(code, made)
    pd.testing.assert_frame_equal(made["table"], found.table)


@pytest.mark.lengthy
def test_what_nobody_asked_for_and_cannot_be_is_left_out(monkeypatch):
    """An encoder that is loaded at once tells all texts apart."""
    encoder = SimpleNamespace(encode=lambda batch, **_: np.eye(len(batch), 32))
    monkeypatch.setattr(sentence_encoder, "loaded", lambda *_: encoder)
    wines = make_study(
        "wines",
        queries=queries_of({"1": "red wine", "2": "white wine"}),
        documents=documents_of({"a": "a red wine", "b": "a white wine", "c": "she drinks"}),
        labels=labels_of({"a": "female", "b": "male", "c": "neutral"}),
    )
    save_study(wines, studies_folder() / "wines")
    page = opened("wines", bench_card)
    page.button(key="audit_bench_run").click().run()
    (job,) = jobs._jobs().values()
    job.wait()
    assert job.problem is None
    (left_out,) = [line for line in job.outcome.notes if "is left out" in line]
    assert left_out.startswith("bi_encoder-project=3-keep=0.5 is left out: ")
    assert len(job.outcome.mitigations) > 2


def test_what_is_no_mitigation_is_said(study):
    page = opened(study, bench_card, audit_bench_mitigations="bm25")
    assert "bm25 mitigates nothing: it is a ranker without a mitigation" in html_of(page)


def test_a_study_without_labels_and_text_says_what_to_add():
    save_study(make_study("bare", labels=one_sided().labels), studies_folder() / "bare")
    page = opened("bare", bench_card)
    assert (
        "no mitigation applies to bare: it has neither queries and documents with text, nor runs with labels"
        in html_of(page)
    )


def test_what_is_typed_is_text(study):
    page = opened(study, bench_card, audit_bench_mitigations="neutral(run='<img src=x onerror=alert(1)>')")
    assert "has no run" in html_of(page)
    assert "<img src=x" not in html_of(page)
