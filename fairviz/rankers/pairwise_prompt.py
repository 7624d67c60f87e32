"""Prompts to compare two passages by relevance to a query, and the strict parsing of answers."""

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path, prompts_folder
from fairviz.models.protocol import Reply
from fairviz.models.replies import LABELLED, MOST_CHARACTERS, UNPARSED, read_reply, read_template

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
    """Return the prompt of this name, or in this file. Raises UsageError for an unknown name, FairvizError for a file
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
            "Write {query}, {first} and {second} where the query and the two passages belong.",
        )
    return text


def filled(text: str, query: str, first: str, second: str, words: int) -> str:
    """Return the prompt about two passages, each cut to `words`. A passage cannot end its place in the prompt."""
    values = {"query": query, "first": _cut(first, words), "second": _cut(second, words)}
    prompt = _PLACE.sub(lambda match: values[match[1]], text)
    return prompt.encode("utf-8", "replace").decode("utf-8").rstrip("\n")


def _cut(passage: str, words: int) -> str:
    return _TAG.sub("< ", " ".join(passage.split()[:words]))


@dataclass(frozen=True)
class Named:
    """A parsed answer. outcome: the chosen passage, `first` or `second`, else `unparsed`, `refused`, `empty`, `too
    long` or `unanswered`. log_odds: of the first passage over the second, NaN where the server returns none. text: the
    answer's."""

    outcome: str
    log_odds: float = math.nan
    text: str = ""


def read_answer(reply: Reply | None) -> Named:
    """Return the parsed reply."""
    answer = read_reply(reply, {FIRST: "1", SECOND: "2"})
    if answer.outcome not in (LABELLED, UNPARSED) or reply is None or reply.status != 200:
        return Named(answer.outcome, text=answer.text)
    return Named(named(answer.text) or UNPARSED, _log_odds(reply), answer.text[:MOST_CHARACTERS])


def named(text: str) -> str:
    """Return `first` or `second` where the answer begins with one passage's number and names no other, else empty.

    >>> named("Passage 2: The Breaking Waves"), named("**1**."), named("1 and 2"), named("Both are relevant.")
    ('second', 'first', '', '')
    """
    match = _BEGINS.match(text.strip())
    if match is None or any(number != match[1] for number in _NAMED.findall(text)):
        return ""
    return FIRST if match[1] == "1" else SECOND


def _log_odds(reply: Reply) -> float:
    """Return log(p(1) / p(2)) at the first token of the answer that is one of the two numbers; NaN where the server
    returns no log-probabilities, or lists only one of them."""
    for place in _tokens(reply):
        if _number(place) not in ("1", "2"):
            continue
        entries = place.get("top_logprobs")
        log_probabilities = (
            {_number(entry): _value(entry) for entry in entries if isinstance(entry, dict)}
            if isinstance(entries, list)
            else {}
        )
        return log_probabilities.get("1", math.nan) - log_probabilities.get("2", math.nan)
    return math.nan


def _tokens(reply: Reply) -> Sequence[Mapping[str, Any]]:
    """Return the tokens of the answer with their log-probabilities; none where the server returns none."""
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
