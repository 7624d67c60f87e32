"""Plotly's marker symbols as paths of an SVG, for what stands beside figures: the legend of a page.

Each is drawn around (0, 0) with the radius that Plotly gives a marker of that size.
"""

from math import cos, pi, sin, sqrt

RADIUS = 5.5
Point = tuple[float, float]


def _polygon(points: list[Point]) -> str:
    return "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in points) + "Z"


def _around(corners: int, *radii: float) -> list[Point]:
    """Points around the middle, the first at the top, at these radii in turn."""
    angles = (2 * pi * place / corners for place in range(corners))
    return [
        (radii[place % len(radii)] * sin(angle), -radii[place % len(radii)] * cos(angle))
        for place, angle in enumerate(angles)
    ]


def _cross(radius: float) -> list[Point]:
    inner, outer = 0.4 * radius, 1.2 * radius
    quarter = [(inner, -outer), (inner, -inner), (outer, -inner)]
    turned = [quarter]
    for _ in range(3):
        turned.append([(-y, x) for x, y in turned[-1]])
    return [point for part in turned for point in part]


def _turned(points: list[Point]) -> list[Point]:
    """The points an eighth of a turn further."""
    return [((x - y) / sqrt(2), (x + y) / sqrt(2)) for x, y in points]


def _triangle(radius: float, up: int) -> list[Point]:
    half = 2 * radius / sqrt(3)
    return [(-half, up * radius / 2), (half, up * radius / 2), (0, -up * radius)]


_R = RADIUS
PATHS: dict[str, str] = {
    "circle": f"M{_R},0A{_R},{_R} 0 1,1 {-_R},0A{_R},{_R} 0 1,1 {_R},0Z",
    "square": _polygon([(_R, _R), (_R, -_R), (-_R, -_R), (-_R, _R)]),
    "diamond": _polygon(_around(4, 1.3 * _R)),
    "triangle-up": _polygon(_triangle(_R, 1)),
    "cross": _polygon(_cross(_R)),
    "star": _polygon(_around(10, 1.4 * _R, 0.54 * _R)),
    "x": _polygon(_turned(_cross(_R))),
    "pentagon": _polygon(_around(5, 1.1 * _R)),
    "triangle-down": _polygon(_triangle(_R, -1)),
    "hexagram": _polygon(_around(12, 1.3 * _R, 0.75 * _R)),
    "hourglass": _polygon([(_R, _R), (-_R, _R), (_R, -_R), (-_R, -_R)]),
    "bowtie": _polygon([(_R, _R), (_R, -_R), (-_R, _R), (-_R, -_R)]),
}
DASHES = {"solid": "", "dash": "7,4", "dot": "2,3", "dashdot": "7,3,2,3", "longdash": "10,4", "longdashdot": "10,3,2,3"}


def path_of(symbol: str) -> str:
    """The path of a symbol, whether it is open or not. Raises KeyError for one that no system has."""
    return PATHS[symbol.removesuffix("-open")]
