"""Validity of genderedness and GSR (GSR paper, sections 3.2.1, 3.5, 4.2.3 to 4.2.5).

permutation: tests of known stereotypes in lists of words. reliability: agreement of other word vectors. parity: GSR
against the share of stereotypical documents. direct: gendered queries against the people that documents mention.
debiasing: effect of removing the gender direction from a ranker's vectors.

May import what analyses may.
"""

from fairviz.analyses.gsr_validity.debiasing import DebiasedComparison, compare_debiased, list_distances
from fairviz.analyses.gsr_validity.direct import by_genderedness, by_leaning, direct_stereotypes
from fairviz.analyses.gsr_validity.parity import Parity, parity_agreement
from fairviz.analyses.gsr_validity.permutation import (
    PermutationTest,
    WordListTest,
    permutation_test,
    word_list_test,
    word_list_tests,
)
from fairviz.analyses.gsr_validity.reliability import Reliability, compared, reliability

__all__ = [
    "DebiasedComparison",
    "Parity",
    "PermutationTest",
    "Reliability",
    "WordListTest",
    "by_genderedness",
    "by_leaning",
    "compare_debiased",
    "compared",
    "direct_stereotypes",
    "list_distances",
    "parity_agreement",
    "permutation_test",
    "reliability",
    "word_list_test",
    "word_list_tests",
]
