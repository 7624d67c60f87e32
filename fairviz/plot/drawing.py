"""The functions of `fairviz.plot`: those written here, and the making of one for every other figure of the pages, from
the arguments of its `info` and `draw`.

Figures that take a look for each system choose it by the system's place in the study, as pages do.
"""

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz import figures
from fairviz.comparison.compare import Comparison, comparison
from fairviz.comparison.curves import over_cutoffs
from fairviz.comparison.family import untested
from fairviz.comparison.finding import Order, orders
from fairviz.errors import UsageError, expect, use_one_of, value_text
from fairviz.evaluation.choices import refuse_missing
from fairviz.evaluation.gsr import PERFECT, direction_of, gsr_points, leave_out
from fairviz.evaluation.gsr import gsr as slopes
from fairviz.evaluation.questions import A_MEASURE, ask, chosen_settings, settings_with, texts_of
from fairviz.evaluation.scores import exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import alpha_curve, cutoff_curve, gendered_axis, gsr_scatter, measure_order, scatter, ternary
from fairviz.figures.style import DARK, LIGHT, Theme, system_styles
from fairviz.installed import bundled
from fairviz.measures import MEASURES, Question, parse
from fairviz.normal_form import normal_form
from fairviz.study.record import Study
from fairviz.words.genderedness import GenderDirection, debias, vocabulary_mean, word_genderedness

HELPERS = {"axes", "best_achievable", "frame", "gender_colour", "style"}  # modules that are not a figure
_OF_EXTENSIONS = bundled("fairviz.figures")  # modules, by the name of the figure
NAMES = tuple(sorted({one.name for one in iter_modules(figures.__path__)} - HELPERS | {*_OF_EXTENSIONS}))
HEIGHT, LOWEST = 400, 100  # pixels
A_HEIGHT = f"Use a whole number of pixels, {LOWEST} or more."
SOME_WORDS = "Give a list of words, or a dict of lists by name."
SUMMARY = {"system", "measure", "value", "ci_low", "ci_high"}
OWN_PARAMETERS = {
    "study_systems": Parameter("study_systems", Parameter.KEYWORD_ONLY, default=(), annotation=Sequence[str]),
    "dark": Parameter("dark", Parameter.KEYWORD_ONLY, default=False, annotation=bool),
}
DOCS = {
    "study_systems": "all systems of the study, in its order, by which each has its colour and marker; by default "
    "those of the data.",
    "dark": "whether the figure is for a dark page.",
    "height": "in pixels.",
    "pinned": "what `info` of the figure's module returns for other settings, drawn hollow beside.",
}
SYSTEM_COLUMNS = ("system", "ranker")  # of tables
SYSTEM_ARGUMENTS = ("system", "systems", "pair")  # of `info`


def theme(dark: bool, height: int = HEIGHT) -> Theme:
    """Return the colours of a dark or a light page. Raises UsageError for an invalid argument."""
    expect("dark", dark, bool, "Use True or False.")
    expect("height", height, int, A_HEIGHT)
    if height < LOWEST:
        raise UsageError(f"height is {height}", A_HEIGHT)
    return DARK if dark else LIGHT


def tradeoff(
    scores: pd.DataFrame,
    up: str = "",
    across: str = "",
    *,
    outside: Sequence[str] = (),
    dark: bool = False,
    height: int = HEIGHT,
) -> go.Figure:
    """Draw one measure against another: a point per system with its 95 % intervals, and the Pareto front.

    scores: from `fairviz.evaluate`, of two measures or more, or from `fairviz.summarise`. up, across: names or texts of
    measures; by default the first fairness measure, and the first measure of effectiveness or else the second of
    fairness. outside: systems that are drawn and not on the front. Raises FairvizError if the scores have no such
    measures.
    """
    expect("outside", outside, Sequence, "Give a list of systems.")
    look, summary = theme(dark, height), scores
    if not isinstance(scores, pd.DataFrame) or not set(scores.columns) >= SUMMARY:
        summary = summarise(scores)
    questions = [parse(text) for text in summary["measure"].astype(str).unique()]
    vertical = _first_question(questions, fair=True) if up == "" else _find_question(up, "up", questions)
    remaining = [question for question in questions if question.text != vertical.text]
    if not remaining:
        raise UsageError(f"the scores hold one measure, {vertical.text}", "Evaluate two, as in ['CWEx@10', 'nDCG@10'].")
    horizontal = _first_question(remaining, fair=False) if across == "" else _find_question(across, "across", questions)
    styles = system_styles(tuple(summary["system"].astype(str).unique()), look)
    info = scatter.info(summary, horizontal, vertical, outside=frozenset(map(str, outside)))
    return scatter.draw(info, styles, look, height)


