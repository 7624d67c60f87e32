"""The cards and tabs of the Trade-off page: a row of choices with the table, and the figure below it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.comparison import compare, ranking_sentences
from fairviz.comparison.curves import chance_over_cutoffs, over_cutoffs, with_chance
from fairviz.comparison.family import untested
from fairviz.comparison.pairs import SAME
from fairviz.comparison.pareto_front import distance_table, front_choice
from fairviz.errors import FairvizError
from fairviz.evaluation import questions
from fairviz.evaluation.questions import Asked, ask
from fairviz.evaluation.scores import exposures, over_alpha
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import alpha_curve, bump, cutoff_curve, differences, measure_order, scatter, ternary, value_scale
from fairviz.figures import best_achievable as achieved
from fairviz.figures.cutoff_curve import CHANCE
from fairviz.figures.style import Styles, Theme
from fairviz.measures import Question, parse
from fairviz.measures.rankings import targets
from fairviz.orders.candidates import SOURCES
from fairviz.orders.ranges import value_scales
from fairviz.output.recipes import Recipe, call, comparison_recipe, query_recipe, recipe, summarised
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study, is_reference
from fairviz.ui.kept import orders
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, html, pick, wide
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.highlight import cut
from fairviz.ui.shell import legend, voters
from fairviz.ui.state import choices, going, pair, pins
from fairviz.ui.tradeoff.overview import Kept, as_now, beside, open_lists, pin_buttons, pin_elsewhere
from fairviz.words.sentences import Span, counted, number

WIDE = "tradeoff_wide"
CARDS = ("scatter", "ternary")  # side by side
HEIGHT = 300
TAB = "tradeoff_tab"
DIFFERENCES, CURVES, RANKS, SCALE = "Differences", "Over α or k", "Ranks", "Chance and range"
CLICK = "Click: its lists on Query"
OF_QUERIES = "Click a point: the lists of its query."
OVER_ALPHA, OVER_K = "over α", "over k"
MEASURES = "tradeoff_measures"
CURVES_HELP = "A panel a measure over the same cutoffs. Shaded: no system is the best by all of them."
TRIANGLE = 3  # groups, neutral among them; of any other number the figure is of bars, with a legend of groups
BASELINE_HELP = "Lines are differences from this system, so that they overlap less."
FRONT_HELP = f"{term('achievable front')} Tooltips show the distance from its middle (DPFR). It takes some seconds."
NO_FRONT = "Choose effectiveness across, and up a measure that is fairest at its end."
CHANCE_TEXTS = {
    "study": "Chance: all retrieved",
    "run": "Chance: own list",
    "judged": "Chance: judged",
    orders.NONE: "No chance band",
}
CHANCE_HELP = f"{term('chance band')} Outlined: of the selected system's mean over queries."
LARGEST = 50_000  # queries times ranks, beyond which a page takes more than some seconds to draw orders
TOO_LARGE = "Too many ranks for a chance band here: `fairviz evaluate --chance` has it at a cutoff."
SCALE_TOP = 40  # pixels above the first strip of a scale
LONGEST = 40  # characters of a query on a link
GAPS_ALT = "Two systems query by query, the greatest difference of each measure first."


@dataclass(frozen=True)
class TradeoffDeck:
    """The data of the cards. hidden: number of systems of the study that are not shown. wide: the card that is as wide
    as the page. then: the data under the pinned settings."""

    study: Study
    settings: Settings
    fairness: Asked
    effectiveness: Asked
    summary: pd.DataFrame
    styles: Styles
    theme: Theme
    hidden: int = 0
    wide: str = ""
    then: "TradeoffDeck | None" = None

    @property
    def questions(self) -> dict[str, Question]:
        """Effectiveness first, then the fairness measures, by name."""
        return {question.name: question for question in (*self.effectiveness.questions, *self.fairness.questions)}

    @cached_property
    def axes(self) -> dict[str, Question]:
        """The measures of the scatter plot by name: those of the page, then every other one with a direction that can
        be computed."""
        names = questions.offered_columns(self.study, self.settings)
        others = questions.split_by_data(self.study, self.settings, names).questions
        own = {question.name: question for question in self.asked}
        return own | {one.name: one for one in others if one.direction != "none" and one.name not in own}

    @cached_property
    def along_cutoffs(self) -> dict[str, Question]:
        """The measures with a curve over cutoffs by name, those of the page first."""
        names = questions.offered_columns(self.study, self.settings)
        others = questions.split_by_data(self.study, self.settings, names).questions
        own = {question.name: question for question in self.fairness.questions}
        by_name = own | {question.name: question for question in others if question.name not in own}
        return {name: question for name, question in by_name.items() if question.measure and question.measure.per_query}

    @property
    def asked(self) -> tuple[Question, ...]:
        """Fairness first, then effectiveness."""
        return (*self.fairness.questions, *self.effectiveness.questions)

    @property
    def texts(self) -> tuple[str, ...]:
        """Measures of the page as scores name them: one family of comparisons."""
        return (*self.fairness.texts, *self.effectiveness.texts)

    @property
    def labelled(self) -> bool:
        """True if measures of labels can be computed."""
        return any(question.family == "labels" for question in self.fairness.questions)

    @property
    def untested(self) -> tuple[str, ...]:
        """Added systems that are drawn but not tested."""
        return untested(self.study, self.settings)

    @property
    def target_shares(self) -> list[float]:
        """The target shares of the genders, on which the ranges of some measures depend."""
        return grouping_of(self.study, self.settings.crossed_with).targets.tolist()

    @property
    def comparison(self) -> compare.Comparison:
        """Every pair of systems, seen from the best of each measure."""
        return cache.comparison(self.study, self.texts, self.settings)

    @property
    def kept(self) -> Kept | None:
        """The kept settings with their measures, values and comparison."""
        if self.then is None:
            return None
        return Kept(self.then.settings, self.then.asked, self.then.summary, self.then.comparison)

    @property
    def then_labelled(self) -> "TradeoffDeck | None":
        """The data under the pinned settings, if measures of labels could be computed."""
        return self.then if self.then and self.then.labelled else None

    def alt_text(self, alt: str) -> str:
        """Return the alt text with the number of hidden systems."""
        hidden = legend.hidden_text(self.study, self.settings)
        return f"{alt} {hidden}." if hidden else alt

    def looks(self, card: str) -> tuple[Styles, Theme, int]:
        """Return the styles, the theme and the height in pixels of the figure of a card."""
        return self.styles, self.theme, wide.HEIGHT if card == self.wide else HEIGHT

    def means(self, x: str, y: str) -> pd.DataFrame:
        """Return the summary of the measures on two axes, of those that can be computed."""
        texts = [question.text for name, question in self.axes.items() if name in (x, y)]
        return cache.summary(self.study, texts, self.settings)


def deck(study: Study, settings: Settings, fairness: Asked, effectiveness: Asked) -> TradeoffDeck:
    """Return the data of the page, now and under the pinned settings."""

    def under(settings: Settings, fairness: Asked, effectiveness: Asked) -> TradeoffDeck:
        summary = cache.summary(study, (*fairness.texts, *effectiveness.texts), settings)
        looks = charts.styles(study), charts.theme(), legend.hidden_count(study, settings)
        return TradeoffDeck(study, settings, fairness, effectiveness, summary, *looks)

    past = pins.pinned(study, settings)
    then = under(past, questions.tradeoff(study, past), questions.effective(study, past)) if past else None
    return replace(under(settings, fairness, effectiveness), then=then, wide=wide.opened(WIDE, CARDS))


def bar(deck: TradeoffDeck, comparison: compare.Comparison) -> None:
    """Draw the legend with the buttons for pinning, the pinned settings, and whether the finding has changed since.

    comparison: every system against the best of each measure.
    """
    with wide.bar(WIDE, horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        legend.legend(deck.study, deck.settings, deck.styles)
        pin_buttons(deck.settings)
    if kept := deck.kept:
        html.lines("fv-pinned", *kept.sentences(deck.settings, deck.questions.values(), comparison))
    else:
        pin_elsewhere(deck.study)


def cards(deck: TradeoffDeck) -> None:
    """Draw the two cards side by side; the style sheet gives an open one the width of the page."""
    with st.container(key="tradeoff_cards"):
        scatter_card(deck)
        ternary_card(deck)
        wide.follow(WIDE, "tradeoff")


def tabs(deck: TradeoffDeck) -> None:
    """Draw a tab for each of the other figures; only the open one is computed. A link to a curve opens its tab."""
    bodies = {DIFFERENCES: comparison_card, CURVES: curve_card, RANKS: bump_card, SCALE: scale_card}
    if voters.has_sample(deck.study):  # the means that people's labels of a sample correct
        bodies[voters.CORRECTED] = lambda deck: voters.corrected_card(deck.study, deck.settings, deck.asked, "tradeoff")
    if TAB not in st.session_state and st.session_state.get("tradeoff_curve"):
        st.session_state[TAB] = CURVES
    choices.among(TAB, tuple(bodies))
    for tab, draw in zip(st.tabs(list(bodies), key=TAB, on_change="rerun"), bodies.values(), strict=True):
        if tab.open:
            with tab, st.container(border=True, gap="xsmall"):
                draw(deck)


def _columns(widths: Sequence[float]) -> list[DeltaGenerator]:
    """Return the columns of a tab's first row, the one for the table last."""
    return st.columns([*widths, wide.TABLE], gap="small", vertical_alignment="center")


