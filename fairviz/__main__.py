"""The commands `fairviz` and `python -m fairviz`."""

import sys

HOOK, STOPPED = sys.excepthook, 130


def _hook(kind, error, trace):
    """Print one line for Ctrl-C before `run` begins, also where a module that is just imported converts it."""
    cause = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        HOOK(kind, error, trace)
        return
    import os

    sys.stderr.write("stopped\n")
    sys.stderr.flush()
    os._exit(STOPPED)


sys.excepthook = _hook  # before the first import

from fairviz import interrupts  # noqa: E402


def run() -> int:
    """Run the command line, with one line at Ctrl-C, and characters that a terminal cannot show as escapes."""
    try:
        interrupts.install()
        status = _run()
    except BaseException as error:
        if isinstance(error, SystemExit) or not interrupts.is_pressed():
            raise
        sys.stderr.write("stopped\n")  # a library may convert the interrupt into its own error
        status = interrupts.STATUS
    if status == interrupts.STATUS:
        interrupts.leave()
    interrupts.finish()
    return status


def _run() -> int:
    with interrupts.checked():  # an import that is interrupted in its middle ends in other errors
        from fairviz.cli.main import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    sys.exit(run())
