"""The ranker `llm_listwise`: a language model that orders passages (RankGPT, Sun et al. 2023) of the top of a run."""

import os
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from fairviz.errors import FairvizError, UsageError
from fairviz.home import named_path, prompts_folder
from fairviz.models.asking import Answered, Estimate, Spent, ask_all, recalled
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import Question, Reply
from fairviz.models.replies import (
    EMPTY,
    MOST_CHARACTERS,
    REFUSED,
    TOO_LONG,
    UNANSWERED,
    UNPARSED,
    content_of,
    read_template,
)
from fairviz.parameters import Parameter
from fairviz.rankers.lexical import BM25, texts_of_top
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores
from fairviz.words.sentences import out_of

WINDOW, STEP = 20, 10
NEUTRAL, SENSITIVE = "neutral", "sensitive"
PROMPTS = (NEUTRAL, SENSITIVE, "wikiproject-neutral", "wikiproject-sensitive")
_PLACE = re.compile(r"{(attribute|query|count|passages)}")
_TAG = re.compile(r"<(?=\s*/?\s*passage\b)", re.IGNORECASE)
_BRACKETED = re.compile(r"\[\s*([0-9]+)\s*\]")
EXACT, REPAIRED = "exact", "repaired"
PROSE, SEVERAL, FOREIGN = "prose", "several lists", "no passage"
READ = (EXACT, REPAIRED)
UNREAD = (PROSE, SEVERAL, FOREIGN, EMPTY, REFUSED, TOO_LONG, UNANSWERED)
_IDENTIFIER = r"\[\s*[0-9]{1,9}\s*\]"
_LIST = re.compile(rf"{_IDENTIFIER}(?:[\s>,;≻]*{_IDENTIFIER})*")
_BARE = re.compile(r"\[?\s*[0-9]{1,9}(?:\s*[>,;≻]\s*[0-9]{1,9})+\s*\]?")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MARKS = re.compile(r"\*\*|`+(?:json|text)?")
_EXAMPLE = re.compile(r"\be\.g\.,? \[4\] > \[2\]")  # of the packaged templates, which an answer may repeat
_NUMBERED = re.compile(r"^[ \t]*(?:[-*•]|[0-9]{1,4}[.):])[ \t]*(?=\[)", re.MULTILINE)
TOKENS_EACH, TOKENS_MORE = 6, 16  # of an answer: "[12] > " for each passage, and a little room
Progress = Callable[[int, int], None]
NAME = "llm_listwise"
_MOST = 10_000.0


# RankGPT's sliding window: from the end of a list to its beginning, so that relevant documents rise to the top.
#
# Sun et al. 2023, Is ChatGPT Good at Search? Their code stops where a whole window no longer fits, and skips the top of
# some lists; here the last window starts at the beginning of the list, so that every document is shown.


@dataclass(frozen=True)
class Sliding:
    """The number of passages in a window, and the step to the next window. Raises UsageError for a window of fewer than
    two, and for a step below 1 or one that would leave documents out."""

    window: int = WINDOW
    step: int = STEP

    def __post_init__(self) -> None:
        if self.window < 2:
            raise UsageError(f"the window is {self.window}", "Use a window of 2 or more.")
        if self.step < 1:
            raise UsageError(f"the step is {self.step}", "Use a step of 1 or more.")
        if self.step > self.window:
            raise UsageError(
                f"the step of {self.step} is larger than the window of {self.window}: documents between two windows "
                "would never be shown",
                f"Use a step of {self.window} or less.",
            )

    def spans(self, length: int) -> list[tuple[int, int]]:
        """Return the windows of a list of this length, the last places first; none for a list of one document.

        >>> Sliding(4, 2).spans(9)
        [(5, 9), (3, 7), (1, 5), (0, 4)]
        """
        spans: list[tuple[int, int]] = []
        size = min(self.window, length)
        start = length - size
        while length > 1 and (not spans or spans[-1][0] > 0):
            spans.append((max(start, 0), max(start, 0) + size))
            start -= self.step
        return spans


