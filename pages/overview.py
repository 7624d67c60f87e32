"""Which system is fairest? Do measures agree?"""

import streamlit as st

from fairviz.comparison import finding as narrative
from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import starred
from fairviz.evaluation import questions, study_facts
from fairviz.output.recipes import recipe, summarised
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.coverage import coverage_note
from fairviz.ui.kit import charts, html, pick, tables
from fairviz.ui.shell import frame, legend
from fairviz.ui.tradeoff import first_screen, following, order_card, overview, pinned, range_line, ties

study, settings = frame.current()
if not study.systems:
    html.badges((f"{number} {noun}", "") for noun, number in study_facts.study_counts(study))
    frame.nothing_ranked(study)
    frame.stop()

asked = questions.overview(study, settings)
first_screen.badges(study, settings, asked.questions)
usual = questions.overview(study, settings.reset("columns")).questions
if asked.questions:
    summary = cache.summary(study, asked.texts, settings)
    found = cache.comparison(study, asked.texts, settings)
    hidden = legend.hidden_text(study, settings)
    then = overview.pinned_picture(study, settings, asked)
    orders = order_card.card("overview", study, settings, summary, questions.headline(asked, settings), found)
    first_screen.doors(study, settings, orders)
    overview.bar(study, settings, asked, then, found)
    stars = starred(found)
    before = then.values if then else None
    tables.overview_table(summary, asked.questions, stars, found.how, settings.system, "overview", before)
    html.quiet(" ".join(filter(None, (ranking_sentences.stars_note(found), "Tick a row for its lists."))))
    range_line.line(study, settings, asked)
    numbers = pinned.beside(summary, then.values if then else None, ("system", "measure"), ("value",))
    told = "Every value with its interval and the number of queries behind it."
    code = recipe(summarised(study, settings, asked.texts))
    charts.table(numbers, f"{told} {hidden}." if hidden else told, "overview_numbers", code, figure=False)
    with st.expander("Columns, caveats and sources", key="overview_more", type="compact"):
        pick.columns("Columns", questions.offered_columns(study, settings), [question.name for question in usual])
        html.quiet(ranking_sentences.outside_note(found))
        html.quiet(ranking_sentences.warned_note(found))
        ties.line(study, settings, asked)
        html.quiet(ranking_sentences.NOT_FOR)
        html.quiet(coverage_note(study, settings, asked.questions))
        html.note(narrative.undefined_note(summary, asked.questions))
        html.quiet(study.description)
        frame.notices(study)
        html.quiet(narrative.source_note(study.licence, study.citation))
else:
    pick.columns("Columns", questions.offered_columns(study, settings), [question.name for question in usual])
frame.missing(asked.missing)
if asked.questions:
    following.overview(study, settings, asked, then)
