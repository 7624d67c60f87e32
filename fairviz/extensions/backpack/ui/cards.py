"""The cards of the page Backpack: measures over the weight, the senses' sensitivity, a word's senses, the model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.reading.side_by_side import side_by_side
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_labels
from fairviz.evaluation.settings import Settings
from fairviz.extensions.backpack.encoding import own_sensitivity
from fairviz.extensions.backpack.figures import sense_bars, weight_curves, weight_plane, weight_scores
from fairviz.extensions.backpack.figures.weight_curves import Axis
from fairviz.extensions.backpack.lists import best
from fairviz.extensions.backpack.loading import Backpack, loaded
from fairviz.extensions.backpack.seeds import WANTED, another, card_facts
from fairviz.extensions.backpack.steering import Steering, sentences, steer
from fairviz.extensions.backpack.ui import kept
from fairviz.extensions.backpack.ui.controls import Chosen, next_seed
from fairviz.extensions.backpack.words import nearest, sensitivity_table
from fairviz.figures.style import system_styles
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kit import charts, grids, highlight, html, pick
from fairviz.ui.kit import side_by_side as drawing
from fairviz.ui.kit.highlight import marked
from fairviz.ui.state import choices
from fairviz.words.sentences import plain, shortest

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

DEPTH = 10  # ranks in the lists
FEW = 6  # documents in the figure of scores
EXAMPLE = "recruitment"
IS_EXAMPLE = "The paper's example: each candidate as gender counts less."
LEGEND = "★ relevant, ☆ not. ω: neutrality (1 = neutral). Lines: rank at the other weight; ▲ up, ▼ down, + new, × gone."


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
            st.dataframe(changes, hide_index=True, key="backpack_tests")
        with more:
            names: dict[str, Any] = {"model": chosen.model, "seeds": tuple(chosen.seeds)}
            code = recipe(steer, study, **names, settings=settings, table="found.table")
            placebo = ABOUT_PLACEBO.format(kind=steering.lists.read.wordings.kind or "no pairs")
            charts.table(steering.table, alt, "backpack_table", code, notes=(*map(plain, others), ABOUT_TESTS, placebo))
        charts.chart(figure, alt, "backpack_chart")


def senses_card(model: Backpack) -> None:
    """Draw the gender of each sense."""
    table = kept.sensitivity(model)
    scaled = [int(sense) for sense in table.loc[table["scaled"] == "yes", "sense"]]
    bars = sense_bars.info(table, scaled)
    with st.container(border=True, gap="xsmall", key="backpack_senses_card"):
        sensitivity = own_sensitivity(model)
        whole = len(sensitivity.pairs) + len(sensitivity.missing)
        notes = (ABOUT_SENSES.format(pairs=len(sensitivity.pairs), whole=whole),)
        code = recipe(sensitivity_table, call(loaded, model.name))
        charts.headed("Gender of each sense", table, bars.alt, "backpack_senses", code, notes=notes)
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
            return
        try:
            neighbours = kept.neighbours(model, typed.strip(), NEAREST)
        except FairvizError as error:
            html.problem(error, "info")
            return
        with more:
            alt = f"Nearest words of each sense of {typed.strip()}."
            code = recipe(nearest, call(loaded, model.name), typed.strip(), NEAREST)
            charts.table(neighbours, alt, "backpack_word", code, figure=False)
        cells = word_cells(neighbours, kept.sensitivity(model))
        grids.grid(cells, alt, "backpack_words", row_height=30, height="content")


def word_cells(table: pd.DataFrame, senses: pd.DataFrame) -> pd.DataFrame:
    """A row a sense: its number, marked where it gets the weight, and its nearest words."""
    joined = table.groupby("sense", sort=True)["word"].agg(", ".join)
    scaled = set(senses.loc[senses["scaled"] == "yes", "sense"])
    names = [f"{sense}{' (weight)' if sense in scaled else ''}" for sense in joined.index]
    return pd.DataFrame({"sense": names, "nearest words": joined.to_numpy()})


def model_card(chosen: Chosen) -> None:
    """Draw the model's training data, method and licences, and the way to train more models."""
    with st.expander("The model and its training", key="backpack_model_card", type="compact"):
        html.definitions([("About", ABOUT), *card_facts(chosen.model), ("Seeds", seeds_text(chosen))])
        next_model = another(chosen.model)
        if next_model is not None:
            next_seed(next_model)


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


def picker(steering: Steering, settings: Settings) -> str:
    """The query whose lists are shown: by name, or the first."""
    read = steering.lists.read
    texts = dict(zip(read.queries, read.query_texts, strict=True))
    first = steering.values.queries[0]
    names = {name: texts[name] for name in steering.values.queries}
    pick.query("Query", names, f"the first: {texts[first]}", f"not ranked here: {settings.query}")
    return settings.query if settings.query in steering.values.queries else first


