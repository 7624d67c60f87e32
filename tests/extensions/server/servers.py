"""Server processes in which visitors decide, answer a labelling form, save runs and run jobs; they are killed.

`python -m tests.extensions.server.servers NUMBER SEED` kills this many, always one of two that run at once, and prints
one JSON object of counts. Each server is forked off a process that has imported everything. WRONG names the counts that
must be zero.
"""

import json
import os
import queue
import random
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
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
from tests.reliability import jobs as studies
from tests.reliability.injected import in_child
from tests.reliability.kill import Child, start

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


def _deciding(say: Say, name: str) -> None:
    """An annotator decides again and again, on her own documents and on the others'."""
    with visiting(Visitor(name)):
        study = fairviz.open_study("mine")
        for number in count():
            decide(study, ("d1", "d2")[number % 2], LABELS[number % 3], str(number))
            say("decision", name, number)


def _answering(say: Say, name: str, token: str) -> None:
    batch = open_batch(token)
    assert batch is not None
    for number in count():
        comment = f"{name} {number}"
        answer(token, number % batch.questions + 1, "label", LABELS[number % 3], comment)
        say("answer", token, comment)


def _saving(say: Say) -> None:
    """The owner saves the study and its runs in turn."""
    with visiting(Visitor(OWNER)):
        for number in count():
            (studies.save_as_it_is, studies.rank)[number % 2]()
            say("saved", number)


def _running(say: Say, name: str, turns: Iterator[int]) -> None:
    """Two jobs are begun at each turn, of which one in three is stopped, and their ends are acknowledged."""
    chance = random.Random(name)
    with visiting(Visitor(name)):
        for number in turns:
            begun = [_begin(say, f"{name} {number} {place}", chance.uniform(0, 0.04)) for place in range(2)]
            if chance.random() < 1 / 3:
                begun[1].stop()
            for job in begun:
                job.wait(LAST_WAIT)
                say("ended", job.key[1], "done" if job.is_complete else "blocked" if job.running else "stopped")


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


def _server(*threads: Callable[[Say], None]) -> Iterator[str]:
    """Run the threads, and yield what they acknowledge."""
    jobs.TURN = 0.02
    said, going = queue.SimpleQueue[str](), len(threads)

    def run(work: Callable[[Say], None]) -> None:
        try:
            work(lambda *facts: said.put(json.dumps(facts)))
        except Exception:  # noqa: BLE001 - the parent reports it, whatever it is
            said.put(json.dumps(("error", traceback.format_exc()[-1500:])))
        said.put("")

    for work in threads:
        threading.Thread(target=run, args=(work,), daemon=True).start()
    while going:
        text = said.get()
        going -= not text
        if text:
            yield text


def _make(home: Path) -> list[str]:
    """Make the studies and the configuration; return the tokens of the labelling form."""
    os.environ["FAIRVIZ_HOME"] = str(home)

    def make() -> str:
        studies.make()
        return json.dumps([link.token for link in formed(saved(home / "studies"), documents=9, people=LINKS)])

    status, told = in_child(make)  # a forked process shares no open database
    assert not status, told
    (home / "config.json").write_text(to_json(CONFIG), encoding="utf-8")
    os.environ |= {VARIABLE: str(home / "config.json"), SERVED: str(home / "studies")}
    return json.loads(told)


def kill(kills: int, seed: int) -> Counter[str]:
    """Kill servers at random moments, and look at what is there afterwards."""
    chance, said, counts, names = random.Random(seed), list[list](), Counter[str](), count()
    with tempfile.TemporaryDirectory(prefix="fairviz-servers-") as folder:
        tokens = _make(Path(folder))

        def started(slot: int) -> tuple[Child, str]:
            name = f"person{next(names)}@x.org"
            threads = [
                lambda say: _deciding(say, name),
                lambda say: _answering(say, name, tokens[slot]),
                lambda say: _running(say, name, count()),
                _saving,
            ]
            return start(_server(*threads[: 4 - slot])), name  # the owner is at the first

        servers = [started(slot) for slot in range(2)]
        while counts["servers killed"] < kills:
            slot = counts["servers killed"] % 2
            server, name = servers[slot]
            if chance.random() >= EARLY:
                select.select([server.lines], [], [])
            select.select([], [], [], chance.uniform(0, MOST_WAIT))
            said += _killed(server)
            counts["servers killed"] += 1
            counts["jobs of killed servers in the queue"] += int(not _is_gone(name))
            servers[slot] = started(slot)
        for server, _ in servers:
            said += _killed(server)
        said += map(json.loads, start(_server(lambda say: _running(say, OWNER, iter([0])))).told())
        _count(said, counts)
    return counts


def _killed(server: Child) -> list[list]:
    """Kill it; what it acknowledged."""
    os.kill(server.pid, signal.SIGKILL)
    return [json.loads(line) for line in server.told()]


def _is_gone(name: str) -> bool:
    """Return whether this visitor's jobs leave the queue before long: another process may just look at their places."""
    end = time.monotonic() + LAST_WAIT
    while any(row.visitor == name for row in jobs.queue()):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


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
    counts["queue blocked"] = sum(state == "blocked" for _, state in facts["ended"])
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


if __name__ == "__main__":
    counts = kill(*map(int, sys.argv[1:]))
    names = [name for name in counts if name not in WRONG]
    sys.stdout.write(json.dumps({name: counts[name] for name in (*names, *WRONG)}) + "\n")
    sys.exit(any(counts[name] for name in WRONG))
