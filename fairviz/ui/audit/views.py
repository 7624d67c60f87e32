"""The views of the page: rankers' preferences, and the TREC Fair Ranking track's own scores for a study made of its
files. Fine-tuned encoders and the bench of mitigations were views here, and old links still name them.
"""

import streamlit as st

from fairviz.comparison.track import COLUMN
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.audit import track
from fairviz.ui.kit import pick
from fairviz.ui.state import going

VIEW, PART = "audit_view", "audit_part"
PAIRS, LISTS = "In pairs", "In lists, and pairs against lists"
PREFERENCES, TRACK = "What rankers prefer", "TREC Fair Ranking"
MOVED = {"Mitigations": "Side by side", "Mended encoders": "Fine-tuned encoders"}  # to the page Mitigations


def others(study: Study, settings: Settings) -> bool:
    """Draw the view selector and the selected view. Return False for the default view, which the page draws itself. The
    track comes first if the study was made of its files; any other study has no selector.
    """
    if st.session_state.get(VIEW) in MOVED:
        going.to_mitigations(MOVED[st.session_state.pop(VIEW)])
    if not (COLUMN in study.documents.columns and study.has("runs")):
        return False
    if pick.segmented(VIEW, "View", (TRACK, PREFERENCES)) != TRACK:
        return False
    track.cards(study, settings)
    return True


def in_lists() -> bool:
    """The choice between what an audit found in pairs and in lists, of which either fills a page."""
    chosen = pick.segmented(PART, "Part", (PAIRS, LISTS))
    return chosen == LISTS
