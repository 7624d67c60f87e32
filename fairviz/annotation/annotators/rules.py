"""`lexicon` and `mentions`: word lists; `vote`: the majority label of several annotators."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.votes import majority
from fairviz.annotation.annotators.record import Array, Labelled, Method, Values, Work, labelled
from fairviz.annotation.rules import MENTIONS as MENTIONS_RULE
from fairviz.annotation.rules import TAU, lexicon_of, neutral_or_prevailing, refuse_no_hits
from fairviz.measures.rankings import words_of
from fairviz.parameters import Parameter
from fairviz.words.counting import count_groups
from fairviz.words.tokenizers import TOKENIZERS


def word_counts(work: Work, tokenizer: str = "word") -> Array:
    """Return the numbers of gender words of each group in each document, (D, G), by `lexicon_of` the study.

    Raises FairvizError where no document has a word of the list: all would be labelled neutral.
    """
    lexicon = lexicon_of(work.study)
    if work.study.word_counts:
        counts = words_of(work.study, pd.Index(work.doc_ids, dtype="str"), lexicon, tokenizer).counts
    else:
        texts = pd.Series(list(work.texts), dtype="str")
        counts = np.asarray(count_groups(texts, lexicon, tokenizer, work.study.groups).counts)
    refuse_no_hits(lexicon, counts)
    return counts


def _vote(work: Work, _: Values, others: Sequence[Labelled]) -> Labelled:
    """Return the label with the most votes; the first-named of the tied annotators decides a tie."""
    codes = np.array([other.codes for other in others])  # (A, D)
    counts = np.array([(codes == code).sum(axis=0) for code in range(len(work.classes))]).T  # (D, C)
    is_most = counts == counts.max(axis=1, initial=1)[:, None]
    first_labels = np.full(len(work.texts), -1)
    for labels in reversed(codes):
        is_leading = (labels >= 0) & is_most[np.arange(len(labels)), np.maximum(labels, 0)]
        first_labels = np.where(is_leading, labels, first_labels)
    winners = majority(counts)
    winners = np.where(winners >= 0, winners, first_labels)
    result = labelled(winners)
    result.outcomes[winners < 0] = "unanswered"
    return result


LEXICON = Method(
    "lexicon",
    "neutral where NFaiRR's ω is 1 (at most tau gender words, or equal shares), else the gender whose words prevail",
    lambda work, values, _: labelled(neutral_or_prevailing(word_counts(work, values["tokenizer"]), int(values["tau"]))),
    (
        Parameter("tau", TAU, "gender words that a neutral document may hold", 0, 1000, whole=True),
        Parameter("tokenizer", "word", "how text becomes words", choices=TOKENIZERS),
    ),
    by_words=True,
)
MENTIONS = Method(
    "mentions", MENTIONS_RULE.summary, lambda work, *_: labelled(MENTIONS_RULE.label(word_counts(work))), by_words=True
)
VOTE = Method(
    "vote",
    "the label of most of the annotators in its brackets; for ties, that of the first-named",
    _vote,
    votes=True,
    by_words=True,
)
