"""Hostile commands: every verb with odd paths, outputs, numbers, texts, studies and surroundings, by seed.

A command ends with status 0 to 3, in time, without a traceback and with a word; with status 0 its output is there; and
what was no regular file (a device, a pipe, a link, a folder) is as it was.
"""

import argparse
import contextlib
import io
import json
import os
import random
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from fairviz.cli import all_commands
from fairviz.interrupts import MeantExit
from tests.fuzz.good import mutated
from tests.fuzz.judging import FairvizError

PATIENCE = 120.0  # seconds for a command, on a busy machine
FOOTBALL = "football"
STUDY = "s"  # the study of the command's own folder
CALLS: dict[str, list[str]] = {
    "evaluate": [STUDY, "CWEx@4"],
    "compare": [STUDY, "CWEx@4"],
    "explain": [STUDY, "CWEx@4", "--system", "left"],
    "atlas": [STUDY, "CWEx@4", "TExFAIR@4"],
    "sensitivity": [STUDY, "--systems", "left,right", "--most", "20"],
    "audit": [STUDY, "--with", "bm25"],
    "bench": [STUDY],
    "gate": [STUDY, "--baseline", "left", "--candidate", "right", "--fail-if", "CWEx falls by 0.1"],
    "capsule": [STUDY, "CWEx@4", "-o", "c.zip", "--no-figures"],
    "replay": ["capsule.zip"],
    "report": [STUDY, "CWEx@4", "-o", "r.html"],
    "check": [STUDY],
    "fetch": ["grep-biasir", "--from", "s"],
    "attach": ["s", "--collection", "c.tsv"],
    "score": ["c.tsv", "--out", "counts", "--workers", "1"],
    "trec-fair": ["mine", "--topics", "q.tsv", "--runs", "left.run", "--attributes", "c.tsv"],
    "fairweb": ["mine", "--memberships", "q.tsv", "--qrels", "q.tsv", "--runs", "left.run"],
    "rank": [STUDY, "--with", "bm25"],
    "finetuning": [STUDY],
    "train-backpack": ["mine"],
    "senses": ["nurse"],
    "gsr": [STUDY],
    "agree": [STUDY],
    "consensus": [STUDY],
    "annotate": [STUDY, "--with", "lexicon"],
    "study-form": [STUDY],
    "adjudications": ["export", STUDY, "d.csv"],
    "app": ["--study", STUDY],
    "serve": ["studies"],
    "backup": ["copy"],
    "docs": [],
}
VERBS = {name: words for name, words in CALLS.items() if name in all_commands()}  # an extension can be missing
QUICK = [name for name in ("evaluate", "compare", "check", "score", "adjudications", "capsule") if name in VERBS]
SLOW = {"audit", "bench", "finetuning", "train-backpack", "senses", "report", "gsr"}  # drawn less often
OF_PATHS = ("FILE", "STUDY", "DIR", "FOLDER", "RUN", "COLLECTION", "PROMPT", "CAPSULE", "VECTORS", "TARGETS", "MODEL",
            "BIAS")  # fmt: skip
