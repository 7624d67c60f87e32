"""What is kept between reruns is made anew when what it rests on changes: studies, decisions, vectors, what was
noticed, and the choices of an analysis."""

import html
import os
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.annotation.adjudications import decide, store_path, undo
from fairviz.datasets import additions_folder, data_home, studies_folder
from fairviz.evaluation.settings import Settings
from fairviz.study.loaders import folder as folder_module
from fairviz.study.loaders.finding import find_files
from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study
from fairviz.ui.kept import gsr as stereotypes_cache
from fairviz.ui.kept import reading
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import vectors_stamp
from fairviz.ui.kept.flow import Run
from fairviz.ui.state import library
from fairviz.words.genderedness import PAIRS
from fairviz.words.vectors import Embedding
from tests.pages.conftest import drawn_by
from tests.vectors import write_word2vec

WORDS = [*dict.fromkeys(word for pair in PAIRS for word in pair), "nurse", "captain", "poet", "judge"]


@pytest.fixture
def study() -> Path:
    """A stored study of two queries with one system, which GSR can be asked of."""
    texts = {"f": "nurse poet", "m": "captain judge"}
    runs = [("one", query, doc, rank, 9.0 - rank) for query in "ab" for rank, doc in enumerate(texts, start=1)]
    runs[2:] = [("one", "b", "m", 1, 9.0), ("one", "b", "f", 2, 8.0)]
    made = make_study(
        "mine",
        queries=pd.DataFrame({"query_id": ["a", "b"], "text": ["nurse", "captain"]}),
        documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}),
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame({"doc_id": ["f", "m"], "annotator": ["a", "a"], "label": ["female", "male"]}),
    )
    return save_study(made, studies_folder() / "mine")


def vectors(path: Path, seed: int) -> str:
    numbers = np.random.default_rng(seed).normal(size=(len(WORDS), 8)).astype(np.float32)
    return str(write_word2vec(Embedding("x", {word: row for row, word in enumerate(WORDS)}, numbers), path))


def shown_of_gsr(settings: Settings) -> list[str]:
    """What the pages and Download show of GSR, as text."""
    study = cache.study_named("mine")
    found = [cache.summary(study, ("GSR@2",), settings), cache.scores(study, ("GSR@2",), settings)]
    found += [stereotypes_cache.points(study, settings), stereotypes_cache.lines(study, settings)]
    return [table.to_csv() for table in found]


@pytest.mark.usefixtures("study")
def test_gsr_follows_the_file_of_vectors_and_what_needs_none_stays(tmp_path: Path) -> None:
    """Also where the new file has the size and the time of writing of the old one."""
    settings = Settings(study="mine", embedding=vectors(tmp_path / "v.bin", 1))
    about = (tmp_path / "v.bin").stat()
    before, held = shown_of_gsr(settings), cache.study_named("mine")
    without = cache.summary(held, ("CWEx@2",), settings)
    assert shown_of_gsr(settings) == before
    vectors(tmp_path / "v.bin", 2)
    os.utime(tmp_path / "v.bin", ns=(about.st_atime_ns, about.st_mtime_ns))
    assert (tmp_path / "v.bin").stat().st_size == about.st_size
    assert [old != new for old, new in zip(before, shown_of_gsr(settings), strict=True)] == [True] * 4
    assert cache.summary(held, ("CWEx@2",), settings) is without


def test_vectors_that_are_not_there_have_no_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    assert vectors_stamp(Settings()) == ()
    assert vectors_stamp(Settings(embedding="/nowhere")) == ()
    monkeypatch.setenv("FAIRVIZ_HOME", "~nobody-of-that-name/x")
    assert vectors_stamp(Settings(embedding="google-news-subset")) == ()


