"""The parameters of `fairviz train-backpack` and `fairviz senses`; see `fairviz.declared`."""

from fairviz.declared import MOST, count, seed, table
from fairviz.parameters import Parameter

BACKPACK = table(
    count("senses", 8, "vectors a word", 2, 64),
    Parameter("minutes", 5.0, "stop after M minutes", high=MOST, above=True, names="m"),
    seed("of weights and order"),
)
SENSES = table(count("nearest", 5, "words a sense", high=50))
