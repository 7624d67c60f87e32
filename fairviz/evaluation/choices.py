"""From a study and what was chosen to the arrays that measures read: which annotator, which words, which queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary, ref

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.rules import own_lexicon
from fairviz.annotation.voters import counted_annotator, is_consensus, labels_of, voters_of
from fairviz.errors import FairvizError, expect, use_one_of
from fairviz.evaluation.crossing import Grouping, crossed_labels, grouping_of
from fairviz.evaluation.missing import (
    ALL_DRAWS,
    NO_QRELS,
    missing_for_gsr,
    missing_for_label_changes,
    missing_labels,
    missing_runs,
    missing_words,
    rare_words_note,
    unanswered_note,
)
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.evaluation.study_values import selectable
from fairviz.measures import Question
from fairviz.measures.attributes import attribute_sets
from fairviz.measures.judgements import judgements_of
from fairviz.measures.position_bias import PositionBias, position_bias
from fairviz.measures.rankings import (
    LabelEvidence,
    Rankings,
    WordEvidence,
    collection_of,
    label_evidence,
    no_words,
    relevance_by_query,
    words_of,
)
from fairviz.measures.stored import rankings_of
from fairviz.measures.sums import AlignedRankings
from fairviz.study.draws import is_draw, system_of_run
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON, Lexicon, parse_lexicon
from fairviz.words.sentences import listed

_JUDGED: WeakKeyDictionary[Study, dict[str, dict[str, int]]] = WeakKeyDictionary()


def judgements(study: Study) -> dict[str, dict[str, int]]:
    """The relevance judgements as ir_measures takes them, laid out once a study: query to document to relevance."""
    if study not in _JUDGED:
        _JUDGED[study] = relevance_by_query(study.qrels)
    return _JUDGED[study]


def chosen_annotator(study: Study, settings: Settings) -> str:
    """The annotator whose labels count: the chosen one, else the study's, else the only one, else the majority of the
    voters. Decisions of a reader count where they are chosen, and by default only in a study that has nothing else.
    Empty for a study without labels. Raises FairvizError for an unknown name."""
    return counted_annotator(study, settings.annotator)


def chosen_labels(study: Study, settings: Settings) -> pd.DataFrame:
    """The labels that count, of the chosen annotator, or of the consensus of the settings' voters: doc_id, annotator,
    label. Raises FairvizError for names that the study lacks."""
    return labels_of(study, chosen_annotator(study, settings), settings.voters)


def chosen_lexicon(study: Study, settings: Settings) -> Lexicon:
    """The gender words that count: those written in the settings, else the study's own, else the built-in ones."""
    if settings.lexicon == "gsr":
        return GSR_LEXICON
    if settings.lexicon:
        return parse_lexicon(settings.lexicon)
    return own_lexicon(study)


def chosen_systems(study: Study, settings: Settings) -> tuple[str, ...]:
    """The systems, and the draws of them, that are shown. Raises FairvizError for a name that the study lacks."""
    if unknown := [name for name in settings.systems if name not in {*study.systems, *study.run_names}]:
        remedy = use_one_of(study.systems, unknown[0])
        raise FairvizError(f"the study {study.name!r} has no system {unknown[0]!r}", remedy)
    return settings.systems or study.systems


def systems_tested(study: Study, settings: Settings) -> tuple[str, ...]:
    """The systems, and the draws of them, that belong to the tests where they are shown: the study's contenders with
    those of the setting `tested`, without those of `not_tested`. Every face asks this function.

    A run that somebody adds is tested at once. References, and lists edited by hand, are tested only where the settings
    or the study name them.

    >>> import fairviz
    >>> newswire = fairviz.open_study("newswire")
    >>> set(newswire.systems) - set(systems_tested(newswire, Settings()))
    {'random', 'perfect'}
    """
    tested = {*study.contenders, *settings.tested} - {*settings.not_tested}
    return tuple(name for name in selectable(study) if system_of_run(name) in tested)


def chosen_queries(study: Study, settings: Settings) -> tuple[str, ...]:
    """Of the study's queries (`Study.query_ids`) those that the settings' filter keeps, whichever systems are shown.

    Raises FairvizError where the queries have no such column or the filter keeps none.
    """
    if not settings.filter_column or not settings.filter_values:
        return study.query_ids
    if settings.filter_column not in study.queries.columns:
        raise FairvizError(
            f"the queries of {study.name!r} have no column {settings.filter_column!r}",
            use_one_of(study.queries.columns, settings.filter_column),
        )
    column = study.queries[settings.filter_column].astype("str")
    matching_ids = set(study.queries.loc[column.isin(settings.filter_values), "query_id"])
    queries = tuple(query for query in study.query_ids if query in matching_ids)
    if not queries:
        values = ", ".join(settings.filter_values)
        raise FairvizError(
            f"no query has {values!r} in its column {settings.filter_column!r}", "Choose another value, or all queries."
        )
    return queries


