"""Links: addresses with a random token, one for each person's batch."""

import os
from secrets import token_urlsafe

PAGE = "label"  # of the interface: pages/label.py
PARAMETER = "token"
ALONE = "FAIRVIZ_ONLY_LABELLING"  # a variable of the server that shows nothing but that page
HERE = "http://localhost:8501"
UNKNOWN = "http://localhost:PORT"  # without a running app, whose port is unknown


def only_labelling() -> bool:
    """Return whether this server was started with `fairviz app --only-labelling`."""
    return os.environ.get(ALONE, "") == "1"


def new_token() -> str:
    """Return a token of 256 random bits."""
    return token_urlsafe(32)


def address(token: str, server: str = HERE) -> str:
    """Return the link with this token to the labelling page of a server."""
    return f"{server.rstrip('/')}/{PAGE}?{PARAMETER}={token}"
