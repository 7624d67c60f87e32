"""Systems against one another: the trade-off, curves over alpha and the cutoff, and who gets the exposure."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from fairviz.errors import UsageError, expect
from fairviz.evaluation import given
from fairviz.evaluation.choices import targets
from fairviz.evaluation.curves import over_cutoffs
from fairviz.evaluation.family import untested
from fairviz.evaluation.scores import ask, exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.figures import alpha_curve, cutoff_curve, scatter, ternary
from fairviz.figures.style import DARK, LIGHT, Theme, system_styles
from fairviz.measures import MEASURES, Question, parse
from fairviz.study.study import Study

HEIGHT, LOWEST = 400, 100  # pixels
A_HEIGHT = f"Use a whole number of pixels, {LOWEST} or more."
SUMMARY = {"system", "measure", "value", "ci_low", "ci_high"}


def theme(dark: bool, height: int = HEIGHT) -> Theme:
    """The colours for a dark page, or a light one. Raises UsageError where either argument cannot be."""
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
    """One measure against another, a point a system with its 95 % intervals, and the front that no other system beats.

    scores: what `fairviz.evaluate` returns, of two measures or more, or what `fairviz.summarise` makes of it. up,
    across: which measures, by name or as written; without, the first fairness measure, and across the first measure of
    effectiveness or else the second of fairness. outside: systems that are drawn and not on the front. Raises
    FairvizError where the scores hold no such measures.
    """
    look, summary = theme(dark, height), _summary(scores)
    questions = [parse(text) for text in summary["measure"].astype(str).unique()]
    y = _first(questions, fair=True) if up == "" else _named(up, "up", questions)
    others = [question for question in questions if question.text != y.text]
    if not others:
        raise UsageError(f"the scores hold one measure, {y.text}", "Evaluate two, as in ['CWEx@10', 'nDCG@10'].")
    x = _first(others, fair=False) if across == "" else _named(across, "across", questions)
    styles = system_styles(tuple(summary["system"].astype(str).unique()), look)
    return scatter.draw(scatter.info(summary, x, y, outside=outside), styles, look, height)


def _summary(scores: pd.DataFrame) -> pd.DataFrame:
    if isinstance(scores, pd.DataFrame) and set(scores.columns) >= SUMMARY:
        return scores
    return summarise(scores)


def _first(questions: Sequence[Question], *, fair: bool) -> Question:
    """The first measure of fairness, or of effectiveness, else the first of all."""
    wanted = [question for question in questions if (question.family != "effectiveness") == fair]
    if not questions:
        raise UsageError("the scores hold no measure", "Evaluate two, as in ['CWEx@10', 'nDCG@10'].")
    return (wanted or list(questions))[0]


def _named(name: str, argument: str, questions: Sequence[Question]) -> Question:
    expect(argument, name, str, given.A_MEASURE)
    for question in questions:
        if name in (question.name, question.text) or parse(name, question.cutoff).text == question.text:
            return question
    held = ", ".join(question.text for question in questions)
    raise UsageError(f"{argument} is {name!r}, which the scores do not hold", f"Use one of {held}.")


def alpha(
    study: Study,
    settings: Settings | None = None,
    *,
    baseline: str = "",
    dark: bool = False,
    height: int = HEIGHT,
    **choices: object,
) -> go.Figure:
    """CWEx over all of alpha, each system as its difference from the mean of the systems, or from the baseline.

    choices: fields of Settings, as for `fairviz.evaluate`. Raises FairvizError where the study has no gender labels,
    or no such baseline.
    """
    chosen, look = given.chosen_settings(study, settings, choices), theme(dark, height)
    expect("baseline", baseline, str, "Give the name of a system.")
    given.refuse_missing(study, [ask("CWEx", chosen)], chosen)
    curves = over_alpha(study, chosen)
    systems = tuple(dict.fromkeys(curves["system"]))
    if baseline and baseline not in systems:
        raise UsageError(f"baseline is {baseline!r}, which is no system shown", f"Use one of {', '.join(systems)}.")
    outside = untested(study, chosen)
    drawn = alpha_curve.info(curves, chosen.alpha, chosen.cutoff, baseline, chosen.system, outside)
    return alpha_curve.draw(drawn, system_styles(study.systems, look), look, height)


def cutoff(
    study: Study,
    measure: str = "CWEx",
    settings: Settings | None = None,
    *,
    dark: bool = False,
    height: int = HEIGHT,
    **choices: object,
) -> go.Figure:
    """A fairness measure at every cutoff, a line a system with its 95 % band.

    measure: as `fairviz.evaluate` takes it; the cutoff it gives, or else the settings', is marked. Raises FairvizError
    for a measure of effectiveness, GSR, or one that the study cannot feed.
    """
    chosen, look = given.chosen_settings(study, settings, choices), theme(dark, height)
    expect("measure", measure, str, given.A_MEASURE)
    question = ask(measure, chosen)
    if question.measure is None or not question.measure.per_query:
        names = ", ".join(name for name, one in MEASURES.items() if one.per_query)
        raise UsageError(f"{question.text} has no curve over cutoffs", f"Use one of {names}.")
    given.refuse_missing(study, [question], chosen)
    chosen = chosen.changed(cutoff=question.cutoff)
    curves = over_cutoffs(study, [question.text], chosen)
    drawn = cutoff_curve.info(curves, [question], chosen.cutoff, chosen.system, targets(study).tolist())
    return cutoff_curve.draw(drawn, system_styles(study.systems, look), look, height)


def exposure(
    study: Study,
    settings: Settings | None = None,
    *,
    per_query: bool = False,
    dark: bool = False,
    height: int = HEIGHT,
    **choices: object,
) -> go.Figure:
    """The share of exposure of neutral documents and of each gender: a point a system in a triangle, or each query.

    choices: fields of Settings, as for `fairviz.evaluate`. Raises FairvizError where the study has no gender labels.
    """
    chosen, look = given.chosen_settings(study, settings, choices), theme(dark, height)
    expect("per_query", per_query, bool, "Use True or False.")
    given.refuse_missing(study, [ask("Exposure", chosen)], chosen)
    drawn = ternary.info(exposures(study, chosen, per_query=per_query), chosen.system, chosen.query)
    return ternary.draw(drawn, system_styles(study.systems, look), look, height)
