"""Where the app runs: told while it does, and by nobody after it has ended, however it ended."""

import subprocess
import sys

from fairviz.annotation.forms.serving import announce_address, running_address
from fairviz.home import data_home

APP = """
import sys
from fairviz.annotation.forms.serving import announce_address
with announce_address(sys.argv[1], only_labelling=sys.argv[2:] == ["alone"]):
    print("runs", flush=True)
    sys.stdin.read()
"""


def started(*arguments: str) -> subprocess.Popen:
    """Another process that announces its address until its input ends."""
    other = subprocess.Popen([sys.executable, "-c", APP, *arguments], stdin=-1, stdout=-1, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "runs\n"
    return other


def test_an_app_that_was_killed_is_not_told_and_its_file_goes_with_the_next() -> None:
    with started("http://localhost:8600") as other:
        assert running_address() == "http://localhost:8600"
        other.kill()
    (left,) = (data_home() / "running").glob("*.json")
    assert left.name == f"{other.pid}.json"
    assert running_address() == ""
    with announce_address("http://localhost:8777"):
        (file,) = (data_home() / "running").glob("*.json")
        assert file != left
        assert running_address() == "http://localhost:8777"
        for content in (b"", b"[]", b"{", b'{"address": 1}', b"\xff"):
            file.write_bytes(content)
            assert running_address() == "", "a file of something else"
    assert list((data_home() / "running").iterdir()) == []


def test_of_several_the_newest_is_told_and_one_for_labelling_alone_before_it() -> None:
    with started("http://lab:9000", "alone") as first, started("http://localhost:8600") as second:
        with announce_address("http://localhost:8777"):
            assert running_address() == "http://lab:9000"
            first.communicate()
            assert running_address() == "http://localhost:8777"
        assert running_address() == "http://localhost:8600"
        second.communicate()
    assert running_address() == ""


def test_a_data_folder_that_takes_nothing_does_not_stop_the_app() -> None:
    data_home().mkdir(parents=True, exist_ok=True)
    (data_home() / "running").write_text("a file")
    with announce_address("http://localhost:8777"):
        assert running_address() == ""
