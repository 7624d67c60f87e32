"""Where the program's own files lie, in a checkout and beside an installed package; files are written whole or not
at all."""

from pathlib import Path

import pytest

from fairviz import home
from fairviz.home import write_whole

ROOT = Path(__file__).parent.parent


def test_in_a_checkout_they_lie_around_the_package() -> None:
    assert home.application_folder() == ROOT
    for name in ("app.py", "pages", "data", ".streamlit"):
        assert (home.application_folder() / name).exists()


def test_in_a_wheel_the_package_carries_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried = tmp_path / "fairviz" / "_app"
    carried.mkdir(parents=True)
    monkeypatch.setattr(home, "__file__", str(tmp_path / "fairviz" / "home.py"))
    assert home.application_folder() == carried


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
