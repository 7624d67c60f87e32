"""The parameters of public functions and plans, each declared once: name, default, sentence and range.

A signature takes the default of a declaration, the check its range, `cli.record.add_parameters` makes the verb's
option, and a page's control has its `ends`. Nothing heavy is imported, so that the help of a verb stays fast.
"""

from typing import Any

from fairviz.parameters import Parameter

MOST = 1_000_000_000  # of counts without a smaller bound
MOST_SEED = 2**32 - 1
SEVERITIES = ("issue", "tip")  # of the findings of checks, the graver one first
MAX_CUTOFF = 100_000  # the deepest rank in settings, addresses and measures


def count(name: str, default: int | None, text: str = "", low: int = 1, high: int = MOST, **more: Any) -> Parameter:
    """Return the declaration of a whole number."""
    return Parameter(name, default, text, low, high, whole=True, optional=default is None, **more)


def table(*parameters: Parameter) -> dict[str, Parameter]:
    """Return declarations by name, as a verb and a function take them."""
    return {parameter.name: parameter for parameter in parameters}


def seed(text: str) -> Parameter:
    """Return the declaration of a seed."""
    return count("seed", 0, text, 0, MOST_SEED)


_DEPTH = count("depth", 100, "longest list")
_LEVEL = Parameter("level", 0.95, "of intervals", above=True, below=True, such=0.95, names="l")
_DRAWS = count("draws", 10_000, "of random signs, at least 100 a difference of the family", 99, 100_000, such=9999)

TAU = count("tau", 1, "gender words a neutral document may hold", 0, MAX_CUTOFF, names="tau")
COMPARE = table(
    _DRAWS,  # the most take 180 MB for 1,765 queries
    seed("of random signs"),
    _LEVEL,
    Parameter("power", None, "also the minimum detectable difference for this power, such as 0.8", above=True,
              below=True, optional=True, names="p"),
)  # fmt: skip
GATE = table(_LEVEL, _DRAWS, count("most", 5, "queries that are named, and documents of each"))
GSR = table(
    Parameter("depth", "cutoff", "the top k, or as many documents as are relevant to the query",
              choices=("cutoff", "relevant")),
    count("left_out", 0, "leave out the N most gendered queries", 0),
)  # fmt: skip
ATLAS = table(
    Parameter(
        "correction", "bonferroni", "for the number of correlations", choices=("bonferroni", "holm", "bh", "by", "none")
    )
)
GENDER_SWAP = table(
    count("seeds", 3, "placebos of each kind", high=100),
    _DEPTH,
    Parameter("p", 0.9, "persistence of RBO", above=True, below=True, such=0.9),
)
REPLACE_PEOPLE = table(
    Parameter("epsilon", 0.15, "how much closer people may be: 0.1 for crowds, 0.15 skilled, 0.2 experts", high=0.5)
)
ANNOTATOR_GROUPS = table(
    Parameter("column", "", "of annotators.csv; without it the first with two values"),
    count("draws", 1000, "of queries, for the intervals of agreement", 50, 10_000),
    seed("of these draws"),
)
SENSITIVITY = table(count("most", 100_000, "compute at most N combinations"))
ANNOTATE = table(
    count("queries", 0, "only documents of the first N queries", 0, told=False),
    count("concurrency", 8, "requests at a time", high=1000),
    Parameter("patience", 120.0, "seconds from a request to the end of its whole answer, however slowly it comes",
              high=1_000_000, above=True, names="s"),
    Parameter("price_in", None, "price of a million tokens of prompts", high=MOST, optional=True, names="x"),
    Parameter("price_out", None, "price of a million tokens of answers", high=MOST, optional=True, names="x"),
    count("most_requests", None, "stop after N requests"),
    count("most_tokens", None, "stop after N tokens"),
)  # fmt: skip
CONSENSUS = table(
    Parameter("method", "majority", "the most frequent label, ties left open, or Dawid and Skene's model",
              choices=("majority", "dawid-skene")),
)  # fmt: skip
AGREE = table(
    Parameter("draw", "documents", "what intervals draw: documents, or queries with all their documents",
              choices=("documents", "queries")),
)  # fmt: skip
FORM = table(
    count("documents", 100, "to be labelled", high=1_000_000),
    count("per_document", 3, "people who label each document", high=1000),
    count("test_every", 10, "one question in N has a known answer, 0 for none", 0, 1000),
    count("batch_size", 100, "documents of one link at most, test questions not counted", high=1_000_000),
    seed("of the drawing"),
    Parameter(
        "repeat",
        0.0,
        "show this share of the documents a second time, late, such as 5%",
        high=0.25,
        told=False,
        such=0.05,
        names="share",
    ),
    count("top", 0, "draw only documents that a system has in its first N", 0, MAX_CUTOFF, told=False),
)
COLLECT = table(
    Parameter("least_tests", 0.8, "with --collect: leave out who answered a smaller share of the test questions "
              "rightly", names="x"),
    count("form", 0, "with --status, --collect or --close: this form alone", 0, told=False),
)  # fmt: skip
SAMPLE = table(
    count("budget", 100, "with --design: documents to label; expected ones for queries"), seed("of the drawing")
)
RANK = table(
    _DEPTH,
    Parameter("candidates", "all", "all documents, or only those judged for the query", choices=("all", "judged")),
)
BENCH = table(
    Parameter("held_out", 0.5, "of the queries that count; 1 for all", above=True, names="share"),
    seed("of the draw of queries"),
    _DEPTH,
)
REPLAY = table(
    Parameter("tolerance", 0.0, "by what share of the larger one two numbers may differ and still be the same "
              "(default: 0, to the last digit)", told=False, names="t"),
)  # fmt: skip
PROCESSES = table(
    count("workers", None, "processes (default: one for each core)"),
    count("patience", 60, "give up a cluster that has no worker for so long", names="seconds"),
)
PORT = count("port", 8501, high=65535, names="port")
