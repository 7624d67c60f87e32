"""A language model behind an address with OpenAI's protocol, through the package httpx2.

The texts are sent to the address only: no redirect is followed. The key is read from the environment, sent only to the
server in FAIRVIZ_BASE_URL or to OpenAI, and removed from every answer.
"""

import base64
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from fairviz.errors import FairvizError
from fairviz.home import is_shared
from fairviz.home.permissions import permissions
from fairviz.installed import require_package
from fairviz.models.addresses import BASE, OPENAI, base_address
from fairviz.models.owner_budget import take_request
from fairviz.models.protocol import LARGEST, Ask, PassingError, Reply, first_line

LOOK = 0.1  # seconds between two looks at the event
GRACE = 0.8  # seconds that an answer under way may still take once the event is set
Result = TypeVar("Result")
KEY, OPENAI_KEY = "FAIRVIZ_API_KEY", "OPENAI_API_KEY"
NO_KEY = "none"  # sent in place of a key to a server that needs none
_AGAIN = (408, 409, 425, 429)
_MOST_WAIT = 300.0  # most seconds of a server's retry-after
_LEAST_BASE64 = 12  # characters of base64 that are taken for a key's
_MOST_ESCAPES = 8  # backslashes before a character of a key: JSON within JSON doubles them


# One deadline for a whole answer, and an event that ends the wait for it; a socket's timeout covers single reads.


def within(patience: float, stop: threading.Event, work: Callable[[threading.Event], Result]) -> Result:
    """Return what work(ended) returns, within `patience` seconds, or within GRACE once `stop` is set.

    The work runs in a thread of its own, so that no state of a connection blocks the caller: not the look-up of a name,
    not a byte now and then. Its exceptions are raised here. `ended` is set once the caller no longer waits: the work
    checks it between two reads, and its late result is dropped.

    Raises: PassingError where the time is over.
    """
    results: list[Result] = []
    errors: list[BaseException] = []
    done, ended = threading.Event(), threading.Event()

    def run() -> None:
        try:
            results.append(work(ended))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="fairviz request", daemon=True).start()
    try:
        _wait_for(done, patience, stop)
    finally:
        ended.set()
    if errors:
        raise errors[0]
    return results[0]


def _wait_for(done: threading.Event, patience: float, stop: threading.Event) -> None:
    """Return once `done` is set. Raises PassingError after `patience` seconds, or GRACE seconds after `stop`."""
    deadline = time.monotonic() + patience
    while not done.wait(min(LOOK, max(deadline - time.monotonic(), 0.0))):
        if stop.is_set():
            if done.wait(GRACE):
                return
            raise PassingError("it was stopped")
        if time.monotonic() >= deadline:
            raise PassingError(f"no whole answer within {patience:g} seconds")


class StatusError(PassingError):
    """A passing error status of the server, which has read no prompt then."""