def test_a_study_that_changed_while_it_was_opened_is_opened_again(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stamp is that of before: whatever came after it is another one."""
    reading = find_files
    content = "doc_id,annotator,label\nf,a,male\nm,a,male\n"

    def found_late(folder: Path):
        files = reading(folder)
        if folder == study and (study / "labels.csv").read_text() != content:
            (study / "labels.csv").write_text(content)
        return files

    settings = Settings(study="mine")
    stamp = library.stamp("mine")
    with monkeypatch.context() as patch:
        patch.setattr(folder_module, "find_files", found_late)
        patch.setattr(library, "stamp", lambda name: stamp)
        opened = cache.study_named("mine")
        kept = cache.exposure_shares(opened, settings)
    assert opened.labels["label"].tolist() == ["male", "male"]
    assert library.stamp("mine") != stamp
    again = cache.study_named("mine")
    assert again.fingerprint == opened.fingerprint
    assert cache.exposure_shares(again, settings) is kept
    (study / "labels.csv").write_text(content.replace("f,a,male", "f,a,female"))
    changed = cache.study_named("mine")
    assert cache.exposure_shares(changed, settings)["female"].tolist() != kept["female"].tolist()


def test_a_file_that_took_anothers_place_and_time(study: Path) -> None:
    """The same size and the same time of writing, as some copying programs leave them."""
    path = next((study / "runs").iterdir())
    about = path.stat()
    before = cache.study_named("mine")
    path.write_text(path.read_text().replace("one", "two"))
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert cache.study_named("mine").fingerprint != before.fingerprint


def test_what_was_noticed_is_told_as_it_is_now(study: Path) -> None:
    def noticed() -> list[str]:
        report = cache.report(cache.study_named("mine"))
        return report.loc[report["part"] == "study", "detail"].tolist()

    told = "query.tsv was not read: neither its name nor its content is that of a part of a study."
    decide(cache.study_named("mine"), "f", "male")
    assert noticed() == []
    (study / "query.tsv").write_text("x")
    assert noticed() == [told]
    (study / "query.tsv").unlink()
    assert noticed() == []


def test_the_stamp_is_of_parts_and_of_what_is_told(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)  # no file settles between two looks at it
    own, added = study, additions_folder("mine")
    (added / "runs").mkdir(parents=True)
    stamp = library.stamp("mine")
    files = (
        *(folder / f"adjudications.sqlite{end}" for folder in (own, added) for end in ("", "-wal")),
        own / ".mine-new-x" / "labels.csv",
        added / "runs" / ".half",
    )
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    assert library.stamp("mine") == stamp
    (own / "docs").mkdir()
    (own / "docs" / "b.tsv").write_text("x")
    told = library.stamp("mine")
    assert told != stamp
    (own / "docs" / "b.tsv").write_text("longer")
    assert library.stamp("mine") == told
    (added / "runs" / "whole.run").write_text("x")
    assert library.stamp("mine") != told


@pytest.mark.parametrize("home", ["a file", "~nobody-of-that-name/x", "vectors/added", "studies"])
def test_built_in_studies_are_shown_without_a_data_folder(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> None:
        """The frame around every page."""
        import streamlit as st

        from fairviz.ui.kept import tables as cache
        from fairviz.ui.shell import frame

        frame.begin()
        st.write(",".join(cache.study_named("football").systems))

    if home == "a file":
        data_home().write_text("x")
        said = f"the data folder {data_home()} cannot be read (Not a directory)"
    elif home in ("studies", "vectors/added"):
        (data_home() / home).parent.mkdir(parents=True)
        (data_home() / home).write_text("x")
        said = f"{data_home() / home} cannot be read (Not a directory)"
    else:
        monkeypatch.setenv("FAIRVIZ_HOME", home)
        said = f"FAIRVIZ_HOME '{home}' starts in a home folder that there is not"
    page = drawn_by(shown)
    assert page.markdown[-1].value == "left,right"
    assert any(html.escape(said) in part.value for part in page.get("html"))


def test_a_decision_is_there_at_once_also_while_another_program_reads(football: Study) -> None:
    """As long as somebody reads the database, what is new stands in its log alone."""

    def decided() -> dict[str, str]:
        rows = cache.study_named("football").labels.query("annotator == 'adjudicated'")
        return dict(zip(rows["doc_id"], rows["label"], strict=True))

    before = cache.study_named("football")
    assert decided() == {}
    assert cache.study_named("football") is before
    decide(football, "n1", "male")
    after = cache.study_named("football")
    assert decided() == {"n1": "male"}
    assert after.fingerprint != before.fingerprint
    assert after.documents is before.documents, "nothing but the labels was made anew"
    assert cache.study_named("football") is after
    path = store_path(football)
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM decisions").fetchone()
        about = path.stat()
        decide(football, "n1", "female")
        assert (path.stat().st_size, path.stat().st_mtime_ns) == (about.st_size, about.st_mtime_ns)
        assert decided() == {"n1": "female"}
        undo(football, "n1")
        assert decided() == {"n1": "male"}
    undo(football, "n1")
    assert cache.study_named("football").fingerprint == before.fingerprint


def test_another_reason_for_the_same_label_is_shown() -> None:
    """The reason stands beside the label on the page Read, whose list is kept for as long as the study is the
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


def test_an_own_study_with_decisions_stays_its_owners(football: Study) -> None:
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

    decide(football, "n1", "male")
    page = drawn_by(own_session)
    assert [part.value for part in page.markdown] == ["False", "True n1"]


def test_the_key_of_an_analysis_contains_study_values_and_the_settings_that_are_read_alone() -> None:
    analysis, settings = ANALYSES["gender-swap"], Settings()
    run = Run(analysis, fairviz.open_study("football"), settings, analysis.read_values({}))
    others = (
        replace(run, study=fairviz.open_study("newswire")),
        replace(run, settings=settings.changed(embedding="googlenews")),
        *(replace(run, values=run.values | changed) for changed in ({"seeds": 1}, {"words": (("she", "he"),)})),
        replace(run, analysis=replace(analysis, name="other")),
    )
    assert len({run.key, *(other.key for other in others)}) == 1 + len(others)
    assert replace(run, settings=settings.changed(cutoff=3)).key == run.key
