"""The visitor of a page on a server: the login of its session, until its time is over or the visitor logs out."""

import getpass
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from fairviz.home import write_whole
from fairviz.home.access import LONGEST_NAME, Visitor, find_visitors_by, person_folder
from fairviz.home.server_config import HEADER_CLAIM, Login, ServerConfig, server_config
from fairviz.ui.state.forwarding import is_forwarded
from fairviz.ui.state.streamlit_internals import user_claims

_LEFT = "logged-out"  # in a person's folder: the time of the last logout
_HOUR = 3600
_LOGIN = re.compile(r"[\w.%+@-]+")


def visitor() -> Visitor | None:
    """Return the visitor of the session whose page this thread draws; None without a valid login, and where no server
    is configured."""
    claims = user_claims()
    return None if claims is None else visitor_with(claims, lambda: st.context.headers)


def visitor_with(claims: Mapping[str, Any], headers: Callable[[], Iterable[str]]) -> Visitor | None:
    """Return the visitor of a session with these claims, which a request with these headers began; None as for
    `visitor`."""
    config = server_config()
    if config is None:
        return None
    if config.demo:
        return Visitor("")
    name = _name_of(config, claims, headers)
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        return None
    person = Visitor(name.casefold())
    is_over = config.login is not None and config.login.provider and _is_over(config.login, claims, person)
    return None if is_over else person


def _name_of(config: ServerConfig, claims: Mapping[str, Any], headers: Callable[[], Iterable[str]]) -> str:
    """Return the name under which the session is logged in; empty without one. An address that the provider has not
    verified is no name."""
    if config.login is None:
        return "" if is_forwarded(headers()) else getpass.getuser()
    if config.login.header:
        name = str(claims.get(HEADER_CLAIM) or "").strip()
        return name if _LOGIN.fullmatch(name) else ""  # a proxy without a name may send a placeholder
    is_verified = claims.get("email_verified") is True or config.login.trust_unverified
    if not claims.get("is_logged_in") or (claims.get("email") and not is_verified):
        return ""
    return str(claims.get("email") or claims.get("sub") or "").strip()


def _is_over(login: Login, claims: Mapping[str, Any], person: Visitor) -> bool:
    """Return whether the login is too old, or was ended by a logout in any of the person's sessions."""
    issued = claims.get("iat")
    if not isinstance(issued, int | float):
        return True
    try:
        left = float((person_folder(person) / _LEFT).read_text(encoding="ascii"))
    except (OSError, ValueError):
        left = 0.0
    return issued + login.hours * _HOUR < time.time() or issued <= left


def log_out() -> None:
    """End every session of this login, and remove its cookie. For a button's on_click."""
    person = visitor()
    if person is not None:
        folder = person_folder(person)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(folder / _LEFT, f"{time.time():.0f}")
    st.logout()


find_visitors_by(visitor)
