"""serve: a folder of studies for people who are known by name, in one process or several."""

import argparse
import json
import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairviz import interrupts
from fairviz.annotation.forms.serving import announce_address
from fairviz.cli import app
from fairviz.cli.record import Command
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.extensions.server.configuration import (
    HEADER_CLAIM,
    REMEDY,
    Login,
    ServerConfig,
    check_reach,
    parse_config,
    to_json,
)
from fairviz.files import make_private_folder, read_file
from fairviz.home import (
    LOOPBACK,
    OWN_FILE,
    SERVED,
    SHARED,
    data_home,
    hold,
    release,
    remove_left_over,
    unreadable,
    write_whole,
)
from fairviz.home.permissions import VARIABLE
from fairviz.installed import require_package

TURN = 1.0  # seconds between two looks at several servers
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a server is started again
SOON, MOST_ENDS = 60.0, 6  # seconds within which an end is soon, and the number of such ends in a row that end all
MOST_BYTES = 1_000_000  # of a configuration
EXAMPLE = Path(__file__).with_name("fairviz.toml")
COOKIE_SECRET = "cookie-secret"
PRIVATE = 0o600
CALLBACK = "oauth2callback"  # Streamlit's path for the answer of a provider


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
        app.stop([one.server for one in kept])


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
        app.refuse_taken(config.address, port, "port = {} in the configuration")
    interrupts.uninstall()  # the first press ends the servers, and the second kills them
    app.end_on_signals(is_service=True)
    with ExitStack() as stack:
        folder = stack.enter_context(_server_folder())
        options = _serve_options(config, folder, Path(arguments.config or "").parent)
        environment = {
            **os.environ,
            "FAIRVIZ_HOME": os.path.realpath(data_home()),
            SERVED: str(studies),
            SHARED: "1",
            OWN_FILE: "",  # no file of --with
            VARIABLE: str(folder / "config.json"),
            "FAIRVIZ_STUDY": _first_study(studies),
        }
        write_whole(folder / "config.json", to_json(config), PRIVATE)
        stack.enter_context(announce_address(public_address(config)))
        _print_served_address(config, studies)
        starts = [partial(app.start_server, ["--server.port", str(port), *options], environment) for port in ports]
        return keep_running(starts) if len(starts) > 1 else app.wait(starts[0]())


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
    return app.flags(options, [config.address, *config.hosts])


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
    "serve", "serve a folder of studies to people with names and roles", _add_serve, _run_serve,
    example="serve studies", group="Share and serve",
)  # fmt: skip
