"""Figures in one call, for notebooks: scores or a study in, a Plotly figure out, drawn as the app draws it.

May import evaluation, figures and what lies below them.
"""

from fairviz.plot.genderedness import gsr, words
from fairviz.plot.systems import alpha, cutoff, exposure, tradeoff

__all__ = ["alpha", "cutoff", "exposure", "gsr", "tradeoff", "words"]