FILES = ("output", "outcomes", "report", "file")  # the arguments that name a file to write
NAMES = (
    "\u2028", "a\u2029b", "\u202eevil", "\u200b", "\ufeffbom", "e\u0301", "\U0001d4b3" * 9, "x" * 200, "x" * 300, "..",
    ".", "-", "--help", "-o", "con", "NUL.txt", "a/b", "a\\b", "%2e%2e%2f", "%s%n%d", "<script>alert(1)</script>",
    "'; DROP TABLE x;--", '"quoted"', "a,b", "a\tb", "a\nb", " lead", "trail ", "=1+1", "\x7f\x1b[31m", "|", "*?[",
    "~root", "~nobody-here", "$HOME", "{0}", "nan", "None", "\udcff", "http:/b", "\x01",
)  # fmt: skip
IN_JSON = ("\0", "\ud800", "a\udfffb")  # what neither an argument nor a name of a file can hold
NUMBERS = (
    "0", "-1", "-0", "+3", "1e3", "1e999", "-1e999", "nan", "inf", "9" * 30, "9" * 5000, "0x10", "1_0", "٣", "½", "1.5",
    "3.0", "1e-320", " 3", "3 ", "", "1,5", "2147483648", "18446744073709551616",
)  # fmt: skip
PATHS = (
    "none", "", ".", "..", "/", "pipe", "folder", "loop", "dangling", "null", "socket", "empty", "s/documents.csv",
    "s/documents.csv/x", "c.tsv", "q.tsv", "bytes", "left.run", "capsule.zip", "/proc/1/mem", "/proc/self/mem",
    "/proc/self/environ", "/proc", "/sys", "http:/b", "s3://a/b", "file:///etc/passwd", "locked", "n" * 300, "n/" * 300,
    "~nobody-here/x", "\udcff", "a\u2028b", "-", "*", "[", "toml",
)  # fmt: skip
OUTPUTS = (
    "out.txt", "out.csv", "out.txt", "null", "pipe", "read", "folder", "folder/", "loop", "dangling", "linked", "empty",
    "locked", "none/out", "empty/out", "", "-", "/proc/new", "/sys/new", "n" * 300, "é" * 120, "\udcff", "a\u2028b",
    "..", "socket", "out/", "http:/b",
)  # fmt: skip
KINDS = ("file", "bytes", "system", "query", "document", "annotator", "json", "special", "toml", "extra")  # of changes
PARTS = ("runs/left.run", "documents.csv", "labels.csv", "queries.tsv", "qrels.txt", "study.toml")
SPECIAL = ("pipe", "folder", "loop", "dangling", "null", "socket", "empty", "locked")
KEYS = ("title", "groups", "systems", "lexicon", "word_counts", "annotator", "licence", "notices", "x")
VALUES = (
    "9" * 5000, "0x" + "f" * 5000, '"\\u2028"', '"../../etc"', "[]", "nan", '["a", "a"]', "{}", '"/dev/zero"', '"pipe"',
    "1979-05-27", '["\\u0000"]', '"http:/b"',
)  # fmt: skip
HOMES = ("home", "none/home", "empty", "pipe", "folder", "loop", "~nobody-here", "\udcff")
SURROUNDINGS: tuple[dict[str, str], ...] = (
    {"PYTHONUTF8": "0", "LC_ALL": "C"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"COLUMNS": "1"},
    {"FAIRVIZ_HOME": "empty"}, {"FAIRVIZ_SHARED": "1"}, {"TZ": "nowhere"}, {"HOME": "/none"},
)  # fmt: skip


@dataclass(frozen=True)
class Hostile:
    """A command, the changes to its study, and its surroundings. apart: in a process of its own."""

    arguments: list[str]
    study: list[list[str]]
    home: str
    apart: dict[str, str]


def make(draw: random.Random) -> bytes:
    """Return a command as JSON."""
    verb = draw.choice(sorted(VERBS))
    if verb in SLOW and draw.random() < 0.6:
        verb = draw.choice(QUICK)
    words = [FOOTBALL if word == STUDY and draw.random() < 0.3 else word for word in VERBS[verb]]
    for _ in range(draw.choice((0, 0, 1, 1, 1, 2, 3))):
        words = _changed(verb, words, draw)
    if draw.random() < 0.4:
        words = _with_output(verb, words, draw)
    changes = [_change(draw) for _ in range(draw.choice((0, 0, 0, 0, 1, 1, 2)))]
    home = draw.choice(HOMES) if draw.random() < 0.1 else "home"
    apart = draw.choice(SURROUNDINGS) if draw.random() < 0.06 else {}
    return json.dumps([[verb, *words], changes, home, apart]).encode()


