"""app: under which names the page is reached, whether it can be, and that the server ends with its launcher; docs."""

import os
import random
import signal
import socket
import subprocess
import sys
import webbrowser
import zipfile
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from urllib.request import urlopen

import pytest

from fairviz.annotation.forms.serving import running_address
from fairviz.cli import app, share
from fairviz.ui.shell import server
from tests.conftest import ROOT, Call
from tests.serving.proxy import SURELY, free_port


def given(options: list[str], name: str) -> list[str]:
    """The values of one of the server's options."""
    return [value for option, value in pairwise(options) if option == f"--{name}"]


class Started:
    """Stands for a server, keeps its command and environment, and ends once it is waited for."""

    stdin, status = None, None

    def __init__(self, command, *, env, **_):
        Started.command, Started.env = command, env

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def poll(self):
        return self.status

    def wait(self, timeout=None):
        Started.told = running_address()
        self.status = 0


@pytest.fixture
def printed(capsys):
    """What is printed of the page's address, for these hosts."""

    def of(hosts, port=8501, **only):
        app._print_app_address(hosts, port, **only)
        return capsys.readouterr().err

    return of


@pytest.fixture
def started(monkeypatch):
    """In place of the server, what it would be started with."""
    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr(Started, "command", None, raising=False)
    before = {number: signal.getsignal(number) for number in app.ENDINGS}
    yield Started
    for number, handler in before.items():
        signal.signal(number, handler)


def test_only_this_machine_and_what_address_names_are_answered():
    here = ["localhost", "127.0.0.1", "::1"]
    for hosts, address, allowed in (
        ((), "localhost", here),
        (("lab.example.org",), "lab.example.org", [*here, "lab.example.org"]),
        (("0.0.0.0", "lab"), "0.0.0.0", [*here, "lab"]),
        (("::1",), "::1", here),
    ):
        options = app._app_options(hosts, 8501)
        assert given(options, "server.address") == [address]
        assert given(options, "server.allowedHosts") == allowed


def test_an_address_is_said_with_its_warning(printed, monkeypatch, tmp_path):
    assert printed(()) == "The page is at http://localhost:8501 (Ctrl-C stops it)\n"
    assert printed(("0.0.0.0", "fe80::1")) == (
        "The page is at http://[fe80::1]:8501 (Ctrl-C stops it)\n"
        "note: whoever can reach this machine there can read every study and add to it; there is no password.\n"
        "note: labelling links do not open there, as whoever has one could change the address to see other people's "
        "labels and the right answers to test questions. fairviz app --only-labelling serves people their own batches "
        "alone.\n"
        "note: for visitors the page opens no file by its path, and uses language models nowhere over the net, as "
        "FAIRVIZ_BASE_URL is not set.\n"
    )
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://lab:8000/v1")
    assert printed(("lab",)).endswith(
        "and uses language models at http://lab:8000/v1 alone, and never with your key, as FAIRVIZ_MOST_REQUESTS is "
        "not set (for example FAIRVIZ_MOST_REQUESTS=500/day,5000).\n"
    )
    monkeypatch.setenv("FAIRVIZ_MOST_REQUESTS", "5000, 500/day")
    assert printed(("lab",)).endswith(
        "alone, with your key for at most 500 requests a day and 5,000 requests in all.\n"
    )
    # with the base path of Streamlit's own configuration, or of its variable
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit/config.toml").write_text('[server]\nbaseUrlPath = "/tools/fairviz/"\n')
    assert printed(()) == "The page is at http://localhost:8501/tools/fairviz (Ctrl-C stops it)\n"
    monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", "lab")
    told = printed(("host",), 9000, only_labelling=True)
    assert "open at http://host:9000/lab (Ctrl-C" in told
    assert "--url http://host:9000/lab" in told
    (tmp_path / ".streamlit/config.toml").write_text("[server")
    monkeypatch.delenv("STREAMLIT_SERVER_BASE_URL_PATH")
    assert "http://localhost:8501 (Ctrl-C" in printed(())


