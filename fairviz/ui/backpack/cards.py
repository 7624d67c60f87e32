"""The cards of the page Backpack: what changes, figure 2, the senses' sensitivity, a word's senses, and the model."""

from typing import Any

import pandas as pd
import streamlit as st

from fairviz.analyses.sense_weighting.answer import Steering, steer
from fairviz.analyses.sense_weighting.change import sentences
from fairviz.analyses.sense_weighting.seeds import WANTED, another, card_facts
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.figures import sense_bars, weight_curves, weight_plane
from fairviz.figures.weight_lines import Axis
from fairviz.output.recipes import call, recipe
from fairviz.rankers.backpack.loading import Backpack, loaded
from fairviz.rankers.backpack.neighbours import nearest
from fairviz.rankers.backpack.ranker import own_sensitivity
from fairviz.rankers.backpack.words import sensitivity_table
from fairviz.study.record import Study
from fairviz.ui.backpack import running
from fairviz.ui.backpack.controls import Asked
from fairviz.ui.kept import rankers as kept
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.state import choices
from fairviz.words.sentences import shortest

FIGURE, WORD = "backpack_figure", "backpack_word"
PLANE, CURVES = "figure 2", "over the weight"
NEAREST = 6
LONGEST = 60  # characters of a word
ABOUT = (
    "Equations 1, 4 and 5 are the paper's. Its two-layer head and its training (equations 2 and 3) need MS MARCO's "
    "judgements; here a small model is distilled from MiniLM's vectors of texts instead, and one seed comes with the "
    "program. The paper's model and its numbers, on MS MARCO, cannot be had: whether its claim holds here is what the "
    "page shows."
)
ABOUT_PLACEBO = (
    "Placebo: the same weight on every other pair of senses; grey from the lowest to the highest of them, dashed their "
    "mean; the rank among them is in the sentences and under Tests. Gap: how far a ranker's scores of two wordings of "
    "one text lie apart, in standard deviations of the query's scores, {kind}. NFaiRR's ideal is that of the whole "
    "collection."
)
ABOUT_TESTS = (
    "Differences from weight 1 over queries; the whole table is one family. beyond: the gender senses minus the "
    "placebo. Of measures fairest at 0 the means' sizes count. Rank: of the gender senses by size of change among "
    "themselves and the placebos; p_rank is rank by their number."
)
ABOUT_SENSES = (
    "Equation 4: the mean cosine of a sense's vectors of two words that differ in gender (she, he). Low: the sense "
    "tells them apart. Counted: {pairs} of {whole} pairs, those of two words that are one token each. Intervals are "
    "over resamples of the pairs; where they overlap, which sense is chosen is chance."
)


def finding(steering: Steering, request: Asked) -> None:
    """Draw the measures that are better and worse at the chosen weight than at 1, and the placebo's change."""
    change_lines = sentences(steering.columns, steering.change(request.weight), request.weight, steering.how.tests)
    with st.columns(1)[0]:  # where a notice takes the room of its words alone
        html.box("notice", html.lines_html(*change_lines))


def figure_card(steering: Steering, request: Asked, study: Study, settings: Settings) -> None:
    """Figure 2 of the paper, or every measure over the weight."""
    there = steering.defined
    measures = [Axis(column.name, column.text, column.direction) for column in there]
    up = next((one for one, column in zip(measures, there, strict=True) if column.effective), None)
    offered = (PLANE, CURVES) if up is not None else (CURVES,)
    with st.container(border=True, gap="xsmall", key="backpack_figure_card"):
        which, words, changes, more = st.columns([4, 7, 2, 2], gap="small", vertical_alignment="center")
        shown = pick.segmented(FIGURE, "Figure", offered, place=which)
        with words:
            html.quiet(
                ABOUT_PLACEBO.format(kind=f"by {steering.lists.read.wordings.kind or 'no pairs, for want of words'}")
            )
        theme = charts.theme()
        if shown == PLANE and up is not None:
            plane = weight_plane.info(steering.table, up, [one for one in measures if one != up], request.weight)
            figure, alt = draw_cached(weight_plane.draw, plane, theme, theme=theme), plane.alt
        else:
            curves = weight_curves.info(steering.table, measures, request.weight)
            figure, alt = draw_cached(weight_curves.draw, curves, theme, theme=theme), curves.alt
        with changes, st.popover("Tests", width="stretch"):
            html.quiet(ABOUT_TESTS)
            st.dataframe(steering.change(request.weight), hide_index=True, key="backpack_tests")
        with more:
            charts.table(steering.table, alt, "backpack_table", _recipe(study, settings, request, "table"))
        charts.chart(figure, alt, "backpack_chart")


