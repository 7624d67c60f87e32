"""The choices of a reader of documents: filters in the session, the open document in the settings, and their list.

The reading room is one fragment: a click on Next redraws only this fragment.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import GENDERED
from fairviz.analyses.reading import occurrences
from fairviz.analyses.reading.filters import (
    ANY,
    PAIR_SIGN,
    TIED,
    Catalogue,
    Filters,
    chosen_names,
    of_query,
    select,
    spread,
)
from fairviz.annotation import adjudications
from fairviz.evaluation.choices import align_key, chosen_lexicon, chosen_systems
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.tables import expanded
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kept import tables as cache
from fairviz.ui.state import address, choices

Array = np.ndarray
PREFIX = "inspect_"
AUTHOR, ONWARD = PREFIX + "author", PREFIX + "onward"
KEPT, LIST = "inspect_kept", "inspect_list"


class Room(NamedTuple):
    """The documents to read, in order, and the open one.

    decisions: the latest of each document, from fairviz.annotation.adjudications. decided (D,): these decisions as
    codes. passing: places in the catalogue of the documents that pass the filters. at: the position in `passing` of the
    open document, or of its successor. document: its place in the catalogue, -1 for none. reader: the system that
    orders the chosen query's documents, see `reader`.
    """

    study: Study
    settings: Settings
    catalogue: Catalogue
    filters: Filters
    decisions: pd.DataFrame
    decided: Array
    passing: Array
    at: int
    document: int
    reader: str

    @property
    def doc_id(self) -> str:
        """Name of the open document; empty without one."""
        return str(self.catalogue.doc_ids[self.document]) if self.document >= 0 else ""

    @property
    def inside(self) -> bool:
        """Return True if the open document is in the list."""
        return self.at < len(self.passing) and bool(self.passing[self.at] == self.document)


@dataclass(frozen=True, eq=False)
class Listing:
    """The last list: its inputs, its documents, and the position of the open one.

    request: study, filters and settings of the reader's choice. key: everything that the list depends on, but the
    decisions (`moving`), which change the list, and on the next run of the whole page the study, without a new choice.
    """

    request: tuple
    key: tuple
    filters: Filters
    moving: tuple
    doc_ids: pd.Index
    passing: Array
    at: int = 0


def begin() -> None:
    """Restore the widgets that no link contains to their last values in this session."""
    for name, value in st.session_state.get(KEPT, {}).items():
        st.session_state.setdefault(name, value)


def remember() -> None:
    """Store the values of the page's widgets, which Streamlit deletes while another page is shown."""
    names = (AUTHOR, ONWARD)
    st.session_state[KEPT] = {name: st.session_state[name] for name in names if name in st.session_state}


def chosen_filters(catalogue: Catalogue) -> Filters:
    """Return the filters from their widgets, without values that this study lacks."""
    study, names = catalogue.study, ("", *chosen_names(catalogue))
    values: dict[str, Any] = {
        field.name: st.session_state.get(PREFIX + field.name) or field.default for field in fields(Filters)
    }
    allowed = {
        "merged": (GENDERED,) if study.label_kind == "gender" else (),
        "filled": inspect_cache.partly_empty(study),
        "query": study.query_ids,
        "system": study.run_names,
        "annotator": names,
        "label": catalogue.labels,
        "value": inspect_cache.columns(study).get(values["column"], ()),
    }
    values |= {name: "" for name, options in allowed.items() if values[name] not in options}
    values["column"] = values["column"] if values["value"] else ""
    if not set(filter(None, values["disagreement"].split(PAIR_SIGN))) <= {ANY, TIED, *names}:
        values["disagreement"] = ""
    return Filters(**values)


def reset() -> None:
    """Reset the filters to all documents, in the study's order. For a button's on_click."""
    for field in fields(Filters):
        choices.take_back(PREFIX + field.name)