def test_a_server_for_labelling_says_what_it_serves(printed):
    here = (
        "Links to labelling forms open at http://lab:9000 (Ctrl-C stops it); nothing else of the app is served.\n"
        "The links, with how far each person is: fairviz study-form STUDY --status --url http://lab:9000\n"
    )
    assert printed(("lab",), 9000, only_labelling=True) == here + (
        "note: whoever has a link answers as the person whom it was made for. The page is not encrypted: use a "
        "network that you trust, or put an HTTPS server before it.\n"
    )
    assert "note: " not in printed((), 9000, only_labelling=True)


def test_the_server_is_told_whether_others_can_open_the_page(started, monkeypatch, call):
    for options, before, shared in (
        ("", "", ""),
        ("--address localhost", "", ""),
        ("--address 127.0.0.1 --address lab", "", "1"),  # a name for others
        ("", "1", "1"),  # said by whoever starts it, as behind a proxy
    ):
        monkeypatch.setenv("FAIRVIZ_SHARED", before)
        call(f"app --port {free_port()} {options}")
        assert started.env["FAIRVIZ_SHARED"] == shared


def test_the_server_is_told_whether_to_show_labelling_only(started, monkeypatch, call):
    monkeypatch.setenv("FAIRVIZ_ONLY_LABELLING", "left over")
    for options, alone in (("", ""), ("--only-labelling", "1")):
        port = free_port()
        call(f"app --port {port} --address 127.0.0.1 {options}")
        assert started.env["FAIRVIZ_ONLY_LABELLING"] == alone
        assert given(started.command, "server.maxUploadSize") == (["1"] if alone else [])
        assert server.UNTIL_INPUT_ENDS in started.command
        assert started.told == f"http://127.0.0.1:{port}", "kept in the data folder while the server runs"
        assert running_address() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_in_order(number, started, monkeypatch, call):
    signal.signal(number, signal.SIG_DFL)  # under nohup a hang-up stays ignored
    monkeypatch.setattr(started, "poll", lambda _: 0)
    monkeypatch.setattr(started, "wait", lambda _: os.kill(os.getpid(), number))
    call(f"app --port {free_port()}", status=128 + number)
    assert running_address() == ""


def test_what_is_no_address(started, call, monkeypatch):
    for options, status, message in (
        ("--address 0.0.0.0", 2, "0.0.0.0 is every address of this machine, and none that a browser can open\n"
         "Name one too: --address 0.0.0.0 --address NAME\n"),
        ("--address http://a", 2, "argument --address: 'http://a' is not a name or address of a machine\n"),
        ("--address a:80", 2, "argument --address: 'a:80' is not a name or address of a machine\n"),
        ("--address *", 2, "argument --address: '*' is not a name or address of a machine\n"),
        ("--address ''", 2, "argument --address: '' is not a name or address of a machine\n"),
        ("--only-labelling --study football", 2,
         "--study goes with the whole app\nLeave it out: with --only-labelling no study is opened.\n"),
        ("--address 192.0.2.1", 1, "the page cannot be served at 192.0.2.1, port 8501: "),
        ("--address 192.0.2.1", 1,
         "\nName an address of this machine with --address, and a port of 1024 or more with --port.\n"),
    ):  # fmt: skip
        assert message in call("app", options, status=status).err
    monkeypatch.setattr(app, "refuse_taken", lambda *_: None)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://lab:8000/v1")
    monkeypatch.setenv("FAIRVIZ_MOST_REQUESTS", "many")
    assert call("app --address lab", status=1).err.endswith(
        "the environment variable FAIRVIZ_MOST_REQUESTS holds no budget: 'many'\n"
        "Set it as FAIRVIZ_MOST_REQUESTS=500/day,5000: requests a day, requests in all, or both.\n"
    )
    assert started.command is None, "no server was started"


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_taken_port_is_said_before_where_the_page_is(address, started, call, monkeypatch):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as other:
        try:
            other.bind((address, 0))
        except OSError:
            pytest.skip(f"this machine has no {address}")
        other.listen()
        port = other.getsockname()[1]
        monkeypatch.setattr(app, "MOST_TRIED", 0)
        assert call(f"app --port {port}", status=1).err == (
            f"port {port} is taken: another program listens there, perhaps fairviz itself, started before\n"
            "Choose another: fairviz app --port NUMBER\n"
        )
    assert started.command is None
    monkeypatch.setattr(app, "MOST_TRIED", 20)
    monkeypatch.setattr(app, "_is_free", lambda _, port: port == 8504)
    assert call("app --port 8501", status=1).err.endswith("\nChoose another: fairviz app --port 8504\n")


