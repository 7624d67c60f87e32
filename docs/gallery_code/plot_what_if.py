"""
What a list could be
====================

The front of the reorderings of one list.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_what_if.png"

import fairviz
from fairviz.analyses.what_if.bench import pareto_front
from fairviz.measures import parse

study = fairviz.open_study("newswire")
scores = fairviz.evaluate(study, ["CWEx", "nDCG"])

# %%
# list_front
# ----------
# Every order of the list of one query that is not dominated, beside the systems.

front = pareto_front(study, "CWEx@10", "bm25", "q21")
points = list(front.table[["effectiveness", "value", "swaps"]].itertuples(index=False, name=None))
of_query = scores[scores["query_id"] == "q21"]
now = of_query[of_query["system"] == "bm25"].set_index("measure")["value"]
fairviz.plot.list_front(
    of_query,
    parse("nDCG@10"),
    parse("CWEx@10"),
    "bm25",
    points,
    (now["nDCG@10"], now["CWEx(alpha=0.5)@10"]),
    exact=front.exact,
    study_systems=study.systems,
)
