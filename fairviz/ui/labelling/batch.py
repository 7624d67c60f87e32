"""One batch of documents for the holder of its link: guideline, a document at a time, answers, progress.

What is on the screen comes from the database at every run, so that an answer is counted once it is on the disk.
"""

from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from fairviz.annotation.forms import answering
from fairviz.annotation.forms.answering import COMMENT_LENGTH, GONE, MOVED, NAME_LENGTH, Batch, Question
from fairviz.annotation.forms.drawing import guideline_html
from fairviz.annotation.forms.serving import PAGE, PARAMETER, only_labelling
from fairviz.home.permissions import permissions
from fairviz.ui.kit import boundary, highlight, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import hand_over_keys
from fairviz.ui.shell import gate

AT, NAME, TOLD = "labelling_at", "labelling_name", "labelling_replaced"
STYLE = Path(__file__).with_name("batch.css")
KEYS = 9  # answers that a digit gives
REPLACED = (
    "Document {0:,} was answered elsewhere with this link: {1}. Your answer has replaced it; if that was not you, ask "
    "for your own link."
)
GUIDELINE_HEIGHT = 700
UNDECIDED = "I cannot decide"
ELSEWHERE = (
    "Labelling links do not open on this server.",
    "Ask whoever sent the link for another one: fairviz app --only-labelling serves them.",
)
DONE = "All {0:,} documents are answered and stored. You can close this page."


def alone() -> bool:
    """Return True if the labelling page is the only page, without sidebar and navigation: the address is a link to a
    batch, or the server shows nothing else."""
    path = urlsplit(st.context.url or "").path.rstrip("/")  # begins with the base path of a server
    return only_labelling() or PARAMETER in st.query_params or path.endswith(f"/{PAGE}")


def page() -> None:
    """The whole page; one line where the link opens nothing."""
    st.html(STYLE)
    boundary.show_problem()
    html.heading("Label documents", "Which gender is each document about?")
    is_here = only_labelling() or permissions().is_server or gate.is_owners_own()
    token = str(st.query_params.get(PARAMETER, ""))
    batch = answering.open_batch(token) if is_here else None
    if batch is None:
        html.message("info", *((GONE,) if is_here else ELSEWHERE))
        return
    if batch.gone:
        html.message("warning", MOVED)
    left, right = st.columns([13, 9], gap="medium")
    with left:
        number = _number_on_screen(batch)
        _progress(batch)
        if number:
            with st.container(border=True, gap="small"):
                _document(batch, answering.question(token, number))
        else:
            _end(batch)
    with right:
        _name(batch)
        with st.container(border=True, height=GUIDELINE_HEIGHT, key="labelling_guideline"):
            html.strong("Guideline")
            st.html(guideline_html(batch.guideline))


def _number_on_screen(batch: Batch) -> int:
    """Return the number of the question on screen, 0 at the end: after a refresh the first without an answer."""
    state = st.session_state
    if not 0 <= state.get(AT, -1) <= batch.questions:
        state[AT] = batch.open_from(1)
    return state[AT]


def _progress(batch: Batch) -> None:
    """Draw the number of answers, and the warning of the last one if there is any."""
    done = len(batch.answered)
    st.progress(done / batch.questions, text=f"{done:,} of {batch.questions:,} answered")
    if warning := st.session_state.pop(TOLD, None):
        html.message("warning", warning)


def _end(batch: Batch) -> None:
    """Draw what stands in place of a document after the last answer."""
    html.message("good", DONE.format(len(batch.answered)))
    st.button("Change an answer", key="labelling_again", on_click=guarded(_go), args=(batch.questions,))


def _name(batch: Batch) -> None:
    """Draw the field of the person's name."""
    st.session_state.setdefault(NAME, batch.name)
    st.text_input(
        "Your name (optional)", key=NAME, placeholder=batch.person, max_chars=NAME_LENGTH, disabled=batch.named,
        on_change=guarded(partial(_rename, batch.token)), help="Stored with your answers.",
    )  # fmt: skip