def scatter_card(deck: TradeoffDeck) -> None:
    """Draw any measure against any other, by default against effectiveness."""
    by_name = dict(sorted(deck.axes.items(), key=lambda item: item[1].family != "effectiveness"))
    fair = [name for name, question in by_name.items() if question.family != "effectiveness"]
    with wide.place(WIDE, "tradeoff", "scatter"):
        up_column, across_column, table_column = wide.head(WIDE, CARDS, "scatter", [4, 4, wide.TABLE])
        y = pick.select("tradeoff_y", "Up", fair, place=up_column, texts="{} up".format, hide_label=True)
        others = [name for name in by_name if name != y] or [y]
        x = pick.select("tradeoff_x", "Across", others, place=across_column, texts="against {}".format, hide_label=True)
        best, rows, then = _best_achievable(deck, x, y), deck.means(x, y), deck.then
        points = scatter.info(rows, deck.axes[x], deck.axes[y], deck.settings.system, deck.target_shares, deck.untested)
        info = achieved.with_front(points, best)
        alt = deck.alt_text(achieved.alt(info, best))
        before = as_now(then.means(x, y), [*then.axes.values()], [*by_name.values()]) if then else None
        table = beside(achieved.with_distances(rows, best), before, ("system", "measure"), ("value",))
        code = recipe(summarised(deck.study, deck.settings, rows["measure"].unique().tolist()))
        with table_column:  # no verb prints the distances
            charts.table(table, alt, "scatter", code if best is None else replace(code, command=""))
        looks = deck.looks("scatter")
        figure = draw_cached(_scatter, info, *looks, best, theme=deck.theme, hidden=deck.hidden, clicks=True)
        charts.chart(figure, alt, "tradeoff_scatter", partial(open_lists, measure=y))


