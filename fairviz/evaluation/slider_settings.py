"""The stops of a slider: the Settings at each value of its scale, and the measure's question there."""

from collections.abc import Sequence
from copy import copy
from typing import Literal, get_args

from fairviz.errors import UsageError, use_one_of
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import bias_levels, deepest_rank
from fairviz.measures import Question
from fairviz.measures.position_bias import ATTENTION, MAX_CUTOFF, parse_position_bias
from fairviz.study.record import Study
from fairviz.words.sentences import shortest

Slider = Literal["alpha", "cutoff", "bias", "p"]
SLIDERS: tuple[str, ...] = get_args(Slider)
FIELDS = {"alpha": "alpha", "cutoff": "cutoff", "bias": "position_bias", "p": "position_bias"}  # what each one sets
FINE_CUTOFFS = 100
COARSE_CUTOFFS = (*range(1, 21), 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10_000)
HUNDREDTHS = 100  # steps from 0 to 1 on the scales of alpha and p


def cutoff_options(deepest: int, current: int) -> tuple[int, ...]:
    """Every cutoff down to the longest list while that is a hundred or less, round ones beyond; the current always."""
    if max(deepest, 10) <= FINE_CUTOFFS:
        fine = list(range(1, max(deepest, 10) + 1))
    else:
        fine = [cutoff for cutoff in COARSE_CUTOFFS if cutoff < deepest] + [deepest]
    return tuple(sorted({*fine, current}))


def stops(study: Study, settings: Settings, slider: str) -> tuple[Settings, ...]:
    """The settings at each stop of a slider, in its order; the present ones are among them.

    alpha: hundredths from 0 to 1. cutoff: as far as the longest list. bias: each named position bias, rbp with the
    settings' p or its default, and `custom` where there are weights. p: that of rbp, in hundredths; none under another
    position bias, which has no such slider. Raises UsageError for another slider.
    """
    if slider not in SLIDERS:
        raise UsageError(f"there is no slider {slider!r}", use_one_of(SLIDERS, slider))
    if slider == "cutoff":
        options = cutoff_options(deepest_rank(study), settings.cutoff)
        return _along(settings, "cutoff", [k for k in options if k <= MAX_CUTOFF])
    if slider == "alpha":
        return _along(settings, "alpha", _hundredths(0, 1, settings.alpha))
    bias = settings.position_bias
    name, parameter = ("custom", 0.0) if bias == "custom" else parse_position_bias(bias)
    if slider == "bias":
        texts = bias_levels(study, settings)
        return tuple(
            settings if text.partition("(")[0] == name else settings.changed(position_bias=text) for text in texts
        )
    if name != "rbp":
        return ()
    scale = _hundredths(ATTENTION["rbp"].low, ATTENTION["rbp"].high, parameter)
    texts = [bias if p == parameter else f"rbp(p={shortest(p)})" for p in scale]
    return _along(settings, "position_bias", texts)


def _along(settings: Settings, field: str, values: Sequence[object]) -> tuple[Settings, ...]:
    """The settings with each value in the field. All are such as the field takes, and are not checked again: a hundred
    checks of every field take longer than what is computed from them."""
    stops = tuple(copy(settings) for _ in values)
    for stop, value in zip(stops, values, strict=True):
        object.__setattr__(stop, field, value)
    return stops


def _hundredths(low: float, high: float, present: float) -> list[float]:
    """As a slider in steps of a hundredth counts them; the present value also if it is between two of them."""
    steps = (step / HUNDREDTHS for step in range(HUNDREDTHS + 1))
    return sorted({*(value for value in steps if low <= value <= high), present})


def at_rest(study: Study, settings: Settings, slider: str) -> Settings:
    """The settings with this slider at its default, so that all its stops have one; as they are where their own value
    is none of the stops that the slider has from there."""
    rest = f"rbp(p={shortest(ATTENTION['rbp'].default)})" if slider == "p" else getattr(Settings, FIELDS[slider])
    resting = settings.changed(**{FIELDS[slider]: rest})
    return resting if settings in stops(study, resting, slider) else settings


def follows(question: Question, settings: Settings, slider: str) -> bool:
    """Return True if the slider moves this measure under the present settings.

    A measure moves with alpha or the cutoff where it has the settings' own value; another that was written out holds
    still. The position bias moves every measure that weighs ranks by it.
    """
    if slider == "alpha":
        return question.parameters.get("alpha") == settings.alpha
    if slider == "cutoff":
        return question.cutoff is not None and question.cutoff == settings.cutoff
    return question.measure is not None and question.measure.uses_bias and question.measure.per_query


def fixed_texts(study: Study, settings: Settings, slider: str) -> frozenset[str]:
    """Return the texts of the columns of the settings that are written with their own value of the slider's parameter:
    dragging the slider does not move them, also where their value is that of the settings."""
    if slider not in ("alpha", "cutoff"):
        return frozenset()
    other = next(stop for stop in stops(study, settings, slider) if stop != settings)
    columns = ((ask(text, settings), ask(text, other)) for text in settings.columns)
    return frozenset(question.text for question, elsewhere in columns if question == elsewhere)


def at_stops(
    measure: str | Question, settings: Settings, slider: str, stops: Sequence[Settings]
) -> tuple[Question, ...]:
    """Return the measure's question at each stop."""
    question = ask(measure, settings)
    if slider not in ("alpha", "cutoff") or not follows(question, settings, slider):
        return (question,) * len(stops)
    return tuple(question.changed(**{slider: getattr(stop, slider)}) for stop in stops)
