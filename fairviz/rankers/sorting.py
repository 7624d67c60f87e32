"""Lists sorted by a language model, window after window; every question and answer is kept, none is asked twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fairviz.models.asking import Answered, ask_all
from fairviz.models.language_model import LanguageModel, Question
from fairviz.rankers.listwise_prompt import Prompt
from fairviz.rankers.permutations import Permutation, permutation_of
from fairviz.rankers.windows import Sliding

TOKENS_EACH, TOKENS_MORE = 6, 16  # of an answer: "[12] > " for each passage, and a little room
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Listing:
    """The candidates of one query, in the order in which they are shown first."""

    query_id: str
    query: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Window:
    """One question and what its answer came to. number: which window of its list, from 1; start: the place of its
    first passage in the list, from 0; shown: the documents as they were shown."""

    query_id: str
    number: int
    start: int
    shown: tuple[str, ...]
    answer: Permutation


@dataclass(frozen=True)
class Sorted:
    """The lists sorted, by query; every window; and of all questions, how many were asked now, the tokens that the
    server counted and the seconds that the answers took."""

    orders: Mapping[str, tuple[str, ...]]
    windows: tuple[Window, ...]
    asked: int
    tokens_in: int
    tokens_out: int
    seconds: float


def sort_lists(
    model: LanguageModel,
    lists: Sequence[Listing],
    texts: Mapping[str, str],
    prompt: Prompt,
    sliding: Sliding,
    progress: Progress,
) -> Sorted:
    """The lists as the model orders them. texts: of each document that a list holds.

    The first window of all lists is asked, then the second: a window holds what the one below it brought up. A window
    whose answer names no order stays as it is. progress(windows answered, in all). Raises FairvizError as
    `ask_all`; what was answered is kept, and the same call goes on from there.
    """
    orders = {one.query_id: list(one.documents) for one in lists}
    spans = {one.query_id: sliding.spans(len(one.documents)) for one in lists}
    total, done = sum(map(len, spans.values())), 0
    windows: list[Window] = []
    took: list[Answered] = []
    progress(0, total)
    for number in range(max(map(len, spans.values()), default=0)):
        wave = [one for one in lists if number < len(spans[one.query_id])]
        shown = [tuple(orders[one.query_id][slice(*spans[one.query_id][number])]) for one in wave]
        questions = [
            question(prompt, one.query, [texts[name] for name in names]) for one, names in zip(wave, shown, strict=True)
        ]
        took.append(ask_all(model, questions, _from(progress, done, len(wave), total)))
        for one, names, reply in zip(wave, shown, took[-1].replies, strict=True):
            start, end = spans[one.query_id][number]
            answer = permutation_of(reply, len(names))
            orders[one.query_id][start:end] = [names[place] for place in answer.order]
            windows.append(Window(one.query_id, number + 1, start, names, answer))
        done += len(wave)
        progress(done, total)
    return Sorted(
        {query: tuple(order) for query, order in orders.items()},
        tuple(windows),
        sum(one.asked for one in took),
        sum(one.tokens_in for one in took),
        sum(one.tokens_out for one in took),
        sum(one.seconds for one in took),
    )


def question(prompt: Prompt, query: str, passages: Sequence[str]) -> Question:
    """The question for one window, with room for an answer that names each of its passages."""
    return Question(prompt.filled(query, passages), TOKENS_EACH * len(passages) + TOKENS_MORE)


def _from(progress: Progress, before: int, windows: int, total: int) -> Progress:
    """Progress within one wave; equal questions are asked once, so that it counts no further than its windows."""
    return lambda done, _: progress(before + min(done, windows), total)
