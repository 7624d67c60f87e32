"""The live sliders of the sidebar, and the select box of the position bias: their stops, their texts, and the inputs of
their payloads."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.measures.position_bias import parse_position_bias
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts
from fairviz.ui.shell.live.component import Slider
from fairviz.ui.shell.live.frames import Moving, Scale
from fairviz.ui.state import choices, session

BIAS = "position_bias"
NAMES = {"alpha": "alpha", "cutoff": "cutoff", BIAS: "bias", session.PARAMETER: "p"}  # by key, the name of its stops
LABELS = {"alpha": "α", "cutoff": "k", BIAS: "position bias", session.PARAMETER: "p"}
# The meaning of each position bias, shown after its name on the command line.
BIAS_TEXTS = {
    "log2": "1/log₂(1+rank)",
    "reciprocal": "1/rank",
    "rbp": "p^(rank−1)",
    "linear": "down to 1/k",
    "uniform": "every rank alike",
    "custom": "my own table …",
}


def sidebar(
    study: Study,
    settings: Settings,
    page: str,
    moving_parts: Callable[[str], Sequence[Moving]],
    still: Mapping[str, tuple[str, ...]],
    only: Sequence[str] = tuple(NAMES),
) -> tuple[Slider, ...]:
    """Return the sliders among `only` with two stops or more.

    moving_parts: from a slider's name to its moving parts. still: the charts that each of them does not change.
    """
    sliders = []
    for key in only:
        slider_stops = stops(study, settings, NAMES[key])
        if len(slider_stops) < 2:
            continue
        texts = tuple(reads(stop, key) for stop in slider_stops)
        bias_names = tuple(stop.position_bias for stop in slider_stops) if key == BIAS else ()  # with the p of rbp
        inputs = depends(study, cache.plain(slider_stops[0]), page, settings.system, texts, bias_names)
        scale = Scale(key, LABELS[key], texts)
        sliders.append(
            Slider(scale, reads(settings, key), inputs, partial(moving_parts, NAMES[key]), still.get(key, ()))
        )
    return tuple(sliders)


def depends(study: Study, *rest: object) -> str:
    """Return everything that a payload depends on as text: the study, the choices of pages, the theme, and the rest."""
    values = sorted((key, repr(value)) for key, value in choices.current_values().items())
    return "\n".join((study.fingerprint, repr(values), repr(charts.theme().dark), *map(repr, rest)))


def reads(settings: Settings, key: str) -> str:
    """Return the text of Streamlit's slider, or of its select box, at these settings."""
    if key == BIAS:
        name = settings.position_bias.partition("(")[0]
        return f"{name}: {BIAS_TEXTS[name]}"
    if key == "cutoff":
        return str(settings.cutoff)
    return f"{settings.alpha if key == 'alpha' else parse_position_bias(settings.position_bias)[1]:.2f}"
