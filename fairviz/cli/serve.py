"""serve: a server of a folder of studies, for people who are known by name."""

import argparse
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from fairviz import interrupts
from fairviz.annotation.forms.serving import announce_address
from fairviz.cli.record import Command
from fairviz.cli.server_process import end_on_signals, keep_running, refuse_taken, start_server, wait
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.files import make_private_folder, read_file
from fairviz.home import LOOPBACK, SERVED, SHARED, data_home, hold, release, remove_left_over, unreadable, write_whole
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

MOST_BYTES = 1_000_000  # of a configuration
EXAMPLE = Path(__file__).with_name("fairviz.toml")
COOKIE_SECRET = "cookie-secret"
PRIVATE = 0o600
CALLBACK = "oauth2callback"  # Streamlit's path for the answer of a provider


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("studies", metavar="STUDIES", nargs="?", help="a folder of study folders")
    parser.add_argument("--config", metavar="FILE", help="login, roles, hosts and limits (see --example)")
    parser.add_argument("--read-only", action="store_true", help="nobody changes anything: everybody is a viewer")
    parser.add_argument(
        "--demo", action="store_true", help="for the public: without a login, uploads, models and writes"
    )
    parser.add_argument("--example", action="store_true", help="print a commented configuration, and serve nothing")


def _run(arguments: argparse.Namespace) -> int:
    if arguments.example:
        emit(EXAMPLE.read_text(encoding="utf-8"))
        return 0
    require_package("streamlit", "the page needs")
    config = _configuration(arguments)
    studies = _studies_folder(Path(arguments.studies))
    ports = range(config.port, config.port + config.processes)
    for port in ports:
        refuse_taken(config.address, port, "port = {} in the configuration")
    interrupts.uninstall()  # the first press ends the servers, and the second kills them
    end_on_signals(is_service=True)
    with ExitStack() as stack:
        folder = stack.enter_context(_server_folder())
        options = _options(config, folder, Path(arguments.config or "").parent)
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
        _print_address(config, studies)
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


def _studies_folder(folder: Path) -> Path:
    if not os.path.isdir(folder):
        raise FairvizError(f"{str(folder)[:200]} is not a folder of studies", "Make it: each folder in it is a study.")
    return folder.resolve()


def _first_study(studies: Path) -> str:
    """Return the name of the study that an address without one opens; empty for the built-in one."""
    names = sorted(path.name for path in studies.iterdir() if path.is_dir() and path.name[0] != ".")
    return names[0] if names else ""


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


def _options(config: ServerConfig, folder: Path, beside: Path) -> list[str]:
    """Return the options of Streamlit's servers; the secrets of a login are in a private file in the folder.

    beside: the folder of the configuration.
    """
    allowed = dict.fromkeys((*LOOPBACK, config.address, *config.hosts))
    options = {
        "server.address": config.address,
        "server.headless": "true",
        "server.baseUrlPath": config.base_path,
        "server.maxUploadSize": str(1 if config.demo else min(config.limits.upload_megabytes, 500)),
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
    }
    login = config.login
    if login is not None and login.header:
        options["server.trustedUserHeaders"] = json.dumps({login.header: HEADER_CLAIM})
    elif login is not None:
        options["secrets.files"] = str(_write_secrets(config, login, folder, beside))
    pairs = [*options.items(), *(("server.allowedHosts", host) for host in allowed)]
    return [part for name, value in pairs for part in (f"--{name}", value)]


def _write_secrets(config: ServerConfig, login: Login, folder: Path, beside: Path) -> Path:
    """Write the private file of the login's secrets. Raises FairvizError for a client secret that cannot be read."""
    secret_file = beside / login.client_secret_file
    try:
        client_secret = secret_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise FairvizError(f"the client secret in {secret_file} cannot be read: {error}", "Write it there.") from error
    auth = {
        "redirect_uri": f"{public_address(config)}/{CALLBACK}",
        "cookie_secret": _cookie_secret(),
        "client_id": login.client_id,
        "client_secret": client_secret,
        "server_metadata_url": login.provider,
    }
    path = folder / "secrets.toml"
    lines = ["[auth]", *(f"{name} = {json.dumps(value)}" for name, value in auth.items()), ""]
    write_whole(path, "\n".join(lines), PRIVATE)
    return path


def _cookie_secret() -> str:
    """Return the secret that signs cookies, made once: logins outlast a restart."""
    path = data_home() / "server" / COOKIE_SECRET
    try:
        return path.read_text(encoding="ascii")
    except FileNotFoundError:
        write_whole(path, secrets.token_urlsafe(48), PRIVATE)
        return path.read_text(encoding="ascii")


def _print_address(config: ServerConfig, studies: Path) -> None:
    say(f"Studies in {studies} are served at {public_address(config)} (Ctrl-C stops it)")
    say(f"What people add, decide and start is kept in {data_home()}")
    if config.processes > 1:
        last = config.port + config.processes - 1
        say(f"note: {config.processes} processes listen on ports {config.port} to {last}: a proxy shares them out.")
    if config.login is None and not config.demo:
        say("note: without [login] in the configuration, whoever works on this machine owns every study.")


SERVE = Command(
    "serve", "serve a folder of studies to people with names and roles", _add_arguments, _run, example="serve studies"
)
