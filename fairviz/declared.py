"""The parameters of public functions and plans, each declared once: name, default, sentence and range.

A signature takes the default of a declaration, the check its range, `cli.record.add_parameters` makes the verb's
option, and a page's control has its `ends`. Nothing heavy is imported, so that the help of a verb stays fast.
"""

from typing import Any

from fairviz.parameters import Parameter

MOST = 1_000_000_000  # of counts without a smaller bound
MOST_SEED = 2**32 - 1
MAX_CUTOFF = 100_000  # the deepest rank in settings, addresses and measures


def count(name: str, default: int | None, text: str = "", low: int = 1, high: int = MOST, **more: Any) -> Parameter:
    """Return the declaration of a whole number."""
    return Parameter(name, default, text, low, high, whole=True, optional=default is None, **more)


def _table(*parameters: Parameter) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in parameters}


def _seed(text: str) -> Parameter:
    return count("seed", 0, text, 0, MOST_SEED)


_DEPTH = count("depth", 100, "longest list")
_LEVEL = Parameter("level", 0.95, "of intervals", above=True, below=True, such=0.95, names="l")
_DRAWS = count("draws", 10_000, "of random signs, at least 100 a difference of the family", 99, 100_000, such=9999)

TAU = count("tau", 1, "gender words a neutral document may hold", 0, MAX_CUTOFF, names="tau")
COMPARE = _table(
    _DRAWS,  # the most take 180 MB for 1,765 queries
    _seed("of random signs"),
    _LEVEL,
    Parameter("power", None, "also the minimum detectable difference for this power, such as 0.8", above=True,
              below=True, optional=True, names="p"),
)  # fmt: skip
GATE = _table(_LEVEL, _DRAWS, count("most", 5, "queries that are named, and documents of each"))
GSR = _table(
    Parameter("depth", "cutoff", "the top k, or as many documents as are relevant to the query",
              choices=("cutoff", "relevant")),
    count("left_out", 0, "leave out the N most gendered queries", 0),
)  # fmt: skip
ATLAS = _table(
    Parameter(
        "correction", "bonferroni", "for the number of correlations", choices=("bonferroni", "holm", "bh", "none")
    )
)
GENDER_SWAP = _table(
    count("seeds", 3, "placebos of each kind", high=100),
    _DEPTH,
    Parameter("p", 0.9, "persistence of RBO", above=True, below=True, such=0.9),
)
SENSITIVITY = _table(count("most", 100_000, "compute at most N combinations"))
TRACK = _table(
    Parameter("unknown", "group", "articles of unknown gender: a group of their own, as in 2022, or left out, as in "
              "2021", choices=("group", "out")),
    Parameter("several", "split", "an article of several genders is split between them, or counts whole for each",
              choices=("split", "whole")),
    count("k", 500, "how deep lists are read", high=MAX_CUTOFF, names="k"),
    count("ideal", None, "relevant articles in the best list of nDCG (default: K)", high=MAX_CUTOFF),
)  # fmt: skip
ANNOTATE = _table(
    count("queries", 0, "only documents of the first N queries", 0, told=False),
    count("concurrency", 8, "requests at a time", high=1000),
    Parameter("patience", 120.0, "seconds from a request to the end of its whole answer, however slowly it comes",
              high=1_000_000, above=True, names="s"),
    Parameter("price_in", None, "price of a million tokens of prompts", high=MOST, optional=True, names="x"),
    Parameter("price_out", None, "price of a million tokens of answers", high=MOST, optional=True, names="x"),
    count("most_requests", None, "stop after N requests"),
    count("most_tokens", None, "stop after N tokens"),
)  # fmt: skip
CONSENSUS = _table(
    Parameter("method", "majority", "the most frequent label, ties left open, or Dawid and Skene's model",
              choices=("majority", "dawid-skene")),
)  # fmt: skip
AGREE = _table(
    Parameter("draw", "documents", "what intervals draw: documents, or queries with all their documents",
              choices=("documents", "queries")),
)  # fmt: skip
FORM = _table(
    count("documents", 100, "to be labelled", high=1_000_000),
    count("per_document", 3, "people who label each document", high=1000),
    count("test_every", 10, "one question in N has a known answer, 0 for none", 0, 1000),
    count("batch_size", 100, "documents of one link at most, test questions not counted", high=1_000_000),
    _seed("of the drawing"),
    count("top", 0, "draw only documents that a system has in its first N", 0, MAX_CUTOFF, told=False),
)
COLLECT = _table(
    Parameter("least_tests", 0.8, "with --collect: leave out who answered a smaller share of the test questions "
              "rightly", names="x"),
    count("form", 0, "with --status, --collect or --close: this form alone", 0, told=False),
)  # fmt: skip
SAMPLE = _table(
    count("budget", 100, "with --design: documents to label; expected ones for queries"), _seed("of the drawing")
)
AUDIT = _table(
    count("per_query", 5, "pairs drawn for each query, relevant and irrelevant apart", high=1000),
    count("queries", 0, "only N queries: the first ones, for lists drawn by lot", 0, told=False),
    _seed("of what is drawn by lot"),
    count("most_requests", 0, "stop after N requests", 0, told=False),
)
AUDIT_LISTS = _table(
    count("window", 20, "documents in one request (listwise)", 2, 10_000, told=False),
    count("step", 10, "how far the window moves (listwise)", 1, 10_000, told=False),
    count("per_list", 20, "documents of a list (listwise)", 4, 1000, told=False),
)
RANK = _table(_DEPTH)
BENCH = _table(
    Parameter("held_out", 0.5, "of the queries that count; 1 for all", above=True, names="share"),
    _seed("of the draw of queries"),
    _DEPTH,
)
FINETUNING = _table(
    count("rank", 4, "of the weights added", high=64),
    Parameter("strength", 1.0, "of the aim beside what keeps other scores; 0 changes nothing", high=1000, names="x"),
    count("steps", 40, "of training", high=10_000),
    Parameter("minutes", None, "a limit of time, which ends the training with steps left; the name then carries the "
              "steps done (default: no limit)", high=24 * 60, above=True, optional=True, names="x"),
    _seed("of split, weights and order"),
)  # fmt: skip
BACKPACK = _table(
    count("senses", 8, "vectors a word", 2, 64),
    Parameter("minutes", 5.0, "stop after M minutes", high=MOST, above=True, names="m"),
    _seed("of weights and order"),
)
SENSES = _table(count("nearest", 5, "words a sense", high=50))
REPLAY = _table(
    Parameter("tolerance", 0.0, "by what share of the larger one two numbers may differ and still be the same "
              "(default: 0, to the last digit)", told=False, names="t"),
)  # fmt: skip
PROCESSES = _table(
    count("workers", None, "processes (default: one for each core)"),
    count("patience", 60, "give up a cluster that has no worker for so long", names="seconds"),
)
PORT = count("port", 8501, high=65535, names="port")
