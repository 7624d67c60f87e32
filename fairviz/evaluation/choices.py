"""From a study and what was chosen to the arrays that measures read: which annotator, words, systems and queries; and
sentences on what the study lacks for a measure, with the remedy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from weakref import WeakKeyDictionary, ref

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.rules import own_lexicon
from fairviz.annotation.voters import counted_annotator, is_consensus, labels_of, voters_of
from fairviz.errors import FairvizError, expect, use_one_of
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.evaluation.study_values import Grouping, crossed_labels, grouping_of, selectable
from fairviz.measures import Question
from fairviz.measures.position_bias import PositionBias, position_bias
from fairviz.measures.rankings import (
    LabelEvidence,
    Rankings,
    WordEvidence,
    arrays_of,
    collection_of,
    label_evidence,
    labelled_beyond,
    no_words,
    rankings_of,
    relevance_by_query,
    words_of,
)
from fairviz.measures.sums import AlignedRankings, attribute_sets, judgements_of
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.attributes import named_sets, shares_of
from fairviz.study.checks import near_miss_text
from fairviz.study.record import Study
from fairviz.study.tables import expanded, is_draw, runs_by_system, system_of_run
from fairviz.words.counting import GSR_LEXICON, Lexicon, document_text, documents_with_entries, no_hits, parse_lexicon
from fairviz.words.sentences import counted, first_listed, listed, out_of

NAMED = 4  # systems that are named one by one
FEW = 0.05  # share of documents with a word of the list below which it is noted
NO_RUNS = (
    "it has no runs. Add runs/NAME.run (TREC format, 6 columns), or rank its documents with "
    "`fairviz rank {name} --with bm25`."
)
ALL_DRAWS = "it is of all draws of a system together. Name the system, not {}."
NO_ANSWERS = (
    "its runs answer none of its queries: they have {run!r}, and the queries {query!r}. Give both the same ids."
)
NO_QRELS = "it has no relevance judgements. Add qrels.txt (TREC format: query 0 document relevance)."
NO_TEXT = "it has no text of documents. Add documents.tsv with the columns doc_id and text."
NO_DOCUMENTS = "it has no list of all documents. Add documents.tsv with the columns doc_id and text."
NO_ORDER = (
    "its groups{column} have no order, and rnod is of ordinal groups. Write scale = 'ordinal' in study.toml if their "
    "order there is one, or use jsd."
)
NO_SETS = "Add [attributes.COLUMN] with levels = [...] to study.toml, and the column to the documents."
NO_CROSSED_WORDS = (
    "its groups are crossed with {column!r}, and gender words have no such column. Leave the crossing out."
)
_WITH_WORDS: WeakKeyDictionary[Study, dict[tuple[Lexicon, str], tuple[int, int]]] = WeakKeyDictionary()
_JUDGED: WeakKeyDictionary[Study, dict[str, dict[str, int]]] = WeakKeyDictionary()
_ANSWERED: WeakKeyDictionary[Study, bool] = WeakKeyDictionary()  # whether a run has a list for one of its queries
# The fields that the arrays of `align` are made from; labels and words are computed, whatever measure reads them.
EVIDENCE = tuple(name for name, one in CHOICES.items() if {"rankings", "labels", "words"} & set(one.reads))
Array = np.ndarray


def near_miss_note(study: Study, scores: pd.DataFrame) -> str:
    """Return the ids that nearly join, with their count, where half of a measure's values are undefined or less than
    half of the ranks labelled; empty elsewhere. scores: of `fairviz.evaluate`."""
    undefined = scores["value"].isna().groupby(scores["measure"], observed=True).mean()
    is_bare = "labelled" in scores and 2 * scores["labelled"].sum() < scores["places"].sum()
    return near_miss_text(study) if is_bare or undefined.ge(0.5).any() else ""


def unanswered_note(study: Study, systems: Sequence[str], queries: Sequence[str]) -> str:
    """Return how many of these queries each system leaves unanswered, and what that means for its values; and how many
    queries of runs are not the study's. Empty where neither occurs."""
    has_list, names = study.lengths > 0, study.answered
    answered = has_list[:, names.isin(queries)]
    row = {name: place for place, name in enumerate(study.run_names)}
    counts = {
        name: len(queries) - int(answered[[row[run] for run in expanded([name], study.run_names)]].any(axis=0).sum())
        for name in systems
    }
    lacking = [f"{name} {count:,}" for name, count in counts.items() if count]
    notes = []
    if lacking:
        notes.append(
            f"Unanswered of {counted(len(queries), 'query')}: {first_listed(lacking, NAMED)}; 0 for effectiveness, "
            "undefined for other measures."
        )
    if outside := int((has_list.any(axis=0) & ~names.isin(study.query_ids)).sum()):
        notes.append(f"{counted(outside, 'query')} of runs not among the study's: counted nowhere.")
    return " ".join(notes)


