"""The commands `fairviz` and `python -m fairviz`."""

import os
import sys

from fairviz import interrupts


def run() -> int:
    """Run the command line, with one line at Ctrl-C, and characters that a terminal cannot show as escapes."""
    _use_utf8()
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


def _use_utf8() -> None:
    """Start again in Python's UTF-8 mode where names of files are read in another encoding (LC_ALL=C PYTHONUTF8=0):
    every text file of a study is UTF-8, and so are its names. Output keeps the encoding of the terminal."""
    if sys.getfilesystemencoding() == "utf-8" or sys.flags.utf8_mode:
        return
    sys.stdout.flush()
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": f"{sys.stdout.encoding}:backslashreplace"}
    os.execve(sys.executable, [sys.executable, "-m", "fairviz", *sys.argv[1:]], environment)


def _run() -> int:
    from fairviz.cli.main import main

    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    return main()


if __name__ == "__main__":
    sys.exit(run())
