"""Effects of labels on measures: of single labels, of label noise, and of annotators.

May import what analyses may.
"""

from fairviz.analyses.label_effects.bounds import label_bounds
from fairviz.analyses.label_effects.flips import Flips, fewest_flips
from fairviz.analyses.label_effects.label_effects import label_effects
from fairviz.analyses.label_effects.noise import label_noise, leave_one_annotator_out
from fairviz.analyses.label_effects.what_if import what_if

__all__ = [
    "Flips",
    "fewest_flips",
    "label_bounds",
    "label_effects",
    "label_noise",
    "leave_one_annotator_out",
    "what_if",
]
