"""app: the page in the browser, from a server that always ends with this program."""

import argparse
import os
import re
import sys
import tomllib
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

from fairviz import interrupts
from fairviz.annotation.forms.serving import ALONE, announce_address
from fairviz.cli.record import Command
from fairviz.cli.server_process import EVERYWHERE, end_on_signals, refuse_taken, start_server, wait
from fairviz.errors import UsageError
from fairviz.evaluation.formats import say
from fairviz.home import LOOPBACK, SHARED, is_shared
from fairviz.installed import require_package
from fairviz.models.addresses import BASE, base_address

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


def _port(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= value <= 65535:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a port from 1 to 65535")
    return value


def _host(text: str) -> str:
    """Return a host name or network address in lower case, without the brackets of an IPv6 address."""
    host = text.strip().lower().removeprefix("[").removesuffix("]")
    try:
        return str(ip_address(host))
    except ValueError:
        if len(host) > 253 or not _HOST.fullmatch(host):
            raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a name or address of a machine") from None
        return host


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=8501, help="default: %(default)s")
    parser.add_argument(
        "--address",
        type=_host,
        action="append",
        metavar="HOST",
        help="let others in who open the page under this name or address of this machine; the first is the one "
        "listened on (default: this machine only). May be given several times",
    )
    parser.add_argument(
        "--only-labelling",
        action="store_true",
        help="serve the labelling page alone, for people who have a link to it (fairviz study-form)",
    )
    parser.add_argument(
        "--study", metavar="STUDY", help="open on this study: a folder, or the name of a built-in or fetched study"
    )


def _run(arguments: argparse.Namespace) -> int:
    require_package("streamlit", "the page needs")
    from fairviz.datasets import data_home

    environment = {**os.environ, "FAIRVIZ_HOME": os.path.realpath(data_home())}
    only_labelling = arguments.only_labelling
    if only_labelling and arguments.study:
        raise UsageError("--study goes with the whole app", "Leave it out: with --only-labelling no study is opened.")
    environment[ALONE] = "1" if only_labelling else ""
    if arguments.study:
        environment["FAIRVIZ_STUDY"] = _known_study(arguments.study)
    hosts = tuple(arguments.address or ())
    environment[SHARED] = "1" if _lets_others_in(hosts) or is_shared() else ""
    _refuse_wildcard_alone(hosts)
    refuse_taken(hosts[0] if hosts else "localhost", arguments.port, "fairviz app --port {}")
    _print_address(hosts, arguments.port, only_labelling=only_labelling)
    interrupts.uninstall()  # `wait` ends the server at the first press, and kills it at the second
    end_on_signals()
    with (
        announce_address(_address(hosts, arguments.port), only_labelling=only_labelling),
        start_server(
            [*_options(hosts, arguments.port), *(NO_UPLOADS if only_labelling else ())], environment
        ) as server,
    ):
        return wait(server)


def _refuse_wildcard_alone(hosts: tuple[str, ...]) -> None:
    """Raise UsageError if only wildcard addresses are named, which no browser can open."""
    if hosts and all(host in EVERYWHERE for host in hosts):
        raise UsageError(
            f"{hosts[0]} is every address of this machine, and none that a browser can open",
            f"Name one too: --address {hosts[0]} --address NAME",
        )


def _print_address(hosts: tuple[str, ...], port: int, *, only_labelling: bool = False) -> None:
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


def _options(hosts: tuple[str, ...], port: int) -> list[str]:
    """Return the options of Streamlit's server, which answers only requests for these hosts or this machine."""
    options = {
        "server.port": str(port),
        "server.address": hosts[0] if hosts else "localhost",
        "server.headless": "false" if _has_screen() else "true",
        "server.showEmailPrompt": "false",
        "browser.gatherUsageStats": "false",
    }
    allowed = dict.fromkeys((*LOOPBACK, *(host for host in hosts if host not in EVERYWHERE)))
    pairs = [*options.items(), *(("server.allowedHosts", host) for host in allowed)]
    return [part for name, value in pairs for part in (f"--{name}", value)]


def _has_screen() -> bool:
    """Return whether a browser can be opened; without a screen, Python might start one in the terminal."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _known_study(text: str) -> str:
    """Return the name of a known study, or the absolute path of a folder."""
    from fairviz.datasets import resolve
    from fairviz.datasets.opening import IR_DATASETS, unknown_study

    if resolve(text) is not None or text.startswith(IR_DATASETS):
        return text
    if os.path.isdir(text):
        return str(Path(text).resolve())
    raise unknown_study(text)


APP = Command("app", "open the page in the browser", _add_arguments, _run, example="app --study newswire")
