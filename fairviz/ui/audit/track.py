"""The card of the TREC Fair Ranking track: its own AWRF, nDCG and score beside this program's AWRF; for a study made of
the track's files, and nothing for any other."""

from typing import Any

import pandas as pd
import streamlit as st

from fairviz.comparison.track import COLUMN, TrackScores, track_scores
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.kept import runs as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.words.sentences import with_interval

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
ROW_HEIGHT = 32


def cards(study: Study, settings: Settings) -> None:
    """The card, where the study's documents have the genders that the track gave them."""
    if COLUMN not in study.documents.columns or not study.has("runs"):
        return
    with st.container(border=True, gap="small", key="audit_track_card"):
        html.strong("As the TREC Fair Ranking track scores it")
        html.quiet(ABOUT)
        chosen = _controls(study)
        scores = kept.track(study, chosen[0], chosen[1], chosen[2], int(chosen[3]))
        alt = "The track's nDCG, AWRF and score, and the AWRF used here, one row per run."
        words, more = st.columns([12, 2], gap="small", vertical_alignment="center")
        with words:
            html.quiet(f"Means over topics with 95 % intervals. {' '.join(scores.notes)}")
        with more:
            charts.table(scores.table, alt, "audit_track", _recipe(study, chosen), figure=False)
        cells = wide_cells(scores)
        st.dataframe(
            cells, hide_index=True, key="audit_track_grid", alt=alt, row_height=ROW_HEIGHT,
            height=(min(len(cells), 12) + 1) * ROW_HEIGHT + 3,
        )  # fmt: skip


def _controls(study: Study) -> tuple[str, ...]:
    places = st.columns(4, gap="small")
    chosen = []
    for place, (key, texts) in zip(places, TEXTS.items(), strict=True):
        usable = [name for name in texts if name != "mixed" or study.has("qrels")]
        chosen.append(pick.select(key, LABELS[key], usable, place=place, texts=texts))
    return tuple(chosen)


def wide_cells(scores: TrackScores) -> pd.DataFrame:
    """A row a run and a column a measure, each a mean with its interval."""
    rows: dict[str, dict[str, str]] = {}
    for row in scores.table.to_dict("records"):
        cells = rows.setdefault(row["run"], {"run": row["run"]})
        cells[row["measure"]] = with_interval(row["value"], row["ci_low"], row["ci_high"])
    return pd.DataFrame(list(rows.values()))


def _recipe(study: Study, chosen: tuple[str, ...]) -> Recipe:
    """Return the Python that makes the table again."""
    unknown, targets, several, depth = chosen
    names: dict[str, Any] = {"unknown": unknown, "targets": targets, "several": several, "k": int(depth)}
    return recipe(track_scores, study, **names, table="found.table")
