"""Does the conclusion survive other choices?"""

from fairviz.ui.kept import runs
from fairviz.ui.sensitivity import cards
from fairviz.ui.sensitivity import deck as decks
from fairviz.ui.shell import frame

study, settings = frame.current()
frame.exploratory(study)

if not study.systems:
    frame.nothing_ranked(study)
offered, missing = decks.measures_of(study, settings)
if len(study.systems) < 2:
    frame.leave(
        f"{study.name} has one system, {study.systems[0]}; a sensitivity analysis compares two.",
        "Add a second run on the Data page: upload one, or rank the documents with another ranker.",
    )
if not offered:
    frame.missing(missing)
    frame.stop()

grid = decks.deck(study, settings, offered)
work = runs.work_of(grid)
if not cards.compute(work):
    frame.stop()
cards.cards(work.result(grid))
frame.missing(missing)
