"""The files of deploy/: what the Dockerfile promises, read line by line, and what other programs check where they are
here. No container is built: the steps are run by hand in a clean environment."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from http.server import ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from fairviz.installed import LAYERS
from tests.conftest import ROOT
from tests.serving.proxy import CADDYFILE, PATIENCE, TRUSTING, caddy_program, echo_server, running_proxy

DEPLOY = ROOT / "deploy"
Stage = list[tuple[str, str]]  # instructions with their arguments


def dockerfile() -> list[Stage]:
    """The stages of the Dockerfile; lines that go on are joined."""
    text = re.sub(r"\\\n", "", re.sub(r"(?m)^#.*\n", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8")))
    stages: list[Stage] = []
    for line in filter(str.strip, text.splitlines()):
        name, _, arguments = line.strip().partition(" ")
        assert name.isupper(), line
        if name == "FROM":
            stages.append([])
        stages[-1].append((name, arguments.strip()))
    return stages


def arguments(stage: Stage, name: str) -> list[str]:
    return [text for instruction, text in stage if instruction == name]


def copied() -> list[str]:
    """The files and folders of the repository that are copied into the image."""
    sources = [text.split()[:-1] for stage in dockerfile() for text in arguments(stage, "COPY")]
    return [source for names in sources for source in names if not names[0].startswith("--from=")]


def is_left_out(path: str) -> bool:
    """Whether .dockerignore leaves the path out: the last line that matches decides."""
    left_out = False
    for line in (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines():
        pattern, parts = line.removeprefix("!"), path.split("/")
        names = parts if pattern.startswith("**/") else ["/".join(parts[: size + 1]) for size in range(len(parts))]
        if not line.startswith("#") and any(fnmatch(name, pattern.removeprefix("**/")) for name in names):
            left_out = not line.startswith("!")
    return left_out


def test_both_stages_have_the_same_pinned_python_and_the_server_does_not_run_as_root() -> None:
    stages = dockerfile()
    assert [arguments(stage, "FROM")[0].split()[0] for stage in stages] == ["python:3.11-slim"] * 2
    assert all(arguments(stage, "ARG") == ["LAYERS=serve"] for stage in stages)
    names = [name for name, _ in stages[-1]]
    (user,) = arguments(stages[-1], "USER")
    assert user not in ("root", "0")
    assert any(f"useradd --uid 1000 --create-home {user}" in text for text in arguments(stages[-1], "RUN"))
    assert "RUN" not in names[names.index("USER") :]


def test_what_the_wheel_is_made_of_is_copied_and_nothing_else_is_sent_to_the_build() -> None:
    assert not [text for stage in dockerfile() for text in arguments(stage, "ADD")], "nothing is fetched by address"
    for name in copied():
        assert (ROOT / name).exists(), name
        assert not is_left_out(name), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"], "LICENSE", "pyproject.toml"}
    assert needed <= set(copied())
    assert is_left_out("fairviz/ui/__pycache__/x.pyc")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("no checkout of git: the files of the repository are unknown")
    sent = [path for path in tracked.stdout.splitlines() if not is_left_out(path)]
    assert sent
    assert all(any(path == name or path.startswith(f"{name}/") for name in copied()) for path in sent)


def test_layers_with_torch_are_installed_by_the_script_that_takes_its_cpu_build() -> None:
    (line,) = (text for text in arguments(dockerfile()[0], "RUN") if "case" in text)
    patterns, rest = re.search(r"in\s+(.*?)\) layer=models ;;(.*)", line).groups()  # type: ignore[union-attr]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    with_torch = {name for name in LAYERS if any("torch==" in text or "[models" in text for text in extras[name])}
    assert {pattern.strip(" *,") for pattern in patterns.split("|")} == with_torch | {"all"}
    assert ".ci/install /opt/fairviz/bin/python $layer" in rest
    assert '--constraint requirements.txt ".[$LAYERS]"' in rest


def test_health_is_asked_for_where_the_proxy_asks() -> None:
    (check,) = arguments(dockerfile()[-1], "HEALTHCHECK")
    program, *command = json.loads(check.partition(" CMD ")[2])
    assert program == "python"
    with echo_server() as server:
        command = [text.replace(":8501", f":{server.server_port}") for text in command]
        environment = os.environ | {"FAIRVIZ_BASE": "", "http_proxy": "http://127.0.0.1:9"}
        assert subprocess.run([sys.executable, *command], env=environment).returncode == 0
        server.is_well = False
        done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
        assert done.returncode == 1
        assert "503" in done.stderr
    assert "{$FAIRVIZ_BASE}/healthz" in (DEPLOY / "Caddyfile").read_text(encoding="utf-8")


def test_compose_sets_what_the_caddyfile_reads() -> None:
    yaml = pytest.importorskip("yaml", reason="compose.yaml cannot be read without PyYAML")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    read = set(re.findall(r"\{\$(\w+)", (DEPLOY / "Caddyfile").read_text(encoding="utf-8")))
    assert set(services["caddy"]["environment"]) == read
    assert all(service["mem_limit"] for service in services.values())
    assert (DEPLOY / services["fairviz"]["build"]["context"] / services["fairviz"]["build"]["dockerfile"]).is_file()
    mounted = {volume.split(":")[1] for volume in services["fairviz"]["volumes"]}
    (command,) = arguments(dockerfile()[-1], "CMD")
    folders = {f"/{path.split('/')[1]}" for path in re.findall(r'"(/[^"]+)"', command)}
    assert mounted == folders | {"/data"}


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd-analyze: the unit was not checked")
    unit = (DEPLOY / "fairviz.service").read_text(encoding="utf-8")
    path = tmp_path / "fairviz.service"
    path.write_text(unit.replace("/opt/fairviz/bin/fairviz", "/bin/true"))
    done = subprocess.run([program, "verify", "--man=no", path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# --- deploy/Caddyfile in a real Caddy: what reaches the servers behind it, and which of them


IDENTITY = (
    "X-Forwarded-Email", "X-Forwarded-User", "X-Forwarded-Preferred-Username", "X-Auth-Request-Email",
    "X-Auth-Request-User", "Remote-User", "Remote-Email",
)  # fmt: skip


@pytest.fixture(scope="module")
def servers() -> Iterator[list[ThreadingHTTPServer]]:
    with echo_server() as one, echo_server() as other:
        yield [one, other]


@pytest.fixture(scope="module")
def proxy(servers, tmp_path_factory) -> Iterator[str]:
    addresses = [f"127.0.0.1:{server.server_port}" for server in servers]
    with running_proxy(tmp_path_factory.mktemp("caddy"), addresses) as address:
        yield address


@contextmanager
def browser(proxy: str) -> Iterator[httpx2.Client]:
    """A client with cookies of its own."""
    with httpx2.Client(base_url=proxy, verify=TRUSTING, trust_env=False, timeout=PATIENCE) as client:
        yield client


def port_of(client: httpx2.Client) -> int:
    return client.get("/").json()["port"]


def test_a_visitor_names_neither_herself_nor_her_address_and_her_browser_keeps_to_tls(proxy) -> None:
    names = [*IDENTITY, *(name.lower() for name in IDENTITY)]
    sent = [*((name, "owner@example.org") for name in names), ("X-Other", "kept"), ("X-Forwarded-For", "10.9.8.7")]
    with browser(proxy) as client:
        answer = client.get("/", headers=sent)
    received = dict(answer.json()["headers"])
    assert received["x-other"] == "kept"
    assert not {name.lower() for name in IDENTITY} & set(received)
    assert "10.9.8.7" not in received["x-forwarded-for"]
    assert received["x-forwarded-proto"] == "https"
    assert received["host"] == proxy.removeprefix("https://")
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert "caddy" not in answer.headers.get("server", "").lower()


def test_each_visitor_keeps_to_one_server(proxy) -> None:
    ports = []
    for _ in range(16):
        with browser(proxy) as client:
            first, *later = [port_of(client) for _ in range(3)]
            assert set(later) == {first}
            ports.append(first)
    assert len(set(ports)) == 2


@pytest.mark.slow
def test_a_server_that_is_not_well_is_left_until_it_is(proxy, servers) -> None:
    with browser(proxy) as client:
        first = port_of(client)
        (server,) = (one for one in servers if one.server_port == first)
        server.is_well = False
        try:
            wait_for(lambda: port_of(client) != first)
            assert set(server.hosts) == {"localhost"}
        finally:
            server.is_well = True
    with browser(proxy) as other:
        wait_for(lambda: other.cookies.clear() or port_of(other) == first)


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_trusted_header_has_the_name_of_who_logged_in_alone(servers, tmp_path: Path) -> None:
    """The file with the lines of the trusted header in place."""
    text = CADDYFILE.read_text(encoding="utf-8")
    commented = re.search(r"(?:\t\t# .*\n)+(?=\t\treverse_proxy)", text)[0]
    _, *lines = commented.replace("\t\t# ", "\t\t").splitlines(keepends=True)
    server = f"127.0.0.1:{servers[0].server_port}"
    path = tmp_path / "trusted"
    path.write_text(text.replace(commented, "".join(lines)).replace("127.0.0.1:4180", server))
    # Caddy 2.6 sends the name of its placeholder for a login without a name, which no server may take for a person's.
    nameless = ([], ["{http.reverse_proxy.header.X-Auth-Request-Email}"])
    sent = [(header, "owner@example.org") for header in IDENTITY]
    with running_proxy(tmp_path, [server], caddyfile=path) as address:
        for cookie, names in (("ada@example.org", (["ada@example.org"],)), ("nameless", nameless)):
            with browser(address) as client:
                received = client.get("/", headers=[*sent, ("Cookie", f"login={cookie}")]).json()["headers"]
            assert "owner@example.org" not in dict(received).values()
            assert [value for header, value in received if header == "x-forwarded-email"] in names
        with browser(address) as client:
            assert client.get("/", headers=sent).status_code == 401, "nobody passes without a login"


def test_the_file_is_valid_as_it_is_and_formatted() -> None:
    program = caddy_program()
    done = subprocess.run(
        [program, "validate", "--adapter", "caddyfile", "--config", CADDYFILE], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    formatted = subprocess.run([program, "fmt", CADDYFILE], capture_output=True, text=True)
    assert formatted.stdout == Path(CADDYFILE).read_text()
