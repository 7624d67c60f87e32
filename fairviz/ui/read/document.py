"""The open document: its text with words marked or shaded, and its ranks."""

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.analyses.reading import occurrences
from fairviz.analyses.reading.filters import words_of
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.ui.kept import gsr as stereotypes_cache
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.read import state
from fairviz.ui.read.state import Room
from fairviz.ui.state import going
from fairviz.words.counting import document_text
from fairviz.words.genderedness import text_genderedness
from fairviz.words.sentences import agreeing, decimal

SMALL = 120  # characters of a neighbour's text in its line


def text_card(room: Room) -> None:
    """Draw title and text, cut if long, with the word counts for measures of words."""
    st.html(highlight.style_sheet(room.study.groups, charts.theme()))
    document = document_row(room)
    text = None if document is None or pd.isna(document["text"]) else str(document["text"])
    name_column, switch_column, whole_column = st.columns([4.6, 2.9, 2.3], vertical_alignment="center", gap="xsmall")
    with name_column:
        _draw_head(room)
    is_shaded = pick.toggle("inspect_shade", "shade", place=switch_column, disabled=text is None, help=SHADE_HELP)
    title = "" if document is None else _title_html(room, str(document["title"]))
    if text is None:
        st.html(title or "<div></div>")
        html.message("info", "The study holds no text of this document.", "Add documents.tsv with doc_id and text.")
        return
    is_long = len(text) > highlight.MOST_CHARACTERS
    is_whole = is_long and whole_column.toggle(
        "show all", key=f"inspect_whole_{room.doc_id}", help=f"{len(text):,} characters"
    )
    visible_text = text if is_whole else highlight.cut(text)
    hidden_count = len(text) - len(visible_text)
    rest = f'<span class="fv-quiet"> … {hidden_count:,} more characters</span>' if hidden_count else ""
    body = _text_html(room, visible_text, is_shaded)
    with st.container(key="inspect_text"):
        st.html(
            f'{title}<div class="fv-text" dir="auto" tabindex="0" aria-label="Text of the document">{body}{rest}</div>'
        )
    _draw_facts(room, is_shaded)
    html.quiet(MARKS_END if len(visible_text) > MARKED_SURELY else "")


MARKED_SURELY = 2 * highlight.MOST_MARKS  # at least two characters a word: itself and a space
MARKS_END = f"Only the first {highlight.MOST_MARKS:,} words are marked."
SHADE_HELP = (
    "Genderedness of each word: purple towards female, orange towards male. Colours are centred on the vocabulary's "
    "mean; hover for raw g."
)


def document_row(room: Room) -> pd.Series | None:
    """Return the open document's row of the documents table; None without one."""
    return room.study.documents.iloc[room.document] if 0 <= room.document < len(room.study.documents) else None


def _title_html(room: Room, title: str) -> str:
    if not title:
        return ""
    lexicon, groups = chosen_lexicon(room.study, room.settings), room.study.groups
    marked = highlight.marked_html(highlight.cut(title, 300), lexicon, room.settings.tokenizer, groups)
    return f'<div class="fv-doctitle" dir="auto">{marked}</div>'


def _draw_head(room: Room) -> None:
    name = html.escape(highlight.cut(room.doc_id, 120))
    place = f"{room.at + 1:,} of {len(room.passing):,}" if room.inside else "not in the list any more"
    st.html(f'<div class="fv-doc fv-quiet"><bdi>{name}</bdi> · {place}</div>')


def _text_html(room: Room, text: str, is_shaded: bool) -> str:
    lexicon, tokenizer, groups = chosen_lexicon(room.study, room.settings), room.settings.tokenizer, room.study.groups
    if not is_shaded:
        return highlight.marked_html(text, lexicon, tokenizer, groups)
    direction, centre = stereotypes_cache.direction(room.settings), stereotypes_cache.centre(room.settings)
    return highlight.shaded_html(text, lexicon, tokenizer, groups, direction.of, centre)


def _draw_facts(room: Room, is_shaded: bool) -> None:
    """Draw the number of words of each group, the neutrality, and with shades the text's genderedness."""
    groups = room.study.groups
    counts, tokens, omega = words_of(room.catalogue, room.settings, room.document)
    parts = [
        f'<span class="fv-w{place}">{highlight.shape(group, groups)} {count} {html.escape(group)} '
        f"{agreeing(count, 'word')}</span>"
        for place, (group, count) in enumerate(zip(groups, counts, strict=True))
    ]
    parts.append(f"{tokens:,} words in all")
    parts.append(f"neutrality ω {omega:.2f} (τ = {room.settings.tau})")
    if is_shaded:
        parts.append(_genderedness(room))
    st.html(f'<div class="fv-facts fv-quiet">{"".join(f"<span>{part}</span>" for part in parts)}</div>')


