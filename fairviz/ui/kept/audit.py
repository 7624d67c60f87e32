"""The cache of the Audit page: a study's pairs, an audit's tables by a column, and the TREC track's scores."""

from operator import attrgetter

import pandas as pd

from fairviz.analyses.audit.pairs import Pairs, PairwisePlan, pairs_of
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.comparison.track import TrackScores, track_scores
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept


@kept(Entries("audit by", server=20, session=10), by={"audit": lambda _: ""}, owner=attrgetter("study"))
def by(audit: PairwiseAudit, key: tuple, column: str) -> pd.DataFrame:
    """The table of the audit of this key for each value of a column. Raises UsageError for too many values."""
    return audit.by(column)


@kept(Entries("audit pairs", server=20, session=10))
def pairs(study: Study, plan: PairwisePlan) -> Pairs:
    """The study's pairs. Raises: see `pairs_of`."""
    return pairs_of(study, plan)


@kept(Entries("track", server=20, session=10))
def track(study: Study, unknown: str, targets: str, several: str, k: int) -> TrackScores:
    """The TREC Fair Ranking track's scores of the study. Raises: see `fairviz.track_scores`."""
    return track_scores(study, unknown=unknown, targets=targets, several=several, k=k)  # type: ignore[arg-type]
