"""Break lines of the program, one at a time, and print the breaks that no test of their room noticed.

`python -m tests.mutants --seed 1 --number 100 --rooms ui,study --revision v1.0 --part 1/5`. A hash of its text decides
whether a line is drawn, so that a seed draws the same lines of two revisions wherever both have them. All happens in
copies of the revision; without one, of the working tree's files that git knows.
"""

import argparse
import ast
import contextlib
import hashlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from importlib.util import cache_from_source
from io import BytesIO
from pathlib import Path
from queue import Queue
from tarfile import TarFile

from tests.rooms import ROOT, tests_of
from tests.template import write_metadata

MARKS = "not browser and not lengthy and not integration"
NEAREST = 3  # test files that run before the others of the room
FASTER = 3  # a break has timed out if the unbroken tests end in a third of the limit
OPERATORS = {
    ast.Lt: ("<", "<=", ">="), ast.LtE: ("<=", "<", ">"), ast.Gt: (">", ">=", "<="), ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"), ast.IsNot: (r"is\s+not", "is"), ast.And: (r"\band\b", "or"), ast.Or: (r"\bor\b", "and"),
    ast.Add: (r"\+", "-"), ast.Sub: ("-", "+"), ast.Mult: (r"\*", "/"), ast.Div: ("/", "*"), ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "+"), ast.Pow: (r"\*\*", "*"), ast.BitAnd: ("&", "|"), ast.BitOr: (r"\|", "&"),
}  # fmt: skip
PAIRS = [("min", "max"), ("any", "all"), ("floor", "ceil"), ("minimum", "maximum"), ("nanmin", "nanmax")]
OPPOSITE = dict(PAIRS) | {second: first for first, second in PAIRS}
# Arguments that change no result, and looks in pixels.
WITHOUT_EFFECT = ("strict", "stacklevel", "copy", "repr", "height", "width", "size", "opacity", "xshift", "yshift")
Change = tuple[int, int, str]  # the bytes of a file from, to, and what replaces them


@dataclass(frozen=True)
class Mutant:
    """One break of one line; outcome: caught, timeout, survived or undecided; by: the test that caught it."""

    room: str
    path: str
    line: int
    old: str
    new: str
    change: Change
    outcome: str = ""
    by: str = ""


def breaks(source: bytes) -> Iterator[Change]:
    """Every break of a module: operators, conditions, numbers, opposite functions, and calls left out."""
    starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]

    def span(node: ast.AST) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    for node in _live(ast.parse(source)):
        for operator, left, right in _operators(node):
            (_, first), (last, _) = span(left), span(right)
            old, *new = OPERATORS.get(type(operator), ("$^",))
            if place := re.search(old.encode(), source[first:last]):
                yield from ((first + place.start(), first + place.end(), text) for text in new)
        first, last = span(node) if hasattr(node, "lineno") else (0, 0)
        match node:
            case ast.Constant(bool(value)):
                yield first, last, str(not value)
            case ast.Constant(int(value) | float(value)):
                other = value * 2 if isinstance(value, float) else value - 1
                yield from ((first, last, str(number)) for number in ((value + 1, other) if value else (1, -1)))
            case ast.UnaryOp(ast.Not() | ast.USub() | ast.Invert()):
                yield first, first + len(re.match(rb"not\s*|.", source[first:last])[0]), ""
            case ast.Call(ast.Name(name) | ast.Attribute(_, name) as called) if name in OPPOSITE:
                yield span(called)[1] - len(name), span(called)[1], OPPOSITE[name]
            case ast.Expr(ast.Call()):
                yield first, last, "pass"
        tests = [node.test] if isinstance(node, ast.If | ast.IfExp) else getattr(node, "ifs", [])
        for first, last in (
            span(test) for test in tests if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp)
        ):
            yield first, last, f"not ({source[first:last].decode()})"


