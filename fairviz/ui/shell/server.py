"""Streamlit's server, started for this app: `python -m fairviz.ui.shell.server run app.py`.

Until a server has seen `st.navigation` once, Streamlit takes a folder named pages for its older layout, and meets a
first visitor who follows a deep link with a dialog that the page does not exist. It is told before anybody comes.
"""

from starlette.middleware import Middleware
from streamlit import config, net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main
from streamlit.web.server.starlette import starlette_app

from fairviz.ui.shell.gate import Gate


def guard() -> None:
    """Puts the gate before all that Streamlit serves, and keeps it from asking the net for this machine's address."""
    of_streamlit = starlette_app.create_streamlit_middleware

    def with_gate() -> list[Middleware]:
        return [Middleware(Gate, allowed=lambda: config.get_option("server.allowedHosts")), *of_streamlit()]

    starlette_app.create_streamlit_middleware = with_gate
    net_util.get_external_ip = net_util.get_internal_ip = lambda: None


if __name__ == "__main__":
    PagesManager.uses_pages_directory = False
    guard()
    main(prog_name="streamlit")