def _best_achievable(deck: TradeoffDeck, x: str, y: str) -> achieved.BestAchievable | None:
    """Draw the switch, and return the front of the two measures if it is on; None where they have none."""
    across, up, question = deck.axes[x], deck.axes[y], None
    if across.family == "effectiveness" and up.family != "effectiveness":
        try:
            question = ask(f"DPFR({across.text},{up.text})", deck.settings)
            front_choice(question, deck.settings).unit(targets(deck.study))
        except FairvizError:
            question = None
    help_text = FRONT_HELP if question else NO_FRONT
    is_on = pick.toggle("tradeoff_front", "best achievable", disabled=question is None, help=help_text)
    if question is None or not is_on:
        return None
    answer = orders.front(deck.study, question, deck.settings)
    rows = distance_table(answer).set_index("system")[["value", "ci_low", "ci_high"]]
    distances = {str(name): tuple(row) for name, row in zip(rows.index, rows.to_numpy(), strict=True)}
    front, middle = answer.front.tolist(), answer.middle.tolist()
    return achieved.info(question.text, front, middle, distances, exact=all(answer.exact))


def _scatter(
    info: scatter.Scatter, styles: Styles, theme: Theme, height: int, best: achieved.BestAchievable | None
) -> go.Figure:
    """Return the figure with what a click opens in its tooltips, and the achievable front."""
    figure = scatter.draw(info, styles, theme, height)
    for trace in figure.data:
        if trace.hovertemplate:
            trace.hovertemplate = trace.hovertemplate.replace("<extra>", f"<br><i>{CLICK}</i><extra>")
    if best is not None:
        achieved.add(figure, best, info.x_title, info.y_title, theme)
    return figure


