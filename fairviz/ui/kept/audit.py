"""What the page Model audit keeps between reruns: the tables of an audit by a column."""

import pandas as pd
import streamlit as st

from fairviz.audits.pairwise import PairwiseAudit
from fairviz.evaluation.settings import Settings
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library


def by(found: PairwiseAudit, key: tuple, column: str) -> pd.DataFrame:
    """The table of the audit of this key for each value of a column. Raises UsageError for too many values."""
    request = Request("audit by", found.study, Settings(), ("audit by", *key, column), (found, column))
    return (_by_own if library.is_own(found.study) else _by_shared)(request)


def _by(request: Request) -> pd.DataFrame:
    found, column = request.detail
    return found.by(column)


_HASHES: dict = {Request: lambda request: request.key}
_by_shared = st.cache_resource(hash_funcs=_HASHES, max_entries=20, show_spinner=False)(_by)
_by_own = st.cache_resource(hash_funcs=_HASHES, max_entries=10, show_spinner=False, scope="session")(_by)
