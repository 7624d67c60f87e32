"""The processes of a server: one that ends is started again, the others go on, and the end of the command ends all."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from fairviz.cli.serve import MOST_ENDS, keep_running

LIVES = "import sys; sys.stdin.read()"
FAILS = "raise SystemExit(3)"


class Starts:
    """Starts a process of each program in turn, the last one for ever; `ending` raises in place of a start."""

    def __init__(self, *programs: str, ending: type[BaseException] | None = None) -> None:
        self.programs, self.ending, self.started = list(programs), ending, list[subprocess.Popen]()

    def __call__(self) -> subprocess.Popen:
        place = len(self.started)
        if self.ending is not None and place == len(self.programs):
            raise self.ending
        program = self.programs[min(place, len(self.programs) - 1)]
        self.started.append(subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE))
        return self.started[-1]


def test_a_process_that_ends_is_started_again_while_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    failing, living = Starts(FAILS, FAILS, FAILS, ending=KeyboardInterrupt), Starts(LIVES)
    with pytest.raises(KeyboardInterrupt):
        keep_running([failing, living], pause=0.001)
    assert len(failing.started) == 3
    (other,) = living.started
    assert other.returncode == 0, "it was ended at the end alone, by the end of its input"
    told = capsys.readouterr().err.splitlines()
    assert [line.partition("(")[2] for line in told] == [
        f"status 3); another starts in {pause} s" for pause in ("0.001", "0.002", "0.004")
    ]


def test_a_process_that_never_lives_ends_all() -> None:
    failing, living = Starts(FAILS), Starts(LIVES)
    assert keep_running([living, failing], pause=0.001) == 1
    assert len(failing.started) == MOST_ENDS
    assert [process.returncode for process in living.started] == [0]


def test_a_process_that_cannot_be_started_ends_those_before_it() -> None:
    living, none = Starts(LIVES), Starts(ending=ChildProcessError)
    starts: list[Callable[[], subprocess.Popen]] = [living, none]
    with pytest.raises(ChildProcessError):
        keep_running(starts)
    assert [process.returncode for process in living.started] == [0]
