"""Whose labels count where somebody is named, and where nobody is."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.consensus import CONSENSUSES, consensus
from fairviz.annotation.electorate import annotator_names, by_hand, electorate
from fairviz.errors import FairvizError
from fairviz.study.study import Study


def counted_annotator(study: Study, named: str = "") -> str:
    """The annotator whose labels count: the named one, else the study's, else the only one, else the majority of
    those that are neither rule nor model. Decisions of a reader count where they are chosen, and by default only in a
    study that has nothing else. Empty for a study without labels. Raises FairvizError for an unknown name."""
    names = annotator_names(study)
    wanted = named or study.annotator
    if wanted and wanted not in (*names, *CONSENSUSES, ADJUDICATED) and names:
        raise FairvizError(
            f"the study {study.name!r} has no annotator {wanted!r}",
            f"Use one of {', '.join([*names, *CONSENSUSES])}.",
        )
    if wanted or not names:
        return wanted if names else ""
    return _by_default(study)


def default_annotator(study: Study) -> str:
    """Whose labels count where nobody is chosen: the annotator that the study names, else as counted_annotator."""
    return study.annotator or _by_default(study)


def is_consensus(study: Study, annotator: str) -> bool:
    """Whether this is a consensus, and no annotator of the study who is called so."""
    return annotator in CONSENSUSES and annotator not in annotator_names(study)


def _by_default(study: Study) -> str:
    names = annotator_names(study)
    given = [name for name in names if name != ADJUDICATED] or list(names)
    if len(given) < 2:
        return given[0] if given else ""
    return "majority" if any(by_hand(study, name) for name in given) else given[0]


def labels_of(study: Study, annotator: str, voters: Sequence[str] | None = None) -> pd.DataFrame:
    """The labels of one annotator or consensus: doc_id, annotator, label, one row a document.

    `adjudicated` is what a reader decided, and for documents not decided what counts in the study by default. voters:
    whose consensus it is, the study's electorate unless named.
    """
    if annotator == ADJUDICATED:
        return _with_decisions(study, voters)
    if is_consensus(study, annotator):
        return consensus(study.labels, annotator, electorate(study) if voters is None else voters)
    return study.labels[study.labels["annotator"] == annotator]


def _with_decisions(study: Study, voters: Sequence[str] | None) -> pd.DataFrame:
    decided = study.labels[study.labels["annotator"] == ADJUDICATED]
    default = default_annotator(study)
    if default in ("", ADJUDICATED):
        return decided
    others = labels_of(study, default, voters)
    kept = others[~others["doc_id"].isin(decided["doc_id"])]
    return pd.concat([decided, kept], ignore_index=True).assign(annotator=ADJUDICATED).astype({"annotator": "str"})