def _live(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes but those of docstrings, annotations, decorators, f-strings, patterns, entries of the log, arguments
    without effect, and what does not run."""
    match node:
        case ast.JoinedStr() | ast.If(ast.Name("TYPE_CHECKING") | ast.Compare(ast.Name("__name__"))):
            return
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("LOG" | "logging")))):
            return
        case ast.keyword(arg) if arg in WITHOUT_EFFECT:
            return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list", "pattern"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _live(child)


def _operators(node: ast.AST) -> list[tuple[ast.AST, ast.expr, ast.expr]]:
    """Each operator of an expression with its operands; none of text."""
    match node:
        case ast.Compare(left, operators, rights):
            return list(zip(operators, [left, *rights], rights, strict=False))
        case ast.BoolOp(operator, values):
            return [(operator, left, right) for left, right in itertools.pairwise(values)]
        case ast.BinOp(left, operator, right) | ast.AugAssign(left, operator, right) if not (
            _is_text(left) or _is_text(right)
        ):
            return [(operator, left, right)]
    return []


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(left, _, right):
            return _is_text(left) or _is_text(right)
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str | bytes)


def room_of(path: str) -> str:
    """ui of fairviz/ui/kit/pick.py, extensions/tracks, pages; fairviz for its files outside rooms."""
    parts = path.split("/")
    if parts[0] != "fairviz" or len(parts) == 2:
        return "fairviz" if parts[0] == "fairviz" else "pages"
    return "/".join(parts[1:3]) if parts[1] == "extensions" and len(parts) > 3 else parts[1]


def draw(sources: dict[str, bytes], seed: int, number: int) -> list[Mutant]:
    """Draw lines of files (path: text) by room, at least one in each and else in proportion to the lines that can be
    broken, and one break of each; in an order that mixes the rooms."""
    lines: dict[str, list[tuple[str, str, int, list[Change]]]] = defaultdict(list)
    seen: Counter[tuple[str, bytes]] = Counter()
    for path, source in sorted(sources.items()):
        texts, changes = source.split(b"\n"), defaultdict(list)
        starts = list(itertools.accumulate(len(text) + 1 for text in texts))
        for change in breaks(source):
            changes[bisect(starts, change[0])].append(change)
        for index, found in sorted(changes.items()):
            place = room_of(path), texts[index].strip()
            seen[place] += 1
            lines[place[0]].append((_hash(seed, place[1], seen[place]), path, index, found))
    quota: Counter[str] = Counter()
    for _ in range(number):
        quota[max(lines, key=lambda room: (not quota[room], len(lines[room]) / (2 * quota[room] + 1)))] += 1
    drawn = [row for room, rows in lines.items() for row in sorted(rows)[: quota[room]]]
    return [_mutant(path, index, sources[path], found, key) for key, path, index, found in sorted(drawn)]


def _mutant(path: str, index: int, source: bytes, changes: list[Change], key: str) -> Mutant:
    """The first break of a line, by a hash, that makes another program."""
    begin, program = source.rfind(b"\n", 0, changes[0][0]), ast.dump(ast.parse(source))
    for change in sorted(changes, key=lambda change: _hash(key, change[0] - begin, change[2])):
        broken = apply(source, change)
        with contextlib.suppress(SyntaxError):
            if ast.dump(ast.parse(broken)) != program:
                old, new = (text.split(b"\n")[index].strip().decode() for text in (source, broken))
                return Mutant(room_of(path), path, index + 1, old, new, change)
    raise ValueError(f"no break of {path}:{index + 1} makes another program")


def apply(source: bytes, change: Change) -> bytes:
    return source[: change[0]] + change[2].encode() + source[change[1] :]


def _hash(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()


@dataclass
class Trial:
    """Copies of a revision, in each of which one break is tried at a time."""

    copies: Queue[Path]
    limit: float  # seconds for the nearest tests, and again for the others
    passing: dict[str, bool] = field(default_factory=dict)  # tests that failed: whether they pass without the break
    running: set[int] = field(default_factory=set)

    def judge(self, mutant: Mutant) -> Mutant:
        """Run the tests of the room, the nearest first."""
        tree, found = self.copies.get(), replace(mutant, outcome="survived")
        tests = [path.as_posix() for path in tests_of([mutant.path], tree)]
        for files in filter(None, (tests[:NEAREST], tests[NEAREST:])):
            if found.outcome == "survived":
                found = self.attempt(mutant, tree, files)
        self.copies.put(tree)
        return found

    def attempt(self, mutant: Mutant, tree: Path, files: list[str]) -> Mutant:
        """Run these tests. One that fails without the break, too, is left out, and the others run again."""
        left_out = {test for test, passes in [*self.passing.items()] if not passes}
        arguments = [*files, *(f"--deselect={test}" for test in left_out)]
        source = (tree / mutant.path).read_bytes()
        _write(tree / mutant.path, apply(source, mutant.change))
        status, output = self.run(tree, arguments)
        _write(tree / mutant.path, source)
        if status in (0, 5):  # passed, or nothing to run
            return replace(mutant, outcome="survived")
        if status is None:
            started = time.monotonic()
            is_slow = self.run(tree, arguments)[0] is None or time.monotonic() - started > self.limit / FASTER
            return replace(mutant, outcome="undecided" if is_slow else "timeout")
        failed = re.findall(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", output, re.MULTILINE) or files
        self.passing |= {test: self.run(tree, [test])[0] in (0, 5) for test in failed if test not in self.passing}
        if all(self.passing[test] for test in failed):
            return replace(mutant, outcome="caught", by=failed[0])
        again = any(not self.passing[test] and test not in left_out for test in failed)  # others find some meanwhile
        return self.attempt(mutant, tree, files) if again else replace(mutant, outcome="undecided")

    def run(self, tree: Path, arguments: list[str]) -> tuple[int | None, str]:
        """Status and output of pytest; None after the limit."""
        command = [sys.executable, "-m", "pytest", "-xqrfE", "-p", "no:cacheprovider", "-m", MARKS, *arguments]
        data = os.environ.get("FAIRVIZ_TEST_DATA", str(ROOT.parent / "shared" / "data"))  # as tests/conftest.py looks
        environment = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
        environment |= {"FAIRVIZ_TEST_DATA": data} if Path(data).is_dir() else {}
        output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
        with subprocess.Popen(command, cwd=tree, env=environment, start_new_session=True, **output) as process:
            self.running.add(process.pid)
            try:
                said, _ = process.communicate(timeout=self.limit)
                return process.returncode, said
            except subprocess.TimeoutExpired:
                return None, ""
            finally:
                _kill(process.pid)
                self.running.discard(process.pid)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _write(path: Path, source: bytes) -> None:
    """Write a module without what it was compiled to: the new one may have the same size and second."""
    path.write_bytes(source)
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


def report(mutants: Sequence[Mutant]) -> str:
    """The breaks that were not caught, and the share that was, by room and in all."""
    lines = []
    for outcome, title in (
        ("survived", "Not noticed"),
        ("undecided", "Not judged, as the tests fail or are slow without the break, too"),
    ):
        found = [mutant for mutant in mutants if mutant.outcome == outcome]
        lines += ["", title] if found else []
        lines += [f"{mutant.path}:{mutant.line}\n  - {mutant.old}\n  + {mutant.new}" for mutant in found]
    lines += ["", "Noticed"]
    for room in [*sorted({mutant.room for mutant in mutants}), "in all"]:
        outcomes = Counter(mutant.outcome for mutant in mutants if room in ("in all", mutant.room))
        noticed, judged = outcomes["caught"] + outcomes["timeout"], outcomes.total() - outcomes["undecided"]
        lines.append(f"  {room:26} {noticed:3} of {judged:3}" + (f"  {noticed / judged:4.0%}" if judged else ""))
    return "\n".join(lines)


def main(arguments: Sequence[str], root: Path = ROOT) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=100, help="lines drawn of the whole program")
    parser.add_argument("--rooms", default="", help="of the lines drawn, those of these rooms: ui,extensions/tracks")
    parser.add_argument("--part", default="1/1", help="of those, the second of five parts: 2/5")
    parser.add_argument("--revision", help="a commit in place of the working tree")
    parser.add_argument("--parallel", type=int, default=2, help="breaks at the same time")
    parser.add_argument("--limit", type=float, default=900, help="seconds for the tests of a break")
    parser.add_argument("--json", type=Path, default=Path(".mutants.json"), help="file of the results")
    options = parser.parse_args(arguments)
    stash = subprocess.run(["git", "stash", "create"], cwd=root, capture_output=True, text=True, check=True)
    revision = options.revision or stash.stdout.strip() or "HEAD"
    files = subprocess.run(["git", "archive", revision], cwd=root, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(options.parallel) as pool:
        trial = Trial(Queue(), options.limit)
        for index in range(options.parallel):
            tree = Path(folder, str(index), "fairviz")
            TarFile(fileobj=BytesIO(files)).extractall(tree, filter="data")
            write_metadata(tree / "pyproject.toml", tree)
            trial.copies.put(tree)
        paths = [*tree.glob("fairviz/**/*.py"), *tree.glob("pages/*.py"), *tree.glob("app.py")]
        sources = {path.relative_to(tree).as_posix(): path.read_bytes() for path in paths}
        rooms, (part, parts) = options.rooms.split(","), map(int, options.part.split("/"))
        drawn = draw(sources, options.seed, options.number)
        mutants = [mutant for mutant in drawn if not options.rooms or mutant.room in rooms][part - 1 :: parts]
        judged: list[Mutant] = []
        try:
            for mutant in pool.map(trial.judge, mutants):
                judged.append(mutant)
                _show(f"{len(judged)}/{len(mutants)} {mutant.outcome}  {mutant.path}:{mutant.line}  {mutant.by}")
                options.json.write_text(json.dumps(list(map(asdict, judged)), indent=1), encoding="utf-8")
        finally:  # after Ctrl-C, too
            pool.shutdown(wait=False, cancel_futures=True)
            trial.limit = 0  # what a thread would still run ends at once
            for group in list(trial.running):
                _kill(group)
    left_out = [test for test, passes in trial.passing.items() if not passes]
    _show("\n".join(["", "Left out, as these fail without a break", *left_out] if left_out else []))
    _show(report(judged))


def _show(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
