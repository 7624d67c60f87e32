"""Batches of questions to a language model: concurrent, retried, within a budget, and each question sent once."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from fairviz import interrupts
from fairviz.declared import ANNOTATE
from fairviz.errors import FairvizError
from fairviz.home.permissions import permissions, visitor
from fairviz.models.answers import Answers, Claims, answers, claims, request_key
from fairviz.models.language_model import LanguageModel
from fairviz.models.owner_budget import prompt_tokens
from fairviz.models.protocol import Ask, PassingError, Question, Reply, letters_to_tokens
from fairviz.models.remote_model import StatusError
from fairviz.models.replies import tokens_of, usable
from fairviz.words.sentences import out_of

T = TypeVar("T")
CONCURRENCY = ANNOTATE["concurrency"].default
PATIENCE = ANNOTATE["patience"].default  # seconds from a request to the last byte of its answer
FIRST_TRIES, TRIES = 3, 8  # of the first question, which tests whether the server answers; of any other
FIRST_WAIT, LONGEST_WAIT = 1.0, 64.0  # seconds before the second try, doubled each time: two minutes in all
LOOK = 0.5  # seconds between two reports of progress while the job waits
GRACE = 2.0  # most seconds to wait for requests under way after the user stops a job
IN_A_ROW = 3  # consecutive questions without an answer after which the job ends
_STOPPED = "stopped"
Progress = Callable[[int, int], None]
Tried = tuple[str, "Reply | str", float]  # key, reply or the reason for its absence, seconds


# Threads that run tasks for one loop, safe against interrupts.
#
# Tasks and outcomes pass through SimpleQueue, whose put and get are atomic to signals. The threads are daemons: neither
# `close` nor the end of the program waits for a task under way.


@dataclass(frozen=True)
class Outcome(Generic[T]):
    """The value or the error of a task."""

    value: T | None
    error: BaseException | None = None


class Workers(Generic[T]):
    """At most `count` threads. under_way: the number of submitted tasks whose outcome was not yet returned."""

    def __init__(self, count: int) -> None:
        self.count, self.under_way = count, 0
        self._threads: list[Thread] = []
        self._tasks: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self._outcomes: SimpleQueue[Outcome[T]] = SimpleQueue()

    def submit(self, task: Callable[[], T]) -> None:
        """Run the task in a thread, once one is free."""
        self._tasks.put(task)
        self.under_way += 1
        if len(self._threads) < min(self.count, self.under_way):
            thread = Thread(target=self._run, name="fairviz worker", daemon=True)
            self._threads.append(thread)
            thread.start()

    def outcomes(self, seconds: float) -> list[Outcome[T]]:
        """Return the available outcomes, after waiting at most this many seconds for the first."""
        outcomes: list[Outcome[T]] = []
        try:
            outcomes.append(self._outcomes.get(timeout=seconds))
            while True:
                outcomes.append(self._outcomes.get_nowait())
        except Empty:
            self.under_way -= len(outcomes)
            return outcomes

    def close(self) -> None:
        """End each thread after its present task; tasks that have not begun are dropped."""
        try:
            while True:
                self._tasks.get_nowait()
        except Empty:
            for _ in self._threads:
                self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                self._outcomes.put(Outcome(task()))
            except BaseException as error:  # noqa: BLE001 - the loop that reads the outcome raises it
                self._outcomes.put(Outcome(None, error))


def counted(ask: Ask) -> Ask:
    """Return a function that sends a request as `ask` does, and counts its tokens for the visitor of this thread.

    Counted are the tokens that the model reports, else characters / 4 of prompt and reply; none where it refuses the
    request. Without a whole reply, the most tokens of the request stay counted. Raises: see
    `Permissions.reserved_tokens`.
    """
    person = visitor()  # the threads that send requests have none
    name = person.name if person is not None else ""

    def ask_and_count(body: Mapping[str, Any]) -> Reply:
        with permissions().reserved_tokens(name, body) as reserved:
            try:
                reply = ask(body)
            except (StatusError, FairvizError):
                reserved.used = 0
                raise
            estimate = prompt_tokens(body) + min(letters_to_tokens(reply.raw), body["max_tokens"])
            reserved.used = (sum(tokens_of(reply)) or estimate) if reply.status == 200 else 0
            return reply

    return ask_and_count


@dataclass(frozen=True)
class Budget:
    """The limits of one job, None for no limit: requests (each try is one) and tokens (of prompts and answers)."""

    requests: int | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Estimate:
    """The cost of a job: all questions, those not answered yet, and of the latter the approximate tokens of the prompts
    and the most tokens of the answers."""

    questions: int
    open: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Answered:
    """Replies in the order of the questions, None where all tries failed. asked: the number of questions sent by this
    job. Tokens (as counted by the server) and seconds are sums over all replies."""

    replies: tuple[Reply | None, ...]
    asked: int
    tokens_in: int
    tokens_out: int
    seconds: float


@dataclass
class Spent:
    """The requests and tokens that a job has used so far; safe for threads."""

    budget: Budget
    requests: int = 0
    tokens: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> bool:
        """Count a request; return False where the budget has none left."""
        with self.lock:
            is_within = self.budget.requests is None or self.requests < self.budget.requests
            is_within = is_within and (self.budget.tokens is None or self.tokens < self.budget.tokens)
            self.requests += is_within
            return is_within

    def add(self, tokens: int) -> None:
        with self.lock:
            self.tokens += tokens


def estimate(model: LanguageModel, questions: Sequence[Question]) -> Estimate:
    """Return the cost of the questions that are not answered yet. Sends nothing."""
    questions_by_key = dict(_keyed(model, questions))
    with answers() as store:
        replies = store.replies(list(questions_by_key))
    open_questions = {key: question for key, question in questions_by_key.items() if key not in replies}
    return Estimate(
        len(questions_by_key),
        len(open_questions),
        sum(question.tokens for question in open_questions.values()),
        sum(question.most_tokens for question in open_questions.values()),
    )


def recalled(model: LanguageModel, questions: Sequence[Question]) -> Answered:
    """Return the stored replies to these questions, None where there is none. Sends nothing."""
    keys = [key for key, _ in _keyed(model, questions)]
    with answers() as store:
        replies, seconds = store.replies(keys), store.seconds([*dict.fromkeys(keys)])
    return Answered(tuple(map(replies.get, keys)), 0, *_tokens(replies.values()), seconds)


def ask_all(
    model: LanguageModel,
    questions: Sequence[Question],
    progress: Progress,
    *,
    concurrency: int = CONCURRENCY,
    spent: Spent | None = None,
    patience: float = PATIENCE,
) -> Answered:
    """Return the model's replies to these questions. Equal questions are sent once, answered questions not at all.

    Each answer is persisted before progress(answered, in all) counts it. Raises FairvizError where the server does not
    answer, the budget is used up, or several questions in a row fail; stored answers stay, and the same call resumes
    from them, also after KeyboardInterrupt. Every half second Ctrl-C is checked for and progress is called: where
    either raises an exception that is not an Exception, requests under way end within a second. Questions under way in
    another job are not sent: this job waits for their answers.
    patience: most seconds from a request to the last byte of its answer.
    """
    bodies = bodies_of(model, questions)
    keys = [key for key, _ in _keyed(model, questions)]
    with answers() as store:
        replies = store.replies(list(bodies))
        progress(len(replies), len(bodies))
        open_bodies = {key: body for key, body in bodies.items() if key not in replies}
        sent = len(open_bodies)
        if open_bodies:
            store.add_requests(model.identity, open_bodies)
            job = _Job(model, store, spent or Spent(Budget()), progress, len(replies), len(bodies), patience)
            job.run(open_bodies, min(concurrency, model.limit or concurrency))
            replies |= job.replies
            sent -= job.elsewhere
        seconds = store.seconds(list(bodies))
    return Answered(tuple(replies.get(key) for key in keys), sent, *_tokens(replies.values()), seconds)


def _keyed(model: LanguageModel, questions: Sequence[Question]) -> Iterable[tuple[str, Question]]:
    return ((request_key(model.identity, question.body(model.name)), question) for question in questions)


def bodies_of(model: LanguageModel, questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
    """Return the request of each question by its key, equal ones once."""
    return {key: question.body(model.name) for key, question in _keyed(model, questions)}


def _tokens(replies: Iterable[Reply]) -> tuple[int, int]:
    """Return the tokens of prompts and of answers, as counted by the server."""
    counts = [tokens_of(reply) for reply in replies]
    return sum(prompt for prompt, _ in counts), sum(answer for _, answer in counts)


class _EndedError(Exception):
    """An early end of a job, with the reason; empty where the budget is used up."""

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
        self.replies: dict[str, Reply] = {}
        self.elsewhere = 0  # questions that another job sent meanwhile
        self._stop, self._given_up = threading.Event(), threading.Event()
        self._failures_in_a_row = 0

    def run(self, bodies: dict[str, dict[str, Any]], concurrency: int) -> None:
        """Send each question that is not under way in another job: the first alone, so that a wrong key or address is
        reported after one request. Progress is reported while the job waits, so that the caller can end it."""
        try:
            with (
                claims(self.store, bodies) as mine,
                self.model.open(self.patience, self._given_up) as send,
                interrupts.checked() as check,
            ):
                self._process(mine, Workers(concurrency), counted(send), bodies, check)
        except _EndedError as end:
            raise self._end_error(end.reason) from None

    def _end_error(self, reason: str) -> FairvizError:
        """Return the error of an early end; without a reason, of the budget."""
        progress = f"{out_of(self.before + len(self.replies), self.total, 'question')} are answered and kept"
        if reason:
            address = f" at {self.model.address}" if self.model.address else ""
            return FairvizError(
                f"{self.model.name}{address} does not answer: {reason}",
                f"{progress}. Check the address and the network, and run it again to resume.",
            )
        limits_by_name = {"requests": self.spent.budget.requests, "tokens": self.spent.budget.tokens}
        limits = " and ".join(f"{value:,} {name}" for name, value in limits_by_name.items() if value is not None)
        return FairvizError(
            f"the budget of {limits} is used up: {progress}", "Run it again with a larger budget to resume."
        )

    def _process(
        self,
        mine: Claims,
        workers: Workers[Tried],
        send: Ask,
        bodies: dict[str, dict[str, Any]],
        check: Callable[[], None],
    ) -> None:
        """Keep the workers busy until every question is answered."""
        tries, most = FIRST_TRIES, 1
        try:
            while mine.waiting or mine.elsewhere or workers.under_way:
                check()
                for key in mine.take(most - workers.under_way):
                    workers.submit(partial(self._try, send, key, bodies[key], tries))
                self._add_answered(mine)
                outcomes = workers.outcomes(LOOK if workers.under_way or mine.elsewhere else 0)
                self._keep(mine, [outcome.value for outcome in outcomes if outcome.value is not None])
                for error in (outcome.error for outcome in outcomes if outcome.error is not None):
                    raise error
                if outcomes:
                    tries, most = TRIES, 2 * workers.count
        except BaseException as error:
            self._stop.set()
            if not isinstance(error, Exception):  # Ctrl-C, or the button Stop
                self._given_up.set()
            self._settle(mine, workers, check if isinstance(error, Exception) else None)
            raise
        finally:
            self._given_up.set()
            workers.close()

    def _add_answered(self, mine: Claims) -> None:
        """Add the answers that other jobs stored meanwhile."""
        self.replies |= mine.answered
        self.elsewhere += len(mine.answered)
        mine.answered = {}

    def _settle(self, mine: Claims, workers: Workers[Tried], check: Callable[[], None] | None) -> None:
        """Store the answers under way when the job ends early. Without a check (the user stopped the job) it waits for
        GRACE at most; otherwise Ctrl-C and Stop are still checked for."""
        end = time.monotonic() + GRACE if check is None else float("inf")
        while workers.under_way and time.monotonic() < end:
            outcomes = workers.outcomes(min(LOOK, GRACE))
            self._store(mine, [outcome.value for outcome in outcomes if outcome.value is not None])
            if check is not None:
                check()
                self.progress(self.before + len(self.replies), self.total)

    def _try(self, ask: Ask, key: str, body: dict[str, Any], tries: int) -> Tried:
        """Return the reply to one question and its seconds, or the reason of its absence after all tries."""
        delay, reason = FIRST_WAIT, _STOPPED
        for tries_left in reversed(range(tries)):
            if self._stop.is_set():
                return key, _STOPPED, 0.0
            if not self.spent.take():
                raise _EndedError
            start = time.perf_counter()
            try:
                reply = usable(ask(body), self.model)
                self.spent.add(sum(tokens_of(reply)))
                return key, reply, time.perf_counter() - start
            except PassingError as error:
                reason = error.reason
                if tries_left and self._stop.wait(max(delay, error.wait)):
                    return key, _STOPPED, 0.0
                delay = min(2 * delay, LONGEST_WAIT)
        if tries == FIRST_TRIES:
            raise _EndedError(reason)
        return key, reason, 0.0

    def _keep(self, mine: Claims, tried: list[Tried]) -> None:
        """Store the answers, then count them. Raises _EndedError after too many failures in a row."""
        self._store(mine, tried)
        self.progress(self.before + len(self.replies), self.total)
        for _, reply, _ in tried:
            self._failures_in_a_row = 0 if isinstance(reply, Reply) else self._failures_in_a_row + 1
            if self._failures_in_a_row >= IN_A_ROW and isinstance(reply, str):
                raise _EndedError(reply)

    def _store(self, mine: Claims, tried: list[Tried]) -> None:
        good = [(key, reply, seconds) for key, reply, seconds in tried if isinstance(reply, Reply)]
        self.store.add(good)
        self.replies.update((key, reply) for key, reply, _ in good)
        mine.release([key for key, _, _ in tried])
