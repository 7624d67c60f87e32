"""app: the page in the browser."""

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from fairviz.commands.record import Command
from fairviz.errors import FairvizError, UsageError
from fairviz.output import say

PAGE = Path(__file__).parents[2] / "app.py"


def _port(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to 65535")
    return value


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=8501, help="default: %(default)s")
    parser.add_argument(
        "--study", metavar="STUDY", help="open on this study: a folder, or the name of a built-in or fetched study"
    )


def _run(arguments: argparse.Namespace) -> int:
    if find_spec("streamlit") is None:
        raise FairvizError("the page needs streamlit, which is not installed", "Run: pip install -r requirements.txt")
    from fairviz.datasets import data_home

    environment = {**os.environ, "FAIRVIZ_HOME": str(data_home().resolve())}
    if arguments.study:
        environment["FAIRVIZ_STUDY"] = _known_study(arguments.study)
    say(f"The page is at http://localhost:{arguments.port} (Ctrl-C stops it)")
    options = {
        "server.port": str(arguments.port),
        "server.address": "localhost",
        "server.headless": "false" if _has_screen() else "true",
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
    }
    command = [sys.executable, "-m", "fairviz.ui.server", "run", str(PAGE)]
    command += [part for name, value in options.items() for part in (f"--{name}", value)]
    with subprocess.Popen(command, env=environment, cwd=PAGE.parent) as server:
        return _wait(server)


def _has_screen() -> bool:
    """Whether a browser can be opened here; without a screen, Python might start one that takes over the terminal."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _wait(server: subprocess.Popen) -> int:
    """The server's exit status. Ctrl-C reaches it too, so it is given time to end by itself."""
    try:
        return 1 if server.wait() else 0
    except KeyboardInterrupt:
        try:
            server.wait(timeout=10)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            server.kill()
        raise


def _known_study(text: str) -> str:
    """The name of a known study, or the absolute path of a folder."""
    from fairviz.datasets import resolve
    from fairviz.datasets.opening import IR_DATASETS

    if resolve(text) is not None or text.startswith(IR_DATASETS):
        return text
    if Path(text).is_dir():
        return str(Path(text).resolve())
    raise UsageError(
        f"there is no study and no folder called {text!r}",
        "See python -m fairviz fetch --list for what can be fetched.",
    )


APP = Command("app", "open the page in the browser", _add_arguments, _run)
