"""app: the page in the browser, and the processes of its server."""

import argparse
import errno
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from fairviz import declared, interrupts
from fairviz.annotation.forms.serving import ALONE, announce_address
from fairviz.cli.record import Command, add_parameter
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import say
from fairviz.home import (
    LOOPBACK,
    OWN_FILE,
    SHARED,
    application_folder,
    data_home,
    is_shared,
)
from fairviz.installed import require_package
from fairviz.models.addresses import BASE, base_address

PAGE = application_folder() / "app.py"
UNTIL_INPUT_ENDS = "--until-input-ends"  # removed by fairviz.ui.shell.server
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
EVERYWHERE = ("0.0.0.0", "::")
PATIENCE = 10  # seconds for the servers to end by themselves
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
        stop([server])


def stop(servers: Sequence[subprocess.Popen]) -> None:
    """Stop servers, and kill them after PATIENCE seconds."""
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


def flags(options: dict[str, str], hosts: Sequence[str]) -> list[str]:
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
    option("--with", dest="own_file", metavar="FILE.py", help="functions and records of your own as measures, rankers "
           "and re-rankers; for the app of this machine alone, which runs the file")  # fmt: skip
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
    environment[OWN_FILE] = _own_file(arguments, environment)
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


def _own_file(arguments: argparse.Namespace, environment: Mapping[str, str]) -> str:
    """Return the path of the file of `--with`, after it was run once and what it brings was printed; empty without."""
    if not arguments.own_file:
        return ""
    if environment[SHARED] or arguments.only_labelling:
        raise UsageError(
            "--with is for the app of this machine alone: others could run the file's code",
            "Leave it out, or --address and --only-labelling, or make a package of the file (docs/template).",
        )
    from fairviz.own_file import bring, checked_path

    path = checked_path(arguments.own_file)
    brought = bring(path)
    for kind, names in (("Measures", brought.measures), ("Rankers", brought.rankers)):
        if names:
            say(f"{kind} of {path.name}: {', '.join(names)}")
    for line in brought.left_out:
        say(f"note: {line}")
    return str(path)


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
    return flags(options, [host for host in hosts if host not in EVERYWHERE])


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
