"""/healthz: up or not for everybody, counts for programs on this machine, names for nobody."""

import asyncio
import json
from threading import Event

from fairviz.ui.kit.jobs import Job
from fairviz.ui.shell.gate import Health, count_jobs, counts

FACTS = {
    *("status", "version", "process", "sessions", "jobs_running", "jobs_waiting", "threads"),
    *("memory_mb", "uptime_seconds"),
}


def asked(path="/healthz", sessions=3, client=("127.0.0.1", 1), headers=(), method="GET", base=""):
    """The status and the facts that are answered, None where what is behind answers."""
    sent = []

    async def behind(scope, receive, send):
        await send(None)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "client": client, "headers": list(headers)}
    health = Health(behind, lambda: sessions, lambda: (1, 2), lambda: base)
    asyncio.run(health({**scope, "server": ("10.0.0.5", 8501)}, None, send))
    if sent == [None]:
        return None
    return sent[0]["status"], json.loads(sent[1]["body"] or "{}")


def test_a_program_on_this_machine_reads_counts_and_others_only_that_it_is_up():
    status, facts = asked(headers=[(b"host", b"any.example")])
    assert status == 200
    assert facts.keys() == FACTS
    assert (facts["status"], facts["sessions"], facts["jobs_running"], facts["jobs_waiting"]) == ("ok", 3, 1, 2)
    assert facts["memory_mb"] is None or facts["memory_mb"] > 1
    for request in (
        {"client": ("10.0.0.6", 1)},
        {"client": None},
        {"headers": [(b"x-forwarded-for", b"10.0.0.6")]},
        {"headers": [(b"Via", b"1.1 caddy")]},
    ):
        assert asked(**request) == (200, {"status": "ok"})
    assert asked(sessions=None) == (503, {"status": "starting"})


def test_it_answers_with_and_without_the_base_path_and_nowhere_else():
    assert asked("/fairviz/healthz", base="fairviz")[0] == asked("/healthz", base="fairviz")[0] == 200
    assert asked("/other/healthz", base="fairviz") is None
    assert asked("/healthz/x") is asked("/") is asked(method="POST") is None
    assert asked(method="HEAD") == (200, {})


def test_jobs_of_this_process_are_counted():
    begun, released = Event(), Event()
    job = Job("a")
    before = count_jobs()[0]
    job.start(lambda progress: (begun.set(), released.wait()))
    begun.wait()
    assert count_jobs()[0] == before + 1
    released.set()
    job.wait()
    assert count_jobs()[0] == before
    assert counts(1, 2, 3)["jobs_waiting"] == 3
