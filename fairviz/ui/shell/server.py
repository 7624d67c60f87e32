"""Streamlit's server, started for this app: `python -m fairviz.ui.shell.server run app.py`.

Until a server has seen `st.navigation` once, Streamlit takes a folder named pages for its older layout, and meets a
first visitor who follows a deep link with a dialog that the page does not exist. It is told before anybody comes.

With --until-input-ends before `run`, the server ends when its standard input does: whoever started it holds the other
end of a pipe, and the system closes that however the holder ends, killed or with its terminal.
"""

import os
import signal
import sys
import threading
from importlib import import_module

from starlette.middleware import Middleware
from streamlit import config, net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main
from streamlit.web.server import server as of_server
from streamlit.web.server.starlette import starlette_app

from fairviz.evaluation.settings import DEFAULT_STUDY
from fairviz.labelling.links import ALONE
from fairviz.ui.shell.arrival import Arrival
from fairviz.ui.shell.gate import Gate
from fairviz.ui.shell.left import let_be
from fairviz.ui.shell.sessions import Sessions, drop_lost_files, held_bytes
from fairviz.ui.shell.unknown_page import without_dialog
from fairviz.ui.shell.uploads import CountedUploads, NoUploads
from fairviz.ui.state import library

HELD = "--until-input-ends"
PATIENCE = 5  # seconds to end in order


def guard() -> None:
    """Put the gate before all that Streamlit serves, then visitors without a study and the count of uploads; end
    sessions that nobody can resume; and keep Streamlit from asking the net for this machine's address."""
    of_streamlit = starlette_app.create_streamlit_middleware

    def with_gate() -> list[Middleware]:
        gate = Middleware(Gate, allowed=lambda: config.get_option("server.allowedHosts"))
        if only_labelling():
            return [gate, Middleware(NoUploads), *of_streamlit()]
        arrival = Middleware(Arrival, study=lambda: library.given() or DEFAULT_STUDY)
        uploads = Middleware(CountedUploads, held=held_bytes, ended=drop_lost_files)
        return [gate, arrival, uploads, *of_streamlit()]

    starlette_app.create_streamlit_middleware = with_gate
    of_server.MemorySessionStorage = Sessions  # type: ignore[misc]
    net_util.get_external_ip = net_util.get_internal_ip = lambda: None


def only_labelling() -> bool:
    """Whether this server shows nothing but the labelling page, and sends nobody to a study."""
    return os.environ.get(ALONE, "") == "1"


def end_with_input() -> None:
    """Ends this process when its standard input ends: in order where it can, else at once."""
    while _read():  # what is typed means nothing here
        pass
    last = threading.Timer(PATIENCE, os._exit, [1])
    last.daemon = True
    last.start()
    os.kill(os.getpid(), signal.SIGTERM)


def _read() -> bytes:
    """What comes in next; nothing at the end. Not by sys.stdin, whose lock would be held while Python shuts down."""
    try:
        return os.read(0, 4096)
    except OSError:
        return b""


def _is_held() -> bool:
    """Whether the option was given; it is taken off, as Streamlit does not know it."""
    given = sys.argv[1:2] == [HELD]
    if given:
        del sys.argv[1]
    return given


def prepare() -> None:
    """Loads what every page needs, while the server starts and the first visitor's browser reads the page's frame."""
    import_module("fairviz.ui.shell.frame")


if __name__ == "__main__":
    threading.Thread(target=prepare, daemon=True).start()
    if _is_held():
        threading.Thread(target=end_with_input, daemon=True).start()
    PagesManager.uses_pages_directory = False
    guard()
    let_be()
    without_dialog()
    main(prog_name="streamlit")
