"""The entrance of a server: the page of those who are not logged in or have no role, and the visitor in the sidebar."""

import streamlit as st

from fairviz.home.access import has_any_role, role, visitor
from fairviz.home.server_config import ServerConfig, server_config
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import login

NO_NAME = (
    "This server received no name for you.",
    "Open it through the address that its owner gave you: the proxy there names you.",
)
FORWARDED = (
    "This server has no login, and answers on its own machine alone.",
    "Its owner adds [login] to its configuration to let others in.",
)


def is_open() -> bool:
    """Return whether this visitor may see pages: everybody outside a server and in a demo, else who has a role and not
    too many pages open."""
    return has_any_role() and not login.has_too_many_sessions()


def page() -> None:
    """Draw the page of a visitor who may see no other."""
    config, person = server_config(), visitor()
    if config is None:
        return
    if person is not None:
        html.heading(config.title, f"You are {person.name}.")
        if has_any_role():
            count = config.limits.person_sessions
            html.message("info", f"You have {count:,} pages open, the most on this server.", "Close one, and reload.")
            return
        html.message("info", "You have no role on this server yet.", "Ask its owner for one, with the name above.")
        _logout(config)
        return
    html.heading(config.title, "Who are you?")
    reason, remedy = login.refusal()
    if reason:
        html.message("warning", reason, remedy)
    if config.login is None:
        html.message("info", *FORWARDED)
    elif config.login.header:
        if not reason:
            html.message("info", *NO_NAME)
    else:
        st.button("Log in", key="log_in", type="primary", on_click=guarded(st.login))


def card(study: str) -> None:
    """Draw the visitor's name and role on the study, and the button to log out; nothing outside a server."""
    config, person = server_config(), visitor()
    if config is None:
        return
    if config.demo or person is None:
        html.quiet("A demo: nothing is stored.")
        return
    html.quiet(f"{person.name} · {role(study) or 'owner of these uploads'}")
    _logout(config)


def _logout(config: ServerConfig) -> None:
    if config.login is not None and config.login.provider:
        st.button("Log out", key="log_out", on_click=guarded(login.log_out), help="Ends every session of this login.")
