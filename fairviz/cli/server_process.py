"""Processes of the page's server, which always end with this program."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from fairviz import interrupts
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import say
from fairviz.home import application_folder

PAGE = application_folder() / "app.py"
UNTIL_INPUT_ENDS = "--until-input-ends"  # removed by fairviz.ui.shell.server
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
EVERYWHERE = ("0.0.0.0", "::")
PATIENCE = 10  # seconds for the servers to end by themselves
TURN = 1.0  # seconds between two looks at several servers
PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a server is started again
SOON, MOST_ENDS = 60.0, 6  # seconds within which an end is soon, and the number of such ends in a row that end all
MOST_TRIED = 20  # ports after an occupied one that are tried for the suggestion


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


def keep_running(starts: Sequence[Callable[[], subprocess.Popen]], *, pause: float = PAUSE) -> int:
    """Start the servers, and each again that ends: after `pause` seconds, and twice as long after every end that comes
    soon. Return 1 once one has ended MOST_ENDS times soon after its start; the others are stopped then, and all if this
    program ends first."""
    servers: list[subprocess.Popen] = []
    begun, due, ends = [0.0] * len(starts), [0.0] * len(starts), [0] * len(starts)
    try:
        for place, start in enumerate(starts):
            servers.append(start())
            begun[place] = time.monotonic()
        while True:
            for place, server in enumerate(servers):
                now = time.monotonic()
                if due[place] and now >= due[place]:
                    servers[place], begun[place], due[place] = starts[place](), now, 0.0
                elif not due[place] and (status := server.poll()) is not None:
                    if server.stdin is not None:
                        server.stdin.close()
                    ends[place] = ends[place] + 1 if now - begun[place] < SOON else 1
                    if ends[place] == MOST_ENDS:
                        return 1
                    wait_for = min(pause * 2 ** (ends[place] - 1), LONGEST_PAUSE)
                    due[place] = now + wait_for
                    say(f"note: process {server.pid} ended ({_status_text(status)}); another starts in {wait_for:g} s")
            time.sleep(min(TURN, pause))
    finally:
        _stop(servers)


def _status_text(status: int) -> str:
    """Return the status of a process that has ended; below 0 it is the signal that killed it."""
    return f"status {status}" if status >= 0 else f"killed by signal {-status}"


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
