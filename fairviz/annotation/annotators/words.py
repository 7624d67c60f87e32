"""`lexicon` and `mentions`: word lists."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.annotators.record import Array, Labelled, Method, Values, Work, labelled
from fairviz.annotation.rules.lexicon import TAU, label, lexicon_of
from fairviz.annotation.rules.mentions import MENTIONS as MENTIONS_RULE
from fairviz.parameters import Parameter
from fairviz.words.counting import count_groups


def word_counts(work: Work, tokenizer: str = "word") -> Array:
    """Return the numbers of gender words of each group in each document, (D, G), by `lexicon_of` the study."""
    lexicon = lexicon_of(work.study)
    words = count_groups(pd.Series(list(work.texts), dtype="str"), lexicon, tokenizer, work.study.groups)
    return np.asarray(words.counts)


def _lexicon(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    return labelled(label(word_counts(work, values["tokenizer"]), int(values["tau"])))


def _mentions(work: Work, _: Values, __: Sequence[Labelled]) -> Labelled:
    return labelled(MENTIONS_RULE.label(word_counts(work)))


LEXICON = Method(
    "lexicon",
    "neutral where NFaiRR's ω is 1 (at most tau gender words, or equal shares), else the gender whose words prevail",
    _lexicon,
    (
        Parameter("tau", TAU, "gender words that a neutral document may hold", 0, 1000, whole=True),
        Parameter("tokenizer", "word", "how text becomes words", choices=("word", "whitespace")),
    ),
)
MENTIONS = Method("mentions", MENTIONS_RULE.summary, _mentions)
