"""Tables to Plotly figures: pure functions, one figure a file.

Each file contains `info`, which computes the data of the figure as a frozen dataclass, and `draw`, which turns these
into a `go.Figure`. Tests compare the data whole. Shared parts: `style` has themes, colours, markers and titles of axes;
`frame` has the decorator `figure` for titles and empty figures, `trace` for marks and lines, panels, rows, matrices
and intervals. To add a figure, add a file with both functions.

May import comparison and the floors below it.
"""
