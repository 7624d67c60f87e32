"""Who gave labels, what they are, and whose labels vote: one answer for consensuses, uncertainty and noise."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import TEST_LABEL
from fairviz.annotation.consensus import quality_control
from fairviz.errors import FairvizError
from fairviz.study.study import Study

_NAMES: WeakKeyDictionary[Study, tuple[str, ...]] = WeakKeyDictionary()
_FAILED: WeakKeyDictionary[Study, frozenset[str]] = WeakKeyDictionary()
MOST_NAMED = 20
SAID = {
    "person": "people",
    "model": "language model",
    "rule": "rule",
    "mixed": "language model and reader",
    "": "kind not named",
}


def annotator_names(study: Study) -> tuple[str, ...]:
    """The annotators who gave labels, in order of appearance; looked up once, for every key of a cache asks it."""
    if study not in _NAMES:
        _NAMES[study] = tuple(study.labels["annotator"].drop_duplicates())
    return _NAMES[study]


def electorate(
    study: Study, annotators: Sequence[str] | None = None, *, everyone: bool = False
) -> tuple[str, ...]:  # fmt: skip
    """The annotators whose labels vote, in order of appearance.

    Where a person gave labels, alone or together with a language model (`person`, `mixed`, or a kind that the study
    does not name), these vote and nobody else: two word lists do not outvote a reader. Where nobody did, all models
    and rules vote. A reader's decisions (`adjudicated`) never do, for they are made on the others' labels. Who fails
    more than 20 % of the test questions drops out, unless `everyone` is kept. annotators: these alone, whatever they
    are. Empty where nobody is left. Raises FairvizError for a name that gave no label, and for `adjudicated`.
    """
    given = [name for name in annotator_names(study) if name != ADJUDICATED]
    if annotators is None:
        voters = tuple(name for name in given if by_hand(study, name)) or tuple(given)
    else:
        _check(study, annotators)
        voters = tuple(annotators)
    return voters if everyone else tuple(name for name in voters if name not in _failed(study))


def by_hand(study: Study, name: str) -> bool:
    """Whether a person had a hand in the annotator's labels; taken for granted where the study does not say."""
    return kind_of(study, name) not in ("rule", "model")


def kind_of(study: Study, name: str) -> str:
    """`person`, `model`, `rule` or `mixed`, as the study names it; empty where it does not."""
    return study.annotators[name].kind if name in study.annotators else ""


def _failed(study: Study) -> frozenset[str]:
    """Who fails the test questions; looked up once a study."""
    if study not in _FAILED:
        asked = TEST_LABEL in study.labels
        _FAILED[study] = frozenset(quality_control(study.labels).dropped if asked else ())
    return _FAILED[study]


def _check(study: Study, annotators: Sequence[str]) -> None:
    known = annotator_names(study)
    for place, name in enumerate(annotators):
        if name in annotators[:place]:
            raise FairvizError(f"{name} is named twice", "Name it once.")
        if name == ADJUDICATED:
            raise FairvizError(
                f"{ADJUDICATED!r} cannot vote: a reader's decisions are made on the others' labels",
                f"Leave {ADJUDICATED} out of the annotators.",
            )
        if name not in known:
            more = f" and {len(known) - MOST_NAMED:,} more" if len(known) > MOST_NAMED else ""
            raise FairvizError(
                f"the study {study.name!r} has no annotator {name!r}",
                f"Use one of {', '.join(known[:MOST_NAMED])}{more}.",
            )
