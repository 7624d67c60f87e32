"""Where do annotators disagree, why, and what would change if they did not?"""

import streamlit as st

from fairviz.ui import frame, html, inspect_contest, inspect_effects, inspect_room, inspect_state, inspect_words

study, settings = frame.current()
html.heading("Inspect", "Where do annotators disagree, why, and what would change if they did not?")
inspect_words.cautions(study)

if not (study.has("documents") or study.has("labels") or study.has("runs")):
    html.message("info", "This study holds no documents, labels or runs.", "Add some on the Data page.")
    st.stop()

inspect_state.begin()
contest = inspect_contest.contest(study, settings)
inspect_room.reading_room(study, settings, contest)
if contest is None:
    reason = inspect_contest.lacking(study, settings)
    html.message("info", f"What a label does to a measure cannot be shown for {study.title or study.name}: {reason}")
else:
    inspect_contest.choices(study, settings, contest)
    inspect_effects.card(study, settings, contest)
