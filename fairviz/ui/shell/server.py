"""Streamlit's server, started for this app: `python -m fairviz.ui.shell.server run app.py`.

Until a server has seen `st.navigation` once, Streamlit takes a folder named pages for its older layout, and meets a
first visitor who follows a deep link with a dialog that the page does not exist. It is told before anybody comes.
"""

from starlette.middleware import Middleware
from streamlit import config, net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main
from streamlit.web.server.starlette import starlette_app

from fairviz.evaluation.settings import DEFAULT_STUDY
from fairviz.ui.shell.arrival import Arrival
from fairviz.ui.shell.gate import Gate
from fairviz.ui.state import library


def guard() -> None:
    """Puts the gate before all that Streamlit serves, then who arrives without a study; and keeps Streamlit from asking
    the net for this machine's address."""
    of_streamlit = starlette_app.create_streamlit_middleware

    def with_gate() -> list[Middleware]:
        gate = Middleware(Gate, allowed=lambda: config.get_option("server.allowedHosts"))
        arrival = Middleware(Arrival, study=lambda: library.given() or DEFAULT_STUDY)
        return [gate, arrival, *of_streamlit()]

    starlette_app.create_streamlit_middleware = with_gate
    net_util.get_external_ip = net_util.get_internal_ip = lambda: None


if __name__ == "__main__":
    PagesManager.uses_pages_directory = False
    guard()
    main(prog_name="streamlit")
