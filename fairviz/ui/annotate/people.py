"""Labels by people: forms are made, watched, copied, collected and closed."""

from dataclasses import replace
from functools import partial
from random import SystemRandom
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import streamlit as st

from fairviz.analyses.reading.filters import TIED
from fairviz.annotation.forms.collecting import LEAST_TESTS, collect_named, divided, sentences, status
from fairviz.annotation.forms.database import DESIGNS, Sample, left_behind
from fairviz.annotation.forms.drawing import SamplePlan, guideline
from fairviz.annotation.forms.forms import Link, close, links, make_form
from fairviz.annotation.forms.serving import HERE, address, running_address
from fairviz.annotation.voters import (
    PEOPLE,
    annotator_names,
    is_machine,
    voter_groups,
    voting_labels,
)
from fairviz.correction.sampling import draw_sample
from fairviz.datasets import resolve, save_labels
from fairviz.declared import FORM
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import told_voters
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import gate, voters
from fairviz.ui.state import going, library
from fairviz.words.sentences import counted, first_listed

DOCUMENTS, EACH, TESTS, GUIDELINE = "form_documents", "form_people", "form_tests", "form_guideline"
RESULT, LEAST = "form_result", "form_least"
DESIGN, MACHINE = "form_design", "form_machine"
EVENLY = "evenly"
CHOICES = (EVENLY, *DESIGNS)
DESIGN_TEXTS = {
    EVENLY: "evenly over queries",
    "queries": "whole queries, at random",
    "documents": "documents, at random",
}
DESIGN_HELP = (
    "At random: these labels can correct a machine's labels of all. Whole queries: for every measure. "
    "Documents: for Exposure and its gap."
)
MEASURES = {"queries": "CWEx", "documents": "ExposureGap"}
TESTS_HELP = "One question in this number has a known answer; 0: none."
GUIDELINE_HELP = "Shown to everyone beside the documents."
ELSEWHERE = (
    "Links and answers are shown on the owner's machine only.",
    "Open this page there, or run: fairviz study-form STUDY --status",
)
UNSAVED = ("Save the study first: answers need a folder.", "Data has the button, under Add and save.")
LEAST_HELP = "In the CWEx paper: 80 %. Undecided counts as wrong."
ABOUT_LINKS = (
    "One link for each person: anyone who has it answers as that person. Links open on this machine alone.\n"
    "For other machines: fairviz app --only-labelling --address NAME"
)
MOST_BUTTONS = 12
MOST_NAMED = 8


def labels_here(study: Study, settings: Settings) -> None:
    """Draw how many labels people gave so far, and on how many documents the voters disagree."""
    people = voter_groups(study)[PEOPLE]
    if people:
        count = counted(int(study.labels["annotator"].isin(people).sum()), "label")
        html.quiet(f"{count} by people ({first_listed(people, MOST_NAMED)}). {voters.disagreement(study, settings)}")


def card(study: Study, settings: Settings) -> None:
    """Draw the study's forms with their progress and links, and the fields of a new one; on a machine other than the
    owner's one line alone."""
    is_elsewhere = not gate.manages_forms(study.name)
    if is_elsewhere or library.is_own(study):
        html.message("info", *(ELSEWHERE if is_elsewhere else UNSAVED))
        return
    try:
        form_links = tuple(link for link in links(study) if link.answers or not link.closed)
        left_forms = left_behind(study)
    except FairvizError as error:
        html.problem(error, "info")
        return
    if left_forms:
        # the study as the command line opens it: its name if known there, else its folder
        known_folder = resolve(study.name)
        is_known = known_folder is not None and study.folder and known_folder.resolve() == study.folder.resolve()
        name = study.name if study.folder is None or is_known else str(study.folder)
        for left in left_forms:
            html.message("warning", f"{left.description[:1].upper()}{left.description[1:]}.",
                         f"If it is this one, moved: {left.command(name)}")  # fmt: skip
    if RESULT in st.session_state:
        html.message(*st.session_state.pop(RESULT))
    if form_links:
        _draw_links(study, form_links)
        people = _people_of(study, form_links)
        _draw_collecting(study, settings, form_links, people)
        _draw_divided(study, people)
    _new_form(study, settings)


def _draw_links(study: Study, form_links: tuple[Link, ...]) -> None:
    """Draw a row for each link, and the addresses of the open ones, to be copied."""
    table = status(study, form_links)
    cells = pd.DataFrame(
        {
            "form": table["form"],
            "person": table["annotator"],
            "progress": table["answered"] / table["questions"],
            "answered": [f"{row.answered} of {row.questions}" for row in table.itertuples()],
            "undecided": table["undecided"],
            "tests right": [f"{row.tests_right} of {row.tests_answered}" for row in table.itertuples()],
            "state": ["closed" if link.closed else "open" for link in form_links],
        }
    )
    progress = st.column_config.ProgressColumn("progress", min_value=0, max_value=1, format="percent")
    st.dataframe(cells, key="form_table", hide_index=True, column_config={"progress": progress})
    # links open at the address of the app that runs, or of this page
    parts = urlsplit(str(st.context.url or HERE))
    server = running_address() or f"{parts.scheme}://{parts.netloc}"
    people = zip(table["annotator"], form_links, strict=True)
    addresses = [f"{name}: {address(link.token, server)}" for name, link in people if not link.closed]
    if addresses:
        html.quiet(ABOUT_LINKS)
        st.code("\n".join(addresses), language=None)


