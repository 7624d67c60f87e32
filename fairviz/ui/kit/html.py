"""Text from data as escaped HTML, never through Markdown (an image in Markdown would be fetched)."""

import html
import re
from collections.abc import Iterable
from typing import Literal

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.home.permissions import permissions
from fairviz.words.sentences import Sentence

IN_MANUAL = "This page in the manual"
COPY = '<button type="button" class="fv-copy" title="Copy sentence" aria-label="Copy sentence"></button>'
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!:$|~<>&^=\"'])")


def escape(text: object) -> str:
    """Return the text with HTML's special characters escaped, quotes included."""
    return html.escape(str(text), quote=True)


def sentence_html(sentence: Sentence) -> str:
    """Return the spans as HTML, strong ones in bold."""
    return "".join(f"<b>{escape(span.text)}</b>" if span.strong else escape(span.text) for span in sentence)


def heading(title: str, question: str = "", manual: str = "") -> None:
    """Draw the head of a page: its title, a link to its page of the manual, and the question it answers.

    Title and question are elements whose scripts Streamlit loads with the page: they appear before any HTML or figure
    can. manual: the address; without it there is no link.
    """
    with st.container(key="heading", horizontal=True, vertical_alignment="bottom", gap=None):
        st.title(literal(title), anchor=False, width="content")
        if manual:
            link = f'class="fv-manual" href="{escape(manual)}" target="_blank" title="{IN_MANUAL}"'
            st.html(f'<a {link} aria-label="{IN_MANUAL}">?</a>', width="content")
        if question:
            st.markdown(literal(question), width="content")


def box(kind: str, body: str, role: str = "note") -> None:
    """Draw a box of HTML, which is already escaped; `kind` is notice, info, good, warning or error."""
    st.html(f'<div class="fv-box fv-{kind}" role="{role}">{body}</div>')


def findings(*sentences: Sentence, small: bool = False) -> None:
    """Draw computed sentences below one another, each with a button that copies it; nothing if all are empty. small: as
    small print, without a box."""
    if not any(sentences):
        return
    if small:
        st.html(f'<div class="fv-quiet">{findings_html(*sentences)}</div>')
    else:
        box("notice", findings_html(*sentences))


def findings_html(*sentences: Sentence) -> str:
    """Return sentences as HTML, each with a button that copies it (`charts.copy_sentences`), without the empty
    ones."""
    return "".join(f"<div>{sentence_html(sentence)}{COPY}</div>" for sentence in sentences if sentence)


def lines(name: str, *sentences: Sentence) -> None:
    """Draw sentences of small print below one another; `name` is their class in the style sheet."""
    st.html(f'<div class="fv-quiet {name}">{lines_html(*sentences)}</div>')


def lines_html(*sentences: Sentence) -> str:
    """Return sentences below one another as HTML, without the empty ones."""
    return "".join(f"<div>{sentence_html(sentence)}</div>" for sentence in sentences if sentence)


def message(kind: str, text: str, remedy: str = "") -> None:
    """Draw a message of one or more lines and its remedy, both escaped; on a server without its folders, but for its
    owner."""
    text, remedy = permissions().without_paths(text), permissions().without_paths(remedy)
    lines = "<br>".join(escape(line) for line in text.split("\n"))
    remedy_lines = "".join(f'<div class="fv-remedy">{escape(line)}</div>' for line in remedy.split("\n") if line)
    box(kind, lines + remedy_lines, "alert" if kind == "error" else "note")


def problem(error: FairvizError | None, kind: str = "error") -> None:
    """Draw the message of an error with its remedy; nothing without one. kind: `info` where a value is undefined."""
    if error is not None:
        message(kind, error.message if kind == "error" else f"{error.message.rstrip('.')}.", error.remedy)


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    """Draw a line of counts: `2 queries · 40 documents`."""
    items = "".join(f"<span><b>{escape(value)}</b> {escape(name)}</span>" for name, value in pairs)
    st.html(f'<div class="fv-facts">{items}</div>')


def badges(items: Iterable[tuple[str, str]]) -> None:
    """Draw short facts as badges: (text, tone), the tone being empty or `caution`."""
    spans = "".join(
        f'<span class="fv-badge {tone and f"fv-badge-{tone}"}">{escape(text)}</span>' for text, tone in items
    )
    st.html(f'<div class="fv-facts">{spans}</div>')


def quiet(text: str) -> None:
    """Draw a line of small print; nothing if the text is empty."""
    if text:
        st.html(f'<div class="fv-quiet">{escape(permissions().without_paths(text))}</div>')


def tooltip(*texts: str) -> str:
    """Return the texts as the help of an element, a line each, without empty ones; on a server without its folders."""
    return "  \n".join(literal(permissions().without_paths(text)) for text in texts if text)


def strong(text: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a line in bold."""
    st.html(f"<b>{escape(text)}</b>", width=width)


def definitions(pairs: Iterable[tuple[str, str]]) -> None:
    """Draw names with their definitions, without those whose definition is empty."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs if text)
    st.html(f'<dl class="fv-list">{items}</dl>')


def note(text: str) -> None:
    """Draw a box with lines of text; nothing if the text is empty."""
    if text:
        message("info", text)


def literal(text: str) -> str:
    """Return text for a widget's label with every Markdown character escaped, as Streamlit reads labels as Markdown."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))
