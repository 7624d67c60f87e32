"""A capsule: one zip that holds what was asked, of what, and what came out; and asking the same again.

May import evaluation, datasets, figures and what lies below them, and its neighbour plot.
"""

from fairviz.capsule.packing import FORMAT, capsule
from fairviz.capsule.reading import Capsule, read_capsule
from fairviz.capsule.replaying import Replay, replay

__all__ = ["FORMAT", "Capsule", "Replay", "capsule", "read_capsule", "replay"]
