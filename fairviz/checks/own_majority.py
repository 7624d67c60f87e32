"""FV114: whether an annotator of the study is the majority of others beside whom it counts."""

import re

import numpy as np

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import majority
from fairviz.annotation.voters import votes_of
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.study.record import Annotator
from fairviz.words.sentences import counted, first_listed, percent

MOST_NAMED = 4
FEWEST = 20  # documents with different votes, all decided as by the majority, that tell a majority by its labels alone
COVERED = 0.95  # share of the documents with a majority that an annotator made of it labels
SAME = 0.95  # share of these that one called a majority labels as the others' majority does
_CALLED = re.compile(r"(?<![a-z])(majorit|consensus|aggregat|dawid|vote\+)")


def _run(context: Context) -> Finding | None:
    study, voters = context.study, context.votes.annotators
    counted_one = [name for name in context.labellers if name not in (*voters, ADJUDICATED)]
    votes = votes_of(study, (*voters, *counted_one)) if counted_one else context.votes
    is_vote = votes.annotator < len(voters)
    for place, name in enumerate(votes.annotators):
        others = [voter for voter in voters if voter != name]
        if len(others) < 2:
            continue
        is_own = votes.annotator == place
        own = np.full(len(votes.doc_ids), -1)
        own[votes.document[is_own]] = votes.label[is_own]
        counts = votes.at(is_vote & ~is_own).counts
        winners = np.where(counts.sum(axis=1) > 1, majority(counts), -1)
        is_both = (winners >= 0) & (own >= 0)
        documents, disputed = int(is_both.sum()), int((is_both & ((counts > 0).sum(axis=1) > 1)).sum())
        if not disputed or documents < COVERED * (winners >= 0).sum():
            continue
        same = float((own == winners)[is_both].mean())
        who = study.annotators.get(name, Annotator(name))
        is_called = bool(_CALLED.search(f"{name} {who.description}".lower()))
        if same < (SAME if is_called else 1) or (not is_called and disputed < FEWEST):
            continue
        effect = (
            "Beside them it is no further opinion, and agreement looks larger than it is."
            if name in voters
            else "Who is compared with it meets his own vote there, and looks more accurate than he is."
        )
        return Finding(
            f"{name} has the label of the majority of {first_listed(others, MOST_NAMED)} in {percent(same)} of "
            f"{counted(documents, 'document')}, so it seems made of theirs. {effect}",
            {"same labels": same, "documents": documents, "documents with different votes": disputed},
            f"Take {name} out of the voters (--voters) and let majority count (--annotator majority): each annotator "
            "is then compared with the majority of the others.",
            Link("agreement"),
        )
    return None


OWN_MAJORITY = Check(
    "FV114",
    "an annotator is compared with a majority that contains him",
    "Are annotators compared with labels that are not made of their own?",
    ("several annotators",),
    "issue",
    _run,
    means="An annotator in the label files is the majority of the other voters: it is called a majority or consensus "
    f"and has at least {percent(SAME)} of their majority's labels, or it has all of them, in {FEWEST} documents or "
    "more on which they differ. Beside those it was made of it is no further opinion: coefficients of agreement rise, "
    "and the accuracy of each against it counts his own vote.",
    harmless="The labels were given without sight of the others' and agree with their majority all the same.",
    advice="Leave these labels out of the file, or out of the voters and as the annotator that counts. The program "
    "makes the majority itself, and leaves each annotator out of the one that he is compared with.",
)