def ternary_card(deck: TradeoffDeck) -> None:
    """Draw the exposure of neutral and of each gender, a point for each system or query."""

    def open_point(system: str, query: str = "") -> None:
        """Open the lists of a point's query, the first of equal ones; select the system of a point without a query."""
        if query:
            going.to_query(query, (system,), "CWEx")
        else:
            charts.select_system(system)

    with wide.place(WIDE, "tradeoff", "ternary"):
        switch_column, _, table_column = wide.head(WIDE, CARDS, "ternary", [3, 5, wide.TABLE])
        per_query = pick.toggle("tradeoff_per_query", "each query", place=switch_column, disabled=not deck.labelled)
        looks, key = deck.looks("ternary"), "tradeoff_ternary"
        if not deck.labelled:
            figure = ternary.draw(ternary.Exposures((), ()), *looks)
            alt = deck.alt_text("Nothing is labelled.")
            charts.chart(figure, alt, key, charts.select_system, hidden=deck.hidden)
            return
        shares, then = cache.exposure_shares(deck.study, deck.settings, per_query=per_query), deck.then_labelled
        info = ternary.info(shares, deck.settings.system, deck.settings.query)
        notes = (info.note, OF_QUERIES if per_query else "")
        before = cache.exposure_shares(then.study, then.settings, per_query=per_query) if then else None
        on = tuple(name for name in ("system", "query_id") if name in shares)
        table = beside(shares, before, on, tuple(shares.columns.drop(list(on))))
        with table_column:
            code = recipe(exposures, deck.study, deck.settings, per_query=per_query)
            charts.table(table, deck.alt_text(info.alt), "ternary", code, notes=notes)
        hidden = deck.hidden if len(info.groups) == TRIANGLE else None  # bars keep their legend, which is of groups
        figure = draw_cached(ternary.draw, info, *looks, theme=deck.theme, hidden=hidden, clicks=True)
        charts.chart(figure, deck.alt_text(info.alt), key, open_point, carried=2)


def curve_card(deck: TradeoffDeck) -> None:
    """Draw CWEx over alpha, or measures over the cutoff."""
    curve_column, choice_column, table_column = _columns([2, 8])
    pick.segmented("tradeoff_curve", "Curve", _curves(deck), place=curve_column)
    kind, key = shown_curve(deck)
    with choice_column:
        figure, info, table, code = _over_alpha(deck) if kind == OVER_ALPHA else _over_cutoffs(deck)
    with table_column:
        charts.table(table, deck.alt_text(info.alt), "curve", code, notes=(getattr(info, "note", ""),))
    charts.chart(figure, deck.alt_text(info.alt), key, charts.select_system, hidden=deck.hidden)


def _over_alpha(deck: TradeoffDeck) -> tuple[go.Figure, alpha_curve.AlphaCurve, pd.DataFrame, Recipe]:
    """Draw the choice of the baseline; return CWEx over alpha: its figure, its content, its table and their Python."""
    lines, now, then = cache.alpha_curves(deck.study, deck.settings), deck.settings, deck.then_labelled
    systems = ("", *dict.fromkeys(lines["system"]))
    texts = {name: f"− {name or 'mean'}" for name in systems}
    baseline = pick.select("tradeoff_baseline", "Baseline", systems, texts=texts, hide_label=True, help=BASELINE_HELP)
    info = alpha_curve.info(lines, now.alpha, now.cutoff, baseline, now.system, deck.untested)
    before = cache.alpha_curves(then.study, then.settings) if then else None
    table = beside(lines, before, ("system", "alpha"), ("value",))
    figure = alpha_curve.draw(info, deck.styles, deck.theme, HEIGHT)
    return figure, info, table, recipe(over_alpha, deck.study, deck.settings)