def cut_windows(sliding: Sliding, lengths: list[int]) -> str:
    """Return a note where the window is larger than a list; else empty."""
    shorter = [length for length in lengths if length < sliding.window]
    if not shorter:
        return ""
    return (
        f"the window of {sliding.window} is larger than {out_of(len(shorter), len(lengths), 'list')} (the shortest "
        f"holds {min(shorter)}), and is cut to them."
    )


@dataclass(frozen=True)
class Prompt:
    """A template with places for the query and the passages, and in a sensitive one for the users' attribute, such as
    `female`. words: most words of each passage."""

    name: str
    text: str
    attribute: str = ""
    words: int = 100

    def filled(self, query: str, passages: Sequence[str]) -> str:
        """Return the prompt for one query and its passages in this order, numbered from 1.

        Each passage is on one line between <passage> and </passage>. Its tags are escaped, and each [number] in it
        becomes (number), so that a passage repeated in the answer is not a list of identifiers.
        """
        lines = [f"[{number}] <passage>{self._cut(text)}</passage>" for number, text in enumerate(passages, start=1)]
        values = {
            "attribute": self.attribute,
            "query": _plain(query),
            "count": str(len(passages)),
            "passages": "\n".join(lines),
        }
        return _PLACE.sub(lambda match: values[match[1]], self.text).rstrip("\n")

    def _cut(self, passage: str) -> str:
        """Return the passage's first words on one line."""
        return " ".join(_plain(passage).split()[: self.words])


def _plain(text: str) -> str:
    """Return the text on one line, without identifiers, tags of a passage and lone surrogates."""
    line = _BRACKETED.sub(r"(\1)", _TAG.sub("< ", " ".join(text.split())))
    return line.encode("utf-8", "replace").decode("utf-8")


def prompt(template: str, attribute: str = "", words: int = 100) -> Prompt:
    """Return the template of this name, or in this file, for users of this attribute (empty for none).

    Raises UsageError for an unknown name, for a sensitive template without an attribute and the reverse, FairvizError
    for a file that cannot be read or lacks a place.
    """
    if template in PROMPTS:
        folder = files("fairviz.extensions.ranker_audits.rankers") / "prompts"
        text = (folder / f"{template}.txt").read_text(encoding="utf-8")
    else:
        text = _own_template(template)
    for place in ("query", "passages"):
        if f"{{{place}}}" not in text:
            raise FairvizError(f"the template {template} has no {{{place}}}", "Write it where its text belongs.")
    is_sensitive = "{attribute}" in text
    if is_sensitive and not attribute.strip():
        raise UsageError(f"the template {template} is for users of one attribute", "Name it, as attribute='female'.")
    if attribute and not is_sensitive:
        raise UsageError(
            f"the template {template} has no {{attribute}}, so that {attribute!r} would not be used",
            f"Use {SENSITIVE}, or leave the attribute out.",
        )
    return Prompt(template, text, _plain(attribute), words)


def _own_template(template: str) -> str:
    """Return the text of the user's template. Raises UsageError where there is no such file."""
    path = named_path(template, "template", prompts_folder())
    if not os.path.isfile(path):
        raise UsageError(
            f"there is no template {template!r}", f"Use one of {', '.join(PROMPTS)}, or the path of a text file."
        )
    return read_template(path, "template")


# Strict parsing of the order in a model's answer: only a list of identifiers is an order.
#
# An order of n passages is a list of identifiers from 1 to n, as `[2] > [1] > [3]`. Only bracketed numbers joined by
# nothing but >, commas and white space are a list. Numbers inside sentences are not, so that neither a repeated passage
# nor the example of the packaged templates ranks anything.


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
    outcome, text = content_of(reply)
    if not outcome:
        return parse_permutation(text, count)
    return Permutation(PROSE if outcome == UNPARSED else outcome, tuple(range(count)), text=text[:MOST_CHARACTERS])


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
    lists, around = _lists_in(answer)
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