def _document(batch: Batch, question: Question) -> None:
    """Draw a document, a button with its key for each answer, the stored one, a comment, and the ways to others."""
    number = question.number
    title = f'<div class="fv-doctitle" dir="auto">{html.escape(question.title)}</div>' if question.title else ""
    suggested = f"Suggested: {html.escape(question.suggestion)}. Decide for yourself." if question.suggestion else ""
    st.html(
        f'{title}<div class="fv-text fv-read" dir="auto" tabindex="0" aria-label="Text of the document">'
        f'{html.escape(question.text)}</div><div class="fv-quiet">{suggested}</div>'
    )
    _answers(batch, question)
    stored = f"Stored: {_reply_text(question)}. Another answer replaces it."
    told = "no answer yet." if question.said == "nothing" else stored
    html.quiet(f"Document {number:,} of {batch.questions:,}: {told}")
    key = f"labelling_comment_{number}"
    st.session_state.setdefault(key, question.comment)
    st.text_area(
        "Comment (optional)", key=key, max_chars=COMMENT_LENGTH, height=68, on_change=guarded(_comment),
        args=(batch.token, number),
    )  # fmt: skip
    _ways(batch, number)
    hand_over_keys("".join(map(str, range(min(len(batch.choices), KEYS) + 1))))


def _answers(batch: Batch, question: Question) -> None:
    """Draw a button with its key for each answer, the stored one filled."""
    answers: list[tuple[str, answering.ReplyKind, str, str, str | None]] = [
        (f"{highlight.shape(label, batch.choices)} {html.literal(label)}", "label", label, str(place),
         str(place) if place <= KEYS else None)
        for place, label in enumerate(batch.choices, start=1)
    ]  # fmt: skip
    answers.append((UNDECIDED, "undecided", "", "undecided", "0"))
    with st.container(key="labelling_answers", horizontal=True, gap="small"):
        for text, reply, label, name, shortcut in answers:
            is_stored = question.said == reply and (reply == "undecided" or question.label == label)
            st.button(
                text, key=f"labelling_{question.number}_{name}",  # of this document: a late key answers no other
                shortcut=shortcut, type="primary" if is_stored else "secondary", on_click=guarded(_answer),
                args=(batch, question, reply, label),
            )  # fmt: skip


def _ways(batch: Batch, number: int) -> None:
    """Draw buttons to the question before this one, the next, and the first without an answer."""
    first = batch.open_from(1)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for text, name, shortcut, target, is_there in (
            ("Previous", "previous", "Left", number - 1, number == 1),
            ("Next", "next", "Right", number + 1, number == batch.questions),
            ("First without an answer" if first else "Finish", "first", None, first, first == number),
        ):
            st.button(
                text, key=f"labelling_{name}", shortcut=shortcut, disabled=is_there, on_click=guarded(_go),
                args=(target,),
            )  # fmt: skip


def _reply_text(question: Question) -> str:
    return question.label if question.said == "label" else UNDECIDED


def _answer(batch: Batch, question: Question, reply: answering.ReplyKind, label: str) -> None:
    """Store the answer; the next document without one opens, but who changed an answer stays to see it."""
    comment = st.session_state.get(f"labelling_comment_{question.number}", question.comment)
    before = answering.question(batch.token, question.number)
    answering.answer(batch.token, question.number, reply, label, comment)
    known = ((question.said, question.label), (reply, label))
    if before.said != "nothing" and (before.said, before.label) not in known:
        st.session_state[TOLD] = REPLACED.format(question.number, _reply_text(before))
    if question.said == "nothing":
        now = answering.open_batch(batch.token)
        _go(now.open_from(question.number + 1) if now else question.number)


def _comment(token: str, number: int) -> None:
    answering.comment_on(token, number, st.session_state[f"labelling_comment_{number}"])


def _go(number: int) -> None:
    st.session_state[AT] = number


def _rename(token: str) -> None:
    answering.rename(token, st.session_state[NAME])
