"""Server processes in which visitors decide, answer a labelling form, save runs and run jobs; they are killed.

`python -m tests.extensions.server.servers kills NUMBER SEED` kills this many, always one of two that run at once, and
`... together ANNOTATORS DECISIONS` lets two end by themselves. Each prints one JSON object of counts, and each server
is forked off a process that has imported everything. WRONG names the counts that must be zero.
"""

import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import count, pairwise
from pathlib import Path

import fairviz
import fairviz.study.loaders.packaged
from fairviz.annotation.adjudications import decide, history
from fairviz.annotation.forms.answering import answer, open_batch
from fairviz.annotation.forms.database import store
from fairviz.extensions.server.access import changes
from fairviz.extensions.server.configuration import Login, ServerConfig, to_json
from fairviz.home import SERVED
from fairviz.home.permissions import VARIABLE, Visitor, permissions, visiting
from fairviz.ui.kit import jobs
from tests.annotation.forms.small import formed, saved
from tests.conftest import ROOT
from tests.reliability import jobs as studies

OWNER = "owner@x.org"
CONFIG = ServerConfig(login=Login(header="X-User"), roles={"owner": (OWNER,), "annotator": ("*",)})
LABELS = ("male", "female", "neutral")
LINKS = 2  # of the labelling form, one for each server at once
MOST_WAIT = 1.0  # seconds from one kill to the next, at most
EARLY = 0.2  # share of servers that may be killed before they acknowledge anything
LAST_WAIT = 300.0  # seconds in which a job that follows all kills must be done
ENDED = ("done", "stopped", "interrupted")
WRONG = ("decisions lost", "answers lost", "job states lost", "missing in the log of changes", "two jobs at once",
         "jobs of killed servers in the queue", "queue blocked", "errors", "half-written")  # fmt: skip
Say = Callable[..., None]


def _deciding(say: Say, name: str, most: int | None = None) -> None:
    """An annotator decides again and again, on her own documents and on the others'."""
    with visiting(Visitor(name)):
        study = fairviz.open_study("mine")
        for number in range(most) if most is not None else count():
            decide(study, ("d1", "d2")[number % 2], LABELS[number % 3], str(number))
            say("decision", name, number)


def _answering(say: Say, name: str, token: str) -> None:
    batch = open_batch(token)
    assert batch is not None
    for number in count():
        comment = f"{name} {number}"
        answer(token, number % batch.questions + 1, "label", LABELS[number % 3], comment)
        say("answer", token, comment)


def _saving(say: Say, is_over: Callable[[], bool]) -> None:
    """The owner saves the study and its runs in turn."""
    with visiting(Visitor(OWNER)):
        for number in count():
            (studies.save_as_it_is, studies.rank)[number % 2]()
            say("saved", number)
            if is_over():
                return


def _running(say: Say, name: str, is_over: Callable[[], bool]) -> None:
    """Two jobs are begun, of which one in three is stopped, and their ends are acknowledged."""
    chance = random.Random(name)
    with visiting(Visitor(name)):
        for number in count():
            begun = [_begin(say, f"{name} {number} {place}", chance.uniform(0, 0.04)) for place in range(2)]
            if chance.random() < 1 / 3:
                begun[1].stop()
            for job in begun:
                job.wait()
                say("ended", job.key[1], "done" if job.is_complete else "stopped")
            if is_over():
                return


def _begin(say: Say, key: str, seconds: float) -> jobs.Job:
    def work(progress: jobs.Progress) -> None:
        began = time.monotonic()
        try:
            while time.monotonic() < began + seconds:
                progress("working", 0, 0)
        finally:
            say("ran", key, began, time.monotonic())

    job = jobs.begin(("combinations", key), work)  # which whoever may see a study may start
    say("begun", key)
    return job