def _missing_runs(study: Study) -> str:
    """Return what the study lacks for any measure: runs, and a run's list for one of its queries."""
    if not study.has("runs"):
        return NO_RUNS.format(name=study.name)
    answered = study.answered
    if study not in _ANSWERED:
        _ANSWERED[study] = not study.has("queries") or bool(answered.isin(study.queries["query_id"]).any())
    if not _ANSWERED[study]:
        reason = NO_ANSWERS.format(run=answered[0], query=study.queries["query_id"].iloc[0])
        return f"{reason} {near_miss_text(study, 'runs', 'query_id')}".rstrip()
    return ""


def _missing_labels(study: Study, question: Question, grouping: Grouping) -> str:
    """Return what the study lacks for a measure of labels under this grouping."""
    if not study.has("labels"):
        return "it has no gender labels. Add labels.csv with the columns doc_id, annotator, label."
    if study.label_kind != "gender":
        return "its labels are not genders (labels = 'other' in study.toml)."
    separator = "; " if grouping.column else ", "  # names of crossed groups have commas
    for name in ("group", "protected"):
        group = question.parameters.get(name)
        allowed = grouping.groups if name == "protected" else (study.neutral, *grouping.groups)
        if group is not None and group not in allowed:
            return f"it has no group {group!r}. Use one of {separator.join(allowed)}."
    if question.parameters.get("distance") == "rnod" and not grouping.ordinal:
        return NO_ORDER.format(column=f" crossed with {grouping.column!r}" if grouping.column else "")
    return _missing_sets(study, question) or _missing_protected(question, grouping)


def _missing_sets(study: Study, question: Question) -> str:
    """Return the reason why the study lacks an attribute set that the question names."""
    names = named_sets(question.parameters.get("attributes") or "")
    for name in names:
        if name not in study.attributes:
            remedy = use_one_of(study.attributes, name) if study.attributes else NO_SETS
            return f"it has no attribute set {name!r}. {remedy}"
        if name not in study.documents:
            return f"its documents have no column {name!r}, which is an attribute set. Add it."
        if names.count(name) > 1:
            return f"the attribute set {name!r} is named twice. Name it once."
    return ""


def _missing_protected(question: Question, grouping: Grouping) -> str:
    """Return why a measure that sets one protected group apart has no value for crossed groups."""
    measure = question.measure
    if not grouping.column or measure is None or not measure.protects or question.parameters.get("protected"):
        return ""
    takes_group = any(parameter.name == "protected" for parameter in measure.parameters)
    example = f"{measure.name if takes_group else 'GroupExposureRatio'}(protected={grouping.protected_name!r})"
    return (
        f"{grouping.column!r} makes {len(grouping.values)} groups of each gender, and only one can be protected. "
        f"{'Write' if takes_group else 'Use'} {example}, or leave the crossing out."
    )


