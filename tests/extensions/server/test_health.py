"""/healthz of a server."""

from pathlib import Path

import pytest

from fairviz.extensions.server import queue
from fairviz.extensions.server.configuration import ServerConfig, to_json
from fairviz.home.permissions import RUNNING, VARIABLE
from fairviz.ui.shell.gate import count_jobs


def test_jobs_of_a_server_are_those_of_all_its_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(to_json(ServerConfig()))
    monkeypatch.setenv(VARIABLE, str(tmp_path / "config.json"))
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "home"))
    first, second = (queue.take_place(name, name, "") for name in "ab")
    first.note(RUNNING)
    assert count_jobs() == (1, 1)
    first.leave()
    second.leave()
    assert count_jobs() == (0, 0)
    database = tmp_path / "home" / "server" / "jobs.sqlite"
    for path in database.parent.glob("jobs.sqlite*"):
        path.unlink()
    database.write_bytes(b"no database" * 1000)
    assert count_jobs() == (None, None)
