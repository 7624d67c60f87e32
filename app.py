"""fairviz: the frame around every page. Start it with `make app` or `fairviz app`."""

from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.home.permissions import permissions
from fairviz.ui.analyses import page as analysis_page
from fairviz.ui.kit.boundary import boundary
from fairviz.ui.labelling import batch
from fairviz.ui.shell import frame, gate
from fairviz.ui.state import address
from fairviz.ui.state.registry import in_menus

st.set_page_config(page_title="fairviz", layout="wide", initial_sidebar_state="auto")

MENUS: dict[str, list] = {}
for record in in_menus():
    if record.offered():
        drawn = partial(analysis_page.draw, record.analysis) if record.analysis else record.draw
        MENUS.setdefault(record.section, []).append(
            st.Page(drawn or f"pages/{record.name}.py", title=record.title, url_path=record.name,
                    default=record.name == "overview")
        )  # fmt: skip

LABELLING = [  # at the root too, whose path Streamlit gives to the first page of all
    st.Page(batch.page, title="Label documents", url_path="labelling", default=True),
    st.Page("pages/label.py", title="Label documents"),
]
ENTRANCE = [st.Page(permissions().entrance, title="Log in", default=True)]

gate.set_shared()
if (is_labelling := batch.alone()) or not permissions().is_open():
    page = st.navigation(LABELLING if is_labelling else ENTRANCE, position="hidden")
    st.html(Path(frame.STYLE))
    with boundary():
        page.run()
else:
    address.follow()
    page = st.navigation(MENUS, position="top", expanded=True)
    st.html(Path(frame.STYLE))
    title = page.title if page.url_path else ""  # Overview has the study's
    with boundary(), frame.skeleton(page.title), frame.around(title, frame.question(page.url_path)):
        page.run()
