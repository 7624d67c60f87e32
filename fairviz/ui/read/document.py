"""The open document: its text with words marked or shaded, its ranks, every annotator's label, and the reader's
decision with the effect of each label, the keys, the history and undo.

The reader's name is requested once and stored for the session, on request in a cookie of this app too, which is sent on
the next visit. A shared server never stores a name for its users.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.analyses.label_effects.label_effects import what_if
from fairviz.analyses.reading import occurrences
from fairviz.analyses.reading.filters import words_of
from fairviz.annotation import adjudications
from fairviz.annotation.adjudications import ADJUDICATED, Row
from fairviz.annotation.annotators.accounts import lost_answer
from fairviz.annotation.forms.drawing import guideline_html, study_guideline
from fairviz.annotation.voters import annotator_names, labels_alongside
from fairviz.annotation.voters import kind_of as named_kind
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import Theme
from fairviz.home.permissions import permissions, visitor
from fairviz.study.record import Study
from fairviz.ui.kept import gsr as stereotypes_cache
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.boundary import dialog, guarded
from fairviz.ui.kit.components import hand_over_keys
from fairviz.ui.read import state
from fairviz.ui.read.effects import Contest
from fairviz.ui.read.state import AUTHOR, ONWARD, Room
from fairviz.ui.state import going
from fairviz.words.counting import document_text
from fairviz.words.genderedness import text_genderedness
from fairviz.words.sentences import agreeing, decimal, first_listed

SMALL = 120  # characters of a neighbour's text in its line
MARKED_SURELY = 2 * highlight.MOST_MARKS  # at least two characters a word: itself and a space
MARKS_END = f"Only the first {highlight.MOST_MARKS:,} words are marked."
SHADE_HELP = (
    "Genderedness of each word: purple towards female, orange towards male. Colours are centred on the vocabulary's "
    "mean; hover for raw g."
)
LONG, LONGEST = 240, 5000  # characters of a rationale that are shown at first, and after a click
BESIDE = "Other machine labels (unused):"
GUIDELINE_HEIGHT = 420
OUTCOME = "inspect_outcome"
AUTHORS = "inspect_authors"  # names under which this session has decided
KEYS = 9  # labels with a digit as their key
REASON = "inspect_reason_{}"  # of a document
WAITING = "inspect_waiting"  # a decision without its reader's name yet: document, label
MOST_SYSTEMS = 2  # systems in a line, those with the largest changes
UNCHANGED = 5e-5  # differences below it are 0 with four decimals
LONGEST_NAME = 80
COOKIE = "fairviz_reader"
_ANSWERED, _KEPT, _COOKIE_READ = "inspect_name_asked", "inspect_name_kept", "inspect_name_seen"
_SWITCH, _NAME, _KEEP, _EMPTY = "inspect_remember", "inspect_who_name", "inspect_who_keep", "inspect_who_empty"
_YEAR = 365 * 24 * 3600


def document_card(room: Room, contest: Contest | None) -> None:
    """Draw the open document: text, labels, decision, and folded the guideline for labels."""
    if room.document < 0:
        return
    _draw_text(room)
    _draw_labels(room)
    _draw_decision(room, contest)
    _draw_guideline(room.study)


def _draw_text(room: Room) -> None:
    """Draw title and text, cut if long, with the word counts for measures of words."""
    study, settings, documents = room.study, room.settings, room.study.documents
    document = documents.iloc[room.document] if 0 <= room.document < len(documents) else None
    text = None if document is None or pd.isna(document["text"]) else str(document["text"])
    st.html(highlight.style_sheet(study.groups, charts.theme()))
    name_column, switch_column, whole_column = st.columns([4.6, 2.9, 2.3], vertical_alignment="center", gap="xsmall")
    with name_column:
        _draw_name(room)
    is_shaded = pick.toggle("inspect_shade", "shade", place=switch_column, disabled=text is None, help=SHADE_HELP)
    title = _title_html(study, settings, "" if document is None else document["title"])
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
    if len(visible_text) > MARKED_SURELY:
        rest += f'<div class="fv-quiet">{MARKS_END}</div>'
    body = _body_html(study, settings, visible_text, is_shaded=is_shaded)
    with st.container(key="inspect_text"):
        st.html(
            f'{title}<div class="fv-text" dir="auto" tabindex="0" aria-label="Text of the document">{body}{rest}</div>'
        )

    _draw_counts(room, is_shaded=is_shaded)


def _draw_name(room: Room) -> None:
    """Draw the document's id and its place in the list."""
    name = html.escape(highlight.cut(room.doc_id, 120))
    place = f"{room.at + 1:,} of {len(room.passing):,}" if room.inside else "not in the list any more"
    st.html(f'<div class="fv-doc fv-quiet"><bdi>{name}</bdi> · {place}</div>')


