"""Rankers: a study's documents ranked for its queries. To add one: a file with its record, and a line in RANKERS."""

from typing import TYPE_CHECKING

from fairviz.rankers.bm25 import BM25
from fairviz.rankers.grammar import Choice, parse_choices
from fairviz.rankers.record import Ranker, RankerParameter
from fairviz.rankers.tfidf import TFIDF

if TYPE_CHECKING:
    from fairviz.rankers.ranking import Ranked as Ranked
    from fairviz.rankers.ranking import rank as rank

RANKERS: dict[str, Ranker] = {ranker.name: ranker for ranker in (BM25, TFIDF)}


def parse_rankers(text: str) -> tuple[Choice, ...]:
    """`bm25(k1=0.9,b=0.4),tfidf` as choices of rankers. Raises UsageError.

    >>> [choice.system for choice in parse_rankers("bm25(k1=1.2),tfidf")]
    ['bm25-k1=1.2', 'tfidf']
    """
    return parse_choices(text, RANKERS)


__all__ = ["RANKERS", "Choice", "Ranker", "RankerParameter", "parse_rankers"]
