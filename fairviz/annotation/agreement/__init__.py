"""Agreement of annotators: coefficients of all annotators, of pairs, and the documents on which they disagree.

Every function takes a labels table (doc_id, annotator, label) with any holes. Rows with a right answer in the column
`test_label` are answers to test questions, used by records only. Every interval is a percentile bootstrap, seeded, of
documents, or of queries with all their documents. Documents with equal votes contribute equally to these coefficients,
so a resample is a draw of the frequencies of the patterns of votes, and a coefficient of all resamples is a few matrix
products.

May import what annotation may.
"""

from fairviz.annotation.agreement.coefficients import (
    COEFFICIENTS,
    DOCUMENTS,
    QUERIES,
    accuracy,
    cohen_kappa,
    drawn,
    overall,
    queries_of,
)
from fairviz.annotation.agreement.pairs import COMMON, against, confusions, consensus_beside, pairwise
from fairviz.annotation.agreement.votes import (
    Votes,
    confused,
    count_texts,
    disagreements,
    entropy,
    free_name,
    label_counts,
    left_out_text,
    majority,
    ordinary,
    read_votes,
    records,
    with_themselves,
    within,
)
from fairviz.study.loaders.labels import LABEL_AGAIN, TEST_LABEL

__all__ = [
    "COEFFICIENTS",
    "COMMON",
    "DOCUMENTS",
    "LABEL_AGAIN",
    "QUERIES",
    "TEST_LABEL",
    "Votes",
    "accuracy",
    "against",
    "cohen_kappa",
    "confused",
    "confusions",
    "consensus_beside",
    "count_texts",
    "disagreements",
    "drawn",
    "entropy",
    "free_name",
    "label_counts",
    "left_out_text",
    "majority",
    "ordinary",
    "overall",
    "pairwise",
    "queries_of",
    "read_votes",
    "records",
    "with_themselves",
    "within",
]
