"""Figures in one call, for notebooks: from scores or a study to a Plotly figure, as in the app.

May import evaluation, figures and what lies below them.
"""

from fairviz.plot.genderedness import gsr, words
from fairviz.plot.systems import alpha, cutoff, exposure, tradeoff

__all__ = ["alpha", "cutoff", "exposure", "gsr", "tradeoff", "words"]
