"""
Comparison of systems
=====================

Differences query by query, and what they are made of.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_comparison.png"

import fairviz
from fairviz.analyses.running import analyse
from fairviz.comparison.compare import comparison
from fairviz.measures import parse

study = fairviz.open_study("newswire")
texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
scores = fairviz.evaluate(study, ["CWEx", "NFaiRR", "nDCG"])

# %%
# differences
# -----------
# Each system against a baseline: filled marks are significantly different.

two = scores[scores["measure"] != "NFaiRR(tau=1)@10"]
fairviz.plot.differences(comparison(two, "bm25"), study_systems=study.systems)

# %%
# query_differences
# -----------------
# One pair of systems, a bar a query.

values = scores[scores["measure"] == "CWEx(alpha=0.5)@10"].pivot(index="query_id", columns="system", values="value")
table = values[["w2v_add", "bm25"]].set_axis(["value", "baseline_value"], axis=1).reset_index()
table["difference"] = table["value"] - table["baseline_value"]
fairviz.plot.query_differences(table, parse("CWEx@10"), ("w2v_add", "bm25"), texts, study_systems=study.systems)

# %%
# value_distribution
# ------------------
# The share of queries up to each value, with the 10, 50 and 90 % quantiles.

quantiles = fairviz.tails(scores[scores["measure"] == "CWEx(alpha=0.5)@10"], "w2v_add", "bm25")
pair = ("w2v_add", "bm25")
fairviz.plot.value_distribution(table, quantiles, parse("CWEx@10"), pair, study_systems=study.systems)

# %%
# strip
# -----
# One query among all, for two systems.

fairviz.plot.strip(scores, [parse("CWEx@10"), parse("NFaiRR@10")], ["bm25", "w2v_add"], "q21")

# %%
# waterfall
# ---------
# What each rank adds to the value of one list.

parts = fairviz.contributions(study, "CWEx@10", "bm25", "q21")
fairviz.plot.waterfall(parts, "contribution", "CWEx of bm25, rank by rank")

# %%
# sorted_p
# --------
# The p of all pairs of systems by each measure: the lower a curve, the more pairs a measure tells apart.

power = analyse(study, "measure-power", measures="CWEx NFaiRR nDCG")
fairviz.plot.sorted_p(power.table("curve"))

# %%
# opposed
# -------
# Of all lists of three ranks, the pairs that two measures order oppositely.

found = analyse(study, "all-lists")
fairviz.plot.opposed(found.table("opposed"), [question.text for question in found.value.questions])

# %%
# measure_matrix
# --------------
# Where measures agree over queries.

measures = ["CWEx", "NFaiRR", "TExFAIR", "nDCG"]
atlas = fairviz.atlas(study, measures)
names = list(dict.fromkeys([*atlas.correlations["first"], *atlas.correlations["second"]]))
fairviz.plot.measure_matrix(atlas.correlations, names)