def _over_cutoffs(deck: TradeoffDeck) -> tuple[go.Figure, cutoff_curve.CutoffCurve, pd.DataFrame, Recipe]:
    """Draw the choices of measures and candidates; return the measures over the cutoff: see `_over_alpha`."""
    measures_column, chance_column = st.columns([6, 3], gap="small", vertical_alignment="center")
    usual = tuple(question.name for question in deck.fairness.questions)
    pick.several(MEASURES, "Measures", tuple(deck.along_cutoffs), usual, place=measures_column,
                 placeholder="all three", help=CURVES_HELP, hide_label=True)  # fmt: skip
    pick_candidates(deck, chance_column)
    measures, source = chosen_measures(deck), chance_source(deck)
    lines, info, band = at_cutoffs(deck, measures)
    past = deck.then.along_cutoffs if deck.then else {}
    kept, before = [past[question.name] for question in measures if question.name in past], None
    if deck.then and kept:
        before = cache.cutoff_curves(deck.study, [question.text for question in kept], deck.then.settings)
        before = as_now(before, kept, measures, without_cutoffs=True)
    table = lines if band is None else with_chance(lines, band)
    table = beside(table, before, ("system", "measure", "cutoff"), ("value",))
    names = [question.text for question in measures]
    curves = call(over_cutoffs, deck.study, names, deck.settings)
    if source:
        bands = call(chance_over_cutoffs, deck.study, names, deck.settings, source[0], candidates=source[1])
        curves = call(with_chance, curves, bands)
    return cutoff_curve.draw(info, deck.styles, deck.theme, HEIGHT), info, table, recipe(curves)


def _curves(deck: TradeoffDeck) -> tuple[str, ...]:
    return (OVER_ALPHA, OVER_K) if deck.labelled else (OVER_K,)


def shown_curve(deck: TradeoffDeck) -> tuple[str, str]:
    """Return the selected curve and the key of its chart."""
    curves = _curves(deck)
    kind = st.session_state.get("tradeoff_curve")
    kind = str(kind) if kind in curves else curves[0]
    return kind, f"tradeoff_curve_{curves.index(kind)}_{len(curves)}"


def chosen_measures(deck: TradeoffDeck) -> list[Question]:
    """Return the measures whose curves over the cutoff are drawn."""
    names = [name for name in st.session_state.get(MEASURES, ()) if name in deck.along_cutoffs]
    return [deck.along_cutoffs[name] for name in names or [question.name for question in deck.fairness.questions]]


def at_cutoffs(
    deck: TradeoffDeck, measures: Sequence[Question]
) -> tuple[pd.DataFrame, cutoff_curve.CutoffCurve, pd.DataFrame | None]:
    """Return the table of these measures over the cutoff, the content of its figure, and the chance band, if any."""
    source, now = chance_source(deck), deck.settings
    lines = cache.cutoff_curves(deck.study, [question.text for question in measures], now)
    band = orders.over_cutoffs(deck.study, now, measures, *source) if source and measures else None
    info = cutoff_curve.info(lines, measures, now.cutoff, now.system, deck.target_shares, deck.untested, band)
    return lines, info, band


def chance_source(deck: TradeoffDeck) -> tuple[str, str] | None:
    """Return the system and the candidates of the chance band: the selected system, or else the first that is not a
    reference; None without a band."""
    candidates, draws = orders.candidates_of(deck.study), deck.study.draws
    names = [name for name in map(str, dict.fromkeys(deck.summary["system"])) if name not in draws]
    if candidates == orders.NONE or not names or is_too_large(deck):
        return None
    first = next((name for name in names if not is_reference(name)), names[0])
    return (deck.settings.system if deck.settings.system in names else first), candidates


def pick_candidates(deck: TradeoffDeck, place: DeltaGenerator) -> None:
    """Draw the choice of candidates for random orders; a study too large for bands has none."""
    if is_too_large(deck):
        place.caption(TOO_LARGE)
    else:
        options = orders.offered(deck.study)
        pick.select(orders.KEY, "Chance", options, place=place, texts=CHANCE_TEXTS, hide_label=True, help=CHANCE_HELP)


def is_too_large(deck: TradeoffDeck) -> bool:
    """Return whether random orders of the study's lists take more than some seconds."""
    runs = deck.study.runs
    return bool(len(runs)) and int(runs["rank"].max()) * runs["query_id"].nunique() > LARGEST


