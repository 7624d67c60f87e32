"""The cards of the page Backpack: measures over the weight, the senses' sensitivity, a word's senses, the model."""

from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.sense_weighting.answer import Steering, sentences, steer
from fairviz.analyses.sense_weighting.seeds import WANTED, another, card_facts
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.figures import sense_bars, weight_curves, weight_plane
from fairviz.figures.weight_curves import Axis
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.rankers.backpack.loading import Backpack, loaded
from fairviz.rankers.backpack.neighbours import nearest
from fairviz.rankers.backpack.ranker import own_sensitivity
from fairviz.rankers.backpack.words import sensitivity_table
from fairviz.study.record import Study
from fairviz.ui.backpack import running
from fairviz.ui.backpack.controls import Chosen
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.state import choices
from fairviz.words.sentences import shortest

FIGURE, WORD = "backpack_figure", "backpack_word"
PLANE, CURVES = "figure 2", "over the weight"
NEAREST = 6
LONGEST = 60  # characters of a word
ABOUT = (
    "Equations 1, 4 and 5 are the paper's. The paper trained its head on MS MARCO's judgements. Here a small model is "
    "distilled from MiniLM's vectors instead."
)
ABOUT_PLACEBO = (
    "Placebo: the same weight on every other pair of senses. Grey: their range; dashed: their mean. Gap: distance of "
    "the scores of two wordings, in SDs of the query's scores, {kind}."
)
ABOUT_TESTS = (
    "Differences from weight 1 over queries; the whole table is one family. beyond: gender senses minus placebo. Rank: "
    "of the gender senses by size of change; p_rank = rank / sets."
)
ABOUT_SENSES = (
    "Low: the sense separates she from he (equation 4). Counted: {pairs} of {whole} pairs, those of two words that are "
    "one token each."
)


def figure_card(steering: Steering, chosen: Chosen, study: Study, settings: Settings) -> None:
    """Draw every measure over the weight, or figure 2 of the paper, below the effect beyond the placebo."""
    measures = [Axis(column.name, column.text, column.direction) for column in steering.defined]
    up = next((axis for axis, column in zip(measures, steering.defined, strict=True) if column.effective), None)
    changes = steering.change(chosen.weight)
    verdict, *others = sentences(steering.columns, changes, chosen.weight, steering.how.tests)
    with st.container(border=True, gap="xsmall", key="backpack_figure_card"):
        words, which, tests, more = st.columns([7, 3.6, 2, 2], gap="small", vertical_alignment="center")
        view = pick.segmented(FIGURE, "Figure", (CURVES, PLANE) if up is not None else (CURVES,), place=which)
        with words:
            html.findings(verdict)
        theme = charts.theme()
        if view == PLANE and up is not None:
            plane = weight_plane.info(steering.table, up, [axis for axis in measures if axis != up], chosen.weight)
            figure, alt = draw_cached(weight_plane.draw, plane, theme, theme=theme), plane.alt
        else:
            curves = weight_curves.info(steering.table, measures, chosen.weight)
            figure, alt = draw_cached(weight_curves.draw, curves, theme, theme=theme), curves.alt
        with tests, st.popover("Tests", width="stretch"):
            html.lines("", *others)
            html.quiet(f"{ABOUT_TESTS} {ABOUT_PLACEBO.format(kind=steering.lists.read.wordings.kind or 'no pairs')}")
            st.dataframe(changes, hide_index=True, key="backpack_tests")
        with more:
            charts.table(steering.table, alt, "backpack_table", _recipe(study, settings, chosen, "table"))
        charts.chart(figure, alt, "backpack_chart")


def _recipe(study: Study, settings: Settings, chosen: Chosen, part: str) -> Recipe:
    names: dict[str, Any] = {"model": chosen.model, "seeds": tuple(chosen.seeds)}
    return recipe(steer, study, **names, settings=settings, table=f"found.{part}")


def senses_card(model: Backpack) -> None:
    """Draw the gender of each sense."""
    table = kept.sensitivity(model)
    scaled = [int(sense) for sense in table.loc[table["scaled"] == "yes", "sense"]]
    bars = sense_bars.info(table, scaled)
    with st.container(border=True, gap="xsmall", key="backpack_senses_card"):
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            sensitivity = own_sensitivity(model)
            whole = len(sensitivity.pairs) + len(sensitivity.missing)
            html.quiet(ABOUT_SENSES.format(pairs=len(sensitivity.pairs), whole=whole))
        with more:
            charts.table(table, bars.alt, "backpack_senses", recipe(sensitivity_table, call(loaded, model.name)))
        charts.chart(sense_bars.draw(bars, charts.theme()), bars.alt, "backpack_senses_chart")


def word_card(model: Backpack) -> None:
    """The nearest words of each sense of any word."""
    with st.container(border=True, gap="xsmall", key="backpack_word_card"):
        word, more = st.columns([8, 2], gap="small", vertical_alignment="bottom")
        from_address = choices.value_of(WORD)
        if len(from_address) > LONGEST:  # only an address can contain more than the field takes
            choices.report_missing(WORD, [from_address])
            choices.take_back(WORD)
        typed = word.text_input("A word, and the nearest words of each of its senses", key=WORD, max_chars=LONGEST)
        if not typed.strip():
            html.quiet("Type a word.")
            return
        try:
            neighbours = kept.neighbours(model, typed.strip(), NEAREST)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        with more:
            alt = f"Nearest words of each sense of {typed.strip()}."
            code = recipe(nearest, call(loaded, model.name), typed.strip(), NEAREST)
            charts.table(neighbours, alt, "backpack_word", code, figure=False)
        cells = word_cells(neighbours, kept.sensitivity(model))
        st.dataframe(cells, hide_index=True, key="backpack_words", height="content", row_height=30, alt=alt)


def word_cells(table: pd.DataFrame, senses: pd.DataFrame) -> pd.DataFrame:
    """A row a sense: its number, marked where it gets the weight, and its nearest words."""
    joined = table.groupby("sense", sort=True)["word"].agg(", ".join)
    scaled = set(senses.loc[senses["scaled"] == "yes", "sense"])
    names = [f"{sense}{' (weight)' if sense in scaled else ''}" for sense in joined.index]
    return pd.DataFrame({"sense": names, "nearest words": joined.to_numpy()})


def model_card(chosen: Chosen) -> None:
    """Draw the model's training data, method and licences, and the way to train more models."""
    with st.expander("The model and its training", key="backpack_model_card", type="compact"):
        html.quiet(ABOUT)
        html.definitions(card_facts(chosen.model))
        html.quiet(seeds_text(chosen))
        next_model = another(chosen.model)
        if next_model is not None:
            running.next_seed(next_model)


def seeds_text(chosen: Chosen) -> str:
    """Return the number of other seeds of the model, and the way to train more."""
    count = 1 + len(chosen.seeds)
    if count >= WANTED:
        return f"Dotted lines: {count - 1} models of other seeds, trained alike on the same texts."
    card = loaded(chosen.model).card
    studies = [str(one.get("name", "")).removeprefix("the study ") for one in card.get("sources", [])
               if str(one.get("name", "")).startswith("the study ")]  # fmt: skip
    minutes = f" --minutes {shortest(card['minutes'])}" if card.get("minutes", 5) != 5 else ""
    command = f"fairviz train-backpack {' '.join(studies) or 'STUDY'}{minutes} --seed N"
    return (
        f"{count} of {WANTED} seeds shown; what one seed does can be chance. Train more with {command} (another N "
        "each)."
    )
