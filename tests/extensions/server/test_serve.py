"""fairviz.toml and `fairviz serve`: the configuration read as its example says and refused with every defect and its
line, what is told before and at the start, what each process is handed, and how processes are kept running."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest

from fairviz.cli import app
from fairviz.errors import FairvizError
from fairviz.extensions.server import serve as serving
from fairviz.extensions.server.configuration import (
    Login,
    ServerConfig,
    address_of,
    check_reach,
    from_json,
    parse_config,
    server_config,
)
from fairviz.extensions.server.serve import EXAMPLE, MOST_ENDS, keep_running
from fairviz.home import data_home
from fairviz.home.permissions import VARIABLE, permissions
from tests.conftest import Call

PROVIDER = (
    '[login]\nprovider = "https://id.example.org/x"\nclient_id = "f"\nclient_secret_file = "secret"\n'
    'url = "https://lab.example.org"\n'
)


# --- the configuration


def read(text: str) -> ServerConfig:
    return parse_config(text.encode(), "fairviz.toml")


def told_of(text: str) -> str:
    with pytest.raises(FairvizError) as told:
        read(text)
    return told.value.message


def test_the_example_has_every_key_and_reaches_the_server_processes_whole(
    serve: Callable, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    config = read(text)
    assert read(call("serve --example").out) == config
    keys = [*ServerConfig.__dataclass_fields__, *Login.__dataclass_fields__, *type(config.limits).__dataclass_fields__]
    assert [key for key in keys if key not in text and key not in ("read_only", "demo")] == []
    assert config.login is not None
    assert config.login.hours == 12
    assert config.role("ada@example.org", None) == "owner"
    serve(replace(config, demo=True))
    assert server_config() == replace(config, demo=True)
    monkeypatch.setenv(VARIABLE, "")
    assert not permissions().is_server


def test_every_defect_is_named_with_its_line() -> None:
    message = told_of(
        'title = "x"\nport = 99999\npots = 1\nhosts = ["a b"]\n[login]\nprovider = "http://x"\nhours = "3"\n'
        '[roles]\nking = ["x"]\nowner = "ada"\n[studies.newswire]\nviewer = ["a b"]\n[limits]\ntokens = 0\n',
    )
    assert [line.removeprefix("fairviz.toml:").split(" ")[:2] for line in message.splitlines()] == [
        ["2:", "port"], ["3:", "pots"], ["4:", "hosts"], ["6:", "provider"], ["7:", "hours"], ["5:", "login"],
        ["9:", "king"], ["10:", "owner"], ["12:", "viewer"], ["14:", "tokens"],
    ]  # fmt: skip
    assert "Did you mean port?" in message
    for text, part in (
        ("title = 1", "title is not text: '1'"),
        ("port = true", "port is not a whole number: 'True'"),
        ("login = 3", "login is not a table; write [login]"),
        ('studies = "x"', "studies is not a table"),
        ("[login]\nhours = 3", "login needs a provider or a header, and not both"),
        ('[login]\nheader = "X-User"\nprovider = "https://a.org"', "needs a provider or a header, and not both"),
        ('[login]\nprovider = "https://a.org"\nurl = "https://b.org"', "login has a provider and no client_id"),
        ('frame_ancestors = ["https://a.org/path"]', "frame_ancestors has an entry that is not an origin"),
        ('frame_ancestors = ["https://a.org; script-src *"]', "frame_ancestors has an entry that is not an origin"),
        ('frame_ancestors = ["*"]', "frame_ancestors has an entry that is not an origin"),
        ('base_path = "/a"', "base_path is not a path like tools/fairviz"),
        ('base_path = "../x"', "base_path is not a path like tools/fairviz"),
        ('base_path = "a/./b"', "base_path is not a path like tools/fairviz"),
        ("port = " + "9" * 5000, "is not valid TOML: Exceeds the limit (4300 digits)"),
        ("port = 0x" + "f" * 5000, "port is not a whole number from 1 to 65,535"),
        ("port = 65535\nprocesses = 3", "fairviz.toml:2: processes from port 65535 on need ports above 65535: '3'"),
        ("title = ", "fairviz.toml is not valid TOML"),
    ):
        assert part in told_of(text)


@pytest.mark.parametrize(
    "person",
    ["a b", "*@", "ada", "ada@", "@x.org", "a@b@c",
     "o\u017fwald@x.org", "ada@x\u212a.org", "ada@\uff58.org", "*@\u0445.org",
     "ada@x..org", "ada@-x.org", ".ada@x.org", "ada.@x.org", "a\tb@x.org", "a" * 300 + "@\u00e4.org"],
)  # fmt: skip
def test_who_can_never_log_in_gets_no_role(person: str) -> None:
    told = told_of(f"[roles]\nowner = [{json.dumps(person)}]\n")
    assert "owner has an entry that is neither *, *@example.org nor an e-mail address" in told
    assert address_of(person) == ""


def test_a_role_is_the_highest_of_both_tables_and_addresses_are_compared_in_lower_case() -> None:
    config = ServerConfig(
        roles={"owner": ("ada@x.org",), "viewer": ("*@x.org",)}, studies={"newswire": {"annotator": ("bob@x.org",)}}
    )
    for person, study, role in (
        ("ada@x.org", None, "owner"), ("ada\u017f@x.org", "newswire", ""), ("bo\u212a@x.org", "other", ""),
        ("bob@x.org", "newswire", "annotator"), ("bob@x.org", "other", "viewer"), ("bob@y.org", "newswire", ""),
        ("bob@sub.x.org", "newswire", ""), ("x.org", "newswire", ""), ("", "newswire", ""),
    ):  # fmt: skip
        assert config.role(person, study) == role, person
    config = read('[roles]\nowner = ["Ada@X.ORG", "o\'brien+lab@a-b.example.org"]\nviewer = ["*@Y.org", "*"]\n')
    for person in ("ada@x.org", address_of("ADA@x.org"), "o'brien+lab@a-b.example.org"):
        assert config.role(person, None) == "owner"
    assert (config.role("", None), config.role("x", None)) == ("", "viewer"), "everybody has a name"


def test_without_a_login_only_this_machine_is_let_in() -> None:
    check_reach(ServerConfig())
    check_reach(ServerConfig(address="0.0.0.0", demo=True))
    check_reach(ServerConfig(hosts=("a.org",), login=Login(header="X-User")))
    for open_to_all in (ServerConfig(address="0.0.0.0"), ServerConfig(hosts=("a.org",))):
        with pytest.raises(FairvizError, match="can reach this server without a login"):
            check_reach(open_to_all)


def test_the_address_is_that_of_browsers() -> None:
    for config, address in (
        (ServerConfig(), "http://localhost:8501"),
        (ServerConfig(address="::", base_path="a/b"), "http://[::]:8501/a/b"),
        (ServerConfig(hosts=("lab.org",)), "https://lab.org"),
        (ServerConfig(login=Login(url="https://lab.org/"), base_path="x"), "https://lab.org/x"),
    ):
        assert serving.public_address(config) == address


# --- the verb


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of studies."""
    (tmp_path / "studies" / "b").mkdir(parents=True)
    (tmp_path / "studies" / ".hidden").mkdir()
    return tmp_path / "studies"


