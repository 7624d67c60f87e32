"""Filters and orders of documents, as pure functions of a catalogue's arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import (
    GENDERED,
    MOST_VALUES,
    WORD_LIST,
    can_count_words,
    same_rule,
    without_empty,
)
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import entropy, majority, ordinary
from fairviz.annotation.rules import neutral_or_prevailing
from fairviz.annotation.voters import CONSENSUSES, annotator_names, labels_of, voters_of, votes_of
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.measures.neutrality import neutrality
from fairviz.measures.rankings import LabelEvidence, WordEvidence, one_list
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.words.counting import Counts, count_groups, document_text

Array = np.ndarray
PAIR_SIGN = " ≠ "
ANY, TIED = "any", "tied"  # of the voters: different labels, no majority
ORDERS = ("study", "disagreement", "exposure", "effect")


@dataclass(frozen=True, eq=False)
class Catalogue:
    """Every document of a study once: those of the documents table, then of the runs, then of the labels.

    doc_ids (D,): names. labels (L,): all labels, the study's neutral and groups first. annotators: all annotators
    without readers' decisions, the current word list last if there is text and no rule of the study has its labels.
    voters: those who vote. votes (D, L): number of voters who gave each label. disagreement (D,): entropy of the votes
    over ln L, 0 to 1, NaN without a vote. words: gender words of the documents table. codes: an annotator's label of
    each document (D,), -1 without one, computed on request.
    """

    doc_ids: pd.Index
    labels: tuple[str, ...]
    annotators: tuple[str, ...]
    voters: tuple[str, ...]
    asked: tuple[str, ...]  # the voters as in Settings
    votes: Array
    disagreement: Array
    study: Study
    words: Counts | None = None
    word_list: Array | None = None
    _codes: dict[str, Array] = field(default_factory=dict, repr=False)

    def codes(self, annotator: str) -> Array:
        """Return the label of each document by this annotator or consensus, (D,) indices of `labels`, -1 without."""
        if annotator == WORD_LIST and self.word_list is not None:
            return self.word_list
        if annotator not in self._codes:
            self._codes[annotator] = spread(self, labels_of(self.study, annotator, self.asked))
        return self._codes[annotator]

    def place(self, doc_id: str) -> int:
        """Return the document's row in the catalogue; -1 if it is not in it."""
        return int(self.doc_ids.get_indexer(pd.Index([doc_id], dtype="str"))[0])


def spread(catalogue: Catalogue, labels: pd.DataFrame) -> Array:
    """Return the labels of one annotator (doc_id, label) for every document: (D,) indices of `labels`, -1 without."""
    codes = np.full(len(catalogue.doc_ids), -1, dtype=np.int16)
    rows = catalogue.doc_ids.get_indexer(pd.Index(labels["doc_id"], dtype="str"))
    label_codes = pd.Index(catalogue.labels, dtype="str").get_indexer(pd.Index(labels["label"], dtype="str"))
    codes[rows[rows >= 0]] = label_codes[rows >= 0]
    return codes


def catalogue(study: Study, settings: Settings) -> Catalogue:
    """Return the study's catalogue; its word list under the settings' lexicon, tokenizer and tau is an annotator."""
    doc_ids, labels = _doc_ids(study), label_names(study)
    words, word_list = _gender_words(study, settings), None
    if words is not None and WORD_LIST not in annotator_names(study) and can_count_words(study, settings):
        word_list = _word_list_labels(words, settings, len(doc_ids))
    votes = votes_of(study, settings.voters).counts_of(doc_ids, labels)
    annotators = tuple(name for name in annotator_names(study) if name != ADJUDICATED)
    if word_list is not None:
        is_labelled = word_list >= 0
        rows = {"doc_id": doc_ids[is_labelled], "label": np.array(labels, dtype=object)[word_list[is_labelled]]}
        annotators = annotators if same_rule(study, pd.DataFrame(rows)) else (*annotators, WORD_LIST)
    voters = voters_of(study, settings.voters)
    asked, doubt = settings.voters, entropy(votes)
    return Catalogue(doc_ids, labels, annotators, voters, asked, votes, doubt, study, words, word_list)


def _doc_ids(study: Study) -> pd.Index:
    """Return the names of all documents once: of the documents table, then of the runs, then of the labels."""
    ranked = study.retrieved
    parts = [pd.Index(part, dtype="str") for part in (study.documents["doc_id"], ranked, study.labels["doc_id"])]
    return parts[0].append(parts[1:]).unique()


def _gender_words(study: Study, settings: Settings) -> Counts | None:
    """Return the gender words of the documents table; None for a study without text."""
    texts = document_text(study.documents)
    if not len(texts) or texts.isna().all():
        return None
    return count_groups(texts, chosen_lexicon(study, settings), settings.tokenizer, study.groups)


