"""
A slider inside the ranker
==========================

Rankings over the weight of the gender senses of a Backpack model.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_backpack.png"

import fairviz
from fairviz.extensions.backpack.figures.weight_curves import Axis
from fairviz.extensions.backpack.loading import loaded
from fairviz.extensions.backpack.words import sensitivity_table

study = fairviz.open_study("recruitment")
steering = fairviz.steer(study, weights=[0, 0.5, 1, 2])
measures = [Axis(column.name, column.text, column.direction) for column in steering.defined]

# %%
# weight_curves
# -------------
# Every measure over the weight, with the band of the placebo.

fairviz.plot.weight_curves(steering.table, measures, 0.5)

# %%
# weight_plane
# ------------
# Measures against one of them, over the weight.

up = next(axis for axis, column in zip(measures, steering.defined, strict=True) if column.effective)
fairviz.plot.weight_plane(steering.table, up, [axis for axis in measures if axis != up], 0.5)

# %%
# weight_scores
# -------------
# Scores of documents over the weight.

lists = steering.lists
query = lists.read.queries[0]
scores = lists.scores(query, lists.weights)
by_document = dict(zip(lists.read.documents, scores.T.astype(float).tolist(), strict=False))
labels = dict(zip(study.labels["doc_id"].astype("str"), study.labels["label"].astype("str"), strict=True))
fairviz.plot.weight_scores(by_document, labels, (study.neutral, *study.groups), lists.weights, 0.5)

# %%
# sense_bars
# ----------
# How much gender each sense carries.

table = sensitivity_table(loaded())
fairviz.plot.sense_bars(table, [int(sense) for sense in table.loc[table["scaled"] == "yes", "sense"]])