def _genderedness(room: Room) -> str:
    text = document_text(room.study.documents.iloc[[room.document]]).iloc[0]
    direction = stereotypes_cache.direction(room.settings)
    g = float(text_genderedness(direction, [text], room.settings.stop_words)["g"].iloc[0])
    mean = decimal(stereotypes_cache.centre(room.settings), sign="+")
    raw = "undefined, as no word has a vector" if pd.isna(g) else decimal(g, sign="+")
    return f"genderedness g {raw} (the vocabulary's mean {mean})"


def standing_card(room: Room) -> None:
    """Draw the document's rank and share of attention for one query in each system, and its neighbours."""
    occurrence_rows = inspect_cache.all_occurrences(room.study, room.settings).of(room.doc_id)
    if occurrence_rows.empty:
        html.quiet("No run retrieves this document.")
        return
    queries = tuple(dict.fromkeys(occurrence_rows["query_id"]))
    texts = dict(zip(room.study.queries["query_id"], room.study.queries["text"], strict=True))
    query_column, system_column, button_column = st.columns([3, 2, 1.2], vertical_alignment="center", gap="xsmall")
    preferred_queries = [name for name in (room.filters.query, room.settings.query) if name in queries]
    usual = preferred_queries[0] if preferred_queries else None
    about = f"{len(queries)} queries retrieve it; the one with its best rank is first."
    query = pick.select(
        "inspect_standing", "Query", queries, usual, place=query_column, texts=texts, hide_label=True, help=about
    )
    systems = tuple(dict.fromkeys(occurrence_rows.loc[occurrence_rows["query_id"] == query, "system"]))
    default_system = state.reader(room.study, room.settings, replace(room.filters, query=query))
    name_list = "neighbours in {}".format
    system = pick.select(
        "inspect_neighbours", "Neighbours in", systems, default_system, place=system_column, texts=name_list,
        hide_label=True,
    )  # fmt: skip
    open_query = partial(going.to_query, query, (system,))
    help_text = "Every system's list of this query"
    button_column.button("Query", key="inspect_to_query", on_click=guarded(open_query), width="stretch", help=help_text)
    places = cache.places(room.study, room.settings)
    _draw_ranks(room, places, occurrence_rows, query)
    rank = int(
        occurrence_rows[(occurrence_rows["query_id"] == query) & (occurrence_rows["system"] == system)]["rank"].iloc[0]
    )
    _draw_neighbours(room, occurrences.neighbours(places, system, query, rank), rank)


def _draw_ranks(room: Room, places, occurrence_rows: pd.DataFrame, query: str) -> None:
    """Draw rank and share of attention in each system that retrieves the document."""
    table = occurrences.received(room.study, room.settings, places, occurrence_rows, query)
    ranked_rows = table[table["rank"] > 0].sort_values("rank", kind="stable")
    parts = [
        f"<span><b>{html.escape(name)}</b> rank {rank}, {share:.1%} of attention</span>"
        for name, rank, share in zip(ranked_rows["system"], ranked_rows["rank"], ranked_rows["share"], strict=True)
    ]
    missing_count = int((table["rank"] == 0).sum())
    parts += [f"<span>not retrieved by {missing_count} of {len(table)}</span>"] if missing_count else []
    st.html(f'<div class="fv-facts fv-quiet">{"".join(parts)}</div>')


def _draw_neighbours(room: Room, neighbours: pd.DataFrame, rank: int) -> None:
    """Draw the documents just above and below it in the list, with their labels and the beginning of their texts."""
    labels, theme = room.catalogue.labels, charts.theme()
    annotator = inspect_cache.annotator_key(room.study, room.settings)
    codes = room.catalogue.codes(annotator) if annotator else None
    lines = []
    for neighbour_rank, name in zip(neighbours["rank"], neighbours["doc_id"], strict=True):
        place = room.catalogue.place(name)
        code = int(codes[place]) if codes is not None and place >= 0 else -1
        chip = highlight.chip(labels[code] if code >= 0 else "", labels, theme) if labels else ""
        row_class = ' class="fv-own"' if neighbour_rank == rank else ""
        text = html.escape(_beginning(room, place, name))
        lines.append(f"<tr{row_class}><td>{neighbour_rank}</td><td>{chip}</td><td><bdi>{text}</bdi></td></tr>")
    st.html(f'<table class="fv-near">{"".join(lines)}</table>')


def _beginning(room: Room, place: int, name: str) -> str:
    """Return the beginning of a document: of its title, else of its text, else its name."""
    if not 0 <= place < len(room.study.documents):
        return name
    row = room.study.documents.iloc[place]
    text = str(row["title"]) or ("" if pd.isna(row["text"]) else str(row["text"][: SMALL + 40]))
    return " ".join(highlight.cut(text, SMALL).split()) or name
