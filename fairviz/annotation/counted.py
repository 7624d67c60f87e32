"""The annotator whose labels count, named or by default."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.consensus import CONSENSUSES, consensus
from fairviz.annotation.voters import annotator_names, by_hand, voters_of
from fairviz.errors import FairvizError, use_one_of
from fairviz.normal_form import normal_form
from fairviz.study.record import Study


def counted_annotator(study: Study, named: str = "") -> str:
    """Return the annotator whose labels count: the named one, else the study's, else the only one, else the majority of
    those that are neither rule nor model. Adjudications count where they are named, and by default only in a study
    without other labels. Empty for a study without labels. Raises FairvizError for an unknown name."""
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


def _by_default(study: Study) -> str:
    names = annotator_names(study)
    annotators = [name for name in names if name != ADJUDICATED] or list(names)
    if len(annotators) < 2:
        return annotators[0] if annotators else ""
    return "majority" if any(by_hand(study, name) for name in annotators) else annotators[0]


def labels_of(study: Study, annotator: str, voters: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the labels of one annotator or consensus: doc_id, annotator, label, one row for each document.

    `adjudicated`: the decisions, and the default annotator's labels of undecided documents. voters: the annotators of
    the consensus (default: the study's voters).
    """
    if annotator == ADJUDICATED:
        return _with_decisions(study, voters)
    if is_consensus(study, annotator):
        return consensus(study.labels, annotator, voters_of(study) if voters is None else voters)
    return study.labels[study.labels["annotator"] == annotator]


def _with_decisions(study: Study, voters: Sequence[str] | None) -> pd.DataFrame:
    decided = study.labels[study.labels["annotator"] == ADJUDICATED]
    default = default_annotator(study)
    if default in ("", ADJUDICATED):
        return decided
    others = labels_of(study, default, voters)
    undecided = others[~others["doc_id"].isin(decided["doc_id"])]
    return pd.concat([decided, undecided], ignore_index=True).assign(annotator=ADJUDICATED).astype({"annotator": "str"})
