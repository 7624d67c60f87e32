"""The ranker `llm_pairwise`: a language model compares all pairs of a short list in both orders; sorted by wins."""

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path, prompts_folder
from fairviz.models.asking import Answered, Spent, ask_all
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Question, Reply
from fairviz.models.replies import LABELLED, MOST_CHARACTERS, UNPARSED, read_reply, read_template
from fairviz.parameters import Parameter
from fairviz.rankers.lexical import BM25, texts_of_top
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores

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
TOKENS = 8  # of an answer: `Passage 1.` and a few more, so that prose is recognised
ALTERNATIVES = 20  # most that servers return
Array = np.ndarray
NAME = "llm_pairwise"


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
    first, second = (_TAG.sub("< ", " ".join(passage.split()[:words])) for passage in (first, second))
    values = {"query": query, "first": first, "second": second}
    prompt = _PLACE.sub(lambda match: values[match[1]], text)
    return prompt.encode("utf-8", "replace").decode("utf-8").rstrip("\n")


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
    try:
        tokens = reply.content()["choices"][0]["logprobs"]["content"]
    except (KeyError, IndexError, TypeError):
        return math.nan

    def number(entry: Mapping[str, Any]) -> str:
        return str(entry.get("token", "")).strip(" \t\n*\"'▁Ġ")

    for token in tokens if isinstance(tokens, list) else []:
        if isinstance(token, dict) and number(token) in ("1", "2"):
            entries = token.get("top_logprobs")
            listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
            values = {number(entry): entry.get("logprob") for entry in listed}
            first, second = (
                float(value) if isinstance(value, (int, float)) else math.nan
                for value in (values.get("1"), values.get("2"))
            )
            return first - second
    return math.nan


@dataclass(frozen=True)
class Pair:
    """Two passages to compare for a query, all as text."""

    query: str
    one: str
    other: str


@dataclass(frozen=True, eq=False)
class Compared:
    """A model's answers about P pairs, (P, 2): with `one` first in the first column, with `other` first in the second.
    wins: 1 for `one`, 0 for `other`, NaN for neither. log_odds: of `one` over `other`, NaN where the server returns
    none. outcomes and texts: see `Named`. answered: the cost."""

    wins: Array
    log_odds: Array
    outcomes: Array
    texts: Array
    answered: Answered


def questions(pairs: Sequence[Pair], parameters: Parameters) -> tuple[LanguageModel, list[Question]]:
    """Return the model and its questions, two for each pair: `one` first, then `other`. Raises UsageError,
    FairvizError."""
    model, text = chosen_model(parameters["model"], parameters["url"]), prompt_text(parameters["prompt"])
    alternatives = min(ALTERNATIVES, model.alternatives) if parameters["logprobs"] else 0
    prompts = [
        filled(text, pair.query, *passages, int(parameters["words"]))
        for pair in pairs
        for passages in ((pair.one, pair.other), (pair.other, pair.one))
    ]
    return model, [Question(prompt, TOKENS, alternatives) for prompt in prompts]


def compared(
    pairs: Sequence[Pair], parameters: Parameters, progress: Callable[[int, int], None], spent: Spent | None = None
) -> Compared:
    """Return the model's answers about every pair in both orders; stored answers are not requested again. Raises: see
    `ask_all`."""
    answered = ask_all(*questions(pairs, parameters), progress, spent=spent)
    answers = [read_answer(reply) for reply in answered.replies]
    odds = np.array([answer.log_odds for answer in answers], dtype=np.float64).reshape(-1, 2)
    outcomes = np.array([answer.outcome for answer in answers], dtype=object).reshape(-1, 2)
    texts = np.array([answer.text for answer in answers], dtype=object).reshape(-1, 2)
    wins = np.select([outcomes == FIRST, outcomes == SECOND], [1.0, 0.0], np.nan)
    wins[:, 1], odds[:, 1] = 1 - wins[:, 1], -odds[:, 1]
    return Compared(wins, odds, outcomes, texts, answered)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Compare all pairs of all queries as one job, so that progress counts them together."""
    texts = collection.texts.by_name
    query_texts, lists = texts_of_top(collection, NAME, parameters["run"], int(parameters["n"]))
    names_of_pairs = [(query, *pair) for query, names in lists.items() for pair in combinations(names, 2)]
    pairs = [Pair(query_texts[query], texts[first], texts[second]) for query, first, second in names_of_pairs]
    wins = np.nan_to_num(compared(pairs, parameters, collection.encoding).wins, nan=0.5).sum(axis=1)
    scores = {  # less than half a win for each, falling along the list, so that tied wins keep its order
        query: {name: 0.5 * (len(names) - place) / (len(names) + 1) for place, name in enumerate(names)}
        for query, names in lists.items()
    }
    for (query, first, second), win_count in zip(names_of_pairs, wins.tolist(), strict=True):
        scores[query][first] += win_count
        scores[query][second] += 2 - win_count
    return list_scores(scores)


LLM_PAIRWISE = Ranker(
    name=NAME,
    summary="a language model that compares the first n documents of a list for relevance, two by two, in both orders",
    prepare=_prepare,
    parameters=(
        Parameter(
            "model", "", help="as its server calls it, smollm2 (extra llm), or the path of a .gguf file", required=True
        ),
        Parameter("url", "", help="the server's address, or openai (empty: FAIRVIZ_BASE_URL)", named=False),
        Parameter(
            "prompt", PLAIN, help=f"{', '.join(PROMPTS)}, or the path of a file with {{query}}, {{first}}, {{second}}"
        ),
        Parameter("run", BM25.name, help="the run whose top is compared; bm25 is made where there is none"),
        Parameter("n", 5.0, "how many documents of each list are compared", 2.0, 100.0, whole=True),
        Parameter("words", 300.0, "of each document, how many it is shown", 1.0, 10_000.0, whole=True),
        Parameter("logprobs", 1.0, "1 to request log-probabilities too, 0 not to", 0.0, 1.0, whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document to compare",
)