def _title_html(study: Study, settings: Settings, title: str) -> str:
    """Return the title with its words marked; empty without one."""
    if not title:
        return ""
    cut_title = highlight.cut(str(title), 300)
    marked = highlight.marked_html(cut_title, chosen_lexicon(study, settings), settings.tokenizer, study.groups)
    return f'<div class="fv-doctitle" dir="auto">{marked}</div>'


def _body_html(study: Study, settings: Settings, text: str, *, is_shaded: bool) -> str:
    """Return the text with the words of the list marked or, if shaded, every word coloured by its genderedness."""
    marking = (chosen_lexicon(study, settings), settings.tokenizer, study.groups)
    if not is_shaded:
        return highlight.marked_html(text, *marking)
    direction, centre = stereotypes_cache.direction(settings), stereotypes_cache.centre(settings)
    return highlight.shaded_html(text, *marking, direction.of, centre)


def _draw_counts(room: Room, *, is_shaded: bool) -> None:
    """Draw the number of words of each group, neutrality, and with shades the text's genderedness."""
    study, settings = room.study, room.settings
    counts, tokens, omega = words_of(room.catalogue, settings, room.document)
    parts = [
        f'<span class="fv-w{place}">{highlight.shape(group, study.groups)} {count} {html.escape(group)} '
        f"{agreeing(count, 'word')}</span>"
        for place, (group, count) in enumerate(zip(study.groups, counts, strict=True))
    ]
    parts += [f"{tokens:,} words in all", f"neutrality ω {omega:.2f} (τ = {settings.tau})"]
    if is_shaded:
        direction, centre = stereotypes_cache.direction(settings), stereotypes_cache.centre(settings)
        whole_text = document_text(study.documents.iloc[[room.document]]).iloc[0]
        g = float(text_genderedness(direction, [whole_text], settings.stop_words)["g"].iloc[0])
        raw = "undefined, as no word has a vector" if pd.isna(g) else decimal(g, sign="+")
        parts.append(f"genderedness g {raw} (the vocabulary's mean {decimal(centre, sign='+')})")
    _draw_facts(parts)


def _draw_facts(parts: Sequence[str]) -> None:
    st.html(f'<div class="fv-facts fv-quiet">{"".join(f"<span>{part}</span>" for part in parts)}</div>')


def standing_card(room: Room) -> None:
    """Draw the document's rank and share of attention for one query in each system, and its neighbours."""
    study, settings = room.study, room.settings
    found = inspect_cache.all_occurrences(study, settings).of(room.doc_id)
    if found.empty:
        html.quiet("No run retrieves this document.")
        return
    queries = tuple(dict.fromkeys(found["query_id"]))
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    query_column, system_column, button_column = st.columns([3, 2, 1.2], vertical_alignment="center", gap="xsmall")
    usual = next((name for name in (room.filters.query, settings.query) if name in queries), None)
    about = f"{len(queries)} queries retrieve it; the one with its best rank is first."
    query = pick.select(
        "inspect_standing", "Query", queries, usual, place=query_column, texts=texts, hide_label=True, help=about
    )
    systems = tuple(dict.fromkeys(found.loc[found["query_id"] == query, "system"]))
    reader = state.reader(study, settings, replace(room.filters, query=query))
    system = pick.select(
        "inspect_neighbours", "Neighbours in", systems, reader, place=system_column, texts="neighbours in {}".format,
        hide_label=True,
    )  # fmt: skip
    button_column.button(
        "Query", key="inspect_to_query", on_click=guarded(partial(going.to_query, query, (system,))), width="stretch",
        help="Every system's list of this query",
    )  # fmt: skip

    rankings = cache.aligned(study, settings)
    _draw_ranks(occurrences.received(study, settings, rankings, found, query))
    rank = int(found[(found["query_id"] == query) & (found["system"] == system)]["rank"].iloc[0])
    _draw_neighbours(room, occurrences.neighbours(rankings, system, query, rank), rank)


