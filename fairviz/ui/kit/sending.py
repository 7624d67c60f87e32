"""The confirmation before a study's texts leave for a server whose address was typed on a page."""

from collections.abc import Iterable
from urllib.parse import urlsplit

import streamlit as st

from fairviz.models.addresses import base_address, server_address
from fairviz.ui.kit import html

WHY = "A language model there reads them. No link holds this address."


def confirmed(page: str, study: str, urls: Iterable[object]) -> bool:
    """Draw a checkbox for each server that an address names, and return whether all of them are ticked.

    page: begins the keys of the checkboxes. urls: the parameter `url` of each annotator or ranker, empty for none. A
    tick is valid for one study and one server, and no link contains it. The server in FAIRVIZ_BASE_URL needs none.

    Raises: FairvizError for an address that cannot be read.
    """
    base = base_address()
    servers = dict.fromkeys(server_address(str(url)) for url in urls if url)
    ticks = [_ticked(page, study, server) for server in servers if server != base]
    return all(ticks)


def _ticked(page: str, study: str, server: str) -> bool:
    host = urlsplit(server).netloc
    return st.checkbox(html.literal(f"Send the texts of {study} to {host}"), key=f"{page}_send {study} {server}",
                       help=WHY)  # fmt: skip
