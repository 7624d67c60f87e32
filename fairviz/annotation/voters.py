"""Annotators of a study, their kinds, and the voters, shared by consensuses, uncertainty and noise."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import TEST_LABEL
from fairviz.annotation.consensus import quality_control
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed

_NAMES: WeakKeyDictionary[Study, tuple[str, ...]] = WeakKeyDictionary()
_FAILED: WeakKeyDictionary[Study, frozenset[str]] = WeakKeyDictionary()
MOST_NAMED = 20
PHRASES = {
    "person": "people",
    "model": "language model",
    "rule": "rule",
    "mixed": "language model and reader",
    "": "kind not named",
}


def annotator_names(study: Study) -> tuple[str, ...]:
    """Return the annotators of the study's labels, in order of appearance; cached, since cache keys use it."""
    if study not in _NAMES:
        _NAMES[study] = tuple(study.labels["annotator"].drop_duplicates())
    return _NAMES[study]


def voters_of(
    study: Study, annotators: Sequence[str] | None = None, *, everyone: bool = False
) -> tuple[str, ...]:  # fmt: skip
    """Return the annotators whose labels vote, in order of appearance.

    Where a person gave labels, alone or together with a language model (`person`, `mixed`, or a kind that the study
    does not name), only persons vote: two word lists do not outvote a reader. Else all models and rules vote.
    Adjudications never vote, since they are made on the others' labels. Annotators who fail more than 20 % of the test
    questions are left out, unless `everyone`. annotators: only these, of any kind. Raises FairvizError for a name
    without labels, and for `adjudicated`.
    """
    names = [name for name in annotator_names(study) if name != ADJUDICATED]
    if annotators is None:
        voters = tuple(name for name in names if by_hand(study, name)) or tuple(names)
    else:
        _check(study, annotators)
        voters = tuple(annotators)
    return voters if everyone else tuple(name for name in voters if name not in _failed(study))


def by_hand(study: Study, name: str) -> bool:
    """Return whether the labels are not only by a rule or a model; True where the study names no kind."""
    return kind_of(study, name) not in ("rule", "model")


def kind_of(study: Study, name: str) -> str:
    """Return `person`, `model`, `rule` or `mixed`; empty where the study names no kind."""
    return study.annotators[name].kind if name in study.annotators else ""


def _failed(study: Study) -> frozenset[str]:
    """Return the annotators who fail the test questions; cached by study."""
    if study not in _FAILED:
        has_tests = TEST_LABEL in study.labels
        _FAILED[study] = frozenset(quality_control(study.labels).dropped if has_tests else ())
    return _FAILED[study]


def _check(study: Study, annotators: Sequence[str]) -> None:
    names = annotator_names(study)
    for place, name in enumerate(annotators):
        if name in annotators[:place]:
            raise FairvizError(f"{name} is named twice", "Name it once.")
        if name == ADJUDICATED:
            raise FairvizError(
                f"{ADJUDICATED!r} cannot vote: a reader's decisions are made on the others' labels",
                f"Leave {ADJUDICATED} out of the annotators.",
            )
        if name not in names:
            raise FairvizError(
                f"the study {study.name!r} has no annotator {name!r}",
                f"Use one of {first_listed(names, MOST_NAMED)}.",
            )