def _lists_in(answer: str) -> tuple[list[tuple[int, ...]], bool]:
    """Return the different lists of identifiers in the answer, and whether there are words around them. A single
    identifier is a list only where the answer is nothing else."""
    if _LIST.fullmatch(answer) or _BARE.fullmatch(answer):
        return [_numbers(answer)], False
    lists = [_numbers(part) for part in _LIST.findall(answer)]
    return list(dict.fromkeys(numbers for numbers in lists if len(numbers) > 1)), True


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(text))


@dataclass(frozen=True)
class Listing:
    """The candidates of one query, in their initial order."""

    query_id: str
    query: str
    documents: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SortingTask:
    """The lists for a model to sort. texts: of each document of a list."""

    model: LanguageModel
    lists: Sequence[Listing]
    texts: Mapping[str, str]
    prompt: Prompt
    sliding: Sliding


@dataclass(frozen=True)
class Window:
    """One question and its parsed answer. number: of the window in its list, from 1; start: the place of its first
    passage in the list, from 0; shown: the documents in the prompt's order."""

    query_id: str
    number: int
    start: int
    shown: tuple[str, ...]
    answer: Permutation


@dataclass(frozen=True)
class Sorted:
    """The sorted lists by query, every window, and the cost: the number of questions sent now, and the tokens (as
    counted by the server) and seconds of all answers."""

    orders: Mapping[str, tuple[str, ...]]
    windows: tuple[Window, ...]
    asked: int
    tokens_in: int
    tokens_out: int
    seconds: float


def sort_lists(task: SortingTask, progress: Progress, spent: Spent | None = None) -> Sorted:
    """Return the lists in the model's order. spent: the budget and its use.

    The first window of all lists is sent, then the second, since a window depends on the one below it. A window whose
    answer names no order stays as it is. progress(windows answered, in all). Raises FairvizError: see `ask_all`;
    answers are stored, and the same call resumes from them.
    """
    walk, windows, waves = _Walk(task), list[Window](), list[Answered]()
    progress(0, walk.total)
    for number in range(walk.waves):
        wave = walk.wave(number, walk.orders)
        within_wave = _progress_from(progress, len(windows), len(wave), walk.total)
        answered = ask_all(task.model, [question for _, question in wave], within_wave, spent=spent)
        windows += [walk.apply(window, reply) for (window, _), reply in zip(wave, answered.replies, strict=True)]
        waves.append(answered)
        progress(len(windows), walk.total)
    return Sorted(
        {query: tuple(order) for query, order in walk.orders.items()},
        tuple(windows),
        sum(answered.asked for answered in waves),
        sum(answered.tokens_in for answered in waves),
        sum(answered.tokens_out for answered in waves),
        sum(answered.seconds for answered in waves),
    )


def _progress_from(progress: Progress, before: int, windows: int, total: int) -> Progress:
    """Return the progress within one wave, at most its windows, since equal questions are sent once."""
    return lambda done, _: progress(before + min(done, windows), total)


def estimate_lists(task: SortingTask) -> Estimate:
    """Return the cost of sorting the lists beyond the stored answers; sends nothing. The windows of a list from the
    first unanswered one count as open, each with that one's tokens."""
    walk, waiting = _Walk(task), {listing.query_id for listing in task.lists}
    open_windows = tokens_in = tokens_out = 0
    for number in range(walk.waves):
        wave = walk.wave(number, waiting)
        replies = recalled(task.model, [question for _, question in wave]).replies
        for (window, question), reply in zip(wave, replies, strict=True):
            if reply is not None:
                walk.apply(window, reply)
                continue
            waiting.discard(window.query_id)
            count = len(walk.spans[window.query_id]) - number
            open_windows += count
            tokens_in += count * question.tokens
            tokens_out += count * question.most_tokens
    return Estimate(walk.total, open_windows, tokens_in, tokens_out)


