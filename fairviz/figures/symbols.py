"""Plotly's marker symbols as SVG paths, for legends, strips, and figures while a slider is dragged.

Each is the marker of size 20, centred at (0, 0).
"""

SMALL = 0.55  # the scale of a marker of size 11
PATHS: dict[str, str] = {
    "circle": "M10,0A10,10 0 1,1 0,-10A10,10 0 0,1 10,0Z",
    "square": "M10,10H-10V-10H10Z",
    "diamond": "M13,0L0,13L-13,0L0,-13Z",
    "triangle-up": "M-11.55,5H11.55L0,-10Z",
    "triangle-down": "M-11.55,-5H11.55L0,10Z",
    "cross": "M12,4H4V12H-4V4H-12V-4H-4V-12H4V-4H12Z",
    "pentagon": "M9.51,-3.09L5.88,8.09H-5.88L-9.51,-3.09L0,-10Z",
    "hexagram": "M-7.6,0l-3.8,-6.6h7.6l3.8,-6.6l3.8,6.6h7.6l-3.8,6.6l3.8,6.6h-7.6l-3.8,6.6l-3.8,-6.6h-7.6Z",
    "hourglass": "M10,10H-10L10,-10H-10Z",
    "bowtie": "M10,10V-10L-10,10V-10Z",
    "triangle-left": "M5,-11.55V11.55L-10,0Z",
    "triangle-right": "M-5,-11.55V11.55L10,0Z",
    "triangle-ne": "M-12,-6H6V12Z",
    "triangle-se": "M6,-12V6H-12Z",
    "triangle-nw": "M-6,12V-6H12Z",
    "triangle-sw": "M12,6H-6V-12Z",
    "line-ns": "M0,14V-14",
    "star": ("M3.15,-4.33H13.31L5.08,1.65L8.23,11.33L0,5.35L-8.23,11.33L-5.08,1.65L-13.31,-4.33H-3.15L0,-14Z"),
    "x": (
        "M0,5.66l5.66,5.66l5.66,-5.66l-5.66,-5.66l5.66,-5.66"
        "l-5.66,-5.66l-5.66,5.66l-5.66,-5.66l-5.66,5.66l5.66,5.66l-5.66,5.66l5.66,5.66Z"
    ),
}
DASHES = {"solid": "", "dash": "7,4", "dot": "2,3", "dashdot": "7,3,2,3", "longdash": "10,4", "longdashdot": "10,3,2,3"}


def path_of(symbol: str) -> str:
    """Return the path of a symbol, open or not. Raises: KeyError for an unknown symbol."""
    return PATHS[symbol.removesuffix("-open")]
