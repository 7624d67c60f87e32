"""Figures of stereotypes: gendered results of gendered queries, and words between male and female."""

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.errors import UsageError, expect, value_text
from fairviz.evaluation import validation
from fairviz.evaluation.gsr import PERFECT, direction_of, gsr_points, leave_out
from fairviz.evaluation.gsr import gsr as slopes
from fairviz.evaluation.settings import Settings
from fairviz.figures import gendered_axis, gsr_scatter
from fairviz.figures.style import system_styles
from fairviz.plot.systems import theme
from fairviz.study.record import Study
from fairviz.words.genderedness import GenderDirection, debias, vocabulary_mean, word_genderedness

_BETWEEN = re.compile(r"[\s,;]+")
SOME_WORDS = "Give a list of words, or a dict of lists by name."


def gsr(study: Study, settings: Settings | None = None, *, dark: bool = False, **choices: object) -> go.Figure:
    """Draw Gender Stereotype Reinforcement: a panel per system, a point per query, the slope with its 95 % interval.

    choices: fields of Settings, as for `fairviz.evaluate`: embedding, pairs, gsr_depth, left_out and others. The line
    of a system named `perfect` is drawn in every panel. Raises FairvizError if the study lacks text or runs.
    """
    selection, look = validation.chosen_settings(study, settings, choices), theme(dark)
    systems = selection.systems
    if systems and PERFECT in study.systems and PERFECT not in systems:
        selection = selection.changed(systems=(*systems, PERFECT))
    direction = direction_of(selection)
    points = gsr_points(study, selection, direction=direction)
    remaining = leave_out(points, selection.left_out)
    info = gsr_scatter.info(
        points,
        slopes(remaining),
        vocabulary_mean(direction),
        queries=frozenset(remaining["query_id"]),
        panel_systems=systems,
        texts=dict(zip(study.queries["query_id"], study.queries["text"], strict=True)),
    )
    return gsr_scatter.draw(info, system_styles(study.systems, look), look)


def words(
    words: str | Iterable[str] | Mapping[str, Iterable[str]],
    against: str | Iterable[str] | Mapping[str, Iterable[str]] = (),
    settings: Settings | None = None,
    *,
    dark: bool = False,
    **choices: object,
) -> go.Figure:
    """Draw words between male and female in word vectors, each with its 95 % interval over the defining pairs.

    words: a list, a text with commas, or a dict of lists by name; against: words of the same form, to compare with.
    choices: fields of Settings, such as embedding, pairs and debias. Words without a vector are left out with a
    warning. Raises FairvizError if the vectors are not available.
    """
    selection, look = validation.settings_with(settings, choices), theme(dark)
    lists = _lists(words, "words") | _lists(against, "against")
    direction = direction_of(selection)
    debiased = replace(direction, embedding=debias(direction.embedding, selection.debias, direction))
    table = _table(direction, debiased, lists)
    unknown = table.loc[table["g"].isna(), "word"].tolist()
    if unknown:
        warnings.warn(f"{direction.embedding.name} has no vector of {', '.join(unknown)}", stacklevel=2)
    return gendered_axis.draw(gendered_axis.info(table, vocabulary_mean(debiased)), look)


def _lists(lists: object, name: str) -> dict[str, list[str]]:
    """Return the words by the name of their list. Raises UsageError for anything but lists of words."""
    if isinstance(lists, Mapping):
        return {str(key): _words(value, f"{name}[{key!r}]") for key, value in lists.items()}
    listed_words = _words(lists, name)
    return {name: listed_words} if listed_words or name == "words" else {}


def _words(value: object, name: str) -> list[str]:
    if isinstance(value, str):
        value = _BETWEEN.split(value)
    expect(name, value, Iterable, SOME_WORDS)
    items = list(value) if isinstance(value, Iterable) else []
    for word in items:
        if not isinstance(word, str):
            raise UsageError(f"{name} holds {value_text(word)}", SOME_WORDS)
    return list(dict.fromkeys(filter(None, (word.strip() for word in items))))


def _table(direction: GenderDirection, debiased: GenderDirection, lists: Mapping[str, list[str]]) -> pd.DataFrame:
    """Return the columns pair, list, word, g, ci_low, ci_high; debiased vectors have no interval."""
    words = [word for held in lists.values() for word in held]
    table = word_genderedness(direction, words)
    if debiased.embedding is not direction.embedding:
        table = table.assign(g=debiased.of(words), ci_low=np.nan, ci_high=np.nan)
    names = [name for name, held in lists.items() for _ in held]
    return table.assign(pair=0, list=pd.Series(names, dtype="str"))
