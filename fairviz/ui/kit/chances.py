"""What fairviz.evaluation.chances makes, under the name that pages use; reports read it there too."""

from fairviz.evaluation.chances import MOST_NAMES as MOST_NAMES
from fairviz.evaluation.chances import chance as chance
from fairviz.evaluation.chances import joined as joined
from fairviz.evaluation.chances import listed as listed
from fairviz.evaluation.chances import naming as naming
from fairviz.evaluation.chances import signed as signed