def runs_of(steering: Steering, query: str, weights: tuple[float, float]) -> tuple[pd.DataFrame, tuple[str, str]]:
    """The query's whole lists at two weights as runs, and what they are called."""
    scores = steering.lists.scores(query, weights)
    first, second = (f"weight {weight:g}" for weight in weights)
    names = (first, second if second != first else f"{second}, again")
    parts = []
    for name, row in zip(names, scores, strict=True):
        order = best(row[None], steering.lists.depth)[0]
        order = order[order >= 0]
        documents = [steering.lists.read.documents[place] for place in order]
        parts.append(
            pd.DataFrame({"system": name, "query_id": query, "doc_id": documents, "rank": range(1, len(order) + 1),
                          "score": row[order].astype(float)})
        )  # fmt: skip
    return conform(pd.concat(parts, ignore_index=True), RUNS), names


def lists_card(steering: Steering, chosen: Chosen, study: Study, settings: Settings, query: str) -> None:
    """The two lists with the moves between them."""
    weights = chosen.beside, chosen.weight
    runs, names = runs_of(steering, query, weights)
    study_with_runs = replace(study, runs=runs, fingerprint="")
    list_settings = settings.changed(cutoff=min(settings.cutoff, DEPTH), systems=(), filter_column="", filter_values=())
    table = side_by_side(study_with_runs, list_settings, query, names)
    theme = charts.theme()
    look = drawing.Look((study.neutral, *study.groups), system_styles(names, theme), theme, roomy=False)
    with st.container(border=True, gap="xsmall", key="backpack_lists_card"):
        alt = f"The lists of {query} at {names[0]} and {names[1]}."
        code = lists_recipe(study, query, chosen.model, weights, list_settings.cutoff)
        charts.headed("Lists at both weights", table, alt, "backpack_lists", code, figure=False, notes=(LEGEND,))
        texts = marked(study, settings, tuple(dict.fromkeys(table["doc_id"])), roomy=False)
        styles = drawing.style_sheet() + highlight.style_sheet(study.groups, theme)
        st.html(styles + drawing.lists_html(table, names, texts, look))


def scores_card(steering: Steering, chosen: Chosen, study: Study, settings: Settings, query: str) -> None:
    """The scores of the query's first documents at either weight, over all weights."""
    lists = steering.lists
    scores = lists.scores(query, lists.weights)  # (W, D)
    weight_row, beside_row = lists.weights.index(chosen.weight), lists.weights.index(chosen.beside)
    here, beside = (best(scores[row][None], FEW)[0].tolist() for row in (weight_row, beside_row))
    places = [place for place in dict.fromkeys([*here, *beside[: FEW // 2]]) if place >= 0]
    shown = {lists.read.documents[place]: np.asarray(scores[:, place], dtype=float).tolist() for place in places}
    labels = {}
    if study.has("labels"):
        table = chosen_labels(study, settings)
        labels = dict(zip(table["doc_id"].astype("str"), table["label"].astype("str"), strict=True))
    info = weight_scores.info(shown, labels, (study.neutral, *study.groups), lists.weights, chosen.weight)
    rows = [(name, *each) for name, row in shown.items() for each in zip(lists.weights, row, strict=True)]
    with st.container(border=True, gap="xsmall", key="backpack_scores_card"):
        made = [
            "lists = found.lists",
            f"scores = lists.scores({query!r}, lists.weights)",
            "scores = pd.DataFrame(scores, index=lists.weights, columns=lists.read.documents)",
        ]
        table_code = f"scores[{list(shown)!r}].rename_axis('weight').reset_index()"
        uses = ("import pandas as pd",)
        code = recipe(steer, study, model=chosen.model, lines=made, table=table_code, uses=uses)
        frame = pd.DataFrame(rows, columns=["doc_id", "weight", "score"])
        example = f"The paper's example is the built-in study {EXAMPLE}." if study.name != EXAMPLE else IS_EXAMPLE
        charts.headed("Scores over the weight", frame, info.alt, "backpack_scores", code, notes=(example,))
        charts.chart(weight_scores.draw(info, charts.theme()), info.alt, "backpack_scores_chart")


def lists_recipe(study: Study, query: str, model: str, weights: Sequence[float], depth: int) -> Recipe:
    """Return the Python of one query's lists at several weights of a Backpack's gender senses."""
    argument = f", model={model!r}" if model else ""
    rankers = ",".join(f"backpack(weight={shortest(weight)}{argument})" for weight in dict.fromkeys(weights))
    return recipe(rank, study, call(parse_rankers, rankers), depth, table="found.runs", rows={"query_id": query})
