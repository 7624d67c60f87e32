"""What is in this study, and do the measures agree on which system is fairest?"""

import streamlit as st

from fairviz.comparison import finding as narrative
from fairviz.comparison import ranking_sentences
from fairviz.comparison.compare import starred
from fairviz.evaluation import questions
from fairviz.evaluation.scores import summarise
from fairviz.output.recipes import recipe, scored
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html, pick, tables
from fairviz.ui.shell import frame, legend
from fairviz.ui.tradeoff import following, overview, pinned, ties

study, settings = frame.current()
html.heading(study.title or study.name, "What is in this study, and do the measures agree on which system is fairest?")
html.facts(tables.study_counts(study))
if study.description:
    html.message("info", study.description)
frame.notices(study)

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

asked = questions.overview(study, settings)
notice = st.container()
usual = questions.overview(study, settings.reset("columns")).questions
pick.columns("Columns", questions.offered_columns(study, settings), [question.name for question in usual])
if asked.questions:
    summary = cache.summary(study, asked.texts, settings)
    found = cache.comparison(study, asked.texts, settings)
    hidden = legend.hidden_text(study, settings)
    then = overview.pinned_picture(study, settings, asked)
    with notice:
        html.notice(narrative.disagreement(summary, questions.headline(asked), found, hidden))
    overview.bar(study, settings, asked, then, found)
    stars = starred(found)
    before = then.values if then else None
    tables.overview_table(summary, asked.questions, stars, found.how, settings.system, "overview", before)
    html.quiet(
        f"All at cutoff k = {settings.cutoff} (↑ higher, ↓ lower, → 0 nearer to 0 is fairer). "
        f"{ranking_sentences.stars_note(found)} {ranking_sentences.outside_note(found)} "
        "Tick a row to read the system's lists on Query."
    )
    html.quiet(ranking_sentences.warned_note(found))
    ties.line(study, settings, asked)
    html.quiet(ranking_sentences.NOT_FOR)
    html.quiet(cache.coverage_note(study, settings, asked.questions))
    html.note(narrative.undefined_note(summary, asked.questions))
    numbers = pinned.beside(summary, then.values if then else None, ("system", "measure"), ("value",))
    told = "Every value with its interval and the number of queries behind it."
    code = recipe(summarise, scored(study, settings, asked.texts))
    charts.table(numbers, f"{told} {hidden}." if hidden else told, "overview_numbers", code, figure=False)
frame.missing(asked.missing)
html.quiet(narrative.source_note(study.licence, study.citation))
if asked.questions:
    following.overview(study, settings, asked, then)
