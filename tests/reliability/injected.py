"""Ends a process at every rename, removal, new folder and opened file of a job, and looks at what is found afterwards.

`python -m tests.reliability.injected EVERY [JOB ...]` prints one JSON object for each of these jobs, or for all: how
many places there were, and those at which what was found is neither as before the job nor as after it. Who mends what
an operation left is ended too, at each of its own operations: after every operation of the job, or every EVERY-th one.
Each process is forked off one that has imported everything.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet  # noqa: F401

import fairviz.annotation.adjudications
import fairviz.study.loaders.packaged  # noqa: F401
from fairviz.study.loaders.changes import CHANGE
from tests.reliability import jobs

ENDED = 9
_SEEN: dict[frozenset, tuple[str, frozenset]] = {}  # what is found in files, and what they are after the look
_EVENTS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate", "shutil.rmtree", "os.chmod"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def in_child(work: Callable[[], str]) -> tuple[int, str]:
    """Runs the work in a process of its own; its status, and what it returned."""
    handle, name = tempfile.mkstemp()
    os.close(handle)
    child = os.fork()
    if not child:
        status = 1
        try:
            Path(name).write_text(work(), encoding="utf-8")
            status = 0
        except BaseException as error:  # noqa: BLE001 - the child tells what it died of, whatever it is
            Path(name).write_text(f"{type(error).__name__}: {error}", encoding="utf-8")
        os._exit(status)
    _, ended = os.waitpid(child, 0)
    told = Path(name).read_text(encoding="utf-8")
    Path(name).unlink()
    return os.waitstatus_to_exitcode(ended), told


def _watch(reached: Callable[[], None]) -> None:
    """Calls `reached` before each operation that changes a folder below the data folder."""
    inside = str(jobs.home())

    def hear(event: str, details: tuple) -> None:
        opened = event == "open" and isinstance(details[0], str) and details[0].startswith(inside)
        if event in _EVENTS or (opened and (details[2] or 0) & _WRITES):
            reached()

    sys.addaudithook(hear)


def _end_at(number: int) -> None:
    """Ends this process at its operation of this number."""
    seen = 0

    def reached() -> None:
        nonlocal seen
        seen += 1
        if seen == number:
            os._exit(ENDED)

    _watch(reached)


def _cut(work: Callable[[], object], number: int) -> bool:
    """Whether the work was ended at this operation; if not, it came to its end before. Raises where it failed."""

    def child() -> str:
        _end_at(number)
        work()
        return ""

    status, told = in_child(child)
    if status not in (0, ENDED):
        raise RuntimeError(f"the job failed by itself: {told}")
    return status == ENDED


def _look(job: str) -> str:
    """What is found by the next who opens the study, and by the one after; each in a process of its own.

    Many operations leave the same files behind: what is found in them is found once.
    """
    files, told = _files(jobs.home()), []
    for _ in range(1 if job == "export" else 2):
        if files not in _SEEN:
            _SEEN[files] = in_child(lambda: _found(job))[1], _files(jobs.home())
        found, files = _SEEN[files]
        told.append(found)
    return "\n".join(told)


def _files(folder: Path) -> frozenset:
    """Every entry below the folder, with what it holds, where it leads and what may be done with it."""

    def held(path: Path) -> object:
        if path.is_symlink():
            return os.readlink(path)
        return hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None

    return frozenset((str(path), path.lstat().st_mode, held(path)) for path in folder.rglob("*"))


def _found(job: str) -> str:
    found, study = jobs.seen(job)
    if job == "export":
        jobs.JOBS[job]()  # the next export takes away what is left of this one
        return f"{found} {jobs.left_over() or ''}"
    jobs.datasets.stored_names()
    told = [*jobs.left_over()] + ([] if jobs.notes_kept() else ["notes.md changed"])
    if study is None or job in jobs.LOOKED_AT:
        study = jobs.open_study_folder(jobs.place())
    return f"{found} {told or ''} {'' if jobs.sound(study) else 'UNSOUND'}"


def warm() -> None:
    """Saves and opens a study of another folder in this process: what is forked off it has everything imported."""
    with tempfile.TemporaryDirectory(prefix="fairviz-warm-") as folder:
        os.environ["FAIRVIZ_HOME"] = folder
        jobs.make()
        jobs.save_over()
        _found("save_over")


def run(job: str, every: int = 1) -> dict:
    """Ends the job at each of its operations in turn; what was not as before or as after."""
    folders = [Path(tempfile.mkdtemp(prefix=f"fairviz-{name}-")) for name in ("home", "kept", "ended")]
    os.environ["FAIRVIZ_HOME"] = str(folders[0])
    os.fsync = lambda _: None  # type: ignore[assignment] - the machine goes on
    try:
        in_child(lambda: jobs.make() or "")
        _copy(folders[0], folders[1])
        return _run(job, every, *folders)
    finally:
        for folder in folders:
            shutil.rmtree(folder)


def _copy(source: Path, target: Path) -> None:
    shutil.rmtree(target)
    shutil.copytree(source, target)


def _run(job: str, every: int, home: Path, kept: Path, ended: Path) -> dict:
    before = _look(job)
    _copy(kept, home)
    _cut(jobs.JOBS[job], 0)
    after = _look(job)
    wrong, number, twice = [], 1, 0
    while True:
        _copy(kept, home)
        if not _cut(jobs.JOBS[job], number):
            break
        _copy(home, ended)
        found = [_look(job)]
        while number % every == 0 and list(ended.rglob(CHANGE)):
            _copy(ended, home)
            if not _cut(lambda: jobs.state(job), len(found)):
                break
            found.append(_look(job))
        twice += len(found) - 1
        wrong += [
            {"operation": number, "mending": place, "found": told}
            for place, told in enumerate(found)
            if told not in (before, after)
        ]
        number += 1
    return {"job": job, "ended": number - 1, "ended_mending": twice, "changes": before != after, "wrong": wrong}


if __name__ == "__main__":
    warm()
    for name in sys.argv[2:] or jobs.JOBS:
        _SEEN.clear()
        sys.stdout.write(json.dumps(run(name, int(sys.argv[1]))) + "\n")
        sys.stdout.flush()
