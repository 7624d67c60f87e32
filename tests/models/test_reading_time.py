"""The estimates of reading: which texts are read, how long that takes here, and that nothing is written for it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from fairviz.models import reading_time
from fairviz.models.sentence_encoder import encoded, encodings_folder, unread


def test_only_texts_that_no_encoding_was_kept_of_are_unread(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert unread(["one", "two", "one"], tmp_path, "bi") == ["one", "two"]
    assert not encodings_folder().exists()
    encoded(["one"], tmp_path, "bi", lambda: lambda batch: np.zeros((len(batch), 2)), lambda *_: None)
    assert unread(["one", "two"], tmp_path, "bi") == ["two"]
    assert unread(["one", "two"], tmp_path, "cross") == ["one", "two"]
    assert unread(["one"], tmp_path, "bi", "adapter") == ["one"]


def test_time_grows_with_the_text_up_to_the_longest_that_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_time, "_load", lambda: 0.0)
    monkeypatch.setattr(reading_time.os, "cpu_count", lambda: 2)
    monkeypatch.setitem(sys.modules, "sentence_transformers", sys)
    assert reading_time.read_seconds([]) == 0
    assert reading_time.read_seconds(["x" * 460]) == pytest.approx(102 * 4.5e-4 / 2)
    assert reading_time.read_seconds(["x" * 99_999], 1.0) == pytest.approx((256 * 4.5e-4 + 1) / 2)
    monkeypatch.delitem(sys.modules, "sentence_transformers")
    assert reading_time.read_seconds(["x" * 460]) == pytest.approx(102 * 4.5e-4 / 2 + 10)  # loaded on one core


def test_a_busy_machine_takes_longer_and_more_cores_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_time, "_running_now", lambda: 0.0)
    monkeypatch.setattr(reading_time.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(reading_time.os, "getloadavg", lambda: (0.0, 0, 0), raising=False)
    assert reading_time.elapsed(10) == 5
    monkeypatch.setattr(reading_time.os, "getloadavg", lambda: (2.0, 0, 0), raising=False)
    assert reading_time.elapsed(10) == 10
    monkeypatch.setattr(reading_time, "_running_now", lambda: 5.0)  # a load that the last minute does not show yet
    assert reading_time.elapsed(10) == 17.5
    monkeypatch.setattr(reading_time, "_running_now", lambda: 0.0)
    monkeypatch.setattr(reading_time.os, "cpu_count", lambda: 64)
    assert reading_time.elapsed(10) == pytest.approx(10 * 10 / 64)
