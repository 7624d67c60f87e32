"""Effects of labels on measures: of single labels, of label noise, and of annotators.

May import evaluation, datasets, figures and what lies below them, and its neighbours validity and inspection.
"""

from fairviz.effects.bounds import label_bounds
from fairviz.effects.flips import Flips, fewest_flips
from fairviz.effects.label_effects import label_effects
from fairviz.effects.noise import label_noise, leave_one_annotator_out
from fairviz.effects.what_if import what_if

__all__ = [
    "Flips",
    "fewest_flips",
    "label_bounds",
    "label_effects",
    "label_noise",
    "leave_one_annotator_out",
    "what_if",
]
