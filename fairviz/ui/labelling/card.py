"""The card of a study's labelling forms on the page Agreement: links, progress, and the answers brought in."""

from urllib.parse import urlsplit

import streamlit as st

from fairviz.annotation.forms import collecting
from fairviz.annotation.forms.collecting import LEAST_TESTS, STATUS
from fairviz.annotation.forms.forms import Link, links
from fairviz.annotation.forms.places import left_behind
from fairviz.annotation.forms.serving import HERE, address
from fairviz.datasets import resolve, save_labels
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import public_access
from fairviz.ui.state import going, library

MESSAGE = "labelling_told"
LEAST = "labelling_least"
ELSEWHERE = (
    "Links and answers are shown on the owner's machine only. There: this page, or fairviz study-form STUDY --status."
)
MOST_BUTTONS = 12
ROW_HEIGHT, TABLE_HEIGHT = 34, 300


def card(study: Study) -> None:
    """Draw the forms of the study, each person's progress, and a button for their answers; on a machine other than the
    owner's one line alone."""
    with st.container(border=True, gap="xsmall"):
        html.strong("Labelling forms: people label by a link each")
        if not public_access.is_owners_own():
            html.quiet(ELSEWHERE)
            return
        if library.is_own(study):
            html.quiet("Save the study first (Data page, Add and save): answers need a place to go to.")
            return
        try:
            found = tuple(link for link in links(study) if link.answers or not link.closed)
            left = left_behind(study)
        except FairvizError as error:
            html.message("error", error.message, error.remedy)
            return
        for one in left:
            html.message("warning", f"{one.description[:1].upper()}{one.description[1:]}.",
                         f"If it is this one, moved: {one.command(_named(study))}")  # fmt: skip
        if not found:
            html.quiet(
                f"None yet. fairviz study-form {_named(study)} --documents 100 --per-document 3 --test-every 10 draws "
                "documents, hides test questions among them, and makes the links."
            )
            return
        _forms(study, found)


def _named(study: Study) -> str:
    """The study as the command line opens it: its name where that is known there, else its folder."""
    known = resolve(study.name)
    itself = study.folder is None or (known is not None and known.resolve() == study.folder.resolve())
    return study.name if itself else str(study.folder)


def _forms(study: Study, links: tuple[Link, ...]) -> None:
    done = sum(link.answered == link.questions for link in links)
    html.quiet(
        f"{done:,} of {len(links):,} people have answered every question. Give each link to one person: whoever has it "
        "answers as that person. These links open on this machine only. For other machines: fairviz app "
        "--only-labelling --address NAME."
    )
    _table(study, links)
    share, button = st.columns([3, 2], vertical_alignment="bottom")
    share.slider(
        "Leave out who answered fewer of the test questions rightly", 0, 100, round(100 * LEAST_TESTS), 5, "%d %%",
        key=LEAST, help="In the CWEx paper: 80 %. That somebody cannot decide counts as not right.",
    )  # fmt: skip
    button.button(
        "Bring the answers in", key="labelling_collect", type="primary", width="stretch",
        on_click=guarded(_bring_in), args=(study,), disabled=not any(link.answers for link in links),
        help="Makes the answers so far labels of people in this study, in place of those brought in before.",
    )  # fmt: skip
    if told := st.session_state.pop(MESSAGE, None):
        html.message("good", told)
    _divided(study, links)


def _table(study: Study, links: tuple[Link, ...]) -> None:
    table = collecting.status(study, links)
    parts = urlsplit(st.context.url or HERE)  # as this visitor's browser names the server
    server = f"{parts.scheme}://{parts.netloc}"
    table["link"] = ["" if link.closed else address(link.token, server) for link in links]
    table["progress"] = table["answered"] / table["questions"]
    order = ["person", "progress", "answered", "questions", "undecided", "tests_right", "tests_answered", "link"]
    rest = [name for name in STATUS if name not in order]
    st.dataframe(
        table[[*order, *rest]],
        hide_index=True,
        height=min(TABLE_HEIGHT, ROW_HEIGHT * (len(table) + 1) + 3),
        key="labelling_forms",
        column_config={
            "progress": st.column_config.ProgressColumn("progress", format="percent", min_value=0, max_value=1),
            "tests_right": "test questions right",
            "tests_answered": "of",
            "link": st.column_config.LinkColumn("link", display_text="open"),
        },
        alt="Each person's link, with how many questions are answered and how many test questions rightly.",
    )


def _bring_in(study: Study) -> None:
    least = st.session_state[LEAST] / 100
    found, annotators, replaced = collecting.collect_named(study, least_tests=least)
    save_labels(study, found.labels, annotators, own=replaced)
    people = collecting.counted(len(found.people), "person", "people")
    first = f"In the study now: {collecting.counted(len(found.labels), 'label')} by {people}."
    st.session_state[MESSAGE] = "\n".join([first, *collecting.sentences(found, least)])


def _divided(study: Study, links: tuple[Link, ...]) -> None:
    """The documents without a majority among the people whose answers are in the study, one click from Read."""
    people = [link.annotator for link in links if link.annotator]
    labels = study.labels[study.labels["annotator"].isin(people)]
    left = collecting.divided(study, labels)
    if not left:
        return
    more = f", the first {MOST_BUTTONS} here" if len(left) > MOST_BUTTONS else ""
    html.quiet(f"No majority on {collecting.counted(len(left), 'document')}{more}, for an expert to decide on Read:")
    with st.container(horizontal=True, gap="xsmall"):
        for name in left[:MOST_BUTTONS]:
            st.button(
                html.literal(name), key=f"labelling_divided_{name}", on_click=guarded(going.to_undecided), args=(name,)
            )
