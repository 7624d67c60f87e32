"""
How fair it could be
====================

The scale of a mean: what random orders give, and the worst and the best order of the candidates.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_value_scale.png"

import fairviz
from fairviz.measures import parse
from fairviz.orders.ranges import value_scales

study = fairviz.open_study("newswire")

# %%
# value_scale
# -----------
# By every fairness measure, bm25, tfidf and qlm are inside the band of random orders.

measures = ["CWEx@10", "NFaiRR@10", "TExFAIR@10", "nDCG@10"]
scales = value_scales(study, measures)
fairviz.plot.value_scale(scales, [parse(text) for text in measures], study_systems=study.systems)
