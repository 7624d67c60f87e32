"""The app's studies hold decisions as soon as they are made, and read no file anew for them."""

import sqlite3
from contextlib import closing

import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.annotation.adjudications import decide, store_path, undo
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import reading
from fairviz.ui.kept import tables as cache
from fairviz.ui.state import library
from tests.pages.conftest import PATIENCE


@pytest.fixture
def football() -> Study:
    return fairviz.open_study("football")


def decided(study: Study) -> dict[str, str]:
    rows = study.labels[study.labels["annotator"] == "adjudicated"]
    return dict(zip(rows["doc_id"], rows["label"], strict=True))


def test_a_decision_is_there_at_once(football: Study) -> None:
    before = cache.study_named("football")
    assert decided(before) == {}
    assert cache.study_named("football") is before
    decide(football, "n1", "male")
    after = cache.study_named("football")
    assert decided(after) == {"n1": "male"}
    assert after.fingerprint != before.fingerprint
    assert after.documents is before.documents, "nothing but the labels was made anew"
    assert cache.study_named("football") is after
    undo(football, "n1")
    assert cache.study_named("football").fingerprint == before.fingerprint


def test_a_decision_is_there_at_once_while_another_program_reads(football: Study) -> None:
    """As long as somebody reads the database, what is new stands in its log alone."""
    decide(football, "n1", "male")
    assert decided(cache.study_named("football")) == {"n1": "male"}
    path = store_path(football)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM decisions").fetchone()
        before = path.stat()
        decide(football, "n1", "female")
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
        assert decided(cache.study_named("football")) == {"n1": "female"}
        undo(football, "n1")
        assert decided(cache.study_named("football")) == {"n1": "male"}


def test_another_reason_for_the_same_label_is_shown() -> None:
    """The reason stands beside the label on the Inspect page, whose list is kept for as long as the study is the
    same: with another reason it is another study."""
    newswire = fairviz.open_study("newswire")
    document = newswire.documents["doc_id"].iloc[0]
    shown, marks = [], []
    for reason in ("says he", "his wife is named", ""):
        decide(newswire, document, "male", reason)
        study = cache.study_named("newswire")
        listed = reading.catalogue(study, Settings()).study.labels
        shown += listed.loc[listed["annotator"] == "adjudicated", "rationale"].tolist()
        marks.append(study.fingerprint)
    assert shown == ["says he", "his wife is named", ""]
    assert len(set(marks)) == 3


def own_session() -> None:
    """A page of a session that uploaded something to the study football."""
    import streamlit as st

    import fairviz
    from fairviz.ui.kept import tables as cache
    from fairviz.ui.state import library

    st.write(str(library.is_own(cache.study_named("football"))))
    library.keep(fairviz.open_study("football"))
    own = cache.study_named("football")
    st.write(str(library.is_own(own)), ",".join(own.labels.loc[own.labels["annotator"] == "adjudicated", "doc_id"]))


def test_an_own_study_with_decisions_stays_its_owners(football: Study) -> None:
    decide(football, "n1", "male")
    page = AppTest.from_function(own_session, default_timeout=PATIENCE).run()
    assert [part.value for part in page.markdown] == ["False", "True n1"]


def test_the_log_of_the_database_is_no_file_of_the_study(football: Study) -> None:
    decide(football, "n1", "male")
    stamp = library.stamp("football")
    assert not [path for path, *_ in stamp if "adjudications" in path]
    store_path(football).with_name("adjudications.sqlite-wal").touch()
    assert library.stamp("football") == stamp
