"""Rankers: a study's documents ranked for its queries. To add one: a file with its record, and a line in RANKERS.

May import annotation, datasets and the rooms below them; it never imports evaluation.
"""

from fairviz.rankers.backpack.ranker import BACKPACK
from fairviz.rankers.balanced import BALANCED, ORACLE
from fairviz.rankers.baselines import PERFECT, RANDOM
from fairviz.rankers.bi_encoder import BI_ENCODER
from fairviz.rankers.cross_encoder import CROSS_ENCODER
from fairviz.rankers.detconstsort import DETCONSTSORT
from fairviz.rankers.grammar import Choice, parse_choices
from fairviz.rankers.lexical import BM25, QLM, TFIDF
from fairviz.rankers.llm_listwise import LLM_LISTWISE
from fairviz.rankers.llm_pairwise import LLM_PAIRWISE
from fairviz.rankers.neutral import NEUTRAL
from fairviz.rankers.record import Ranker
from fairviz.rankers.rrf import RRF
from fairviz.rankers.word_vectors import FASTTEXT_ADD, W2V_ADD, W2V_SI

RANKERS: dict[str, Ranker] = {
    ranker.name: ranker
    for ranker in (
        BM25, TFIDF, QLM, W2V_ADD, W2V_SI, FASTTEXT_ADD, BI_ENCODER, BACKPACK, CROSS_ENCODER, LLM_PAIRWISE,
        LLM_LISTWISE, RRF, NEUTRAL, BALANCED, DETCONSTSORT, ORACLE, PERFECT, RANDOM,
    )
}  # fmt: skip


def parse_rankers(text: str, embedding: str = "") -> tuple[Choice, ...]:
    """Return the choices of rankers in a text such as `bm25(k1=0.9,b=0.4),tfidf`. Raises UsageError.

    embedding: the default word vectors of every ranker that takes some.

    >>> [choice.system for choice in parse_rankers("bm25(k1=1.2),tfidf")]
    ['bm25-k1=1.2', 'tfidf']
    """
    return parse_choices(text, RANKERS, {"embedding": embedding} if embedding else {})


__all__ = ["RANKERS", "Choice", "Ranker", "parse_rankers"]
