"""fairviz: the frame around every page. Start it with `make app` or `fairviz app`."""

from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.analyses import WITHOUT_PAGE
from fairviz.home.access import is_demo
from fairviz.home.server_config import server_config
from fairviz.ui.analyses import page as analysis_page
from fairviz.ui.kit.boundary import boundary
from fairviz.ui.labelling import batch
from fairviz.ui.shell import frame, gate
from fairviz.ui.state import address

st.set_page_config(page_title="fairviz", layout="wide", initial_sidebar_state="auto")

PAGES = {
    "Results": [
        st.Page("pages/overview.py", title="Overview", default=True),
        st.Page("pages/tradeoff.py", title="Trade-off"),
    ],
    "Compare": [
        st.Page("pages/compare.py", title="Two systems"),
        st.Page("pages/measures.py", title="Measures"),
        st.Page("pages/query.py", title="Query"),
        st.Page("pages/what_if.py", title="What-if"),
    ],
    "Robustness": [
        st.Page("pages/sensitivity.py", title="Sensitivity"),
        st.Page("pages/gender_swap.py", title="Gender swap"),
    ],
    "Labels": [
        st.Page("pages/read.py", title="Read"),
        st.Page("pages/agreement.py", title="Agreement"),
        st.Page("pages/annotate.py", title="Annotate"),
    ],
    "Stereotypes": [
        st.Page("pages/gsr.py", title="GSR"),
        st.Page("pages/words.py", title="Words"),
    ],
    "Rankers": [
        st.Page("pages/audit.py", title="Audit"),
        st.Page("pages/mitigations.py", title="Mitigations"),
        st.Page("pages/backpack.py", title="Backpack"),
    ],
    "": [
        st.Page("pages/data.py", title="Data"),
        st.Page("pages/methods.py", title="Methods"),
    ],
}

PAGES["Robustness"] += [
    st.Page(partial(analysis_page.draw, analysis), title=analysis.title, url_path=analysis.name)
    for analysis in WITHOUT_PAGE
]

if server_config() is not None:
    PAGES["Server"] = [st.Page("pages/studies.py", title="Studies")]
    if not is_demo():
        PAGES["Server"].append(st.Page("pages/status.py", title="Status"))

LABELLING = [  # at the root too, whose path Streamlit gives to the first page of all
    st.Page(batch.page, title="Label documents", url_path="labelling", default=True),
    st.Page("pages/label.py", title="Label documents"),
]
ENTRANCE = [st.Page(frame.entrance, title="Log in", default=True)]

gate.set_shared()
if (is_labelling := batch.alone()) or not frame.is_open():
    page = st.navigation(LABELLING if is_labelling else ENTRANCE, position="hidden")
    st.html(Path(frame.STYLE))
    with boundary():
        page.run()
else:
    address.follow()
    page = st.navigation(PAGES, position="top", expanded=True)
    st.html(Path(frame.STYLE))
    title = page.title if page.url_path else ""  # Overview has the study's
    with boundary(), frame.skeleton(page.title), frame.around(title, frame.question(page.url_path)):
        page.run()
