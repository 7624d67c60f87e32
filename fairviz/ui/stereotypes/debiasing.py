"""What debiasing the vectors of the w2v rankers changes: their variants as a study, and the card that compares them."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import PERFECT
from fairviz.figures import reordering
from fairviz.figures.style import SystemStyle, Theme
from fairviz.study.study import Study
from fairviz.ui.kept import stereotypes as cache
from fairviz.ui.kept.tables import Request
from fairviz.ui.kit import charts, html, numbers
from fairviz.ui.kit.html import Sentence, Span
from fairviz.ui.stereotypes.wording import number
from fairviz.validity import compare_debiased
from fairviz.validity.debiasing import MEASURES, RANKERS, DebiasedComparison

SPINNER = "Ranking by w2v_add and w2v_si, with these vectors and with debiased ones …"
_CHOICES = ("filter_column", "filter_values", "ties")
UNCHANGED = "none"
RAW = (
    "r is over |g − the vocabulary's mean|, as a query at the mean is not gendered; below it r of |g| itself, the "
    "paper's, which differs where vectors have an offset, as GloVe has."
)


def variants(study: Study, settings: Settings, kind: str) -> Study:
    """The study with the rankers' lists by these vectors, by the debiased ones, and the perfect ones as only runs.

    A debiased variant is called `w2v_add · regular`. Raises FairvizError where the study cannot be ranked.
    """
    return cache.kept(_variants, study, settings, *_CHOICES, detail=(kind,))


def comparison(study: Study, settings: Settings) -> DebiasedComparison:
    """Both rankers with all three kinds of vectors; its GSR is that of the default cutoff and is not shown."""
    with st.spinner(SPINNER):
        return cache.kept(_comparison, study, settings, *_CHOICES)


def _comparison(request: Request) -> DebiasedComparison:
    settings = request.settings
    unasked = ("cutoff", "systems", *cache.GSR_CHOICES)
    plain = settings.changed(**{name: getattr(Settings, name) for name in unasked})
    return compare_debiased(request.study, plain, embedding=settings.embedding, direction=cache.direction(settings))


def _variants(request: Request) -> Study:
    (kind,) = request.detail
    found = comparison(request.study, request.settings)
    names = called(found.systems, kind)
    runs = found.study.runs
    runs = runs[runs["system"].isin(list(names))]
    systems = runs["system"].cat.remove_unused_categories().cat.rename_categories(names)
    systems = systems.cat.set_categories([name for name in names.values() if name in systems.cat.categories])
    mark = f"{found.study.fingerprint} {settings_mark(request.settings)} {kind}"
    return replace(found.study, runs=runs.assign(system=systems), fingerprint=mark)


def settings_mark(settings: Settings) -> str:
    """Tells studies ranked by different vectors apart."""
    return f"debiased {settings.embedding} {settings.pairs}"


def called(systems: pd.DataFrame, kind: str) -> dict[str, str]:
    """Names of the systems shown, by those of their runs: perfect, w2v_add, w2v_add · regular, …"""
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
    """GSR and effectiveness before and after, and how far each query's list was reordered."""
    found = comparison(study, settings)
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, gap="xsmall"):
        _table(study, before_and_after(lines, found.systems, settings.debias), settings.debias)
    with right, st.container(border=True, gap="xsmall"):
        _reordered(study, settings, found, styles, theme)


def _table(study: Study, table: pd.DataFrame, kind: str) -> None:
    html.strong(f"Before and after {kind} debiasing")
    form = {name: st.column_config.NumberColumn(format="%.3f") for name in ("GSR", *MEASURES)}
    changes = numbers.shown(table, {"change": [change_text(value) for value in table["change"]]})
    st.dataframe(changes, hide_index=True, column_config=form, key="debiased_table", alt="GSR and effectiveness.")
    html.quiet(
        "GSR by the vectors as they are. What is left of it came through other directions than the one taken out."
    )
    if not study.has("qrels"):
        html.note("Effectiveness needs relevance judgements: add qrels.txt to the study.")


def _reordered(
    study: Study, settings: Settings, found: DebiasedComparison, styles: Mapping[str, SystemStyle], theme: Theme
) -> None:
    kind = settings.debias
    distances = found.distances[found.distances["debias"] == kind]
    correlations = found.correlations[found.correlations["debias"] == kind]
    drawn = reordering.info(distances, correlations, cache.centre(settings))
    words, more = st.columns([7, 3], vertical_alignment="center")
    with words:
        html.quiet("0: the same list; 1: reversed. Top 100 of each list.")
        html.quiet(RAW)
    with more:
        charts.table(distances, drawn.alt, "reordering")
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    figure = reordering.draw(drawn, styles, texts, theme, selected=settings.system, query=settings.query)
    charts.chart(figure, drawn.alt, "stereotypes_reordering")


def before_and_after(lines: pd.DataFrame, systems: pd.DataFrame, kind: str) -> pd.DataFrame:
    """system, GSR, change (of GSR, as a share of it), and each measure of effectiveness; NaN where undefined."""
    names = called(systems, kind)
    table = systems[systems["system"].isin(list(names))][["system", "ranker", "debias", *MEASURES]]
    table = table.assign(system=table["system"].map(names))
    slopes = lines.set_index("system")["slope"]
    table["GSR"] = table["system"].map(slopes).astype(float)
    before = table["ranker"].map(slopes).astype(float)
    share = ((table["GSR"] - before) / before.abs()).where(table["debias"] == kind)
    table["change"] = share.astype(float)
    return table[["system", "GSR", "change", *MEASURES]].reset_index(drop=True)


def change_text(share: float) -> str:
    """`−19 %`; empty for NaN."""
    return "" if share != share else f"{share:+.0%}".replace("-", "−").replace("%", " %")


def finding(lines: pd.DataFrame, kind: str) -> Sentence:
    """What debiasing does to each ranker's slope: `regular debiasing takes w2v_add from 0.28 to 0.22 (−19 %)`."""
    slopes = lines.set_index("system")["slope"]
    spans: list[Span] = []
    for ranker in RANKERS:
        before, after = slopes.get(ranker, np.nan), slopes.get(f"{ranker} · {kind}", np.nan)
        if np.isnan(before) or np.isnan(after):
            continue
        told = f" from {number(before)} to {number(after)} ({change_text((after - before) / abs(before))})"
        spans += [Span(" and " if spans else f"{kind.capitalize()} debiasing takes "), Span(ranker, True), Span(told)]
    return (*spans, Span(".")) if spans else ()
