"""app and serve: the page in the browser, for one person or for people who are known by name."""

import argparse
import errno
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path

from fairviz import declared, interrupts
from fairviz.annotation.forms.serving import ALONE, announce_address
from fairviz.cli.record import Command, add_parameter
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.files import make_private_folder, read_file
from fairviz.home import (
    LOOPBACK,
    SERVED,
    SHARED,
    application_folder,
    data_home,
    hold,
    is_shared,
    release,
    remove_left_over,
    unreadable,
    write_whole,
)
from fairviz.home.server_config import (
    HEADER_CLAIM,
    REMEDY,
    VARIABLE,
    Login,
    ServerConfig,
    check_reach,
    parse_config,
    to_json,
)
from fairviz.installed import require_package
from fairviz.models.addresses import BASE, base_address

PAGE = application_folder() / "app.py"
UNTIL_INPUT_ENDS = "--until-input-ends"  # removed by fairviz.ui.shell.server
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
EVERYWHERE = ("0.0.0.0", "::")
PATIENCE = 10  # seconds for the servers to end by themselves
TURN = 1.0  # seconds between two looks at several servers
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a server is started again
SOON, MOST_ENDS = 60.0, 6  # seconds within which an end is soon, and the number of such ends in a row that end all
MOST_TRIED = 20  # ports after an occupied one that are tried for the suggestion
NO_UPLOADS = ("--server.maxUploadSize", "1")  # megabytes, the minimum: the labelling page has no uploads
OPEN_TO_ALL = (
    "whoever can reach this machine there can read every study and add to it; there is no password.",
    "labelling links do not open there, as whoever has one could change the address to see other people's labels and "
    "the right answers to test questions. fairviz app --only-labelling serves people their own batches alone.",
)
OPEN_TO_LINKS = (
    "whoever has a link answers as the person whom it was made for. The page is not encrypted: use a network "
    "that you trust, or put an HTTPS server before it.",
)
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
MOST_BYTES = 1_000_000  # of a configuration
EXAMPLE = Path(__file__).with_name("fairviz.toml")
COOKIE_SECRET = "cookie-secret"
PRIVATE = 0o600
CALLBACK = "oauth2callback"  # Streamlit's path for the answer of a provider


# Processes of the page's server, which always end with this program.


def start_server(options: list[str], environment: dict[str, str]) -> subprocess.Popen:
    """Start a server with these options of Streamlit. It ends when its standard input closes, which the system ensures
    even if this program is killed."""
    command = [sys.executable, "-m", "fairviz.ui.shell.server", UNTIL_INPUT_ENDS, "run", str(PAGE)]
    return subprocess.Popen([*command, *options], env=environment, cwd=PAGE.parent, stdin=subprocess.PIPE)


def end_on_signals(*, is_service: bool = False) -> None:
    """Make SIGTERM and a hang-up end this program in order; under nohup, hang-ups stay ignored.

    is_service: whether SIGTERM is how it is meant to end, so that its status is 0, as systemd expects.
    """
    for number in ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave_as_meant if is_service and number == signal.SIGTERM else _leave)


def refuse_taken(host: str, port: int, choice: str) -> None:
    """Raise FairvizError if the server could not listen, before the address is printed.

    choice: the text that sets another port, such as `--port {}`.
    """
    try:
        is_taken = not _is_free(host, port)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FairvizError(
            f"the page cannot be served at {host}, port {port}: {reason}",
            "Name an address of this machine with --address, and a port of 1024 or more with --port.",
        ) from error
    if is_taken:
        later_ports = range(port + 1, min(port + MOST_TRIED, 65535) + 1)
        suggestion = next((other for other in later_ports if _is_free(host, other)), "NUMBER")
        raise FairvizError(
            f"port {port} is taken: another program listens there, perhaps fairviz itself, started before",
            f"Choose another: {choice.format(suggestion)}",
        )