def _draw_ranks(table: pd.DataFrame) -> None:
    """Draw rank and share of attention in each system that retrieves the document."""
    ranked_rows = table[table["rank"] > 0].sort_values("rank", kind="stable")
    parts = [
        f"<b>{html.escape(name)}</b> rank {rank}, {share:.1%} of attention"
        for name, rank, share in zip(ranked_rows["system"], ranked_rows["rank"], ranked_rows["share"], strict=True)
    ]
    missing_count = int((table["rank"] == 0).sum())
    _draw_facts([*parts, *([f"not retrieved by {missing_count} of {len(table)}"] if missing_count else [])])


def _draw_neighbours(room: Room, near: pd.DataFrame, rank: int) -> None:
    """Draw the documents just above and below it, with their labels and the beginning of their texts."""
    catalogue = room.catalogue
    annotator = inspect_cache.annotator_key(room.study, room.settings)
    codes = catalogue.codes(annotator) if annotator else None
    lines = []
    for near_rank, name in zip(near["rank"], near["doc_id"], strict=True):
        place = catalogue.place(name)
        code = int(codes[place]) if codes is not None and place >= 0 else -1
        chip = _chip(room, catalogue.labels[code] if code >= 0 else "") if catalogue.labels else ""
        row_class = ' class="fv-own"' if near_rank == rank else ""
        text_html = f"<bdi>{html.escape(_beginning(room.study, place) or name)}</bdi>"
        lines.append(f"<tr{row_class}><td>{near_rank}</td><td>{chip}</td><td>{text_html}</td></tr>")
    st.html(f'<table class="fv-near">{"".join(lines)}</table>')


def _beginning(study: Study, place: int) -> str:
    """Return the beginning of the title or text of the document at this place; empty outside the study."""
    if not 0 <= place < len(study.documents):
        return ""
    row = study.documents.iloc[place]
    text = str(row["title"]) or ("" if pd.isna(row["text"]) else str(row["text"][: SMALL + 40]))
    return " ".join(highlight.cut(text, SMALL).split())


def _draw_labels(room: Room) -> None:
    """Draw every annotator's label of the open document; below, counts of the labels of automatic annotators that no
    measure uses, and after a click, or a tick on the page Annotate, each of these labels."""
    study, catalogue = room.study, room.catalogue
    own = study.labels[study.labels["doc_id"] == room.doc_id]
    names = annotator_names(study)
    lines = _label_lines(room, own[own["annotator"] != ADJUDICATED])
    if WORD_LIST in catalogue.annotators and WORD_LIST not in names:
        code = catalogue.codes(WORD_LIST)[room.document]
        kind = f"rule · live: {room.settings.tokenizer} tokens, τ = {room.settings.tau}"
        if code >= 0:
            lines.append(_label_line(WORD_LIST, _chip(room, catalogue.labels[code]), kind=kind))
    for name in names:  # language models whose answers on this document contain no label
        if named_kind(study, name) == "model" and name not in set(own["annotator"]):
            answer = lost_answer(study, name, room.doc_id)
            if answer is not None:
                remark = f"language model · {answer.outcome}{f': {answer.text}' if answer.text else ''}"
                lines.append(_label_line(name, "no label", remark))
    nobody = '<div class="fv-quiet">Nobody has labelled this document yet.</div>'
    st.html(f'<div class="fv-labels">{"".join(lines) or nobody}</div>')

    beside = labels_alongside(study)
    beside = beside[beside["doc_id"] == room.doc_id]
    if beside.empty:
        return
    counts = beside["label"].value_counts()
    counts_html = " ".join(
        f"{_chip(room, label)}&nbsp;×{counts[label]}" for label in catalogue.labels if label in counts
    )
    open_attribute = " open" if st.session_state.get(going.TICKED) == room.doc_id else ""
    st.html(
        f'<details class="fv-beside"{open_attribute}><summary><span class="fv-quiet">{BESIDE}</span> {counts_html}'
        f'</summary><div class="fv-labels">{"".join(_label_lines(room, beside, with_kinds=True))}</div></details>'
    )