def aligned_runs(study: Study, settings: Settings, collection: Sequence[str] = ()) -> Rankings:
    """Return the study's runs as arrays, under the choices that decide them. collection: as `align_runs` takes it."""
    return rankings_of(study, settings.ties, collection)  # type: ignore[arg-type]


def bias_to_depth(settings: Settings, depth: int) -> PositionBias:
    """Return the settings' position bias down to a depth."""
    custom = np.array(settings.custom_bias) if settings.custom_bias else None
    return position_bias(settings.position_bias, depth, custom)


# The fields that the arrays of `align` are made from; labels and words are computed, whatever measure reads them.
EVIDENCE = tuple(name for name, one in CHOICES.items() if {"rankings", "labels", "words"} & set(one.reads))


@dataclass(frozen=True, eq=False)
class Resolved:
    """A study under settings, with what they select from it, each computed once: annotator, lexicon and systems.

    Raises FairvizError where it is read, for names that the study lacks.
    """

    study: Study
    settings: Settings

    @cached_property
    def annotator(self) -> str:
        """The annotator whose labels count; see `chosen_annotator`."""
        return chosen_annotator(self.study, self.settings)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The gender words that count; see `chosen_lexicon`."""
        return chosen_lexicon(self.study, self.settings)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems shown; see `chosen_systems`."""
        return chosen_systems(self.study, self.settings)

    @cached_property
    def evidence(self) -> tuple:
        """The values of EVIDENCE: the annotator, voters and lexicon that they select, and all others as they are."""
        counts_votes = self.annotator == ADJUDICATED or is_consensus(self.study, self.annotator)
        voters = voters_of(self.study, self.settings.voters) if counts_votes or self.settings.voters else ()
        selected = {"annotator": self.annotator, "voters": voters if counts_votes else (), "lexicon": self.lexicon}
        return tuple(selected.get(name, getattr(self.settings, name)) for name in EVIDENCE)

    @cached_property
    def grouping(self) -> Grouping:
        """The groups of measures of labels; see `fairviz.evaluation.crossing`."""
        return grouping_of(self.study, self.settings.crossed_with)

    def key(self, collection: bool = False) -> tuple:
        """Return the key of the arrays of `align`; a study without a fingerprint is identified by its object."""
        return (self.study.fingerprint or ref(self.study), *self.evidence, collection)

    def align(self, collection: bool = False) -> AlignedRankings:
        """Return the study's rankings with their evidence; see `align`."""
        rankings = aligned_runs(self.study, self.settings, collection_of(self.study) if collection else [])
        return self.places(rankings, self.labels(rankings), self._words(rankings), self.key(collection))

    def labels(self, rankings: Rankings) -> LabelEvidence:
        """Return the labels that count, by document of the rankings."""
        labels, doc_ids = labels_of(self.study, self.annotator, self.settings.voters), rankings.doc_ids
        evidence = label_evidence(labels, doc_ids, self.study.neutral, self.study.groups)
        return crossed_labels(evidence, self.study, self.grouping, doc_ids)

    def words(self, rankings: Rankings) -> WordEvidence:
        """Return the counts of the gender words that count, by document of the rankings."""
        return words_of(self.study, rankings.doc_ids, self.lexicon, self.settings.tokenizer)

    def _words(self, rankings: Rankings) -> WordEvidence:
        """Return the words as `words` does; none where word counts cannot answer, as measures of words are refused."""
        if self.study.word_counts and self._missing_words():
            return no_words(rankings.doc_ids, self.study.groups)
        return self.words(rankings)

    def places(
        self, rankings: Rankings, labels: LabelEvidence, words: WordEvidence, made_of: tuple = ()
    ) -> AlignedRankings:
        """Return the rankings with this evidence. made_of: the key of the arrays, if others may take them."""
        grouping, unlabelled = self.grouping, self.settings.unlabelled
        return AlignedRankings(
            rankings, labels, words, grouping.groups, self.study.neutral, grouping.protected, grouping.targets,
            unlabelled, judgements_of(self.study), made_of, attribute_sets(self.study),  # type: ignore[arg-type]
        )  # fmt: skip

    def aligned(self, places: AlignedRankings | None, *, collection: bool = False) -> AlignedRankings:
        """Return `places`, or fresh arrays without any. Raises UsageError for another type, FairvizError for arrays of
        another study, or of settings with other values."""
        if places is None:
            return self.align(collection)
        expect("places", places, AlignedRankings, "Give what fairviz.evaluation.choices.align returns.")
        expected = self.key(collection)
        actual = places.made_of or (None,) * len(expected)
        wrong = [
            name for name, ours, theirs in zip(("study", *EVIDENCE), expected, actual, strict=False) if ours != theirs
        ]
        if not wrong and collection and not actual[-1]:
            wrong = ["background"]
        if not wrong:
            return places
        raise FairvizError(
            f"the places given for {self.study.name!r} were made for "
            + ("another study" if wrong[0] == "study" else f"another choice of {', '.join(wrong)}"),
            "Make them with align(study, settings), with collection=True for the background collection, or leave them "
            "out.",
        )

    def missing_part(self, question: Question) -> str:
        """Return a sentence on what the study lacks for this question and how to add it; empty if it lacks nothing."""
        study = self.study
        if reason := missing_runs(study):
            return reason
        if question.measure is not None and not question.measure.per_query:
            return missing_for_gsr(study, question.parameters["depth"])
        if question.family in ("effectiveness", "relevance"):
            draws = [] if question.measure is None else [run for run in self.settings.systems if is_draw(run)]
            return ALL_DRAWS.format(draws[0]) if draws else "" if study.has("qrels") else NO_QRELS
        if question.family == "labels":
            lacks_qrels = "qrels" in question.needs and not study.has("qrels")
            return NO_QRELS if lacks_qrels else missing_labels(study, question, self.grouping)
        return self._missing_words() if question.family == "words" else ""

    def _missing_words(self) -> str:
        return missing_words(self.study, self.lexicon, self.settings.tokenizer, self.grouping)

    def notes_on(self, questions: Sequence[Question]) -> str:
        """Return what is to be known beside values of these measures: unanswered queries, and words that are rare."""
        study, settings = self.study, self.settings
        notes = (
            unanswered_note(study, self.systems, chosen_queries(study, settings)),
            rare_words_note(study, self.lexicon, settings.tokenizer, questions, self.grouping),
        )
        return " ".join(filter(None, notes))

    def missing_for_label_changes(self, question: Question) -> str:
        """Return as `missing_part` the reason why the effect of single labels on a measure cannot be computed."""
        reason = self.missing_part(question)
        if question.measure is not None and not question.measure.of_exposures:
            reason = reason or "it depends on the order of relevant documents. Choose a measure of exposure alone."
        return reason or missing_for_label_changes(self.grouping, chosen_labels(self.study, self.settings))

    def refuse_missing(self, questions: Sequence[Question]) -> None:
        """Raise FairvizError where the study lacks what a measure needs, with how to add it; first for names that it
        lacks, as `align` does."""
        _ = self.evidence
        for question in questions:
            if lacking := self.missing_part(question):
                raise FairvizError(refusal(self.study, [question.text], lacking))


def refusal(study: Study, measures: Sequence[str], reason: str) -> str:
    """Return the sentence that refuses measures that the study cannot feed."""
    return f"{listed(measures)} cannot be computed for the study {study.name!r}: {reason}"


def align_key(study: Study, settings: Settings, collection: bool = False) -> tuple:
    """Return the key of the arrays of `align`: equal keys, equal arrays."""
    return Resolved(study, settings).key(collection)


def align(study: Study, settings: Settings, *, collection: bool = False) -> AlignedRankings:
    """Return the study's rankings with their evidence, for all its systems and queries.

    collection: also documents that no run retrieved, which the background set `collection` needs.
    """
    return Resolved(study, settings).align(collection)


def aligned(
    study: Study, settings: Settings, places: AlignedRankings | None, *, collection: bool = False
) -> AlignedRankings:
    """Return `places`, or fresh arrays without any. Raises: see `Resolved.aligned`."""
    return Resolved(study, settings).aligned(places, collection=collection)


def missing_part(study: Study, question: Question, settings: Settings) -> str:
    """Return a sentence on what the study lacks for this question; see `Resolved.missing_part`."""
    return Resolved(study, settings).missing_part(question)
