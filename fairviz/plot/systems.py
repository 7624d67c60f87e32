"""Figures of systems: the trade-off, curves over alpha and the cutoff, and the exposure of genders."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from fairviz.comparison.compare import comparison
from fairviz.comparison.curves import over_cutoffs
from fairviz.comparison.family import untested
from fairviz.comparison.finding import orders
from fairviz.errors import UsageError, expect, use_one_of
from fairviz.evaluation import validation
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import alpha_curve, cutoff_curve, measure_order, scatter, ternary
from fairviz.figures.style import DARK, LIGHT, Theme, system_styles
from fairviz.measures import MEASURES, Question, parse
from fairviz.normal_form import normal_form
from fairviz.study.record import Study

HEIGHT, LOWEST = 400, 100  # pixels
A_HEIGHT = f"Use a whole number of pixels, {LOWEST} or more."
SUMMARY = {"system", "measure", "value", "ci_low", "ci_high"}


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
    dark: bool = False,
    height: int = 0,
) -> go.Figure:
    """Draw the systems ordered by each measure: a strip a measure, ringed where not significantly different from the
    best, pale where significantly behind.

    scores: from `fairviz.evaluate`. measures: names or texts, by default all of the scores that have a better
    direction. tests, outside: see `fairviz.compare`. groups: whether bars join systems that do not differ from one
    another significantly. height: in pixels, 0 for one by the number of measures. Raises UsageError for scores of one
    system, and for measures that the scores do not hold.
    """
    expect("groups", groups, bool, "Use True or False.")
    names = validation.texts(measures)
    look = theme(dark, height or HEIGHT)
    compared = comparison(scores, tests=tests, outside=outside)
    questions = [pairs.question for pairs in compared.pairs]
    chosen = [_find_question(name, "measures", questions) for name in names] or questions
    info = measure_order.info(orders(summarise(scores), chosen, compared))
    return measure_order.draw(info, system_styles(tuple(scores["system"].unique()), look), look, height, groups=groups)


def _first_question(questions: Sequence[Question], *, fair: bool) -> Question:
    """Return the first measure of fairness, or of effectiveness, else the first of all."""
    family_questions = [question for question in questions if (question.family != "effectiveness") == fair]
    if not questions:
        raise UsageError("the scores hold no measure", "Evaluate two, as in ['CWEx@10', 'nDCG@10'].")
    return (family_questions or list(questions))[0]


def _find_question(name: str, argument: str, questions: Sequence[Question]) -> Question:
    expect(argument, name, str, validation.A_MEASURE)
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
    selection, look = validation.chosen_settings(study, settings, choices), theme(dark, height)
    expect("baseline", baseline, str, "Give the name of a system.")
    baseline = normal_form(baseline)
    validation.refuse_missing(study, [ask("CWEx", selection)], selection)
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
    selection, look = validation.chosen_settings(study, settings, choices), theme(dark, height)
    expect("measure", measure, str, validation.A_MEASURE)
    question = ask(measure, selection)
    if question.measure is None or not question.measure.per_query:
        names = ", ".join(name for name, one in MEASURES.items() if one.per_query)
        raise UsageError(f"{question.text} has no curve over cutoffs", f"Use one of {names}.")
    validation.refuse_missing(study, [question], selection)
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
    selection, look = validation.chosen_settings(study, settings, choices), theme(dark, height)
    expect("per_query", per_query, bool, "Use True or False.")
    validation.refuse_missing(study, [ask("Exposure", selection)], selection)
    info = ternary.info(exposures(study, selection, per_query=per_query), selection.system, selection.query)
    return ternary.draw(info, system_styles(study.systems, look), look, height)
