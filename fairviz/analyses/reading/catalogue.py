"""The catalogue of all documents that a study names, with their labels by annotator.

Axis letters: D documents of the catalogue, L labels. Documents are identified by their row in the catalogue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, can_count_words, same_rule
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import entropy
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
    doc_ids = _doc_ids(study)
    labels = label_names(study)
    words = _words(study, settings)
    usable = words is not None and WORD_LIST not in annotator_names(study) and can_count_words(study, settings)
    word_list = _word_list(words, settings, doc_ids) if words is not None and usable else None
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
    ranked = study.runs["doc_id"].cat.remove_unused_categories().cat.categories
    parts = [pd.Index(part, dtype="str") for part in (study.documents["doc_id"], ranked, study.labels["doc_id"])]
    return parts[0].append(parts[1:]).unique()


def label_names(study: Study) -> tuple[str, ...]:
    """Return neutral and the gender groups, then other labels by frequency, then by name."""
    if study.label_kind == "gender":
        return (study.neutral, *study.groups)
    counts = study.labels["label"].value_counts()
    return tuple(sorted(counts.index, key=lambda label: (-counts[label], label)))


def _words(study: Study, settings: Settings) -> Counts | None:
    """Return the gender words of the documents table; None for a study without text."""
    texts = document_text(study.documents)
    if not len(texts) or texts.isna().all():
        return None
    return count_groups(texts, chosen_lexicon(study, settings), settings.tokenizer, study.groups)


def _word_list(words: Counts, settings: Settings, doc_ids: pd.Index) -> Array:
    """Return the word list's label of each document, (D,): neutral up to tau gender words, else the prevailing
    group.
    """
    label_codes = neutral_or_prevailing(words.counts, settings.tau)
    codes = np.full(len(doc_ids), -1, dtype=np.int16)
    codes[: len(label_codes)] = np.where(
        words.known, label_codes, -1
    )  # the documents table comes first in the catalogue
    return codes


def words_of(documents: Catalogue, settings: Settings, place: int) -> tuple[list[int], int, float]:
    """Return a document's gender words by group, the number of all its words, and its neutrality omega."""
    if documents.words is None:
        raise ValueError("the study holds no text")
    row = slice(place, place + 1)
    counts, tokens, has_text = documents.words.counts[row], documents.words.tokens[row], documents.words.known[row]
    nobody = LabelEvidence(np.array([-1], dtype=np.int8))
    places = AlignedRankings(
        one_list(1), nobody, WordEvidence(counts, tokens, has_text, has_text), documents.study.groups
    )
    return counts[0].tolist(), int(tokens[0]), float(neutrality(places, settings.tau)[0])


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
    return {"labels": [", ".join(_format_counts(documents, place)) for place in places]}


def _format_counts(documents: Catalogue, place: int) -> list[str]:
    votes = documents.votes[place]
    order = sorted(np.flatnonzero(votes), key=lambda code: (-votes[code], code))
    return [f"{documents.labels[code]} ×{votes[code]}" for code in order]
