"""FV113: whether several annotators labelled, and agree."""

import numpy as np

from fairviz.annotation.agreement.coefficients import krippendorff_alpha, tally
from fairviz.annotation.voters import is_consensus
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.words.sentences import counted, significant

LEAST = 0.4  # of Krippendorff's alpha


def _run(context: Context) -> Finding | None:
    votes = context.votes
    shared = int(votes.is_shared.sum())
    if len(votes.annotators) == 1:
        return Finding(
            f"{votes.annotators[0]} alone labelled, rules apart: how far another annotator would agree is unknown, and "
            "so is whether a conclusion is about the documents or about one reader.",
            {"annotators": 1, "documents": len(votes.doc_ids)},
            "Let a second annotator label some of the same documents: fairviz study-form, or Annotate.",
            Link("agreement"),
        )
    if not shared:
        return Finding(
            "No document has labels of two of the voters: how far they agree is unknown.",
            {"annotators": len(votes.annotators), "documents with two labels": 0},
            "Let annotators label some of the same documents, or name other voters (--voters).",
            Link("agreement"),
        )
    patterns, multiplicity = np.unique(votes.counts, axis=0, return_counts=True)
    alpha = float(krippendorff_alpha(tally(patterns, multiplicity[None]))[0])
    if np.isnan(alpha) or alpha >= LEAST:
        return None
    whose = "the consensus" if is_consensus(context.study, context.annotator) else context.annotator
    return Finding(
        f"{counted(len(votes.annotators), 'voter')} agree little (Krippendorff's alpha {significant(alpha, 2)} over "
        f"{counted(shared, 'document')}): {whose}'s labels are one reading among several.",
        {"alpha": alpha, "documents with two labels": shared},
        "See on Label effects and What if whether a conclusion holds under each annotator, and have disputed documents "
        "decided on Read.",
        Link("agreement"),
    )


AGREEMENT = Check(
    "FV113",
    "one annotator, or little agreement",
    "Do several annotators agree?",
    ("runs", "labels"),
    "issue",
    _run,
    means="One annotator labelled, no document has labels of two voters, or Krippendorff's alpha of the voters is "
    "below .4. Then another annotator could give other labels, and with them another conclusion.",
    harmless="Labels follow from how the documents were made (as in Grep-BiasIR), or the same systems lead under each "
    "annotator alone.",
    advice="Let two annotators or more label the same documents, mend the guideline where they differ (Read), and "
    "report the conclusion under each of them.",
)
