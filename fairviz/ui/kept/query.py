"""What the page Query keeps between reruns. Keys are explicit, as in fairviz.ui.kept.tables; nothing changes."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.reading.side_by_side import By, order_of_queries
from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.contributions import Anatomy
from fairviz.evaluation.contributions import anatomy as taken_apart
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.figures import strip as strips
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

_VALUES, _ORDER, _ANATOMY, _STRIP = "query values", "query order", "query anatomy", "query strip"


def values(study: Study, settings: Settings, questions: Sequence[Question], systems: tuple[str, ...]) -> pd.DataFrame:
    """system, query_id, measure, value of these systems; of GSR what each query adds to a system's slope."""
    return _kept(_VALUES, study, settings, (tuple(questions), systems))


def order(
    study: Study,
    settings: Settings,
    questions: Sequence[Question],
    systems: tuple[str, ...],
    by: By,
    question: Question,
    other: Question,
) -> pd.DataFrame:
    """The queries shown, as `order_of_queries` gives them."""
    return _kept(_ORDER, study, settings, (tuple(questions), systems, by, question, other))


def strip(study: Study, settings: Settings, questions: Sequence[Question], systems: tuple[str, ...]) -> strips.Strip:
    """The strips of all queries, without one that is marked."""
    return _kept(_STRIP, study, settings, (tuple(questions), systems))


def anatomy(
    study: Study, settings: Settings, measure: Question, system: str, query: str | None, against: str | None
) -> Anatomy:
    """As fairviz.evaluation.contributions.anatomy, which it raises as."""
    return _kept(_ANATOMY, study, settings, (measure, system, query, against))


def _kept(what: str, study: Study, settings: Settings, detail: tuple) -> Any:
    settings = tables.plain(settings)
    named = tuple(tuple(one.text for one in part) if isinstance(part, tuple) and part and isinstance(part[0], Question)
                  else part.text if isinstance(part, Question) else part for part in detail)  # fmt: skip
    key = (what, study.fingerprint, repr(settings), tables.vectors_stamp(settings), named)
    computed = _of_session if library.is_own(study) else _of_all
    return computed(Request(what, study, settings, key, detail))


def _values(request: Request) -> pd.DataFrame:
    (questions, systems), settings = request.detail, request.settings
    single = [one.text for one in questions if one.measure is None or one.measure.per_query]
    parts = []
    if single:
        scores = tables.scores(request.study, single, settings.changed(systems=systems))
        parts.append(scores[["system", "query_id", "measure", "value"]])
    parts += [_added(request, one, name) for one in questions if one.text not in single for name in systems]
    return pd.concat(parts, ignore_index=True)


def _added(request: Request, question: Question, system: str) -> pd.DataFrame:
    """What each query adds to a system's slope, in the place of values."""
    found = anatomy(request.study, request.settings, question, system, None, None).table
    queries = chosen_queries(
        request.study, request.settings, tables.places(request.study, request.settings).rankings.queries
    )
    held = found.set_index("query_id")["contribution"].reindex(list(queries))
    return pd.DataFrame(
        {"system": system, "query_id": held.index.astype("str"), "measure": question.text, "value": held.to_numpy()}
    )


def _order(request: Request) -> pd.DataFrame:
    study, settings = request.study, request.settings
    questions, systems, by, question, other = request.detail
    ordered = order_of_queries(values(study, settings, questions, systems), by, question, systems, other)
    shown = chosen_queries(study, settings, tables.places(study, settings).rankings.queries)
    return ordered[ordered["query_id"].isin(shown)].reset_index(drop=True)


def _strip(request: Request) -> strips.Strip:
    questions, systems = request.detail
    return strips.info(values(request.study, request.settings, questions, systems), questions, systems, "")


def _anatomy(request: Request) -> Anatomy:
    measure, system, query, against = request.detail
    settings = request.settings.changed(cutoff=measure.cutoff or request.settings.cutoff)
    arrays = tables.places(request.study, settings, wants_collection([measure], settings))
    return taken_apart(request.study, measure.text, system, query, settings, against=against, places=arrays)


_COMPUTED = {_VALUES: _values, _ORDER: _order, _STRIP: _strip, _ANATOMY: _anatomy}


def _compute(request: Request) -> Any:
    return _COMPUTED[request.what](request)


_HASHES: dict = {Request: lambda request: request.key}
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=200, show_spinner=False)(_compute)
_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=100, show_spinner=False, scope="session")(_compute)
