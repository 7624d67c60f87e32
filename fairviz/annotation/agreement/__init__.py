"""How far annotators agree: coefficients over all of them, pairs, one against another, and where they do not.

Everything takes a labels table (doc_id, annotator, label) with any holes: nobody needs to have seen every document.
Rows whose column `test_label` holds a right answer are answers to test questions, and count in records alone.
Every interval is a percentile bootstrap over documents drawn with replacement, seeded. Documents whose votes are alike
cannot be told apart by any of these coefficients, so a resample is one draw of how often each pattern of votes comes,
and a coefficient of all resamples is a few matrix products.

May import what annotation may.
"""

from fairviz.annotation.agreement.coefficients import COEFFICIENTS, accuracy, cohen_kappa
from fairviz.annotation.agreement.known_answers import ordinary, right_answers, told_left_out
from fairviz.annotation.agreement.overall import overall
from fairviz.annotation.agreement.pairs import COMMON, against, confusions, pairwise
from fairviz.annotation.agreement.records import TEST_LABEL, confused, disagreements, records
from fairviz.annotation.agreement.votes import Votes, counted, entropy, free_name, majority, read_votes, told, within

__all__ = [
    "COEFFICIENTS",
    "COMMON",
    "TEST_LABEL",
    "Votes",
    "accuracy",
    "against",
    "cohen_kappa",
    "confused",
    "confusions",
    "counted",
    "disagreements",
    "entropy",
    "free_name",
    "majority",
    "ordinary",
    "overall",
    "pairwise",
    "read_votes",
    "records",
    "right_answers",
    "told",
    "told_left_out",
    "within",
]
