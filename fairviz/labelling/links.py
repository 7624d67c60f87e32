"""How a person comes to her batch: by an address that holds a token nobody can guess."""

from secrets import token_urlsafe

PAGE = "label"  # of the interface: pages/label.py
PARAMETER = "token"
ALONE = "FAIRVIZ_ONLY_LABELLING"  # a variable of the server that shows nothing but that page
HERE = "http://localhost:8501"
UNKNOWN = "http://localhost:PORT"  # where no app runs whose port could be known


def new_token() -> str:
    """A token that nobody can guess: 256 random bits."""
    return token_urlsafe(32)


def address(token: str, server: str = HERE) -> str:
    """The link with this token to the labelling page of a server."""
    return f"{server.rstrip('/')}/{PAGE}?{PARAMETER}={token}"