def _label_lines(room: Room, labels: pd.DataFrame, *, with_kinds: bool = False) -> list[str]:
    """Return a line for each of these labels: annotator, label and remarks, which are the label's extra columns.
    with_kinds: the kind of annotator among the remarks; else it is the tooltip."""
    lines = []
    for _, row in labels.iterrows():
        name = str(row["annotator"])
        kind = kind_of(room.study, name)
        columns = row.drop(labels=["doc_id", "annotator", "label"]).dropna()
        texts = {str(key): str(value) for key, value in columns.items() if str(value)}
        remarks = [text if key == "rationale" else f"{key}: {text}" for key, text in texts.items()]
        shown = " · ".join([*([kind] if with_kinds and kind else []), *remarks])
        lines.append(_label_line(name, _chip(room, str(row["label"])), shown, kind))
    return lines


def _chip(room: Room, label: str) -> str:
    return highlight.chip(label, room.catalogue.labels, charts.theme())


def _label_line(name: str, chip: str, remark: str = "", kind: str = "") -> str:
    """Return annotator, label and remark as HTML; of a long remark the beginning, and the whole after a click."""
    title = f' title="{html.escape(kind)}"' if kind else ""
    if len(remark) > LONG:
        beginning, whole = html.escape(highlight.cut(remark, LONG)), html.escape(highlight.cut(remark, LONGEST))
        remark_html = f'<details class="fv-quiet"><summary>{beginning}</summary>{whole}</details>'
    else:
        remark_html = f'<span class="fv-quiet">{html.escape(remark)}</span>' if remark else ""
    return f"<span{title}><bdi>{html.escape(highlight.cut(name, 60))}</bdi> {chip} {remark_html}</span>"


def _draw_decision(room: Room, contest: Contest | None) -> None:
    """Draw buttons with their keys, the effect of each label, reason and author, and earlier decisions."""
    study, doc_id, labels = room.study, room.doc_id, room.catalogue.labels
    if WAITING in st.session_state:
        _ask_name(study)
    _draw_keys(room)
    hand_over_keys("".join(map(str, range(1, min(len(labels), KEYS) + 1))) + "upn")
    if message := st.session_state.pop(OUTCOME, None):
        html.message(*message)
    if contest is not None:
        _draw_consequences(room, contest)
    _draw_fields(doc_id)
    past = adjudications.history(study, doc_id)
    if not past.empty:  # every decision on the open document, the latest first
        lines = [decision_html(row, labels, charts.theme()) for _, row in past.iloc[::-1].iterrows()]
        st.html(f'<div class="fv-history">{"".join(lines)}</div>')


