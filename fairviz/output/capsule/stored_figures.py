"""Figures read back out of a capsule's pages: their JSON is parsed and never executed, and none loads anything."""

from collections.abc import Mapping
from json import JSONDecoder
from typing import Any, NoReturn

import plotly.graph_objects as go

from fairviz.errors import FairvizError
from fairviz.output.capsule.figures import FOLDER

PREFIX, SUFFIX = f"{FOLDER}/", ".html"
CALL = "Plotly.newPlot("
TRACES = {"scatter", "scattergl", "scatterternary", "bar"}  # of the figures that capsules hold
LOADING = ("images", "mapbox", "map", "geo")  # parts of a layout for which a browser loads files of other hosts
REMEDY = "Make the capsule again: fairviz capsule STUDY -o capsule.zip"


def figure_members(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the pages of a capsule's figures by the name of the figure."""
    return {
        member.removeprefix(PREFIX).removesuffix(SUFFIX): content
        for member, content in members.items()
        if member.startswith(PREFIX) and member.endswith(SUFFIX)
    }


def read_figure(content: bytes, name: str, capsule: str) -> go.Figure:
    """Return the figure of a page that `figure_pages` wrote.

    name: of the figure; capsule: of the file, for messages. Raises FairvizError for anything but such a page.
    """
    try:
        data, layout = _arguments(content.decode())
        _refuse_loading(data, layout)
        return go.Figure(data=data, layout=layout)
    except (ValueError, TypeError, RecursionError) as error:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
        reason = str(error).strip().split("\n")[0][:120]
        place = f"{PREFIX}{name[:80]}{SUFFIX}"
        raise FairvizError(f"{capsule}: {place} cannot be read as a figure: {reason}", REMEDY) from error


def _arguments(page: str) -> tuple[list[dict], dict]:
    """Return the data and the layout that a page passes to Plotly. Raises ValueError, RecursionError."""
    start = page.find(CALL)
    if start < 0:
        raise ValueError("it draws nothing")
    decoder, values, end = JSONDecoder(parse_constant=_refuse_constant), [], start + len(CALL) - 1
    for _ in range(3):  # the id of the element, the data and the layout, each after a bracket or a comma
        place = end + 1
        place += len(page[place:]) - len(page[place:].lstrip())
        value, end = decoder.raw_decode(page, place)
        values.append(value)
    _, data, layout = values
    if not isinstance(data, list) or not all(isinstance(trace, dict) for trace in data) or not isinstance(layout, dict):
        raise ValueError("it has no traces or no layout")
    return data, layout


def _refuse_constant(text: str) -> NoReturn:
    """Raise ValueError for NaN and infinities, which JSON does not have."""
    raise ValueError(f"{text} is not JSON")


def _refuse_loading(data: list[dict], layout: dict[str, Any]) -> None:
    """Raise ValueError for traces of other figures, and for layouts that make a browser load files."""
    other_traces = [str(trace.get("type")) for trace in data if trace.get("type") not in TRACES]
    if other_traces:
        raise ValueError(f"capsules hold no traces of the type {other_traces[0][:40]!r}")
    template = layout.get("template")
    template_layout = template.get("layout") if isinstance(template, dict) else None
    loading = [key for key in layout if key.rstrip("0123456789") in LOADING]
    if isinstance(template_layout, dict) and template_layout.get("images"):
        loading.append("images")
    if loading:
        raise ValueError(f"its layout has {loading[0][:40]}, for which a browser loads files")
