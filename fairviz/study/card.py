"""Summary of a study: a card of ten lines for a terminal, a small table for a notebook."""

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairviz.study.study import Study

WIDTH = 100  # characters of a line's text
NAMED = 8  # systems, or annotators


def line(study: "Study") -> str:
    """Return `Study('football', queries=1, documents=8, runs=8, qrels=4, labels=8)`."""
    counts = (f"{part}={len(getattr(study, part))}" for part in ("queries", "documents", "runs", "qrels", "labels"))
    return f"Study({study.name!r}, {', '.join(counts)})"


def text(study: "Study") -> str:
    """Return ten lines: name and title, then the parts of the study."""
    return "\n".join([_short(_head(study)), *(f"{name:<11}{_short(value)}" for name, value in _rows(study))])


def table(study: "Study") -> str:
    """Return the card as HTML; text from data is escaped."""
    rows = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        f'<td style="text-align:left">{html.escape(_short(value))}</td></tr>'
        for name, value in _rows(study)
    )
    return f"<table><caption>{html.escape(_short(_head(study)))}</caption>{rows}</table>"


def _head(study: "Study") -> str:
    return f"{study.name}: {study.title}" if study.title else study.name


def _rows(study: "Study") -> list[tuple[str, str]]:
    groups = ", ".join((study.neutral, *study.groups))
    words = "the built-in list" if study.lexicon is None else f"its own list of {len(study.lexicon.words):,}"
    folder = "none" if study.folder is None else f"{study.folder}{' (read only)' if study.read_only else ''}"
    return [
        ("queries", f"{len(study.queries):,}"),
        ("documents", f"{len(study.documents):,}, {int(study.documents['text'].notna().sum()):,} with text"),
        ("runs", f"{_count(len(study.runs), 'line')} of {_listed(study.systems, 'system')}"),
        ("qrels", f"{_count(len(study.qrels), 'judgement')} of {_count(study.qrels['query_id'].nunique(), 'query')}"),
        ("labels", _labels(study)),
        ("groups", f"{groups}; protected: {study.protected}"),
        ("words", words),
        ("licence", study.licence or "not stated"),
        ("folder", folder),
    ]


def _labels(study: "Study") -> str:
    documents = study.labels["doc_id"].nunique()
    names = tuple(study.labels["annotator"].drop_duplicates())
    return f"{_count(documents, 'document')} by {_listed(names, 'annotator')}"


def _listed(names: tuple[str, ...], noun: str) -> str:
    """Return `2 systems: left, right`, the first few by name."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return _count(len(names), noun) + (f": {', '.join(names[:NAMED])}{more}" if names else "")


def _count(number: int, noun: str) -> str:
    plural = "queries" if noun == "query" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def _short(value: str) -> str:
    """Return any text as one short line."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in value).split())
    return plain if len(plain) <= WIDTH else f"{plain[: WIDTH - 1]}…"
