"""A file is written whole or not at all."""

from pathlib import Path

import pytest

from fairviz.home import write_whole


def test_the_file_holds_the_text_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("old", encoding="utf-8")
    write_whole(path, "é\r\n")
    assert path.read_bytes() == "é\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_that_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \udc00")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