def _people_of(study: Study, form_links: tuple[Link, ...]) -> tuple[str, ...]:
    """Return the people of these links whose labels are collected."""
    asked = {link.annotator for link in form_links}
    return tuple(name for name in annotator_names(study) if name in asked)


def _draw_collecting(study: Study, settings: Settings, form_links: tuple[Link, ...], people: tuple[str, ...]) -> None:
    """Draw the least share of right test answers, and the buttons that collect answers, use the labels of the collected
    people, and close forms."""
    if any(link.tests for link in form_links):
        st.slider("Leave out people with fewer right test answers", 0, 100, round(100 * LEAST_TESTS), 5, "%d %%",
                  key=LEAST, help=LEAST_HELP)  # fmt: skip
    with st.container(horizontal=True, gap="small"):
        st.button("Collect labels", key="form_collect", disabled=not any(link.answers for link in form_links),
                  on_click=guarded(partial(_collect, study)))  # fmt: skip
        if people:
            voters.use_button(study, settings, people, "people_use")
        for form in dict.fromkeys(link.form for link in form_links if not link.closed):
            st.button(f"Close form {form}", key=f"form_close_{form}", help="Answers stay.",
                      on_click=guarded(partial(_close, study, form)))  # fmt: skip
        st.button("Refresh", key="form_refresh", help="Reads the progress again.")


def _draw_divided(study: Study, people: tuple[str, ...]) -> None:
    """Draw a button to each document on which the collected people have no majority."""
    names = divided(study, voting_labels(study, people)) if people else ()
    if not names:
        return
    more = f", the first {MOST_BUTTONS} here" if len(names) > MOST_BUTTONS else ""
    html.quiet(f"No majority of {told_voters(study, people)} on {counted(len(names), 'document')}{more}. Decide:")
    with st.container(horizontal=True, gap="xsmall"):
        for name in names[:MOST_BUTTONS]:
            st.button(html.literal(name), key=f"form_divided_{name}", on_click=guarded(going.to_disputed),
                      args=(name, TIED, "", "", "undecided", people))  # fmt: skip


def _new_form(study: Study, settings: Settings) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        plan = SamplePlan()
        machines = [name for name in annotator_names(study) if is_machine(study, name)]
        designs = CHOICES if machines and study.has("runs") else (EVENLY,)
        design: Any = st.selectbox("Drawn", designs, key=DESIGN, format_func=DESIGN_TEXTS.__getitem__, help=DESIGN_HELP)
        machine = st.selectbox("Machine", machines, key=MACHINE) if design != EVENLY else ""
        available = max(1, int(study.documents["text"].notna().sum())) if study.has("documents") else 1
        documents = st.number_input("Documents", *FORM["documents"].ends, min(plan.documents, available), key=DOCUMENTS)
        people = st.number_input("People for each", *FORM["per_document"].ends, plan.per_document, key=EACH)
        every = FORM["test_every"].ends
        tests = st.number_input("A test question in", *every, plan.test_every, key=TESTS, help=TESTS_HELP)
        text = ""
        with st.popover("Guideline"):
            text = st.text_area("Guideline", guideline(study, tests=bool(tests)), height=320, help=GUIDELINE_HELP,
                                key=f"{GUIDELINE}_{study.name}_{bool(tests)}")  # fmt: skip
        plan = SamplePlan(documents=int(documents), per_document=int(people), test_every=int(tests))
        make = partial(_make, study, plan, text, design, settings.changed(annotator=machine) if machine else None)
        st.button("Make links", key="form_make", type="primary", on_click=guarded(make))


def _make(study: Study, plan: SamplePlan, text: str, design: Any, settings: Settings | None) -> None:
    """Make a form: of a sample, with the machine of the settings that people are to correct, or evenly over queries."""
    start = ""
    sample: Sample | None = None
    if settings:
        seed = SystemRandom().randrange(2**31)
        sample = draw_sample(study, design, MEASURES[design], plan.documents, seed=seed, settings=settings)
        plan = replace(plan, documents=len(sample.documents))
        start = f"Drawn at random: {sample.text}, {counted(plan.documents, 'document')}. "
    form = make_form(study, plan, text, sample)
    count = len(links(study, form=form))
    st.session_state[RESULT] = ("good", f"{start}Form {form}: {counted(count, 'link')}.")


def _close(study: Study, form: int) -> None:
    count = close(study, form)
    st.session_state[RESULT] = ("good", f"Form {form}: {counted(count, 'link')} closed. Answers stay.")


def _collect(study: Study) -> None:
    least = st.session_state.get(LEAST, 100 * LEAST_TESTS) / 100
    answers, annotators, replaced = collect_named(study, least_tests=least)
    save_labels(study, answers.labels, annotators, own=replaced)
    text = f"{counted(len(answers.labels), 'label')} by {counted(len(answers.people), 'person', 'people')} collected."
    st.session_state[RESULT] = ("good", "\n".join([text, *sentences(answers, least)]))