def bump_card(deck: TradeoffDeck) -> None:
    """Draw the rank of each system by each measure."""

    def ranks(deck: TradeoffDeck) -> bump.Bump:
        return bump.info(deck.summary, deck.asked, deck.settings.system, deck.untested)

    _, table_column = _columns([10])
    info, then = ranks(deck), ranks(deck.then) if deck.then else None
    common_measures = tuple(name for name in info.measures if then and name in then.measures)
    table = beside(info.table, then.table if then else None, ("system",), common_measures)
    summary = summarised(deck.study, deck.settings, [question.text for question in deck.asked])
    with table_column:
        code = recipe(bump.info, summary, deck.asked, table="found.table")
        notes = ("Crossing lines: measures disagree. Ranks hide how near systems are.",)
        charts.table(table, deck.alt_text(info.alt), "bump", code, notes=notes)
    figure = bump.draw(info, deck.styles, deck.theme, HEIGHT)
    charts.chart(figure, deck.alt_text(info.alt), "tradeoff_bump", charts.select_system, hidden=deck.hidden)


def scale_card(deck: TradeoffDeck) -> None:
    """Draw the measures of the page between the means of their worst and best orders, with the band of random orders;
    nothing of a study too large for it."""
    choice_column, _, table_column = _columns([3, 7])
    pick_candidates(deck, choice_column)
    asked = tuple(question for question in deck.asked if question.per_query)
    if is_too_large(deck) or not asked:
        return
    candidates = orders.candidates_of(deck.study)
    source = SOURCES[0] if candidates == orders.NONE else candidates
    try:
        table = orders.scales(deck.study, deck.settings, asked, source)
    except FairvizError as error:
        html.problem(error, "info")
        return
    info = value_scale.info(table, asked, deck.settings.system)
    if candidates == orders.NONE:
        info = replace(info, bands=(None,) * len(info.bands))
    band = f"Grey: {CHANCE}." if any(info.bands) else ""
    notes = ("Ends: the worst and the best order of each query, averaged.", band)
    before = as_now(deck.then.summary, deck.then.asked, asked) if deck.then else None
    with table_column:
        texts = [question.text for question in asked]
        code = recipe(value_scales, deck.study, texts, deck.settings, candidates=source)
        values = beside(table, before, ("system", "measure"), ("value",))
        charts.table(values, deck.alt_text(info.alt), "scale", code, notes=notes)
    figure = value_scale.draw(info, deck.styles, deck.theme)
    if info.strips.strips:  # the page has the legend
        figure.update_layout(margin_t=SCALE_TOP, height=figure.layout.height - measure_order.TOP + SCALE_TOP)
    charts.chart(figure, deck.alt_text(info.alt), "tradeoff_scale", charts.select_system, hidden=deck.hidden)


def comparison_card(deck: TradeoffDeck) -> None:
    """Draw the forest plot with its baseline to choose, the family of its tests, its table, and the query on which two
    systems differ most."""

    def open_pair(system: str, _name: str, _alt: str, baseline: str, measure: str) -> None:
        """Open the lists of the two systems of a difference, on the query where they differ most."""
        going.to_query(systems=tuple(dict.fromkeys((system, baseline))), measure=measure, order="difference")

    systems = [name for name in dict.fromkeys(deck.summary["system"]) if not is_reference(name)]
    tested = parse_tests(deck.settings.tests).baseline or None
    usual = f"{tested}, the baseline of the tests" if tested in systems else "the best of each measure"
    choice = pick.select(pair.BASELINE, "Differences to", ["", *systems], texts={"": usual})
    comparison, stars = against_choice(deck.comparison, choice)
    baseline, then = comparison.baseline, deck.then
    info = differences.info(comparison, stars, deck.settings.system)
    alt, key = deck.alt_text(info.alt), "tradeoff_differences"
    _, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
    before = None
    if then:
        before = cache.comparison(then.study, then.texts, then.settings, baseline).table
        before = as_now(before, then.asked, deck.asked)
    with table_column:
        table = beside(comparison.table, before, ("measure", "system"), ("baseline", "difference", "verdict"))
        code = comparison_recipe(deck.study, deck.settings, deck.texts, baseline, comparison.how)
        notes = _differences_notes(comparison, info, has_stars=any(stars.values()))
        charts.table(table, alt, key, code, notes=notes)
    looks = deck.styles, deck.theme
    figure = draw_cached(differences.draw, info, *looks, theme=deck.theme, hidden=deck.hidden, clicks=True)
    charts.chart(figure, alt, key, open_pair, carried=5)
    if choice:
        standings = ranking_sentences.standings(comparison, tuple(deck.questions.values()))
        spans = ranking_sentences.clauses(standings, best=False)
        html.findings((*spans, Span(".")) if spans else ())
    _gaps_line(deck, baseline)