def order(
    scores: pd.DataFrame,
    measures: Sequence[str] = (),
    *,
    tests: str = "maxT",
    outside: Sequence[str] = (),
    groups: bool = False,
    ranks: bool = False,
    dark: bool = False,
    height: int = 0,
) -> go.Figure:
    """Draw the systems ordered by each measure: a strip a measure, ringed where not significantly different from the
    best, pale where significantly behind.

    scores: from `fairviz.evaluate`. measures: names or texts, by default all of the scores that have a better
    direction. tests, outside: see `fairviz.compare`. groups: whether bars join systems that do not differ from one
    another significantly. ranks: whether whiskers span the ranks that the tests leave to each system. height: in
    pixels, 0 for one by the number of measures. Raises UsageError for scores of one system, and for measures that the
    scores do not hold.
    """
    for name, value in (("groups", groups), ("ranks", ranks)):
        expect(name, value, bool, "Use True or False.")
    names = texts_of(measures)
    look = theme(dark, height or HEIGHT)
    compared = comparison(scores, tests=tests, outside=outside)
    questions = [pairs.question for pairs in compared.pairs]
    chosen = [_find_question(name, "measures", questions) for name in names] or questions
    info = measure_order.info(orders(summarise(scores), chosen, compared), ranks=ranks)
    return measure_order.draw(info, system_styles(tuple(scores["system"].unique()), look), look, height, groups=groups)


def _first_question(questions: Sequence[Question], *, fair: bool) -> Question:
    """Return the first measure of fairness, or of effectiveness, else the first of all."""
    family_questions = [question for question in questions if (question.family != "effectiveness") == fair]
    if not questions:
        raise UsageError("the scores hold no measure", "Evaluate two, as in ['CWEx@10', 'nDCG@10'].")
    return (family_questions or list(questions))[0]


def _find_question(name: str, argument: str, questions: Sequence[Question]) -> Question:
    expect(argument, name, str, A_MEASURE)
    for question in questions:
        if name in (question.name, question.text) or parse(name, question.cutoff).text == question.text:
            return question
    names = ", ".join(question.text for question in questions)
    raise UsageError(f"{argument} is {name!r}, which the scores do not hold", f"Use one of {names}.")


def alpha(
    study: Study,
    settings: Settings | None = None,
    *,
    baseline: str = "",
    dark: bool = False,
    height: int = HEIGHT,
    **choices: object,
) -> go.Figure:
    """Draw CWEx over all of alpha, each system as its difference from the mean of the systems, or from the baseline.

    choices: fields of Settings, as for `fairviz.evaluate`. Raises FairvizError if the study has no gender labels or no
    such baseline.
    """
    selection, look = chosen_settings(study, settings, choices), theme(dark, height)
    expect("baseline", baseline, str, "Give the name of a system.")
    baseline = normal_form(baseline)
    refuse_missing(study, [ask("CWEx", selection)], selection)
    curves = over_alpha(study, selection)
    systems = tuple(dict.fromkeys(curves["system"]))
    if baseline and baseline not in systems:
        raise UsageError(f"baseline is {baseline!r}, which is not among the systems", use_one_of(systems, baseline))
    outside = untested(study, selection)
    info = alpha_curve.info(curves, selection.alpha, selection.cutoff, baseline, selection.system, outside)
    return alpha_curve.draw(info, system_styles(study.systems, look), look, height)


