"""`python -m benchmarks.faces > FILE`: what users see and type, a line each.

Public names with their signatures, every verb's whole help, and the addresses of pages. Run it before and after a
change that may not change these, from the root of each revision, and compare the two files with `diff`.
"""

import contextlib
import inspect
import io
import re
import sys
from pathlib import Path

import fairviz
from fairviz.cli.main import main


def help_of(*words: str) -> str:
    """Return what the command line prints with --help; argparse ends the process for it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main([*words, "--help", *(["all"] if words else [])])
    return printed.getvalue()


def run() -> None:
    """Print all of it."""
    for name in sorted(fairviz.__all__):
        value = getattr(fairviz, name)
        try:
            text = f"{name}{inspect.signature(value)}" if callable(value) else f"{name} {type(value).__name__}"
        except ValueError:  # of a class without one
            text = name
        sys.stdout.write(f"name {re.sub(r'(?:[a-z_]+[.])+(?=[A-Z])', '', text)}\n")  # without modules, which may move
    everything = help_of()
    verbs = re.findall(r"^  ([a-z][a-z-]*) ", everything, re.MULTILINE)
    for verb, text in [("", everything), *((verb, help_of(verb)) for verb in sorted(verbs))]:
        sys.stdout.writelines(f"help {verb}: {line}\n" for line in text.splitlines())
    sys.stdout.writelines(f"page {path.stem}\n" for path in sorted(Path("pages").glob("*.py")))


if __name__ == "__main__":
    run()
