"""Is the server well, and who is on it?"""

import streamlit as st

from fairviz.ui.state import choices
from fairviz.ui.status import cards

TABS = ("Server", "Jobs", "Changes", "Roles")
if config := cards.shown_config():
    choices.among("status_tab", TABS)
    server, queue, changes, roles = st.tabs(TABS, key="status_tab", on_change="rerun")
    with server:
        cards.server(config)
    with queue:
        cards.queue()
    with changes:
        cards.log()
    with roles:
        cards.roles(config)
