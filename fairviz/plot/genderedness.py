"""Stereotypes: whether systems answer gendered queries with gendered lists, and words between male and female."""

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.errors import UsageError, expect, told
from fairviz.evaluation import given
from fairviz.evaluation.gsr import direction_of, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import PERFECT, leave_out
from fairviz.evaluation.slopes import gsr as slopes
from fairviz.figures import gendered_axis, gsr_scatter
from fairviz.figures.style import system_styles
from fairviz.plot.systems import theme
from fairviz.study.study import Study
from fairviz.words.debiasing import debias
from fairviz.words.genderedness import GenderDirection, vocabulary_mean, word_genderedness

_BETWEEN = re.compile(r"[\s,;]+")
SOME_WORDS = "Give a list of words, or a dict of lists by name."


def gsr(study: Study, settings: Settings | None = None, *, dark: bool = False, **choices: object) -> go.Figure:
    """Gender Stereotype Reinforcement: a panel a system, a point a query, the slope with its 95 % interval.

    choices: fields of Settings, as for `fairviz.evaluate`: embedding, pairs, gsr_depth, left_out and the rest. The line
    of a system named `perfect` is drawn in every panel. Raises FairvizError where the study lacks text or runs.
    """
    chosen, look = given.chosen_settings(study, settings, choices), theme(dark)
    shown = chosen.systems
    if shown and PERFECT in study.systems and PERFECT not in shown:
        chosen = chosen.changed(systems=(*shown, PERFECT))
    direction = direction_of(chosen)
    points = gsr_points(study, chosen, direction=direction)
    left = leave_out(points, chosen.left_out)
    drawn = gsr_scatter.info(
        points,
        slopes(left),
        vocabulary_mean(direction),
        kept=frozenset(left["query_id"]),
        shown=shown,
        texts=dict(zip(study.queries["query_id"], study.queries["text"], strict=True)),
    )
    return gsr_scatter.draw(drawn, system_styles(study.systems, look), look)


def words(
    words: str | Iterable[str] | Mapping[str, Iterable[str]],
    against: str | Iterable[str] | Mapping[str, Iterable[str]] = (),
    settings: Settings | None = None,
    *,
    dark: bool = False,
    **choices: object,
) -> go.Figure:
    """Words between male and female in word vectors, each with its 95 % interval over the pairs that say what is what.

    words: a list, a text with commas, or a dict of lists by name; against: the same, to set them against. choices:
    fields of Settings, such as embedding, pairs and debias. Words without a vector are warned of and left out.
    Raises FairvizError where the vectors cannot be had.
    """
    chosen, look = given.settings_with(settings, choices), theme(dark)
    lists = _lists(words, "words") | _lists(against, "against")
    direction = direction_of(chosen)
    debiased = replace(direction, embedding=debias(direction.embedding, chosen.debias, direction))
    table = _table(direction, debiased, lists)
    unknown = table.loc[table["g"].isna(), "word"].tolist()
    if unknown:
        warnings.warn(f"{direction.embedding.name} has no vector of {', '.join(unknown)}", stacklevel=2)
    return gendered_axis.draw(gendered_axis.info(table, vocabulary_mean(debiased)), look)


def _lists(held: object, name: str) -> dict[str, list[str]]:
    """The words by the name of their list. Raises UsageError for what is no list of words."""
    if isinstance(held, Mapping):
        return {str(key): _words(value, f"{name}[{key!r}]") for key, value in held.items()}
    found = _words(held, name)
    return {name: found} if found or name == "words" else {}


def _words(held: object, name: str) -> list[str]:
    if isinstance(held, str):
        held = _BETWEEN.split(held)
    expect(name, held, Iterable, SOME_WORDS)
    listed = list(held) if isinstance(held, Iterable) else []
    for word in listed:
        if not isinstance(word, str):
            raise UsageError(f"{name} holds {told(word)}", SOME_WORDS)
    return list(dict.fromkeys(filter(None, (word.strip() for word in listed))))


def _table(direction: GenderDirection, debiased: GenderDirection, lists: Mapping[str, list[str]]) -> pd.DataFrame:
    """pair, list, word, g, ci_low, ci_high. Debiased vectors have no interval: their g is what debiasing made it."""
    words = [word for held in lists.values() for word in held]
    table = word_genderedness(direction, words)
    if debiased.embedding is not direction.embedding:
        table = table.assign(g=debiased.of(words), ci_low=np.nan, ci_high=np.nan)
    names = [name for name, held in lists.items() for _ in held]
    return table.assign(pair=0, list=pd.Series(names, dtype="str"))
