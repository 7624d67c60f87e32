"""Lists sorted by a language model, window after window; every answer is stored, and no question is sent twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairviz.models.asking import Answered, Estimate, Spent, ask_all, recalled
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
    walk = _Walk(task)
    total, windows, waves = walk.total, list[Window](), list[Answered]()
    progress(0, total)
    for number in range(walk.waves):
        wave = walk.wave(number)
        questions = [walk.question(listing, number) for listing in wave]
        answered = ask_all(task.model, questions, _progress_from(progress, len(windows), len(wave), total), spent=spent)
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


def estimate_lists(task: SortingTask) -> Estimate:
    """Return the cost of sorting the lists beyond the stored answers; sends nothing. The windows of a list from the
    first unanswered one count as open, each with that one's tokens."""
    walk, estimate = _Walk(task), Estimate(0, 0, 0, 0)
    waiting = set(walk.orders)
    for number in range(walk.waves):
        wave = [listing for listing in walk.wave(number) if listing.query_id in waiting]
        questions = [walk.question(listing, number) for listing in wave]
        replies = recalled(task.model, questions).replies
        for listing, open_question, reply in zip(wave, questions, replies, strict=True):
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


class _Walk:
    """The windows of all lists, and the lists in the order of the answers so far."""

    def __init__(self, task: SortingTask) -> None:
        self.task = task
        self.orders = {listing.query_id: list(listing.documents) for listing in task.lists}
        self.spans = {listing.query_id: task.sliding.spans(len(listing.documents)) for listing in task.lists}

    @property
    def total(self) -> int:
        return sum(map(len, self.spans.values()))

    @property
    def waves(self) -> int:
        return max(map(len, self.spans.values()), default=0)

    def wave(self, number: int) -> list[Listing]:
        """Return the lists that have a window of this number, from 0."""
        return [listing for listing in self.task.lists if number < len(self.spans[listing.query_id])]

    def documents(self, listing: Listing, number: int) -> tuple[str, ...]:
        return tuple(self.orders[listing.query_id][slice(*self.spans[listing.query_id][number])])

    def question(self, listing: Listing, number: int) -> Question:
        """Return the question for one window, with room for an answer that names each of its passages."""
        passages = [self.task.texts[name] for name in self.documents(listing, number)]
        prompt_text = self.task.prompt.filled(listing.query, passages)
        return Question(prompt_text, TOKENS_EACH * len(passages) + TOKENS_MORE)

    def apply(self, listing: Listing, number: int, reply: Reply | None) -> Window:
        """Reorder the list by the reply; return the window."""
        names, (start, end) = self.documents(listing, number), self.spans[listing.query_id][number]
        answer = permutation_of(reply, len(names))
        self.orders[listing.query_id][start:end] = [names[place] for place in answer.order]
        return Window(listing.query_id, number + 1, start, names, answer)


def _progress_from(progress: Progress, before: int, windows: int, total: int) -> Progress:
    """Return the progress within one wave, at most its windows, since equal questions are sent once."""
    return lambda done, _: progress(before + min(done, windows), total)