def heed_signals() -> None:
    """A shell's job in the background ignores Ctrl-C, and one under nohup the end of its terminal."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGKILL, -signal.SIGKILL), pytest.param(signal.SIGINT, 130, marks=pytest.mark.lengthy)],
)
def test_the_server_listens_here_only_and_ends_with_its_launcher(number, status, tmp_path):
    """The server holds the other end of standard output, so that reading it to its end is to see the server end."""
    port, said = free_port(), []
    alone = {"FAIRVIZ_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    launcher = subprocess.Popen(
        [sys.executable, "-m", "fairviz", "app", "--port", str(port), "--study", "occupations"],
        env=os.environ | alone, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True, preexec_fn=heed_signals,
    )  # fmt: skip
    try:
        for line in launcher.stdout:
            said.append(line)
            if "URL:" in line:
                break
        assert said[0] == f"The page is at http://localhost:{port} (Ctrl-C stops it)\n"
        with urlopen(f"http://localhost:{port}/_stcore/health") as response:
            assert response.read() == b"ok"
        with pytest.raises(OSError, match=r"refused|unreachable|assign"):
            socket.create_connection(("127.0.0.2", port), timeout=5)  # what listens everywhere answers there too
        if number == signal.SIGINT:
            os.killpg(launcher.pid, number)  # as the terminal does
        else:
            launcher.send_signal(number)  # to it alone, and not to the server
        said += launcher.communicate(timeout=SURELY)
        assert launcher.returncode == status
        assert app._is_free("localhost", port)
        assert "Traceback" not in str(said)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(launcher.pid, signal.SIGKILL)


# --- docs: the manual of a checkout and of a wheel, or the command that builds it ----------------------------------


def test_the_manual_is_opened_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    page, opened = tmp_path / "index.html", []
    monkeypatch.setattr(share, "manual_folder", lambda: None)
    assert call("docs", status=1).err.startswith(
        "this installation has no manual\nRun `make docs` in a checkout of fairviz; a wheel built there afterwards "
    )
    page.write_text("<p>manual</p>")
    monkeypatch.setattr(share, "manual_folder", lambda: tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: bool(opened.append(address)) or True)
    call("docs")
    assert opened == [page.as_uri()]
    assert opened[0].startswith("file:///")
    assert call("docs --path").out == f"{page}\n"
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert call("docs").err == f"no browser could be started; the manual is {page}\n"


BUILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from manual_in_wheel import ManualInWheel
hook = ManualInWheel.__new__(ManualInWheel)
ManualInWheel.root = property(lambda self: sys.argv[2])
data = {"force_include": {}}
hook.initialize(sys.argv[3], data)
print(*sorted(data["force_include"].values()))
"""


def carried(root: Path, version: str = "standard") -> subprocess.CompletedProcess:
    """The files that the build hook adds to a wheel of this checkout."""
    command = [sys.executable, "-c", BUILD, str(ROOT / ".ci"), str(root), version]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_wheel_carries_the_manual_if_it_is_built_and_not_too_large(tmp_path: Path) -> None:
    assert carried(tmp_path).stdout == "\n"
    folder = tmp_path / "docs" / "_build" / "html"
    (folder / "_static").mkdir(parents=True)
    for name in ("index.html", "_static/theme.css", "_static/theme.css.map"):
        (folder / name).write_text("x")
    assert carried(tmp_path).stdout == "fairviz/_manual/_static/theme.css fairviz/_manual/index.html\n"
    assert carried(tmp_path, "editable").stdout == "\n"
    (folder / "index.html").write_bytes(random.Random(0).randbytes(8 * 1024**2))
    assert "may take 8,388,608" in carried(tmp_path).stderr


@pytest.mark.slow
def test_the_manual_of_a_wheel_is_the_one_that_is_built(wheel: Path) -> None:
    built = ROOT / "docs" / "_build" / "html"
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("fairviz/_manual/")}
    assert ("fairviz/_manual/index.html" in names) is (built / "index.html").is_file()
