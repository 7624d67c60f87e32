"""The four cards of the Trade-off page: a row of choices with the table, and the figure below it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fairviz.evaluation.choices import targets
from fairviz.evaluation.settings import Settings
from fairviz.figures import alpha_curve, bump, cutoff_curve, scatter, sweep, ternary
from fairviz.figures.style import SystemStyle, Theme
from fairviz.measures import Question
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html
from fairviz.ui.shell import frame
from fairviz.ui.state import choices
from fairviz.ui.tradeoff import questions
from fairviz.ui.tradeoff.questions import Asked

HEIGHT = 262
OVER_ALPHA, SWEEP, OVER_K = "over α", "sweep α", "over k"
MEASURES = "tradeoff_measures"
CURVES_HELP = "A panel a measure over the same cutoffs. Shaded: no system is the best by all of them."
UPPER_HEIGHT = 300
BASELINE_HELP = "Lines are differences from this system, so that they do not lie on one another."


@dataclass(frozen=True)
class Deck:
    """What every card draws from."""

    study: Study
    settings: Settings
    fairness: Asked
    effectiveness: Asked
    summary: pd.DataFrame
    styles: Mapping[str, SystemStyle]
    theme: Theme

    @property
    def questions(self) -> dict[str, Question]:
        """Effectiveness first, then the fairness measures, by name."""
        return {question.name: question for question in (*self.effectiveness.questions, *self.fairness.questions)}

    @property
    def texts(self) -> tuple[str, ...]:
        """The measures of the page as scores name them: one family of comparisons."""
        return (*self.fairness.texts, *self.effectiveness.texts)

    @property
    def labelled(self) -> bool:
        """Whether measures of labels can be computed."""
        return any(question.family == "labels" for question in self.fairness.questions)


def deck(study: Study, settings: Settings, fairness: Asked, effectiveness: Asked) -> Deck:
    """The summary of all measures of the page, and the look of systems and page."""
    summary = cache.summary(study, (*fairness.texts, *effectiveness.texts), settings)
    return Deck(study, settings, fairness, effectiveness, summary, charts.styles(study), charts.theme())


def scatter_card(deck: Deck) -> None:
    """Any measure against any other, effectiveness across at first."""
    known = deck.questions
    fair = [question.name for question in deck.fairness.questions]
    with st.container(border=True, gap="xsmall"):
        up, across, more = _row([4, 4, 2])
        y = choices.among("tradeoff_y", fair)
        up.selectbox("Up", fair, key="tradeoff_y", format_func="{} up".format, label_visibility="collapsed")
        others = [name for name in known if name != y] or [y]
        choices.among("tradeoff_x", others)
        x = across.selectbox(
            "Across", others, key="tradeoff_x", format_func="against {}".format, label_visibility="collapsed"
        )
        drawn = scatter.info(deck.summary, known[x], known[y], deck.settings.system, targets(deck.study).tolist())
        texts = [known[x].text, known[y].text]
        with more:
            charts.table(deck.summary[deck.summary["measure"].isin(texts)], drawn.alt, "scatter")
        figure = scatter.draw(drawn, deck.styles, deck.theme, UPPER_HEIGHT)
        charts.chart(figure, drawn.alt, "tradeoff_scatter", charts.select_system)


def ternary_card(deck: Deck) -> None:
    """Exposure of neutral and of each gender, a point a system or each query."""
    with st.container(border=True, gap="xsmall"):
        switch, words, more = _row([3, 5, 2])
        choices.given("tradeoff_per_query")
        per_query = switch.toggle("each query", key="tradeoff_per_query", disabled=not deck.labelled)
        if not deck.labelled:
            figure = ternary.draw(ternary.Exposures((), ()), deck.styles, deck.theme, HEIGHT)
            charts.chart(figure, "Nothing is labelled.", "tradeoff_ternary")
            return
        shares = cache.exposure_shares(deck.study, deck.settings, per_query=per_query)
        drawn = ternary.info(shares, deck.settings.system, deck.settings.query)
        with words:
            html.quiet(drawn.note)
        with more:
            charts.table(shares, drawn.alt, "ternary")
        figure = ternary.draw(drawn, deck.styles, deck.theme, UPPER_HEIGHT)
        charts.chart(figure, drawn.alt, "tradeoff_ternary", charts.select_system)


def curve_card(deck: Deck) -> None:
    """CWEx over alpha, its sweep inside the browser, or measures over the cutoff."""
    curves = (OVER_ALPHA, SWEEP, OVER_K) if deck.labelled else (OVER_K,)
    with st.container(border=True, gap="xsmall"):
        which, base, more = _row([5, 3, 2])
        kind = choices.among("tradeoff_curve", curves)
        which.segmented_control("Curve", curves, required=True, key="tradeoff_curve", label_visibility="collapsed")
        with st.container() if kind == OVER_K else base:  # the measures need the width of the card
            figure, table, drawn = {OVER_ALPHA: _over_alpha, SWEEP: _sweep, OVER_K: _over_cutoff}[kind](deck)
        with more:
            charts.table(table, drawn.alt, "curve")
        html.quiet(getattr(drawn, "sentence", ""))
        key = f"tradeoff_curve_{curves.index(kind)}_{len(curves)}"
        charts.chart(figure, drawn.alt, key, charts.select_system)


def bump_card(deck: Deck) -> None:
    """The rank of each system by each measure."""
    with st.container(border=True, gap="xsmall"):
        words, more = _row([8, 2])
        drawn = bump.info(deck.summary, (*deck.fairness.questions, *deck.effectiveness.questions), deck.settings.system)
        with words:
            html.quiet("Crossing lines: measures disagree. Ranks hide how near systems are.")
        with more:
            charts.table(_ranks(drawn), drawn.alt, "bump")
        figure = bump.draw(drawn, deck.styles, deck.theme, HEIGHT)
        charts.chart(figure, drawn.alt, "tradeoff_bump", charts.select_system)


def missing_card(deck: Deck) -> None:
    """What the study lacks for the rest of the page."""
    frame.missing((*deck.fairness.missing, *deck.effectiveness.missing))


def _over_alpha(deck: Deck):
    lines = cache.alpha_curves(deck.study, deck.settings)
    systems = ("", *dict.fromkeys(lines["system"]))
    choices.among("tradeoff_baseline", systems)
    baseline = st.selectbox(
        "Baseline",
        systems,
        format_func=lambda name: f"− {name or 'mean'}",
        key="tradeoff_baseline",
        label_visibility="collapsed",
        help=BASELINE_HELP,
    )
    drawn = alpha_curve.info(lines, deck.settings.alpha, deck.settings.cutoff, baseline, deck.settings.system)
    return alpha_curve.draw(drawn, deck.styles, deck.theme, HEIGHT), lines, drawn


def _sweep(deck: Deck):
    lines = cache.alpha_curves(deck.study, deck.settings)
    across = (*deck.effectiveness.questions, *deck.fairness.questions[1:], deck.fairness.questions[0])[0]
    drawn = sweep.info(lines, deck.summary, across, deck.settings.alpha, deck.settings.cutoff, deck.settings.system)
    return sweep.draw(drawn, deck.styles, deck.theme, HEIGHT), lines, drawn


def _over_cutoff(deck: Deck):
    offered = _along_cutoffs(deck)
    first = [question.name for question in deck.fairness.questions]
    choices.several(MEASURES, tuple(offered), tuple(first))
    names = st.multiselect(
        "Measures", list(offered), key=MEASURES, placeholder="all three", help=CURVES_HELP,
        label_visibility="collapsed",
    )  # fmt: skip
    chosen = [offered[name] for name in names or first]
    lines = cache.cutoff_curves(deck.study, [question.text for question in chosen], deck.settings)
    system = deck.settings.system
    drawn = cutoff_curve.info(lines, chosen, deck.settings.cutoff, system, targets(deck.study).tolist())
    return cutoff_curve.draw(drawn, deck.styles, deck.theme, HEIGHT), lines, drawn


def _along_cutoffs(deck: Deck) -> dict[str, Question]:
    """The measures that have a curve over cutoffs, by name: those of the page first."""
    others = questions.asked(deck.study, deck.settings, questions.overview_texts(deck.settings)).questions
    every = {question.name: question for question in (*deck.fairness.questions, *others)}
    return {name: question for name, question in every.items() if question.measure and question.measure.per_query}


def _ranks(drawn: bump.Bump) -> pd.DataFrame:
    """A row a system; references have no rank."""
    ranks = {**drawn.ranks, **dict.fromkeys(drawn.references, (None,) * len(drawn.measures))}
    columns = {name: [held[place] for held in ranks.values()] for place, name in enumerate(drawn.measures)}
    return pd.DataFrame({"system": list(ranks), **columns}).astype(dict.fromkeys(columns, "Int64"))


def _row(widths: Sequence[int]):
    return st.columns(widths, gap="small", vertical_alignment="center")