def config_file(folder: Path, text: str) -> Path:
    path = folder / "fairviz.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_cannot_be_served_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a server was started"))
    config_file(folder.parent, 'hosts = ["lab.example.org"]')
    for line, status, message in (
        ("serve", 2, "there is not a folder of studies to serve"),
        ("serve {}/none", 1, "{}/none is not a folder of studies"),
        ("serve {} --read-only --demo", 2, "--read-only and --demo exclude each other"),
        ("serve {} --config none.toml", 1, "none.toml cannot be read: No such file or directory"),
        ("serve {} --config {}/../fairviz.toml", 1, "others can reach this server without a login\n"),
    ):
        said = call(line.replace("{}", str(folder)), status=status)
        assert said.err.startswith(message.replace("{}", str(folder)))


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
    monkeypatch.setattr(serving, "keep_running", lambda starts: max(start().wait() for start in starts))
    monkeypatch.setattr(app, "refuse_taken", lambda *_: None)
    return calls


def test_each_process_has_its_port_and_the_whole_configuration(started: list[tuple], folder: Path, call: Call) -> None:
    file = config_file(folder.parent, 'processes = 2\nport = 9000\n[login]\nheader = "X-User"\n')
    said = call(f"serve {folder} --config {file} --read-only").err
    assert "2 processes listen on ports 9000 to 9001" in said
    assert [command[command.index("--server.port") + 1] for command, *_ in started] == ["9000", "9001"]
    command, environment, text, _ = started[0]
    assert from_json(text) == ServerConfig(port=9000, processes=2, login=Login(header="X-User"), read_only=True)
    assert (environment["FAIRVIZ_STUDIES"], environment["FAIRVIZ_STUDY"]) == (str(folder), "b")
    assert environment["FAIRVIZ_SHARED"] == "1"
    assert json.loads(command[command.index("--server.trustedUserHeaders") + 1]) == {"X-User": "fairviz_login"}
    assert not list((data_home() / "server").glob("run-*"))
    assert "whoever works on this machine owns every study" in call(f"serve {folder}").err


def test_the_secrets_of_a_login_are_in_a_private_file_alone(started: list[tuple], folder: Path, call: Call) -> None:
    serves = f"serve {folder} --config {config_file(folder.parent, PROVIDER)}"
    assert "the client secret in" in call(serves, status=1).err
    assert not started
    (folder.parent / "secret").write_text("s3cr3t\n")
    told = [call(serves), call(serves)]
    (command, environment, text, secrets), (*_, again) = started
    assert 'client_secret = "s3cr3t"' in secrets
    assert 'redirect_uri = "https://lab.example.org/oauth2callback"' in secrets
    assert secrets == again, "a restart logs nobody out"
    cookie = next(line for line in secrets.splitlines() if "cookie_secret" in line).split('"')[1]
    for place in (str(told), text, " ".join(command), json.dumps(environment)):
        assert "s3cr3t" not in place
        assert cookie not in place


def test_a_data_folder_that_serve_cannot_use(folder: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    home = folder.parent / "home"
    home.symlink_to(home)
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))
    monkeypatch.setattr(app, "refuse_taken", lambda *_: None)
    monkeypatch.setattr(app, "end_on_signals", lambda **_: None)
    assert call(f"serve {folder}", status=1).err.startswith(f"the data folder {home} cannot be read (")


# --- its processes: one that ends is started again, the others go on, and the end of the command ends all

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


def test_a_process_that_never_lives_or_cannot_be_started_ends_all() -> None:
    failing, living = Starts(FAILS), Starts(LIVES)
    assert keep_running([living, failing], pause=0.001) == 1
    assert len(failing.started) == MOST_ENDS
    assert [process.returncode for process in living.started] == [0]
    living = Starts(LIVES)
    with pytest.raises(ChildProcessError):
        keep_running([living, Starts(ending=ChildProcessError)])
    assert [process.returncode for process in living.started] == [0]
