"""The visitor of a page on a server: the login of its session, until its time is over or the visitor logs out."""

import getpass
import math
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from fairviz.extensions.server.access import person_folder
from fairviz.extensions.server.configuration import HEADER_CLAIM, Login, address_of, server_config
from fairviz.files import make_private_folder
from fairviz.home import data_home, write_whole
from fairviz.home.permissions import Visitor
from fairviz.ui.shell.gate import is_forwarded
from fairviz.ui.state.streamlit_internals import other_sessions, user_claims
from fairviz.words.sentences import counted, seconds_text

_LEFT = "logged-out"  # in the server's folder: a file for each person, with the time of the last logout
_ADMITTED = "admitted"  # of a session: the login whose sessions were counted
_HOUR = 3600
NO_ADDRESS = ("Your login has no e-mail address, so it names nobody here.", "Ask your provider to send it.")
UNVERIFIED = ("Your provider has not verified your e-mail address.", "Verify it there, and log in again.")
ODD_ADDRESS = (
    "Your login is not an e-mail address in plain letters.",
    "Log in with an address of the letters a to z, digits and signs such as . and -.",
)
UNDATED = ("Your login has no date.", "Tell the owner of this server.")
SET_CLOCKS = "Log in again later. The server's owner can set the clocks."
LATER = "Log in again. If this stays, the clock of your provider is behind: tell the owner of this server."
FAILED_LOGIN = (
    "Your login could not be checked.",
    "Log in again. If this stays, tell the server's owner: the provider's clock may be behind or ahead.",
)
_AHEAD = 300  # seconds by which a provider's clock may be ahead


def visitor() -> Visitor | None:
    """Return the visitor of the session whose page this thread draws; None without a valid login, and where no server
    is configured."""
    claims = user_claims()
    return None if claims is None else visitor_with(claims, lambda: st.context.headers)


def visitor_with(claims: Mapping[str, Any], headers: Callable[[], Iterable[str]]) -> Visitor | None:
    """Return the visitor of a session with these claims, which a request with these headers began; None as for
    `visitor`."""
    config = server_config()
    if config.demo:
        return Visitor("")
    if config.login is None:
        return None if is_forwarded(headers()) else Visitor(getpass.getuser())
    address, _ = _read(config.login, claims)
    return Visitor(address) if address else None


def refusal() -> tuple[str, str]:
    """Return why the login of this session is not taken, and the remedy; empty texts without a login."""
    config, claims = server_config(), user_claims()
    if config.login is None or claims is None:
        return "", ""
    is_failed = st.query_params.get("login") == "failed" and not claims.get("is_logged_in")
    return FAILED_LOGIN if is_failed else _read(config.login, claims)[1]


def _read(login: Login, claims: Mapping[str, Any]) -> tuple[str, tuple[str, str]]:
    """Return the address of a login and, without one, why it is not taken, with the remedy.

    Addresses are compared letter by letter, so that only plain ones are taken. A login without an address is none: what
    else a provider sends may be another person's.
    """
    if login.header:
        name = str(claims.get(HEADER_CLAIM) or "").strip()
        address = address_of(name)  # a proxy without a name may send a placeholder
        return address, (("", "") if address or not name else ODD_ADDRESS)
    if not claims.get("is_logged_in"):
        return "", ("", "")
    if not (given := str(claims.get("email") or "").strip()):
        return "", NO_ADDRESS
    if claims.get("email_verified") is not True and not login.trust_unverified:
        return "", UNVERIFIED
    if not (address := address_of(given)):
        return "", ODD_ADDRESS
    reason = _untimely(login, claims.get("iat"), Visitor(address))
    return ("", reason) if reason[0] else (address, reason)


def _untimely(login: Login, issued: Any, person: Visitor) -> tuple[str, str]:
    """Return why the time of a login is refused, and the remedy: it is over, was ended by a logout in any of the
    person's sessions, or its provider has another time."""
    if isinstance(issued, bool) or not isinstance(issued, int | float) or not math.isfinite(issued):
        return UNDATED
    now = time.time()
    try:
        left = float(_left_file(person).read_text(encoding="ascii"))
    except (OSError, ValueError):
        left = 0.0
    if issued > now + _AHEAD:
        return f"Your provider's clock is {seconds_text(issued - now)} ahead of this server's.", SET_CLOCKS
    if issued + login.hours * _HOUR < now:
        return f"Your login is over: it lasts {counted(login.hours, 'hour')}.", LATER
    return ("Your login is older than your last logout.", LATER) if issued <= left else ("", "")


def has_too_many_sessions() -> bool:
    """Return whether this session is one too many of its visitor; once it is admitted, it stays so."""
    config, person = server_config(), visitor()
    if config.login is None or person is None or st.session_state.get(_ADMITTED) == person.name:
        return False
    others = (visitor_with(one.claims, partial(getattr, one, "headers")) for one in other_sessions())
    if sum(other == person for other in others) >= config.limits.person_sessions:
        return True
    st.session_state[_ADMITTED] = person.name
    return False


def _left_file(person: Visitor) -> Path:
    return data_home() / "server" / _LEFT / person_folder(person).name


def log_out() -> None:
    """End every session of this login, and remove its cookie. For a button's on_click."""
    person = visitor()
    if person is not None:
        file = _left_file(person)
        make_private_folder(file.parent)
        write_whole(file, f"{time.time():.0f}")
    st.logout()
