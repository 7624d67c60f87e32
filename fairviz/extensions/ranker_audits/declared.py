"""The parameters of `fairviz.audit`, its verb and its page; see `fairviz.declared`."""

from fairviz.declared import count, seed, table

AUDIT = table(
    count("per_query", 5, "pairs drawn for each query, relevant and irrelevant apart", high=1000),
    count("queries", 0, "only N queries: the first ones, for lists drawn by lot", 0, told=False),
    seed("of what is drawn by lot"),
    count("most_requests", 0, "stop after N requests", 0, told=False),
)
AUDIT_LISTS = table(
    count("window", 20, "documents in one request (listwise)", 2, 10_000, told=False),
    count("step", 10, "how far the window moves (listwise)", 1, 10_000, told=False),
    count("per_list", 20, "documents of a list (listwise)", 4, 1000, told=False),
)
