"""
Systems ordered by measures
===========================

Who is ahead, and who is significantly behind.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_order.png"

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import orders

study = fairviz.open_study("newswire")
scores = fairviz.evaluate(study, ["CWEx", "NFaiRR", "TExFAIR", "nDCG"])

# %%
# order
# -----
# A strip a measure: ringed systems are not significantly different from the best.

fairviz.plot.order(scores)

# %%
# measure_order
# -------------
# The same figure from the orders, with bars that join systems without a significant difference.

compared = comparison(scores)
questions = [pairs.question for pairs in compared.pairs]
strips = orders(fairviz.summarise(scores), questions, compared)
fairviz.plot.measure_order(strips, groups=True, study_systems=study.systems)

# %%
# bump
# ----
# The rank of each system by each measure.

fairviz.plot.bump(fairviz.summarise(scores), questions, selected="w2v_add", study_systems=study.systems)
