"""serve: what it refuses before it starts, what it tells, and what its processes are handed."""

import json
import os
import stat
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from fairviz.cli import serve
from fairviz.cli.main import main
from fairviz.home import data_home
from fairviz.home.server_config import VARIABLE, Login, ServerConfig, from_json, parse_config


def read_config(path: Path) -> ServerConfig:
    return parse_config(path.read_bytes(), path.name)


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    (tmp_path / "studies" / "b").mkdir(parents=True)
    (tmp_path / "studies" / ".hidden").mkdir()
    return tmp_path / "studies"


def config_file(folder: Path, text: str) -> Path:
    path = folder / "fairviz.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_is_printed_and_can_be_read_again(call, tmp_path):
    assert read_config(config_file(tmp_path, call("serve --example").out)) == read_config(serve.EXAMPLE)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "there is not a folder of studies to serve"),
        (["--read-only", "--demo"], "--read-only and --demo exclude each other"),
        (["--config", "none.toml"], "none.toml cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_served_is_told(arguments, line, capsys, studies, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a server was started"))
    assert main(["serve", *([str(studies)] if arguments else []), *arguments]) != 0
    assert capsys.readouterr().err.startswith(line)


def test_a_folder_that_is_none_is_told(call, tmp_path):
    assert "is not a folder of studies" in call(f"serve {tmp_path}/none", status=1).err


def test_a_server_that_knows_nobody_is_not_opened_to_others(call, studies, tmp_path):
    file = config_file(tmp_path, 'hosts = ["lab.example.org"]')
    said = call(f"serve {studies} --config {file}", status=1)
    assert said.err.startswith("others can reach this server without a login\n")


class Ended:
    """A server that has ended."""

    stdin, returncode = None, 0

    def poll(self):
        return 0

    def wait(self):
        return 0


@pytest.fixture
def started(monkeypatch):
    """The commands and environments of the servers that are started."""
    calls = []

    def start(command, **named):
        environment = named["env"]
        secrets = dict(pairwise(command)).get("--secrets.files")
        calls.append(
            (command, environment, Path(environment[VARIABLE]).read_text(), secrets and Path(secrets).read_text())
        )
        assert stat.S_IMODE(os.stat(environment[VARIABLE]).st_mode) == 0o600
        return Ended()

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(serve, "keep_running", lambda starts: max(start().wait() for start in starts))
    monkeypatch.setattr(serve, "refuse_taken", lambda *_: None)
    return calls


def test_each_process_has_its_port_and_the_whole_configuration(started, studies, tmp_path, capsys):
    file = config_file(tmp_path, 'processes = 2\nport = 9000\n[login]\nheader = "X-User"\n')
    assert main(["serve", str(studies), "--config", str(file), "--read-only"]) == 0
    assert [command[command.index("--server.port") + 1] for command, *_ in started] == ["9000", "9001"]
    command, environment, text, _ = started[0]
    assert from_json(text) == ServerConfig(port=9000, processes=2, login=Login(header="X-User"), read_only=True)
    assert (environment["FAIRVIZ_STUDIES"], environment["FAIRVIZ_STUDY"]) == (str(studies), "b")
    assert environment["FAIRVIZ_SHARED"] == "1"
    assert json.loads(command[command.index("--server.trustedUserHeaders") + 1]) == {"X-User": "fairviz_login"}
    assert "2 processes listen on ports 9000 to 9001" in capsys.readouterr().err
    assert not list((data_home() / "server").glob("run-*"))


def test_the_secrets_of_a_login_are_in_a_private_file_alone(started, studies, tmp_path, capsys):
    (tmp_path / "secret").write_text("s3cr3t\n")
    file = config_file(
        tmp_path,
        '[login]\nprovider = "https://id.example.org/x"\nclient_id = "f"\nclient_secret_file = "secret"\n'
        'url = "https://lab.example.org"\n',
    )
    for _ in range(2):
        assert main(["serve", str(studies), "--config", str(file)]) == 0
    (command, environment, text, secrets), (*_, again) = started
    assert 'client_secret = "s3cr3t"' in secrets
    assert 'redirect_uri = "https://lab.example.org/oauth2callback"' in secrets
    assert secrets == again  # a restart logs nobody out
    told = "".join(capsys.readouterr())
    cookie = next(line for line in secrets.splitlines() if "cookie_secret" in line).split('"')[1]
    for place in (told, text, " ".join(command), json.dumps(environment)):
        assert "s3cr3t" not in place
        assert cookie not in place


def test_a_secret_that_is_not_there_is_told(started, studies, tmp_path, call):
    file = config_file(
        tmp_path,
        '[login]\nprovider = "https://id.example.org/x"\nclient_id = "f"\nclient_secret_file = "secret"\n'
        'url = "https://lab.example.org"\n',
    )
    assert "the client secret in" in call(f"serve {studies} --config {file}", status=1).err
    assert not started


@pytest.mark.parametrize(
    ("config", "address"),
    [
        (ServerConfig(), "http://localhost:8501"),
        (ServerConfig(address="::", base_path="a/b"), "http://[::]:8501/a/b"),
        (ServerConfig(hosts=("lab.org",)), "https://lab.org"),
        (ServerConfig(login=Login(url="https://lab.org/"), base_path="x"), "https://lab.org/x"),
    ],
)
def test_the_address_is_that_of_browsers(config, address):
    assert serve.public_address(config) == address
