"""Annotators from code: text in, labels out. To add one: a file with its record, and a line in ANNOTATORS.

May import what annotation may.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from fairviz.annotation.rules.record import LEXICON, MENTIONS, Rule, named_documents, own_lexicon, refuse_no_hits
from fairviz.errors import FairvizError, use_one_of
from fairviz.measures.rankings import WordEvidence, words_of
from fairviz.study.record import Study
from fairviz.study.tables import LABELS, conform
from fairviz.words.counting import Counts, Lexicon, count_groups, document_text

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


__all__ = ["ANNOTATORS", "Rule", "annotate", "labels_by_words"]
