"""Checks that other machines can open the page, and that a request comes from this machine."""

import os

import streamlit as st

from fairviz.home import LOOPBACK, SHARED, is_shared
from fairviz.home.access import allows
from fairviz.home.server_config import OWNER, server_config
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.login import is_forwarded


def set_shared() -> None:
    """Set FAIRVIZ_SHARED from Streamlit's own settings, unless `fairviz app` has set it."""
    os.environ.setdefault(SHARED, "" if _listens_to_this_machine() else "1")


def is_owners_own() -> bool:
    """Return whether this visitor is on the owner's machine: the server listens to it alone, and no proxy forwarded the
    request."""
    if server_config() is not None:
        return False
    return not is_shared() and _listens_to_this_machine() and not is_forwarded(st.context.headers)


def manages_forms(study: str) -> bool:
    """Return whether this visitor makes forms of the study and sees their links: on a server an owner of the study,
    else whoever sits at the owner's machine."""
    return allows(study, OWNER) if server_config() is not None else is_owners_own()


def _listens_to_this_machine() -> bool:
    """Return whether all addresses of the server are of this machine. Without any, Streamlit listens to all
    machines."""
    option = streamlit_internals.option
    hosts = [option("server.address") or "every address", *(option("server.allowedHosts") or ())]
    return all(host in LOOPBACK for host in hosts)