def cutoff(
    study: Study,
    measure: str = "CWEx",
    settings: Settings | None = None,
    *,
    dark: bool = False,
    height: int = HEIGHT,
    **choices: object,
) -> go.Figure:
    """Draw a fairness measure at every cutoff: a line per system with its 95 % band.

    measure: as for `fairviz.evaluate`; its cutoff, or else that of the settings, is marked. Raises FairvizError for a
    measure of effectiveness, GSR, or a measure that the study has no data for.
    """
    selection, look = chosen_settings(study, settings, choices), theme(dark, height)
    expect("measure", measure, str, A_MEASURE)
    question = ask(measure, selection)
    if question.measure is None or not question.measure.per_query:
        names = ", ".join(name for name, one in MEASURES.items() if one.per_query)
        raise UsageError(f"{question.text} has no curve over cutoffs", f"Use one of {names}.")
    refuse_missing(study, [question], selection)
    selection = selection.changed(cutoff=question.cutoff)
    curves = over_cutoffs(study, [question.text], selection)
    info = cutoff_curve.info(
        curves,
        [question],
        selection.cutoff,
        selection.system,
        grouping_of(study, selection.crossed_with).targets.tolist(),
    )
    return cutoff_curve.draw(info, system_styles(study.systems, look), look, height)


def exposure(
    study: Study,
    settings: Settings | None = None,
    *,
    per_query: bool = False,
    dark: bool = False,
    height: int = HEIGHT,
    **choices: object,
) -> go.Figure:
    """Draw the shares of exposure of neutral documents and of each gender: a point per system, or per query, in a
    triangle.

    choices: fields of Settings, as for `fairviz.evaluate`. Raises FairvizError if the study has no gender labels.
    """
    selection, look = chosen_settings(study, settings, choices), theme(dark, height)
    expect("per_query", per_query, bool, "Use True or False.")
    refuse_missing(study, [ask("Exposure", selection)], selection)
    info = ternary.info(exposures(study, selection, per_query=per_query), selection.system, selection.query)
    return ternary.draw(info, system_styles(study.systems, look), look, height)


def gsr(study: Study, settings: Settings | None = None, *, dark: bool = False, **choices: object) -> go.Figure:
    """Draw Gender Stereotype Reinforcement: a panel per system, a point per query, the slope with its 95 % interval.

    choices: fields of Settings, as for `fairviz.evaluate`: embedding, pairs, gsr_depth, left_out and others. The line
    of a system named `perfect` is drawn in every panel. Raises FairvizError if the study lacks text or runs.
    """
    selection, look = chosen_settings(study, settings, choices), theme(dark)
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
    selection, look = settings_with(settings, choices), theme(dark)
    lists = _word_lists(words, "words") | _word_lists(against, "against")
    direction = direction_of(selection)
    debiased = replace(direction, embedding=debias(direction.embedding, selection.debias, direction))
    table = _word_table(direction, debiased, lists)
    if unknown := table.loc[table["g"].isna(), "word"].tolist():
        warnings.warn(f"{direction.embedding.name} has no vector of {', '.join(unknown)}", stacklevel=2)
    return gendered_axis.draw(gendered_axis.info(table, vocabulary_mean(debiased)), look)


def _word_lists(lists: object, name: str) -> dict[str, list[str]]:
    """Return the words by the name of their list. Raises UsageError for anything but lists of words."""
    if isinstance(lists, Mapping):
        return {str(key): _words_of(value, f"{name}[{key!r}]") for key, value in lists.items()}
    listed_words = _words_of(lists, name)
    return {name: listed_words} if listed_words or name == "words" else {}


def _words_of(value: object, place: str) -> list[str]:
    """Return the words of a list or a text with commas, each once. place: of the list, for messages."""
    items = re.split(r"[\s,;]+", value) if isinstance(value, str) else value
    expect(place, items, Iterable, SOME_WORDS)
    words = list(items) if isinstance(items, Iterable) else []
    for word in words:
        if not isinstance(word, str):
            raise UsageError(f"{place} holds {value_text(word)}", SOME_WORDS)
    return list(dict.fromkeys(filter(None, (word.strip() for word in words))))


