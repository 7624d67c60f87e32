"""
Trade-off of two measures
=========================

One measure against another: a point for each system with its 95 % intervals, and the Pareto front.
"""

import fairviz

study = fairviz.open_study("newswire")
scores = fairviz.evaluate(study, ["CWEx", "nDCG"])
fairviz.plot.tradeoff(scores, outside=["perfect", "random"])
