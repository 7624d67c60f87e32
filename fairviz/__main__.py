"""The commands `fairviz` and `python -m fairviz`."""

import sys

from fairviz import interrupts


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
    from fairviz.cli.main import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    sys.exit(run())
