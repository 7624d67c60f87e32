"""Checks that other machines can open the page, and that a request comes from this machine."""

import os
from collections.abc import Iterable

import streamlit as st

from fairviz.home import LOOPBACK, SHARED, is_shared
from fairviz.ui.state import streamlit_internals

FORWARDING = frozenset(  # headers that a proxy adds, besides those that begin with FORWARDED
    ("forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-original-forwarded-for",
     "x-original-host", "x-envoy-external-address", "true-client-ip", "client-ip", "cf-connecting-ip", "cf-ray",
     "fastly-client-ip", "fly-client-ip", "x-proxyuser-ip", "x-azure-clientip")
)  # fmt: skip
FORWARDED = "x-forwarded"


def set_shared() -> None:
    """Set FAIRVIZ_SHARED from Streamlit's own settings, unless `fairviz app` has set it."""
    os.environ.setdefault(SHARED, "" if _listens_to_this_machine() else "1")


def is_owners_own() -> bool:
    """Return whether this visitor is on the owner's machine: the server listens to it alone, and no proxy forwarded the
    request."""
    return not is_shared() and _listens_to_this_machine() and not is_forwarded(st.context.headers)


def is_forwarded(headers: Iterable[str]) -> bool:
    """Return whether one of these headers was added by a proxy."""
    names = {name.lower() for name in headers}
    return not FORWARDING.isdisjoint(names) or any(name.startswith(FORWARDED) for name in names)


def _listens_to_this_machine() -> bool:
    """Return whether all addresses of the server are of this machine. Without any, Streamlit listens to all
    machines."""
    option = streamlit_internals.option
    hosts = [option("server.address") or "every address", *(option("server.allowedHosts") or ())]
    return all(host in LOOPBACK for host in hosts)
