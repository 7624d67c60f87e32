"""The card of the TREC Fair Ranking track: its own AWRF, nDCG and score beside this program's AWRF."""

from typing import Any

import streamlit as st

from fairviz.evaluation.columns import Column, cells, interval, plain
from fairviz.extensions.tracks.track import track_scores
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kit import grids, html, pick
from fairviz.ui.shell import frame

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
ABOUT = (
    "The track's AWRF is a similarity: 1 is fair. It uses natural logarithms and equal attention to ranks 1 and 2. "
    "AWRF here is a distance: 0 is fair. It uses base-2 logarithms and articles of one known gender."
)
COLUMNS = (  # a row a run and a column a measure
    Column("run", plain("run")),
    Column(lambda row: row["measure"], interval("value", ends="ci")),
)

scores_of = kept(Entries("track", session=10))(track_scores)


def other_files(study: Study) -> None:
    """Draw what a study lacks that is not made of the track's files."""
    remedy = "Make a study of them: fairviz trec-fair FOLDER --topics FILE --runs FILE --attributes FILE"
    frame.leave(f"{study.name} is not made of the track's files.", remedy)


def card(study: Study) -> None:
    """Draw the track's scores, with the controls of how they are computed."""
    with st.container(border=True, gap="small", key="audit_track_card"):
        html.strong("As the TREC Fair Ranking track scores it")
        chosen = []
        for place, (key, texts) in zip(st.columns(4, gap="small"), TEXTS.items(), strict=True):
            usable = [name for name in texts if name != "mixed" or study.has("qrels")]
            chosen.append(pick.select(key, LABELS[key], usable, place=place, texts=texts))
        unknown, targets, several, depth = chosen
        names: dict[str, Any] = {"unknown": unknown, "targets": targets, "several": several, "k": int(depth)}
        scores = scores_of(study, **names)
        code = recipe(track_scores, study, **names, table="found.table")
        text = f"Means over topics with 95 % intervals. {' '.join(scores.notes)}"
        alt = "The track's nDCG, AWRF and score, and the AWRF used here, one row per run."
        grids.drawer(
            text, scores.table, cells(scores.table, COLUMNS), alt, "audit_track", code, notes=(ABOUT,), row_height=32
        )