def _recipe(study: Study, settings: Settings, request: Asked, part: str) -> str:
    names: dict[str, Any] = {"model": request.model, "seeds": tuple(request.seeds)}
    return recipe(steer, study, **names, settings=settings, table=f"found.{part}")


def senses_card(model: Backpack) -> None:
    """Draw the gender of each sense."""
    table = kept.sensitivity(model)
    scaled = [int(sense) for sense in table.loc[table["scaled"] == "yes", "sense"]]
    bars = sense_bars.info(table, scaled)
    with st.container(border=True, gap="xsmall", key="backpack_senses_card"):
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            found = own_sensitivity(model)
            whole = len(found.pairs) + len(found.missing)
            html.quiet(ABOUT_SENSES.format(pairs=len(found.pairs), whole=whole))
        with more:
            charts.table(table, bars.alt, "backpack_senses", recipe(sensitivity_table, call(loaded, model.name)))
        charts.chart(sense_bars.draw(bars, charts.theme()), bars.alt, "backpack_senses_chart")


def word_card(model: Backpack) -> None:
    """The nearest words of each sense of any word."""
    with st.container(border=True, gap="xsmall", key="backpack_word_card"):
        word, more = st.columns([8, 2], gap="small", vertical_alignment="bottom")
        asked = choices.value_of(WORD)
        if len(asked) > LONGEST:  # only an address can hold more than the field takes
            choices.report_missing(WORD, [asked])
            choices.take_back(WORD)
        typed = word.text_input("A word, and the nearest words of each of its senses", key=WORD, max_chars=LONGEST)
        if not typed.strip():
            html.quiet("Type a word.")
            return
        try:
            found = kept.neighbours(model, typed.strip(), NEAREST)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        with more:
            alt = f"Nearest words of each sense of {typed.strip()}."
            code = recipe(nearest, call(loaded, model.name), typed.strip(), NEAREST)
            charts.table(found, alt, "backpack_word", code, figure=False)
        cells = word_cells(found, kept.sensitivity(model))
        st.dataframe(cells, hide_index=True, key="backpack_words", height="content", row_height=30, alt=alt)


def word_cells(table: pd.DataFrame, senses: pd.DataFrame) -> pd.DataFrame:
    """A row a sense: its number, marked where it gets the weight, and its nearest words."""
    joined = table.groupby("sense", sort=True)["word"].agg(", ".join)
    scaled = set(senses.loc[senses["scaled"] == "yes", "sense"])
    names = [f"{sense}{' (weight)' if sense in scaled else ''}" for sense in joined.index]
    return pd.DataFrame({"sense": names, "nearest words": joined.to_numpy()})


def model_card(request: Asked) -> None:
    """Draw the model's training data, method and licences, and the way to train more models."""
    with st.container(border=True, gap="xsmall", key="backpack_model_card"):
        html.strong("The model")
        html.quiet(ABOUT)
        html.definitions(card_facts(request.model))
        html.quiet(seeds_told(request))
        found = another(request.model)
        if found is not None:
            running.next_seed(found)


def seeds_told(request: Asked) -> str:
    """Draw the number of other seeds of the model, and the way to train more."""
    count = 1 + len(request.seeds)
    if count >= WANTED:
        return f"Dotted lines: {count - 1} models of other seeds, trained on the same texts in the same way."
    card = loaded(request.model).card
    studies = [str(one.get("name", "")).removeprefix("the study ") for one in card.get("sources", [])
               if str(one.get("name", "")).startswith("the study ")]  # fmt: skip
    minutes = f" --minutes {shortest(card['minutes'])}" if card.get("minutes", 5) != 5 else ""
    command = f"fairviz train-backpack {' '.join(studies) or 'STUDY'}{minutes} --seed N"
    return (
        f"{count} of {WANTED} seeds shown; what one seed does can be chance. Train more with {command} (another N "
        "each), and their spread stands beside this one's."
    )
