"""`fairviz`, and the same as `python -m fairviz`."""

import sys

INTERRUPTED = 130


def run() -> int:
    """The command line, quiet at Ctrl-C, with signs that a terminal cannot show written as escapes."""
    try:
        from fairviz.cli.main import main

        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        return main()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(run())
