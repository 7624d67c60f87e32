"""The parameters of `answers` and `fairviz answers`; see `fairviz.declared`."""

from fairviz.declared import table
from fairviz.parameters import Parameter

ANSWERS = table(
    Parameter("attention", "rank", "position bias by rank, the same for each, or the number of citing sentences",
              choices=("rank", "equal", "count")),
)  # fmt: skip
