"""The sliders of the sidebar as a page follows them, and the select box of the position bias: their stops, what they
read, and what their payloads depend on."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.stops import stops
from fairviz.measures.position_bias import parse_position_bias
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts
from fairviz.ui.live.component import Slider
from fairviz.ui.live.frames import Moving, Scale
from fairviz.ui.state import choices, session

BIAS = "position_bias"
NAMES = {"alpha": "alpha", "cutoff": "cutoff", BIAS: "bias", session.PARAMETER: "p"}  # by key, that of the stops
LABELS = {"alpha": "α", "cutoff": "k", BIAS: "position bias", session.PARAMETER: "p"}
# What each position bias means, behind its name on the command line.
BIAS_TEXTS = {
    "log2": "1/log₂(1+rank)",
    "reciprocal": "1/rank",
    "rbp": "p^(rank−1)",
    "linear": "down to 1/k",
    "uniform": "every rank alike",
    "custom": "my own table …",
}
Along = Callable[[str], Sequence[Moving]]  # from a slider's name to what moves along it


def sidebar(
    study: Study,
    settings: Settings,
    page: str,
    make: Along,
    still: Mapping[str, tuple[str, ...]],
    only: Sequence[str] = tuple(NAMES),
) -> tuple[Slider, ...]:
    """The sliders that stand there, of `only` these; still: the charts that each of them does not change."""
    followed = []
    for key in only:
        found = stops(study, settings, NAMES[key])
        if len(found) < 2:
            continue
        texts = tuple(reads(stop, key) for stop in found)
        named = tuple(stop.position_bias for stop in found) if key == BIAS else ()  # rbp has a p, which no text tells
        own = depends(study, cache.plain(found[0]), page, settings.system, texts, named)
        scale = Scale(key, LABELS[key], texts)
        followed.append(Slider(scale, reads(settings, key), own, partial(make, NAMES[key]), still.get(key, ())))
    return tuple(followed)


def depends(study: Study, *rest: object) -> str:
    """All that a payload depends on: the study, the choices of pages, light or dark, and the rest."""
    held = sorted((key, repr(value)) for key, value in choices.held().items())
    return "\n".join((study.fingerprint, repr(held), repr(charts.theme().dark), *map(repr, rest)))


def reads(settings: Settings, key: str) -> str:
    """What Streamlit's slider reads at these settings, or its select box."""
    if key == BIAS:
        name = settings.position_bias.partition("(")[0]
        return f"{name}: {BIAS_TEXTS[name]}"
    if key == "cutoff":
        return str(settings.cutoff)
    return f"{settings.alpha if key == 'alpha' else parse_position_bias(settings.position_bias)[1]:.2f}"
