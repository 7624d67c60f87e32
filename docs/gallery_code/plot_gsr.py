"""
Gender Stereotype Reinforcement
===============================

Whether gendered queries have gendered results.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_gsr.png"

import pandas as pd

import fairviz
from fairviz.analyses.gsr_validity.direct import by_genderedness, compare_debiased, compared, direct_stereotypes
from fairviz.analyses.gsr_validity.parity import parity_agreement
from fairviz.evaluation.gsr import direction_of, gsr, gsr_points, leave_out
from fairviz.evaluation.settings import Settings
from fairviz.words.genderedness import vocabulary_mean

study = fairviz.open_study("newswire")
settings = Settings(systems=("bm25", "w2v_add", "perfect"))
direction = direction_of(settings)
centre = vocabulary_mean(direction)
texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
points = gsr_points(study, settings, direction=direction)

# %%
# gsr
# ---
# A panel for each system, a point for each query.

fairviz.plot.gsr(study, systems=["bm25", "w2v_add"], left_out=5)

# %%
# gsr_scatter
# -----------
# The same figure from points and slopes.

fairviz.plot.gsr_scatter(points, gsr(points), centre, texts=texts, study_systems=study.systems)

# %%
# leave_out_curve
# ---------------
# The slope without the most gendered queries.

rows = [gsr(leave_out(points, number)).assign(left_out=number) for number in range(21)]
fairviz.plot.leave_out_curve(pd.concat(rows), 5, study_systems=study.systems)

# %%
# direct_gap
# ----------
# Genders mentioned in the lists against those in the relevant documents.

gaps = direct_stereotypes(study, Settings(), smoothing=1)
bins = by_genderedness(gaps.assign(query=gaps["query"] - centre))
fairviz.plot.direct_gap(gaps, bins, "bm25", centre, texts=texts)

# %%
# reordering
# ----------
# How far debiased vectors change each list.

debiased = compare_debiased(study, Settings())
strong = [table[table["debias"] == "strong"] for table in (debiased.distances, debiased.correlations)]
fairviz.plot.reordering(*strong, centre, texts=texts)

# %%
# reliability
# -----------
# Queries by two sets of vectors; here the same vectors with other pairs.

other = direction_of(Settings(pairs="she-he, woman-man, daughter-son"))
agreement = compared(*(gsr_points(study, settings, direction=each) for each in (direction, other)))
fairviz.plot.reliability(
    agreement.queries, agreement.pearson, ("ten pairs", "three pairs"), (centre, vocabulary_mean(other)), texts=texts
)

# %%
# parity_cloud
# ------------
# GSR against statistical parity on the toy set of the paper.

parity = parity_agreement(direction)
fairviz.plot.parity_cloud(parity.sample, parity.r, parity.solutions)