@cache
def _actions(verb: str) -> list[argparse.Action]:
    """The arguments of the verb that take a value."""
    from fairviz.cli.main import parser

    verbs = next(one for one in parser()._actions if isinstance(one, argparse._SubParsersAction)).choices
    verbs[verb].complete()
    return [one for one in verbs[verb]._actions if one.dest != "help"]


def _value(action: argparse.Action, draw: random.Random) -> str:
    """A value that the argument is not made for, or one of a kind that it may be made for."""
    if action.choices and draw.random() < 0.7:
        return str(draw.choice(sorted(map(str, action.choices))))
    metavar = str(action.metavar or action.dest).upper()
    pool = PATHS if any(word in metavar for word in OF_PATHS) else NAMES
    if action.type is not None and draw.random() < 0.8:
        pool = NUMBERS
    return draw.choice(pool if draw.random() < 0.8 else draw.choice((PATHS, NAMES, NUMBERS)))


def _changed(verb: str, words: list[str], draw: random.Random) -> list[str]:
    """The words with one argument replaced, added, left out or repeated."""
    turn, words = draw.random(), list(words)
    if turn < 0.3 and words:
        place = draw.randrange(len(words))
        if not words[place].startswith("-"):
            words[place] = draw.choice(draw.choice((PATHS, NAMES, NUMBERS)))
        return words
    if turn < 0.36 and words:
        del words[draw.randrange(len(words))]
        return words
    if turn < 0.4 and words:
        return [*words, draw.choice(words)]
    action = draw.choice([one for one in _actions(verb) if one.option_strings] or _actions(verb))
    if not action.option_strings:
        return [*words, _value(action, draw)]
    option = draw.choice(action.option_strings)
    if action.nargs == 0:
        return [*words, option]
    values = [_value(action, draw) for _ in range(action.nargs if isinstance(action.nargs, int) else 1)]
    is_joined = option.startswith("--") and len(values) == 1
    return [*words, f"{option}={values[0]}"] if is_joined else [*words, option, *values]


def _with_output(verb: str, words: list[str], draw: random.Random) -> list[str]:
    """The words with an odd output, if the verb has one."""
    if verb == "adjudications":
        return [*words[:-1], draw.choice(OUTPUTS)] if words else words
    options = [one.option_strings[-1] for one in _actions(verb) if one.dest in FILES and one.option_strings]
    if not options:
        return words
    kept = [word for place, word in enumerate(words) if "-o" not in (word, *words[max(place - 1, 0) : place])]
    return [*kept, draw.choice(options), draw.choice(OUTPUTS)]


def _change(draw: random.Random) -> list[str]:
    """A change to the study: its kind, a file, and a text."""
    kind, file = draw.choice(KINDS), draw.choice(PARTS)
    if kind == "json":
        return [kind, file, draw.choice((*IN_JSON, *NAMES))]
    if kind == "special":
        return [kind, file, draw.choice(SPECIAL)]
    if kind in ("file", "bytes"):
        return [kind, file, str(draw.randrange(10**9))]
    if kind == "toml":
        return [kind, draw.choice(KEYS), draw.choice(VALUES)]
    return [kind, file, draw.choice(NAMES)]


