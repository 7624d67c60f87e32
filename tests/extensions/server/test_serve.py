"""serve: what it refuses before it starts, what it tells, what its processes are handed, how they are kept running."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest

from fairviz.cli import app
from fairviz.extensions.server import serve
from fairviz.extensions.server.configuration import Login, ServerConfig, from_json, parse_config
from fairviz.extensions.server.serve import MOST_ENDS, keep_running
from fairviz.home import data_home
from fairviz.home.permissions import VARIABLE
from tests.conftest import Call

PROVIDER = (
    '[login]\nprovider = "https://id.example.org/x"\nclient_id = "f"\nclient_secret_file = "secret"\n'
    'url = "https://lab.example.org"\n'
)


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    (tmp_path / "studies" / "b").mkdir(parents=True)
    (tmp_path / "studies" / ".hidden").mkdir()
    return tmp_path / "studies"


def config_file(folder: Path, text: str) -> Path:
    path = folder / "fairviz.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_is_printed_and_can_be_read_again(tmp_path: Path, call: Call) -> None:
    written = config_file(tmp_path, call("serve --example").out)
    assert parse_config(written.read_bytes(), "") == parse_config(serve.EXAMPLE.read_bytes(), "")


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("serve", 2, "there is not a folder of studies to serve"),
        ("serve {}/none", 1, "{}/none is not a folder of studies"),
        ("serve {} --read-only --demo", 2, "--read-only and --demo exclude each other"),
        ("serve {} --config none.toml", 1, "none.toml cannot be read: No such file or directory"),
        ("serve {} --config {}/../fairviz.toml", 1, "others can reach this server without a login\n"),
    ],
)
def test_what_cannot_be_served_is_told(
    line: str, status: int, message: str, studies: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a server was started"))
    config_file(studies.parent, 'hosts = ["lab.example.org"]')
    said = call(line.replace("{}", str(studies)), status=status)
    assert said.err.startswith(message.replace("{}", str(studies)))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """The commands, environments, configurations and secrets of the servers that are started."""
    calls = []

    def start(command: list[str], *, env: dict[str, str], **_: object) -> Mock:
        secrets = dict(pairwise(command)).get("--secrets.files")
        calls.append((command, env, Path(env[VARIABLE]).read_text(), secrets and Path(secrets).read_text()))
        assert stat.S_IMODE(os.stat(env[VARIABLE]).st_mode) == 0o600
        return Mock(stdin=None, returncode=0, **{"poll.return_value": 0, "wait.return_value": 0})

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(serve, "keep_running", lambda starts: max(start().wait() for start in starts))
    monkeypatch.setattr(app, "refuse_taken", lambda *_: None)
    return calls


def test_each_process_has_its_port_and_the_whole_configuration(
    started: list[tuple], studies: Path, tmp_path: Path, call: Call
) -> None:
    file = config_file(tmp_path, 'processes = 2\nport = 9000\n[login]\nheader = "X-User"\n')
    said = call(f"serve {studies} --config {file} --read-only").err
    assert "2 processes listen on ports 9000 to 9001" in said
    assert [command[command.index("--server.port") + 1] for command, *_ in started] == ["9000", "9001"]
    command, environment, text, _ = started[0]
    assert from_json(text) == ServerConfig(port=9000, processes=2, login=Login(header="X-User"), read_only=True)
    assert (environment["FAIRVIZ_STUDIES"], environment["FAIRVIZ_STUDY"]) == (str(studies), "b")
    assert environment["FAIRVIZ_SHARED"] == "1"
    assert json.loads(command[command.index("--server.trustedUserHeaders") + 1]) == {"X-User": "fairviz_login"}
    assert not list((data_home() / "server").glob("run-*"))
    assert "whoever works on this machine owns every study" in call(f"serve {studies}").err


def test_the_secrets_of_a_login_are_in_a_private_file_alone(
    started: list[tuple], studies: Path, tmp_path: Path, call: Call
) -> None:
    serves = f"serve {studies} --config {config_file(tmp_path, PROVIDER)}"
    assert "the client secret in" in call(serves, status=1).err
    assert not started
    (tmp_path / "secret").write_text("s3cr3t\n")
    told = [call(serves), call(serves)]
    (command, environment, text, secrets), (*_, again) = started
    assert 'client_secret = "s3cr3t"' in secrets
    assert 'redirect_uri = "https://lab.example.org/oauth2callback"' in secrets
    assert secrets == again, "a restart logs nobody out"
    cookie = next(line for line in secrets.splitlines() if "cookie_secret" in line).split('"')[1]
    for place in (str(told), text, " ".join(command), json.dumps(environment)):
        assert "s3cr3t" not in place
        assert cookie not in place


@pytest.mark.parametrize(
    ("config", "address"),
    [
        (ServerConfig(), "http://localhost:8501"),
        (ServerConfig(address="::", base_path="a/b"), "http://[::]:8501/a/b"),
        (ServerConfig(hosts=("lab.org",)), "https://lab.org"),
        (ServerConfig(login=Login(url="https://lab.org/"), base_path="x"), "https://lab.org/x"),
    ],
)
def test_the_address_is_that_of_browsers(config: ServerConfig, address: str) -> None:
    assert serve.public_address(config) == address


# --- its processes: one that ends is started again, the others go on, and the end of the command ends all -------

LIVES = "import sys; sys.stdin.read()"
FAILS = "raise SystemExit(3)"


class Starts:
    """Starts a process of each program in turn, the last one for ever; `ending` raises in place of a start."""

    def __init__(self, *programs: str, ending: type[BaseException] | None = None) -> None:
        self.programs, self.ending, self.started = list(programs), ending, list[subprocess.Popen]()

    def __call__(self) -> subprocess.Popen:
        place = len(self.started)
        if self.ending is not None and place == len(self.programs):
            raise self.ending
        program = self.programs[min(place, len(self.programs) - 1)]
        self.started.append(subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE))
        return self.started[-1]


def test_a_process_that_ends_is_started_again_while_the_others_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    failing, living = Starts(FAILS, FAILS, FAILS, ending=KeyboardInterrupt), Starts(LIVES)
    with pytest.raises(KeyboardInterrupt):
        keep_running([failing, living], pause=0.001)
    assert len(failing.started) == 3
    (other,) = living.started
    assert other.returncode == 0, "it was ended at the end alone, by the end of its input"
    told = capsys.readouterr().err.splitlines()
    assert [line.partition("(")[2] for line in told] == [
        f"status 3); another starts in {pause} s" for pause in ("0.001", "0.002", "0.004")
    ]


def test_a_process_that_never_lives_ends_all() -> None:
    failing, living = Starts(FAILS), Starts(LIVES)
    assert keep_running([living, failing], pause=0.001) == 1
    assert len(failing.started) == MOST_ENDS
    assert [process.returncode for process in living.started] == [0]


def test_a_process_that_cannot_be_started_ends_those_before_it() -> None:
    living, none = Starts(LIVES), Starts(ending=ChildProcessError)
    starts: list[Callable[[], subprocess.Popen]] = [living, none]
    with pytest.raises(ChildProcessError):
        keep_running(starts)
    assert [process.returncode for process in living.started] == [0]


def test_a_data_folder_that_serve_cannot_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    home, studies = tmp_path / "home", tmp_path / "studies"
    home.symlink_to(home)
    studies.mkdir()
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))
    monkeypatch.setattr("fairviz.cli.app.refuse_taken", lambda *_: None)
    monkeypatch.setattr("fairviz.cli.app.end_on_signals", lambda **_: None)
    assert call(f"serve {studies}", status=1).err.startswith(f"the data folder {home} cannot be read (")
