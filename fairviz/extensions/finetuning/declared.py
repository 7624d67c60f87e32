"""The parameters of `mend`, `fairviz finetuning` and its page; see `fairviz.declared`."""

from fairviz.declared import count, seed, table
from fairviz.parameters import Parameter

FINETUNING = table(
    count("rank", 4, "of the weights added", high=64),
    Parameter("strength", 1.0, "of the aim beside what keeps other scores; 0 changes nothing", high=1000, names="x"),
    count("steps", 40, "of training", high=10_000),
    Parameter("minutes", None, "a limit of time, which ends the training with steps left; the name then carries the "
              "steps done (default: no limit)", high=24 * 60, above=True, optional=True, names="x"),
    seed("of split, weights and order"),
)  # fmt: skip
