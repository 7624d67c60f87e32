"""What is in this study, and do the measures agree on which system is fairest?"""

from fairviz.evaluation.compare import starred
from fairviz.ui.kept import coverage
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html, tables
from fairviz.ui.shell import frame
from fairviz.ui.tradeoff import ahead, questions
from fairviz.ui.tradeoff import wording as narrative

study, settings = frame.current()
html.heading(study.title or study.name, "What is in this study, and do the measures agree on which system is fairest?")
html.facts(tables.study_counts(study))
if study.description:
    html.message("info", study.description)
frame.notices(study)

if not study.systems:
    frame.nothing_ranked(study)
    frame.stop()

asked = questions.asked(study, settings, questions.overview_texts(settings))
if asked.questions:
    summary = cache.summary(study, asked.texts, settings)
    found = cache.comparison(study, asked.texts, settings)
    html.notice(narrative.disagreement(summary, questions.headline(asked), found))
    tables.overview_table(summary, asked.questions, starred(found.table), settings.system, "overview")
    html.quiet(
        f"All at cutoff k = {settings.cutoff} (↑ higher, ↓ lower, → 0 nearer to 0 is fairer). "
        f"{ahead.stars_note(found)} Select a row to name the system on other pages."
    )
    html.quiet(ahead.NOT_FOR)
    html.quiet(coverage.note(study, settings, asked.questions))
    html.note(narrative.undefined_note(summary, asked.questions))
    charts.table(summary, "Every value with its interval and the number of queries behind it.", "overview_numbers")
frame.missing(asked.missing)
html.quiet(narrative.source_note(study.licence, study.citation))