def lay_out(folder: Path, changes: list[list[str]]) -> None:
    """Make the files, links, pipes and devices that the commands name, and the changed study."""
    names = {"query": "q1", "document": "d1", "annotator": "a", "system": "left"}
    names |= {kind: text for kind, _, text in changes if kind in names}
    documents = [names["document"], "d2", "d3", "d4"]
    study = folder / STUDY
    (study / "runs").mkdir(parents=True)
    for system, name, step in (("left", names["system"], 1), ("right", "right", -1)):
        lines = [
            f"{query} Q0 {document} {rank} {9 - rank} t\n"
            for query in (names["query"], "q2")
            for rank, document in enumerate(documents[::step], start=1)
        ]
        with contextlib.suppress(OSError, ValueError):  # a name that no file may have
            _write(study / "runs" / f"{name}.run", "".join(lines))
        _write(folder / f"{system}.run", "".join(lines))
    quoted = ['"' + name.replace('"', '""') + '"' for name in documents]
    texts = ("she is", "he and his son", "a tree", "")
    rows = "".join(f"{name},{text}\n" for name, text in zip(quoted, texts, strict=True))
    _write(study / "documents.csv", f"doc_id,text\n{rows}")
    given = zip(quoted, ("female", "male") * 2, strict=True)
    rows = "".join(f'{name},"{names["annotator"]}",{label}\n' for name, label in given)
    _write(study / "labels.csv", f"doc_id,annotator,label\n{rows}")
    _write(study / "queries.tsv", f"query_id\ttext\n{names['query']}\tnurse\nq2\tking\n")
    _write(study / "qrels.txt", "".join(f"{names['query']} 0 {name} 1\n" for name in documents))
    _write(study / "study.toml", 'title = "Small"\n')
    _write(folder / "c.tsv", "".join(f"{name}\t{text}\n" for name, text in zip(documents, texts, strict=True)))
    _write(folder / "q.tsv", "query_id\ttext\nq1\tnurse\n")
    _write(folder / "toml", "port = 1\n")
    (folder / "bytes").write_bytes(bytes(range(256)))
    (folder / "empty").touch()
    (folder / "locked").touch(0o400)
    (folder / "folder").mkdir()
    (folder / "studies").mkdir()
    (folder / "capsule.zip").write_bytes(_capsule())
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "read")
    for name, target in (("loop", "loop"), ("dangling", "not there"), ("linked", "target")):
        (folder / name).symlink_to(target)
    (folder / "target").touch(0o640)
    try:
        os.mknod(folder / "null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        (folder / "null").mkdir()  # only root makes devices
    os.mknod(folder / "socket", 0o600 | stat.S_IFSOCK)
    for change in changes:
        _apply(change, study, folder)


@cache
def _capsule() -> bytes:
    from fairviz.evaluation.opening import open_study
    from fairviz.output.capsule import capsule

    return capsule(open_study(FOOTBALL), "CWEx@4", figures=False)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def _apply(change: list[str], study: Path, folder: Path) -> None:
    kind, name, text = change
    path = study / name
    if kind == "special":
        path.unlink(missing_ok=True)
        path.symlink_to(folder / text)
    elif kind == "toml":
        _write(study / "study.toml", f"{name} = {text}\n")
    elif kind == "json":
        (study / "documents.csv").unlink(missing_ok=True)
        rows = [
            {"doc_id": "d1", "text": text},
            {"doc_id": text, "text": "she"},
            {"doc_id": "d3", "text": "", text: 2**70},
        ]
        _write(study / "documents.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
        _write(folder / "c.tsv", "")
    elif kind == "bytes" and path.exists() and not path.is_symlink():
        path.write_bytes(mutated(path.read_bytes(), random.Random(text)))
    elif kind == "file":
        path.unlink(missing_ok=True)
    elif kind == "extra":
        with contextlib.suppress(OSError, ValueError):
            (study / text).write_text("x")
            (study / "runs" / text).write_text("x")


def judge(path: Path, data: bytes) -> str:
    """Play the command in the folder of the path; return what is wrong with its end, empty for nothing."""
    command, folder = Hostile(*json.loads(data)), path.parent / "w"
    folder.mkdir()
    lay_out(folder, command.study)
    before = {one.name: _kind(one) for one in folder.iterdir()}
    received: list[bytes] = []
    with _within(folder, command), _drained(folder / "read", received):
        status, out, err = _apart(command) if command.apart else _here(command.arguments)
    if isinstance(status, str):
        raise AssertionError(status)
    if "Traceback (most recent call last)" in out + err:
        raise AssertionError(err[-1500:])
    if status not in (0, 1, 2, 3):
        return f"status {status}: {err[-300:]}"
    if status and not err.strip():
        return f"status {status} without a word"
    if changed := [name for name, kind in before.items() if _kind(folder / name) != kind]:
        return f"{changed[0]} was {before[changed[0]]} and is {_kind(folder / changed[0])}"
    if status:
        raise FairvizError(f"status {status}", err[-200:])
    return _missing_output(command.arguments, folder, received)


def _missing_output(arguments: list[str], folder: Path, received: list[bytes]) -> str:
    """What is missing of the output that the command names; empty for nothing."""
    named = [value for option, value in pairwise(arguments) if option in ("--output", "-o") and value]
    if not named or {"--estimate", "--help", "--close"} & {*arguments}:  # which write nothing
        return ""
    if named[-1] == "read":
        return "" if b"".join(received) else "the pipe got nothing"
    target = folder / named[-1]
    is_there = not target.is_file() or target.stat().st_size > 0
    return "" if target.exists() and is_there else f"status 0, and {named[-1]!r} is not there"


def _here(arguments: list[str]) -> tuple[int | str, str, str]:
    """The status, output and messages of the command in this process; for an error its traceback as the status."""
    import traceback

    from fairviz.cli.main import main

    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2)]
    status: int | str
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            status = main(arguments)
        except SystemExit as stopped:
            status = int(stopped.code or 0)
        except BaseException:  # noqa: BLE001  a traceback is what is looked for
            status = traceback.format_exc(limit=-6)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams)  # type: ignore[attr-defined]
    return status, out, err


