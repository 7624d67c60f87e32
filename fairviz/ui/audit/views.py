"""The views of the page: rankers' preferences, those between authors' names, and the TREC Fair Ranking track's own
scores for a study made of its files. Fine-tuned encoders and the bench of mitigations were views here, and old links
still name them.
"""

import streamlit as st

from fairviz.comparison.track import COLUMN
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.audit import attribution, track
from fairviz.ui.kit import pick
from fairviz.ui.state import going

VIEW, PART = "audit_view", "audit_part"
PAIRS, LISTS = "In pairs", "In lists, and pairs against lists"
PREFERENCES, NAMES, TRACK = "What rankers prefer", "Authors' names", "TREC Fair Ranking"
MOVED = {"Mitigations": "Side by side", "Mended encoders": "Fine-tuned encoders"}  # to the page Mitigations


def others(study: Study, settings: Settings) -> bool:
    """Draw the view selector and the selected view. Return False for the default view, which the page draws itself. The
    track is the first view of a study made of its files, and of no other.
    """
    if st.session_state.get(VIEW) in MOVED:
        going.to_mitigations(MOVED[st.session_state.pop(VIEW)])
    of_track = COLUMN in study.documents.columns and study.has("runs")
    chosen = pick.segmented(VIEW, "View", ((TRACK,) if of_track else ()) + (PREFERENCES, NAMES))
    if chosen == TRACK:
        track.cards(study, settings)
    elif chosen == NAMES:
        attribution.view(study, settings)
    return chosen != PREFERENCES


def in_lists() -> bool:
    """The choice between what an audit found in pairs and in lists, of which either fills a page."""
    chosen = pick.segmented(PART, "Part", (PAIRS, LISTS))
    return chosen == LISTS
