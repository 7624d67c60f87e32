"""
Rankings with genders swapped
=============================

How far lists move if every gender word is swapped, beside a placebo.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_gender_swap.png"

import fairviz

study = fairviz.open_study("newswire")
result = fairviz.counterfactual(study, "bm25,tfidf", seeds=1)

# %%
# crbo
# ----
# Overlap of the lists before and after each edit, with 95 % intervals.

names = ["CRBO", "primary placebo", "second placebo, query words spared"]
table = result.table[result.table["measure"].isin(names)]
columns = ["system", "measure", "value", "ci_low", "ci_high"]
fairviz.plot.crbo(table, "Lists before and after", "rank-biased overlap", names, columns)

# %%
# crbo_queries
# ------------
# Each query: below the line the swap changes more than the placebo.

fairviz.plot.crbo_queries(result.queries, "tfidf", "placebo", "primary placebo", height=360)
