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


def test_a_field_that_is_read_counts_and_no_other(tmp_path) -> None:
    calls = []

    @kept(Entries("fields"), reads=("alpha", "custom_bias"))
    def ask_settings(study: Study, settings: Settings) -> list[Any]:
        calls.append(settings)
        return [settings]

    @kept(Entries("computed"), reads=lambda study, settings: (study.protected, settings.tau > 0))
    def ask_computed(study: Study, settings: Settings) -> object:
        return object()

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
    of_tau = [ask_computed(STUDY, Settings(tau=tau)) for tau in (1, 2, 0)]
    assert of_tau[0] is of_tau[1]
    assert of_tau[0] is not of_tau[2]


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


def test_functions_share_entries_and_nothing_else_a_stamp_counts_and_an_error_is_not_stored() -> None:
    entries, calls = Entries("shared"), []

    @kept(entries, stamp=lambda: "".join(calls))
    def first(study: Study, name: str) -> object:
        return object()

    @kept(entries)
    def second(study: Study, name: str) -> object:
        calls.append(name)
        if len(calls) == 1:
            raise FairvizError("nothing is there", "Add it.")
        return name

    value = first(STUDY, "a")
    assert first(STUDY, "a") is value
    with pytest.raises(FairvizError, match="nothing is there"):
        second(STUDY, "a")
    assert first(STUDY, "a") is not value
    assert second(STUDY, "a") == second(STUDY, "a") == "a"
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


def test_threads_compute_a_value_once() -> None:
    calls = []

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


def test_equal_points_are_drawn_once_and_as_a_page_would() -> None:
    """The table is made anew each time, as after a move of alpha."""
    tables = [exposures(STUDY, Settings(alpha=alpha)) for alpha in (0.2, 0.7)]
    shown, again = (
        draw_cached(ternary.draw, ternary.info(table), STYLES, LIGHT, 300, theme=LIGHT, hidden=2, clicks=True)
        for table in tables
    )
    assert again is shown
    plain = ternary.draw(ternary.info(tables[0]), STYLES, LIGHT, 300)
    under_one_legend(plain, LIGHT, 2)
    plain.update_layout(clickmode="event+select")
    assert shown.to_plotly_json() == plain.to_plotly_json()


def test_whatever_differs_is_drawn_anew() -> None:
    drawn = ternary.info(exposures(STUDY, Settings()))
    point = drawn.points[0]
    moved = replace(point, shares=(point.shares[0] + 1e-9, *point.shares[1:]))
    other = replace(drawn, points=(moved, *drawn.points[1:]))
    weights = [np.linspace(1, 0.5, 100) for _ in range(2)]
    weights[1][50] = 0.9  # text of a long array leaves its middle out
    made = [
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, other, STYLES, LIGHT, 300, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, DARK, 300, theme=DARK, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 400, theme=LIGHT, hidden=0),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, hidden=1),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT),
        draw_cached(ternary.draw, drawn, STYLES, LIGHT, 300, theme=LIGHT, clicks=True),
        *(draw_cached(bias_curve.draw, bias_curve.BiasCurve("custom", tuple(map(float, one))), LIGHT, theme=LIGHT)
          for one in weights),
    ]  # fmt: skip
    assert len({id(figure) for figure in made}) == len(made)


def array(count: int) -> np.ndarray:
    return np.zeros(count, dtype=np.uint8)


def test_what_was_requested_longest_ago_goes_and_a_value_larger_than_all_room_is_kept_alone() -> None:
    memory = Memory(10_000)
    for key in "ab":
        memory.value(key, lambda: array(4_000))
    memory.get("a")
    memory.value("c", lambda: array(4_000))
    assert [memory.get(key) is not None for key in "abc"] == [True, False, True]
    large = memory.value("large", lambda: array(1_000_000))
    assert memory.get("large") is large
    assert memory.get("a") is None
    memory.value("next", lambda: array(10))
    assert memory.get("large") is None


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


def test_keys_are_computed_independently_and_nothing_can_be_a_value() -> None:
    memory, calls = Memory(10**6), []
    assert memory.value("outer", lambda: memory.value("inner", lambda: 1) + 1) == 2
    for _ in range(2):
        assert memory.value("key", lambda: calls.append(1)) is None
    assert calls == [1]


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


def test_a_study_has_the_size_of_its_tables_and_what_is_mapped_from_the_disk_none(newswire, tmp_path: Path) -> None:
    tables = (newswire.runs, newswire.documents, newswire.labels, newswire.queries, newswire.qrels)
    held = sum(int(table.memory_usage(deep=True).sum()) for table in tables)
    assert 0.3 * held < size_of(newswire) < 3 * held
    np.save(tmp_path / "a.npy", array(1_000_000))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert size_of(mapped) < 1_000
    assert size_of(np.asarray(mapped)[10:]) < 1_000
