"""Tables to Plotly figures: pure functions, one figure a file.

Each file holds `info`, which computes what is drawn as a frozen dataclass, and `draw`, which turns that into a
`go.Figure`. Tests compare the first whole. `style` holds what all share: themes, colours, markers, titles of axes.
To add a figure: a file with both.

May import measures, annotation, rankers and what lies below them, and its neighbours evaluation and datasets.
"""
