"""The page Class board: the pair and the measure, the entry of the visitor, links that are pasted, and the strip of
verdicts."""

from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from fairviz.annotation.voters import annotator_names
from fairviz.comparison.board import COLUMNS, Entry, entries_of, read_links, sentence, varied, verdicts
from fairviz.comparison.family import how_on_pages, preferred
from fairviz.comparison.pairs import Row
from fairviz.datasets.board import clear, links, put_link, remove_link
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings, to_query
from fairviz.figures import specification_curve
from fairviz.home.permissions import OWNER, VIEWER, permissions, visitor
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import frame
from fairviz.ui.state import pair
from fairviz.words.sentences import Span
from fairviz.words.vectors import offered

NAME, PASTED, SAID = "board_own_name", "board_links", "board_said"  # of the session, not in the address
FORM = "name: http://…/?study=…"
ALIKE = "All entries share queries and lists: many verdicts are no independent evidence."
ALT = "Each entry: how much fairer the first system is, its interval, and the choices."


@dataclass(frozen=True)
class BoardDeck:
    """The data of the strip. pair: system and baseline."""

    study: Study
    pair: tuple[str, str]
    measure: Question


def deck(study: Study, settings: Settings, request: Asked) -> BoardDeck:
    """Draw the choices of systems and measure. The study has two systems or more."""
    systems = chosen_systems(study, settings)
    left, middle, right, most = st.columns([4, 4, 4, 4], gap="small", vertical_alignment="bottom")
    chosen = pair.chosen(systems, preferred(systems, how_on_pages(study, settings)))
    pick.pair(systems, chosen, ("System", "Against"), (left, middle))
    names = {question.name: question for question in request.questions}
    measure = pick.select(pair.MEASURE, "Measure", tuple(names), place=right)
    pick.toggle("board_annotators", "Each annotator", place=most, help="A point for each annotator of the study.")
    return BoardDeck(study, chosen, names[measure])


def own_entry(study: Study, settings: Settings) -> None:
    """Draw the buttons that put the settings on the board and take them off, and the field for links."""
    person = visitor()
    login = person.name if person is not None else ""
    if permissions().allows(study.name, VIEWER) and not permissions().is_demo():
        name, add, remove, wipe = st.columns([4, 3, 3, 3], gap="small", vertical_alignment="bottom")
        typed = login or name.text_input("Your name", key=NAME, max_chars=60)
        if login:
            name.markdown(f"You are {html.literal(login)}.")
        act = partial(_change, study, typed)
        add.button("Add my settings", key="board_add", type="primary", width="stretch",
                   on_click=guarded(partial(act, "add", urlencode(to_query(settings), doseq=True))))  # fmt: skip
        remove.button("Remove mine", key="board_remove", width="stretch", on_click=guarded(partial(act, "remove", "")))
        if permissions().allows(study.name, OWNER):
            wipe.button(
                "Clear the board", key="board_clear", width="stretch", on_click=guarded(partial(act, "clear", ""))
            )
    if (error := st.session_state.pop(SAID, None)) is not None:
        html.problem(error)
    links_column, again = st.columns([10, 3], gap="small")
    with links_column, st.expander("Paste links", key="board_paste", type="compact"):
        st.text_area("A link a line, with a name before it", key=PASTED, placeholder=FORM, height=140)
    again.button("Show new entries", key="board_again", width="stretch")


def _change(study: Study, name: str, deed: str, query: str) -> None:
    try:
        if deed == "add":
            put_link(study, name, query)
        elif deed == "remove":
            remove_link(study, name)
        else:
            clear(study)
    except FairvizError as error:
        st.session_state[SAID] = error


def entries(study: Study, settings: Settings) -> list[Entry]:
    """Return the entries of the board, the pasted ones, and the annotators of the study if they are asked for."""
    found = entries_of(links(study), study.name, offered())
    found += read_links(st.session_state.get(PASTED) or "", study.name, offered())
    if st.session_state.get("board_annotators"):
        found += [Entry(name, settings.changed(annotator=name)) for name in annotator_names(study)]
    return found


def board(deck: BoardDeck, found: list[Entry]) -> None:
    """Draw the strip, a point an entry, its sentence and its table."""
    if not found:
        frame.leave("Nobody is on the board yet.", "Add your settings, paste links, or show each annotator.")
    table = verdicts(found, deck.measure, deck.pair, partial(_row, deck))
    html.findings([Span(f"{sentence(table, deck.pair)} {ALIKE}")])
    counting = table[table["problem"] == ""]
    curve = specification_curve.info(
        counting, deck.pair, varied([entry for entry in found if not entry.problem]), noun="entry"
    )
    with st.container(border=True, gap="xsmall", key="board_card"):
        styles = charts.styles(deck.study)
        figure = specification_curve.draw(curve, {name: styles[name] for name in deck.pair}, charts.theme())
        charts.chart(figure, curve.alt, "board_strip")
    shown = table[list(COLUMNS)]
    grids.grid(shown.drop(columns="problem")[table["problem"] == ""], ALT, "board_table")
    refused = table[table["problem"] != ""]
    if len(refused):
        lines = [f"{row['name']}: {row['problem']}" for row in refused.to_dict("records")]
        html.problem(FairvizError("\n".join(lines), "These entries are not counted."), "warning")


def _row(deck: BoardDeck, settings: Settings) -> Row | None:
    """Return the comparison of the pair under an entry's settings, kept like that of any page."""
    compared = tables.comparison(deck.study, (deck.measure.name,), settings, deck.pair[1])
    rows = [row for rows in compared.rows.values() for row in rows]
    return rows[0] if rows else None
