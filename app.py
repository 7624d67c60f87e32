"""fairviz: the frame around every page. Start it with `make app` or `fairviz app`."""

from pathlib import Path

import streamlit as st

from fairviz.ui.kit.boundary import boundary
from fairviz.ui.shell import frame
from fairviz.ui.shell.coming import coming
from fairviz.ui.state import address

st.set_page_config(page_title="fairviz", layout="wide", initial_sidebar_state="expanded")

PAGES = {
    "Study": [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/data.py", title="Data"),
        st.Page("pages/methods.py", title="Methods"),
    ],
    "Trade-off": [
        st.Page("pages/tradeoff.py", title="Trade-off"),
        st.Page("pages/query.py", title="Query"),
        st.Page("pages/laboratory.py", title="Laboratory"),
        st.Page("pages/compare.py", title="Compare"),
    ],
    "Trust": [
        st.Page("pages/robustness.py", title="Map of choices"),
        st.Page("pages/counterfactuals.py", title="Counterfactuals"),
    ],
    "Rankers": [
        st.Page("pages/backpack.py", title="Backpack"),
    ],
    "Stereotypes": [
        st.Page("pages/stereotypes.py", title="Stereotypes"),
        st.Page("pages/words.py", title="Words"),
    ],
    "Labels": [
        st.Page("pages/inspect.py", title="Inspect"),
        st.Page("pages/agreement.py", title="Agreement"),
    ],
}

address.follow()
page = st.navigation(PAGES, expanded=True)
st.html(Path(frame.STYLE))
with boundary(), coming(page.title), frame.around():
    page.run()
