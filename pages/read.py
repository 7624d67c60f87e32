"""Where do annotators disagree, and does it change the result?"""

from fairviz.ui.read import effects, room, state
from fairviz.ui.shell import frame

study, settings = frame.current()
frame.notices(study, of_texts=True)

if not (study.has("documents") or study.has("labels") or study.has("runs")):
    frame.leave("This study holds no documents, labels or runs.", "Add some on the Data page.")

state.begin()
contest = effects.contest(study, settings)
room.reading_room(study, settings, contest)
if contest is None:
    reason = effects.lacking(study, settings)
    frame.leave(f"The effect of a label on a measure cannot be shown for {study.title or study.name}: {reason}")
effects.contest_choices(study, settings, contest)
effects.card(study, settings, contest)
