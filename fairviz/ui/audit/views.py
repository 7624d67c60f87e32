"""The views of the page: rankers' preferences, those between authors' names, and the TREC Fair Ranking track's own
scores for a study made of its files. Fine-tuned encoders and the bench of mitigations were views here, and old links
still name them.
"""

from functools import partial
from operator import attrgetter
from typing import Any

import streamlit as st

from fairviz.analyses.audit.analysis import ATTRIBUTION
from fairviz.analyses.audit.attribution import AttributionAudit
from fairviz.analyses.audit.attribution_plan import AttributionPlan
from fairviz.analyses.audit.auditing import rankers_of
from fairviz.comparison.track import COLUMN, track_scores
from fairviz.evaluation.columns import Column, cells, interval, plain
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import recipe
from fairviz.study.loaders.word_files import read_names
from fairviz.study.record import Study
from fairviz.ui.audit import controls
from fairviz.ui.kept import flow
from fairviz.ui.kept import runs as kept
from fairviz.ui.kit import grids, html, pick
from fairviz.ui.kit.editors import Editor
from fairviz.ui.kit.views import draw_views
from fairviz.ui.state import going
from fairviz.words.author_names import (
    GENDERS,
    HEADER,
    format_names,
    names_of,
    packaged_names,
    parse_names,
)

VIEW, PART = "audit_view", "audit_part"
PAIRS, LISTS = "In pairs", "In lists, and pairs against lists"
PREFERENCES, NAMES, TRACK = "What rankers prefer", "Authors' names", "TREC Fair Ranking"
MOVED = {"Mitigations": "Side by side", "Mended encoders": "Fine-tuned encoders"}  # to the page Mitigations


def others(study: Study, settings: Settings) -> bool:
    """Draw the view selector and the selected view. Return False for the default view, which the page draws itself. The
    track is the first view of a study made of its files, and of no other.
    """
    if st.session_state.get(VIEW) in MOVED:
        going.to_mitigations(MOVED[st.session_state.pop(VIEW)])
    of_track = COLUMN in study.documents.columns and study.has("runs")
    chosen = pick.segmented(VIEW, "View", ((TRACK,) if of_track else ()) + (PREFERENCES, NAMES))
    if chosen == TRACK:
        track_card(study)
    elif chosen == NAMES:
        names_view(study, settings)
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


# The TREC Fair Ranking track: its own AWRF, nDCG and score beside this program's AWRF.

UNKNOWN, TARGETS, SEVERAL, DEPTH = (
    "audit_track_unknown", "audit_track_targets", "audit_track_several", "audit_track_depth",
)  # fmt: skip
TEXTS = {
    UNKNOWN: {"group": "a group of their own (2022)", "out": "left out (2021)"},
    TARGETS: {"mixed": "half relevant, half the study's", "uniform": "the same for each group"},
    SEVERAL: {"split": "split between them", "whole": "whole for each"},
    DEPTH: {"500": "500", "1000": "1,000", "100": "100", "20": "20"},
}
LABELS = {
    UNKNOWN: "Articles of unknown gender", TARGETS: "Targets", SEVERAL: "Articles of several genders",
    DEPTH: "How deep lists are read",
}  # fmt: skip
ABOUT_TRACK = (
    "The track's AWRF is a similarity: 1 is fair. It uses natural logarithms and equal attention to ranks 1 and 2. "
    "AWRF here is a distance: 0 is fair. It uses base-2 logarithms and articles of one known gender."
)
TRACK_COLUMNS = (  # a row a run and a column a measure
    Column("run", plain("run")),
    Column(lambda row: row["measure"], interval("value", ends="ci")),
)


def track_card(study: Study) -> None:
    """The track's scores, with the controls of how they are computed."""
    with st.container(border=True, gap="small", key="audit_track_card"):
        html.strong("As the TREC Fair Ranking track scores it")
        html.quiet(ABOUT_TRACK)
        chosen = []
        for place, (key, texts) in zip(st.columns(4, gap="small"), TEXTS.items(), strict=True):
            usable = [name for name in texts if name != "mixed" or study.has("qrels")]
            chosen.append(pick.select(key, LABELS[key], usable, place=place, texts=texts))
        unknown, targets, several, depth = chosen
        names: dict[str, Any] = {"unknown": unknown, "targets": targets, "several": several, "k": int(depth)}
        scores = kept.track(study, **names)
        code = recipe(track_scores, study, **names, table="found.table")
        text = f"Means over topics with 95 % intervals. {' '.join(scores.notes)}"
        alt = "The track's nDCG, AWRF and score, and the AWRF used here, one row per run."
        shown = cells(scores.table, TRACK_COLUMNS)
        grids.drawer(text, scores.table, shown, alt, "audit_track", code, row_height=32)
