"""The row of filters above the documents."""

from itertools import combinations

import streamlit as st

from fairviz.inspection.catalogue import Catalogue, chosen_names
from fairviz.inspection.filters import PAIR_SIGN
from fairviz.study.study import Study
from fairviz.ui.inspect import state as inspect_state
from fairviz.ui.inspect.state import PREFIX
from fairviz.ui.kept import inspect as inspect_cache
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices, session

COMPARED = 6  # annotators whose pairs are listed one by one; of more, two are named
DECIDED = {"": "decided or not", "undecided": "not decided yet", "decided": "decided"}
LABELLED = {"": "labelled or not", "unlabelled": "without a label", "labelled": "with a label"}
ORDERS = {
    "study": "order: the study's",
    "disagreement": "order: disagreement (entropy)",
    "exposure": "order: exposure received",
    "effect": "order: effect on the measure",
}


def filters(listed: Catalogue, effects: bool, reader: str = "") -> None:
    """Disagreement, query, order and search in a row, the other filters in a popover. effects: whether the order by
    effect can be had. reader: the system in whose order the chosen query is read."""
    study = listed.study
    which, query, order, search, more, clear = st.columns([3, 3, 3, 2.4, 1.5, 0.9], gap="xsmall")
    with which:
        _disagreement(listed)
    with query:
        _query(study)
    orders = [name for name in ORDERS if (name != "effect" or effects) and (name != "exposure" or study.has("runs"))]
    texts = ORDERS | ({"study": f"order: rank in {reader}"} if reader else {})
    _pick(order, "Order", orders, "order", texts.__getitem__)
    choices.value_of(PREFIX + "search")
    search.text_input("Search", key=PREFIX + "search", placeholder="search text", label_visibility="collapsed")
    with more.popover("More filters", width="stretch"):
        _more(listed)
    clear.button(
        "Clear",
        on_click=guarded(inspect_state.reset),
        help="Every document again, in the study's order.",
        width="stretch",
    )


def _pick(place, label: str, options, name: str, shown) -> None:
    """A select box that falls back to its first option where the study does not hold the chosen one."""
    choices.among(PREFIX + name, options)
    place.selectbox(label, options, key=PREFIX + name, format_func=shown, label_visibility="collapsed")


def _disagreement(listed: Catalogue) -> None:
    names = chosen_names(listed)
    pairs: list[str] = []
    if len(names) <= COMPARED:
        pairs = [PAIR_SIGN.join(pair) for pair in combinations(names, 2)]
    else:
        current = st.session_state.get(PREFIX + "disagreement", "")
        pairs = [current] if set(current.split(PAIR_SIGN)) <= set(names) and PAIR_SIGN in current else []
    texts = {"": "all documents", "any": "annotators disagree"}
    _pick(st, "Which documents?", ["", "any", *pairs], "disagreement", lambda name: texts.get(name, name))


def _query(study: Study) -> None:
    ids = session.query_ids(study)
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    nothing = "all queries" if ids else "no queries"
    _pick(st, "Query", ["", *ids], "query", lambda name: texts.get(name, name) if name else nothing)


def _more(listed: Catalogue) -> None:
    study = listed.study
    names = chosen_names(listed)
    if len(names) > COMPARED:
        _two_of_many(names)
    left, right = st.columns(2)
    _labelled_pick(left, "Label", ["", *listed.labels], "label", "any label")
    _labelled_pick(right, "given by", ["", *names], "annotator", "anybody")
    columns = inspect_cache.columns(study)
    if not columns:
        choices.among(PREFIX + "column", ("",))
    else:
        _labelled_pick(left, "Column", ["", *columns], "column", "no column")
        values = columns.get(st.session_state[PREFIX + "column"], ())
        _labelled_pick(right, "holds", ["", *values], "value", "anything")
    _pick(left, "Labelled", list(LABELLED), "labelled", LABELLED.__getitem__)
    _pick(right, "Decided", list(DECIDED), "decided", DECIDED.__getitem__)
    if study.has("runs"):
        _ranks(study)
    else:
        choices.among(PREFIX + "system", ("",))


def _two_of_many(names: tuple[str, ...]) -> None:
    """Two annotators by name, where there are too many pairs to list."""
    left, right, button = st.columns([2, 2, 1], vertical_alignment="bottom")
    first = left.selectbox("These two disagree", names, key="inspect_pair_first")
    second = right.selectbox("and", names, index=1, key="inspect_pair_second")
    button.button("Show", on_click=guarded(_compare), args=(first, second), disabled=first == second, width="stretch")


def _compare(first: str, second: str) -> None:
    st.session_state[PREFIX + "disagreement"] = PAIR_SIGN.join((first, second))


def _labelled_pick(place, label: str, options: list[str], name: str, nothing: str) -> None:
    choices.among(PREFIX + name, options)
    place.selectbox(label, options, key=PREFIX + name, format_func=lambda value: value or nothing)


def _ranks(study: Study) -> None:
    system, first, last = st.columns([2, 1, 1])
    _labelled_pick(system, "Ranked by", ["", *study.systems], "system", "any system")
    choices.value_of(PREFIX + "first_rank")
    choices.value_of(PREFIX + "last_rank")
    first.number_input("from rank", 1, None, step=1, key=PREFIX + "first_rank")
    last.number_input("to rank", 0, None, step=1, key=PREFIX + "last_rank", help="0: to the end of the list.")
