"""The tab with each measure's scale: the means between the worst and the best order, and the band of random orders."""

from dataclasses import replace

from fairviz.errors import FairvizError
from fairviz.figures import value_scale
from fairviz.figures.cutoff_curve import CHANCE
from fairviz.figures.measure_order import TOP as LEGEND_TOP
from fairviz.orders.candidates import SOURCES
from fairviz.orders.ranges import value_scales
from fairviz.output.recipes import recipe
from fairviz.ui.kept import orders as cache
from fairviz.ui.kept.orders import scales
from fairviz.ui.kit import html
from fairviz.ui.tradeoff import chance, pinned
from fairviz.ui.tradeoff.card_parts import card_chart, card_columns, card_table
from fairviz.ui.tradeoff.deck import Deck

TOP = 40  # pixels above the first strip


def scale_card(deck: Deck) -> None:
    """Draw the measures of the page between their worst and best orders; nothing of a study too large for it."""
    choice_column, text_column, table_column = card_columns([3, 7])
    chance.pick_candidates(deck, choice_column)
    questions = tuple(question for question in deck.asked if question.per_query)
    if chance.is_too_large(deck) or not questions:
        return
    candidates = cache.candidates_of(deck.study)
    source = SOURCES[0] if candidates == cache.NONE else candidates
    try:
        table = scales(deck.study, deck.settings, questions, source)
    except FairvizError as error:
        html.message("info", error.message, error.remedy)
        return
    info = value_scale.info(table, questions, deck.settings.system)
    if candidates == cache.NONE:
        info = replace(info, bands=(None,) * len(info.bands))
    with text_column:
        band = f" Grey: {CHANCE}." if any(info.bands) else ""
        html.quiet(f"Ends: the worst and the best order of each query, averaged.{band}")
    texts = [question.text for question in questions]
    code = recipe(value_scales, deck.study, texts, deck.settings, candidates=source)
    before = pinned.as_now(deck.then.summary, deck.then.asked, questions) if deck.then else None
    card_table(
        deck, table_column, "scale", pinned.beside(table, before, ("system", "measure"), ("value",)), info.alt, code
    )
    figure = value_scale.draw(info, deck.styles, deck.theme)
    if info.strips.strips:  # the page has the legend
        figure.update_layout(margin_t=TOP, height=figure.layout.height - LEGEND_TOP + TOP)
    card_chart(deck, figure, info.alt, "tradeoff_scale")
