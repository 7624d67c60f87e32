"""
Curves over α and the cutoff
============================

What a parameter that the papers fix does to the order of systems.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_curves.png"

import fairviz
from fairviz.comparison.curves import over_cutoffs
from fairviz.evaluation.scores import over_alpha
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.measures.position_bias import position_bias

study = fairviz.open_study("newswire")

# %%
# alpha
# -----
# CWEx over all of α, as differences from a baseline.

fairviz.plot.alpha(study, baseline="bm25")

# %%
# alpha_curve
# -----------
# The same figure from the table of values.

curves = over_alpha(study, Settings())
fairviz.plot.alpha_curve(curves, 0.5, 10, selected="w2v_si", study_systems=study.systems)

# %%
# cutoff
# ------
# A measure over the cutoff.

fairviz.plot.cutoff(study, "TExFAIR", systems=["bm25", "w2v_si"])

# %%
# cutoff_curve
# ------------
# Several measures over the cutoff, from the table of values.

questions = [parse("CWEx@10"), parse("NFaiRR@10")]
values = over_cutoffs(study, ["CWEx", "NFaiRR"], Settings(systems=("bm25", "w2v_add")))
fairviz.plot.cutoff_curve(values, questions, 10, study_systems=study.systems)

# %%
# bias_curve
# ----------
# The attention that each rank receives.

fairviz.plot.bias_curve(position_bias("rbp(p=0.8)", 20), 20, height=160)
