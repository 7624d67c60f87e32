"""The decorator of kept functions: what counts in a key, and where values are stored."""

from collections.abc import Iterator
from dataclasses import fields, replace
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.entries import MEMORY, Entries, Shelf, kept
from fairviz.ui.state import library
from tests.fresh import choices, session, study_of, vectors

STUDY = study_of(1)
OTHER = replace(STUDY, fingerprint="another")


@pytest.fixture(autouse=True)
def _session() -> Iterator[None]:
    st.cache_resource.clear()
    MEMORY.clear()
    with session():
        yield


@pytest.fixture
def calls() -> list[Any]:
    return []


def test_a_field_that_is_read_counts_and_no_other(calls: list[Any], tmp_path) -> None:
    @kept(Entries("fields"), reads=("alpha", "custom_bias"))
    def ask_settings(study: Study, settings: Settings) -> list[Any]:
        calls.append(settings)
        return [settings]

    first = ask_settings(STUDY, Settings())
    assert first == [Settings()]
    values = choices(vectors(tmp_path))
    assert set(values) == {field.name for field in fields(Settings)}
    moved = {
        name for name, (value, *_) in values.items() if ask_settings(STUDY, Settings(**{name: value})) is not first
    }
    assert moved == {"alpha", "custom_bias"}
    assert len(calls) == 3
    assert ask_settings(OTHER, Settings()) is not first
    assert ask_settings(replace(STUDY), Settings()) is first


def test_what_is_read_may_be_computed(calls: list[Any]) -> None:
    @kept(Entries("computed"), reads=lambda study, settings: (study.protected, settings.tau > 0))
    def ask_settings(study: Study, settings: Settings) -> object:
        return object()

    first = ask_settings(STUDY, Settings(tau=1))
    assert ask_settings(STUDY, Settings(tau=2)) is first
    assert ask_settings(STUDY, Settings(tau=0)) is not first


def test_a_file_of_vectors_counts_where_they_are_read(tmp_path) -> None:
    entries = Entries("files")

    @kept(entries, reads=("embedding",))
    def of_vectors(settings: Settings) -> object:
        return object()

    @kept(entries, reads=("tau",))
    def of_words(settings: Settings) -> object:
        return object()

    path = tmp_path / "v.txt"
    path.write_text("1 1\na 1\n")
    settings = Settings(embedding=str(path))
    before = of_vectors(settings), of_words(settings)
    assert (of_vectors(settings), of_words(settings)) == before
    path.write_text("1 1\nlonger 1\n")
    assert of_vectors(settings) is not before[0]
    assert of_words(settings) is before[1]


def test_arguments_count_by_value_however_they_are_given() -> None:
    @kept(Entries("arguments"), by={"left": lambda _: "", "plan": lambda plan: plan.name})
    def ask_arguments(study: Study, names: Any, question: Any = None, left: Any = 0, plan: Any = STUDY) -> object:
        return object()

    first = ask_arguments(STUDY, ("a", "b"))
    assert ask_arguments(study=STUDY, names=["a", "b"], question=None) is first
    assert ask_arguments(STUDY, ("a", "b"), left=lambda: 1) is first
    assert ask_arguments(STUDY, ("a", "b"), plan=SimpleNamespace(name=STUDY.name)) is first
    assert ask_arguments(STUDY, ("b", "a")) is not first
    assert ask_arguments(STUDY, (("a",), "b")) is not first
    assert ask_arguments(STUDY, ("a", "b"), plan=SimpleNamespace(name="x")) is not first
    questions = [ask(text, Settings()) for text in ("CWEx", "CWEx", "NFaiRR")]
    same, again, other = (ask_arguments(STUDY, (), question) for question in questions)
    assert same is again
    assert same is not other


def test_functions_share_entries_and_nothing_else() -> None:
    entries = Entries("shared")

    @kept(entries)
    def first(study: Study, name: str) -> object:
        return object()

    @kept(entries)
    def second(study: Study, name: str) -> object:
        return object()

    value, other = first(STUDY, "a"), second(STUDY, "a")
    assert value is not other
    assert first(STUDY, "a") is value
    assert second(STUDY, "a") is other


def test_what_else_counts_may_change(calls: list[Any]) -> None:
    @kept(Entries("stamps"), stamp=lambda: len(calls))
    def ask_name(name: str) -> object:
        return object()

    first = ask_name("a")
    assert ask_name("a") is first
    calls.append(0)
    assert ask_name("a") is not first


def test_an_error_is_not_stored(calls: list[Any]) -> None:
    @kept(Entries("errors"))
    def ask_name(name: str) -> str:
        calls.append(name)
        if len(calls) == 1:
            raise FairvizError("nothing is there", "Add it.")
        return name

    with pytest.raises(FairvizError, match="nothing is there"):
        ask_name("a")
    assert ask_name("a") == "a"
    assert ask_name("a") == "a"
    assert calls == ["a", "a"]


def test_a_value_of_an_upload_is_stored_in_its_session() -> None:
    entries = Entries("uploads", session=100)

    @kept(entries)
    def of_study(study: Study) -> object:
        return object()

    @kept(entries, by={"audit": lambda _: ""}, owner=lambda audit: audit.study)
    def of_audit(audit: Any, key: str) -> object:
        return object()

    audit = SimpleNamespace(study=STUDY)
    shared = of_study(STUDY), of_audit(audit, "key")
    with session("uploader"):
        assert (of_study(STUDY), of_audit(audit, "key")) == shared
        library.keep(STUDY)
        own = of_study(STUDY), of_audit(audit, "key")
        ranked = of_study(replace(STUDY, fingerprint="ranked anew"))
        assert not set(own) & set(shared)
        assert (of_study(STUDY), of_audit(audit, key="key")) == own
    with session("somebody else"):
        assert (of_study(STUDY), of_audit(audit, "key")) == shared
        assert of_study(replace(STUDY, fingerprint="ranked anew")) is not ranked


def test_threads_compute_a_value_once(calls: list[Any]) -> None:
    @kept(Entries("threads"))
    def ask_name(name: str) -> object:
        calls.append(name)
        return object()

    together, values = Barrier(8), []

    def request() -> None:
        with session():
            together.wait()
            values.append(ask_name("a"))

    threads = [Thread(target=request) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, values))) == 1
    assert calls == ["a"]


def test_a_shelf_drops_what_was_requested_longest_ago() -> None:
    shelf: Shelf[str] = Shelf(2)
    shelf.put(("a",), "A")
    shelf.put(("b",), "B")
    assert shelf.value_of(("a",)) == "A"
    shelf.put(("c",), "C")
    assert [shelf.value_of((name,)) for name in "abc"] == ["A", None, "C"]


def test_a_represented_argument_must_be_a_parameter() -> None:
    with pytest.raises(TypeError, match=r"doubled has no parameter other$"):

        @kept(Entries("misnamed"), by={"other": str})
        def doubled(number: int) -> int:
            return 2 * number


def test_what_is_kept_by_number_does_not_depend_on_bytes() -> None:
    """Those who added to it would otherwise find an empty one, and two large studies drive each other out."""

    @kept(Entries("growing", number=1))
    def shelf(study: Study, name: str) -> list[str]:
        return []

    shelf(STUDY, "a").append("outcome")
    MEMORY.clear()
    assert shelf(STUDY, "a") == ["outcome"]
    shelf(STUDY, "b")
    assert shelf(STUDY, "a") == []
