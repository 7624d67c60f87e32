"""What a process leaves that ends at a rename, removal, new folder or opened file of a job: at each of them in turn.

`python -m tests.reliability.injected EVERY [JOB ...]` prints one JSON object for each of these jobs, or for all: how
many places there were, and those at which what was found is neither as before the job nor as after it. Who mends what
is left is ended too, at each of its own operations. EVERY above 1 takes a sample: every so many of the states that are
left, in each job from another one on. A job is done once, and before each operation its files are kept: a process that
ends there leaves them so. Each process is forked off one that has imported everything.
"""

import gc
import json
import os
import pickle
import shutil
import stat
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

State = dict[str, tuple[int, bytes | str | None, int]]
_SEEN: dict[tuple, tuple[str, State]] = {}  # what is found in files, and what they are after the look
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


def _state(folder: Path) -> State:
    """Every entry below the folder: its mode and time, and its bytes or where it leads."""
    found: State = {}
    for path in sorted(folder.rglob("*")):
        known = path.lstat()
        held = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[path.relative_to(folder).as_posix()] = (known.st_mode, held, known.st_mtime_ns)
    return found


def _restore(state: State, folder: Path) -> None:
    """Make the folder's entries those of the state, which come before what is below them."""
    shutil.rmtree(folder)
    folder.mkdir()
    for name, (mode, held, _) in state.items():
        path = folder / name
        if isinstance(held, bytes):
            path.write_bytes(held)
        elif held is None:
            path.mkdir()
        else:
            path.symlink_to(held)
            continue
        path.chmod(stat.S_IMODE(mode))
    for name, (_, _, time) in reversed(state.items()):
        os.utime(folder / name, ns=(time, time), follow_symlinks=False)


def _key(state: State) -> frozenset:
    """What is the same for two states that differ in times alone."""
    return frozenset((name, mode, held) for name, (mode, held, _) in state.items())


def _before_operations(work: Callable[[], object], state: State) -> list[State]:
    """What a process leaves that does the work from this state on and is ended before its first operation that changes
    a folder, before its second, and so on."""
    _restore(state, jobs.home())
    inside, left = str(jobs.home()), list[State]()

    def hear(event: str, details: tuple) -> None:
        opened = event == "open" and isinstance(details[0], str) and details[0].startswith(inside)
        if event in _EVENTS or (opened and (details[2] or 0) & _WRITES):
            left.append(_state(jobs.home()))

    with tempfile.NamedTemporaryFile() as file:

        def child() -> str:
            sys.addaudithook(hear)
            work()
            pickle.dump(left, file)
            file.flush()
            return ""

        status, told = in_child(child)
        if status:
            raise RuntimeError(f"the job failed by itself: {told}")
        return pickle.loads(Path(file.name).read_bytes())


def _look(job: str, state: State) -> str:
    """What is found by the next who opens the study, and by the one after; each in a process of its own.

    Many operations leave the same files behind: what is found in them is found once.
    """
    told = []
    for _ in range(1 if job == "export" else 2):
        key = (job if job == "export" else jobs.LOOKED_AT.get(job), _key(state))
        if key not in _SEEN:
            _restore(state, jobs.home())
            _SEEN[key] = in_child(lambda: _found(job))[1], _state(jobs.home())
        found, state = _SEEN[key]
        told.append(found)
    return "\n".join(told)


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
    gc.freeze()  # what is forked shares these objects


def _sample(states: list[State], every: int, first: int) -> dict[int, State]:
    """By number, the first of those that are alike; every so many of them from the place `first` on."""
    numbers = {_key(state): number for number, state in reversed([*enumerate(states, start=1)])}
    return {number: states[number - 1] for number in sorted(numbers.values())[first % every :: every]}


def run(job: str, made: State, every: int = 1) -> dict:
    """Ends the job at each operation in turn, and who mends what is left; what was neither as before nor as after."""
    before, left, place = _look(job, made), _before_operations(jobs.JOBS[job], made), [*jobs.JOBS].index(job)
    after = _look(job, _state(jobs.home()))
    sample, wrong, twice = _sample(left, every, place), [], 0
    in_change = [number for number, state in sample.items() if any(Path(name).name == CHANGE for name in state)]
    for number, state in sample.items():
        found = {0: _look(job, state)}
        if number in in_change[::every]:
            mending = _sample(_before_operations(lambda: jobs.state(job), state), every, place)
            found |= {each: _look(job, again) for each, again in mending.items()}
            twice += len(mending)
        wrong += [
            {"operation": number, "mending": each, "found": told}
            for each, told in found.items()
            if told not in (before, after)
        ]
    return {"job": job, "ended": len(left), "ended_mending": twice, "changes": before != after, "wrong": wrong}


def main(every: int, *names: str) -> None:
    """Prints what was found of each of these jobs, or of all."""
    warm()
    os.fsync = lambda _: None  # type: ignore[assignment] - the machine goes on
    with tempfile.TemporaryDirectory(prefix="fairviz-home-") as home:
        os.environ["FAIRVIZ_HOME"] = home
        in_child(lambda: jobs.make() or "")
        made = _state(jobs.home())
        for name in names or jobs.JOBS:
            sys.stdout.write(json.dumps(run(name, made, every)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
