"""No test runs twice in `make test`, but those that read whatever is there."""

from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest_plugins = ["pytester"]
FILE = """
import pytest

@pytest.mark.parametrize("name", ["a", "b"])
def test_one(name): pass

@pytest.mark.slow
def test_slow(): pass

@pytest.mark.whole
def test_whole(): pass

def test_of_an_extension():
    pytest.skip("it is not here")
"""


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_some=FILE)
    pytester.makeini("[pytest]\nmarkers =\n    slow: takes long\n    whole: reads all\n")
    return pytester


def outcome(folder: pytest.Pytester, *options: str) -> dict[str, int]:
    return folder.runpytest_subprocess("-p", "tests.once", "-p", "no:cacheprovider", *options).parseoutcomes()


def test_what_ran_is_left_out_but_what_reads_the_whole(folder: pytest.Pytester, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    assert outcome(folder, f"--ran={ran}", "-m", "not slow") == {"passed": 3, "skipped": 1, "deselected": 1}
    assert ran.read_text().splitlines() == [
        f"test_some.py::{name}" for name in ("test_one[a]", "test_one[b]", "test_whole")
    ]
    assert outcome(folder, f"--not-again={ran}") == {"passed": 2, "skipped": 1, "deselected": 2}


def test_workers_report_what_ran_and_all_run_where_none_has_run_yet(folder: pytest.Pytester, tmp_path: Path) -> None:
    ran, options = tmp_path / "ran", ("-p", "xdist.plugin", "-n", "2")
    assert outcome(folder, f"--ran={ran}", f"--not-again={ran}", *options) == {"passed": 4, "skipped": 1}
    assert sorted(ran.read_text().splitlines()) == [
        f"test_some.py::{name}" for name in ("test_one[a]", "test_one[b]", "test_slow", "test_whole")
    ]
