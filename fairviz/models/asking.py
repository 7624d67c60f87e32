"""Many questions to a language model: several at a time, again where that helps, within a budget, never twice."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from fairviz.errors import FairvizError
from fairviz.models.answers import Answers, answers, request_key
from fairviz.models.language_model import Ask, LanguageModel, PassingError, Question, Reply
from fairviz.models.replies import tokens_of, usable

CONCURRENCY = 8
PATIENCE = 120.0  # seconds from a request to the last byte of its answer
FIRST_TRIES, TRIES = 3, 8  # of the first question, which tells whether the server can be asked at all; of any other
FIRST_WAIT, LONGEST_WAIT = 1.0, 64.0  # seconds before the second try, doubled each time: two minutes in all
LOOK = 0.5  # seconds after which a job that waits tells again how far it is
IN_A_ROW = 3  # questions that come to nothing, one after another, before the rest is not asked
_STOPPED = "stopped"
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Budget:
    """What one job may spend, None for no limit: requests (each try is one) and tokens (of prompts and answers)."""

    requests: int | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Estimate:
    """What a job would take: questions in all, those not answered yet, and of these the tokens of the prompts (about)
    and of the answers (at most)."""

    questions: int
    open: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Answered:
    """replies by question, None where one came to nothing after all tries; asked: how many were asked now; and of all
    replies, the tokens that the server counted and the seconds that they took, added up."""

    replies: tuple[Reply | None, ...]
    asked: int
    tokens_in: int
    tokens_out: int
    seconds: float


@dataclass
class Spent:
    """What a job has spent so far; several threads count here."""

    budget: Budget
    requests: int = 0
    tokens: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> bool:
        """Counts a request; False where the budget has none left."""
        with self.lock:
            left = self.budget.requests is None or self.requests < self.budget.requests
            left = left and (self.budget.tokens is None or self.tokens < self.budget.tokens)
            self.requests += left
            return left

    def add(self, tokens: int) -> None:
        with self.lock:
            self.tokens += tokens


def estimate(model: LanguageModel, questions: Sequence[Question]) -> Estimate:
    """What these questions would take, after those that are answered already. Asks nothing."""
    bodies = _bodies(model, questions)
    with answers() as store:
        known = store.of(list(bodies))
    still = {key: question for key, question in _keyed(model, questions) if key not in known}
    return Estimate(
        len(bodies),
        len(still),
        sum(question.tokens for question in still.values()),
        sum(question.most_tokens for question in still.values()),
    )


def recalled(model: LanguageModel, questions: Sequence[Question]) -> Answered:
    """What was answered to these questions before, None for those that were not. Asks nothing."""
    bodies = _bodies(model, questions)
    with answers() as store:
        known = store.of(list(bodies))
        seconds = store.seconds(list(bodies))
    replies = tuple(known.get(key) for key, _ in _keyed(model, questions))
    return Answered(replies, 0, *_tokens(known.values()), seconds)


def ask_all(
    model: LanguageModel,
    questions: Sequence[Question],
    progress: Progress,
    *,
    concurrency: int = CONCURRENCY,
    spent: Spent | None = None,
    patience: float = PATIENCE,
) -> Answered:
    """The model's replies to these questions. Equal questions are asked once; those answered before are not asked.

    Each answer is on the disk before progress(answered, in all) counts it. Raises FairvizError where the server cannot
    be asked, the budget is used up, or several questions in a row come to nothing; what was answered stays, and the
    same call goes on from there, as it does after KeyboardInterrupt. Progress is called every half second: where it
    raises KeyboardInterrupt (or another exception that is not an Exception), requests under way end within a second.
    patience: most seconds from a request to the last byte of its answer.
    """
    bodies = _bodies(model, questions)
    keys = [key for key, _ in _keyed(model, questions)]
    with answers() as store:
        known = store.of(list(bodies))
        progress(len(known), len(bodies))
        still = {key: body for key, body in bodies.items() if key not in known}
        if still:
            store.ask(model.identity, still)
            job = _Job(model, store, spent or Spent(Budget()), progress, len(known), len(bodies), patience)
            job.run(still, min(concurrency, model.limit or concurrency))
            known |= job.found
        seconds = store.seconds(list(bodies))
    return Answered(tuple(known.get(key) for key in keys), len(still), *_tokens(known.values()), seconds)


def _keyed(model: LanguageModel, questions: Sequence[Question]) -> Iterable[tuple[str, Question]]:
    return ((request_key(model.identity, question.body(model.name)), question) for question in questions)


def _bodies(model: LanguageModel, questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
    return {key: question.body(model.name) for key, question in _keyed(model, questions)}


def _tokens(replies: Iterable[Reply]) -> tuple[int, int]:
    """Tokens of prompts and of answers, as the servers counted them."""
    found = [tokens_of(reply) for reply in replies]
    return sum(one for one, _ in found), sum(other for _, other in found)


class _EndedError(Exception):
    """The job ends before its questions do: for a reason, or where there is none because the budget is used up."""

    def __init__(self, reason: str = "") -> None:
        self.reason = reason
        super().__init__(reason)


class _Job:
    """One run over open questions."""

    def __init__(
        self,
        model: LanguageModel,
        store: Answers,
        spent: Spent,
        progress: Progress,
        before: int,
        total: int,
        patience: float,
    ) -> None:
        self.model, self.store, self.spent, self.progress = model, store, spent, progress
        self.before, self.total, self.patience = before, total, patience
        self.found: dict[str, Reply] = {}
        self._stop, self._given_up = threading.Event(), threading.Event()
        self._row = 0

    def run(self, bodies: dict[str, dict[str, Any]], concurrency: int) -> None:
        """Asks them: the first alone, so that a wrong key or address is told after one request."""
        (first, body), *rest = bodies.items()
        try:
            with self.model.open(self.patience, self._given_up) as ask, ThreadPoolExecutor(concurrency) as pool:
                self._flow(pool, ask, [(first, body)], FIRST_TRIES, 1)
                self._flow(pool, ask, rest, TRIES, 2 * concurrency)
        except _EndedError as end:
            raise self._told(end.reason) from None

    def _flow(
        self, pool: ThreadPoolExecutor, ask: Ask, rest: list[tuple[str, dict[str, Any]]], tries: int, most: int
    ) -> None:
        """Keeps `most` questions with the pool until none is left, and tells how far it is while it waits, so that who
        hears of it can end the job. What is in flight when this ends early is waited for and kept, since it was asked:
        for the patience, or for a second where a person ends it.
        """
        waiting, flying = iter(rest), set[Future]()
        try:
            while True:
                for key, body in islice(waiting, most - len(flying)):
                    flying.add(pool.submit(self._tried, ask, key, body, tries))
                if not flying:
                    return
                done, flying = wait(flying, LOOK, return_when=FIRST_COMPLETED)
                self._keep([future.result() for future in done if future.exception() is None])
                for future in done:
                    future.result()
        except BaseException as error:
            self._stop.set()
            if not isinstance(error, Exception):  # KeyboardInterrupt, or the button Stop
                self._given_up.set()
            late = wait([future for future in flying if not future.cancel()]).done
            self._store([future.result() for future in late if future.exception() is None])
            raise

    def _tried(self, ask: Ask, key: str, body: dict[str, Any], tries: int) -> "tuple[str, Reply | str, float]":
        """The reply to one question and its seconds, or why there is none after all tries."""
        delay, reason = FIRST_WAIT, _STOPPED
        for left in reversed(range(tries)):
            if self._stop.is_set():
                return key, _STOPPED, 0.0
            if not self.spent.take():
                raise _EndedError
            begun = time.perf_counter()
            try:
                reply = usable(ask(body), self.model)
                self.spent.add(sum(tokens_of(reply)))
                return key, reply, time.perf_counter() - begun
            except PassingError as error:
                reason = error.reason
                if left and self._stop.wait(max(delay, error.wait)):
                    return key, _STOPPED, 0.0
                delay = min(2 * delay, LONGEST_WAIT)
        if tries == FIRST_TRIES:
            raise _EndedError(reason)
        return key, reason, 0.0

    def _keep(self, told: "list[tuple[str, Reply | str, float]]") -> None:
        """Stores what was answered, then counts it. Raises FairvizError where too many in a row were not."""
        self._store(told)
        self.progress(self.before + len(self.found), self.total)
        for _, reply, _ in told:
            self._row = 0 if isinstance(reply, Reply) else self._row + 1
            if self._row >= IN_A_ROW and isinstance(reply, str):
                raise _EndedError(reply)

    def _store(self, told: "list[tuple[str, Reply | str, float]]") -> None:
        good = [(key, reply, seconds) for key, reply, seconds in told if isinstance(reply, Reply)]
        self.store.add(good)
        self.found.update((key, reply) for key, reply, _ in good)

    def _told(self, reason: str) -> FairvizError:
        """Why the job ended before its questions did, when all that was answered is kept; no reason: the budget."""
        kept = f"{self.before + len(self.found):,} of {self.total:,} questions are answered and kept"
        if reason:
            where = f" at {self.model.address}" if self.model.address else ""
            return FairvizError(
                f"{self.model.name}{where} does not answer: {reason}",
                f"{kept}. Check the address and the network, and run it again: it goes on from there.",
            )
        named = {"requests": self.spent.budget.requests, "tokens": self.spent.budget.tokens}
        limits = " and ".join(f"{value:,} {name}" for name, value in named.items() if value is not None)
        return FairvizError(
            f"the budget of {limits} is used up: {kept}",
            "Run it again with a larger budget: it goes on where it is.",
        )
