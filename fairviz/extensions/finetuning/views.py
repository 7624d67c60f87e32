"""The views of a fine-tuned encoder: its figure with the findings, and folded every figure before and after."""

from functools import partial

import numpy as np
import pandas as pd

from fairviz.analyses.views import FigureView, Fold, TableView, TextView, View
from fairviz.evaluation.columns import Column, Row, cells, plain
from fairviz.extensions.finetuning.outcome import GAP, SPREAD, sentences
from fairviz.extensions.finetuning.pairs import HELD_OUT, TRAIN
from fairviz.extensions.finetuning.training import is_of_this_state, outcome_of
from fairviz.figures import crbo
from fairviz.models.sentence_encoder import Adapter
from fairviz.study.record import Study
from fairviz.words.sentences import decimal

PARTS = {HELD_OUT: "held out", TRAIN: "trained on"}
TITLE, AXIS = "Which wording of a text comes first", "share of pairs, mean over queries"
CHANGED = "The study has changed since this was trained and measured."
EVERY = Fold("Every figure, before and after", "mended_figures_fold")


def views(adapter: Adapter, study: Study) -> list[View]:
    """Return the views."""
    table = outcome_of(adapter.card)
    info, shown = figure_of(table, study), cells_of(table)
    return [
        *([] if is_of_this_state(adapter, study) else [TextView([CHANGED], "warning", "Train it again.")]),
        FigureView(
            "mended_table", table, partial(crbo.draw, info), info.alt, {"table": "found.table"}, card="mended_card",
            beside=[TextView(sentences(table), "small")],
        ),
        TableView("mended", table, "Every figure before and after, held out and not.", cells=shown, most=len(shown),
                  row_height=32, fold=EVERY),
        TextView([_training_text(adapter)], fold=EVERY),
    ]  # fmt: skip


def figure_of(table: pd.DataFrame, study: Study) -> crbo.Overlaps:
    """The shares of figure 4 of the paper: each part of the queries before and after, a mark a gender."""
    names = [str(name) for name in table["measure"].unique()]
    groups = [name.removesuffix(" first") for name in names if name.endswith(" first") and " / " not in name]
    rows = []
    for part in (HELD_OUT, TRAIN):
        values = table[table["split"] == part].set_index("measure")
        for when in ("before", "after"):
            ends = (when, f"{when}_low", f"{when}_high")
            rows += [(f"{PARTS[part]}, {when}", group, *(values.at[f"{group} first", one] for one in ends))
                     for group in groups]  # fmt: skip
    columns = ["line", "group", "share", "low", "high"]
    shares = pd.DataFrame(rows, columns=columns)
    return crbo.info(shares, TITLE, AXIS, groups, columns, even=0.5, genders=set(groups) <= set(study.groups))


def _digits(row: Row) -> int:
    return 3 if any(part in row["measure"] for part in ("@", "first", "standard")) else 4


def _change(row: Row) -> str:
    low, change, high = (
        decimal(row[name], _digits(row), "+") for name in ("difference_low", "difference", "difference_high")
    )
    return change if np.isnan(row["difference_low"]) else f"{change} [{low}, {high}]"


FIGURES = (  # a row a figure: before, after and the difference with its interval, for each part of the queries
    Column("figure", plain("measure")),
    Column(lambda row: f"{PARTS[row['split']]}: before", lambda row: decimal(row["before"], _digits(row))),
    Column(lambda row: f"{PARTS[row['split']]}: after", lambda row: decimal(row["after"], _digits(row))),
    Column(lambda row: f"{PARTS[row['split']]}: change", _change),
)


def cells_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each figure, the held-out queries before the others."""
    heads = [f"{PARTS[part]}: {what}" for part in (HELD_OUT, TRAIN) for what in ("before", "after", "change")]
    shown = cells(table, FIGURES).reindex(columns=["figure", *heads])
    short = shown["figure"].map(lambda name: name.split("(")[0].replace(SPREAD, f"{GAP} / deviation"))
    return shown.assign(figure=short)


def _training_text(adapter: Adapter) -> str:
    """Return the card's facts on the training, in a line."""
    about, plan, training = (adapter.card[name] for name in ("study", "plan", "training"))
    pairs = about["pairs"]
    return (
        f"{pairs[TRAIN]:,} pairs trained on, {pairs[HELD_OUT]:,} held out. Rank {plan['rank']}, strength "
        f"{plan['strength']:g}, seed {plan['seed']}. {training['steps']:,} of {training['planned']:,} steps in "
        f"{training['seconds']:,.0f} s, {adapter.card['made'][:10]}. Measures as set then. Rank with it on Data: "
        f"bi_encoder(adapter='{adapter.name}')."
    )
