"""What the Inspect page keeps between reruns. Keys are explicit, as in fairviz.ui.kept.tables; nothing changes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.label_effects import (
    Flips,
    fewest_flips,
    label_bounds,
    label_effects,
    label_noise,
    leave_one_annotator_out,
)
from fairviz.analyses.reading import catalogue as inspection
from fairviz.analyses.reading import filters, occurrences
from fairviz.analyses.reading.catalogue import Catalogue
from fairviz.analyses.reading.occurrences import Occurrences
from fairviz.evaluation.choices import align_key, chosen_annotator, chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import Places
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

Array = np.ndarray


def catalogue(study: Study, settings: Settings) -> Catalogue:
    """Every document of the study with its labels and the live word list."""
    lexicon = chosen_lexicon(study, settings)
    return _kept("catalogue", study, settings, (study.fingerprint, lexicon, settings.tokenizer, settings.tau))


def found(study: Study, settings: Settings) -> Occurrences:
    """Where each document stands in the lists."""
    return _kept("occurrences", study, settings, align_key(study, settings))


def exposure(study: Study, settings: Settings, query: str = "") -> Array:
    """The mean share of attention of each document, (D,)."""
    return _kept("exposure", study, settings, (study.fingerprint, _plain(settings)), (query,))


def columns(study: Study) -> dict[str, tuple[str, ...]]:
    """The columns that filter documents, with their values."""
    return _kept("columns", study, Settings(), (study.fingerprint,))


def effects(study: Study, settings: Settings, measure: str, first: str, second: str) -> pd.DataFrame:
    """What each label does to the difference of two systems, by priority."""
    return _of_labels("effects", study, settings, measure, first, second)


def flips(study: Study, settings: Settings, measure: str, first: str, second: str) -> Flips:
    """Few labels that reverse the order of two systems."""
    return _of_labels("flips", study, settings, measure, first, second)


def noise(study: Study, settings: Settings, measure: str, source: str) -> pd.DataFrame:
    """A mean of each system for each draw of the labels."""
    return _of_labels("noise", study, settings, measure, source)


def without_one(study: Study, settings: Settings, measure: str) -> pd.DataFrame:
    """A mean of each system without each annotator in turn."""
    return _of_labels("without", study, settings, measure)


def bounds(study: Study, settings: Settings, measure: str) -> pd.DataFrame:
    """What any labels of the unlabelled documents could give."""
    return _of_labels("bounds", study, settings, measure)


def _of_labels(what: str, study: Study, settings: Settings, *detail: str):
    return _kept(what, study, settings, (study.fingerprint, _plain(settings)), detail)


def _plain(settings: Settings) -> str:
    return repr(cache.plain(settings))


def annotator_key(study: Study, settings: Settings) -> str:
    """Whose labels count at present; empty without labels."""
    return chosen_annotator(study, settings) if study.has("labels") else ""


def _catalogue(request: Request) -> Catalogue:
    return inspection.catalogue(request.study, request.settings)


def _occurrences(request: Request) -> Occurrences:
    return occurrences.occurrences(cache.places(request.study, request.settings))


def _exposure(request: Request) -> Array:
    doc_ids = catalogue(request.study, request.settings).doc_ids
    places = cache.places(request.study, request.settings)
    return occurrences.exposure(request.study, request.settings, places, doc_ids, request.detail[0])


def _columns(request: Request) -> dict[str, tuple[str, ...]]:
    return filters.columns(request.study)


def _noise(request: Request) -> pd.DataFrame:
    measure, source = request.detail
    return label_noise(request.study, request.settings, measure, source=source, places=_places(request))


def _places(request: Request) -> Places:
    return cache.places(request.study, request.settings)


_MAKERS: dict[str, Callable[[Request], Any]] = {
    "effects": lambda r: label_effects(r.study, r.settings, *r.detail, places=_places(r)),
    "flips": lambda r: fewest_flips(r.study, r.settings, *r.detail, places=_places(r)),
    "noise": _noise,
    "without": lambda r: leave_one_annotator_out(r.study, r.settings, *r.detail),
    "bounds": lambda r: label_bounds(r.study, r.settings, *r.detail, places=_places(r)),
    "catalogue": _catalogue,
    "occurrences": _occurrences,
    "exposure": _exposure,
    "columns": _columns,
}


def _make(request: Request):
    return _MAKERS[request.what](request)


def _kept(what: str, study: Study, settings: Settings, key: tuple, detail: tuple = ()):
    keep = _own if library.is_own(study) else _shared
    return keep(Request(what, study, settings, ("inspect", what, *key, detail), detail))


_HASHES: dict = {Request: lambda request: request.key}
_SPINNER = "Laying out the documents …"
_shared = st.cache_resource(hash_funcs=_HASHES, max_entries=60, show_spinner=_SPINNER)(_make)
_own = st.cache_resource(hash_funcs=_HASHES, max_entries=30, show_spinner=_SPINNER, scope="session")(_make)
