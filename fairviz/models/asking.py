"""Many questions to a language model: several at a time, again where that helps, within a budget, never twice."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fairviz import interrupts
from fairviz.errors import FairvizError
from fairviz.models.answers import Answers, answers, request_key
from fairviz.models.claims import Claims, claims
from fairviz.models.language_model import Ask, LanguageModel, PassingError, Question, Reply
from fairviz.models.replies import tokens_of, usable
from fairviz.models.workers import Workers

CONCURRENCY = 8
PATIENCE = 120.0  # seconds from a request to the last byte of its answer
FIRST_TRIES, TRIES = 3, 8  # of the first question, which tells whether the server can be asked at all; of any other
FIRST_WAIT, LONGEST_WAIT = 1.0, 64.0  # seconds before the second try, doubled each time: two minutes in all
LOOK = 0.5  # seconds after which a job that waits tells again how far it is
GRACE = 2.0  # seconds that a person who stops a job waits, at most, where a model does not end by itself
IN_A_ROW = 3  # questions that come to nothing, one after another, before the rest is not asked
_STOPPED = "stopped"
Progress = Callable[[int, int], None]
Tried = tuple[str, "Reply | str", float]  # the key, the reply or why there is none, and its seconds


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
    """replies by question, None where one came to nothing after all tries; asked: the number that this job asked now;
    and of all replies, the tokens that the server counted and the seconds that they took, added up."""

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
    same call goes on from there, as it does after KeyboardInterrupt. Ctrl-C is checked for every half second, and
    progress called: where either raises an exception that is not an Exception, requests under way end within a second.
    Questions that another job asks meanwhile are not asked: its answers are waited for.
    patience: most seconds from a request to the last byte of its answer.
    """
    bodies = _bodies(model, questions)
    keys = [key for key, _ in _keyed(model, questions)]
    with answers() as store:
        known = store.of(list(bodies))
        progress(len(known), len(bodies))
        still = {key: body for key, body in bodies.items() if key not in known}
        asked = len(still)
        if still:
            store.ask(model.identity, still)
            job = _Job(model, store, spent or Spent(Budget()), progress, len(known), len(bodies), patience)
            job.run(still, min(concurrency, model.limit or concurrency))
            known |= job.found
            asked -= job.elsewhere
        seconds = store.seconds(list(bodies))
    return Answered(tuple(known.get(key) for key in keys), asked, *_tokens(known.values()), seconds)


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
        self.elsewhere = 0  # questions that another job asked meanwhile
        self._stop, self._given_up = threading.Event(), threading.Event()
        self._row = 0

    def run(self, bodies: dict[str, dict[str, Any]], concurrency: int) -> None:
        """Ask each question that no other job is asking: the first alone, so that a wrong key or address is reported
        after one request."""
        try:
            with (
                claims(self.store, bodies) as mine,
                self.model.open(self.patience, self._given_up) as ask,
                interrupts.checked() as check,
            ):
                self._flow(mine, Workers(concurrency), partial(self._tried, ask), bodies, check)
        except _EndedError as end:
            raise self._told(end.reason) from None

    def _flow(
        self,
        mine: Claims,
        workers: Workers[Tried],
        tried: Callable[[str, dict[str, Any], int], Tried],
        bodies: dict[str, dict[str, Any]],
        check: Callable[[], None],
    ) -> None:
        """Keep the workers busy until every question is answered, and report progress while it waits, so that the
        caller can end the job."""
        tries, most = FIRST_TRIES, 1
        try:
            while mine.waiting or mine.elsewhere or workers.under_way:
                check()
                for key in mine.take(most - workers.under_way):
                    workers.submit(partial(tried, key, bodies[key], tries))
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

    def _settle(self, mine: Claims, workers: Workers[Tried], check: Callable[[], None] | None) -> None:
        """Store what is in flight when the job ends early, since it was asked. A person who stops the job (no check)
        waits for GRACE at most; otherwise Ctrl-C and Stop are still checked for."""
        end = time.monotonic() + GRACE if check is None else float("inf")
        while workers.under_way and time.monotonic() < end:
            outcomes = workers.outcomes(min(LOOK, GRACE))
            self._store(mine, [outcome.value for outcome in outcomes if outcome.value is not None])
            if check is not None:
                check()
                self.progress(self.before + len(self.found), self.total)

    def _tried(self, ask: Ask, key: str, body: dict[str, Any], tries: int) -> Tried:
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

    def _add_answered(self, mine: Claims) -> None:
        """Add the answers that other jobs stored meanwhile."""
        self.found |= mine.answered
        self.elsewhere += len(mine.answered)
        mine.answered = {}

    def _keep(self, mine: Claims, tried: list[Tried]) -> None:
        """Store what was answered, then count it. Raises FairvizError where too many in a row were not."""
        self._store(mine, tried)
        self.progress(self.before + len(self.found), self.total)
        for _, reply, _ in tried:
            self._row = 0 if isinstance(reply, Reply) else self._row + 1
            if self._row >= IN_A_ROW and isinstance(reply, str):
                raise _EndedError(reply)

    def _store(self, mine: Claims, tried: list[Tried]) -> None:
        good = [(key, reply, seconds) for key, reply, seconds in tried if isinstance(reply, Reply)]
        self.store.add(good)
        self.found.update((key, reply) for key, reply, _ in good)
        mine.release([key for key, _, _ in tried])

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
