"""Ctrl-C as a flag: loops check it at points of their choice, and a second press ends the program at once.

An interrupt raised anywhere by Python can leave a lock taken, and the end of a pool then waits for ever. The command
line calls `install`: outside the blocks of `checked`, Ctrl-C raises KeyboardInterrupt immediately, as usual; inside
them it only sets the flag. In a program without `install` (a notebook), the blocks are the same, and a second press
raises KeyboardInterrupt.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

STATUS = 130
AGAIN = 0.01  # seconds until an interrupt within a finaliser is raised
AT_ONCE = b"stopped at once: what was reported as done is kept\n"
Check = Callable[[], None]


class MeantExit(SystemExit):
    """The end of a service by the signal that is meant to end it: status 0, where any other exit is without a result.

    Not of code of others: only the handler of the signal raises it."""


class _State:
    """pressed: whether Ctrl-C was pressed. depth: the number of blocks around the main thread. installed: whether the
    command line's handler is in place."""

    pressed = False
    depth = 0
    installed = False


def install() -> None:
    """Handle Ctrl-C for the rest of the process, in the main thread. A process that ignores Ctrl-C (a background job
    of a shell) continues to ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _press)
        _State.installed = True


def uninstall() -> None:
    """Restore Python's handler, for a command that ends in its own way at each press."""
    if _State.installed:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _State.installed = False


def is_pressed() -> bool:
    """Return whether Ctrl-C was pressed since `install`, or in the current block of `checked`."""
    return _State.pressed


def check() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed and this is the main thread."""
    if _State.pressed and _is_main():
        raise KeyboardInterrupt


@contextmanager
def checked() -> Iterator[Check]:
    """Yield a function that raises KeyboardInterrupt after Ctrl-C; nothing else in the block raises it.

    An unchecked press raises at the end of the block. In other threads, which get no signals, the function does
    nothing.
    """
    if not _is_main():
        yield check
        return
    replaced = not _State.depth and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _State.depth += 1
    if replaced:
        signal.signal(signal.SIGINT, _press)
    try:
        yield check
        check()
    finally:
        _State.depth -= 1
        if replaced:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            _State.pressed = False


def finish() -> None:
    """Let the next press end the process at once: only the interpreter's shutdown remains."""
    _State.pressed = True


def leave() -> None:
    """End the process with status 130, without waiting for its threads."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(STATUS)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _press(_number: int, frame: FrameType | None) -> None:
    """Handle one press of Ctrl-C, without any lock: the interrupted code may have taken it."""
    first, _State.pressed = not _State.pressed, True
    if not first and _State.installed:
        with suppress(OSError):
            os.write(2, AT_ONCE)
        os._exit(STATUS)
    if not first or not _State.depth:
        _interrupt(_number, frame)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, or a moment later in a finaliser, whose errors Python prints and drops."""
    while frame is not None and hasattr(signal, "setitimer"):
        code = frame.f_code
        is_lock = code.co_name == "cb" and "importlib" in code.co_filename  # of a module whose import is complete
        if is_lock or code.co_name == "__del__" or code.co_filename.endswith(("weakref.py", "_weakrefset.py")):
            signal.signal(signal.SIGALRM, _interrupt)
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            return
        frame = frame.f_back
    raise KeyboardInterrupt
