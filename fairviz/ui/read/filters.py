"""The row of filters above the documents."""

from itertools import combinations

import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import GENDERED
from fairviz.analyses.reading.filters import ANY, PAIR_SIGN, TIED, Catalogue, chosen_names
from fairviz.evaluation.study_facts import names_text
from fairviz.study.record import Study
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kit import pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.read import state as inspect_state
from fairviz.ui.read.state import PREFIX
from fairviz.ui.state import choices

COMPARED = 6  # annotators whose pairs are listed; of more, two are selected
DECIDED = {"": "decided or not", "undecided": "not decided yet", "decided": "decided"}
LABELLED = {"": "labelled or not", "unlabelled": "without a label", "labelled": "with a label"}
ORDERS = {
    "study": "order: the study's",
    "disagreement": "order: disagreement (entropy)",
    "exposure": "order: exposure received",
    "effect": "order: effect on the measure",
}


def filters(catalogue: Catalogue, effects: bool, reader: str = "") -> None:
    """Draw disagreement, query, order and search in a row, the other filters in a popover.

    effects: whether the order by effect is available. reader: the system whose order is that of the chosen query.
    """
    study = catalogue.study
    pair_column, query_column, order_column, search_column, more_column, clear_column = st.columns(
        [3, 3, 3, 2.4, 1.5, 0.9], gap="xsmall"
    )
    with pair_column:
        _draw_disagreement(catalogue)
    with query_column:
        _draw_query(study)
    orders = [name for name in ORDERS if (name != "effect" or effects) and (name != "exposure" or study.has("runs"))]
    texts = ORDERS | ({"study": f"order: rank in {reader}"} if reader else {})
    _draw_select(order_column, "Order", orders, "order", texts)
    pick.text(PREFIX + "search", "Search", place=search_column, placeholder="search text", label_visibility="collapsed")
    with more_column.popover("More filters", width="stretch"):
        _draw_more(catalogue)
    clear_column.button(
        "Clear",
        on_click=guarded(inspect_state.reset),
        help="Every document again, in the study's order.",
        width="stretch",
    )


def _draw_select(column, label: str, options, name: str, texts: pick.Texts) -> None:
    """Draw a select box that falls back to its first option if the study lacks the chosen one."""
    pick.select(PREFIX + name, label, options, place=column, texts=texts, hide_label=True)


def _draw_disagreement(catalogue: Catalogue) -> None:
    names = chosen_names(catalogue)
    pairs = [PAIR_SIGN.join(pair) for pair in combinations(names, 2)] if len(names) <= COMPARED else []
    current = st.session_state.get(PREFIX + "disagreement", "")
    if PAIR_SIGN in current and current not in pairs and set(current.split(PAIR_SIGN)) <= set(names):
        pairs.append(current)
    several = [ANY, TIED] if len(catalogue.voters) > 1 else []
    whose = names_text(catalogue.voters) if several else ""
    texts = {"": "all documents", ANY: f"{whose} disagree", TIED: f"no majority of {whose}"}
    _draw_select(st, "Which documents?", ["", *several, *pairs], "disagreement", texts)


def _draw_query(study: Study) -> None:
    ids = study.query_ids
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    texts[""] = "all queries" if ids else "no queries"
    _draw_select(st, "Query", ["", *ids], "query", texts)


def _draw_more(catalogue: Catalogue) -> None:
    study = catalogue.study
    names = chosen_names(catalogue)
    if len(names) > COMPARED:
        _draw_pair(names)
    left, right = st.columns(2)
    _draw_labelled(left, "Label", ["", *catalogue.labels], "label", "any label")
    _draw_labelled(right, "given by", ["", *names], "annotator", "anybody")
    _draw_comparison(left, right, study)
    columns = inspect_cache.columns(study)
    if not columns:
        choices.among(PREFIX + "column", ("",))
    else:
        _draw_labelled(left, "Column", ["", *columns], "column", "no column")
        values = columns.get(st.session_state[PREFIX + "column"], ())
        _draw_labelled(right, "holds", ["", *values], "value", "anything")
    _draw_select(left, "Labelled", list(LABELLED), "labelled", LABELLED)
    _draw_select(right, "Decided", list(DECIDED), "decided", DECIDED)
    if study.has("runs"):
        _draw_ranks(study)
    else:
        choices.among(PREFIX + "system", ("",))


def _draw_comparison(left, right, study: Study) -> None:
    """Draw which labels count where annotators disagree, as on the page Agreement."""
    if study.label_kind == "gender":
        texts = {"": "every label", GENDERED: "neutral or gendered"}
        _draw_select(left, "Labels that disagree", list(texts), "merged", texts)
    else:
        choices.among(PREFIX + "merged", ("",))
    empty = inspect_cache.partly_empty(study)
    if empty:
        texts = {"": "with every label"} | {name: f"without empty {name}" for name in empty}
        _draw_select(right, "Leave out labels without", list(texts), "filled", texts)
    else:
        choices.among(PREFIX + "filled", ("",))


def _draw_pair(names: tuple[str, ...]) -> None:
    """Draw the selection of two annotators, for more pairs than can be listed."""
    first_column, second_column, button_column = st.columns([2, 2, 1], vertical_alignment="bottom")
    first = first_column.selectbox("These two disagree", names, key="inspect_pair_first")
    second = second_column.selectbox("and", names, index=1, key="inspect_pair_second")
    button_column.button(
        "Show", on_click=guarded(_compare), args=(first, second), disabled=first == second, width="stretch"
    )


def _compare(first: str, second: str) -> None:
    st.session_state[PREFIX + "disagreement"] = PAIR_SIGN.join((first, second))


def _draw_labelled(column, label: str, options: list[str], name: str, empty_text: str) -> None:
    pick.select(PREFIX + name, label, options, place=column, texts={"": empty_text})


def _draw_ranks(study: Study) -> None:
    system_column, first_column, last_column = st.columns([2, 1, 1])
    _draw_labelled(system_column, "Ranked by", ["", *study.run_names], "system", "any system")
    pick.number(PREFIX + "first_rank", "from rank", place=first_column, min_value=1, step=1)
    to_end = "0: to the end of the list."
    pick.number(PREFIX + "last_rank", "to rank", place=last_column, min_value=0, step=1, help=to_end)
