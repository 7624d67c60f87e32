"""Is the server well, and who is on it?"""

import streamlit as st

from fairviz.ui.state import choices
from fairviz.ui.status import cards

TABS = ("Server", "Changes", "Roles")
if config := cards.shown_config():
    choices.among("status_tab", TABS)
    server, changes, roles = st.tabs(TABS, key="status_tab", on_change="rerun")
    with server:
        cards.server(config)
    with changes:
        cards.log()
    with roles:
        cards.roles(config)
