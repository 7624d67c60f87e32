"""Who can open the page, where nobody has said so yet."""

import os

from streamlit import config

from fairviz.home import LOOPBACK, SHARED


def learn() -> None:
    """Reads off Streamlit's own settings whether others can open the page; `fairviz app` has said it before.

    Without an address, Streamlit listens to everybody.
    """
    hosts = [config.get_option("server.address") or "every address", *(config.get_option("server.allowedHosts") or ())]
    os.environ.setdefault(SHARED, "" if all(host in LOOPBACK for host in hosts) else "1")
