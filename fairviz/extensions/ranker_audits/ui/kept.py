"""The cache of what the page Audit shows: pairs, versions of documents, and shares by a column."""

from operator import attrgetter

import pandas as pd

from fairviz.extensions.ranker_audits.attribution_plan import version_texts_of
from fairviz.extensions.ranker_audits.pairs import pairs_of
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit
from fairviz.ui.kept.entries import Entries, kept


@kept(Entries("audit by", session=10), by={"audit": lambda _: ""}, owner=attrgetter("study"))
def by(audit: PairwiseAudit, key: tuple, column: str) -> pd.DataFrame:
    """The table of the audit of this key for each value of a column. Raises UsageError for too many values."""
    return audit.by(column)


pairs = kept(Entries("audit pairs", session=10))(pairs_of)
version_texts = kept(Entries("audit versions", session=10))(version_texts_of)
