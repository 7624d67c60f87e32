"""The views of the page: rankers' preferences, mitigations, fine-tuned encoders, and the TREC Fair Ranking track's own
scores for a study made of its files."""

from fairviz.comparison.track import COLUMN
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.audit import bench, mended, track
from fairviz.ui.kit import pick

VIEW, PART = "audit_view", "audit_part"
PAIRS, LISTS = "In pairs", "In lists, and pairs against lists"
PREFERENCES, MITIGATIONS, MENDED, TRACK = "What rankers prefer", "Mitigations", "Mended encoders", "TREC Fair Ranking"


def others(study: Study, settings: Settings) -> bool:
    """Draw the view selector and the selected view. Return False for the default view, which the page draws itself. The
    track comes first if the study was made of its files.
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
