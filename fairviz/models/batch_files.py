"""Batch files: questions that a server answers within a day, at `/v1/batches` of OpenAI's protocol, often for half.

A batch is stored before its questions count as under way, so that the next call, in any process, collects it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import Any

from fairviz.errors import FairvizError, UsageError
from fairviz.home.json_lines import lines_of, to_line
from fairviz.installed import require_package
from fairviz.models.answers import Answers, answers
from fairviz.models.language_model import LanguageModel
from fairviz.models.owner_budget import take_request
from fairviz.models.protocol import LARGEST, PassingError, Reply
from fairviz.models.remote_model import certificates, key_for, without_key
from fairviz.models.replies import usable
from fairviz.words.sentences import out_of

ENDPOINT = "/v1/chat/completions"
MOST = 50_000  # questions of a batch
WINDOW = "24h"
ENDED = ("failed", "expired", "cancelled", "canceled")
Bodies = Mapping[str, dict[str, Any]]


def answer_in_batches(
    model: LanguageModel, bodies: Bodies, patience: float, say: Callable[[str], None], take: Callable[[], bool]
) -> bool:
    """Collect the answers of earlier batches, send the open questions as new ones, and return whether none is open.

    bodies: requests by key. patience: most seconds of one request to the server. say: receives a sentence for each
    batch. take: whether the budget has another request. Raises UsageError for a model in this process, FairvizError
    where the server has no batches or does not answer.
    """
    if not model.address:
        raise UsageError(f"{model.name} runs in this process, which has no batches", "Leave out --batch.")
    with answers() as store, _opened_server(model, patience) as server:
        for batch, keys in store.batches(model.identity).items():
            _collect(model, store, server, batch, keys, say)
        under_way = {key for keys in store.batches(model.identity).values() for key in keys}
        replies = store.replies(list(bodies))
        left = {key: body for key, body in bodies.items() if key not in replies and key not in under_way}
        paid = dict(takewhile(lambda _: take(), left.items()))
        if len(paid) < len(left):
            say(f"{model.name}: {len(left) - len(paid):,} questions are not sent, as the budget is used up")
        for start in range(0, len(paid), MOST):
            part = dict(list(paid.items())[start : start + MOST])
            batch = server.submit(part)
            store.add_requests(model.identity, part)
            store.add_batch(model.identity, batch, list(part))
            say(f"{model.name}: sent {len(part):,} questions as batch {batch}, answered within {WINDOW}")
        return all(key in replies for key in bodies)


@contextmanager
def _opened_server(model: LanguageModel, patience: float) -> Iterator["_Server"]:
    key = key_for(model.address)
    require_package("httpx2", "batches need")
    import httpx2

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx2.Client(headers=headers, timeout=patience, follow_redirects=False, verify=certificates()) as client:
        yield _Server(client, model.address, key)


def _collect(
    model: LanguageModel, store: Answers, server: "_Server", batch: str, keys: list[str], say: Callable[[str], None]
) -> None:
    """Store the answers of a batch that has ended; say how far another is."""
    status = server.get(f"/batches/{batch}")
    state = str(status.get("status", ""))
    counts = status.get("request_counts")
    done = counts.get("completed", 0) if isinstance(counts, dict) else 0
    files = [status.get(name) for name in ("output_file_id", "error_file_id")]
    if state != "completed" and state not in ENDED:
        say(f"{model.name}: batch {batch} is {state or 'unknown'}, {out_of(done, len(keys), 'question')} answered")
        return
    wanted, replies = set(keys), []
    for file in filter(None, files):
        for key, reply in server.replies(str(file)):
            try:
                if key in wanted:
                    replies.append((key, usable(reply, model), 0.0))
            except (PassingError, FairvizError):
                continue  # asked again
    store.add(replies)
    store.end_batch(batch)
    rest = f"; {len(keys) - len(replies):,} are sent again" if len(replies) < len(keys) else ""
    say(
        f"{model.name}: batch {batch} has ended ({state}): {out_of(len(replies), len(keys), 'question')} answered{rest}"
    )


class _Server:
    """The server of a model. Nothing follows a redirect, and its key is in no text that is kept."""

    def __init__(self, client: Any, address: str, key: str) -> None:
        self._client, self._address, self._key = client, address, key

    def submit(self, bodies: Bodies) -> str:
        """Send the questions as a file, begin a batch, and return its id."""
        lines = (
            to_line({"custom_id": key, "method": "POST", "url": ENDPOINT, "body": body}) for key, body in bodies.items()
        )
        content = "".join(lines).encode("utf-8", "backslashreplace")
        if self._key:
            for _ in bodies:
                take_request()
        file = self._request("POST", "/files", data={"purpose": "batch"}, files={"file": ("batch.jsonl", content)})
        request = {"input_file_id": file.get("id"), "endpoint": ENDPOINT, "completion_window": WINDOW}
        return str(self._request("POST", "/batches", json=request)["id"])

    def get(self, path: str) -> dict[str, Any]:
        """Return the JSON object at a path."""
        return self._request("GET", path)

    def replies(self, file: str) -> list[tuple[str, Reply]]:
        """Return key and reply of each line of a result file; lines that are none are left out."""
        import httpx2

        found: list[tuple[str, Reply]] = []
        try:
            with self._client.stream("GET", f"{self._address}/files/{file}/content") as response:
                self._check(response)
                for line in lines_of(response.iter_bytes(), LARGEST):
                    with suppress(ValueError, TypeError, KeyError, RecursionError):
                        entry = json.loads(without_key(line.decode("utf-8", "replace"), self._key))
                        answer = entry["response"]
                        reply = Reply(int(answer["status_code"]), json.dumps(answer["body"]))
                        found.append((str(entry["custom_id"]), reply))
        except httpx2.RequestError as error:
            raise self._gone(error) from None
        return found

    def _request(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        """Return the JSON object that the server returns for a request."""
        import httpx2

        try:
            response = self._client.request(method, self._address + path, **content)
        except httpx2.RequestError as error:
            raise self._gone(error) from None
        self._check(response)
        try:
            answer = json.loads(without_key(response.text[:LARGEST], self._key))
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict) or not answer.get("id"):
            raise FairvizError(f"{self._address}{path} did not return a batch", "Leave out --batch.")
        return answer

    def _check(self, response: Any) -> None:
        if response.status_code in (404, 405):
            raise FairvizError(f"{self._address} has no batches (status {response.status_code})", "Leave out --batch.")
        if response.status_code >= 300:
            raise FairvizError(
                f"{self._address} refused a batch (status {response.status_code})",
                "Check the key, and try again later.",
            )

    def _gone(self, error: Exception) -> FairvizError:
        reason = without_key(str(error), self._key)[:200] or type(error).__name__
        return FairvizError(f"{self._address} does not answer: {reason}", "Run the same command again later.")
