"""Figures in one call, for notebooks: from scores or a study to a Plotly figure, as in the app.

May import what output may.
"""

from fairviz.output.plot.genderedness import gsr, words
from fairviz.output.plot.systems import alpha, cutoff, exposure, order, tradeoff

__all__ = ["alpha", "cutoff", "exposure", "gsr", "order", "tradeoff", "words"]
