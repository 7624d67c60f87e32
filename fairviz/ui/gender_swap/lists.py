"""The two lists of a query, as they are and with genders swapped, and the texts of a document before and after."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from fairviz.analyses.gender_swap.experiment import Collection
from fairviz.study.record import Study
from fairviz.ui.gender_swap.cards import Deck
from fairviz.ui.kit import highlight, html, pick
from fairviz.ui.kit.html import escape
from fairviz.ui.kit.side_by_side import Side, compact_html
from fairviz.ui.state import session
from fairviz.words.counterparts import Edit, apply_edits

LONGEST = 70  # characters of a document in a list
MOST_CHARACTERS = 4_000  # characters of a text before and after
MOST_RANKS = 50
MOST_DOCUMENTS = 500  # to choose from
DOCUMENT = "counterfactual_document"
_MARK = "background:rgba(123,63,160,.22);border-bottom:2px solid;border-radius:2px;padding:0 .1em;font-weight:600"


def lists_card(deck: Deck) -> list[str]:
    """The queries that move most, the two lists of the chosen one, and the way to the Query page. Gives the documents
    of these lists that changed."""
    with st.container(border=True, gap="xsmall", key="counterfactual_lists_card"):
        rows = deck.found.queries[deck.found.queries["system"] == deck.system]
        query_column, go = st.columns([6, 3], vertical_alignment="bottom", gap="small")
        with query_column:
            query = _picker(deck, rows)
        if go.button("Open on Query", key="counterfactual_to_query", width="stretch"):
            session.choose(query=query)
            st.switch_page("pages/query.py")
        names = [
            _names(run, deck.system, query) for run in (deck.found.experiment.original, deck.found.experiment.swapped)
        ]
        html.quiet(_values(rows, query))
        st.html(lists_html(names, _texts(deck, names), deck.settings.cutoff))
        edits = deck.found.experiment.collection.edits
        return [name for name in dict.fromkeys([*names[0], *names[1]]) if name in edits]


def _picker(deck: Deck, rows: pd.DataFrame) -> str:
    """The query: by name, what moves most first; empty for what moves most."""
    texts_by_query = {
        str(row["query_id"]): f"{_overlap_text(row['crbo'])}  {row['text'] or row['query_id']}"
        for row in rows.to_dict("records")
    }
    first = next(iter(texts_by_query))
    absent = f"not computed here: {deck.settings.query}"
    pick.query("Queries, what moves most first", texts_by_query, f"what moves most: {texts_by_query[first]}", absent)
    return deck.settings.query if deck.settings.query in texts_by_query else first


def _overlap_text(value: float) -> str:
    return "no list" if pd.isna(value) else f"{value:.3f}"


def _values(rows: pd.DataFrame, query: str) -> str:
    row = rows[rows["query_id"] == query].iloc[0]
    return (
        f"CRBO {_overlap_text(row['crbo'])}; placebo {_overlap_text(row['placebo'])}, with the words of the queries "
        f"spared {_overlap_text(row['placebo_spared'])}. ↑ ↓ places moved, ✳ only here, ⇄ its text was changed."
    )


def _names(run: pd.DataFrame, system: str, query: str) -> list[str]:
    rows = run[(run["system"] == system) & (run["query_id"] == query)]
    return [str(name) for name in rows.sort_values("rank")["doc_id"]]


def _texts(deck: Deck, names: Sequence[list[str]]) -> list[dict[str, str]]:
    """The beginning of each document's title and text as HTML, as it is and with genders swapped."""
    wanted = {name for each in names for name in each[: deck.settings.cutoff]}
    documents = deck.study.documents
    rows = documents[documents["doc_id"].isin(wanted)]
    edits = deck.found.experiment.collection.edits
    beginnings: list[dict[str, str]] = [{}, {}]
    for row in rows.to_dict("records"):
        name, parts = str(row["doc_id"]), [str(row["title"]), str(row["text"])]
        changed = edits.get(name, ([], []))
        sign = "⇄ " if name in edits else ""
        beginnings[0][name] = sign + _beginning(parts)
        beginnings[1][name] = sign + _beginning(
            [apply_edits(part, one) for part, one in zip(parts, changed, strict=True)]
        )
    return beginnings


def _beginning(parts: Sequence[str]) -> str:
    text = " ".join(filter(None, parts))
    beginning = highlight.cut(text, LONGEST)
    return beginning if len(beginning) == len(text) else f"{beginning} …"


def lists_html(names: Sequence[list[str]], texts: Sequence[dict[str, str]], cutoff: int) -> str:
    """Return the two lists side by side, with the moves of the second."""
    depth = min(cutoff, MOST_RANKS)
    before, after = (dict(enumerate(each[:depth], start=1)) for each in names)
    ranks_before = {name: rank for rank, name in enumerate(names[0], start=1)}
    return compact_html([Side("as it is", before, texts[0]), Side("genders swapped", after, texts[1], ranks_before)])


def document_card(study: Study, collection: Collection, first: Sequence[str] = ()) -> None:
    """A document before and after the swap, changed words marked, those that change most first. first: documents to
    offer before all others."""
    with st.expander("What the swap does to a document", key="counterfactual_document_card"):
        counts = collection.counts
        names = list(dict.fromkeys([*first, *sorted(counts, key=lambda one: -counts[one])]))[:MOST_DOCUMENTS]
        key = f"{DOCUMENT}_{abs(hash(tuple(first)))}"
        name = st.selectbox(
            f"A document that changes, of {len(collection.edits):,}", names, key=key, format_func=lambda one: one
        )
        rows = study.documents[study.documents["doc_id"] == name].to_dict("records")
        parts = [str(rows[0][part]) if isinstance(rows[0][part], str) else "" for part in ("title", "text")]
        left, right = st.columns(2, gap="small")
        for place, head, after in ((left, "as it is", False), (right, "genders swapped", True)):
            with place:
                html.strong(head)
                st.html(text_html(parts, collection.edits[str(name)], after))


def text_html(parts: Sequence[str], edits: Sequence[Sequence[Edit]], after: bool) -> str:
    """Title and text as HTML with the changed words marked, before or after; everything escaped."""
    title, text = (marked_html(part, one, after) for part, one in zip(parts, edits, strict=True))
    head = f'<div class="fv-doctitle">{title}</div>' if title else ""
    return f'{head}<div class="fv-text" tabindex="0">{text}</div>'


def marked_html(text: str, edits: Sequence[Edit], after: bool) -> str:
    """The beginning of a text as HTML: each changed piece marked, as it was or as it becomes."""
    excerpt, pieces, position = highlight.cut(text, MOST_CHARACTERS), [], 0
    for edit in edits:
        if edit.end > len(excerpt):
            break
        old = text[edit.start : edit.end]
        new, other = (edit.new, old) if after else (old, edit.new)
        pieces.append(escape(text[position : edit.start]))
        pieces.append(f'<mark style="color:inherit;{_MARK}" title="{escape(other)}">{escape(new)}</mark>')
        position = edit.end
    return "".join([*pieces, escape(excerpt[position:]), " …" if len(excerpt) < len(text) else ""])