def _is_free(host: str, port: int) -> bool:
    """Return whether the port is free. Raises OSError if this machine cannot listen at the address.

    A browser may resolve localhost to 127.0.0.1 or to ::1, so both must be free.
    """
    for address in ("127.0.0.1", "::1") if host == "localhost" else (host,):
        try:
            with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
                if os.name == "posix":  # ignore connections that just ended; elsewhere the option means sharing
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((address, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            if not (host == "localhost" and address == "::1"):  # IPv6 is optional
                raise
    return True


def _leave(number: int, _: object) -> None:
    """Exit with the signal's status, running every `with` and `except` on the way."""
    raise SystemExit(128 + number)


def _leave_as_meant(number: int, _: object) -> None:
    raise interrupts.MeantExit(0)


def wait(server: subprocess.Popen) -> int:
    """Return the exit status once the server has ended; it is stopped if this program ends first, and killed after
    PATIENCE seconds."""
    try:
        return 1 if server.wait() else 0
    finally:
        _stop([server])


@dataclass
class _Kept:
    """A server that is started again whenever it ends."""

    start: Callable[[], subprocess.Popen]
    server: subprocess.Popen
    begun: float
    due: float = 0.0  # when it is started again; 0 while it runs
    ends: int = 0  # in a row, each soon after its start

    def note_end(self, status: int, pause: float) -> None:
        """Set when it starts again, and print it."""
        if self.server.stdin is not None:
            self.server.stdin.close()
        now = time.monotonic()
        self.ends = self.ends + 1 if now - self.begun < SOON else 1
        wait_for = min(pause * 2 ** (self.ends - 1), LONGEST_PAUSE)
        self.due = now + wait_for
        if self.ends < MOST_ENDS:
            reason = f"status {status}" if status >= 0 else f"killed by signal {-status}"
            say(f"note: process {self.server.pid} ended ({reason}); another starts in {wait_for:g} s")


def keep_running(starts: Sequence[Callable[[], subprocess.Popen]], *, pause: float = PAUSE) -> int:
    """Start the servers, and each again that ends: after `pause` seconds, and twice as long after every end that comes
    soon. Return 1 once one has ended MOST_ENDS times soon after its start; the others are stopped then, and all if this
    program ends first."""
    kept: list[_Kept] = []
    try:
        for start in starts:
            kept.append(_Kept(start, start(), time.monotonic()))
        while True:
            for one in kept:
                if one.due:
                    if time.monotonic() >= one.due:
                        one.server, one.begun, one.due = one.start(), time.monotonic(), 0.0
                elif (status := one.server.poll()) is not None:
                    one.note_end(status, pause)
                    if one.ends == MOST_ENDS:
                        return 1
            time.sleep(min(TURN, pause))
    finally:
        _stop([one.server for one in kept])


def _stop(servers: Sequence[subprocess.Popen]) -> None:
    running = [server for server in servers if server.poll() is None]
    try:
        for server in running:
            if server.stdin is not None:
                server.stdin.close()
        for server in running:
            server.wait(timeout=PATIENCE)
    except (KeyboardInterrupt, SystemExit, subprocess.TimeoutExpired):
        for server in running:
            server.kill()


def _host(text: str) -> str:
    """Return a host name or network address in lower case, without the brackets of an IPv6 address."""
    host = text.strip().lower().removeprefix("[").removesuffix("]")
    try:
        return str(ip_address(host))
    except ValueError:
        if len(host) > 253 or not _HOST.fullmatch(host):
            raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a name or address of a machine") from None
        return host


def _flags(options: dict[str, str], hosts: Sequence[str]) -> list[str]:
    """Return options of Streamlit as arguments; requests are answered for these hosts and this machine alone."""
    common = {"server.showEmailPrompt": "false", "browser.gatherUsageStats": "false"}
    allowed = [("server.allowedHosts", host) for host in dict.fromkeys((*LOOPBACK, *hosts))]
    pairs = [*(options | common).items(), *allowed]
    return [part for name, value in pairs for part in (f"--{name}", value)]


def _add_app(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    add_parameter(parser, declared.PORT)
    option("--address", type=_host, action="append", metavar="HOST", help="let others in who open the page under this "
           "name or address of this machine; the first is the one listened on (default: this machine only). May be "
           "given several times")  # fmt: skip
    option("--only-labelling", action="store_true", help="serve the labelling page alone, for people who have a link "
           "to it (fairviz study-form)")  # fmt: skip
    option("--study", metavar="STUDY", help="open on this study: a folder, or the name of a built-in or fetched study")


def _run_app(arguments: argparse.Namespace) -> int:
    require_package("streamlit", "the page needs")
    only_labelling, hosts = arguments.only_labelling, tuple(arguments.address or ())
    if only_labelling and arguments.study:
        raise UsageError("--study goes with the whole app", "Leave it out: with --only-labelling no study is opened.")
    environment = {
        **os.environ,
        "FAIRVIZ_HOME": os.path.realpath(data_home()),
        ALONE: "1" if only_labelling else "",
        SHARED: "1" if _lets_others_in(hosts) or is_shared() else "",
    }
    if arguments.study:
        environment["FAIRVIZ_STUDY"] = _known_study(arguments.study)
    if hosts and all(host in EVERYWHERE for host in hosts):
        raise UsageError(
            f"{hosts[0]} is every address of this machine, and none that a browser can open",
            f"Name one too: --address {hosts[0]} --address NAME",
        )
    refuse_taken(hosts[0] if hosts else "localhost", arguments.port, "fairviz app --port {}")
    _print_app_address(hosts, arguments.port, only_labelling=only_labelling)
    interrupts.uninstall()  # `wait` ends the server at the first press, and kills it at the second
    end_on_signals()
    options = [*_app_options(hosts, arguments.port), *(NO_UPLOADS if only_labelling else ())]
    address = _address(hosts, arguments.port)
    with announce_address(address, only_labelling=only_labelling), start_server(options, environment) as server:
        return wait(server)


def _print_app_address(hosts: tuple[str, ...], port: int, *, only_labelling: bool = False) -> None:
    """Print the address of the page, and what it shows to others."""
    address = _address(hosts, port)
    if only_labelling:
        say(f"Links to labelling forms open at {address} (Ctrl-C stops it); nothing else of the app is served.")
        say(f"The links, with how far each person is: fairviz study-form STUDY --status --url {address}")
    else:
        say(f"The page is at {address} (Ctrl-C stops it)")
    if not _lets_others_in(hosts):
        return
    for line in OPEN_TO_LINKS if only_labelling else (*OPEN_TO_ALL, _model_note()):
        say(f"note: {line}")


def _address(hosts: tuple[str, ...], port: int) -> str:
    """Return the address of the page for a browser."""
    host_name = next((host for host in hosts if host not in EVERYWHERE), "localhost")
    return f"http://{f'[{host_name}]' if ':' in host_name else host_name}:{port}{_base_path()}"


def _base_path() -> str:
    """Return the path below which Streamlit serves the page, by its variable or the user's own configuration, as
    `/tools/fairviz`; empty without one."""
    path = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH")
    if path is None:
        with suppress(OSError, ValueError, AttributeError):  # the server itself reports a faulty file
            text = (Path.home() / ".streamlit" / "config.toml").read_text(encoding="utf-8")
            path = tomllib.loads(text).get("server", {}).get("baseUrlPath")
    return f"/{path.strip('/')}" if isinstance(path, str) and path.strip("/") else ""


def _lets_others_in(hosts: tuple[str, ...]) -> bool:
    return not all(host in LOOPBACK for host in hosts)


def _model_note() -> str:
    """Return where visitors can use language models, and at whose cost. Raises FairvizError for an invalid
    FAIRVIZ_BASE_URL or budget.
    """
    from fairviz.models.owner_budget import EXAMPLE, VARIABLE, owner_budget

    access = f"nowhere over the net, as {BASE} is not set"
    if base := base_address():
        budget = owner_budget()
        key = f"and never with your key, as {VARIABLE} is not set (for example {EXAMPLE})"
        access = f"at {base} alone, {key if budget is None else f'with your key for at most {budget}'}"
    return f"for visitors the page opens no file by its path, and uses language models {access}."


def _app_options(hosts: tuple[str, ...], port: int) -> list[str]:
    """Return the options of Streamlit's server, which answers only requests for these hosts or this machine."""
    # without a screen, Python might start a browser in the terminal
    has_screen = not sys.platform.startswith("linux") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    options = {
        "server.port": str(port),
        "server.address": hosts[0] if hosts else "localhost",
        "server.headless": "false" if has_screen else "true",
    }
    return _flags(options, [host for host in hosts if host not in EVERYWHERE])


def _known_study(text: str) -> str:
    """Return the name of a known study, or the absolute path of a folder."""
    from fairviz.datasets import resolve
    from fairviz.datasets.opening import IR_DATASETS, unknown_study

    if resolve(text) is not None or text.startswith(IR_DATASETS):
        return text
    if os.path.isdir(text):
        return str(Path(text).resolve())
    raise unknown_study(text)


APP = Command("app", "open the page in the browser", _add_app, _run_app, example="app --study newswire")


def _add_serve(parser: argparse.ArgumentParser) -> None:
    option = parser.add_argument
    option("studies", metavar="STUDIES", nargs="?", help="a folder of study folders")
    option("--config", metavar="FILE", help="login, roles, hosts and limits (see --example)")
    option("--read-only", action="store_true", help="nobody changes anything: everybody is a viewer")
    option("--demo", action="store_true", help="for the public: without a login, uploads, models and writes")
    option("--example", action="store_true", help="print a commented configuration, and serve nothing")


def _run_serve(arguments: argparse.Namespace) -> int:
    if arguments.example:
        emit(EXAMPLE.read_text(encoding="utf-8"))
        return 0
    require_package("streamlit", "the page needs")
    config = _configuration(arguments)
    studies = _studies_folder(arguments.studies)
    ports = range(config.port, config.port + config.processes)
    for port in ports:
        refuse_taken(config.address, port, "port = {} in the configuration")
    interrupts.uninstall()  # the first press ends the servers, and the second kills them
    end_on_signals(is_service=True)
    with ExitStack() as stack:
        folder = stack.enter_context(_server_folder())
        options = _serve_options(config, folder, Path(arguments.config or "").parent)
        environment = {
            **os.environ,
            "FAIRVIZ_HOME": os.path.realpath(data_home()),
            SERVED: str(studies),
            SHARED: "1",
            VARIABLE: str(folder / "config.json"),
            "FAIRVIZ_STUDY": _first_study(studies),
        }
        write_whole(folder / "config.json", to_json(config), PRIVATE)
        stack.enter_context(announce_address(public_address(config)))
        _print_served_address(config, studies)
        starts = [partial(start_server, ["--server.port", str(port), *options], environment) for port in ports]
        return keep_running(starts) if len(starts) > 1 else wait(starts[0]())


def _configuration(arguments: argparse.Namespace) -> ServerConfig:
    """Return the checked configuration. Raises UsageError for options that contradict one another, DataError for a
    faulty file, FairvizError where others could reach a server without a login."""
    if arguments.studies is None:
        raise UsageError("there is not a folder of studies to serve", "Name one: fairviz serve STUDIES")
    if arguments.read_only and arguments.demo:
        raise UsageError("--read-only and --demo exclude each other", "A demo is read-only.")
    config = _read_config(Path(arguments.config)) if arguments.config else ServerConfig()
    config = replace(config, read_only=arguments.read_only, demo=arguments.demo)
    check_reach(config)
    return config


def _read_config(path: Path) -> ServerConfig:
    try:
        content = read_file(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FairvizError(f"{str(path)[:200]} cannot be read: {reason}", REMEDY) from error
    return parse_config(content, path.name)


def _studies_folder(name: str) -> Path:
    if not os.path.isdir(name):
        raise FairvizError(f"{name[:200]} is not a folder of studies", "Make it: each folder in it is a study.")
    return Path(name).resolve()


def _first_study(studies: Path) -> str:
    """Return the name of the study that an address without one opens; empty for the built-in one."""
    names = sorted(path.name for path in studies.iterdir() if path.is_dir() and path.name[0] != ".")
    return names[0] if names else ""


def _print_served_address(config: ServerConfig, studies: Path) -> None:
    say(f"Studies in {studies} are served at {public_address(config)} (Ctrl-C stops it)")
    say(f"What people add, decide and start is kept in {data_home()}")
    if config.processes > 1:
        last = config.port + config.processes - 1
        say(f"note: {config.processes} processes listen on ports {config.port} to {last}: a proxy shares them out.")
    if config.login is None and not config.demo:
        say("note: without [login] in the configuration, whoever works on this machine owns every study.")


@contextmanager
def _server_folder() -> Iterator[Path]:
    """Yield a private folder for the files of this server; folders of ended servers are removed. Raises FairvizError
    where the data folder takes none."""
    parent = data_home() / "server"
    try:
        make_private_folder(parent)
    except OSError as error:
        raise unreadable(data_home(), error) from error
    for other in parent.glob("run-*"):
        remove_left_over(other)
    folder = parent / f"run-{os.getpid()}"
    lock, _ = hold(folder)
    try:
        make_private_folder(folder)
        yield folder
    finally:
        release(lock)
        remove_left_over(folder)


def public_address(config: ServerConfig) -> str:
    """Return the address under which browsers open the server."""
    base = f"/{config.base_path}" if config.base_path else ""
    if config.login is not None and config.login.url:
        return f"{config.login.url.rstrip('/')}{base}"
    if config.hosts:
        return f"https://{config.hosts[0]}{base}"
    host = f"[{config.address}]" if ":" in config.address else config.address
    return f"http://{'localhost' if config.address in LOOPBACK else host}:{config.port}{base}"


def _serve_options(config: ServerConfig, folder: Path, beside: Path) -> list[str]:
    """Return the options of Streamlit's servers; the secrets of a login are in a private file in the folder.

    beside: the folder of the configuration.
    """
    options = {
        "server.address": config.address,
        "server.headless": "true",
        "server.baseUrlPath": config.base_path,
        "server.maxUploadSize": str(1 if config.demo else min(config.limits.upload_megabytes, 500)),
    }
    login = config.login
    if login is not None and login.header:
        options["server.trustedUserHeaders"] = json.dumps({login.header: HEADER_CLAIM})
    elif login is not None:
        path = folder / "secrets.toml"
        write_whole(path, _login_secrets(login, public_address(config), beside), PRIVATE)
        options["secrets.files"] = str(path)
    return _flags(options, [config.address, *config.hosts])


def _login_secrets(login: Login, address: str, beside: Path) -> str:
    """Return Streamlit's file of secrets for a login by a provider."""
    secret_file = beside / login.client_secret_file
    try:
        client_secret = secret_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise FairvizError(f"the client secret in {secret_file} cannot be read: {error}", "Write it there.") from error
    auth = {
        "redirect_uri": f"{address}/{CALLBACK}",
        "cookie_secret": _cookie_secret(),
        "client_id": login.client_id,
        "client_secret": client_secret,
        "server_metadata_url": login.provider,
    }
    return "\n".join(["[auth]", *(f"{name} = {json.dumps(value)}" for name, value in auth.items()), ""])


def _cookie_secret() -> str:
    """Return the secret that signs cookies, made once: logins outlast a restart."""
    path = data_home() / "server" / COOKIE_SECRET
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        write_whole(path, secrets.token_urlsafe(48), PRIVATE)
        return path.read_text(encoding="ascii")


SERVE = Command(
    "serve", "serve a folder of studies to people with names and roles", _add_serve, _run_serve, example="serve studies"
)