def _missing_words(study: Study, lexicon: Lexicon, tokenizer: str, grouping: Grouping) -> str:
    """Return what the study lacks for measures of words under this grouping."""
    if grouping.column:
        return NO_CROSSED_WORDS.format(column=grouping.column)
    if study.word_counts:
        refused = ". ".join(study.word_counts.refusal(lexicon, tokenizer, study.groups))
        return refused or missing_hits(study, lexicon, tokenizer)
    if not study.has("documents") or study.documents["text"].isna().all():
        return NO_TEXT
    lacking = [group for group in study.groups if group not in lexicon.groups]
    if lacking:
        return (
            f"the word list {lexicon.name!r} has no words of the group {lacking[0]!r}. "
            "Add lexicon.csv with the columns word, group."
        )
    return missing_hits(study, lexicon, tokenizer)


def documents_with_words(study: Study, lexicon: Lexicon, tokenizer: str) -> tuple[int, int]:
    """Return the numbers of documents with a word of the list, counted up to FEW of all, and of all that have text.

    Kept for each study: a list of which much occurs is known after the first documents.
    """
    by_list = _WITH_WORDS.setdefault(study, {})
    if (lexicon, tokenizer) not in by_list:
        texts = document_text(study.documents)
        total = study.word_counts.documents if study.word_counts else int(texts.notna().sum())
        enough = int(np.ceil(FEW * total))
        if study.word_counts:
            found = study.word_counts.documents_with_words(study.groups, enough)
        else:
            found = documents_with_entries(texts, lexicon, tokenizer, study.groups, enough)
        by_list[lexicon, tokenizer] = found, total
    return by_list[lexicon, tokenizer]


def missing_hits(study: Study, lexicon: Lexicon, tokenizer: str) -> str:
    """Return that no word of the list is in any document, by which every document would be neutral."""
    found, total = documents_with_words(study, lexicon, tokenizer)
    return "" if found or not total else ". ".join(no_hits(lexicon, total))


def missing_for_gsr(study: Study, depth: str) -> str:
    """Return what the study lacks for GSR at this depth (`cutoff` or `relevant`)."""
    if not study.has("runs"):
        return NO_RUNS.format(name=study.name)
    if not study.has("queries"):
        return "it has no text of queries. Add queries.tsv with the columns query_id and text."
    if study.word_counts:
        if refusal := study.word_counts.refusal_of_g():
            return ". ".join(refusal)
    elif not study.has("documents") or study.documents["text"].isna().all():
        return NO_TEXT
    if depth == "relevant" and not study.has("qrels"):
        return NO_QRELS
    return ""