def _start(threads: Callable[[Say], Sequence[Callable[[], None]]]) -> tuple[int, int]:
    """Run the threads in a new process; return its id and the end of a pipe with what it acknowledges."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    status = 1
    try:
        jobs.TURN = 0.02

        def say(*facts: object) -> None:
            os.write(writing, (json.dumps(facts) + "\n").encode())  # at once: less than PIPE_BUF

        def run(work: Callable[[], None]) -> None:
            try:
                work()
            except Exception:  # noqa: BLE001 - the parent reports it, whatever it is
                say("error", traceback.format_exc()[-1500:])

        started = [threading.Thread(target=run, args=(work,)) for work in threads(say)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()
        status = 0
    finally:
        os._exit(status)


def _said(reading: int) -> list[list]:
    """The changes that a process acknowledged until its end."""
    with os.fdopen(reading, "rb") as stream:
        content = stream.read()
    return [json.loads(line) for line in content.split(b"\n")[:-1]]  # an unfinished line was not acknowledged


def _alone(work: Callable[[], object]) -> None:
    """Run the work in a process of its own: a forked process shares no open database."""
    child, reading = _start(lambda _: [work])  # type: ignore[list-item]
    said = _said(reading)
    os.waitpid(child, 0)
    if said:
        raise RuntimeError(str(said))


def _make(home: Path) -> list[str]:
    """Make the studies and the configuration; return the tokens of the labelling form."""
    os.environ["FAIRVIZ_HOME"] = str(home)
    tokens = home / "tokens.json"

    def make() -> None:
        studies.make()
        links = formed(saved(home / "studies"), documents=9, people=LINKS)
        tokens.write_text(json.dumps([link.token for link in links]))

    _alone(make)
    (home / "config.json").write_text(to_json(CONFIG), encoding="utf-8")
    os.environ |= {VARIABLE: str(home / "config.json"), SERVED: str(home / "studies")}
    return json.loads(tokens.read_text())


def _never() -> bool:
    return False


def kill(kills: int, seed: int) -> Counter[str]:
    """Kill servers at random moments, and look at what is there afterwards."""
    chance, said, counts, names = random.Random(seed), list[list](), Counter[str](), count()
    with tempfile.TemporaryDirectory(prefix="fairviz-servers-") as folder:
        tokens = _make(Path(folder))

        def start(slot: int) -> tuple[int, int, str]:
            name = f"person{next(names)}@x.org"
            return *_start(
                lambda say: [
                    lambda: _deciding(say, name),
                    lambda: _answering(say, name, tokens[slot]),
                    lambda: _running(say, name, _never),
                    *([lambda: _saving(say, _never)] if slot == 0 else []),
                ]
            ), name

        servers = [start(slot) for slot in range(2)]
        while counts["servers killed"] < kills:
            slot = counts["servers killed"] % 2
            process, reading, name = servers[slot]
            if chance.random() >= EARLY:
                select.select([reading], [], [])
            select.select([], [], [], chance.uniform(0, MOST_WAIT))
            said += _killed(process, reading)
            counts["servers killed"] += 1
            counts["jobs of killed servers in the queue"] += int(not _is_gone(name))
            servers[slot] = start(slot)
        for process, reading, _ in servers:
            said += _killed(process, reading)
        counts["queue blocked"] = int(not _is_free(said))
        _count(said, counts)
    return counts


def _killed(process: int, reading: int) -> list[list]:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return _said(reading)


def _is_gone(name: str) -> bool:
    """Return whether this visitor's jobs leave the queue before long: another process may just look at their places."""
    end = time.monotonic() + LAST_WAIT
    while any(row.visitor == name for row in jobs.queue()):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _is_free(said: list[list]) -> bool:
    """Return whether a job that is begun now is done before long."""
    process, reading = _start(lambda say: [lambda: _running(say, OWNER, lambda: True)])
    end = time.monotonic() + LAST_WAIT
    while not os.waitpid(process, os.WNOHANG)[0]:
        if time.monotonic() > end:
            said += _killed(process, reading)
            return False
        time.sleep(0.05)
    said += _said(reading)
    return True


