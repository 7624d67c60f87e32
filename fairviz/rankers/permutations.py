"""Strict parsing of the order in a model's answer: only a list of identifiers is an order.

An order of n passages is a list of identifiers from 1 to n, as `[2] > [1] > [3]`. Only bracketed numbers joined by
nothing but >, commas and white space are a list. Numbers inside sentences are not, so that neither a repeated passage
nor the example of the packaged templates ranks anything.
"""

import re
from dataclasses import dataclass

from fairviz.models.protocol import Reply
from fairviz.models.replies import is_refusal, is_too_long

EXACT, REPAIRED = "exact", "repaired"
PROSE, SEVERAL, FOREIGN, EMPTY = "prose", "several lists", "no passage", "empty"
REFUSED, TOO_LONG, UNANSWERED = "refused", "too long", "unanswered"
READ = (EXACT, REPAIRED)
UNREAD = (PROSE, SEVERAL, FOREIGN, EMPTY, REFUSED, TOO_LONG, UNANSWERED)
MOST_CHARACTERS = 2000  # characters of an answer that are stored with its order
_IDENTIFIER = r"\[\s*[0-9]{1,9}\s*\]"
_LIST = re.compile(rf"{_IDENTIFIER}(?:[\s>,;≻]*{_IDENTIFIER})*")
_BARE = re.compile(r"\[?\s*[0-9]{1,9}(?:\s*[>,;≻]\s*[0-9]{1,9})+\s*\]?")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MARKS = re.compile(r"\*\*|`+(?:json|text)?")
_EXAMPLE = re.compile(r"\be\.g\.,? \[4\] > \[2\]")  # of the packaged templates, which an answer may repeat
_NUMBERED = re.compile(r"^[ \t]*(?:[-*•]|[0-9]{1,4}[.):])[ \t]*(?=\[)", re.MULTILINE)


@dataclass(frozen=True)
class Permutation:
    """A parsed answer.

    outcome: `exact` (each passage once and nothing else), `repaired`, or one of UNREAD for no order. order: the places
    of all passages in the prompt, from 0, best first; the prompt's order for no order. named: the number of named
    passages; missing: of the others, which follow in the prompt's order; double: of repeated identifiers, of which the
    first counts; invented: of identifiers without a passage. around: whether there are words around the list.
    """

    outcome: str
    order: tuple[int, ...]
    named: int = 0
    missing: int = 0
    double: int = 0
    invented: int = 0
    around: bool = False
    text: str = ""

    @property
    def read(self) -> bool:
        """Return whether the answer names an order."""
        return self.outcome in READ

    @property
    def identity(self) -> bool:
        """Return whether the answer names the prompt's order."""
        return self.read and self.order == tuple(range(len(self.order)))


def permutation_of(reply: Reply | None, count: int) -> Permutation:
    """Return the reply as an order of `count` passages, or with the outcome for no order."""
    as_shown = tuple(range(count))
    if reply is None:
        return Permutation(UNANSWERED, as_shown)
    if reply.status != 200:
        outcome = TOO_LONG if is_too_long(reply) else REFUSED if is_refusal(reply) else PROSE
        return Permutation(outcome, as_shown, text=reply.raw[:MOST_CHARACTERS])
    choices = reply.content().get("choices")
    if not choices:
        return Permutation(PROSE, as_shown, text=reply.raw[:MOST_CHARACTERS])
    message, finish_reason = choices[0]["message"], choices[0].get("finish_reason")
    if message.get("refusal") or finish_reason == "content_filter":
        refusal = str(message.get("refusal") or message.get("content") or "")
        return Permutation(REFUSED, as_shown, text=refusal[:MOST_CHARACTERS])
    text = message.get("content")
    return parse_permutation(text if isinstance(text, str) else "", count)


def parse_permutation(text: str, count: int) -> Permutation:
    """Return the order of `count` passages in the text.

    >>> found = parse_permutation("[3] > [1]", 3)
    >>> found.outcome, found.order, found.missing
    ('repaired', (2, 0, 1), 1)
    >>> parse_permutation("Passage [2] is better than passage [1].", 2).outcome
    'prose'
    """
    as_shown, excerpt = tuple(range(count)), text[:MOST_CHARACTERS]
    answer = _EXAMPLE.sub("e.g.", _MARKS.sub("", text.rsplit("</think>", 1)[-1]))
    answer = _NUMBERED.sub("", answer).strip().rstrip(".")
    if not answer:
        return Permutation(EMPTY, as_shown, text=excerpt)
    lists, around = _lists(answer)
    if len(lists) != 1:
        return Permutation(SEVERAL if lists else PROSE, as_shown, text=excerpt)
    numbers = lists[0]
    named = [number - 1 for number in numbers if 1 <= number <= count]
    invented, places = len(numbers) - len(named), list(dict.fromkeys(named))
    if not places:
        return Permutation(FOREIGN, as_shown, invented=invented, text=excerpt)
    rest = [place for place in as_shown if place not in set(places)]
    double = len(named) - len(places)
    outcome = REPAIRED if rest or double or invented or around else EXACT
    return Permutation(outcome, (*places, *rest), len(places), len(rest), double, invented, around, excerpt)


def _lists(answer: str) -> tuple[list[tuple[int, ...]], bool]:
    """Return the different lists of identifiers in the answer, and whether there are words around them. A single
    identifier is a list only where the answer is nothing else."""
    if _LIST.fullmatch(answer) or _BARE.fullmatch(answer):
        return [_numbers(answer)], False
    lists = [_numbers(match[0]) for match in _LIST.finditer(answer)]
    return list(dict.fromkeys(numbers for numbers in lists if len(numbers) > 1)), True


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(text))
