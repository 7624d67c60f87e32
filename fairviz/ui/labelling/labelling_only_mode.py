"""Labelling-only mode: the labelling page without sidebar, navigation or any way to another page."""

from urllib.parse import urlsplit

import streamlit as st

from fairviz.annotation.forms.links import HERE, PAGE, PARAMETER, only_labelling


def alone() -> bool:
    """Return True if the address is a link to a batch, or the server shows nothing else."""
    return only_labelling() or PARAMETER in st.query_params or _path() == f"/{PAGE}"


def token() -> str:
    """The token of the address; empty where it has none."""
    return str(st.query_params.get(PARAMETER, ""))


def server() -> str:
    """The address of this server, as this visitor's browser names it; the usual one where that is not known."""
    parts = urlsplit(st.context.url or HERE)
    return f"{parts.scheme}://{parts.netloc}"


def _path() -> str:
    return urlsplit(st.context.url or "").path.rstrip("/")
