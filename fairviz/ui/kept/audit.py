"""What the page Model audit keeps between reruns: a study's pairs, and the tables of an audit by a column."""

import pandas as pd
import streamlit as st

from fairviz.analyses.audit.pairs import Pairs, PairwisePlan, pairs_of
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library


def by(found: PairwiseAudit, key: tuple, column: str) -> pd.DataFrame:
    """The table of the audit of this key for each value of a column. Raises UsageError for too many values."""
    request = Request("audit by", found.study, Settings(), ("audit by", *key, column), (found, column))
    return (_by_own if library.is_own(found.study) else _by_shared)(request)


def pairs(study: Study, plan: PairwisePlan) -> Pairs:
    """The study's pairs. Raises FairvizError as `pairs_of`."""
    request = Request("audit pairs", study, Settings(), ("audit pairs", study.fingerprint, plan), (plan,))
    return (_pairs_own if library.is_own(study) else _pairs_shared)(request)


def _pairs(request: Request) -> Pairs:
    return pairs_of(request.study, request.detail[0])


def _by(request: Request) -> pd.DataFrame:
    found, column = request.detail
    return found.by(column)


_HASHES: dict = {Request: lambda request: request.key}
_by_shared = st.cache_resource(hash_funcs=_HASHES, max_entries=20, show_spinner=False)(_by)
_by_own = st.cache_resource(hash_funcs=_HASHES, max_entries=10, show_spinner=False, scope="session")(_by)
_pairs_shared = st.cache_resource(hash_funcs=_HASHES, max_entries=20, show_spinner=False)(_pairs)
_pairs_own = st.cache_resource(hash_funcs=_HASHES, max_entries=10, show_spinner=False, scope="session")(_pairs)
