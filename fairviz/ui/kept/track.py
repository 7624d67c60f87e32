"""What is kept of the TREC Fair Ranking track's scores: one answer for each study and way to compute them."""

import streamlit as st

from fairviz.comparison.track import TrackScores, track_scores
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library


def scores(study: Study, unknown: str, targets: str, several: str, k: int) -> TrackScores:
    """The track's scores of the study. Raises as `fairviz.track_scores`."""
    detail = (unknown, targets, several, k)
    request = Request("track", study, Settings(), ("track", study.fingerprint, *detail), detail)
    return (_own if library.is_own(study) else _shared)(request)


def _answer(request: Request) -> TrackScores:
    unknown, targets, several, k = request.detail
    return track_scores(request.study, unknown=unknown, targets=targets, several=several, k=k)


_HASHES: dict = {Request: lambda request: request.key}
_shared = st.cache_resource(hash_funcs=_HASHES, max_entries=20, show_spinner=False)(_answer)
_own = st.cache_resource(hash_funcs=_HASHES, max_entries=10, show_spinner=False, scope="session")(_answer)
