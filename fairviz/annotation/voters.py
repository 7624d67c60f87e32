"""Annotators of a study, their kinds, the voters and their votes: one definition for everything that counts votes.

Majority, Dawid and Skene's model, counts of disagreement, entropy, ties, disputed lists, coefficients of agreement and
draws of label noise all read `voting_labels`, as a table or as the arrays of `votes_of`.
"""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import Votes, ordinary, read_votes
from fairviz.annotation.consensus import quality_control
from fairviz.errors import FairvizError
from fairviz.study.loaders.labels import TEST_LABEL
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed

PEOPLE, ALL_BUT_RULES, ALL = "people", "all but rules", "all"
GROUPS = (PEOPLE, ALL_BUT_RULES, ALL)  # of voters; the default is the first of them with an annotator
MOST_NAMED = 20
PHRASES = {
    "person": "people",
    "model": "language model",
    "rule": "rule",
    "mixed": "model with a reader",
    "": "kind not named",
}
_NAMES: WeakKeyDictionary[Study, tuple[str, ...]] = WeakKeyDictionary()
_FAILED: WeakKeyDictionary[Study, frozenset[str]] = WeakKeyDictionary()
_VOTES: WeakKeyDictionary[Study, dict[tuple[str, ...], Votes]] = WeakKeyDictionary()


def annotator_names(study: Study) -> tuple[str, ...]:
    """Return the annotators of the study's labels, in order of appearance; cached, since cache keys use it."""
    if study not in _NAMES:
        _NAMES[study] = tuple(study.labels["annotator"].drop_duplicates())
    return _NAMES[study]


def kind_of(study: Study, name: str) -> str:
    """Return `person`, `model`, `rule` or `mixed` as declared; empty where the study names no kind."""
    return study.annotators[name].kind if name in study.annotators else ""


def is_person(study: Study, name: str) -> bool:
    """Return whether the annotator is declared to be a person; an unknown kind is no person."""
    return kind_of(study, name) == "person"


def is_machine(study: Study, name: str) -> bool:
    """Return whether the annotator is declared to be a rule or a model alone; an unknown kind may be a person."""
    return kind_of(study, name) in ("rule", "model")


def voter_groups(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the members of each of GROUPS, in order of appearance; adjudications, and labels stored next to a built-in
    study, are in none."""
    beside = {name for name, who in study.annotators.items() if not who.votes}
    names = [name for name in annotator_names(study) if name != ADJUDICATED and name not in beside]
    return {
        PEOPLE: tuple(name for name in names if is_person(study, name)),
        ALL_BUT_RULES: tuple(name for name in names if kind_of(study, name) != "rule"),
        ALL: tuple(names),
    }


def default_group(study: Study) -> str:
    """Return the group that votes by default: the first of GROUPS with an annotator."""
    groups = voter_groups(study)
    return next((name for name in GROUPS if groups[name]), ALL)


def voters_of(study: Study, voters: Sequence[str] = (), *, everyone: bool = False) -> tuple[str, ...]:
    """Return the annotators whose labels vote, in order of appearance, or as they are named.

    voters: as in `Settings.voters`, one of GROUPS or names; empty for the default group. An annotator of the study with
    the name of a group is meant before the group. Adjudications never vote, since they are made on the others' labels.
    Annotators who fail more than 20 % of the test questions are left out, unless `everyone`. Raises FairvizError for a
    name without labels, for `adjudicated`, and for a name given twice.
    """
    named = tuple(voters) or (default_group(study),)
    if len(named) == 1 and named[0] in GROUPS and (not voters or named[0] not in annotator_names(study)):
        named = voter_groups(study)[named[0]]
    else:
        _check(study, named)
    if everyone or not named:
        return named
    if study not in _FAILED:
        has_tests = TEST_LABEL in study.labels
        _FAILED[study] = frozenset(quality_control(study.labels).dropped if has_tests else ())
    return tuple(name for name in named if name not in _FAILED[study])


def voting_labels(
    study: Study, voters: Sequence[str] = (), *, everyone: bool = False, labels: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the labels that vote: the rows of the voters, without answers to test questions and without labels that
    were given with a suggestion in view.

    A study has one label of an annotator for a document, so that a repeated answer does not vote twice. labels: the
    study's labels if some were left out or merged. voters, everyone: see `voters_of`, with its errors.
    """
    table = ordinary(study.labels if labels is None else labels)
    return table[table["annotator"].isin(voters_of(study, voters, everyone=everyone))]


def votes_of(study: Study, voters: Sequence[str] = ()) -> Votes:
    """Return the votes of `voting_labels` as arrays, with every voter in `annotators`; cached.

    labels of the votes: neutral and the groups, else those of the study, sorted.

    >>> from fairviz import open_study
    >>> votes = votes_of(open_study("newswire"), ["lexicon", "mentions"])
    >>> votes.annotators, int(votes.is_disputed.sum()), int(votes.is_shared.sum())
    (('lexicon', 'mentions'), 52, 343)
    """
    names = voters_of(study, voters)
    votes_by_names = _VOTES.setdefault(study, {})
    if names not in votes_by_names:
        domain = (study.neutral, *study.groups) if study.label_kind == "gender" else ()
        votes_by_names[names] = read_votes(voting_labels(study, voters), domain, names)
    return votes_by_names[names]


def _check(study: Study, voters: Sequence[str]) -> None:
    names = annotator_names(study)
    for place, name in enumerate(voters):
        if name in voters[:place]:
            raise FairvizError(f"{name} is named twice", "Name it once.")
        if name == ADJUDICATED:
            raise FairvizError(
                f"{ADJUDICATED!r} cannot vote: a reader's decisions are made on the others' labels",
                f"Leave {ADJUDICATED} out of the voters.",
            )
        if name not in names:
            raise FairvizError(
                f"the study {study.name!r} has no annotator {name!r}",
                f"Use {', '.join(GROUPS)}, or names among {first_listed(names, MOST_NAMED)}.",
            )
