"""The views of the page: rankers' preferences, those between authors' names, and before them the pages that are part of
this one and fit the study. Fine-tuned encoders and the bench of mitigations were views here, and old links still name
them.
"""

from functools import partial
from operator import attrgetter

import streamlit as st

from fairviz.evaluation.settings import Settings
from fairviz.extensions.ranker_audits.analysis import ATTRIBUTION
from fairviz.extensions.ranker_audits.attribution import AttributionAudit
from fairviz.extensions.ranker_audits.attribution_plan import AttributionPlan
from fairviz.extensions.ranker_audits.auditing import rankers_of
from fairviz.extensions.ranker_audits.author_names import (
    GENDERS,
    HEADER,
    format_names,
    names_of,
    packaged_names,
    parse_names,
    read_names,
)
from fairviz.extensions.ranker_audits.ui import controls
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.kept import flow
from fairviz.ui.kit import pick
from fairviz.ui.kit.editors import Editor
from fairviz.ui.kit.views import draw_views
from fairviz.ui.state import going
from fairviz.ui.state.registry import PAGES, parts_of

VIEW, PART = "audit_view", "audit_part"
PAIRS, LISTS = "In pairs", "In lists, and pairs against lists"
PREFERENCES, NAMES = "What rankers prefer", "Authors' names"
MOVED = {"Mitigations": "mitigations", "Mended encoders": "finetuning"}  # to pages of their own


def others(study: Study, settings: Settings) -> bool:
    """Draw the view selector and the selected view. Return False for the rankers' preferences, which the page draws
    itself."""
    if st.session_state.get(VIEW) in MOVED:
        page = MOVED[st.session_state.pop(VIEW)]
        if page in PAGES:
            going.open_page(page)
    parts = {part.title: part.draw for part in parts_of("audit") if part.fits(study)}
    chosen = pick.segmented(VIEW, "View", (*parts, PREFERENCES, NAMES))
    if chosen == NAMES:
        names_view(study, settings)
    elif draw := parts.get(chosen):
        draw()
    return chosen != PREFERENCES


def in_lists() -> bool:
    """The choice between what an audit found in pairs and in lists, of which either fills a page."""
    return pick.segmented(PART, "Part", (PAIRS, LISTS)) == LISTS


# Authors' names: the preference between genders beside that between names of one gender.

ABOUT_NAMES = (
    "Packaged: the most frequent first names of the US census of 1990. Each document gets two names of either gender, "
    "in the order of the list."
)

EDITOR = Editor(  # of the list of names
    "audit_names", "audit_names_edited", "Names", "names", HEADER, packaged_names, parse_names, format_names, names_of,
    attrgetter("rows"), about=ABOUT_NAMES, file="audit_names_file", read=lambda path, folder: read_names(path, folder),
    config={"gender": st.column_config.SelectboxColumn("gender", options=list(GENDERS), required=True)},
)  # fmt: skip


def names_view(study: Study, settings: Settings) -> None:
    """Draw the controls, and the audit's cards once it has run."""
    values, go = flow.choose(ATTRIBUTION, study, settings, {"names": EDITOR.draw})

    def read() -> flow.Task:
        plan = AttributionPlan(values["candidates"], queries=values["queries"], names=EDITOR.chosen(),
                               template=values["template"], annotator=settings.annotator)  # fmt: skip
        rankers = rankers_of(values["rankers"], ATTRIBUTION.name, embedding=settings.embedding)
        return controls.task_of(study, controls.request_of(study, settings, values["rankers"], rankers, plan))

    task = flow.asked(read, go)
    audit: AttributionAudit | None = controls.outcome(study, task) if task is not None else None
    if task is None or audit is None:
        return
    draw_views(ATTRIBUTION.shown(audit), partial(recipe, task.request.calls.of(audit.plan)))
    controls.notes(task.request, audit.messages)
