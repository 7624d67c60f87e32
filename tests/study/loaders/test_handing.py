"""A program waits at its end for threads that still read."""

import io
import subprocess
import sys

import pytest

from fairviz.study.loaders import columns

REFUSED = """
import sys
from pathlib import Path
from pyarrow import ArrowInvalid, csv, int32
from fairviz.study.loaders.columns import open_for_arrow
from fairviz.study.loaders.hashes import HashedFile
try:
    with HashedFile(Path(sys.argv[1])) as stream:
        csv.read_csv(open_for_arrow(stream, 1 << 16),
                     read_options=csv.ReadOptions(column_names=["a"], block_size=1 << 16),
                     convert_options=csv.ConvertOptions(column_types={"a": int32()}))
except ArrowInvalid:
    print("refused")
"""


@pytest.fixture
def held(monkeypatch) -> list:
    """What a library holds; nothing else is waited for."""
    monkeypatch.setattr(columns, "_OPEN_SOURCES", type(columns._OPEN_SOURCES)())
    return [columns.ArrowSource(io.BytesIO(b"text"))]


def test_the_end_waits_until_nobody_holds_a_source(held) -> None:
    pauses = []

    def pause(_: float) -> None:
        pauses.append(len(held))
        if len(pauses) == 3:
            held.clear()

    columns.wait(pause)
    assert pauses == [1, 1, 1]
    columns.wait(pause)
    assert len(pauses) == 3


def test_the_end_does_not_wait_for_ever(held) -> None:
    pauses: list[float] = []
    columns.wait(pauses.append)
    assert sum(pauses) == pytest.approx(5)
    assert held[0].read() == b"text"


def test_a_source_stays_open_for_who_opened_it() -> None:
    source = io.BytesIO(b"one\ntwo\n")
    stream = columns.open_for_arrow(source, 4)
    assert stream.read() == b"one\ntwo\n"
    stream.close()
    assert not source.closed


def test_a_program_whose_file_was_refused_ends_in_order(tmp_path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("no number\n" + "1\n" * 2_000_000)
    ended = subprocess.run([sys.executable, "-c", REFUSED, path], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "refused\n", "")