def _draw_keys(room: Room) -> None:
    """Draw a button a label, and those to undo a decision, to go back, and to go on."""
    study, doc_id, labels = room.study, room.doc_id, room.catalogue.labels
    current_label = labels[room.decided[room.document]] if room.decided[room.document] >= 0 else ""
    with st.container(key="inspect_keys", horizontal=True, gap="xsmall", vertical_alignment="center"):
        for number, label in enumerate(labels, start=1):
            st.button(
                f"{highlight.shape(label, labels)} {html.literal(label)}",
                key=f"decide_{number}_{doc_id}",  # of this document: a late key press has no effect on another
                shortcut=str(number) if number <= KEYS else None,
                type="primary" if label == current_label else "secondary",
                on_click=guarded(_decide),
                args=(study, doc_id, label),
            )
        last = _last_decision(study)
        st.button(
            "Undo", key="inspect_undo", shortcut="U", disabled=last is None, on_click=guarded(_undo), args=(study,),
            help=f"Takes back {last.label} for {last.doc_id}." if last else "You have decided nothing.",
        )  # fmt: skip
        st.button("Back", key="inspect_previous", shortcut="P", on_click=guarded(state.step), args=(-1,))
        st.button("Next", key="inspect_next", shortcut="N", on_click=guarded(state.step), args=(1,))


def _draw_fields(doc_id: str) -> None:
    """Draw the fields for reason and author, and the switch to open the next document after a decision."""
    reason_column, author_column, onward_column = st.columns([3.8, 2.3, 2.4], vertical_alignment="center", gap="xsmall")
    reason_column.text_input(
        "Reason", key=REASON.format(doc_id), placeholder="reason (optional)", label_visibility="collapsed",
        max_chars=2000,
    )  # fmt: skip
    with author_column:
        look: dict = {"label_visibility": "collapsed", "max_chars": LONGEST_NAME}
        if permissions().is_server:
            st.text_input("Your name", _author(), disabled=True, key="inspect_login", **look)
        else:
            st.text_input("Your name", key=AUTHOR, placeholder="your name", **look)
    onward_column.toggle("then next", key=ONWARD, help="A decision opens the next document.")


def _author() -> str:
    """Return the reader's name: on a server the login; empty without one."""
    person = visitor()
    return person.name if person is not None else str(st.session_state.get(AUTHOR) or "").strip()


def decision_html(row: pd.Series, labels: Sequence[str], theme: Theme) -> str:
    """Return one line of the history as HTML: time, author, label, reason."""
    chip = highlight.chip(str(row["label"]), labels, theme) if row["label"] else "<i>taken back</i>"
    author = html.escape(row["author"]) if row["author"] else "somebody without a name"
    reason = f": <bdi>{html.escape(row['reason'])}</bdi>" if row["reason"] else ""
    time = html.escape(str(row["time"])[:16].replace("T", " "))
    return f'<div><span class="fv-quiet">{time} UTC</span> <bdi>{author}</bdi> {chip}{reason}</div>'


def _decide(study: Study, doc_id: str, label: str) -> None:
    """Store the decision; once a session, if decisions can be stored, first open the dialog for the reader's name."""
    if not permissions().is_server and not _author() and not st.session_state.get(_ANSWERED):
        try:
            adjudications.store_path(study)
        except FairvizError:
            pass  # no name is requested for what cannot be stored
        else:
            st.session_state[WAITING] = (doc_id, label)
            return
    _store(study, doc_id, label)


def _store(study: Study, doc_id: str, label: str) -> None:
    reason, author = st.session_state.get(REASON.format(doc_id), ""), _author()
    try:
        adjudications.decide(study, doc_id, label, reason=reason, author=author)
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", f"Not stored: {error.message}", error.remedy)
        return
    st.session_state.setdefault(AUTHORS, set()).add(author)
    st.session_state[REASON.format(doc_id)] = ""
    if st.session_state.get(ONWARD):
        state.step(1)


def _drop_waiting() -> None:
    """Drop the waiting decision after the dialog was closed, and set the message about it."""
    doc_id, label = st.session_state.pop(WAITING)
    message = f"Not stored: {label} for {doc_id}. The question for your name was left."
    st.session_state[OUTCOME] = ("info", message, "Decide again; you can store it without a name.")