def _differences_notes(
    comparison: compare.Comparison, info: differences.Differences, *, has_stars: bool
) -> tuple[str, ...]:
    return (
        ranking_sentences.family_note(comparison),
        "Filled: significantly different. Hollow: not.",
        f"Intervals: {ranking_sentences.interval_note(comparison)}.",
        ranking_sentences.warned_note(comparison),
        f"★ best (picked from the same queries) or {SAME} from it." if has_stars else "",
        "Grey systems are not tested; arrows point to those off scale." if info.references else "",
        f"{info.hidden:,} more systems are in Export." if info.hidden else "",
        "Click a mark for both lists.",
    )


def against_choice(
    comparison: compare.Comparison, baseline: str
) -> tuple[compare.Comparison, dict[str, frozenset[str]]]:
    """Return the comparison of the card and its stars: against the chosen baseline, else the one of the tests, else the
    best of each measure."""
    tests_baseline = comparison.how.tests.baseline
    has_baseline = any(tests_baseline in pairs.points.systems for pairs in comparison.pairs)
    comparison = comparison.against(baseline or (tests_baseline if has_baseline else ""))
    return comparison, {} if comparison.baseline else compare.starred(comparison)


def _gaps_line(deck: TradeoffDeck, baseline: str) -> None:
    """Draw the query with the largest gap by each measure, of the two best or of the baseline and the selected system,
    as a link to its two lists; every query is in the table."""
    systems = set(deck.summary["system"])
    system = deck.settings.system if deck.settings.system in systems else ""
    table = cache.by_query(deck.study, deck.texts, deck.settings, system, baseline)
    if table.empty:
        return
    texts = dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True))
    links_column, table_column = st.columns([12, 2], gap="small", vertical_alignment="center")
    with links_column.container(key="tradeoff_most", horizontal=True, gap="small", vertical_alignment="center"):
        for place, gap in enumerate(largest_gaps(table, texts)):
            to_lists = guarded(partial(going.to_query, gap.query_id, gap.systems, gap.measure))
            st.button(html.literal(gap.label), key=f"tradeoff_most_{place}", type="tertiary",
                      help=html.literal(gap.values), on_click=to_lists)  # fmt: skip
    with table_column:
        query_texts = [texts.get(name, "") for name in table["query_id"]]
        code = query_recipe(deck.study, deck.settings, deck.texts, (system, baseline))
        to_row = partial(charts.open_queries, table, {question.text: question.name for question in deck.asked})
        notes = ("Links: the query with the largest gap by each measure.",)
        table = table.assign(query=query_texts)
        charts.table(table, GAPS_ALT, "tradeoff_by_query", code, to_row, figure=False, notes=notes)


@dataclass(frozen=True)
class Gap:
    """The query on which two systems differ most by a measure. label and values: texts of its link and tooltip."""

    measure: str
    query_id: str
    systems: tuple[str, str]
    label: str
    values: str


def largest_gaps(table: pd.DataFrame, texts: Mapping[str, str]) -> list[Gap]:
    """Return the first query of each measure: `CWEx “nurse” 0.375`, with `best 0.250, other −0.125`.

    table: of fairviz.comparison.compare. texts: of the queries, by id.
    """
    gaps = []
    for text, rows in table.groupby("measure", sort=False):
        first, name = rows.iloc[0], parse(str(text)).name
        query, systems = str(first["query_id"]), (str(first["system"]), str(first["baseline"]))
        values = ", ".join(
            f"{first[system]} {number(float(first[value]))}"
            for system, value in (("baseline", "baseline_value"), ("system", "value"))
        )
        widest = abs(float(first["difference"]))
        if widest <= EQUAL:
            gaps.append(Gap(name, query, systems, f"{name} no gap", f"{values} on every query."))
            continue
        equal_count = int((rows["difference"].abs() >= widest - EQUAL).sum()) - 1
        more = f"; as large on {counted(equal_count, 'more query', 'more queries')}" if equal_count else ""
        shown = texts.get(query) or query
        shown = shown if len(shown) <= LONGEST else f"{cut(shown, LONGEST)} …"
        gaps.append(Gap(name, query, systems, f"{name} “{shown}” {number(widest)}", f"{values}{more}."))
    return gaps
