"""Annotators that label a study's documents. To add one: a file with its record, and a line in METHODS.

May import what annotation may.
"""

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.annotators.learning import CLASSIFIER, PROTOTYPES
from fairviz.annotation.annotators.llm import LLM, LOGPROB
from fairviz.annotation.annotators.record import Method, MethodChoice, adopt, parse_annotators
from fairviz.annotation.annotators.rules import LEXICON, MENTIONS, VOTE
from fairviz.annotation.voters import CONSENSUSES
from fairviz.installed import Registry
from fairviz.normal_form import folded


def _reserved(name: str) -> str:
    """Return the annotator of another kind that has the name, in any case of its letters; empty for none."""
    others = (known for known in (ADJUDICATED, *CONSENSUSES) if folded(known) == folded(name))
    return next(map("the annotator {}".format, others), "")


_OWN = {method.name: method for method in (LEXICON, MENTIONS, PROTOTYPES, CLASSIFIER, VOTE, LLM, LOGPROB)}
METHODS: Registry[Method] = Registry("fairviz.annotators", Method, _OWN, adopt, _reserved)


def parse(text: str) -> tuple[MethodChoice, ...]:
    """`classifier,lexicon(tau=0)` as choices of annotators. Raises UsageError.

    >>> [choice.name for choice in parse("lexicon(tau=0),vote(mentions,classifier)")]
    ['lexicon-tau=0', 'vote+mentions+classifier']
    """
    return parse_annotators(text, METHODS)


__all__ = ["METHODS", "Method", "MethodChoice", "parse"]
