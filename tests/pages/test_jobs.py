"""Long work begun on Counterfactuals and Data: it survives leaving the page, shows its progress, and can be stopped."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.gender_swap import experiment as experiments
from fairviz.datasets import stored_names
from fairviz.errors import FairvizError
from fairviz.study.study import add_runs
from fairviz.ui.data import uploads
from fairviz.ui.kept import flow
from fairviz.ui.kit import jobs
from fairviz.ui.shell import fetching
from fairviz.words.vectors import added_names
from tests.pages.conftest import ROOT, first_run, html_of, settled, small_vectors

DATASET = "crows-pairs"


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    st.cache_resource.clear()
    monkeypatch.setattr(jobs, "SHORT", 0.0)


@dataclass
class Gate:
    """Work that has begun waits until it is opened."""

    begun: threading.Event
    opened: threading.Event

    def hold(self, function: Callable) -> Callable:
        """The function, which reports 3 of 10 at first, waits here and reports 4 of 10 before it works."""

        what = ("ranking lists",) if function is experiments.experiment else ()

        def held(*given: object, progress: Callable = lambda *_: None, **others: object) -> object:
            *given, progress = given if callable(given[-1]) else (*given, progress)
            progress(*what, 3000, 10000)
            self.begun.set()
            self.opened.wait()
            progress(*what, 4000, 10000)
            return function(*given)

        return held


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate(threading.Event(), threading.Event())
    yield made
    made.opened.set()


def experiment(patch: pytest.MonkeyPatch, gate: Gate, folder: Path) -> AppTest:
    patch.setattr(experiments, "experiment", gate.hold(experiments.experiment))
    patch.setattr(flow, "AT_ONCE", 0.0)
    asked = {"counterfactual_ranker": "bm25", "counterfactual_seeds": "1"}
    return first_run("gender_swap.py", study="football", **asked)


def run(patch: pytest.MonkeyPatch, gate: Gate, folder: Path) -> AppTest:
    patch.setattr(uploads, "rank", gate.hold(uploads.rank))
    return first_run("data.py", study="football", data_tab="Rank")


def data_set(patch: pytest.MonkeyPatch, gate: Gate, folder: Path) -> AppTest:
    fetch = fetching.fetch
    patch.setattr(fetching, "fetch", gate.hold(lambda name: fetch(name, folder / "publications")))
    return first_run("data.py", study="football", data_tab="Fetch a data set")


def vectors(patch: pytest.MonkeyPatch, gate: Gate, folder: Path) -> AppTest:
    patch.setattr(uploads, "load_embedding", gate.hold(uploads.load_embedding))
    page = first_run("data.py", study="football", data_tab="Add and save")
    return page.text_input(key="vectors_path").set_value(str(small_vectors(folder / "mine.vec"))).run()


CASES = {
    "experiment": (experiment, "counterfactual_run", "counterfactual", "Ranking lists: 3,000 of 10,000",
                   "bm25: CRBO is 1 by construction:", "The run was stopped; nothing of it is shown."),
    "run": (run, "rank_go", "rank", "Lists ranked: 3,000 of 10,000", "bm25-k1=1.2-b=0.75: ranked.",
            "Ranking was stopped; no run was added."),
    "data set": (data_set, f"fetch_{DATASET}", f"fetch_{DATASET}", "Kilobytes: 3 of 10", f"{DATASET} is fetched.",
                 "Fetching was stopped."),
    "vectors": (vectors, "vectors_add", "vectors", "Reading the vectors", "mine: 20 words of 2 numbers, from ",
                "Reading the vectors was stopped; they were not added."),
}  # fmt: skip


def go(page: AppTest, name: str) -> AppTest:
    """The session on this page."""
    page.args = (str(ROOT / "pages" / name),)
    page.run()
    return page


def page_of(page: AppTest) -> str:
    return Path(page.args[0]).name


def bar(page: AppTest) -> str:
    """The text of the progress bar."""
    return page.get("progress")[0].proto.text.replace("\\", "")


def text_of(page: AppTest) -> str:
    return html_of(page).replace("<b>", "").replace("</b>", "")


def written() -> tuple:
    """Files that the work may have written."""
    return fairviz.open_study("football").systems, stored_names(), added_names()


@pytest.mark.usefixtures("publications")
@pytest.mark.parametrize(  # by day a job of an analysis, and one that writes files
    "name", ["experiment", "data set", *(pytest.param(name, marks=pytest.mark.lengthy) for name in ("run", "vectors"))]
)
def test_a_job_is_stopped_begun_again_and_survives_leaving_its_page(
    name: str, gate: Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    prepared, button, widget, progress, result, stopped = CASES[name]
    page = prepared(monkeypatch, gate, tmp_path)
    home, before = page_of(page), written()
    page.button(key=button).click().run()
    gate.begun.wait()
    page.run()
    assert progress in bar(page)
    page.button(key=f"{widget}_stop").click().run()
    assert "stopping after what is under way" in bar(page)
    gate.opened.set()
    settled(page)
    assert stopped in html_of(page)
    assert result not in text_of(page)
    assert written() == before
    gate.opened.clear()
    gate.begun.clear()
    page.button(key=button).click().run()
    gate.begun.wait()
    go(page, "methods.py")
    assert [job.running for job in jobs._jobs().values()] == [True]
    go(page, home)
    assert progress in bar(page)
    assert result not in text_of(page)
    go(page, "methods.py")
    gate.opened.set()
    settled(page)
    go(page, home)
    assert result in text_of(page)
    assert "fv-error" not in html_of(page)
    assert not page.get("progress")
    assert (written() == before) == (name == "experiment")


@pytest.mark.usefixtures("publications")
def test_a_fetched_study_opens_in_the_session_that_requested_it_alone(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = data_set(monkeypatch, gate, tmp_path)
    other = first_run("data.py", study="newswire")
    page.button(key=f"fetch_{DATASET}").click().run()
    gate.begun.wait()
    other.run()
    assert "Kilobytes: 3 of 10" in bar(other)
    assert not [button for button in other.button if button.key == f"fetch_{DATASET}"]
    gate.opened.set()
    settled(other)
    assert other.session_state["current"].study.name == "newswire"
    assert other.button(key=f"open_{DATASET}")
    page.run()
    assert page.session_state["current"].study.name == DATASET


def test_runs_join_an_upload_in_its_session_alone_but_one_of_their_name_that_came_meanwhile_stays(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "rank", gate.hold(uploads.rank))
    study, name = replace(fairviz.open_study("football"), name="mine", folder=None), "bm25-k1=1.2-b=0.75"
    page, other = first_run("data.py", study), first_run("data.py", study)
    page.button(key="rank_go").click().run()
    gate.begun.wait()
    assert page.run().button(key="rank_go").disabled
    assert not other.run().button(key="rank_go").disabled
    other.button(key="rank_go").click().run()
    run = pd.DataFrame({"system": name, "query_id": "q", "doc_id": ["x"], "rank": 1, "score": 1.0})
    other.session_state["own_studies"] = {"mine": (changed := add_runs(study, run))}
    gate.opened.set()
    settled(page)
    assert f"{name}: ranked." in html_of(page)
    assert page.session_state["own_studies"]["mine"].systems == (*study.systems, name)
    settled(other)
    assert "fv-error" in html_of(other)
    assert other.session_state["own_studies"]["mine"] is changed


def test_work_that_fails_says_why_until_it_is_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise FairvizError("no <room>", "Make room.")

    monkeypatch.setattr(uploads, "rank", failing)
    page = first_run("data.py", study="football", data_tab="Rank")
    settled(page.button(key="rank_go").click().run())
    assert "no &lt;room&gt;" in html_of(page)
    assert not page.button(key="rank_go").disabled
