"""What the Compare page keeps between reruns. Keys are explicit, as in fairviz.ui.kept.tables; nothing changes."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from fairviz.comparison import atlas as atlases
from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.family import how_of, untested
from fairviz.comparison.slices import slices_of
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

_COMPARISON, _ATLAS = "comparison", "atlas"
Margins = tuple[tuple[str, float], ...]


def comparison(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    baseline: str = "",
    column: str = "",
    margins: Margins = (),
    power: float | None = None,
) -> Comparison:
    """All pairs of the systems shown, seen from the baseline, apart by a column of the queries, with margins by measure
    (an empty name for all others) and power where they are given."""
    how = how_of(study, settings)
    texts = tuple(ask(text, settings).text for text in measures)
    return _kept(_COMPARISON, study, settings, (texts, baseline, how, column, margins, power))


def atlas(study: Study, measures: Sequence[str], settings: Settings) -> atlases.Atlas:
    """Measures against measures, over the systems and queries shown."""
    return _kept(_ATLAS, study, settings, (tuple(measures), untested(study, settings)))


def _kept(what: str, study: Study, settings: Settings, detail: tuple) -> Any:
    settings = tables.plain(settings)
    key = (what, study.fingerprint, repr(settings), tables.vectors_stamp(settings), detail)
    computed = _of_session if library.is_own(study) else _of_all
    return computed(Request(what, study, settings, key, detail))


def _compute(request: Request) -> Any:
    study, settings = request.study, request.settings
    texts = request.detail[0]
    if request.what == _ATLAS:
        return atlases.atlas_of(tables.scores(study, texts, settings), outside=request.detail[1])
    _, baseline, how, column, margins, power = request.detail
    scores = tables.scores(study, (*texts, *how.beside(texts)), settings)
    slices = slices_of(study, column) if column else None
    found = compared_as(scores, how, baseline, slices=slices, margin=dict(margins) or None, power=power)
    return found.showing(texts)


_HASHES: dict = {Request: lambda request: request.key}
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=100, show_spinner=False)(_compute)
_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=50, show_spinner=False, scope="session")(_compute)
