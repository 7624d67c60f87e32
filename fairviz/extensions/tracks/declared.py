"""The parameters of `track_scores`, `fairviz trec-fair` and its card; see `fairviz.declared`."""

from fairviz.declared import MAX_CUTOFF, count, table
from fairviz.parameters import Parameter

COLUMN = "gender"  # of the documents: an article's genders
TRACK = table(
    Parameter("unknown", "group", "articles of unknown gender: a group of their own, as in 2022, or left out, as in "
              "2021", choices=("group", "out")),
    Parameter("several", "split", "an article of several genders is split between them, or counts whole for each",
              choices=("split", "whole")),
    count("k", 500, "how deep lists are read", high=MAX_CUTOFF, names="k"),
    count("ideal", None, "relevant articles in the best list of nDCG (default: K)", high=MAX_CUTOFF),
)  # fmt: skip
