"""A grid of small multiples."""

import math
from dataclasses import dataclass

MOST_COLUMNS = 5
GAP = 0.44  # of a row's height, for the titles of the next


def grid_of(panels: int) -> "Grid":
    """Return the grid for this number of panels."""
    return Grid(panels, columns_of(panels))


def columns_of(panels: int) -> int:
    """Return the number of columns that fills the last row best."""
    if panels <= MOST_COLUMNS:
        return max(panels, 1)
    rows = math.ceil(panels / MOST_COLUMNS)
    return math.ceil(panels / rows)


@dataclass(frozen=True)
class Grid:
    """Panels in rows from the top, and the share of the figure that each covers."""

    panels: int
    columns: int

    @property
    def rows(self) -> int:
        return math.ceil(self.panels / self.columns)

    def across(self, place: int) -> tuple[float, float]:
        left = place % self.columns / self.columns
        return left + 0.006, left + 1 / self.columns - 0.006

    def up(self, place: int) -> tuple[float, float]:
        height = 1 / (self.rows + (self.rows - 1) * GAP)
        top = 1 - place // self.columns * height * (1 + GAP)
        return max(0.0, top - height), top


def axis_number(place: int) -> str:
    """Return Plotly's number of the axes of this panel, empty for the first."""
    return str(place + 1) if place else ""