class _Walk:
    """The windows of all lists, and the lists in the order of the answers so far."""

    def __init__(self, task: SortingTask) -> None:
        self.task = task
        self.orders = {listing.query_id: list(listing.documents) for listing in task.lists}
        self.spans = {listing.query_id: task.sliding.spans(len(listing.documents)) for listing in task.lists}
        lengths = [*map(len, self.spans.values())]
        self.total, self.waves = sum(lengths), max(lengths, default=0)

    def wave(self, number: int, queries: Container[str]) -> list[tuple[Window, Question]]:
        """Return the unanswered windows of this number, from 0, of the queries that have one, and their questions, with
        room for an answer that names each passage."""
        wave = []
        for listing in self.task.lists:
            spans = self.spans[listing.query_id]
            if listing.query_id in queries and number < len(spans):
                shown = tuple(self.orders[listing.query_id][slice(*spans[number])])
                text = self.task.prompt.filled(listing.query, [self.task.texts[name] for name in shown])
                window = Window(listing.query_id, number + 1, spans[number][0], shown, permutation_of(None, len(shown)))
                wave.append((window, Question(text, TOKENS_EACH * len(shown) + TOKENS_MORE)))
        return wave

    def apply(self, window: Window, reply: Reply | None) -> Window:
        """Reorder the list by the reply; return the answered window."""
        answer, end = permutation_of(reply, len(window.shown)), window.start + len(window.shown)
        self.orders[window.query_id][window.start : end] = [window.shown[place] for place in answer.order]
        return replace(window, answer=answer)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    sliding = Sliding(int(parameters["window"]), int(parameters["step"]))
    template = prompt(parameters["template"], parameters["attribute"], int(parameters["words"]))
    model = chosen_model(parameters["model"], parameters["url"])
    query_texts, top = texts_of_top(collection, NAME, parameters["run"], int(parameters["n"]))
    lists = [Listing(query, query_texts[query], tuple(names)) for query, names in top.items()]
    note = cut_windows(sliding, [len(listing.documents) for listing in lists if listing.documents])
    if note:
        collection.say(f"{NAME}: {note}")
    task = SortingTask(model, lists, collection.texts.by_name, template, sliding)
    result = sort_lists(task, collection.encoding)
    collection.say(f"{NAME}: {_summary([window.answer for window in result.windows])}")
    return list_scores(
        {query: dict(zip(order, range(len(order), 0, -1), strict=True)) for query, order in result.orders.items()}
    )


def _summary(answers: Sequence[Permutation]) -> str:
    """Return one sentence on the outcomes of the answers, and one on those that change nothing."""
    exact = sum(answer.outcome == EXACT for answer in answers)
    repaired = sum(answer.outcome == REPAIRED for answer in answers)
    unread = sum(not answer.read for answer in answers)
    unchanged = sum(answer.identity for answer in answers)
    return (
        f"of {len(answers):,} answers {exact:,} are complete orders, {repaired:,} were repaired and {unread:,} name no "
        f"order: these leave the passages as they were. {unchanged:,} repeat the order shown."
    )


LLM_LISTWISE = Ranker(
    name=NAME,
    summary="a language model that orders the top n of another run, window by window from the end of the list "
    "(RankGPT); every answer is kept",
    prepare=_prepare,
    parameters=(
        Parameter(
            "model",
            "",
            help="as its server calls it (gpt-4o), smollm2 (installed with the extra llm), or the path of a .gguf file",
            required=True,
        ),
        Parameter("url", "", help="the server's address, or openai (empty: FAIRVIZ_BASE_URL)", named=False),
        Parameter("run", BM25.name, help="the run whose top it reorders; bm25 is made where there is none"),
        Parameter("n", 100.0, "how many documents of each list it is shown", 1.0, _MOST, whole=True),
        Parameter("window", WINDOW, "how many passages it is shown at a time", 2.0, _MOST, whole=True),
        Parameter("step", STEP, "how far the window moves up", 1.0, _MOST, whole=True),
        Parameter("template", NEUTRAL, help=f"{', '.join(PROMPTS)}, or the path of a text file"),
        Parameter("attribute", "", help="whom a sensitive template names, such as 'female'"),
        Parameter("words", 100.0, "how many words of each passage it is shown", 1.0, _MOST, whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document with text in that run",
)
