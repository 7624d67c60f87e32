"""What a reader of documents has chosen: filters in the session, the open document in the settings.

The reading room is one fragment: a click on Next draws it again, and nothing else of the page.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.annotation import adjudications
from fairviz.evaluation.choices import align_key, chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.inspection import occurrences
from fairviz.inspection.catalogue import Catalogue, chosen_names, spread
from fairviz.inspection.filters import PAIR_SIGN, Filters, of_query, select
from fairviz.study.study import Study
from fairviz.ui.inspect import ranked
from fairviz.ui.kept import inspect as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.state import address, choices, session

Array = np.ndarray
PREFIX = "inspect_"
KEPT, LIST = "inspect_kept", "inspect_list"
MORE = ("author", "onward")


class Room(NamedTuple):
    """The documents to read, in order, and the one that lies open.

    decisions: the latest of each document, as fairviz.annotation.adjudications gives them. decided (D,): the same as
    codes. chosen: places in the catalogue of the documents that pass the filters. at: where the open one stands in
    `chosen`, or the one that took its place. document: its place in the catalogue, -1 where there is none.
    """

    study: Study
    settings: Settings
    listed: Catalogue
    filters: Filters
    decisions: pd.DataFrame
    decided: Array
    chosen: Array
    at: int
    document: int

    @property
    def doc_id(self) -> str:
        """The name of the open document; empty where there is none."""
        return str(self.listed.doc_ids[self.document]) if self.document >= 0 else ""

    @property
    def inside(self) -> bool:
        """Whether the open document is one of the list."""
        return self.at < len(self.chosen) and bool(self.chosen[self.at] == self.document)


@dataclass(frozen=True, eq=False)
class Listed:
    """The list as it was last drawn: what it was made from, its documents, and where the open one stood.

    asked: what the reader asked for, study, filters and settings. key: all that the list depends on. moving: decisions,
    which change the list without the reader asking for another, and with the next run of the whole page the study.
    """

    asked: tuple
    key: tuple
    filters: Filters
    moving: tuple
    doc_ids: pd.Index
    chosen: Array
    at: int = 0


def begin() -> None:
    """Gives the widgets of who decides, which are in no link, what this session said when it was last here."""
    for name, value in st.session_state.get(KEPT, {}).items():
        st.session_state.setdefault(name, value)


def remember() -> None:
    """Keeps the values of the page's widgets, which Streamlit forgets while another page is shown."""
    names = [f"{PREFIX}{name}" for name in MORE]
    st.session_state[KEPT] = {name: st.session_state[name] for name in names if name in st.session_state}


def chosen_filters(listed: Catalogue) -> Filters:
    """The filters as their widgets stand; what this study does not hold is dropped."""
    study, names = listed.study, ("", *chosen_names(listed))
    values: dict[str, Any] = {
        field.name: st.session_state.get(PREFIX + field.name) or field.default for field in fields(Filters)
    }
    allowed = {
        "query": session.query_ids(study),
        "system": study.systems,
        "annotator": names,
        "label": listed.labels,
        "value": inspect_cache.columns(study).get(values["column"], ()),
    }
    values |= {name: "" for name, held in allowed.items() if values[name] not in held}
    values["column"] = values["column"] if values["value"] else ""
    if not set(filter(None, values["disagreement"].split(PAIR_SIGN))) <= {"any", *names}:
        values["disagreement"] = ""
    return Filters(**values)


def reset() -> None:
    """All documents again, in the study's order. For a button's on_click."""
    for field in fields(Filters):
        choices.take_back(PREFIX + field.name)


