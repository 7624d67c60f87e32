"""Which system is fairest? Do measures agree?"""

from functools import partial

import streamlit as st

from fairviz.comparison import finding as narrative
from fairviz.comparison import ranking_sentences
from fairviz.comparison.system_table import marks
from fairviz.evaluation import questions, study_facts
from fairviz.output.recipes import recipe, summarised
from fairviz.ui.kept import checked
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import coverage_note
from fairviz.ui.kit import charts, html, pick, tables
from fairviz.ui.shell import declaration, frame, legend
from fairviz.ui.tradeoff import claims, overview
from fairviz.ui.tradeoff.moving import follow_overview

study, settings = frame.current()
if not study.systems:
    html.badges((f"{number} {noun}", "") for noun, number in study_facts.study_counts(study))
    html.message("info", *study_facts.nothing_ranked(study))
    declaration.panel(study)
    frame.stop()

request = questions.overview(study, settings)
overview.badges(study, settings, request.questions)
usual = questions.overview(study, settings.reset("columns")).questions
declaration.verdict_box(study)
if request.questions:
    summary = cache.summary(study, request.texts, settings)
    comparison = cache.comparison(study, request.texts, settings)
    hidden = legend.hidden_text(study, settings)
    then = overview.kept_overview(study, settings)
    checked.mark_figures(study, settings, at_once=True)
    orders = overview.order_card(
        "overview", study, settings, summary, questions.headline(request, settings), comparison
    )
    claims.card(study, settings)
    overview.doors(study, settings, orders)
    overview.bar(study, settings, request, then, comparison)
    before = overview.as_now(then.summary, then.questions, request.questions) if then else None
    numbers = overview.beside(summary, before, ("system", "measure"), ("value",))
    alt = "Every value with its interval and the number of queries behind it."
    code = recipe(summarised(study, settings, request.texts))
    alt = f"{alt} {hidden}." if hidden else alt
    notes = (
        ranking_sentences.stars_note(comparison),
        "Tick a row for its lists.",
        ranking_sentences.outside_note(comparison),
        ranking_sentences.warned_note(comparison),
        overview.range_line(study, settings, request),
    )
    export = partial(charts.table, numbers, alt, "overview_numbers", code, figure=False, notes=notes)
    tables.overview_table(
        summary, request.questions, marks(comparison), comparison.how, settings.system, "overview", export, before
    )
    with st.expander("Columns, caveats and sources", key="overview_more", type="compact"):
        pick.columns("Columns", questions.offered_columns(study, settings), [question.name for question in usual])
        overview.ties_line(study, settings, request)
        html.note(narrative.undefined_note(summary, request.questions))
        told = {
            "Labels and words": coverage_note(study, settings, request.questions),
            "Use": ranking_sentences.NOT_FOR,
            "Study": study.description,
            "Source": narrative.source_note(study.licence, study.citation),
        }
        html.definitions(told.items())
        frame.notices(study)
else:
    claims.card(study, settings)
    pick.columns("Columns", questions.offered_columns(study, settings), [question.name for question in usual])
frame.missing(request.missing)
if request.questions:
    follow_overview(study, settings, request, then)