@dataclass(frozen=True)
class _Received:
    """An unchecked answer. cut: whether it was longer than LARGEST bytes."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    cut: bool


def key_for(address: str) -> str:
    """Return the key for the address; empty for none.

    FAIRVIZ_API_KEY is sent only to the server in FAIRVIZ_BASE_URL, or where that is not set to OpenAI's own.
    OPENAI_API_KEY is sent to OpenAI's own where FAIRVIZ_API_KEY is not.

    Raises: FairvizError for OpenAI without a key, for a key that no request can carry, and for a forbidden address.
    """
    base = base_address()
    refuse_strangers(address, base)
    key = os.environ.get(KEY, "").strip() if address == (base or OPENAI) else ""
    if not key and address == OPENAI:
        key = os.environ.get(OPENAI_KEY, "").strip()
        if not key:
            raise FairvizError(
                f"there is no key for {OPENAI}", f"Set the environment variable {OPENAI_KEY}, or {KEY}, to your key."
            )
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise FairvizError("the key in the environment has characters that no key has", f"Set {KEY} again.")
    return key


def refuse_strangers(address: str, base: str) -> None:
    """Raise FairvizError where others can open the page and this is not the server in FAIRVIZ_BASE_URL: a visitor could
    have the key sent to a server of her own, or reach one that only this machine can."""
    if not is_shared() or (base and address == base):
        return
    if not base:
        raise FairvizError(
            f"others can open this page, so language models are used only at the address in {BASE}, which is not set",
            f"Set the variable where fairviz is started, as {BASE}=http://localhost:8000/v1.",
        )
    raise FairvizError(
        f"others can open this page, so language models are used only at {base}, not at {address}", "Leave url out."
    )


@cache
def certificates() -> Any:
    """The TLS context that httpx2 makes by itself, once: each client would read the file of certificates anew."""
    import httpx2

    return httpx2.create_ssl_context()


@contextmanager
def open_address(address: str, patience: float, stop: threading.Event) -> Iterator[Ask]:
    """Yield the function that sends one request to the server at the address: see `LanguageModel.open`.

    At most LARGEST bytes of an answer are read, counted as they are unpacked.

    Raises: FairvizError without the package httpx2, without a key where one is needed, and on a demo server.
    """
    if permissions().is_demo():
        raise FairvizError(
            "this demo sends nothing to language models", "Run fairviz on a machine of your own for that."
        )
    key = key_for(address)
    require_package("httpx2", "language models need")
    import httpx2

    headers = {"Authorization": f"Bearer {key or NO_KEY}", "Content-Type": "application/json"}
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
    client = httpx2.Client(
        headers=headers, timeout=patience, limits=limits, follow_redirects=False, verify=certificates()
    )

    def ask(body: Mapping[str, Any]) -> Reply:
        if key:
            take_request()
        content = json.dumps(body).encode("ascii")

        def send(ended: threading.Event) -> _Received:
            with client.stream("POST", f"{address}/chat/completions", content=content) as response:
                received, is_cut = _read_body(response.iter_bytes(), ended)
                return _Received(response.status_code, response.headers, received, is_cut)

        try:
            return _reply(within(patience, stop, send), key, address)
        except httpx2.TimeoutException:
            raise PassingError(f"no whole answer within {patience:g} seconds") from None
        except httpx2.RequestError as error:
            raise PassingError(without_key(first_line(_innermost_cause(error)), key)) from None

    with client:
        yield ask


def _read_body(pieces: Iterator[bytes], ended: threading.Event) -> tuple[bytes, bool]:
    """Return the body up to LARGEST bytes, and whether it is longer. Reading ends once `ended` is set."""
    body = bytearray()
    for piece in pieces:
        body += piece[: LARGEST + 1 - len(body)]
        if len(body) > LARGEST or ended.is_set():
            break
    return bytes(body[:LARGEST]), len(body) > LARGEST


def _innermost_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def _reply(received: _Received, key: str, address: str) -> Reply:
    """Return an answer, or a refusal of this question only.

    Raises: PassingError where another try may help, FairvizError for a redirect and for a rejected key.
    """
    status = received.status
    if 300 <= status < 400:
        place = _redirect_target(received.headers.get("location", ""), key)
        raise FairvizError(
            f"{address} redirects to {place} (status {status}); nothing is sent there",
            "Name that address yourself where you trust it: url='http://localhost:8000/v1'.",
        )
    if status in _AGAIN or status >= 500:
        raise StatusError(f"the server answered {status}", _retry_after(received.headers))
    if status in (401, 403):
        raise FairvizError(
            f"{address} does not take the key (status {status})", f"Set the environment variable {KEY} to a right one."
        )
    return Reply(status, without_key(received.body.decode("utf-8", "replace"), key), received.cut)


def _redirect_target(location: str, key: str) -> str:
    """Return the target of a redirect, on one line, without the key."""
    try:
        parts = urlsplit(location)
        origin = f"{parts.scheme}://{parts.hostname}" if parts.hostname else ""
        origin += f":{parts.port}" if parts.port else ""
    except ValueError:
        origin, parts = "", urlsplit("")
    text = without_key(unquote(f"{origin}{parts.path}"), key)
    place = "".join(sign for sign in text if sign.isprintable() and sign != " ")[:200]
    return place or "no address"


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds of the header retry-after; 0 where it is missing or not a number."""
    try:
        return min(max(float(headers.get("retry-after", "0")), 0.0), _MOST_WAIT)
    except ValueError:
        return 0.0


def without_key(text: str, key: str) -> str:
    """Return the text without the key, which some servers repeat.

    It is found in either case, in base64, and with any of its characters in escapes of JSON (`\\/`, `\\u002f`), of
    addresses (`%2F`, `%252F`) and of HTML (`&#47;`, `&#x2f;`). Escapes are matched in the text itself, so that
    neither the stored text nor its parsed content contains the key.
    """
    if not key:
        return text
    spellings = []
    for sign in key:
        number, octets = ord(sign), sign.encode("utf-8", "surrogateescape")
        percent = "".join(f"%(?:25)*{octet:02x}" for octet in octets)
        json_text = rf"\\{{0,{_MOST_ESCAPES}}}(?:{re.escape(sign)}|u{number:04x})"
        spellings.append(f"(?:{json_text}|{percent}|&#(?:0*{number}|x0*{number:x});)")
    return re.sub("|".join(["".join(spellings), *_in_base64(key)]), "[key]", text, flags=re.IGNORECASE)


def _in_base64(key: str) -> Iterator[str]:
    """Yield patterns of the key in base64, after 0, 1 or 2 bytes of other text in its group of three.

    The first and last characters, which depend on the text around it, are left out. A short key gives none.
    """
    content = key.encode("utf-8", "surrogateescape")
    for before in range(3):
        after = -(before + len(content)) % 3
        encoded = base64.b64encode(bytes(before) + content + bytes(after)).decode()
        inner = encoded[before + (before > 0) : len(encoded) - after - (after > 0)]
        if len(inner) >= _LEAST_BASE64:
            yield "".join({"+": "[+-]", "/": "[/_]"}.get(sign, sign) for sign in inner)
