"""The visitor of a server in the sidebar, and the page of those who may see no other."""

import streamlit as st

from fairviz.extensions.server.access import ACCESS
from fairviz.extensions.server.configuration import ServerConfig, server_config
from fairviz.extensions.server.ui import login
from fairviz.home.permissions import visitor
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded

NO_NAME = (
    "This server received no name for you.",
    "Open it through the address that its owner gave you: the proxy there names you.",
)
NO_ROLE = "You have no role on this server yet.", "Ask its owner for one, with the name above."
NO_LOGIN = (
    "This server has no login, and answers on its own machine alone.",
    "Its owner adds [login] to its configuration to let others in.",
)


def signature(study: str) -> None:
    """Draw the visitor's name and role on the study, and the button to log out."""
    config, person = server_config(), visitor()
    told = "A demo: nothing is stored."
    if is_known := person is not None and not config.demo:
        told = f"{person.name} · {ACCESS.role(study) or 'owner of these uploads'}"
    html.quiet(told)
    if is_known:
        _logout(config)


def entrance() -> None:
    """Draw the page of a visitor of a server who may see no other: without a login or a role, or with too many pages
    open."""
    config, person = server_config(), visitor()
    if person is not None:
        _refuse(config, person.name)
    else:
        _ask_who(config)


def _refuse(config: ServerConfig, name: str) -> None:
    """Draw why this person sees no page: without a role, or with too many pages open."""
    html.heading(config.title, f"You are {name}.")
    count, has_role = config.limits.person_sessions, ACCESS.has_any_role()
    open_pages = f"You have {count:,} pages open, the most on this server.", "Close one, and reload."
    html.message("info", *(open_pages if has_role else NO_ROLE))
    if not has_role:
        _logout(config)


def _ask_who(config: ServerConfig) -> None:
    html.heading(config.title, "Who are you?")
    reason, remedy = login.refusal()
    has_button = config.login is not None and not config.login.header
    if reason:
        html.message("warning", reason, remedy)
    if not has_button and not (reason and config.login is not None):
        html.message("info", *(NO_LOGIN if config.login is None else NO_NAME))
    if has_button:
        st.button("Log in", key="log_in", type="primary", on_click=guarded(st.login))


def _logout(config: ServerConfig) -> None:
    if config.login is not None and config.login.provider:
        st.button("Log out", key="log_out", on_click=guarded(login.log_out), help="Ends every session of this login.")
