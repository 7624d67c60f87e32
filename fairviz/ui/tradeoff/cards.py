"""The four cards of the Trade-off page: a row of choices with the table, and the figure below it; pinned marks too."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.evaluation import questions
from fairviz.figures import alpha_curve, bump, cutoff_curve, scatter, ternary
from fairviz.measures import Question
from fairviz.measures.rankings import targets
from fairviz.output import recipes
from fairviz.ui.kept import figures
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, html, pick, wide
from fairviz.ui.shell import frame
from fairviz.ui.state import going
from fairviz.ui.tradeoff import pinned
from fairviz.ui.tradeoff.deck import CARDS, WIDE, Deck

HEIGHT = 262
CLICK = "Click: its lists on Query"
OF_QUERIES = "Click a point: the lists of its query."
OVER_ALPHA, OVER_K = "over α", "over k"
MEASURES = "tradeoff_measures"
CURVES_HELP = "A panel a measure over the same cutoffs. Shaded: no system is the best by all of them."
UPPER_HEIGHT = 300
TRIANGLE = 3  # groups, neutral among them; of any other number the figure is of bars, with a legend of groups
HOLLOW_MEANS = "Hollow: each system's pinned mean."
BASELINE_HELP = "Lines are differences from this system, so that they do not lie on one another."


def cards(deck: Deck) -> None:
    """The four cards, two and two; the style sheet gives an open one the width of the page."""
    with st.container(key="tradeoff_cards"):
        for name in CARDS:
            DRAW[name](deck)
        wide.follow(WIDE, "tradeoff")


def scatter_card(deck: Deck) -> None:
    """Any measure against any other, effectiveness across at first."""
    known = deck.questions
    fair = [question.name for question in deck.fairness.questions]
    with wide.place(WIDE, "tradeoff", "scatter"):
        up, across, more = _head("scatter", [4, 4])
        y = pick.select("tradeoff_y", "Up", fair, place=up, texts="{} up".format, hide_label=True)
        others = [name for name in known if name != y] or [y]
        x = pick.select("tradeoff_x", "Across", others, place=across, texts="against {}".format, hide_label=True)
        drawn, then = _points(deck, x, y), deck.asked_then(x, y)
        texts = [question.text for question in deck.asked if question.name in (x, y)]
        rows = deck.summary[deck.summary["measure"].isin(texts)]
        before = pinned.as_now(deck.then.summary, deck.then.asked, deck.asked) if deck.then else None
        _more(deck, more, "scatter", pinned.beside(rows, before, ("system", "measure"), ("value",)), drawn.alt,
              recipes.summary(deck.study, deck.settings, texts))  # fmt: skip
        ghost = _points(then, x, y) if then else None
        figure = scatter.draw(drawn, deck.styles, deck.theme, deck.height("scatter", UPPER_HEIGHT), ghost)
        for trace in figure.data:
            if trace.hovertemplate:
                trace.hovertemplate = trace.hovertemplate.replace("<extra>", f"<br><i>{CLICK}</i><extra>")
        _chart(deck, figure, drawn.alt, "tradeoff_scatter", partial(_open_lists, measure=y))


def _points(deck: Deck, x: str, y: str) -> scatter.Scatter:
    known = deck.questions
    shares = targets(deck.study).tolist()
    return scatter.info(deck.summary, known[x], known[y], deck.settings.system, shares, deck.untested)


def ternary_card(deck: Deck) -> None:
    """Exposure of neutral and of each gender, a point a system or each query."""
    with wide.place(WIDE, "tradeoff", "ternary"):
        switch, words, more = _head("ternary", [3, 5])
        per_query = pick.toggle("tradeoff_per_query", "each query", place=switch, disabled=not deck.labelled)
        if not deck.labelled:
            nothing = ternary.Exposures((), ())
            figure = ternary.draw(nothing, deck.styles, deck.theme, deck.height("ternary", HEIGHT))
            _chart(deck, figure, "Nothing is labelled.", "tradeoff_ternary")
            return
        shares, then = _shares(deck, per_query=per_query), deck.then if deck.then and deck.then.labelled else None
        drawn = ternary.info(shares, deck.settings.system, deck.settings.query)
        with words:
            notes = (drawn.note, OF_QUERIES if per_query else "", HOLLOW_MEANS if then and per_query else "")
            html.quiet(" ".join(filter(None, notes)))
        before = _shares(then, per_query=per_query) if then else None
        on = tuple(name for name in ("system", "query_id") if name in shares)
        table = pinned.beside(shares, before, on, tuple(shares.columns.drop(list(on))))
        code = recipes.exposures(deck.study, deck.settings, per_query=per_query)
        _more(deck, more, "ternary", table, drawn.alt, code)
        ghost = ternary.info(_shares(then, per_query=False)) if then else None
        hidden = deck.hidden if len(drawn.groups) == TRIANGLE else None  # bars keep their legend, which is of groups
        looks = (deck.styles, deck.theme, deck.height("ternary", UPPER_HEIGHT))
        figure = figures.drawn(ternary.draw, drawn, *looks, ghost, theme=deck.theme, hidden=hidden, clicks=True)
        charts.chart(figure, deck.told(drawn.alt), "tradeoff_ternary", _open_point, carried=2)


def _open_lists(system: str, measure: str) -> None:
    """A point of a system opens its lists."""
    going.to_query(systems=(system,), measure=measure)


def _open_point(system: str, query: str = "") -> None:
    """A point of a query, the first of those that it stands for, opens its lists; one of a system names the system."""
    if query:
        going.to_query(query, (system,), "CWEx")
    else:
        charts.select_system(system)


def _shares(deck: Deck, *, per_query: bool) -> pd.DataFrame:
    return cache.exposure_shares(deck.study, deck.settings, per_query=per_query)


def curve_card(deck: Deck) -> None:
    """CWEx over alpha, or measures over the cutoff."""
    curves = _curves(deck)
    with wide.place(WIDE, "tradeoff", "curve"):
        which, base, more = _head("curve", [5, 3])
        pick.segmented("tradeoff_curve", "Curve", curves, place=which)
        kind, key = shown_curve(deck)
        with st.container() if kind == OVER_K else base:  # the measures need the width of the card
            figure, table, drawn = {OVER_ALPHA: _over_alpha, OVER_K: _over_cutoff}[kind](deck)
        _more(deck, more, "curve", table, drawn.alt, _curve_recipe(deck, kind))
        html.quiet(getattr(drawn, "sentence", ""))
        _chart(deck, figure, drawn.alt, key)


def _curve_recipe(deck: Deck, kind: str) -> str:
    if kind == OVER_ALPHA:
        return recipes.over_alpha(deck.study, deck.settings)
    return recipes.over_cutoffs(deck.study, deck.settings, [question.text for question in chosen_measures(deck)])


def _curves(deck: Deck) -> tuple[str, ...]:
    return (OVER_ALPHA, OVER_K) if deck.labelled else (OVER_K,)


def shown_curve(deck: Deck) -> tuple[str, str]:
    """Which curve the card shows, and the key of its chart."""
    curves = _curves(deck)
    kind = st.session_state.get("tradeoff_curve")
    kind = str(kind) if kind in curves else curves[0]
    return kind, f"tradeoff_curve_{curves.index(kind)}_{len(curves)}"


def bump_card(deck: Deck) -> None:
    """The rank of each system by each measure."""
    with wide.place(WIDE, "tradeoff", "bump"):
        words, more = _head("bump", [8])
        drawn, then = _order(deck), _order(deck.then) if deck.then else None
        with words:
            html.quiet("Crossing lines: measures disagree. Ranks hide how near systems are.")
        before = _ranks(then) if then else None
        both = tuple(name for name in drawn.measures if then and name in then.measures)
        _more(deck, more, "bump", pinned.beside(_ranks(drawn), before, ("system",), both), drawn.alt,
              recipes.order(deck.study, deck.settings, [question.text for question in deck.asked]))  # fmt: skip
        figure = bump.draw(drawn, deck.styles, deck.theme, deck.height("bump", HEIGHT), then)
        _chart(deck, figure, drawn.alt, "tradeoff_bump")


def _order(deck: Deck) -> bump.Bump:
    return bump.info(deck.summary, deck.asked, deck.settings.system, deck.untested)


def missing_card(deck: Deck) -> None:
    """What the study lacks for the rest of the page."""
    frame.missing((*deck.fairness.missing, *deck.effectiveness.missing))


def _over_alpha(deck: Deck):
    lines = cache.alpha_curves(deck.study, deck.settings)
    systems = ("", *dict.fromkeys(lines["system"]))
    texts = {name: f"− {name or 'mean'}" for name in systems}
    baseline = pick.select("tradeoff_baseline", "Baseline", systems, texts=texts, hide_label=True, help=BASELINE_HELP)
    drawn, then = _differences(deck, baseline), deck.then if deck.then and deck.then.labelled else None
    before = cache.alpha_curves(then.study, then.settings) if then else None
    ghost = _differences(then, baseline) if then else None
    figure = alpha_curve.draw(drawn, deck.styles, deck.theme, deck.height("curve", HEIGHT), ghost)
    return figure, pinned.beside(lines, before, ("system", "alpha"), ("value",)), drawn


def _differences(deck: Deck, baseline: str) -> alpha_curve.AlphaCurve:
    lines, asked = cache.alpha_curves(deck.study, deck.settings), deck.settings
    return alpha_curve.info(lines, asked.alpha, asked.cutoff, baseline, asked.system, deck.untested)


def _over_cutoff(deck: Deck):
    offered = _along_cutoffs(deck)
    usual = tuple(question.name for question in deck.fairness.questions)
    names, empty = tuple(offered), "all three"
    pick.several(MEASURES, "Measures", names, usual, placeholder=empty, help=CURVES_HELP, hide_label=True)
    chosen = chosen_measures(deck)
    lines, drawn = at_cutoffs(deck, chosen)
    held = _pinned_measures(deck, chosen)
    before = pinned.as_now(at_cutoffs(deck.then, held)[0], held, chosen, along=True) if deck.then and held else None
    ghost = pinned_cutoffs(deck, chosen)
    figure = cutoff_curve.draw(drawn, deck.styles, deck.theme, deck.height("curve", HEIGHT), ghost)
    return figure, pinned.beside(lines, before, ("system", "measure", "cutoff"), ("value",)), drawn


def chosen_measures(deck: Deck) -> list[Question]:
    """The measures whose curves over the cutoff are shown."""
    offered = _along_cutoffs(deck)
    names = [name for name in st.session_state.get(MEASURES, ()) if name in offered]
    return [offered[name] for name in names or [question.name for question in deck.fairness.questions]]


def _pinned_measures(deck: Deck, chosen: Sequence[Question]) -> list[Question]:
    """Those of the measures that have a pinned curve, as they were asked for then."""
    known = _along_cutoffs(deck.then) if deck.then else {}
    return [known[question.name] for question in chosen if question.name in known]


def pinned_cutoffs(deck: Deck, chosen: Sequence[Question]) -> cutoff_curve.CutoffCurve | None:
    """The pinned curves of these measures, if any are."""
    held = _pinned_measures(deck, chosen)
    return at_cutoffs(deck.then, held)[1] if deck.then and held else None


def at_cutoffs(deck: Deck, chosen: Sequence[Question]) -> tuple[pd.DataFrame, cutoff_curve.CutoffCurve]:
    """The curves of these measures over the cutoff, and what is drawn of them."""
    lines = cache.cutoff_curves(deck.study, [question.text for question in chosen], deck.settings)
    shares, asked = targets(deck.study).tolist(), deck.settings
    return lines, cutoff_curve.info(lines, chosen, asked.cutoff, asked.system, shares, deck.untested)


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


def _head(card: str, widths: Sequence[float]) -> list[DeltaGenerator]:
    return wide.head(WIDE, CARDS, card, [*widths, wide.TABLE])


def _more(deck: Deck, place: DeltaGenerator, card: str, table: pd.DataFrame, alt: str, code: str) -> None:
    """The table of a card in its place, with the Python that makes it."""
    with place:
        charts.table(table, deck.told(alt), card, code)


def _chart(
    deck: Deck, figure: go.Figure, alt: str, key: str, on_point: Callable[[str], None] = charts.select_system
) -> None:
    """The figure under the legend of the page; a click on a point names its system, if no other thing is said."""
    charts.chart(figure, deck.told(alt), key, on_point, hidden=deck.hidden)


DRAW: Mapping[str, Callable[[Deck], None]] = dict(
    zip(CARDS, (scatter_card, ternary_card, curve_card, bump_card), strict=True)
)
