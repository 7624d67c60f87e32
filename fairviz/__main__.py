"""`fairviz`, and the same as `python -m fairviz`."""

import sys

from fairviz import interrupts


def run() -> int:
    """The command line, with one line at Ctrl-C, and signs that a terminal cannot show written as escapes."""
    try:
        interrupts.install()
        status = _run()
    except BaseException as error:
        if isinstance(error, SystemExit) or not interrupts.is_pressed():
            raise
        sys.stderr.write("stopped\n")  # a library may turn the interrupt into an error of its own
        status = interrupts.STATUS
    if status == interrupts.STATUS:
        interrupts.leave()
    interrupts.finish()
    return status


def _run() -> int:
    from fairviz.cli.main import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    sys.exit(run())
