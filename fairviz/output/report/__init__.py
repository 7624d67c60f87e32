"""A report: one self-contained HTML page for a paper's appendix or a class.

May import what output may.
"""

from fairviz.output.report.making import report
from fairviz.output.report.page import Section

__all__ = ["Section", "report"]
