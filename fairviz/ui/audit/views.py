"""Which of the page's views is seen: what rankers prefer, what mitigations change, encoders that were mended, and the
TREC Fair Ranking track's own scores for a study made of its files."""

from fairviz.comparison.track import COLUMN
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.audit import bench, mended, track
from fairviz.ui.kit import pick

VIEW, PART = "audit_view", "audit_part"
PAIRS, LISTS = "In pairs", "In lists, and pairs against lists"
PREFERENCES, MITIGATIONS, MENDED, TRACK = "What rankers prefer", "Mitigations", "Mended encoders", "TREC Fair Ranking"


def others(study: Study, settings: Settings) -> bool:
    """The choice of a view; draws the one that is chosen and gives True, but for what rankers prefer: the page's own.

    The track stands first where the study was made of its files.
    """
    of_track = COLUMN in study.documents.columns and study.has("runs")
    views = (*((TRACK,) if of_track else ()), PREFERENCES, MITIGATIONS, MENDED)
    chosen = pick.segmented(VIEW, "View", views)
    draw = {MITIGATIONS: bench.cards, MENDED: mended.card, TRACK: track.cards}.get(chosen)
    if draw is not None:
        draw(study, settings)
    return draw is not None


def in_lists() -> bool:
    """The choice between what an audit found in pairs and in lists, of which either fills a page."""
    chosen = pick.segmented(PART, "Part", (PAIRS, LISTS))
    return chosen == LISTS