def room(study: Study, settings: Settings, effects: pd.DataFrame | None, effect_key: tuple) -> Room:
    """The reading room as it stands. effects: doc_id, priority for the order `effect`."""
    listed = inspect_cache.catalogue(study, settings)
    filters = chosen_filters(listed)
    decisions = adjudications.decisions(study)
    decided = spread(listed, decisions)
    moving = (tuple(decided[decided >= 0].tolist()), tuple(np.flatnonzero(decided >= 0).tolist()))
    key = (study.fingerprint, filters, align_key(study, settings), settings.tau, settings.system, effect_key)
    asked = (adjudications.origin(study), filters, *_chosen(study, settings))
    before = st.session_state.get(LIST)
    if before is None or (before.key, before.moving) != (key, moving):
        weights = _weights(study, settings, listed, filters, effects)
        chosen = select(listed, filters, decided, reach(study, settings, listed, filters), weights)
        held = Listed(asked, key, filters, moving, listed.doc_ids, chosen, before.at if before else 0)
    else:
        held = before
    if before is not None and before.filters.order != filters.order and not address.fresh():
        st.session_state["document"] = ""  # another order is read from its beginning
    at, document = _stand(listed, held, same_list=before is None or before.asked == asked)
    st.session_state[LIST] = replace(held, at=at)
    st.session_state["document"] = str(listed.doc_ids[document]) if document >= 0 else ""
    address.record_opened(str(listed.doc_ids[held.chosen[0]]) if len(held.chosen) else "")
    return Room(study, settings, listed, filters, decisions, decided, held.chosen, at, document)


def _chosen(study: Study, settings: Settings) -> tuple:
    """The settings that decide which documents pass a filter, as the reader chose them."""
    lexicon = chosen_lexicon(study, settings)
    return (settings.ties, settings.annotator, lexicon, settings.tokenizer, settings.tau, settings.system)


def _weights(
    study: Study, settings: Settings, listed: Catalogue, filters: Filters, effects: pd.DataFrame | None
) -> Array | None:
    if filters.order == "study" and filters.query:
        return -ranked.ranks(study, settings, listed, filters)
    if filters.order == "exposure" and study.has("runs"):
        return inspect_cache.exposure(study, settings, filters.query)
    if filters.order == "effect" and effects is not None:
        weights = np.full(len(listed.doc_ids), np.nan)
        weights[listed.doc_ids.get_indexer(pd.Index(effects["doc_id"], dtype="str"))] = effects["priority"]
        return weights
    return None


def reach(study: Study, settings: Settings, listed: Catalogue, filters: Filters) -> Array | None:
    """(D,) what query, system and ranks keep; None where they keep all."""
    ranked = bool(filters.system) or filters.first_rank > 1 or filters.last_rank > 0
    if ranked and study.has("runs"):
        places = cache.places(study, settings)
        ranks = (filters.first_rank, filters.last_rank)
        return occurrences.reached(places, listed.doc_ids, filters.system, *ranks, filters.query)
    return of_query(listed, filters.query) if filters.query else None


def _stand(listed: Catalogue, held: Listed, same_list: bool) -> tuple[int, int]:
    """Where the open document stands in the list, and its place in the catalogue.

    One that a decision has just taken out of the list stays open, and Next goes to the one that took its place. One
    that other filters leave out, or that the study does not hold, gives way to the first of the list.
    """
    place = listed.place(st.session_state["document"]) if st.session_state["document"] else -1
    hits = np.flatnonzero(held.chosen == place)  # none for -1
    if len(hits):
        return int(hits[0]), place
    if place >= 0 and same_list:
        return min(held.at, len(held.chosen)), place
    return 0, int(held.chosen[0]) if len(held.chosen) else -1


def step(by: int) -> None:
    """Opens the next (1) or the previous (-1) document of the list. For a button's on_click.

    Reads the session, not what was drawn, so that two quick presses go two documents on.
    """
    held: Listed = st.session_state[LIST]
    if not len(held.chosen):
        return
    inside = held.at < len(held.chosen) and held.doc_ids[held.chosen[held.at]] == st.session_state["document"]
    at = held.at + by if inside or by < 0 else held.at
    at = min(max(at, 0), len(held.chosen) - 1)
    st.session_state[LIST] = replace(held, at=at)
    open_document(str(held.doc_ids[held.chosen[at]]))


def open_document(doc_id: str) -> None:
    """Opens the document of this name. For callbacks."""
    st.session_state["document"] = doc_id
