"""A report: one self-contained HTML page for a paper's appendix or a class.

May import evaluation, datasets, figures and what lies below them, and its neighbours capsule and plot.
"""

from fairviz.report.making import report
from fairviz.report.page import Section

__all__ = ["Section", "report"]
