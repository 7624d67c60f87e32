"""
Trade-off of two measures
=========================

One measure against another, a point for each system.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_tradeoff.png"

import fairviz
from fairviz.measures import parse

study = fairviz.open_study("newswire")
scores = fairviz.evaluate(study, ["CWEx", "nDCG"])

# %%
# tradeoff
# --------
# With 95 % intervals over queries and the Pareto front.

fairviz.plot.tradeoff(scores, outside=["perfect", "random"])

# %%
# scatter
# -------
# The same figure from a summary, with all of its arguments.

summary = fairviz.summarise(scores)
fairviz.plot.scatter(
    summary, parse("nDCG@10"), parse("CWEx@10"), selected="bm25", study_systems=study.systems, height=400
)