@dialog("Who decides?", on_dismiss=guarded(_drop_waiting))
def _ask_name(study: Study) -> None:
    """Draw the dialog for the name; its answer stores the waiting decision."""
    if WAITING not in st.session_state:
        st.rerun()
    doc_id, label = st.session_state[WAITING]
    answered = guarded(partial(_store_waiting, study))
    about = f"A name is stored with {label} for {doc_id}, so others see who decided. This question appears once."
    with st.form("inspect_who", border=False):
        st.text_input("Your name", key=_NAME, max_chars=LONGEST_NAME, help=html.literal(about))
        st.checkbox("Remember it in this browser, for later visits", key=_KEEP)
        name_column, nameless_column = st.columns(2)
        name_column.form_submit_button(
            "Store under this name", type="primary", width="stretch", on_click=answered, args=(True,)
        )
        nameless_column.form_submit_button("Store without a name", width="stretch", on_click=answered, args=(False,))
    if st.session_state.pop(_EMPTY, False):
        html.message("info", "No name was given.", "Write one, or choose “Store without a name”.")


def _store_waiting(study: Study, has_name: bool) -> None:
    """Store the name of the form, or its refusal, and the waiting decision; a missing name is asked for again."""
    if WAITING not in st.session_state:
        return
    name = str(st.session_state.get(_NAME) or "").strip() if has_name else ""
    if has_name and not name:
        st.session_state[_EMPTY] = True
        return
    st.session_state[_ANSWERED] = True
    st.session_state[AUTHOR] = name[:LONGEST_NAME]
    st.session_state[_KEPT] = bool(st.session_state.get(_KEEP)) and bool(name)
    _store(study, *st.session_state.pop(WAITING))


def _last_decision(study: Study) -> Row | None:
    """Return the reader's latest decision in this study, under the name of now or an earlier one of this session."""
    return adjudications.last_decision(study, {_author(), *st.session_state.get(AUTHORS, ())})


def _undo(study: Study) -> None:
    """Take back the reader's latest decision, wherever it was, and open its document."""
    try:
        last = _last_decision(study)
        if last is None:
            return
        adjudications.undo(study, last.doc_id, author=last.author)
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", f"Not undone: {error.message}", error.remedy)
        return
    state.open_document(last.doc_id)
    st.session_state[OUTCOME] = ("info", f"Taken back: {last.label} for {last.doc_id}.")


def _draw_guideline(study: Study) -> None:
    try:
        guideline = study_guideline(study)
    except FairvizError as error:
        html.problem(error)
        return
    if guideline:
        with (
            st.expander("Guideline", key="inspect_guideline", type="compact"),
            st.container(height=GUIDELINE_HEIGHT, border=False),
        ):
            st.html(guideline_html(guideline))


def _draw_consequences(room: Room, contest: Contest) -> None:
    """Draw a line with the effect on the measure for each label but the current one, and a popover with measure and
    exposures of every system before and after a change."""
    study, settings, doc_id = room.study, room.settings, room.doc_id
    rankings = cache.aligned(study, settings)
    current_label = contest.label_of(room)
    lines = []
    for label in room.catalogue.labels:
        if label != current_label:
            table = what_if(study, settings, contest.text, {doc_id: label}, rankings=rankings)
            lines.append(f"<div>If <b>{html.escape(label)}</b>: {consequence(table, contest.name)}</div>")
    text_column, popover_column = st.columns([7, 3], vertical_alignment="top", gap="xsmall")
    with text_column:
        head = f"<div>Now {_chip(room, current_label)} ({html.escape(contest.annotator)})</div>"
        st.html(f'<div class="fv-if">{head}{"".join(lines)}</div>')
    with popover_column.popover("All systems", on_change="rerun", key="inspect_figures") as popover:
        if not popover.open:
            return
        labels = [label for label in room.catalogue.labels if label != current_label]
        label = st.segmented_control(
            "If the label were", labels, default=labels[0], required=True, key="inspect_if", format_func=html.literal
        )
        change = {doc_id: label or labels[0]}
        names = (contest.text, *contest.exposures)
        parts = [what_if(study, settings, name, change, rankings=rankings).assign(measure=name) for name in names]
        order = ["measure", "system", "before", "after", "difference", "rank_before", "rank_after"]
        st.dataframe(pd.concat(parts)[order], hide_index=True, key="inspect_if_table", alt="Measures before and after.")


