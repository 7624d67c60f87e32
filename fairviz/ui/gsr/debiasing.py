"""Debiased vectors of the w2v rankers: their variants as a study, and the card that compares them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.gsr_validity.direct import MEASURES, RANKERS, DebiasedComparison, compare_debiased
from fairviz.evaluation.gsr import PERFECT
from fairviz.evaluation.settings import Settings
from fairviz.figures import reordering
from fairviz.figures.style import SystemStyle, Theme
from fairviz.study.record import Study
from fairviz.ui.gsr.wording import number
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kept.entries import kept
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.tables import with_texts
from fairviz.words.sentences import Sentence, Span, decimal, percent

SPINNER = "Ranking by w2v_add and w2v_si, with these vectors and with debiased ones …"
_CHOICES = (*cache.VECTORS, "filter_column", "filter_values", "ties")
UNCHANGED = "none"
RAW = (
    "r is over |g − the vocabulary's mean|: a query at the mean is not gendered. Below it: the paper's r, of |g| "
    "itself. They differ where vectors have an offset, as GloVe has."
)


@kept(cache.ENTRIES, _CHOICES)
def variants(study: Study, settings: Settings, kind: str) -> Study:
    """Return the study with three kinds of runs only: by these vectors, by the debiased ones, and the perfect ones.

    A debiased variant is called `w2v_add · regular`. Raises: FairvizError if the study cannot be ranked.
    """
    debiased = comparison(study, settings)
    names = system_names(debiased.systems, kind)
    runs = debiased.study.runs
    runs = runs[runs["system"].isin(list(names))]
    systems = runs["system"].cat.remove_unused_categories().cat.rename_categories(names)
    systems = systems.cat.set_categories([name for name in names.values() if name in systems.cat.categories])
    fingerprint = f"{debiased.study.fingerprint} debiased {settings.embedding} {settings.pairs} {kind}"
    return replace(debiased.study, runs=runs.assign(system=systems), fingerprint=fingerprint)


def comparison(study: Study, settings: Settings) -> DebiasedComparison:
    """Return both rankers with all three kinds of vectors; its GSR has the default cutoff and is not shown."""
    with st.spinner(SPINNER):
        return _comparison(study, settings)


@kept(cache.ENTRIES, _CHOICES)
def _comparison(study: Study, settings: Settings) -> DebiasedComparison:
    unused_fields = ("cutoff", "systems", *cache.GSR_CHOICES)
    plain_settings = settings.changed(**{name: getattr(Settings, name) for name in unused_fields})
    return compare_debiased(study, plain_settings, embedding=settings.embedding, direction=cache.direction(settings))


def system_names(systems: pd.DataFrame, kind: str) -> dict[str, str]:
    """Return the displayed name of each system: perfect, w2v_add, w2v_add · regular, …"""
    names = {}
    for system, ranker, debias in zip(systems["system"], systems["ranker"], systems["debias"], strict=True):
        if system == PERFECT or debias == UNCHANGED:
            names[system] = ranker
        elif debias == kind:
            names[system] = f"{ranker} · {kind}"
    return names


def debiasing_card(
    study: Study,
    settings: Settings,
    lines: pd.DataFrame,
    styles: Mapping[str, SystemStyle],
    theme: Theme,
) -> None:
    """Draw GSR and effectiveness before and after, and the reordering of each query's list."""
    debiased = comparison(study, settings)
    table_column, figure_column = st.columns(2, gap="small")
    with table_column, st.container(border=True, gap="xsmall"):
        _draw_table(study, before_and_after(lines, debiased.systems, settings.debias), settings.debias)
    with figure_column, st.container(border=True, gap="xsmall"):
        _draw_reordering(study, settings, debiased, styles, theme)


def _draw_table(study: Study, table: pd.DataFrame, kind: str) -> None:
    title = f"Before and after {kind} debiasing"
    charts.headed(title, table, "GSR and effectiveness.", "debiased_numbers", figure=False)
    texts = {name: [decimal(value) for value in table[name]] for name in ("GSR", *MEASURES)}
    changes = with_texts(table, texts | {"change": [change_text(value) for value in table["change"]]})
    st.dataframe(changes, hide_index=True, key="debiased_table", alt="GSR and effectiveness.")
    html.quiet("GSR by the vectors as they are. The rest of it came through other directions than the one taken out.")
    if not study.has("qrels"):
        html.note("Effectiveness needs relevance judgements: add qrels.txt to the study.")


def _draw_reordering(
    study: Study, settings: Settings, debiased: DebiasedComparison, styles: Mapping[str, SystemStyle], theme: Theme
) -> None:
    kind = settings.debias
    distances = debiased.distances[debiased.distances["debias"] == kind]
    correlations = debiased.correlations[debiased.correlations["debias"] == kind]
    reorderings = reordering.info(distances, correlations, cache.centre(settings))
    text_column, table_column = st.columns([7, 3], vertical_alignment="center")
    with text_column:
        html.quiet("0: the same list; 1: reversed. Top 100 of each list.")
        html.quiet(RAW)
    with table_column:
        charts.table(distances, reorderings.alt, "reordering")
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    figure = reordering.draw(reorderings, styles, texts, theme, selected=settings.system, query=settings.query)
    charts.chart(figure, reorderings.alt, "stereotypes_reordering")


def before_and_after(lines: pd.DataFrame, systems: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return a table: system, GSR, its relative change, and each measure of effectiveness; NaN where undefined."""
    names = system_names(systems, kind)
    table = systems[systems["system"].isin(list(names))][["system", "ranker", "debias", *MEASURES]]
    table = table.assign(system=table["system"].map(names))
    slopes = lines.set_index("system")["slope"]
    table["GSR"] = table["system"].map(slopes).astype(float)
    slopes_before = table["ranker"].map(slopes).astype(float)
    share = ((table["GSR"] - slopes_before) / slopes_before.abs()).where(table["debias"] == kind)
    table["change"] = share.astype(float)
    return table[["system", "GSR", "change", *MEASURES]].reset_index(drop=True)


def change_text(share: float) -> str:
    """Return the share as text: `−19 %`; empty for NaN."""
    return "" if share != share else percent(share, sign="+")


def finding(lines: pd.DataFrame, kind: str) -> Sentence:
    """Return the change of each ranker's slope: `Regular debiasing takes w2v_add from 0.28 to 0.22 (−19 %).`"""
    slopes = lines.set_index("system")["slope"]
    spans: list[Span] = []
    for ranker in RANKERS:
        before, after = slopes.get(ranker, np.nan), slopes.get(f"{ranker} · {kind}", np.nan)
        if np.isnan(before) or np.isnan(after):
            continue
        change = f" from {number(before)} to {number(after)} ({change_text((after - before) / abs(before))})"
        spans += [Span(" and " if spans else f"{kind.capitalize()} debiasing takes "), Span(ranker, True), Span(change)]
    return (*spans, Span(".")) if spans else ()