def missing_for_label_changes(grouping: Grouping, labels: pd.DataFrame) -> str:
    """Return the reason why the effect of single labels cannot be computed under this grouping, or from these labels
    of an annotator."""
    if shares_of(labels, (*labels["label"].unique(),)) is not None:
        return "documents belong to several groups in shares. Choose an annotator without shares."
    if grouping.column:
        return f"its groups are crossed with {grouping.column!r}, and annotators give genders alone. Leave it out."
    return ""


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
    >>> sorted(set(newswire.systems) - set(systems_tested(newswire, Settings())))
    ['perfect', 'random']
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
        """The groups of measures of labels; see `fairviz.evaluation.study_values`."""
        return grouping_of(self.study, self.settings.crossed_with)

    def key(self, collection: bool = False) -> tuple:
        """Return the key of the arrays of `align`; a study without a fingerprint is identified by its object."""
        return (self.study.fingerprint or ref(self.study), *self.evidence, collection)

    def align(self, collection: bool = False) -> AlignedRankings:
        """Return the study's rankings with their evidence; see `align`."""
        made_of = self.key(collection)  # first, as it names what the study lacks
        in_collection = collection_of(self.study) if collection else []
        others = labelled_beyond(self.study, in_collection) if collection else []
        rankings = aligned_runs(self.study, self.settings, [*in_collection, *others])
        labels = self.labels(rankings)
        if self.study.word_counts and self._missing_words:  # word counts cannot answer: measures of words are refused
            words = no_words(rankings.doc_ids, self.study.groups, in_collection)
        else:
            words = self.words(rankings)
        return self.with_evidence(rankings, labels, words, made_of)

    def labels(self, rankings: Rankings) -> LabelEvidence:
        """Return the labels that count, by document of the rankings."""
        labels, doc_ids = labels_of(self.study, self.annotator, self.settings.voters), rankings.doc_ids
        names = self.study.neutral, self.study.groups
        make = partial(label_evidence, labels, doc_ids, *names)
        arrays = rankings.beside(("labels", *names), lambda: arrays_of(make()), labels)
        return crossed_labels(LabelEvidence(**arrays), self.study, self.grouping, doc_ids)

    def words(self, rankings: Rankings) -> WordEvidence:
        """Return the counts of the gender words that count, by document of the rankings."""
        return words_of(self.study, rankings.doc_ids, self.lexicon, self.settings.tokenizer, rankings.key)

    def with_evidence(
        self, rankings: Rankings, labels: LabelEvidence, words: WordEvidence, made_of: tuple = ()
    ) -> AlignedRankings:
        """Return the rankings with this evidence. made_of: the key of the arrays, if others may take them."""
        return AlignedRankings(
            rankings,
            labels,
            words,
            groups=self.grouping.groups,
            neutral=self.study.neutral,
            protected=self.grouping.protected,
            targets=self.grouping.targets,
            unlabelled=self.settings.unlabelled,  # type: ignore[arg-type]
            judgements=judgements_of(self.study),
            made_of=made_of,
            attributes=attribute_sets(self.study),
        )

    def aligned(self, rankings: AlignedRankings | None, *, collection: bool = False) -> AlignedRankings:
        """Return the rankings, or fresh ones without any. Raises UsageError for another type, FairvizError for
        arrays of another study, or of settings with other values."""
        if rankings is None:
            return self.align(collection)
        expect("rankings", rankings, AlignedRankings, "Give what fairviz.evaluation.choices.align returns.")
        expected = self.key(collection)
        actual = rankings.made_of or (None,) * len(expected)
        wrong = [
            name for name, ours, theirs in zip(("study", *EVIDENCE), expected, actual, strict=False) if ours != theirs
        ]
        if not wrong and collection and not actual[-1]:
            wrong = ["background"]
        if not wrong:
            return rankings
        raise FairvizError(
            f"the rankings given for {self.study.name!r} were made for "
            + ("another study" if wrong[0] == "study" else f"another choice of {', '.join(wrong)}"),
            "Make them with align(study, settings), with collection=True for the background collection, or leave them "
            "out.",
        )

    def missing_part(self, question: Question) -> str:
        """Return a sentence on what the study lacks for this question and how to add it; empty if it lacks nothing."""
        study = self.study
        if reason := _missing_runs(study):
            return reason
        if question.measure is not None and not question.measure.per_query:
            return missing_for_gsr(study, question.parameters["depth"])
        if question.family in ("effectiveness", "relevance"):
            draws = [] if question.measure is None else [run for run in self.settings.systems if is_draw(run)]
            if draws:
                return ALL_DRAWS.format(draws[0])
            return "" if study.has("qrels") else NO_QRELS
        if question.family == "labels":
            if "qrels" in question.needs and not study.has("qrels"):
                return NO_QRELS
            if "documents" in question.needs and not study.has("documents"):
                return NO_DOCUMENTS
            return _missing_labels(study, question, self.grouping)
        return self._missing_words

    @cached_property
    def _missing_words(self) -> str:
        """What the study lacks for measures of words."""
        return _missing_words(self.study, self.lexicon, self.settings.tokenizer, self.grouping)

    def notes_on(self, questions: Sequence[Question]) -> str:
        """Return what is to be known beside values of these measures: unanswered queries, and in how few documents a
        word of the list occurs, where a measure is of words."""
        notes = [unanswered_note(self.study, self.systems, chosen_queries(self.study, self.settings))]
        if any(question.family == "words" for question in questions) and not self._missing_words:
            found, total = documents_with_words(self.study, self.lexicon, self.settings.tokenizer)
            if found < FEW * total:
                few = out_of(found, total, "document")
                notes.append(
                    f"Words of the list {self.lexicon.name!r} are in {few} only; to measures of words the others are "
                    "neutral."
                )
        return " ".join(filter(None, notes))

    def missing_for_label_changes(self, question: Question) -> str:
        """Return as `missing_part` the reason why the effect of single labels on a measure cannot be computed."""
        reason = self.missing_part(question)
        if question.measure is not None and not question.measure.of_exposures:
            of = (
                "labels of other documents than the list's"
                if question.background
                else "the order of relevant documents"
            )
            reason = reason or f"it depends on {of}. Choose a measure of exposure alone."
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
    study: Study, settings: Settings, rankings: AlignedRankings | None, *, collection: bool = False
) -> AlignedRankings:
    """Return the rankings, or fresh ones without any. Raises: see `Resolved.aligned`."""
    return Resolved(study, settings).aligned(rankings, collection=collection)