def draw_sum_of_decisions(room: Room, contest: Contest | None) -> None:
    """Draw the effect of all decisions together, in place of the current annotator's labels."""
    if contest is None or room.decisions.empty:
        return
    changes = dict(zip(room.decisions["doc_id"], room.decisions["label"], strict=True))
    table = what_if(room.study, room.settings, contest.text, changes, rankings=cache.aligned(room.study, room.settings))
    text = f"With every decision in place of {html.escape(contest.annotator)}: "
    st.html(f'<div class="fv-quiet">{text}{consequence(table, contest.name)}</div>')


def consequence(table: pd.DataFrame, name: str) -> str:
    """Return the changes as HTML: `CWEx of MiniLM +0.0041, 1 more; new order: BM25 3 → 2.`

    table: system, before, after, difference, rank_before, rank_after, from what_if. Systems with the largest changes
    are first, with both values where one of them is undefined; the others are counted.
    """
    changed = table[(table["difference"].abs() >= UNCHANGED) | (table["before"].isna() != table["after"].isna())]
    if changed.empty:
        return f"{html.escape(name)} unchanged."
    rows = changed.reindex(changed["difference"].abs().sort_values(ascending=False, kind="stable").index)
    texts = []
    for _, row in rows.head(MOST_SYSTEMS).iterrows():
        change = decimal(row["difference"], 4, sign="+")
        if np.isnan(row["difference"]):
            change = f"{decimal(row['before'])} → {decimal(row['after'])}"
        texts.append(f"<b>{html.escape(row['system'])}</b> {change}")
    rest = f", {len(changed) - len(texts)} more" if len(changed) > len(texts) else ""
    before, after = table["rank_before"], table["rank_after"]
    moved_rows = table[(before != after) & before.notna() & after.notna()]
    moves = [
        f"<b>{html.escape(row['system'])}</b> {int(row['rank_before'])} → {int(row['rank_after'])}"
        for _, row in moved_rows.iterrows()
    ]
    order = f'<span class="fv-moved">new order: {first_listed(moves, MOST_SYSTEMS)}</span>' if moves else "same order"
    return f"{html.escape(name)} of {', '.join(texts)}{rest}; {order}."


def read_cookie() -> None:
    """Read the reader's name from the cookie, once a session."""
    session = st.session_state
    if _COOKIE_READ in session or permissions().is_server:
        return
    session[_COOKIE_READ] = True
    name = unquote(dict(st.context.cookies.items()).get(COOKIE, "")).strip()[:LONGEST_NAME]
    if name:
        session[AUTHOR], session[_KEPT] = name, True


def write_cookie() -> None:
    """Set or delete the browser's cookie; nothing if the reader never chose to store a name."""
    if _KEPT not in st.session_state:
        st.html("<div></div>")
        return
    name = _author() if st.session_state[_KEPT] else ""
    cookie = f"{COOKIE}={quote(name, safe='')}; path=/; max-age={_YEAR if name else 0}; SameSite=Strict"
    st.html(f"<script>document.cookie = {json.dumps(cookie)};</script>", unsafe_allow_javascript=True)


def name_switch() -> None:
    """Draw the switch that stores the name in this browser or deletes it; nothing on a server, which has logins."""
    if permissions().is_server:
        return
    st.session_state[_SWITCH] = bool(st.session_state.get(_KEPT))
    st.toggle(
        "Remember my name in this browser", key=_SWITCH, disabled=not _author(), on_change=guarded(_read_switch),
        help="A cookie of this app only. Off: the name is forgotten with this tab.",
    )  # fmt: skip


def _read_switch() -> None:
    st.session_state[_KEPT] = st.session_state[_SWITCH]
