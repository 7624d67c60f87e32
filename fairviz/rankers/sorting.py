"""Lists sorted by a language model, window after window; every answer is stored, and no question is sent twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairviz.models.answers import answers, request_key
from fairviz.models.asking import Answered, Estimate, Spent, ask_all
from fairviz.models.language_model import LanguageModel
from fairviz.models.protocol import Question, Reply
from fairviz.rankers.listwise_prompt import Prompt
from fairviz.rankers.permutations import Permutation, permutation_of
from fairviz.rankers.windows import Sliding

TOKENS_EACH, TOKENS_MORE = 6, 16  # of an answer: "[12] > " for each passage, and a little room
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Listing:
    """The candidates of one query, in their initial order."""

    query_id: str
    query: str
    documents: tuple[str, ...]


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


def sort_lists(
    model: LanguageModel,
    lists: Sequence[Listing],
    texts: Mapping[str, str],
    prompt: Prompt,
    sliding: Sliding,
    progress: Progress,
    spent: Spent | None = None,
) -> Sorted:
    """Return the lists in the model's order. texts: of each document of a list. spent: the budget and its use.

    The first window of all lists is sent, then the second, since a window depends on the one below it. A window whose
    answer names no order stays as it is. progress(windows answered, in all). Raises FairvizError: see `ask_all`;
    answers are stored, and the same call resumes from them.
    """
    walk = _Walk(lists, texts, prompt, sliding)
    total, windows, waves = walk.total, list[Window](), list[Answered]()
    progress(0, total)
    for number in range(walk.waves):
        wave = walk.wave(number)
        questions = [walk.question(listing, number) for listing in wave]
        answered = ask_all(model, questions, _progress_from(progress, len(windows), len(wave), total), spent=spent)
        windows += [walk.apply(listing, number, reply) for listing, reply in zip(wave, answered.replies, strict=True)]
        waves.append(answered)
        progress(len(windows), total)
    return Sorted(
        {query: tuple(order) for query, order in walk.orders.items()},
        tuple(windows),
        sum(answered.asked for answered in waves),
        sum(answered.tokens_in for answered in waves),
        sum(answered.tokens_out for answered in waves),
        sum(answered.seconds for answered in waves),
    )


def estimate_lists(
    model: LanguageModel, lists: Sequence[Listing], texts: Mapping[str, str], prompt: Prompt, sliding: Sliding
) -> Estimate:
    """Return the cost of sorting the lists beyond the stored answers; sends nothing. The windows of a list from the
    first unanswered one count as open, each with that one's tokens."""
    walk, estimate = _Walk(lists, texts, prompt, sliding), Estimate(0, 0, 0, 0)
    waiting = set(walk.orders)
    for number in range(walk.waves):
        wave = [listing for listing in walk.wave(number) if listing.query_id in waiting]
        questions = [walk.question(listing, number) for listing in wave]
        for listing, open_question, reply in zip(wave, questions, _stored_replies(model, questions), strict=True):
            if reply is not None:
                walk.apply(listing, number, reply)
                continue
            waiting.discard(listing.query_id)
            count = len(walk.spans[listing.query_id]) - number
            estimate = Estimate(
                0,
                estimate.open + count,
                estimate.tokens_in + count * open_question.tokens,
                estimate.tokens_out + count * open_question.most_tokens,
            )
    return replace(estimate, questions=walk.total)


def _stored_replies(model: LanguageModel, questions: Sequence[Question]) -> list[Reply | None]:
    """Return the stored replies."""
    keys = [request_key(model.identity, question.body(model.name)) for question in questions]
    with answers() as store:
        replies = store.replies(list(dict.fromkeys(keys)))
    return [replies.get(key) for key in keys]


class _Walk:
    """The windows of all lists, and the lists in the order of the answers so far."""

    def __init__(self, lists: Sequence[Listing], texts: Mapping[str, str], prompt: Prompt, sliding: Sliding) -> None:
        self.lists, self.texts, self.prompt = lists, texts, prompt
        self.orders = {listing.query_id: list(listing.documents) for listing in lists}
        self.spans = {listing.query_id: sliding.spans(len(listing.documents)) for listing in lists}

    @property
    def total(self) -> int:
        return sum(map(len, self.spans.values()))

    @property
    def waves(self) -> int:
        return max(map(len, self.spans.values()), default=0)

    def wave(self, number: int) -> list[Listing]:
        """Return the lists that have a window of this number, from 0."""
        return [listing for listing in self.lists if number < len(self.spans[listing.query_id])]

    def documents(self, listing: Listing, number: int) -> tuple[str, ...]:
        return tuple(self.orders[listing.query_id][slice(*self.spans[listing.query_id][number])])

    def question(self, listing: Listing, number: int) -> Question:
        passages = [self.texts[name] for name in self.documents(listing, number)]
        return question(self.prompt, listing.query, passages)

    def apply(self, listing: Listing, number: int, reply: Reply | None) -> Window:
        """Reorder the list by the reply; return the window."""
        names, (start, end) = self.documents(listing, number), self.spans[listing.query_id][number]
        answer = permutation_of(reply, len(names))
        self.orders[listing.query_id][start:end] = [names[place] for place in answer.order]
        return Window(listing.query_id, number + 1, start, names, answer)


def question(prompt: Prompt, query: str, passages: Sequence[str]) -> Question:
    """Return the question for one window, with room for an answer that names each of its passages."""
    return Question(prompt.filled(query, passages), TOKENS_EACH * len(passages) + TOKENS_MORE)


def _progress_from(progress: Progress, before: int, windows: int, total: int) -> Progress:
    """Return the progress within one wave, at most its windows, since equal questions are sent once."""
    return lambda done, _: progress(before + min(done, windows), total)
