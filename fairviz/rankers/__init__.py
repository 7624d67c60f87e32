"""Rankers: a study's documents ranked for its queries. To add one: a file with its record, and a line in RANKERS.

May import annotation, datasets and the rooms below them; it never imports evaluation.
"""

from collections.abc import Mapping
from typing import Any

from fairviz.errors import UsageError, expect, value_text
from fairviz.installed import Registry
from fairviz.rankers.adopted import adopt, ranker_of
from fairviz.rankers.encoders import BI_ENCODER, CROSS_ENCODER
from fairviz.rankers.grammar import RankerChoice, parse_choices
from fairviz.rankers.lexical import BM25, PERFECT, QLM, RANDOM, RRF, TFIDF
from fairviz.rankers.record import Ranker
from fairviz.rankers.reordering import BALANCED, DETCONSTSORT, NEUTRAL, ORACLE
from fairviz.rankers.word_vectors import FASTTEXT_ADD, W2V_ADD, W2V_SI

_OWN = {
    ranker.name: ranker
    for ranker in (
        BM25, TFIDF, QLM, W2V_ADD, W2V_SI, FASTTEXT_ADD, BI_ENCODER, CROSS_ENCODER, RRF, NEUTRAL, BALANCED,
        DETCONSTSORT, ORACLE, PERFECT, RANDOM,
    )
}  # fmt: skip
RANKERS: Registry[Ranker] = Registry("fairviz.rankers", Ranker, _OWN, adopt)


def parse_rankers(text: str, embedding: str = "") -> tuple[RankerChoice, ...]:
    """Return the choices of rankers in a text such as `bm25(k1=0.9,b=0.4),tfidf`. Raises UsageError.

    embedding: the default word vectors of every ranker that takes some.

    >>> [choice.system for choice in parse_rankers("bm25(k1=1.2),tfidf")]
    ['bm25-k1=1.2', 'tfidf']
    """
    return parse_choices(text, RANKERS, {"embedding": embedding} if embedding else {})


def text_of(rankers: object, argument: str = "rankers", form: str = "{}") -> str:
    """Return rankers as text. Functions by name, `(query, texts) -> scores`, become rankers of this process.

    form: of a function's name in the text. Raises UsageError for what is neither, and for a name that is in use.
    """
    if isinstance(rankers, str):
        return rankers
    remedy = "Write it as 'bm25(k1=1.2),tfidf', or give functions by name, as {'mine': score}."
    expect(argument, rankers, Mapping, remedy)
    functions: Mapping[Any, Any] = rankers  # type: ignore[assignment]
    for name, score in functions.items():
        if not isinstance(name, str) or not callable(score):
            raise UsageError(f"{argument} holds {value_text(name)}: {value_text(score)}", remedy)
        try:
            RANKERS.take(ranker_of(name, score))
        except ValueError as error:
            raise UsageError(f"the ranker {name!r} cannot be used: {error}", "Name it otherwise.") from error
    return ",".join(form.format(name) for name in functions)


__all__ = ["RANKERS", "Ranker", "RankerChoice", "parse_rankers", "text_of"]
