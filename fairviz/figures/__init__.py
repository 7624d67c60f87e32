"""Tables to Plotly figures: pure functions, one figure a file.

Each file contains `info`, which computes the data of the figure as a frozen dataclass, and `draw`, which turns these
into a `go.Figure`. Tests compare the data whole. `style` contains the shared parts: themes, colours, markers, titles of
axes. To add a figure, add a file with both functions.

May import comparison and what lies below it.
"""
