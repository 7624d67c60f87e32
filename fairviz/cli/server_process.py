"""Processes of the page's server, which always end with this program."""

import errno
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress

from fairviz.errors import FairvizError
from fairviz.home import application_folder

PAGE = application_folder() / "app.py"
UNTIL_INPUT_ENDS = "--until-input-ends"  # removed by fairviz.ui.shell.server
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
EVERYWHERE = ("0.0.0.0", "::")
PATIENCE = 10  # seconds for the servers to end by themselves
TURN = 1.0  # seconds between two looks at several servers
MOST_TRIED = 20  # ports after an occupied one that are tried for the suggestion


def start_server(options: list[str], environment: dict[str, str]) -> subprocess.Popen:
    """Start a server with these options of Streamlit. It ends when its standard input closes, which the system ensures
    even if this program is killed."""
    command = [sys.executable, "-m", "fairviz.ui.shell.server", UNTIL_INPUT_ENDS, "run", str(PAGE)]
    return subprocess.Popen([*command, *options], env=environment, cwd=PAGE.parent, stdin=subprocess.PIPE)


def end_on_signals() -> None:
    """Make SIGTERM and a hang-up end this program in order; under nohup, hang-ups stay ignored."""
    for number in ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)


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


def wait(*servers: subprocess.Popen) -> int:
    """Return the exit status once a server has ended; the others are stopped then, and all if this program ends first.
    A server that does not stop is killed after PATIENCE seconds."""
    try:
        while all(server.poll() is None for server in servers):
            with suppress(subprocess.TimeoutExpired):
                servers[0].wait(None if len(servers) == 1 else TURN)
        return 1 if any(server.poll() for server in servers) else 0
    finally:
        _stop(servers)


def _stop(servers: tuple[subprocess.Popen, ...]) -> None:
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
