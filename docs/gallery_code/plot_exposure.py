"""
Exposure of groups
==================

The share of attention that neutral, female and male documents receive.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_exposure.png"

import fairviz
from fairviz.analyses.running import analyse
from fairviz.evaluation.scores import exposures
from fairviz.evaluation.settings import Settings

study = fairviz.open_study("newswire")

# %%
# exposure
# --------
# A point for each system.

fairviz.plot.exposure(study)

# %%
# exposure, query by query
# ------------------------
# A point for each query of one system.

fairviz.plot.exposure(study, per_query=True, systems=["bm25"])

# %%
# ternary
# -------
# The same figure from the table of exposures.

table = exposures(study, Settings())
fairviz.plot.ternary(table, selected="w2v_add", study_systems=study.systems, height=400)

# %%
# target_shares
# -------------
# The genders' shares in sets of documents, and in the exposure of each system.

shares = analyse(study, "target-shares").value
fairviz.plot.target_shares(shares.table, shares.groups)

# %%
# lorenz
# ------
# How unevenly exposure is shared by the documents of a group: the flat start is never shown.

hidden = analyse(study, "never-shown", documents="candidates").value
fairviz.plot.lorenz(hidden.curves, hidden.ginis)
