"""Text from data on a page: always escaped, never through Markdown (an image in Markdown would be fetched)."""

import html
import re
from collections.abc import Iterable

import streamlit as st

from fairviz.evaluation.spans import Sentence as Sentence
from fairviz.evaluation.spans import Span as Span
from fairviz.evaluation.spans import plain as plain

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!:$|~<>&^=\"'])")


def escape(text: object) -> str:
    """Text as HTML that shows exactly it."""
    return html.escape(str(text), quote=True)


def sentence_html(sentence: Sentence) -> str:
    """The spans as HTML, strong ones in bold."""
    return "".join(f"<b>{escape(span.text)}</b>" if span.strong else escape(span.text) for span in sentence)


def heading(title: str, question: str, caution: str = "") -> None:
    """The head of a page: its name, the question it answers, and how not to misread it."""
    note = f'<p class="fv-caution">{escape(caution)}</p>' if caution else ""
    head = f'<h1 class="fv-title">{escape(title)}</h1><p class="fv-question">{escape(question)}</p>'
    st.html(f'<div class="fv-head">{head}</div>{note}')


def box(kind: str, body: str, role: str = "note") -> None:
    """A box of HTML that is escaped already; `kind` is notice, info, good, warning or error."""
    st.html(f'<div class="fv-box fv-{kind}" role="{role}">{body}</div>')


def notice(sentence: Sentence) -> None:
    """The one computed sentence of what to notice."""
    if sentence:
        box("notice", sentence_html(sentence))


def lines(name: str, *sentences: Sentence) -> None:
    """Sentences of small print below one another, of this class in the style sheet."""
    st.html(f'<div class="fv-quiet {name}">{lines_html(*sentences)}</div>')


def lines_html(*sentences: Sentence) -> str:
    """Sentences below one another as HTML, empty ones left out."""
    return "".join(f"<div>{sentence_html(sentence)}</div>" for sentence in sentences if sentence)


def message(kind: str, text: str, remedy: str = "") -> None:
    """A message of one or more lines, and what to do about it, word for word."""
    lines = "<br>".join(escape(line) for line in text.split("\n"))
    below = "".join(f'<div class="fv-remedy">{escape(line)}</div>' for line in remedy.split("\n") if line)
    box(kind, lines + below, "alert" if kind == "error" else "note")


def facts(pairs: Iterable[tuple[str, object]]) -> None:
    """A line of counts: `2 queries · 40 documents`."""
    items = "".join(f"<span><b>{escape(value)}</b> {escape(name)}</span>" for name, value in pairs)
    st.html(f'<div class="fv-facts">{items}</div>')


def quiet(text: str) -> None:
    """A line of small print; nothing where there is nothing to say."""
    if text:
        st.html(f'<div class="fv-quiet">{escape(text)}</div>')


def strong(text: str) -> None:
    """A line in bold."""
    st.html(f"<b>{escape(text)}</b>")


def definitions(pairs: Iterable[tuple[str, str]]) -> None:
    """Names with what they mean beside them."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs if text)
    st.html(f'<dl class="fv-list">{items}</dl>')


def note(text: str) -> None:
    """A box with lines of text; nothing where there is nothing to say."""
    if text:
        message("info", text)


def literal(text: str) -> str:
    """Text for a widget's label, which Streamlit reads as Markdown: every sign that could mean something is escaped."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))
