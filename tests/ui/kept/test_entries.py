"""Kept values: what counts in a key, where they are stored, how many bytes they may take; figures are drawn once."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import exposures
from fairviz.evaluation.settings import Settings
from fairviz.figures import bias_curve, ternary
from fairviz.figures.style import DARK, LIGHT, system_styles, under_one_legend
from fairviz.measures.position_bias import position_bias
from fairviz.study.record import Study
from fairviz.ui.kept.entries import MEMORY, Entries, Memory, Shelf, draw_cached, kept, size_of
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


STYLES = system_styles(STUDY.systems)


def shares(**choices: object) -> ternary.Exposures:
    return ternary.info(exposures(STUDY, Settings(**choices)))


def test_equal_points_are_drawn_once() -> None:
    """The table is made anew each time, as after a move of alpha."""
    first = draw_cached(ternary.draw, shares(alpha=0.2), STYLES, LIGHT, 300, theme=LIGHT, hidden=0, clicks=True)
    again = draw_cached(ternary.draw, shares(alpha=0.7), STYLES, LIGHT, 300, theme=LIGHT, hidden=0, clicks=True)
    assert again is first


def test_it_is_what_a_page_would_draw() -> None:
    drawn = shares()
    kept = draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=2, clicks=True)
    plain = ternary.draw(drawn, STYLES, LIGHT, 300)
    under_one_legend(plain, LIGHT, 2)
    plain.update_layout(clickmode="event+select")
    assert kept.to_plotly_json() == plain.to_plotly_json()
    curve = bias_curve.info(position_bias("log2", 10), 10)
    assert draw_cached(bias_curve.draw, curve, LIGHT, theme=LIGHT) == bias_curve.draw(curve, LIGHT)


def test_whatever_differs_is_drawn_anew() -> None:
    drawn = shares()
    point = drawn.points[0]
    moved = replace(point, shares=(point.shares[0] + 1e-9, *point.shares[1:]))
    other = replace(drawn, points=(moved, *drawn.points[1:]))
    made = [
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, other, STYLES, LIGHT, 300, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, DARK, 300, theme=DARK, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 400, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=1),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, clicks=True),
    ]
    assert len({id(figure) for figure in made}) == len(made)


def test_long_contents_are_told_apart() -> None:
    """Text of a long array leaves its middle out."""
    weights = [np.linspace(1, 0.5, 100) for _ in range(2)]
    weights[1][50] = 0.9
    curves = [bias_curve.BiasCurve("custom", tuple(map(float, one))) for one in weights]
    first, second = (draw_cached(bias_curve.draw, curve, LIGHT, theme=LIGHT) for curve in curves)
    assert first is not second


THREADS = 8


def array(count: int) -> np.ndarray:
    return np.zeros(count, dtype=np.uint8)


def test_what_was_requested_longest_ago_goes() -> None:
    memory = Memory(10_000)
    for key in "ab":
        memory.value(key, lambda: array(4_000))
    memory.get("a")
    memory.value("c", lambda: array(4_000))
    assert [memory.get(key) is not None for key in "abc"] == [True, False, True]


def test_a_value_larger_than_all_room_is_kept_alone() -> None:
    memory = Memory(10_000)
    memory.value("small", lambda: array(10))
    large = memory.value("large", lambda: array(1_000_000))
    assert memory.get("large") is large
    assert memory.get("small") is None
    memory.value("next", lambda: array(10))
    assert memory.get("large") is None


def test_many_who_ask_at_once_have_one_computation() -> None:
    memory, calls, everybody = Memory(10**6), [], threading.Barrier(THREADS)

    def compute() -> object:
        calls.append(1)
        return object()

    def ask() -> object:
        everybody.wait()
        return memory.value("key", compute)

    with ThreadPoolExecutor(THREADS) as pool:
        answers = [one.result() for one in [pool.submit(ask) for _ in range(THREADS)]]
    assert len(set(map(id, answers))) == 1
    assert len(calls) == 1


def test_those_who_wait_for_an_error_compute_themselves() -> None:
    memory, begun, go_on, calls = Memory(10**6), threading.Event(), threading.Event(), []

    def fail() -> object:
        begun.set()
        go_on.wait()
        raise ValueError("mine alone")

    def compute() -> str:
        calls.append(1)
        return "value"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(memory.value, "key", fail)
        begun.wait()
        second = pool.submit(memory.value, "key", compute)
        go_on.set()
        with pytest.raises(ValueError, match="mine alone"):
            first.result()
        assert second.result() == "value"
    assert calls == [1]


def test_nothing_can_be_a_value() -> None:
    memory, calls = Memory(10**6), []
    for _ in range(2):
        assert memory.value("key", lambda: calls.append(1)) is None
    assert calls == [1]


def test_keys_are_computed_independently() -> None:
    memory = Memory(10**6)
    assert memory.value("outer", lambda: memory.value("inner", lambda: 1) + 1) == 2


@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        (array(100_000), 100_000, 101_000),
        ([array(50_000), {"x": array(50_000)}], 100_000, 101_000),
        (pd.DataFrame({"x": np.zeros(10_000), "name": ["text"] * 10_000}), 80_000, 300_000),
        (go.Figure(go.Scatter(x=np.arange(1_000))), 4_000, 60_000),
        (threading.Lock(), 1_000_000, 1_000_000),
        (b"x" * 5_000, 5_000, 5_100),
    ],
)
def test_sizes(value: object, least: int, most: int) -> None:
    assert least <= size_of(value) <= most


def test_a_study_has_the_size_of_its_tables(newswire: Study) -> None:
    study = newswire
    tables = (study.runs, study.documents, study.labels, study.queries, study.qrels)
    held = sum(int(table.memory_usage(deep=True).sum()) for table in tables)
    assert 0.3 * held < size_of(study) < 3 * held


def test_what_is_mapped_from_the_disk_counts_as_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array(1_000_000))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert size_of(mapped) < 1_000
    assert size_of(np.asarray(mapped)[10:]) < 1_000
