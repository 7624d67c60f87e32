"""What is in this study, and do the measures agree on which system is fairest?"""

import streamlit as st

from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html, tables
from fairviz.ui.shell import frame
from fairviz.ui.tradeoff import questions
from fairviz.ui.tradeoff import wording as narrative

study, settings = frame.current()
html.heading(study.title or study.name, "What is in this study, and do the measures agree on which system is fairest?")
html.facts(tables.study_counts(study))
if study.description:
    html.message("info", study.description)
frame.notices(study)

if not study.systems:
    frame.nothing_ranked(study)
    st.stop()

asked = questions.asked(study, settings, questions.overview_texts(settings))
if asked.questions:
    summary = cache.summary(study, asked.texts, settings)
    html.notice(narrative.disagreement(summary, asked.questions))
    tables.overview_table(summary, asked.questions, "overview")
    html.quiet(
        f"All at cutoff k = {settings.cutoff}. ★ best by the measure's own direction (↑ higher, ↓ lower, → 0 nearer to "
        "0); beside each value its 95 % bootstrap interval over queries. Select a row to name the system on other "
        "pages."
    )
    html.quiet(narrative.coverage_note(summary, asked.questions))
    html.note(narrative.undefined_note(summary, asked.questions))
    charts.table(summary, "Every value with its interval and the number of queries behind it.", "overview_numbers")
frame.missing(asked.missing)
html.quiet(narrative.source_note(study.licence, study.citation))
