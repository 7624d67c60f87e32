"""The question which of two passages is more relevant to a query, and what an answer to it says, read strictly."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairviz.annotation.annotators.parsing import SHOWN, read_reply
from fairviz.annotation.annotators.record import LABELLED, UNPARSED
from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path, prompts_folder
from fairviz.models.language_model import Reply
from fairviz.models.templates import read_template

PLAIN, WIKIPROJECT = "plain", "wikiproject"
_ENDING = """\
Search query: {query}

Passage 1: <passage>{first}</passage>

Passage 2: <passage>{second}</passage>

Answer with 1 or 2 alone, the number of the more relevant passage."""
PROMPTS = {
    PLAIN: f"You are a search system. Which of two passages is more relevant to the search query?\n\n{_ENDING}",
    WIKIPROJECT: "You are the search system for the WikiProject coordinators as users; their goal is to search for "
    "relevant articles and produce a ranked list of articles needing work that editors can then consult when looking "
    f"for work to do. Rank the two passages based on their relevance to the query.\n\n{_ENDING}",
}  # the second is that of Wang et al. 2024, section 3.3.1, with an answer that can be read
PLACES = ("query", "first", "second")
FIRST, SECOND = "first", "second"
_PLACE = re.compile("{(" + "|".join(PLACES) + ")}")
_TAG = re.compile(r"<(?=\s*/?\s*passage\b)", re.IGNORECASE)
_BEGINS = re.compile(r"[ \t*_\"'`>#(\[]*(?:passage[ \t]*[(\[#]?)?([12])[*_\"'`.)\] \t]*(?=:|\n|$)", re.IGNORECASE)
_NAMED = re.compile(r"\bpassage[ \t]*[(\[#]?([12])\b", re.IGNORECASE)


def prompt_text(prompt: str) -> str:
    """The prompt of this name, or in this file. Raises UsageError for a name that is none, FairvizError for a file
    that cannot be read or lacks one of the PLACES."""
    if prompt in PROMPTS:
        return PROMPTS[prompt]
    path = named_path(prompt, "prompt for pairs", prompts_folder())
    if not os.path.exists(path):
        raise UsageError(
            f"there is no prompt {prompt!r} for pairs", f"Use {' or '.join(PROMPTS)}, or the path of a text file."
        )
    text = read_template(path, "prompt")
    lacking = [place for place in PLACES if f"{{{place}}}" not in text]
    if lacking:
        raise FairvizError(
            f"the prompt {prompt} has no {{{lacking[0]}}}",
            "Write {query}, {first} and {second} where the query and the two passages are to stand.",
        )
    return text


def filled(text: str, query: str, first: str, second: str, words: int) -> str:
    """The prompt about two passages, of each at most so many words. A passage cannot end its place in the prompt."""
    values = {"query": query, "first": _cut(first, words), "second": _cut(second, words)}
    made = _PLACE.sub(lambda match: values[match[1]], text)
    return made.encode("utf-8", "replace").decode("utf-8").rstrip("\n")


def _cut(passage: str, words: int) -> str:
    return _TAG.sub("< ", " ".join(passage.split()[:words]))


@dataclass(frozen=True)
class Named:
    """What an answer says. outcome: `first` or `second`, the passage that it names, else why it names none (`unparsed`,
    `refused`, `empty`, `too long`, `unanswered`); log_odds: of the first passage over the second where the server
    tells, else NaN; text: the answer's."""

    outcome: str
    log_odds: float = math.nan
    text: str = ""


def read_answer(reply: Reply | None) -> Named:
    """A reply as the passage that it names."""
    said = read_reply(reply, {FIRST: "1", SECOND: "2"})
    if said.outcome not in (LABELLED, UNPARSED) or reply is None or reply.status != 200:
        return Named(said.outcome, text=said.text)
    return Named(named(said.text) or UNPARSED, _log_odds(reply), said.text[:SHOWN])


def named(text: str) -> str:
    """`first` or `second` where the answer begins with one passage's number and names no other, else empty.

    >>> named("Passage 2: The Breaking Waves"), named("**1**."), named("1 and 2"), named("Both are relevant.")
    ('second', 'first', '', '')
    """
    begins = _BEGINS.match(text.strip())
    if begins is None or any(number != begins[1] for number in _NAMED.findall(text)):
        return ""
    return FIRST if begins[1] == "1" else SECOND


def _log_odds(reply: Reply) -> float:
    """log(p(1) / p(2)) at the first place of the answer where one of the two numbers stands; NaN where the server does
    not tell, or lists none but one of them."""
    for place in _told(reply):
        if _number(place) not in ("1", "2"):
            continue
        listed = place.get("top_logprobs")
        found = (
            {_number(one): _value(one) for one in listed if isinstance(one, dict)} if isinstance(listed, list) else {}
        )
        return found.get("1", math.nan) - found.get("2", math.nan)
    return math.nan


def _told(reply: Reply) -> Sequence[Mapping[str, Any]]:
    """The places of the answer with their log-probabilities; none where the server does not tell."""
    try:
        content = reply.content()["choices"][0]["logprobs"]["content"]
    except (KeyError, IndexError, TypeError):
        return []
    return [place for place in content if isinstance(place, dict)] if isinstance(content, list) else []


def _number(place: Mapping[str, Any]) -> str:
    return str(place.get("token", "")).strip(" \t\n*\"'▁Ġ")


def _value(place: Mapping[str, Any]) -> float:
    value = place.get("logprob")
    return float(value) if isinstance(value, (int, float)) else math.nan
