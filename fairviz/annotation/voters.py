"""Annotators of a study, their kinds, the voters and their votes: one definition for everything that counts votes; the
consensus of votes, the annotator whose labels count, and labels next to built-in and fetched studies.

Majority, Dawid and Skene's model, counts of disagreement, entropy, ties, disputed lists, coefficients of agreement and
draws of label noise all read `voting_labels`, as a table or as the arrays of `votes_of`.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import Votes, consensus_beside, count_texts, ordinary, read_votes, records
from fairviz.annotation.agreement.votes import Fit, fit
from fairviz.declared import CONSENSUS
from fairviz.errors import FairvizError, use_one_of
from fairviz.home import BUILTIN, DATA
from fairviz.normal_form import normal_form
from fairviz.study.loaders.labels import TEST_LABEL
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, open_study_folder
from fairviz.words.sentences import first_listed

CONSENSUSES = tuple(CONSENSUS["method"].choices)
MOST_FAILED = 0.2
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
FOLDER = DATA / "alongside"
TEXTS = {  # hashes of the labelled documents of fetched studies
    "grep-biasir": "6b00da867d5160bdd997514dba4d228fedf9535328cf65a5905475b4631d8c21",
}
_READ: WeakKeyDictionary[Study, Study | None] = WeakKeyDictionary()
_JOINED: WeakKeyDictionary[Study, Study] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Quality:
    """The labels of the annotators who passed, and the record of all who answered test questions: annotator,
    test_questions, failed, failed_share, dropped."""

    labels: pd.DataFrame
    record: pd.DataFrame

    @property
    def dropped(self) -> tuple[str, ...]:
        """The annotators whose labels are left out."""
        return tuple(self.record.loc[self.record["dropped"], "annotator"])


def consensus(labels: pd.DataFrame, method: str) -> pd.DataFrame:
    """Return the consensus of these votes as an annotator of its own: doc_id, annotator, label.

    labels: as `voters.voting_labels` returns them; answers to test questions are left out. `majority`: the most
    frequent label, of one label that label; a document with tied votes has no row. `dawid-skene`: the most probable
    label under Dawid and Skene's model of each annotator's confusions (Dawid and Skene 1979). Rows in the order in
    which documents first appear. Raises FairvizError for an unknown method.
    """
    if method not in CONSENSUSES:
        raise FairvizError(f"unknown consensus {method!r}", use_one_of(CONSENSUSES, method))
    votes = read_votes(labels)
    if method == "majority" or not votes.doc_ids:
        is_decided = votes.winners >= 0
        doc_ids = np.array(votes.doc_ids, dtype=object)[is_decided]
        label_names = np.array(votes.labels, dtype=object)[votes.winners[is_decided]]
    else:
        most_probable = fit(votes).posterior.idxmax(axis=1)
        doc_ids, label_names = most_probable.index.to_numpy(), most_probable.to_numpy()
    return pd.DataFrame({"doc_id": doc_ids, "annotator": method, "label": label_names}).astype("str")


def quality_control(labels: pd.DataFrame, limit: float = MOST_FAILED) -> Quality:
    """Drop the annotators who fail more than `limit` of the test questions: the CWEx paper's section 3.2.

    A test question is a row with the right answer in the column `test_label`; annotators without any stay.
    """
    record = records(labels)[["annotator", "test_questions", "failed", "failed_share"]]
    record = record[record["test_questions"] > 0].reset_index(drop=True)
    record["dropped"] = record["failed_share"] > limit
    dropped = record.loc[record["dropped"], "annotator"]
    return Quality(labels[~labels["annotator"].isin(dropped)] if len(dropped) else labels, record)


def open_ties(labels: pd.DataFrame) -> pd.DataFrame:
    """Return the documents with tied votes: doc_id, said (the number of votes by label, as text). labels: as of
    `consensus`."""
    votes = read_votes(labels)
    is_tied = votes.winners < 0
    vote_texts = pd.Series(count_texts(votes.counts[is_tied], votes.labels), dtype="str")
    return pd.DataFrame(
        {"doc_id": pd.Series(np.array(votes.doc_ids, dtype=object)[is_tied], dtype="str"), "said": vote_texts}
    )


def dawid_skene(labels: pd.DataFrame) -> Fit:
    """Return Dawid and Skene's model of these votes, fitted until it converges. labels: as of `consensus`.

    Raises FairvizError without votes.
    """
    votes = read_votes(labels)
    if not votes.doc_ids:
        raise FairvizError("there are no labels to fit Dawid and Skene's model to", "Name annotators who gave labels.")
    return fit(votes)


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
        _check_voters(study, named)
    if everyone or not named:
        return named
    if study not in _FAILED:
        has_tests = TEST_LABEL in study.labels
        _FAILED[study] = frozenset(quality_control(study.labels).dropped if has_tests else ())
    return tuple(name for name in named if name not in _FAILED[study])


def _check_voters(study: Study, voters: Sequence[str]) -> None:
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


def labels_alongside(study: Study) -> pd.DataFrame:
    """Return doc_id, annotator, label of the annotators next to the study; no row for any other study.

    Annotators with labels in the study itself are left out.
    """
    alongside = _study_alongside(study)
    if alongside is None:
        return study.labels.iloc[:0]
    return alongside.labels[~alongside.labels["annotator"].isin(annotator_names(study))].reset_index(drop=True)


def annotators_alongside(study: Study) -> Mapping[str, Annotator]:
    """Return the annotators of `labels_alongside` by name."""
    alongside = _study_alongside(study)
    return {} if alongside is None else {name: alongside.annotators[name] for name in annotator_names(alongside)
                                     if name not in annotator_names(study)}  # fmt: skip


def with_labels_alongside(study: Study) -> Study:
    """Return the study with `labels_alongside` added, to compare annotators; one object for each study, and the study
    itself without such labels."""
    annotators = annotators_alongside(study)
    if annotators and study not in _JOINED:
        joined = add_labels(study, labels_alongside(study))
        beside = {name: replace(who, votes=False) for name, who in annotators.items()}
        _JOINED[study] = replace(joined, annotators={**joined.annotators, **beside})
    return _JOINED[study] if annotators else study


def _study_alongside(study: Study) -> Study | None:
    """Return the labels' study for this study, read once; None where there is none."""
    if study not in _READ:
        # Built in, or with the texts that were labelled, since a folder may have any name.
        is_known = study.read_only and study.name in BUILTIN
        if not study.read_only and study.name in TEXTS:
            table = study.documents[["doc_id", "title", "text"]].fillna("").astype("str")
            text = table.to_csv(index=False, lineterminator="\n").encode("utf-8", "replace")
            is_known = hashlib.sha256(text).hexdigest() == TEXTS[study.name]
        folder = FOLDER / study.name
        _READ[study] = open_study_folder(folder) if is_known and folder.is_dir() else None
    return _READ[study]
