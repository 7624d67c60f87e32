"""What fairviz.evaluation.finding makes, under the name that pages use; reports read it there too."""

from fairviz.evaluation.finding import REASONS as REASONS
from fairviz.evaluation.finding import disagreement as disagreement
from fairviz.evaluation.finding import source_note as source_note
from fairviz.evaluation.finding import undefined_note as undefined_note
