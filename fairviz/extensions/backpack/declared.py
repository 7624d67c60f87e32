"""The parameters of the ranker `backpack`, `fairviz train-backpack` and `fairviz senses`; see `fairviz.declared`."""

from fairviz.declared import MOST, count, seed, table
from fairviz.parameters import Parameter

WEIGHT, COUNT = 1.0, 2.0  # of the senses that carry most gender
HIGHEST = 2.0
SENSITIVE, PLACEBO, GRADED = "sensitive", "placebo", "graded"
POLICIES = {
    SENSITIVE: "the senses of lowest sensitivity score, which carry most gender, get the weight (the paper's)",
    PLACEBO: "as many senses of the highest score, which carry least, get it",
    GRADED: "each sense gets a weight between 1 and it, the more the more gender it carries",
}
BACKPACK = table(
    count("senses", 8, "vectors a word", 2, 64),
    Parameter("minutes", 5.0, "stop after M minutes", high=MOST, above=True, names="m"),
    seed("of weights and order"),
)
SENSES = table(count("nearest", 5, "words a sense", high=50))
