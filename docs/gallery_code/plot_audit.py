"""
Audit of rankers
================

Which group of documents a ranker prefers, and what mitigations change.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_audit.png"

import fairviz
from fairviz.extensions.ranker_audits.figure_tables import pairs_and_lists, share_lines
from fairviz.measures import parse

study = fairviz.open_study("newswire")
texts = dict(zip(study.documents["doc_id"], study.documents["title"], strict=True))
pairs = fairviz.audit(study, "bm25,w2v_add")
lists = fairviz.audit(study, "bm25,w2v_add", kind="listwise")

# %%
# crbo, of shares
# ---------------
# Shares of queries that prefer each group, in pairs.

lines = share_lines(pairs.table[pairs.table["judged"] == pairs.table["judged"].iloc[0]])
groups = [study.neutral, *study.groups]
columns = ["line", "group", "share", "low", "high"]
fairviz.plot.crbo(lines, "Whose document comes first", "share of queries", groups, columns, 0.5, genders=True)

# %%
# pairs_and_lists
# ---------------
# The preference in pairs against that in lists.

fairviz.plot.pairs_and_lists(pairs_and_lists(pairs, lists), "female", "male")

# %%
# protected_ranks
# ---------------
# Ranks of the protected group's documents.

ranks = lists.protected_ranks()
fairviz.plot.protected_ranks(ranks, "female", float(lists.ranks["before"].mean()))

# %%
# list_moves
# ----------
# One list before and after.

first = lists.ranks.iloc[0]
same = ["query_id", *(name for name in ("system", "attribute", "window", "step") if name in lists.ranks)]
rows = lists.ranks[(lists.ranks[same].fillna("") == first[same].fillna("")).all(axis=1)].sort_values("after")
fairviz.plot.list_moves(rows.reset_index(drop=True), "female", texts)

# %%
# mitigation_plane
# ----------------
# What each mitigation does to two measures, on held-out queries.

bench = fairviz.mitigation_bench(study, "balanced(run='bm25'),neutral(run='bm25')", ["CWEx", "nDCG"])
tried = [(each.base, each.system) for each in bench.mitigations]
fairviz.plot.mitigation_plane(bench.means, tried, parse("nDCG@10"), parse("CWEx@10"))
