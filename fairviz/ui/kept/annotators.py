"""What the Annotators page keeps between reruns. Keys are explicit, as in fairviz.ui.kept.tables; nothing changes."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.annotator_table import annotator_table
from fairviz.analyses.annotator_accuracy.labellers import parting, shared_documents
from fairviz.analyses.label_effects.replacing import (
    noise_between_people,
    noise_of_errors,
    noise_ranges,
    order_in_draws,
    replaced,
)
from fairviz.annotation.annotators import parse
from fairviz.annotation.annotators.accounts import Account, account
from fairviz.annotation.annotators.annotating import estimates
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.models.answers import answers_path
from fairviz.models.asking import Estimate
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

Noise = tuple[pd.DataFrame, tuple[int, float, float]]  # of each system, and what it does to their order


def accounts(study: Study, names: Sequence[str]) -> dict[str, Account]:
    """What the answers on disk say of those of these annotators that are language models."""
    return _kept("accounts", study, Settings(), (study.fingerprint, answers_stamp()), (tuple(names),))


def estimated(study: Study, text: str, queries: int) -> Mapping[str, Estimate]:
    """What language models would be asked, by annotator. Raises FairvizError where that cannot be."""
    return _kept("estimates", study, Settings(), (study.fingerprint, answers_stamp()), (text, queries))


def table(
    study: Study, settings: Settings, names: Sequence[str], reference: str, by: str = "", shared: bool = False
) -> pd.DataFrame:
    """Accuracy and kappa of these annotators against the reference; shared: over the documents of all of them alone."""
    key = (study.fingerprint, chosen_lexicon(study, settings), answers_stamp())
    return _kept("table", study, settings, key, (tuple(names), reference, by, shared))


def apart(study: Study, names: Sequence[str], reference: str, how: str) -> pd.DataFrame:
    """The documents on which annotators part."""
    return _kept("apart", study, Settings(), (study.fingerprint,), (tuple(names), reference, how))


def replacements(
    study: Study, settings: Settings, measure: str, names: Sequence[str], other: str, fill: bool
) -> pd.DataFrame:
    """Each system's mean when these annotators' labels replace the other's."""
    return _of_labels("replaced", study, settings, measure, tuple(names), other, fill)


def people_noise(study: Study, settings: Settings, measure: str, other: str) -> Noise | None:
    """What labels drawn from what people said do to each system and to their order; None where nobody can know."""
    return _of_labels("people", study, settings, measure, other)


def error_noise(study: Study, settings: Settings, measure: str, annotator: str, reference: str) -> Noise:
    """The same for labels drawn by how often the annotator errs."""
    return _of_labels("errors", study, settings, measure, annotator, reference)


def answers_stamp() -> tuple:
    """What the files of answers are, which changes when there are more; nothing where there are none."""
    found = []
    for ending in ("", "-wal"):
        with suppress(OSError, FairvizError):
            place = answers_path()
            about = place.with_name(place.name + ending).stat()
            found.append((ending, about.st_mtime_ns, about.st_size))
    return tuple(found)


def _of_labels(what: str, study: Study, settings: Settings, *detail: Any) -> Any:
    return _kept(
        what, study, settings, (study.fingerprint, repr(cache.plain(settings).changed(tests=settings.tests))), detail
    )


def _accounts(request: Request) -> dict[str, Account]:
    found = {name: account(request.study, name) for name in request.detail[0]}
    return {name: one for name, one in found.items() if one is not None}


def _estimates(request: Request) -> Mapping[str, Estimate]:
    text, queries = request.detail
    return estimates(request.study, parse(text), queries=queries)


def _table(request: Request) -> pd.DataFrame:
    names, reference, by, shared = request.detail
    known = accounts(request.study, names)
    tried = {name: one.outcomes["doc_id"].tolist() for name, one in known.items()}
    documents = shared_documents(request.study, names, tried) if shared else None
    return annotator_table(request.study, names, reference, by, request.settings, tried, documents)


def _people(request: Request) -> Noise | None:
    measure, other = request.detail
    study, settings = request.study, request.settings
    places = cache.places(study, settings)
    drawn = noise_between_people(study, settings, measure, places=places)
    if drawn is None:
        return None
    return noise_ranges(drawn), order_in_draws(study, settings, measure, drawn, other, places=places)


def _errors(request: Request) -> Noise:
    measure, annotator, reference = request.detail
    study, settings = request.study, request.settings
    places = cache.places(study, settings)
    drawn = noise_of_errors(study, settings, measure, annotator, reference, places=places)
    return noise_ranges(drawn), order_in_draws(study, settings, measure, drawn, annotator, places=places)


def _replaced(request: Request) -> pd.DataFrame:
    measure, names, other, fill = request.detail
    places = cache.places(request.study, request.settings)
    return replaced(request.study, request.settings, measure, names, other, fill=fill, places=places)


_MAKERS: dict[str, Callable[[Request], Any]] = {
    "accounts": _accounts,
    "estimates": _estimates,
    "table": _table,
    "apart": lambda r: parting(r.study, *r.detail),
    "replaced": _replaced,
    "people": _people,
    "errors": _errors,
}


def _make(request: Request) -> Any:
    return _MAKERS[request.what](request)


def _kept(what: str, study: Study, settings: Settings, key: tuple, detail: tuple = ()) -> Any:
    keep = _own if library.is_own(study) else _shared
    return keep(Request(what, study, settings, ("annotators", what, *key, detail), detail))


_HASHES: dict = {Request: lambda request: request.key}
_SPINNER = "Comparing annotators …"
_shared = st.cache_resource(hash_funcs=_HASHES, max_entries=60, show_spinner=_SPINNER)(_make)
_own = st.cache_resource(hash_funcs=_HASHES, max_entries=30, show_spinner=_SPINNER, scope="session")(_make)