def _word_list_labels(words: Counts, settings: Settings, size: int) -> Array:
    """Return the word list's label of each document, (D,): neutral up to tau gender words, else the prevailing group;
    -1 without text. The documents table, whose words these are, comes first in the catalogue."""
    in_table = neutral_or_prevailing(words.counts, settings.tau)
    codes = np.full(size, -1, dtype=np.int16)
    codes[: len(in_table)] = np.where(words.known, in_table, -1)
    return codes


def label_names(study: Study) -> tuple[str, ...]:
    """Return neutral and the gender groups, then other labels by frequency, then by name."""
    if study.label_kind == "gender":
        return (study.neutral, *study.groups)
    counts = study.labels["label"].value_counts()
    return tuple(sorted(counts.index, key=lambda label: (-counts[label], label)))


def words_of(documents: Catalogue, settings: Settings, place: int) -> tuple[list[int], int, float]:
    """Return a document's gender words by group, the number of all its words, and its neutrality omega."""
    if documents.words is None:
        raise ValueError("the study holds no text")
    row = slice(place, place + 1)
    counts, tokens, has_text = documents.words.counts[row], documents.words.tokens[row], documents.words.known[row]
    nobody = LabelEvidence(np.array([-1], dtype=np.int8))
    rankings = AlignedRankings(
        one_list(1), nobody, WordEvidence(counts, tokens, has_text, has_text), documents.study.groups
    )
    return counts[0].tolist(), int(tokens[0]), float(neutrality(rankings, settings.tau)[0])


def chosen_names(documents: Catalogue) -> tuple[str, ...]:
    """Return the annotators that can be compared, the majority if there are several, and the decisions."""
    own_annotators = [name for name in documents.annotators if name != WORD_LIST]
    return (*documents.annotators, *(CONSENSUSES[:1] if len(own_annotators) > 1 else ()), ADJUDICATED)


def label_columns(documents: Catalogue, places: Sequence[int], most: int) -> Mapping[str, list[str]]:
    """Return the labels of these documents in table columns: one per annotator, for more than `most` one per voter,
    and for more voters their counts.

    Counts have the form `gender ×4, not gender ×1`; "" without labels.
    """
    shown = documents.annotators if len(documents.annotators) <= most else documents.voters
    if len(shown) <= most:
        names = np.array([*documents.labels, ""], dtype=object)
        return {name: list(names[documents.codes(name)[list(places)]]) for name in shown}
    texts = []
    for votes in documents.votes[list(places)]:
        order = sorted(np.flatnonzero(votes), key=lambda code: (-votes[code], code))
        texts.append(", ".join(f"{documents.labels[code]} ×{votes[code]}" for code in order))
    return {"labels": texts}


@dataclass(frozen=True)
class Filters:
    """Filters and the order of documents. Empty fields keep everything.

    disagreement: `any` among the voters, `tied` (no majority of theirs), or two annotators or more as `gold ≠ word
    list`. merged: `gendered` if all groups count as one label there, but for `tied`. filled: labels whose column of
    this name is empty are left out there, likewise. label, by `annotator` (any if empty). column and value: a column of
    queries, documents or labels as named by `columns`. query: retrieved for it. system, first and last rank (0: to the
    end): retrieved at such a rank, by any system if empty. search: text in title, text or id, ignoring case. labelled:
    `unlabelled` or `labelled`. decided: `decided` or `undecided`. order: of ORDERS.
    """

    disagreement: str = ""
    merged: str = ""
    filled: str = ""
    annotator: str = ""
    label: str = ""
    column: str = ""
    value: str = ""
    query: str = ""
    system: str = ""
    first_rank: int = 1
    last_rank: int = 0
    search: str = ""
    labelled: str = ""
    decided: str = ""
    order: str = "study"


def select(
    documents: Catalogue, filters: Filters, decided: Array, reach: Array | None = None, weights: Array | None = None
) -> Array:
    """Return the rows of the documents that pass every filter, in the requested order.

    decided (D,): readers' decisions as codes, -1 without. reach (D,): whether a document matches the filters' query,
    system and ranks (see fairviz.analyses.reading.occurrences), None for all. weights (D,): the sort key of the orders
    `exposure` and `effect`, and of `study` if a query is read in a system's order; the largest first, NaN last. Equal
    documents keep the study's order.
    """
    keep = _match_disagreement(documents, filters, decided) & _match_labels(documents, filters, decided)
    if reach is not None:
        keep &= reach
    if filters.column:
        keep &= _match_column(documents, filters)
    if filters.search.strip():
        keep &= holding(documents, filters.search.strip())
    places = np.flatnonzero(keep)
    key = documents.disagreement if filters.order == "disagreement" else weights
    if key is None or (filters.order == "study" and not filters.query):
        return places
    return places[np.argsort(-np.nan_to_num(key[places], nan=-np.inf), kind="stable")]


