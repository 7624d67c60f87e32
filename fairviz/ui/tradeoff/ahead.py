"""What fairviz.evaluation.ahead makes, under the name that pages use; reports read it there too."""

from fairviz.evaluation.ahead import CORRECTIONS as CORRECTIONS
from fairviz.evaluation.ahead import NOT_FOR as NOT_FOR
from fairviz.evaluation.ahead import NOTHING_TESTED as NOTHING_TESTED
from fairviz.evaluation.ahead import TESTS as TESTS
from fairviz.evaluation.ahead import Standing as Standing
from fairviz.evaluation.ahead import alike as alike
from fairviz.evaluation.ahead import clauses as clauses
from fairviz.evaluation.ahead import family_note as family_note
from fairviz.evaluation.ahead import family_text as family_text
from fairviz.evaluation.ahead import lead as lead
from fairviz.evaluation.ahead import standings as standings
from fairviz.evaluation.ahead import stars_note as stars_note
from fairviz.evaluation.ahead import systems_of as systems_of
