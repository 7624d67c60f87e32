"""How is each measure computed, and what was decided where the papers leave it open?"""

import streamlit as st

from fairviz.installed import faults
from fairviz.measures import MEASURES
from fairviz.ui.kit import html
from fairviz.ui.methods import cards as methods
from fairviz.ui.state import choices

TABS = ("Measures", "Position bias", "Words and labels", "Comparisons", "Sensitivity")
choices.among("methods_tab", TABS)
measures, attention, words, compared, mapped = st.tabs(TABS, key="methods_tab", on_change="rerun")
with measures:
    html.definitions(methods.SYMBOLS)
    methods.overview()
    for fault in faults():
        html.message("warning", fault)
    linked = choices.value_of("methods_measure")
    for name in MEASURES:
        methods.measure(name, is_open=name == linked)
with attention:
    methods.position_biases()
with words:
    html.definitions(methods.WORDS_AND_LABELS)
with compared:
    html.strong(methods.COMPARISONS_QUESTION)
    html.definitions(methods.COMPARISONS)
with mapped:
    html.strong(methods.SENSITIVITY_QUESTION)
    html.definitions(methods.SENSITIVITY)
