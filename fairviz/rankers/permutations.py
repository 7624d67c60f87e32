"""The order that a model's answer names, read strictly: what is no list of identifiers is no order.

An order of n passages is a list of identifiers from 1 to n, as `[2] > [1] > [3]`. Only brackets that hold a number and
are joined by nothing but >, commas and white space are a list; numbers inside sentences never are, so that a passage
which is repeated in an answer ranks nothing, and nor does the example that the packaged templates give.
"""

import re
from dataclasses import dataclass

from fairviz.models.language_model import Reply
from fairviz.models.replies import is_refusal, is_too_long

EXACT, REPAIRED = "exact", "repaired"
PROSE, SEVERAL, FOREIGN, EMPTY = "prose", "several lists", "no passage", "empty"
REFUSED, TOO_LONG, UNANSWERED = "refused", "too long", "unanswered"
READ = (EXACT, REPAIRED)
UNREAD = (PROSE, SEVERAL, FOREIGN, EMPTY, REFUSED, TOO_LONG, UNANSWERED)
SHOWN = 2000  # characters of an answer that are kept beside its order
_IDENTIFIER = r"\[\s*[0-9]{1,9}\s*\]"
_LIST = re.compile(rf"{_IDENTIFIER}(?:[\s>,;≻]*{_IDENTIFIER})*")
_BARE = re.compile(r"\[?\s*[0-9]{1,9}(?:\s*[>,;≻]\s*[0-9]{1,9})+\s*\]?")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MARKS = re.compile(r"\*\*|`+(?:json|text)?")
_EXAMPLE = re.compile(r"\be\.g\.,? \[4\] > \[2\]")  # of the packaged templates, which an answer may repeat
_NUMBERED = re.compile(r"^[ \t]*(?:[-*•]|[0-9]{1,4}[.):])[ \t]*(?=\[)", re.MULTILINE)


@dataclass(frozen=True)
class Permutation:
    """What an answer came to.

    outcome: `exact` (each passage once and nothing else), `repaired`, or why there is no order (one of UNREAD). order:
    the places of all passages as they were shown, from 0, best first; as shown where there is none. named: how many of
    them the answer names; missing: how many it does not, which follow in the order in which they were shown; double:
    identifiers that it names again, of which the first counts; invented: those that no passage has. around: whether
    words stand around the list.
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
        """Whether the answer names an order."""
        return self.outcome in READ

    @property
    def identity(self) -> bool:
        """Whether the answer names the order in which the passages were shown."""
        return self.read and self.order == tuple(range(len(self.order)))


def permutation_of(reply: Reply | None, count: int) -> Permutation:
    """A reply as an order of so many passages, or the reason why there is none."""
    as_shown = tuple(range(count))
    if reply is None:
        return Permutation(UNANSWERED, as_shown)
    if reply.status != 200:
        outcome = TOO_LONG if is_too_long(reply) else REFUSED if is_refusal(reply) else PROSE
        return Permutation(outcome, as_shown, text=reply.raw[:SHOWN])
    choices = reply.content().get("choices")
    if not choices:
        return Permutation(PROSE, as_shown, text=reply.raw[:SHOWN])
    message, ended = choices[0]["message"], choices[0].get("finish_reason")
    if message.get("refusal") or ended == "content_filter":
        said = str(message.get("refusal") or message.get("content") or "")
        return Permutation(REFUSED, as_shown, text=said[:SHOWN])
    text = message.get("content")
    return parse_permutation(text if isinstance(text, str) else "", count)


def parse_permutation(text: str, count: int) -> Permutation:
    """The order of so many passages that the text names.

    >>> found = parse_permutation("[3] > [1]", 3)
    >>> found.outcome, found.order, found.missing
    ('repaired', (2, 0, 1), 1)
    >>> parse_permutation("Passage [2] is better than passage [1].", 2).outcome
    'prose'
    """
    as_shown, shown = tuple(range(count)), text[:SHOWN]
    answer = _EXAMPLE.sub("e.g.", _MARKS.sub("", text.rsplit("</think>", 1)[-1]))
    answer = _NUMBERED.sub("", answer).strip().rstrip(".")
    if not answer:
        return Permutation(EMPTY, as_shown, text=shown)
    lists, around = _lists(answer)
    if len(lists) != 1:
        return Permutation(SEVERAL if lists else PROSE, as_shown, text=shown)
    listed = lists[0]
    known = [number - 1 for number in listed if 1 <= number <= count]
    invented, places = len(listed) - len(known), list(dict.fromkeys(known))
    if not places:
        return Permutation(FOREIGN, as_shown, invented=invented, text=shown)
    rest = [place for place in as_shown if place not in set(places)]
    double = len(known) - len(places)
    outcome = REPAIRED if rest or double or invented or around else EXACT
    return Permutation(outcome, (*places, *rest), len(places), len(rest), double, invented, around, shown)


def _lists(answer: str) -> tuple[list[tuple[int, ...]], bool]:
    """The different lists of identifiers in the answer, and whether words stand around them. A single identifier is a
    list only where the answer is nothing else."""
    if _LIST.fullmatch(answer) or _BARE.fullmatch(answer):
        return [_numbers(answer)], False
    found = [_numbers(match[0]) for match in _LIST.finditer(answer)]
    return list(dict.fromkeys(one for one in found if len(one) > 1)), True


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(text))
