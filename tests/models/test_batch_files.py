"""Batch files against a server that has them: sent once, collected by the next call, and asked again where lost."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fairviz.annotation.annotators.annotating import Annotations, Hearing, annotate
from fairviz.errors import FairvizError, UsageError
from fairviz.models.answers import answers_path
from fairviz.models.asking import Budget
from fairviz.models.remote_model import KEY
from tests.annotation.annotators.test_annotating import LABELS, grid


class _Handler(BaseHTTPRequestHandler):
    server: "BatchServer"

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers.get("Authorization"))
        if self.path == "/v1/files":
            lines = [json.loads(line) for line in re.findall(rb'^\{"custom_id".*\}\r?$', content, re.MULTILINE)]
            self.server.files.append(lines)
            self._send({"id": f"file-{len(self.server.files) - 1}"})
        elif self.path == "/v1/batches" and self.server.has_batches:
            asked = json.loads(content)
            assert asked["endpoint"] == "/v1/chat/completions"
            self.server.batches.append(int(asked["input_file_id"].removeprefix("file-")))
            self._send({"id": f"batch-{len(self.server.batches) - 1}", "status": "validating"})
        else:
            self._send({"error": {"message": "no such path"}}, 404)

    def do_GET(self) -> None:
        if found := re.fullmatch(r"/v1/batches/batch-(\d+)", self.path):
            number = int(found[1])
            state = self.server.state
            files = {"output_file_id": f"out-{number}"} if state == "completed" else {}
            self._send({"id": f"batch-{number}", "status": state, "request_counts": {"completed": 3}, **files})
        elif found := re.fullmatch(r"/v1/files/out-(\d+)/content", self.path):
            lines = self.server.files[self.server.batches[int(found[1])]]
            self._send("\n".join(filter(None, map(self.server.answer, lines))))
        else:
            self._send({}, 404)

    def _send(self, content: Any, status: int = 200) -> None:
        body = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class BatchServer(ThreadingHTTPServer):
    """files: the lines of each file that was sent. batches: the file of each. state: of every batch."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: list[list[dict]] = []
        self.batches: list[int] = []
        self.keys: list[str | None] = []
        self.state, self.has_batches = "in_progress", True

    def answer(self, line: dict) -> str:
        """The result line of a question: the class that its text shows."""
        prompt = line["body"]["messages"][0]["content"].rpartition("<document>")[2]
        said = "Female" if "She" in prompt else "Male" if "He " in prompt else "Neutral"
        body = {"choices": [{"message": {"content": said}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}
        return json.dumps({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}})

    @property
    def text(self) -> str:
        return f"llm(model='m',url='http://127.0.0.1:{self.server_address[1]}/v1')"


@pytest.fixture
def server() -> Iterator[BatchServer]:
    running = BatchServer()
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def label(server: BatchServer, told: list[str], **options: Any) -> Annotations:
    return annotate(grid(2), server.text, in_batches=True, hearing=Hearing(say=told.append), **options)


def unanswered(server: BatchServer, told: list[str], **options: Any) -> None:
    with pytest.raises(FairvizError, match="m has not answered every question yet\nRun the same command again"):
        label(server, told, **options)


def test_a_batch_is_sent_once_and_collected_later(server: BatchServer) -> None:
    told: list[str] = []
    unanswered(server, told)
    unanswered(server, told)
    assert told == [
        "m: sent 6 questions as batch batch-0, answered within 24h",
        "m: batch batch-0 is in_progress, 3 of 6 questions answered",
    ]
    assert [len(lines) for lines in server.files] == [6]
    assert server.files[0][0]["body"]["temperature"] == 0
    server.state = "completed"
    made = label(server, told)
    assert told[2:] == ["m: batch batch-0 has ended (completed): 6 of 6 questions answered"]
    assert made.labels["label"].tolist() == [LABELS[name[0]] for name in made.labels["doc_id"]]
    assert label(server, told).labels["label"].tolist() == made.labels["label"].tolist()
    assert len(server.files) == 1, "what was answered is not sent again"


def test_what_a_batch_lost_or_a_budget_left_out_is_asked_again(server: BatchServer) -> None:
    told, whole, turns = [], server.answer, iter(range(6))
    unanswered(server, told, budget=Budget(requests=4))
    assert told[0] == "m: 2 questions are not sent, as the budget is used up"
    server.state = "expired"
    unanswered(server, told)
    server.state = "completed"
    server.answer = lambda line: "" if next(turns) < 2 else whole(line)  # type: ignore[method-assign]
    unanswered(server, told)
    assert "m: batch batch-1 has ended (completed): 4 of 6 questions answered; 2 are sent again" in told
    assert [len(lines) for lines in server.files] == [4, 6, 2]
    server.answer = whole  # type: ignore[method-assign]
    assert len(label(server, told).labels) == 6


def test_a_server_without_batches_and_a_model_in_this_process(server: BatchServer, tmp_path) -> None:
    server.has_batches = False
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(FairvizError, match="has no batches"):
        label(server, [])
    with pytest.raises(UsageError, match="m runs in this process, which has no batches"):
        annotate(grid(1), f"llm(model='{path}')", in_batches=True)


def test_the_key_is_sent_to_its_server_alone_and_kept_nowhere(
    server: BatchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRVIZ_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
    monkeypatch.setenv(KEY, "sk-very-secret")
    whole = server.answer
    server.answer = lambda line: whole(line).replace("Neutral", "Neutral. sk-very-secret")  # type: ignore[method-assign]
    server.state = "completed"
    unanswered(server, [])
    label(server, [])
    assert set(server.keys) == {"Bearer sk-very-secret"}
    assert b"sk-very-secret" not in b"".join(path.read_bytes() for path in answers_path().parent.glob("answers*"))
