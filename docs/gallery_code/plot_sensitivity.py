"""
Sensitivity analysis
====================

Two systems under every combination of choices.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_sensitivity.png"

import fairviz

study = fairviz.open_study("newswire")
choices = {"tau": [0, 1, 2], "tokenizer": ["word", "whitespace"], "cutoff": [5, 10]}
result = fairviz.robustness(study, ["w2v_add", "bm25"], "NFaiRR", choices)

# %%
# specification_curve
# -------------------
# The difference under each combination, and below it its levels.

fairviz.plot.specification_curve(
    result.drawn, result.pair, result.varied, present=result.grid.present(), study_systems=study.systems
)

# %%
# choice_map
# ----------
# Which system is more likely the fairer one, over two choices.

fairviz.plot.choice_map(result.drawn, result.pair, ("tau", "tokenizer"), result.varied, study_systems=study.systems)
