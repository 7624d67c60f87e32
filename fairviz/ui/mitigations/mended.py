"""Encoders fine-tuned on this study: effects of training, separately for training and held-out queries, and a way to
train."""

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.finetuning.mended import Mended, mend
from fairviz.analyses.finetuning.outcome import GAP, SPREAD, sentences
from fairviz.analyses.finetuning.pairs import HELD_OUT, TRAIN, FinetuningPlan
from fairviz.analyses.finetuning.training import adapters_of, is_of_this_state, outcome_of
from fairviz.evaluation.columns import Column, Row, cells, plain
from fairviz.evaluation.settings import Settings
from fairviz.figures import crbo
from fairviz.installed import lacking
from fairviz.models.sentence_encoder import Adapter
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import charts, grids, html, jobs, pick
from fairviz.ui.kit.glossary import term
from fairviz.words.sentences import Span, decimal

ADAPTER, STRENGTH, SEED, MINUTES = "mended_adapter", "mended_strength", "mended_seed", "mended_minutes"
STRENGTHS, SEEDS, TIMES = ("0.1", "0.3", "1", "3", "10"), ("0", "1", "2", "3", "4"), ("no limit", "2", "5", "15", "60")
PARTS = {HELD_OUT: "held out", TRAIN: "trained on"}
TITLE, AXIS = "Which wording of a text comes first", "share of pairs, mean over queries"
ABOUT = term("adapter")
ABOUT_STRENGTH = "The weight of the aim beside what keeps all other scores."
ABOUT_SEED = "Which queries are held out, the first weights and the order of the pairs."
ABOUT_MINUTES = "A limit ends the training with some of its 40 steps left."
STOPPED = ("The training was stopped.", "Its steps are kept: start it again to resume.")
TRAINED = "This was trained; it is below. Another strength or seed can be trained."


def card(study: Study, settings: Settings) -> None:
    """Draw one encoder that was trained on this study before and after, and the controls to train another."""
    for part, columns in (("queries", "query_id, text"), ("documents", "doc_id, text")):
        if not study.has(part):
            remedy = f"Add {part}.csv with the columns {columns}."
            html.message("info", f"{study.name} has no {part} to train on.", remedy)
            return
    if error := lacking("train", "training needs"):
        html.message("info", f"{error.message[:1].upper()}{error.message[1:]}.", error.remedy)
        return
    adapters = adapters_of(study)
    if not adapters:
        html.quiet(f"No encoder is fine-tuned on {study.name} yet. {ABOUT}")
        _training(study, settings, adapters)
        return
    names = [one.name for one in adapters]
    name = pick.select(ADAPTER, "Adapter", names, help=ABOUT)
    _outcome(study, settings, adapters[names.index(name)])
    is_training = jobs.job(_key(study)) is not None
    with st.expander("Train another", is_training, key="mended_fold", type="compact"):
        _training(study, settings, adapters)


def _key(study: Study) -> tuple:
    return "mended", study.fingerprint


def _training(study: Study, settings: Settings, adapters: tuple[Adapter, ...]) -> None:
    """The controls; while a training runs, its bar; once it has ended, how it ended. The result lies on the disk."""
    if jobs.follow(_key(study), "mended", STOPPED):
        return
    strength, seed, minutes, go = st.columns([3, 3, 3, 2.4], gap="small", vertical_alignment="bottom")
    for place, name, options, label, about in (
        (strength, STRENGTH, STRENGTHS, "Strength", ABOUT_STRENGTH),
        (seed, SEED, SEEDS, "Seed", ABOUT_SEED),
        (minutes, MINUTES, TIMES, "Minutes at most", ABOUT_MINUTES),
    ):
        pick.select(name, label, options, place=place, help=about)
    state = st.session_state
    limit = None if state[MINUTES] == TIMES[0] else float(state[MINUTES])
    plan = FinetuningPlan(strength=float(state[STRENGTH]), seed=int(state[SEED]), minutes=limit).named(study.name)

    def work(progress: jobs.Progress) -> Mended:
        return mend(study, strength=plan.strength, seed=plan.seed, minutes=plan.minutes, settings=settings,
                    progress=progress)  # fmt: skip

    def trained() -> Adapter | None:
        return next((one for one in adapters if one.name == plan.name), None)

    Task(study, _key(study), work, "mended", STOPPED, kept=trained, done=TRAINED).button(go, "Train", "mended_go")


def _outcome(study: Study, settings: Settings, adapter: Adapter) -> None:
    """Draw one adapter's figure with its findings, and folded its table."""
    table = outcome_of(adapter.card)
    if not is_of_this_state(adapter, study):
        html.message("warning", "The study has changed since this was trained and measured.", "Train it again.")
    info = figure_of(table, study)
    with st.container(border=True, gap="xsmall", key="mended_card"):
        left, right = st.columns([7, 4], gap="medium")
        with left:
            charts.chart(crbo.draw(info, charts.theme()), info.alt, "mended_chart")
        with right:
            plan = adapter.card["plan"]
            given = {name: plan[name] for name in ("rank", "strength", "steps", "seed", "minutes")}
            arguments = {name: value for name, value in given.items() if value is not None} | {"name": adapter.name}
            code = recipe(mend, study, settings=settings, **arguments, table="found.table")
            charts.table(table, info.alt, "mended_table", code)
            for sentence in sentences(table):
                html.findings((Span(sentence),), small=True)
    cells = cells_of(table)
    alt = "Every figure before and after, held out and not."
    with st.expander("Every figure, before and after", key="mended_figures_fold", type="compact"):
        grids.grid(cells, alt, "mended_grid", most=len(cells), row_height=32)
        html.quiet(_training_text(adapter))


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
