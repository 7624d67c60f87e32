"""One pair: both texts with the differing words marked, and each ranker's answers in both orders."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.judging import LOG_ODDS
from fairviz.output.recipes import Recipe
from fairviz.study.record import Study
from fairviz.ui.audit.cards import RANKER, Deck
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.html import escape
from fairviz.words.sentences import number

PAIR = "audit_pair"
MOST = 500  # pairs to choose from
SHOWN, QUERY, ANSWER = 4_000, 60, 120  # characters of a text, of a query in the list, and of an answer
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_MARK = "background:rgba(123,63,160,.22);border-bottom:2px solid;border-radius:2px;padding:0 .1em;font-weight:600"
_CELL = "padding:.15rem .5rem;border:0;text-align:left;vertical-align:top"


def pair_card(deck: Deck) -> None:
    """Draw, folded, a pair to choose, the largest gaps of the chosen ranker first; its texts, and all answers."""
    chosen = st.session_state.get(RANKER)
    chosen = chosen if chosen in deck.found.systems else deck.found.systems[-1]
    rows = deck.found.preferences()
    rows = rows[(rows["kind"] == deck.kind) & ((rows["judged"] == deck.judged) | (deck.judged == "all"))]
    own = rows[rows["system"] == chosen]
    with st.expander(f"The {len(own):,} pairs, word by word", key="audit_pair_card", type="compact"):
        names = pair_names(
            own, dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True)), deck.study.neutral
        )
        pair_column, more = st.columns([12, 2], gap="small", vertical_alignment="bottom")
        label = f"Pair, the largest gaps of {html.literal(chosen)} first"
        number_of = pick.select(PAIR, label, tuple(names), place=pair_column, texts=names)
        mine = rows[rows["pair"].astype("str") == number_of]
        with more:
            charts.table(rows.drop(columns="set"), "Every pair, a row a ranker.", "audit_pairs",
                         _recipe(deck), figure=False)  # fmt: skip
        row = mine.iloc[0].to_dict()
        left, right = st.columns(2, gap="small")
        texts = [_parts(deck.study, str(row[name])) for name in ("doc_id", "other_doc_id")]
        for place, side, group in ((left, 0, row["group"]), (right, 1, row["other"])):
            with place:
                html.strong(f"{group}: document {row['doc_id' if side == 0 else 'other_doc_id']}")
                st.html(text_html(texts, side))
        answers = deck.found.answers[deck.found.answers["pair"].astype("str") == number_of]
        st.html(answers_html(mine, answers, deck.found.integrity))


def _recipe(deck: Deck) -> Recipe:
    rows = {"kind": deck.kind, "judged": None if deck.judged == "all" else deck.judged}
    return deck.recipe(table="found.preferences().drop(columns='set')", rows=rows)


def pair_names(rows: pd.DataFrame, queries: dict[str, str], neutral: str) -> dict[str, str]:
    """Return the name of each pair in the list by its number, the largest gaps first, pairs with a neutral document
    last; at most MOST."""
    sizes = rows.assign(arm=rows["group"] == neutral, size=-rows["gap"].abs().fillna(-1))
    order = sizes.sort_values(["arm", "size", "pair"])
    return {
        str(
            row["pair"]
        ): f"{highlight.cut(queries.get(row['query_id'], ''), QUERY)} · {row['group']} / {row['other']}, "
        f"{row['judged']} · gap {number(row['gap'])}"
        for row in order.head(MOST).to_dict("records")
    }


def _parts(study: Study, name: str) -> list[str]:
    row = study.documents[study.documents["doc_id"] == name].iloc[0]
    return [str(row[part]) if isinstance(row[part], str) else "" for part in ("title", "text")]


def text_html(texts: Sequence[Sequence[str]], side: int) -> str:
    """Title and text of one document as HTML, what the other has not marked; everything escaped."""
    title, text = (marked_html(first, second, side) for first, second in zip(*texts, strict=True))
    head = f'<div class="fv-doctitle">{title}</div>' if title else ""
    return f'{head}<div class="fv-text" tabindex="0">{text}</div>'


def marked_html(first: str, second: str, side: int) -> str:
    """One of two texts as HTML with the words marked that differ; only the beginning of a long one.

    >>> marked_html("Her car", "His car", 0).replace(_MARK, "")
    '<mark style="color:inherit;">Her</mark> car'
    """
    pieces = [_PIECE.findall(highlight.cut(text, SHOWN)) for text in (first, second)]
    out = []
    for kind, *ends in SequenceMatcher(None, pieces[0], pieces[1], autojunk=False).get_opcodes():
        part = escape("".join(pieces[side][ends[2 * side] : ends[2 * side + 1]]))
        out.append(part if kind == "equal" or not part else f'<mark style="color:inherit;{_MARK}">{part}</mark>')
    whole = (first, second)[side]
    return "".join([*out, " …" if len(highlight.cut(whole, SHOWN)) < len(whole) else ""])


def answers_html(rows: pd.DataFrame, answers: pd.DataFrame, integrity: pd.DataFrame) -> str:
    """A row a ranker: who wins with either document first, a model's words, and the gap; everything escaped."""
    first = rows.iloc[0]
    heads = ("ranker", f"{first['group']} shown first", f"{first['other']} shown first", "gap, over both orders")
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in heads)
    asked_systems = set(integrity.loc[integrity["first_named"].notna() | (integrity["tokens_in"] > 0), "system"])
    body = []
    for row in rows.to_dict("records"):
        texts = answers.loc[answers["system"] == row["system"], "text"].tolist()
        cells = [row["system"], *(_answer_text(row, name, text) for name, text in zip(
            ("first_order", "second_order"), texts, strict=True))]  # fmt: skip
        if row["system"] not in asked_systems:
            cells[2] = "sees no order"
        unit = LOG_ODDS if row["system"] in asked_systems else "standard deviations"
        cells.append("unknown" if pd.isna(row["gap"]) else f"{number(row['gap'])} {unit}")
        body.append("".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells))
    lines = "".join(f"<tr>{cells}</tr>" for cells in body)
    return (
        f'<table style="font-size:.84rem;border-collapse:collapse" aria-label="Answers to this pair"><tr>{head}</tr>'
        f"{lines}</table>"
    )


def _answer_text(row: dict, name: str, text: str) -> str:
    """The winner of one order, and the model's words behind it."""
    winner = {"group": f"{row['group']} wins", "other": f"{row['other']} wins"}.get(row[name], row[name])
    excerpt = highlight.cut(" ".join(text.split()), ANSWER)
    return f"{winner}: “{excerpt}”" if excerpt else str(winner)
