"""What fairviz.evaluation.questions makes, under the name that pages use; reports read it there too."""

from fairviz.evaluation.questions import MAIN as MAIN
from fairviz.evaluation.questions import Asked as Asked
from fairviz.evaluation.questions import asked as asked
from fairviz.evaluation.questions import effective as effective
from fairviz.evaluation.questions import effectiveness_text as effectiveness_text
from fairviz.evaluation.questions import fairness_texts as fairness_texts
from fairviz.evaluation.questions import headline as headline
from fairviz.evaluation.questions import overview_texts as overview_texts
from fairviz.evaluation.questions import tradeoff as tradeoff
