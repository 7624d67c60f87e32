"""Ctrl-C: held back inside checked blocks, raised outside them, and an end at once at the second press."""

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from fairviz import interrupts
from fairviz.__main__ import _end, run
from fairviz.evaluation.formats import ProgressLine


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Python's own handler before and after, even where the tests run in the background of a shell; a command that
    runs within the tests does not end their process with its own status."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    interrupts._State.pressed = interrupts._State.installed = False
    signal.signal(signal.SIGINT, before)
    atexit.unregister(_end)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def interrupted(work: Callable[[Callable[[], None]], object]) -> bool:
    """Whether work(check) ends in KeyboardInterrupt, in a checked block."""
    try:
        with interrupts.checked() as check:
            work(check)
    except KeyboardInterrupt:
        return True
    return False


def forked(work: Callable[[], object]) -> tuple[int, str]:
    """The status of a process of its own that does the work with the handler installed, and what it wrote."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writer, 2)
        sys.stderr = os.fdopen(2, "w", buffering=1)
        try:
            interrupts.install()
            work()
        except KeyboardInterrupt:
            os._exit(7)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def test_outside_a_block_it_raises_at_once() -> None:
    assert forked(press) == (7, "")


def test_a_second_press_ends_the_process_at_once() -> None:
    def work() -> None:
        with interrupts.checked():
            press()
            press()

    assert forked(work) == (130, "stopped at once: what was reported as done is kept\n")


def test_a_block_holds_it_back_until_it_is_checked() -> None:
    reached = []

    def work(check: Callable[[], None]) -> None:
        check()
        press()
        reached.append(interrupts.is_pressed())
        check()
        reached.append("after the check")

    assert interrupted(work)
    assert reached == [True]
    assert not interrupts.is_pressed()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_block_that_never_checks_raises_at_its_end() -> None:
    """Without the command line a second press raises at once; a press within an inner block's end is the outer's."""
    for presses in (1, 2):
        reached: list[int] = []
        assert interrupted(lambda _, presses=presses, reached=reached: [
            (press(), reached.append(number)) for number in range(presses)
        ])  # fmt: skip
        assert reached == [0]
    reached = []

    def work(_: Callable[[], None]) -> None:
        assert not interrupted(lambda check: check())
        press()
        reached.append(1)

    assert interrupted(work)
    assert reached == [1]


def test_what_ignores_ctrl_c_still_does() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupts.install()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_another_thread_is_never_interrupted() -> None:
    reached = []

    def work() -> None:
        with interrupts.checked() as check:
            check()
            reached.append(1)

    def start(_: Callable[[], None]) -> None:
        press()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    assert interrupted(start)
    assert reached == [1]


def test_progress_raises_what_a_library_swallowed() -> None:
    def work() -> None:
        try:
            press()
        except KeyboardInterrupt:
            os.write(2, b"swallowed\n")
        ProgressLine("texts")(1, 2)

    assert forked(work) == (7, "swallowed\n")


def test_a_command_that_ends_in_its_own_way() -> None:
    def work() -> None:
        interrupts.uninstall()
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                press()

    assert forked(work) == (0, "")


def test_an_error_that_a_library_made_of_it_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def main() -> int:
        try:
            press()
        except KeyboardInterrupt:
            raise RuntimeError("the import was interrupted") from None
        return 0

    monkeypatch.setattr("fairviz.cli.main.main", main)
    assert forked(run) == (130, "stopped\n")


def test_a_press_within_a_finaliser_is_not_dropped() -> None:
    class Owned:
        def __del__(self) -> None:
            press()

    def work() -> None:
        Owned()
        while True:
            signal.pause()

    assert forked(work) == (7, "")


STARTING = """
import importlib.abc, os, signal, sys

MODULE = sys.argv[1]

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == MODULE and os.environ.pop("PRESS", ""):
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
from fairviz.__main__ import run
sys.argv[1:] = ["compare", "football", "CWEx"]
sys.exit(run())
"""


@pytest.mark.parametrize("module", ["fairviz.interrupts", "fairviz.errors", "fairviz.cli.main", "argparse", "pandas"])
def test_a_press_while_modules_are_imported_is_one_line(module: str) -> None:
    """From the first import of the program on: before it, only the interpreter runs."""
    ended = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{STARTING}", module],
        capture_output=True, text=True, env=os.environ | {"PRESS": "1"},
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (130, "stopped\n")


def test_a_press_within_the_lock_of_a_module_is_not_dropped() -> None:
    """Python removes a module's lock in a callback, whose errors it prints and drops."""

    def work() -> None:
        code = compile("def cb():\n    press()\ncb()", "<frozen importlib._bootstrap>", "exec")
        with suppress(KeyboardInterrupt):  # as Python does there
            exec(code, {"press": press})
        threading.Event().wait(60)

    assert forked(work) == (7, "")


def test_a_press_after_the_command_is_done_ends_the_process() -> None:
    def work() -> None:
        interrupts.finish()
        press()

    assert forked(work) == (130, "stopped at once: what was reported as done is kept\n")
