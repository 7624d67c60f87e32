"""Plotly's marker symbols as SVG paths, for the legend of a page.

Each is centred at (0, 0) with the radius of Plotly's marker.
"""

from math import cos, pi, sin, sqrt

RADIUS = 5.5
Point = tuple[float, float]


def _polygon(points: list[Point]) -> str:
    return "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in points) + "Z"


def _points_around(corners: int, *radii: float) -> list[Point]:
    """Return points around the origin, the first at the top, at these radii in turn."""
    angles = (2 * pi * place / corners for place in range(corners))
    return [
        (radii[place % len(radii)] * sin(angle), -radii[place % len(radii)] * cos(angle))
        for place, angle in enumerate(angles)
    ]


def _cross(radius: float) -> list[Point]:
    inner, outer = 0.4 * radius, 1.2 * radius
    quarter = [(inner, -outer), (inner, -inner), (outer, -inner)]
    quarters = [quarter]
    for _ in range(3):
        quarters.append([(-y, x) for x, y in quarters[-1]])
    return [point for part in quarters for point in part]


def _triangle(radius: float, up: int) -> list[Point]:
    half = 2 * radius / sqrt(3)
    return [(-half, up * radius / 2), (half, up * radius / 2), (0, -up * radius)]


_R = RADIUS
PATHS: dict[str, str] = {
    "circle": f"M{_R},0A{_R},{_R} 0 1,1 {-_R},0A{_R},{_R} 0 1,1 {_R},0Z",
    "square": _polygon([(_R, _R), (_R, -_R), (-_R, -_R), (-_R, _R)]),
    "diamond": _polygon(_points_around(4, 1.3 * _R)),
    "triangle-up": _polygon(_triangle(_R, 1)),
    "cross": _polygon(_cross(_R)),
    "star": _polygon(_points_around(10, 1.4 * _R, 0.54 * _R)),
    "x": _polygon([((x - y) / sqrt(2), (x + y) / sqrt(2)) for x, y in _cross(_R)]),
    "pentagon": _polygon(_points_around(5, 1.1 * _R)),
    "triangle-down": _polygon(_triangle(_R, -1)),
    "hexagram": _polygon(_points_around(12, 1.3 * _R, 0.75 * _R)),
    "hourglass": _polygon([(_R, _R), (-_R, _R), (_R, -_R), (-_R, -_R)]),
    "bowtie": _polygon([(_R, _R), (_R, -_R), (-_R, _R), (-_R, -_R)]),
}
DASHES = {"solid": "", "dash": "7,4", "dot": "2,3", "dashdot": "7,3,2,3", "longdash": "10,4", "longdashdot": "10,3,2,3"}


def path_of(symbol: str) -> str:
    """Return the path of a symbol, open or not. Raises: KeyError for a symbol of no system."""
    return PATHS[symbol.removesuffix("-open")]
