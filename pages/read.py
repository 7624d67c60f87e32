"""Where do annotators disagree, and does it change the result?"""

from fairviz.ui.kit import html
from fairviz.ui.read import contest as inspect_contest
from fairviz.ui.read import effects as inspect_effects
from fairviz.ui.read import room as inspect_room
from fairviz.ui.read import state as inspect_state
from fairviz.ui.shell import frame

study, settings = frame.current()
frame.cautions(study)

if not (study.has("documents") or study.has("labels") or study.has("runs")):
    html.message("info", "This study holds no documents, labels or runs.", "Add some on the Data page.")
    frame.stop()

inspect_state.begin()
contest = inspect_contest.contest(study, settings)
inspect_room.reading_room(study, settings, contest)
if contest is None:
    reason = inspect_contest.lacking(study, settings)
    html.message(
        "info", f"The effect of a label on a measure cannot be shown for {study.title or study.name}: {reason}"
    )
else:
    inspect_contest.contest_choices(study, settings, contest)
    inspect_effects.card(study, settings, contest)
