"""Annotators from code: rules that map counts of gender words to a label. To add one: its record, and its place in
ANNOTATORS."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.votes import majority
from fairviz.errors import FairvizError, use_one_of
from fairviz.measures.rankings import WordEvidence, words_of
from fairviz.study.record import Study
from fairviz.study.tables import LABELS, conform
from fairviz.words.counting import GSR_LEXICON, Counts, Lexicon, count_groups, document_text, no_hits

Array = np.ndarray
TAU = 1


@dataclass(frozen=True)
class Rule:
    """A word list as an annotator. `label` maps counts (D, G) of gender words to codes (D,): 0 neutral, 1.. the gender
    groups."""

    name: str
    summary: str
    label: Callable[[Array], Array]


def own_lexicon(study: Study) -> Lexicon:
    """Return the study's own word list, else that of its word counts, else the built-in one."""
    return study.lexicon or (study.word_counts.lexicon if study.word_counts else GSR_LEXICON)


def lexicon_of(study: Study) -> Lexicon:
    """Return the study's word list, as `own_lexicon`. Raises FairvizError where it lacks words of a group."""
    lexicon = own_lexicon(study)
    lacking = [group for group in study.groups if group not in lexicon.groups]
    if lacking:
        raise FairvizError(
            f"the word list {lexicon.name!r} has no words of the group {lacking[0]!r}",
            "Add lexicon.csv with the columns word, group.",
        )
    return lexicon


def refuse_no_hits(lexicon: Lexicon, counts: Array) -> None:
    """Raise FairvizError where there are documents, and no word of the list in any: counts (D, G) that are all 0."""
    if len(counts) and not counts.any():
        raise FairvizError(*no_hits(lexicon, len(counts)))


def named_documents(study: Study) -> pd.Index:
    """Return the ids of the documents in the study's table of documents or in its runs, each once."""
    retrieved = study.retrieved
    return pd.Index(study.documents["doc_id"], dtype="str").append(pd.Index(retrieved, dtype="str")).unique()


def prevailing(counts: Array) -> Array:
    """Return the group with the most words, (D,), as 1..G; 0 for tied groups and without words: the GSR paper's
    intrinsic genderedness, section 4.2.5."""
    return majority(counts) + 1


def neutral_or_prevailing(counts: Array, tau: int = TAU) -> Array:
    """Return neutral where ω is 1 (at most tau words, or equal shares), else the prevailing group; codes (D,)."""
    return np.where(counts.sum(axis=1) <= tau, 0, prevailing(counts))


LEXICON = Rule(
    "lexicon", "neutral where NFaiRR's ω is 1 (τ = 1), else the gender whose words prevail", neutral_or_prevailing
)


MENTIONS = Rule("mentions", "more male mentions than female is male, more female is female, else neutral", prevailing)
ANNOTATORS: dict[str, Rule] = {rule.name: rule for rule in (LEXICON, MENTIONS)}


def annotate(study: Study, name: str) -> pd.DataFrame:
    """Return this annotator's labels of the study's documents, in their order: doc_id, annotator, label.

    Title and text are counted together in `word` tokens, with the study's word list or else the built-in one. A
    document without text gets no label. With word counts in place of texts, the documents that runs name are labelled.

    Raises FairvizError for an unknown name, a study without documents, or one that no word of the list occurs in.
    """
    if name not in ANNOTATORS:
        raise FairvizError(f"there is no annotator {name!r}", use_one_of(ANNOTATORS, name))
    if not study.has("documents") and study.word_counts is None:
        raise FairvizError(f"the study {study.name!r} has no documents to label", "Add documents.tsv.")
    lexicon = own_lexicon(study)

    def label(counts: np.ndarray) -> np.ndarray:
        refuse_no_hits(lexicon, counts)
        return ANNOTATORS[name].label(counts)

    return labels_by_words(study, name, lexicon, "word", label)


def labels_by_words(
    study: Study, name: str, lexicon: Lexicon, tokenizer: str, label: Callable[[np.ndarray], np.ndarray]
) -> pd.DataFrame:
    """Return the labels by `label` from each document's counts of words in title and text, as annotator `name`; none
    for a document without text."""
    if study.word_counts:
        doc_ids = named_documents(study)
        words: Counts | WordEvidence = words_of(study, doc_ids, lexicon, tokenizer)
    else:
        doc_ids = pd.Index(study.documents["doc_id"])
        words = count_groups(document_text(study.documents), lexicon, tokenizer, study.groups)
    labels = np.array([study.neutral, *study.groups], dtype=object)[label(words.counts[words.known])]
    return conform(pd.DataFrame({"doc_id": doc_ids[words.known], "annotator": name, "label": labels}), LABELS)
