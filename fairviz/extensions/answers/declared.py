"""The parameters of `answers` and `fairviz answers`; see `fairviz.declared`."""

from fairviz.parameters import Parameter

ATTENTION = ("rank", "equal", "count")
ANSWERS = (
    Parameter("attention", "rank", "position bias by rank, the same for each, or the number of citing sentences",
              choices=ATTENTION),
)  # fmt: skip
