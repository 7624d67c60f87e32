"""The values that a process keeps: bounded in bytes, computed once for all who ask at once, without errors."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import fairviz
from fairviz.ui.kept.entries import Memory, size_of

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


def test_a_study_has_the_size_of_its_tables() -> None:
    study = fairviz.open_study("newswire")
    tables = (study.runs, study.documents, study.labels, study.queries, study.qrels)
    held = sum(int(table.memory_usage(deep=True).sum()) for table in tables)
    assert 0.3 * held < size_of(study) < 3 * held


def test_what_is_mapped_from_the_disk_counts_as_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array(1_000_000))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert size_of(mapped) < 1_000
    assert size_of(np.asarray(mapped)[10:]) < 1_000
