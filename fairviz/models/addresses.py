"""The address of a server of language models: the one that is named, OpenAI's, or the one in FAIRVIZ_BASE_URL."""

import os
import re
from urllib.parse import urlsplit

from fairviz.errors import FairvizError, UsageError

OPENAI = "https://api.openai.com/v1"
OPENAI_NAME = "openai"  # short for OPENAI in `url`
BASE = "FAIRVIZ_BASE_URL"


def server_address(url: str) -> str:
    """Return the address of the server at `url` (`openai`: OpenAI's own), else the one in FAIRVIZ_BASE_URL; empty where
    none is named. Raises: see `checked_address` and `base_address`."""
    return _address(url) if url else base_address()


def _address(text: str) -> str:
    return OPENAI if text.strip() == OPENAI_NAME else checked_address(text)


def base_address() -> str:
    """Return the server in FAIRVIZ_BASE_URL, the only receiver of FAIRVIZ_API_KEY; empty where none is set. Raises
    FairvizError where it is not an address."""
    text = os.environ.get(BASE, "").strip()
    try:
        return _address(text) if text else ""
    except UsageError as error:
        raise FairvizError(
            f"the environment variable {BASE} holds no plain address of a server",
            f"Set it as {BASE}=http://localhost:8000/v1, without a key.",
        ) from error


def checked_address(url: str) -> str:
    """Return the address without a slash at its end. Raises UsageError where it is not an address, or contains what may
    be a key; the message does not repeat it."""
    remedy = "Write it as url='http://localhost:8000/v1'; a key goes into the environment variable FAIRVIZ_API_KEY."
    try:
        parts = urlsplit(url.strip())
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if is_valid and (parts.username or parts.password or parts.query or parts.fragment):
        raise UsageError("the address of the model holds a name, a key or a question mark", remedy)
    if not is_valid or re.search(r"\s", url.strip()):
        raise UsageError("the address of the model is not a web address", remedy)
    return url.strip().rstrip("/")
