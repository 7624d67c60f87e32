"""Lists sorted by a language model, window after window; every question and answer is kept, none is asked twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairviz.models.answers import answers, request_key
from fairviz.models.asking import Answered, Estimate, Spent, ask_all
from fairviz.models.language_model import LanguageModel, Question, Reply
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
    spent: Spent | None = None,
) -> Sorted:
    """The lists as the model orders them. texts: of each document that a list holds. spent: what may be spent.

    The first window of all lists is asked, then the second: a window holds what the one below it brought up. A window
    whose answer names no order stays as it is. progress(windows answered, in all). Raises FairvizError as
    `ask_all`; what was answered is kept, and the same call goes on from there.
    """
    walk = _Walk(lists, texts, prompt, sliding)
    total, windows, took = walk.total, list[Window](), list[Answered]()
    progress(0, total)
    for number in range(walk.waves):
        wave = walk.wave(number)
        questions = [walk.question(one, number) for one in wave]
        took.append(ask_all(model, questions, _from(progress, len(windows), len(wave), total), spent=spent))
        windows += [walk.answered(one, number, reply) for one, reply in zip(wave, took[-1].replies, strict=True)]
        progress(len(windows), total)
    return Sorted(
        {query: tuple(order) for query, order in walk.orders.items()},
        tuple(windows),
        sum(one.asked for one in took),
        sum(one.tokens_in for one in took),
        sum(one.tokens_out for one in took),
        sum(one.seconds for one in took),
    )


def estimate_lists(
    model: LanguageModel, lists: Sequence[Listing], texts: Mapping[str, str], prompt: Prompt, sliding: Sliding
) -> Estimate:
    """What sorting them would take, after what is answered already; asks nothing. The windows of a list from the first
    that is not answered count as open, all with about the tokens of that one."""
    walk, left = _Walk(lists, texts, prompt, sliding), Estimate(0, 0, 0, 0)
    waiting = set(walk.orders)
    for number in range(walk.waves):
        wave = [one for one in walk.wave(number) if one.query_id in waiting]
        questions = [walk.question(one, number) for one in wave]
        for one, asked, reply in zip(wave, questions, _known(model, questions), strict=True):
            if reply is not None:
                walk.answered(one, number, reply)
                continue
            waiting.discard(one.query_id)
            more = len(walk.spans[one.query_id]) - number
            left = Estimate(
                0, left.open + more, left.tokens_in + more * asked.tokens, left.tokens_out + more * asked.most_tokens
            )
    return replace(left, questions=walk.total)


def _known(model: LanguageModel, questions: Sequence[Question]) -> list[Reply | None]:
    """The replies that are kept already."""
    keys = [request_key(model.identity, one.body(model.name)) for one in questions]
    with answers() as store:
        found = store.replies(list(dict.fromkeys(keys)))
    return [found.get(key) for key in keys]


class _Walk:
    """The windows of all lists, one after another, and the lists as their answers have left them."""

    def __init__(self, lists: Sequence[Listing], texts: Mapping[str, str], prompt: Prompt, sliding: Sliding) -> None:
        self.lists, self.texts, self.prompt = lists, texts, prompt
        self.orders = {one.query_id: list(one.documents) for one in lists}
        self.spans = {one.query_id: sliding.spans(len(one.documents)) for one in lists}

    @property
    def total(self) -> int:
        return sum(map(len, self.spans.values()))

    @property
    def waves(self) -> int:
        return max(map(len, self.spans.values()), default=0)

    def wave(self, number: int) -> list[Listing]:
        """The lists that have a window of this number, from 0."""
        return [one for one in self.lists if number < len(self.spans[one.query_id])]

    def shown(self, one: Listing, number: int) -> tuple[str, ...]:
        return tuple(self.orders[one.query_id][slice(*self.spans[one.query_id][number])])

    def question(self, one: Listing, number: int) -> Question:
        return question(self.prompt, one.query, [self.texts[name] for name in self.shown(one, number)])

    def answered(self, one: Listing, number: int, reply: Reply | None) -> Window:
        """What the reply came to; the list stands as it says."""
        names, (start, end) = self.shown(one, number), self.spans[one.query_id][number]
        answer = permutation_of(reply, len(names))
        self.orders[one.query_id][start:end] = [names[place] for place in answer.order]
        return Window(one.query_id, number + 1, start, names, answer)


def question(prompt: Prompt, query: str, passages: Sequence[str]) -> Question:
    """The question for one window, with room for an answer that names each of its passages."""
    return Question(prompt.filled(query, passages), TOKENS_EACH * len(passages) + TOKENS_MORE)


def _from(progress: Progress, before: int, windows: int, total: int) -> Progress:
    """Progress within one wave; equal questions are asked once, so that it counts no further than its windows."""
    return lambda done, _: progress(before + min(done, windows), total)