def room(study: Study, settings: Settings, effects: pd.DataFrame | None, effect_key: tuple) -> Room:
    """Return the current reading room. effects: doc_id, priority for the order `effect`."""
    catalogue = inspect_cache.catalogue(study, settings)
    filters = chosen_filters(catalogue)
    system = reader(study, settings, filters)
    decisions = adjudications.decisions(study)
    decided = spread(catalogue, decisions)
    moving = (tuple(decided[decided >= 0].tolist()), tuple(np.flatnonzero(decided >= 0).tolist()))
    chosen = (settings.voters, settings.tau, settings.system)
    key = (study.fingerprint, filters, align_key(study, settings), *chosen, effect_key)
    words = (chosen_lexicon(study, settings), settings.tokenizer, settings.tau)
    request = (
        adjudications.origin(study), filters, settings.ties, settings.annotator, settings.voters, *words,
        settings.system,
    )  # fmt: skip
    last: Listing | None = st.session_state.get(LIST)
    if last is not None and (last.key, last.moving) == (key, moving):
        listing = last
    else:
        passing = _passing(study, settings, catalogue, filters, decided, effects, system)
        listing = Listing(request, key, filters, moving, catalogue.doc_ids, passing, last.at if last else 0)
    if last is not None and last.filters.order != filters.order and not address.fresh():
        st.session_state["document"] = ""  # a new order starts at its first document

    # A document that a decision has just removed from the list stays open, and Next opens its successor. One that new
    # filters exclude, or that the study lacks, is replaced by the first of the list.
    passing = listing.passing
    document = catalogue.place(st.session_state["document"]) if st.session_state["document"] else -1
    positions = np.flatnonzero(passing == document)  # none for -1
    if len(positions):
        at = int(positions[0])
    elif document >= 0 and (last is None or last.request == request):
        at = min(listing.at, len(passing))
    else:
        at, document = 0, int(passing[0]) if len(passing) else -1
    st.session_state[LIST] = replace(listing, at=at)
    st.session_state["document"] = str(catalogue.doc_ids[document]) if document >= 0 else ""
    address.record_opened(str(catalogue.doc_ids[passing[0]]) if len(passing) else "")
    return Room(study, settings, catalogue, filters, decisions, decided, passing, at, document, system)


def _passing(
    study: Study, settings: Settings, catalogue: Catalogue, filters: Filters, decided: Array,
    effects: pd.DataFrame | None, system: str,
) -> Array:  # fmt: skip
    """Return the places in the catalogue of the documents that pass the filters, in their order."""
    has_runs, weights = study.has("runs"), None
    if filters.order == "study" and filters.query:
        weights = -ranks(study, settings, catalogue, filters, system)
    elif filters.order == "exposure" and has_runs:
        weights = inspect_cache.exposure(study, settings, filters.query)
    elif filters.order == "effect" and effects is not None:
        weights = np.full(len(catalogue.doc_ids), np.nan)
        weights[catalogue.doc_ids.get_indexer(pd.Index(effects["doc_id"], dtype="str"))] = effects["priority"]
    reach = of_query(catalogue, filters.query) if filters.query else None
    if has_runs and (filters.system or filters.first_rank > 1 or filters.last_rank > 0):
        limits = (filters.system, filters.first_rank, filters.last_rank, filters.query)
        reach = occurrences.reached(cache.aligned(study, settings), catalogue.doc_ids, *limits)
    return select(catalogue, filters, decided, reach, weights)


def step(step_size: int) -> None:
    """Open the next (1) or the previous (-1) document of the list. For a button's on_click.

    Uses the session's state instead of the last drawing, so that two quick presses move by two documents.
    """
    listing: Listing = st.session_state[LIST]
    if not len(listing.passing):
        return
    is_inside = (
        listing.at < len(listing.passing)
        and listing.doc_ids[listing.passing[listing.at]] == st.session_state["document"]
    )
    at = listing.at + step_size if is_inside or step_size < 0 else listing.at
    at = min(max(at, 0), len(listing.passing) - 1)
    st.session_state[LIST] = replace(listing, at=at)
    open_document(str(listing.doc_ids[listing.passing[at]]))


def open_document(doc_id: str) -> None:
    """Open the document of this name. For callbacks."""
    st.session_state["document"] = doc_id


def reader(study: Study, settings: Settings, filters: Filters) -> str:
    """Return the system that orders the chosen query's documents: that of the filter, else the selected one, else the
    first one shown, of those with a list for the query. Empty without a query or such a system."""
    if not filters.query or not study.has("runs"):
        return ""
    systems = (filters.system, settings.system, *chosen_systems(study, settings))
    candidates = dict.fromkeys(expanded(filter(None, systems), study.run_names))
    runs = study.runs
    systems_with_list = set(runs.loc[runs["query_id"] == filters.query, "system"].unique())
    return next((name for name in candidates if name in systems_with_list), "")


def ranks(study: Study, settings: Settings, catalogue: Catalogue, filters: Filters, system: str) -> Array:
    """Return each document's rank (D,) in the system's list for the query; NaN for documents not in it, or without a
    system."""
    if not system:
        return np.full(len(catalogue.doc_ids), np.nan)
    return occurrences.ranks_in(cache.aligned(study, settings), catalogue.doc_ids, system, filters.query)
