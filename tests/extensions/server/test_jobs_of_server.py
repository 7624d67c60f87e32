"""Jobs of a server: their order over its processes, who may stop them, their limits, and states after a crash."""

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.home import data_home
from fairviz.home.permissions import VARIABLE, Limits, Visitor, permissions, visiting, visitor
from fairviz.study.record import Study
from fairviz.ui.kit import html, jobs
from fairviz.ui.shell.gate import count_jobs
from fairviz.ui.state import library
from fairviz.ui.state.registry import ANY, SERVER_OWNER, STUDY_OWNER, JobKind
from tests.conftest import ROOT
from tests.pages.conftest import drawn_by, html_of

ALONE, KEY = jobs.Terms(), ("rank", "newswire", "place", "")
ADA, BOB, CARL = (Visitor(f"{name}@x.org") for name in ("ada", "bob", "carl"))
CONFIG = ServerConfig(login=Login(header="X-User"), roles={"owner": ("ada@x.org",), "viewer": ("*",)})

OTHER_PROCESS = """
import sys, threading
from fairviz.home.permissions import Visitor, visiting
from fairviz.ui.kit import jobs
begun = threading.Event()
def work(progress):
    begun.set()
    threading.Event().wait()
with visiting(Visitor("eve@x.org")):
    jobs.begin(("rank", "newswire", "place", ""), work)
begun.wait()
print("running", flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _server_without_jobs(serve: Callable[[ServerConfig], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    serve(CONFIG)
    monkeypatch.setattr(jobs, "TURN", 0.01)
    monkeypatch.setattr(jobs, "LOOK", 0.0)
    for key in "abcdef":
        monkeypatch.setitem(jobs.KINDS, key, JobKind(key, ANY))
    jobs._jobs.clear()
    yield
    jobs._jobs.clear()


def other_process() -> subprocess.Popen:
    """A process of the same server in which a job of KEY runs."""
    command = [sys.executable, "-c", OTHER_PROCESS]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    return process


def begin_held(key: str, person: Visitor = BOB, terms: jobs.Terms = ALONE) -> tuple[jobs.Job, threading.Event]:
    """Begin a job that runs until the event is set or it is stopped, and return once it has its turn or waits."""
    held = threading.Event()

    def work(progress: jobs.Progress) -> str:
        while not held.wait(0.01):
            progress("held", 0, 0)
        return key

    with visiting(person):
        job = jobs.begin(key, work, terms)
    while job.running and job.what != "held" and job.before is None:
        job.wait(0.01)
    return job, held


def run(*held: tuple[jobs.Job, threading.Event]) -> None:
    """Let the jobs run to their ends."""
    for _, event in held:
        event.set()
    for job, _ in held:
        job.wait()


def state_of(key: object) -> str:
    return permissions().state_of(jobs.key_hash(key))


def states() -> list[tuple[str, str, int]]:
    return [(row.title, row.state, row.position) for row in jobs.queue()]


def test_jobs_run_for_their_visitor_in_the_order_in_which_they_were_begun() -> None:
    ended = []
    first, held = begin_held("a")
    with visiting(BOB):
        others = [jobs.begin(key, lambda progress, key=key: ended.append((key, visitor()))) for key in "bc"]
    others.append(jobs.begin("d", lambda progress: {}["none"]))
    while [job.before for job in others] != [1, 2, 3]:
        others[0].wait(0.01)
    assert states() == [("a", "running", 0), ("b", "waiting", 1), ("c", "waiting", 2), ("d", "waiting", 3)]
    assert count_jobs() == (1, 3)
    assert ended == []
    held.set()
    for job in (first, *others):
        job.wait()
    assert ended == [("b", BOB), ("c", BOB)]
    assert jobs.queue() == []
    assert [state_of(key) for key in "abcd"] == ["done", "done", "done", "failed"]


def test_as_many_run_at_once_as_the_configuration_has(serve: Callable[[ServerConfig], None]) -> None:
    serve(replace(CONFIG, limits=Limits(jobs_at_once=2)))
    held = [begin_held(key) for key in "abc"]
    assert [job.what for job, _ in held] == ["held", "held", ""]
    held[1][1].set()
    while held[2][0].what != "held":
        held[2][0].wait(0.01)
    run(*held)
    assert [job.outcome for job, _ in held] == ["a", "b", "c"]


def test_jobs_of_all_processes_are_one_queue_which_a_killed_process_does_not_hold_up() -> None:
    with other_process() as process:
        first, second = begin_held("a"), begin_held("b")
        assert [(job.before, job.what) for job, _ in (first, second)] == [(1, ""), (2, "")]
        assert [(row.visitor, row.state) for row in jobs.queue()] == [
            ("eve@x.org", "running"),
            (BOB.name, "waiting"),
            (BOB.name, "waiting"),
        ]
        with pytest.raises(FairvizError, match="you have 2 jobs waiting"):
            begin_held("c")
        assert jobs.job("c") is None
        of_carl = begin_held("c", CARL)
        second[0].stop()
        second[0].wait()
        last = begin_held("d")
        process.kill()
        process.wait()
        while first[0].what != "held":
            first[0].wait(0.01)
    assert states()[0] == ("a", "running", 0)
    assert (state_of(KEY), jobs.is_interrupted(KEY)) == ("interrupted", True)
    run(first, of_carl, last)
    jobs.begin(KEY, lambda progress: None).wait()
    jobs._jobs.clear()  # as in a new process
    assert (state_of(KEY), jobs.is_interrupted(KEY)) == ("done", False)


def test_a_short_job_does_not_wait_behind_a_long_one() -> None:
    long, waiting = begin_held("a"), begin_held("b", terms=jobs.Terms(seconds=1000.0))
    quick, other = (begin_held(key, CARL, jobs.Terms(seconds=3.0)) for key in "cd")
    assert (long[0].what, waiting[0].before, quick[0].what) == ("held", 1, "held")
    assert other[0].before == 1, "behind the other short one"
    run(quick, other, long, waiting)
    assert [state_of(key) for key in "abcd"] == ["done"] * 4


def test_two_visitors_share_a_job_that_only_the_first_and_the_owner_may_stop() -> None:
    job, _ = begin_held("a", BOB)
    assert begin_held("a", CARL)[0] is job
    for person, may_stop in ((CARL, False), (BOB, True), (ADA, True)):
        with visiting(person):
            assert job.may_stop() is may_stop
    with visiting(CARL), pytest.raises(FairvizError) as told:
        jobs._stop(job)
    assert told.value.message == jobs.NOT_YOURS
    assert not job.stopping
    waiting = jobs.begin("b", lambda progress: pytest.fail("it ran"))
    waiting.place.before = lambda: (waiting.stop(), 0)[1]  # its turn comes as it is stopped
    waiting.wait()
    assert (waiting.problem, state_of("b")) == (None, "stopped")
    with visiting(ADA):
        jobs._stop(job)
    job.wait()
    assert state_of("a") == "stopped"


def test_a_job_of_any_process_is_ended_by_its_visitor_or_the_servers_owner() -> None:
    running, _ = begin_held("a", BOB)
    waiting, _ = begin_held("b", BOB)
    first, second = jobs.queue()
    for person in (CARL, None, Visitor("")):
        with visiting(person), pytest.raises(FairvizError, match="Only the visitor who began this job"):
            jobs.end(first)
    jobs._jobs.clear()  # as a process that did not begin them
    with visiting(BOB):
        jobs.end(second)
    waiting.wait()
    with visiting(ADA):
        jobs.end(first)
    running.wait()
    assert [state_of(key) for key in "ab"] == ["stopped"] * 2
    with visiting(ADA):
        jobs.end(first)  # which has ended meanwhile
    assert list((data_home() / "server" / "queue").iterdir()) == []


def test_a_job_over_the_limit_ends(serve: Callable[[ServerConfig], None]) -> None:
    serve(replace(CONFIG, limits=Limits(job_seconds=0)))
    job, _ = begin_held("a")
    job.wait()
    assert job.problem is not None
    assert job.problem.message == "the job took more than 0 seconds, the most on this server"
    assert "can raise job_seconds" in job.problem.remedy
    assert state_of("a") == "failed"


def test_a_job_that_cannot_be_stored_does_not_begin() -> None:
    (data_home() / "server").mkdir(parents=True)
    (data_home() / "server" / "jobs.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(FairvizError, match="the state of a job could not be stored"):
        jobs.begin("a", lambda progress: pytest.fail("it ran"))
    assert jobs.job("a") is None
    assert count_jobs() == (None, None)


def test_without_a_configuration_nothing_waits_and_nothing_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    held = [begin_held(key) for key in "ab"]
    assert [job.what for job, _ in held] == ["held", "held"]
    assert all(job.may_stop() for job, _ in held)
    assert jobs.queue() == []
    run(*held)
    assert not (data_home() / "server").exists()


def test_a_key_has_one_hash_in_every_process_and_a_title() -> None:
    key = ("rank", frozenset("abcdefghij"), {"y": 1.5, "x": None})  # of sets and mappings, which have no order
    assert jobs.key_hash(key) == "17e5a04ab005f6f14cf3a9ac7600c9fb536e0f5820e544da1e7cb7b5f004a6c6"
    keys = [("a", "b"), ("a", ("b",)), ("a, b",), "a", (), ("a", 1), ("a", "1")]
    assert len(set(map(jobs.key_hash, keys))) == len(keys)
    assert jobs.title_of(("rank", "{mine}", "place", "")) == "Runs for {mine}"
    assert jobs.title_of(("mitigations", "b5")) == "Comparison of mitigations"
    assert jobs.title_of("plain") == "plain"


def page(visitor: str, key: tuple, at_once: bool) -> None:
    from fairviz.home.permissions import Visitor, visiting
    from fairviz.ui.kept.flow import Task

    with visiting(Visitor(visitor)):
        stopped = ("Stopped.", "Answers are kept.")
        Task(None, key, lambda progress: None, "mine", stopped, at_once=at_once).outcome("Begin")


def test_the_page_shows_how_many_jobs_are_before_this_one_and_offers_to_go_on_after_a_restart() -> None:
    held, _ = begin_held("a")
    with visiting(BOB):
        job = jobs.begin(KEY, lambda progress: None)
    while job.before is None:
        job.wait(0.01)
    drawn = drawn_by(page, CARL.name, KEY, False)
    assert drawn.get("progress")[0].proto.text == html.literal("Waiting: 1 job before this one.")
    assert drawn.button(key="mine_stop").disabled
    jobs.end_all()
    assert (held.running, job.running) == (False, False)
    jobs._jobs.clear()  # as in a new process
    assert jobs.is_interrupted("a")
    drawn = drawn_by(page, CARL.name, KEY, False)
    assert jobs.INTERRUPTED_TEXT in html_of(drawn)
    assert "Answers are kept." in html_of(drawn)
    assert drawn.button(key="mine_go").label == "Resume"
    drawn.button(key="mine_go").click().run()
    assert jobs.INTERRUPTED_TEXT not in html_of(drawn)
    assert state_of(KEY) == "done"


@pytest.fixture
def football() -> Study:
    with visiting(ADA):
        return open_study("football")


def refusal_for(person: Visitor, kind: str, terms: jobs.Terms) -> tuple[str, ...]:
    with visiting(person):
        return jobs.refusal((kind, "football"), terms)


def owner_text(football: Study, kind: str, asks: bool = False) -> str:
    """Who may start the job, by what the program does."""
    terms = jobs.Terms(football, ({"url": ""},) if asks else ())
    people = {"ada": ADA, "owner": Visitor("dora@x.org"), "viewer": BOB}
    may = {name for name, person in people.items() if not refusal_for(person, kind, terms)}
    texts = {("ada", "owner", "viewer"): ANY, ("ada", "owner"): STUDY_OWNER, ("ada",): SERVER_OWNER}
    return texts[tuple(sorted(may))]


def test_who_may_start_what_is_the_table_of_the_manual(serve: Callable[[ServerConfig], None], football: Study) -> None:
    serve(replace(CONFIG, studies={"football": {"owner": ("dora@x.org",)}}))
    manual = (ROOT / "docs" / "how-to" / "server.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (.+) \|$", manual, re.MULTILINE)
    table = {row for row in rows if row[1] in (ANY, STUDY_OWNER, SERVER_OWNER)}
    kinds = [name for name in jobs.kinds() if len(name) > 1]
    assert table >= {
        *((jobs.kinds()[kind].title, owner_text(football, kind)) for kind in kinds),
        ("any job that sends requests to a language model", owner_text(football, "rank", asks=True)),
    }
    assert owner_text(football, "nothing known") == SERVER_OWNER
    assert [owner_text(football, kind, asks=True) for kind in kinds] == [
        SERVER_OWNER if jobs.kinds()[kind].who == SERVER_OWNER else STUDY_OWNER for kind in kinds
    ]


def test_a_study_brought_along_is_its_visitors_but_not_the_account_of_the_models(
    monkeypatch: pytest.MonkeyPatch, football: Study
) -> None:
    with visiting(BOB), pytest.raises(FairvizError, match="An owner of the study starts this work"):
        jobs.start(("mitigations", "key"), lambda progress: pytest.fail("it ran"), jobs.Terms(football))
    monkeypatch.setattr(library, "is_own", lambda study: True)
    assert not refusal_for(BOB, "mitigations", jobs.Terms(football))
    for kind in ("mitigations", "rank", "annotators"):
        assert refusal_for(BOB, kind, jobs.Terms(football, ({"url": ""},)))
    assert refusal_for(BOB, "mended", jobs.Terms(football))


def test_opening_a_page_of_a_server_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ("combinations", "x")
    drawn = drawn_by(page, ADA.name, key, True)
    assert jobs.job(key) is None
    drawn.button(key="mine_go").click().run()
    assert jobs.completed(key) is not None
    jobs._jobs.clear()
    monkeypatch.delenv(VARIABLE)
    drawn_by(page, ADA.name, key, True)
    assert jobs.completed(key) is not None
