"""Files that a person names: no pipe or device is opened, reading is bounded, and JSON holds finite numbers."""

import errno
import os
from pathlib import Path

import pytest

from fairviz.files import EndlessError, check_regular, is_utf8, open_regular, parse_json, read_file
from tests.conftest import refused


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("door", [check_regular, open_regular, lambda path: read_file(path, 10)])
def test_pipes_and_devices_are_not_opened(door, pipe: Path) -> None:
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(EndlessError) as caught:
            door(path)
        assert caught.value.strerror == "it is a pipe or a device"


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(10))
    assert read_file(path, 10) == bytes(10)
    with pytest.raises(OSError, match="it is longer than 9 bytes") as caught:
        read_file(path, 9)
    assert caught.value.errno == errno.EFBIG
    assert read_file(path, 2**60) == bytes(10)  # the bound is not laid out in memory


def test_folders_and_what_is_not_there(tmp_path: Path) -> None:
    assert check_regular(tmp_path)
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")
    with pytest.raises(OSError, match="File name too long"):
        open_regular(tmp_path / ("n" * 5000))


def test_json_is_of_finite_numbers() -> None:
    for content, reason in (
        (b'{"a": 1e999}', "1e999 is too large for a number"),
        (b"[-1e400]", "-1e400 is too large for a number"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"[" * 200_000, "it is nested too deep"),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
    ):
        with refused(reason, ValueError):
            parse_json(content)
    assert parse_json(b'{"a": [1e308, 0.5, -2]}') == {"a": [1e308, 0.5, -2]}
    with pytest.raises(UnicodeDecodeError):
        parse_json(b'"\xff"')


def test_text_that_is_not_utf8() -> None:
    assert is_utf8("Größe")
    assert not is_utf8(os.fsdecode(b"a\xff"))