def _match_disagreement(documents: Catalogue, filters: Filters, decided: Array) -> Array:
    keep = np.ones(len(documents.doc_ids), dtype=bool)
    if filters.disagreement == TIED:
        keep &= (documents.votes.sum(axis=1) > 0) & (majority(documents.votes) < 0)
    elif filters.disagreement == ANY and not (filters.merged or filters.filled):
        keep &= documents.disagreement > 0
    elif filters.disagreement:
        names = documents.voters if filters.disagreement == ANY else filters.disagreement.split(PAIR_SIGN)
        codes_by_name = [_compared_codes(documents, name, filters, decided) for name in names]
        keep &= differing(*codes_by_name) if codes_by_name else False
    return keep


def _match_labels(documents: Catalogue, filters: Filters, decided: Array) -> Array:
    keep = np.ones(len(documents.doc_ids), dtype=bool)
    if filters.label in documents.labels:
        code = documents.labels.index(filters.label)
        own = documents.study.labels
        if filters.annotator:
            by_decision = filters.annotator == ADJUDICATED
            keep &= (decided if by_decision else documents.codes(filters.annotator)) == code
        else:
            keep &= marked(
                documents, own.loc[(own["label"] == filters.label) & (own["annotator"] != ADJUDICATED), "doc_id"]
            )
    if filters.labelled:
        has_label = marked(documents, documents.study.labels["doc_id"])
        keep &= has_label if filters.labelled == "labelled" else ~has_label
    if filters.decided:
        keep &= (decided >= 0) == (filters.decided == "decided")
    return keep


def _match_column(documents: Catalogue, filters: Filters) -> Array:
    """Return whether the document, any of its labels or any of its queries has the value in the column, (D,)."""
    table_name, _, name = filters.column.partition(": ")
    table = getattr(documents.study, table_name)
    rows = table[table[name].astype("str") == filters.value]
    if table_name == "queries":
        return of_query(documents, *rows["query_id"])
    return marked(documents, rows["doc_id"])


def _compared_codes(documents: Catalogue, annotator: str, filters: Filters, decided: Array) -> Array:
    """Return an annotator's codes as the page Agreement compares them: without answers to test questions and labels
    that are left out, with merged groups."""
    study = documents.study
    if annotator in annotator_names(study):
        labels = ordinary(study.labels[study.labels["annotator"] == annotator])
        codes = spread(documents, without_empty(labels, filters.filled) if filters.filled else labels)
    else:
        codes = decided if annotator == ADJUDICATED else documents.codes(annotator)
    return np.minimum(codes, 1) if filters.merged == GENDERED else codes  # neutral is 0, groups follow


def differing(*codes: Array) -> Array:
    """Return where two of these annotators or more gave different labels, (D,)."""
    low, high = codes[0], codes[0]
    for other in codes[1:]:
        low = np.where((low < 0) | ((other >= 0) & (other < low)), other, low)
        high = np.maximum(high, other)
    return low != high


def columns(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the columns that can filter documents, as `documents: stereotype`, with up to MOST_VALUES values each."""
    key_columns = {"queries": ("query_id", "text"), "documents": ("doc_id", "title", "text"),
                   "labels": ("doc_id", "annotator", "label")}  # fmt: skip
    values_by_column = {}
    for table_name, keys in key_columns.items():
        table = getattr(study, table_name)
        for name in (str(column) for column in table.columns if column not in keys):
            values = table[name].dropna().astype("str").unique()
            if 1 < len(values) <= MOST_VALUES:
                values_by_column[f"{table_name}: {name}"] = tuple(sorted(values))
    return values_by_column


def of_query(documents: Catalogue, *queries: str) -> Array:
    """Return whether the document was retrieved, judged or written for this query, or any of several, (D,)."""
    study = documents.study
    keep = np.zeros(len(documents.doc_ids), dtype=bool)
    for table in (study.runs, study.qrels, study.documents):
        if "query_id" in table.columns:
            keep |= marked(documents, table.loc[table["query_id"].isin(queries), "doc_id"])
    return keep


def marked(documents: Catalogue, doc_ids: pd.Series) -> Array:
    """Return whether the document is named, (D,)."""
    keep = np.zeros(len(documents.doc_ids), dtype=bool)
    places = documents.doc_ids.get_indexer(pd.Index(doc_ids.unique(), dtype="str"))
    keep[places[places >= 0]] = True
    return keep


def holding(documents: Catalogue, search: str) -> Array:
    """Return whether id, title or text of the document contains the search text, ignoring case, (D,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keep = np.zeros(len(documents.doc_ids), dtype=bool)
    texts = document_text(documents.study.documents)
    for column in (documents.doc_ids.to_series(), texts):
        column_array = pa.array(column, type=pa.large_string(), from_pandas=True)
        hits = pc.fill_null(pc.match_substring(column_array, search, ignore_case=True), False)
        keep[: len(column)] |= np.asarray(hits.to_numpy(zero_copy_only=False), dtype=bool)
    return keep