def together(annotators: int, decisions: int) -> Counter[str]:
    """Annotators decide at once in two servers, while the owner saves in one and jobs run in the other."""
    with tempfile.TemporaryDirectory(prefix="fairviz-servers-") as folder:
        _make(Path(folder))
        over = Path(folder, "over")

        def deciding(say: Say, slot: int) -> list[Callable[[], None]]:
            people = range(slot, annotators, 2)
            return [lambda number=number: _deciding(say, f"person{number}@x.org", decisions) for number in people]  # type: ignore[misc]

        servers = [
            _start(lambda say: [*deciding(say, 0), lambda: _saving(say, over.exists)]),
            _start(lambda say: [*deciding(say, 1), lambda: _running(say, "runner@x.org", over.exists)]),
        ]
        said, open_lines, left = list[list](), defaultdict[int, bytes](bytes), annotators * decisions
        streams = [reading for _, reading in servers]
        while streams:
            for reading in select.select(streams, [], [])[0]:
                content = os.read(reading, 65536)
                *lines, open_lines[reading] = (open_lines[reading] + content).split(b"\n")
                facts = [json.loads(line) for line in lines]
                said += facts
                left -= sum(kind in ("decision", "error") for kind, *_ in facts)
                if left <= 0 or any(kind == "error" for kind, *_ in facts):
                    over.touch()
                if not content:
                    streams.remove(reading)
                    os.close(reading)
        for process, _ in servers:
            os.waitpid(process, 0)
        counts = Counter[str]()
        _count(said, counts)
    return counts


def _count(said: list[list], counts: Counter[str]) -> None:
    """Count what was acknowledged, and what of it is missing or wrong."""
    facts = defaultdict[str, list[list]](list)
    for kind, *details in said:
        facts[kind].append(details)
    for (error,) in facts["error"]:
        counts["errors"] += 1
        sys.stderr.write(error)
    counts["studies saved"] = len(facts["saved"])
    _count_decisions(facts["decision"], counts)
    with store().reading() as database:
        kept = set(database.execute("SELECT token, comment FROM answers"))
    counts["answers acknowledged"] = len(facts["answer"])
    counts["answers lost"] = len(set(map(tuple, facts["answer"])) - kept)
    _count_jobs(facts["begun"], facts["ended"], counts)
    spans = sorted((began, ended) for _, began, ended in facts["ran"])
    counts["two jobs at once"] = sum(earlier[1] > later[0] for earlier, later in pairwise(spans))


def _count_decisions(said: list[list], counts: Counter[str]) -> None:
    with visiting(Visitor(OWNER)):
        study = fairviz.open_study("mine")
        past = history(study)
    kept = set(zip(past["author"], past["reason"], strict=True))
    counts["decisions acknowledged"] = len(said)
    counts["decisions lost"] = len({(name, str(number)) for name, number in said} - kept)
    logged = Counter(row["who"] for row in changes() if row["deed"].startswith("decide"))
    counts["missing in the log of changes"] = (Counter(name for name, _ in said) - logged).total()
    counts["half-written"] = len(studies.left_over()) + (not studies.sound(study)) + (not studies.notes_kept())


def _count_jobs(begun: list[list], ended: list[list], counts: Counter[str]) -> None:
    known = {key: permissions().state_of(jobs.key_hash(("combinations", key))) for (key,) in begun}
    counts["jobs begun"], counts["jobs ended"] = len(begun), len(ended)
    counts["jobs interrupted"] = sum(state == "interrupted" for state in known.values())
    counts["job states lost"] = sum(state not in ENDED for state in known.values())
    counts["job states lost"] += sum(known[key] != state for key, state in ended)


def at_servers(kills: int, seed: int) -> Counter[str]:
    """Kills servers at random moments while visitors use them."""
    return _servers("kills", kills, seed)


def beside_others(annotators: int, decisions: int) -> Counter[str]:
    """Annotators decide at once in two servers, beside an owner who saves and a job that runs."""
    return _servers("together", annotators, decisions)


def _servers(*arguments: object) -> Counter[str]:
    command = [sys.executable, "-m", "tests.extensions.server.servers", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return Counter(json.loads(done.stdout))


def main(what: str, *numbers: str) -> None:
    counts = {"kills": kill, "together": together}[what](*map(int, numbers))
    names = [name for name in counts if name not in WRONG]
    sys.stdout.write(json.dumps({name: counts[name] for name in (*names, *WRONG)}) + "\n")
    sys.exit(any(counts[name] for name in WRONG))


if __name__ == "__main__":
    main(*sys.argv[1:])