def _word_table(direction: GenderDirection, debiased: GenderDirection, lists: Mapping[str, list[str]]) -> pd.DataFrame:
    """Return the columns pair, list, word, g, ci_low, ci_high; debiased vectors have no interval."""
    words = [word for held in lists.values() for word in held]
    table = word_genderedness(direction, words)
    if debiased.embedding is not direction.embedding:
        table = table.assign(g=debiased.of(words), ci_low=np.nan, ci_high=np.nan)
    names = [name for name, held in lists.items() for _ in held]
    return table.assign(pair=0, list=pd.Series(names, dtype="str"))


@cache
def function_of(name: str) -> Callable[..., go.Figure]:
    """Return the function that draws the figure of this module of `fairviz.figures`, or of an extension."""
    module = _OF_EXTENSIONS[name].load() if name in _OF_EXTENSIONS else import_module(f"{figures.__name__}.{name}")
    signature, of_info, of_draw = _signature(module)

    def plot(*arguments: Any, **keywords: Any) -> go.Figure:
        call = signature.bind(*arguments, **keywords)
        call.apply_defaults()
        values: dict[str, Any] = call.arguments
        look = theme(values["dark"])
        of_data = {each: values[each] for each in of_info}
        data = module.info(**of_data)
        options = {each: values[each] for each in of_draw if each in values}
        if "styles" in of_draw:
            given = values["study_systems"]
            expect("study_systems", given, Sequence, "Give a list of systems, such as study.systems.")
            options["styles"] = system_styles(tuple(given or _systems(of_data)), look)
        return module.draw(data, theme=look, **options)

    plot.__name__ = plot.__qualname__ = name
    plot.__module__ = __name__.rpartition(".")[0]
    plot.__doc__ = _docstring(module, signature)
    vars(plot)["__signature__"] = signature
    return plot


def _signature(module: ModuleType) -> tuple[Signature, Mapping[str, Parameter], Mapping[str, Parameter]]:
    """Return the signature of a figure's function, and the parameters of its `info` and its `draw` without the data.

    The parameters of `info` come first, then by keyword those of `draw`, with `dark` for `theme` and the systems for
    `styles`. A parameter of both, such as a height, is passed to both.
    """
    of_info = inspect.signature(module.info).parameters
    _, *rest = inspect.signature(module.draw).parameters.values()
    of_draw = {each.name: each for each in rest}
    further = [
        each.replace(kind=Parameter.KEYWORD_ONLY)
        for name, each in of_draw.items()
        if name not in of_info and name not in ("theme", "styles")
    ]
    own = [each for name, each in OWN_PARAMETERS.items() if name == "dark" or "styles" in of_draw]
    signature = Signature([*of_info.values(), *further, *own], return_annotation=go.Figure)
    return signature, of_info, of_draw


def _systems(arguments: Mapping[str, Any]) -> list[str]:
    """Return the systems in the arguments of `info`, each once, in order of appearance."""
    return list(dict.fromkeys(name for parameter, value in arguments.items() for name in _names(value, parameter)))


def _names(value: Any, parameter: str = "") -> Iterator[str]:
    """Yield the systems in an argument: of a table, a comparison, orders, or the argument itself."""
    if isinstance(value, pd.DataFrame):
        for column in SYSTEM_COLUMNS:
            yield from value[column].astype("str").unique() if column in value else ()
    elif isinstance(value, Comparison):
        for pairs in value.pairs:
            yield from map(str, pairs.points.systems)
    elif isinstance(value, Order):
        yield from (placed.system for placed in value.systems)
    elif parameter in SYSTEM_ARGUMENTS:
        yield from filter(None, [value] if isinstance(value, str) else value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _names(item)


def _docstring(module: ModuleType, signature: Signature) -> str:
    """Return the docstring of `draw`, then that of `info`, then the parameters that both lack."""
    drawing, data = (inspect.getdoc(each) or "" for each in (module.draw, module.info))
    added = [f"{key}: {text}" for key, text in DOCS.items() if key in signature.parameters]
    return "\n\n".join([drawing, f"The data, by `{module.__name__}.info`:\n{data}", "\n".join(added)])
