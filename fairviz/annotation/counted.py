"""The annotator whose labels count, named or by default."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import consensus_beside
from fairviz.annotation.consensus import CONSENSUSES, consensus
from fairviz.annotation.voters import annotator_names, is_machine, voters_of, voting_labels
from fairviz.errors import FairvizError, use_one_of
from fairviz.normal_form import normal_form
from fairviz.study.record import Study


def counted_annotator(study: Study, named: str = "") -> str:
    """Return the annotator whose labels count: the named one, else the study's, else the only one, else the majority of
    the voters, where not all are rules and models. Adjudications count where they are named, and by default only in a
    study without other labels. Empty for a study without labels. Raises FairvizError for an unknown name."""
    names = annotator_names(study)
    annotator = normal_form(named) or study.annotator
    if annotator and annotator not in (*names, *CONSENSUSES, ADJUDICATED) and names:
        raise FairvizError(
            f"the study {study.name!r} has no annotator {annotator!r}",
            use_one_of([*names, *CONSENSUSES], annotator),
        )
    if annotator or not names:
        return annotator if names else ""
    return _by_default(study)


def default_annotator(study: Study) -> str:
    """Return the default annotator: the one that the study names, else as counted_annotator."""
    return study.annotator or _by_default(study)


def is_consensus(study: Study, annotator: str) -> bool:
    """Return whether this is a consensus, and not an annotator of the study with that name."""
    return annotator in CONSENSUSES and annotator not in annotator_names(study)


def members_of(study: Study, annotator: str, voters: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the annotators that give these labels: the voters of a consensus, else the annotator alone."""
    return voters_of(study, voters) if is_consensus(study, annotator) else (annotator,)


def _by_default(study: Study) -> str:
    names = annotator_names(study)
    annotators = [name for name in names if name != ADJUDICATED] or list(names)
    if len(annotators) < 2:
        return annotators[0] if annotators else ""
    return annotators[0] if all(is_machine(study, name) for name in annotators) else "majority"


def labels_beside(study: Study, reference: str, name: str, voters: Sequence[str] = ()) -> pd.DataFrame:
    """Return the reference's labels to compare an annotator with: of a consensus, that of the other voters, for
    documents with two of their labels or more; of two voters, each is compared with the other. Else as `labels_of`."""
    if reference == ADJUDICATED and (default := default_annotator(study)) not in ("", ADJUDICATED):
        return _with_decisions(study, labels_beside(study, default, name, voters))
    if not is_consensus(study, reference):
        return labels_of(study, reference, voters)
    return consensus_beside(voting_labels(study, voters), reference, voters_of(study, voters), name)


def labels_of(study: Study, annotator: str, voters: Sequence[str] = ()) -> pd.DataFrame:
    """Return the labels of one annotator or consensus: doc_id, annotator, label, one row for each document.

    `adjudicated`: the decisions, and the default annotator's labels of undecided documents. voters: of a consensus, as
    in `Settings.voters`.
    """
    if annotator == ADJUDICATED:
        default = default_annotator(study)
        if default in ("", ADJUDICATED):
            return study.labels[study.labels["annotator"] == ADJUDICATED]
        return _with_decisions(study, labels_of(study, default, voters))
    if is_consensus(study, annotator):
        return consensus(voting_labels(study, voters), annotator)
    return study.labels[study.labels["annotator"] == annotator]


def _with_decisions(study: Study, others: pd.DataFrame) -> pd.DataFrame:
    decided = study.labels[study.labels["annotator"] == ADJUDICATED]
    undecided = others[~others["doc_id"].isin(decided["doc_id"])]
    joined = pd.concat([decided, undecided], ignore_index=True).assign(annotator=ADJUDICATED)
    return joined.astype({"annotator": "str"})
