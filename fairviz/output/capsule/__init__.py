"""A capsule: one zip with the questions, their inputs and their results, and its replay.

May import what output may.
"""

from fairviz.output.capsule.packing import FORMAT, capsule
from fairviz.output.capsule.reading import Capsule, Replay, open_capsule, read_capsule, replay

__all__ = ["FORMAT", "Capsule", "Replay", "capsule", "open_capsule", "read_capsule", "replay"]