def _apart(command: Hostile) -> tuple[int | str, str, str]:
    """The same in a process of its own, with other surroundings. No server is started so."""
    if command.arguments[0] in ("app", "serve", "docs"):
        return _here(command.arguments)
    root = str(Path(__file__).parent.parent.parent)
    environment = {**os.environ, "PYTHONPATH": root, **command.apart}
    done = subprocess.run(
        [sys.executable, "-m", "fairviz", *command.arguments], env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


class _Server(contextlib.nullcontext):
    """A server that ends with the program, as at SIGTERM: one that ends by itself may be started again."""

    stdin = None

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__(self)

    def poll(self) -> NoReturn:
        raise MeantExit(0)

    def wait(self, timeout: float | None = None) -> NoReturn:
        raise MeantExit(0)

    def kill(self) -> None: ...


@contextlib.contextmanager
def _within(folder: Path, command: Hostile) -> Iterator[None]:
    """Work in the folder, with its data folder, and with servers and browsers that end at once."""
    import webbrowser

    from fairviz.cli import app

    before, home, opener, starter = Path.cwd(), os.environ.get("FAIRVIZ_HOME"), webbrowser.open, app.start_server
    os.chdir(folder)
    os.environ["FAIRVIZ_HOME"] = command.home
    webbrowser.open = lambda *_, **__: True  # type: ignore[assignment]
    try:
        app.start_server = _Server  # type: ignore[assignment,misc]
        yield
    finally:
        app.start_server = starter
        webbrowser.open = opener
        os.chdir(before)
        os.environ.pop("FAIRVIZ_HOME", None) if home is None else os.environ.update(FAIRVIZ_HOME=home)


@contextlib.contextmanager
def _drained(pipe: Path, received: list[bytes]) -> Iterator[None]:
    """Read the pipe during the block."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)
    os.set_blocking(reader, True)

    def drain() -> None:
        while piece := os.read(reader, 1 << 16):
            received.append(piece)

    thread = threading.Thread(target=drain)
    thread.start()
    try:
        yield
    finally:
        os.close(writer)
        thread.join()
        os.close(reader)


def _kind(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return "gone"
    target = os.readlink(path) if stat.S_ISLNK(mode) else ""
    return f"{stat.S_IFMT(mode):o} {stat.S_IMODE(mode) if path.name in ('target', 'null') else ''} {target}"
