"""A server that speaks OpenAI's protocol and gives faults on demand; also what the benchmark asks."""

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PIECE, MOST_SENT = 1 << 16, 1 << 26  # bytes of an endless body: at a time, and in all where no client goes away
DROPS = 600  # bytes of a body that comes a byte at a time
REFUSALS: dict[str, tuple[int, dict[str, Any]]] = {
    "429": (429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}),
    "500": (500, {"error": {"message": "oh dear"}}),
    "unknown model": (404, {"error": {"message": "The model 'm' does not exist", "code": "model_not_found"}}),
    "context": (400, {"error": {"message": "This model's maximum context length is 8 tokens.",
                                "code": "context_length_exceeded"}}),
    "filter": (400, {"error": {"message": "The prompt was filtered.", "code": "content_filter"}}),
    "odd": (400, {"error": {"message": "Unsupported parameter: max_tokens"}}),
}  # fmt: skip


@cache
def bomb() -> bytes:
    """Return MOST_SENT spaces, packed with gzip a piece at a time."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(b" " * PIECE) for _ in range(MOST_SENT // PIECE)) + packer.flush()


class ModelServer(ThreadingHTTPServer):
    """answer(prompt) is what the model says. faults: what goes wrong with the next requests, one each; a status such
    as `307` redirects to `location`, by default the same request at `elsewhere`. reply and status: what the fault
    `reply` sends. mute: it returns no log-probabilities. bodies, headers and times: what was asked, and when. most: the
    requests that it had at a time. Where `silence`, `drip` (a byte now and then) or `drip headers` holds a request
    back, `held` is set until `release` is, and for DROPS bytes at most. `endless` sends a body until the client goes
    away, at most MOST_SENT bytes; `sent` counts them. `bomb` sends MOST_SENT bytes packed with gzip."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Callable[[str], str] = lambda prompt: "Neutral"
        self.probabilities: Callable[[str], dict[str, float]] = lambda prompt: {}
        self.faults: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.held, self.release = threading.Event(), threading.Event()
        self.elsewhere, self.reply, self.sent = "", b"", 0
        self.location: str | None = None
        self.status = 200
        self.mute = False
        self.delay = 0.0
        self.now = self.most = 0
        self.times: list[float] = []
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def prompts(self) -> list[str]:
        return [body["messages"][0]["content"] for body in self.bodies]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the body waits 40 ms for the header to be acknowledged
    wbufsize = -1
    server: ModelServer

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.times.append(time.monotonic())
            self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.server.paths.append(self.path)
            fault = self.server.faults.pop(0) if self.server.faults else ""
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        if self.server.delay:
            time.sleep(self.server.delay)
        with self.server.lock:
            self.server.now -= 1
        self._answer(fault, body)

    def _answer(self, fault: str, body: dict[str, Any]) -> None:
        prompt = body["messages"][0]["content"]
        if fault == "wait":
            self._send(429, "{}", header=("Retry-After", "0.2"))
        elif fault in REDIRECTS:
            place = self.server.location
            place = f"{self.server.elsewhere}/chat/completions" if place is None else place
            self._send(int(fault), "{}", header=("Location", place))
        elif fault in ODD_BODIES:
            ODD_BODIES[fault](self)
        elif fault in REFUSALS:
            status, said = REFUSALS[fault]
            self._send(status, json.dumps(said))
        elif fault == "wrong key":
            self._send(401, json.dumps({"error": {"message": f"Incorrect key: {self.headers['Authorization']}"}}))
        elif fault == "cut":
            self._send(200, '{"choices": [{"mess', length=1000)
            self.close_connection = True
        elif fault == "nonsense":
            self._send(200, "<html>welcome to the proxy</html>")
        else:
            self._send(200, json.dumps(self._said(fault, body, prompt)))

    def _silence(self) -> None:
        """Sends nothing until the test releases it."""
        self.server.held.set()
        self.server.release.wait()
        self.close_connection = True

    def _drop(self, begin: Callable[[], object], byte: bytes) -> None:
        """Sends a byte after another until the test releases it."""
        begin()
        self.close_connection = True
        self.server.held.set()
        for _ in range(DROPS):
            if self.server.release.wait(0.05):
                return
            self.wfile.write(byte)
            self.wfile.flush()

    def _endless(self) -> None:
        """Sends spaces, without a length, until the client goes away."""
        self._begin("Connection", "close")
        while self.server.sent < MOST_SENT:
            self.wfile.write(b" " * PIECE)
            self.wfile.flush()
            self.server.sent += PIECE

    def _begin(self, name: str, value: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def _said(self, fault: str, body: dict[str, Any], prompt: str) -> dict[str, Any]:
        texts = {"empty": "", "huge": "no " * 3_500_000, "echo key": f"Your key is {self.headers['Authorization']}"}
        said = texts[fault] if fault in texts else self.server.answer(prompt)
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if fault == "refusal":
            message |= {"content": None, "refusal": "I cannot help with that."}
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "message": message}
        if body.get("logprobs") and not self.server.mute:
            listed = [{"token": name, "logprob": value} for name, value in self.server.probabilities(prompt).items()]
            choice["logprobs"] = {"content": [{"token": "x", "logprob": -1.0, "top_logprobs": listed}]}
        usage = {"prompt_tokens": 100, "completion_tokens": 2}
        return {"id": "1", "object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage}

    def _send(
        self, status: int, text: str | bytes, length: int | None = None, header: tuple[str, str] | None = None
    ) -> None:
        content = text.encode() if isinstance(text, str) else text
        self.send_response(status)
        if header:
            self.send_header(*header)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length or len(content)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()


REDIRECTS = ("301", "302", "303", "307", "308")
LONG_HEADER = b"HTTP/1.1 200 OK\r\nX-Long: "
ODD_BODIES: dict[str, Callable[[_Handler], None]] = {
    "reply": lambda own: own._send(own.server.status, own.server.reply),
    "silence": _Handler._silence,
    "drip": lambda own: own._drop(lambda: own._begin("Content-Length", "1000000"), b" "),  # which no JSON needs
    "drip headers": lambda own: own._drop(lambda: own.wfile.write(LONG_HEADER), b"x"),
    "endless": _Handler._endless,
    "bomb": lambda own: own._send(200, bomb(), header=("Content-Encoding", "gzip")),
}


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A server on a free port, while the block lasts."""
    server = ModelServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
