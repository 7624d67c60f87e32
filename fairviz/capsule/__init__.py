"""A capsule: one zip with the questions, their inputs and their results, and its replay.

May import evaluation, datasets, figures and what lies below them, and its neighbour plot.
"""

from fairviz.capsule.packing import FORMAT, capsule
from fairviz.capsule.reading import Capsule, read_capsule
from fairviz.capsule.replaying import Replay, replay

__all__ = ["FORMAT", "Capsule", "Replay", "capsule", "read_capsule", "replay"]
