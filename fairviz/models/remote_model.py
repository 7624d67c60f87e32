"""A language model behind an address, through the package openai. Its key comes from the environment alone, goes to
that address alone (FAIRVIZ_API_KEY, where FAIRVIZ_BASE_URL is set, to that one alone), and is taken out of all that
comes back."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home import is_shared
from fairviz.models.language_model import BASE, LARGEST, OPENAI, Ask, PassingError, Reply, base_address
from fairviz.models.owner_budget import take_request

KEY, OPENAI_KEY, OPENAI_HEADERS = "FAIRVIZ_API_KEY", "OPENAI_API_KEY", "OPENAI_CUSTOM_HEADERS"
NO_KEY = "none"  # sent where nobody named a key: a server of one's own asks for none
_AGAIN = (408, 409, 425, 429)
_MOST_WAIT = 300.0  # seconds that a server may ask us to wait


def key_for(address: str) -> str:
    """The key in FAIRVIZ_API_KEY, or for OpenAI's own address else in OPENAI_API_KEY, which goes nowhere else; empty
    for none. Where FAIRVIZ_BASE_URL is set, FAIRVIZ_API_KEY goes to that address alone. Raises FairvizError for OpenAI
    without a key, for a key that no request can carry, and for an address that may not be asked."""
    base = base_address()
    refuse_strangers(address, base)
    key = os.environ.get(KEY, "").strip() if base in ("", address) else ""
    if not key and address == OPENAI:
        key = os.environ.get(OPENAI_KEY, "").strip()
        if not key:
            raise FairvizError(
                f"there is no key for {OPENAI}", f"Set the environment variable {OPENAI_KEY}, or {KEY}, to your key."
            )
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise FairvizError("the key in the environment holds signs that no key has", f"Set {KEY} anew.")
    return key


def refuse_strangers(address: str, base: str) -> None:
    """Raises FairvizError where others can open the page and this is not the server in FAIRVIZ_BASE_URL: a visitor
    could have the key sent to a server of her own, or reach one that only this machine can."""
    if not is_shared() or address == base:
        return
    if not base:
        raise FairvizError(
            f"others can open this page, so it asks language models at no address but that in {BASE}, which is not set",
            f"Whoever starts it sets the variable, as {BASE}=http://localhost:8000/v1.",
        )
    raise FairvizError(
        f"others can open this page, so it asks language models at {base} alone, not at {address}", "Leave url out."
    )


@contextmanager
def open_address(address: str, seconds: float) -> Iterator[Ask]:
    """The function that asks the server at the address, each request for at most so many seconds without a byte.

    Raises FairvizError without the package openai, or without a key where one is needed.
    """
    key = key_for(address)
    try:
        import httpx2
        import openai
    except ImportError as error:
        raise FairvizError(
            "language models need the package openai, which is not installed", "Run: pip install openai"
        ) from error
    client = openai.OpenAI(
        api_key=key or NO_KEY, admin_api_key="", base_url=address, timeout=seconds, max_retries=0, organization="",
        project="", default_headers=_headers(key, address, openai.Omit()),
    )  # fmt: skip

    def ask(body: Mapping[str, Any]) -> Reply:
        if key:
            take_request()
        try:
            # not client.chat.completions: walking the body's types takes a third of a request's processor time
            answered = client.post("/chat/completions", cast_to=httpx2.Response, body=dict(body))
            return Reply(200, _kept(answered.content, key))
        except openai.APIStatusError as error:
            return _refused(error, key, address)
        except openai.APITimeoutError as error:
            raise PassingError(f"no answer within {seconds:g} seconds") from error
        except openai.APIConnectionError as error:
            raise PassingError(without_key(_cause(error), key)) from None

    with client:
        yield ask


def _headers(key: str, address: str, omitted: Any) -> dict[str, Any]:
    """What takes the headers in OPENAI_CUSTOM_HEADERS, keys perhaps, out of what goes anywhere but to OpenAI."""
    given = os.environ.get(OPENAI_HEADERS, "") if address != OPENAI else ""
    names = [line.partition(":")[0].strip() for line in given.split("\n") if ":" in line]
    own = {"Authorization": f"Bearer {key or NO_KEY}"} if names else {}
    return dict.fromkeys((name for name in names if name.lower() != "authorization"), omitted) | own


def _refused(error: Any, key: str, address: str) -> Reply:
    """An answer that is an error: one that passes raises PassingError, one about the key FairvizError."""
    status, body = error.status_code, _kept(error.response.content, key)
    if status in _AGAIN or status >= 500:
        raise PassingError(f"the server answered {status}", _wait(error.response.headers)) from None
    if status in (401, 403):
        raise FairvizError(
            f"{address} does not take the key (status {status})", f"Set the environment variable {KEY} to a right one."
        ) from None
    return Reply(status, body)


def _wait(headers: Mapping[str, str]) -> float:
    """The seconds that the server asks us to wait; 0 where it names none, or none that can be read."""
    try:
        return min(max(float(headers.get("retry-after", "0")), 0.0), _MOST_WAIT)
    except ValueError:
        return 0.0


def _kept(content: bytes, key: str) -> str:
    """The body as text, cut where it is too large to keep."""
    return without_key(content[:LARGEST].decode("utf-8", "replace"), key)


def without_key(text: str, key: str) -> str:
    """The text with the key taken out of it, which some servers repeat."""
    return text.replace(key, "[key]") if key else text


def _cause(error: BaseException) -> str:
    """The innermost reason of a connection that failed, on one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
