"""What the Agreement page keeps between reruns. Keys are explicit, as in fairviz.ui.kept.tables; nothing changes."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_accuracy.raters import told_labels, word_list_agreement
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

_TOLD, _LABELS, _TABLE, _WORDS = "told", "labels", "table", "words"


def table(study: Study, settings: Settings, comparison: Comparison, what: str) -> pd.DataFrame:
    """One of comparisons.TABLES."""
    return _kept(_TABLE, study, settings, (comparison, what))


def word_list(study: Study, settings: Settings, reference: str) -> pd.DataFrame:
    """The word list against the reference, under the settings and as published."""
    return _kept(_WORDS, study, settings, (reference,))


def _kept(what: str, study: Study, settings: Settings, detail: tuple) -> pd.DataFrame:
    """`told` rests on the study alone, so that a change of the word list fits no model again."""
    words = () if what == _TOLD else (chosen_lexicon(study, settings), settings.tokenizer, settings.tau)
    key = (what, study.fingerprint, settings.annotator, words, detail)
    computed = _of_session if library.is_own(study) else _of_all
    return computed(Request(what, study, settings, key, detail))


def _compute(request: Request) -> pd.DataFrame:
    study, settings, detail = request.study, request.settings, request.detail
    if request.what == _TOLD:
        return told_labels(study, settings, detail)
    if request.what == _WORDS:
        return word_list_agreement(study, settings, detail[0])
    comparison: Comparison = detail[0]
    if request.what == _LABELS:
        told = _kept(_TOLD, study, settings, tuple(sorted({comparison.reference, *comparison.annotators})))
        return comparisons.compared_labels(study, settings, comparison, told)
    labels = _kept(_LABELS, study, settings, (replace(comparison, by=""),))
    return comparisons.table(study, settings, comparison, detail[1], labels)


_HASHES: dict = {Request: lambda request: request.key}
_SPINNER = "Comparing annotators …"
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=100, show_spinner=_SPINNER)(_compute)
_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=50, show_spinner=_SPINNER, scope="session")(_compute)
