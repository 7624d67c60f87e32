"""One query at two weights: its lists side by side with the moves between them, and its documents' scores."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.reading.side_by_side import side_by_side
from fairviz.analyses.sense_weighting.answer import Steering, steer
from fairviz.analyses.sense_weighting.lists import best
from fairviz.evaluation.choices import chosen_labels
from fairviz.evaluation.settings import Settings
from fairviz.figures import weight_scores
from fairviz.figures.style import system_styles
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform
from fairviz.ui.backpack.controls import Chosen
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit import side_by_side as drawing
from fairviz.ui.kit.excerpts import marked
from fairviz.words.sentences import shortest

DEPTH = 10  # ranks in the lists
FEW = 6  # documents in the figure of scores
EXAMPLE = "recruitment"
LEGEND = "★ relevant, ☆ not. ω: neutrality (1 = neutral). Lines: rank at the other weight; ▲ up, ▼ down, + new, × gone."


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
    runs, names = runs_of(steering, query, (chosen.beside, chosen.weight))
    study_with_runs = replace(study, runs=runs, fingerprint="")
    list_settings = settings.changed(cutoff=min(settings.cutoff, DEPTH), systems=(), filter_column="", filter_values=())
    table = side_by_side(study_with_runs, list_settings, query, names)
    theme = charts.theme()
    look = drawing.Look((study.neutral, *study.groups), system_styles(names, theme), theme, roomy=False)
    with st.container(border=True, gap="xsmall", key="backpack_lists_card"):
        words, more = st.columns([8, 2], gap="small", vertical_alignment="center")
        with words:
            html.quiet(LEGEND)
        with more:
            alt = f"The lists of {query} at {names[0]} and {names[1]}."
            code = lists_recipe(study, query, chosen.model, (chosen.beside, chosen.weight), list_settings.cutoff)
            charts.table(table, alt, "backpack_lists", code, figure=False)
        texts = marked(study, settings, tuple(dict.fromkeys(table["doc_id"])), roomy=False)
        styles = drawing.style_sheet() + highlight.style_sheet(study.groups, theme)
        st.html(styles + drawing.lists_html(table, names, texts, look))


def scores_card(steering: Steering, chosen: Chosen, study: Study, settings: Settings, query: str) -> None:
    """The scores of the query's first documents at either weight, over all weights."""
    lists, count = steering.lists, FEW
    scores = lists.scores(query, lists.weights)  # (W, D)
    weight_row, beside_row = lists.weights.index(chosen.weight), lists.weights.index(chosen.beside)
    firsts = [best(scores[place][None], count)[0].tolist() for place in (weight_row, beside_row)]
    places = [place for place in dict.fromkeys([*firsts[0], *firsts[1][: count // 2]]) if place >= 0]
    labels = chosen_labels(study, settings) if study.has("labels") else pd.DataFrame()
    pairs = zip(labels["doc_id"].astype("str"), labels["label"].astype("str"), strict=True) if len(labels) else ()
    scores_by_document = {
        lists.read.documents[place]: np.asarray(scores[:, place], dtype=float).tolist() for place in places
    }
    info = weight_scores.info(
        scores_by_document, dict(pairs), (study.neutral, *study.groups), lists.weights, chosen.weight
    )
    table = pd.DataFrame(
        [
            (name, weight, value)
            for name, row in scores_by_document.items()
            for weight, value in zip(lists.weights, row, strict=True)
        ],
        columns=["doc_id", "weight", "score"],
    )
    with st.container(border=True, gap="xsmall", key="backpack_scores_card"):
        words, more = st.columns([8, 2.6], gap="small", vertical_alignment="center")
        with words:
            if study.name != EXAMPLE:
                html.quiet(f"The paper's example is the built-in study {EXAMPLE}.")
            else:
                html.quiet("The paper's example: each candidate as gender counts less.")
        with more:
            code = _scores_recipe(study, query, chosen.model, list(scores_by_document))
            charts.table(table, info.alt, "backpack_scores", code)
        charts.chart(weight_scores.draw(info, charts.theme()), info.alt, "backpack_scores_chart")


def lists_recipe(study: Study, query: str, model: str, weights: Sequence[float], depth: int) -> Recipe:
    """Return the Python of one query's lists at several weights of a Backpack's gender senses."""
    argument = f", model={model!r}" if model else ""
    rankers = ",".join(f"backpack(weight={shortest(weight)}{argument})" for weight in dict.fromkeys(weights))
    return recipe(rank, study, call(parse_rankers, rankers), depth, table="found.runs", rows={"query_id": query})


def _scores_recipe(study: Study, query: str, model: str, documents: Sequence[str]) -> Recipe:
    lines = [
        "lists = found.lists",
        f"scores = lists.scores({query!r}, lists.weights)",
        "scores = pd.DataFrame(scores, index=lists.weights, columns=lists.read.documents)",
    ]
    table = f"scores[{list(documents)!r}].rename_axis('weight').reset_index()"
    return recipe(steer, study, model=model, lines=lines, table=table, uses=("import pandas as pd",))
