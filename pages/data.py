"""Is the study complete, and how do I add my own files?"""

import streamlit as st

from fairviz.evaluation import study_facts
from fairviz.ui.data import downloads, uploads
from fairviz.ui.data import report as data_report
from fairviz.ui.kit import html, saved_parts
from fairviz.ui.shell import declaration, fetching, frame
from fairviz.ui.state import choices

study, settings = frame.current()
uploads.outcome()
uploads.kinds_of_pending(study)

TABS = ("What is here", "Add and save", "Rank", "Fetch a data set", "Download")
choices.among("data_tab", TABS)
here, add, rank, fetch, take = st.tabs(TABS, key="data_tab", on_change="rerun")
with here:
    if here.open:
        data_report.checklist(study, settings)
        data_report.annotators(study)
        data_report.warnings(study)
        data_report.previews(study)
        html.definitions(study.cards.items())
        html.facts(study_facts.study_counts(study))
        frame.notices(study)
with add:
    declaration.panel(study)
    uploads.uploaders(study)
    uploads.save_as(study)
    saved_parts.panel(study, "data")
    saved_parts.handed_in(study)
    uploads.vectors_panel()
with rank:
    uploads.ranking_panel(study)
with fetch:
    fetching.datasets()
with take:
    downloads.scores(study, settings, is_open=bool(take.open))
    downloads.to_hand_on(study, settings)
    downloads.gate_card(study, settings)
    downloads.link(settings)