def missing_part(study: Study, question: Question, settings: Settings) -> str:
    """Return a sentence on what the study lacks for this question; see `Resolved.missing_part`."""
    return Resolved(study, settings).missing_part(question)


def refuse_missing(study: Study, questions: Sequence[Question], settings: Settings) -> None:
    """Raise FairvizError where the study lacks what a measure needs, with how to add it."""
    Resolved(study, settings).refuse_missing(questions)


@dataclass(frozen=True, eq=False)
class Selection:
    """The arrays of a study, and the systems and queries that are shown."""

    study: Study
    rankings: AlignedRankings
    systems: tuple[str, ...]
    queries: tuple[str, ...]

    def take(self, table: Array) -> Array:
        """Return (…, runs, Q) of the whole study for the systems and queries shown, (…, S, Q): the mean over its draws
        for a stochastic system, NaN left out; of booleans whether any is true."""
        if all(len(row) == 1 for row in self._rows):
            rows = np.array([row[0] for row in self._rows], dtype=np.int64)
            return table[..., rows, :][..., positions(self.rankings.lists.queries, self.queries)]
        means = []
        for draws in self.take_draws(table):  # (…, draws, Q)
            if draws.shape[-2] == 1:
                means.append(draws[..., 0, :])
            elif draws.dtype == bool:
                means.append(np.logical_or.reduce(draws, axis=-2))
            else:
                means.append(mean_over_queries(np.moveaxis(draws, -2, -1)))
        return np.stack(means, axis=-2)

    def take_draws(self, table: Array) -> list[Array]:
        """Return (…, runs, Q) of the whole study as one array a system, (…, draws, Q), for the queries shown."""
        columns = positions(self.rankings.lists.queries, self.queries)
        return [table[..., row, :][..., columns] for row in self._rows]

    @cached_property
    def _rows(self) -> list[Array]:
        """The places of each system's runs among those of the study."""
        names = self.rankings.lists.systems
        runs = runs_by_system(names)
        return [positions(names, runs.get(system, (system,))) for system in self.systems]

    @property
    def columns(self) -> dict[str, pd.Series]:
        """Columns system and query_id of a table with a row for each list, by system."""
        names = {"system": self.systems, "query_id": self.queries}
        codes = np.indices([len(values) for values in names.values()]).reshape(2, -1)
        return {
            name: pd.Series(np.asarray(values, dtype=object)[code], dtype="str")
            for (name, values), code in zip(names.items(), codes, strict=True)
        }


def chosen_runs(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the runs of the systems shown, each with lists of its own: the draws in place of a stochastic system."""
    return expanded(Resolved(study, settings).systems, study.run_names)


def selection_of(study: Study, settings: Settings, rankings: AlignedRankings) -> Selection:
    """Return the systems and queries of the settings."""
    queries = chosen_queries(study, settings)
    return Selection(study, rankings, Resolved(study, settings).systems, queries)


def positions(names: Sequence[str], wanted: Sequence[str]) -> Array:
    """Return the position of each wanted name among the names."""
    position_by_name = {name: position for position, name in enumerate(names)}
    return np.array([position_by_name[name] for name in wanted], dtype=np.int64)
