"""Run the named commands of one `make` target one after another, and print one summary.

`python -m tests.stages 'style: ruff check .' '& types: mypy' 'tests: python -m pytest'`: each argument is a name, a
colon and a command. A command that fails does not stop the next one. One that starts with `&` runs beside the next
command, and its output follows. The status is 1 if any command failed, and 130 after Ctrl-C or SIGTERM.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType

INTERRUPTED = 130


@dataclass
class Stage:
    """One command with its name; status: None until it has ended."""

    name: str
    command: list[str]
    beside: bool
    status: int | None = None
    seconds: float = 0.0
    process: subprocess.Popen | None = None
    started: float = 0.0

    def start(self) -> None:
        self.started = time.monotonic()
        output, errors = (subprocess.PIPE, subprocess.STDOUT) if self.beside else (None, None)
        if not self.beside:
            _show(shlex.join(self.command))
        try:
            self.process = subprocess.Popen(self.command, stdout=output, stderr=errors, errors="replace")
        except OSError as error:
            _show(str(error))
            self.status = 127

    def finish(self) -> None:
        """Wait for the command; show the output that was kept back."""
        if self.process is None:
            return
        output, _ = self.process.communicate()
        self.status, self.seconds = self.process.returncode, time.monotonic() - self.started
        if self.beside:
            _show(f"{shlex.join(self.command)}\n{output}")

    def interrupt(self, number: int) -> None:
        """Wait for the end after a signal: Ctrl-C reaches the command too, another signal does not. Kill the command at
        a second one."""
        if self.process is None:
            return
        try:
            if number != signal.SIGINT:
                self.process.send_signal(signal.SIGINT)
            self.process.communicate()
        except KeyboardInterrupt:
            self.process.kill()
            self.process.wait()

    def line(self, width: int) -> str:
        if self.status is None:
            return f"  {self.name:{width}}  not finished"
        result = "passed" if self.status == 0 else "FAILED"
        took = "beside the next" if self.beside else duration(self.seconds)
        return f"  {self.name:{width}}  {result}  {took}"


def parse_stage(text: str) -> Stage:
    name, _, command = text.partition(":")
    return Stage(name.removeprefix("&").strip(), shlex.split(command), beside=name.startswith("&"))


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def run_stages(stages: Sequence[Stage]) -> None:
    """Run every stage; those that run beside end with the next one that does not."""
    running: list[Stage] = []
    try:
        for stage in stages:
            running.insert(0, stage)
            stage.start()
            if not stage.beside:
                _finish(running)
        _finish(running)
    except KeyboardInterrupt as error:
        for stage in running:
            stage.interrupt(*error.args)
        raise


def summary(stages: Sequence[Stage]) -> str:
    width = max(len(stage.name) for stage in stages)
    load = f"Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores."
    return "\n".join(["", "Summary", *(stage.line(width) for stage in stages), load])


def main(arguments: Sequence[str]) -> int:
    signal.signal(signal.SIGINT, _interrupt)  # a shell that runs this in the background ignores it
    signal.signal(signal.SIGTERM, _interrupt)
    stages = [parse_stage(text) for text in arguments]
    try:
        run_stages(stages)
    except KeyboardInterrupt:
        _show(summary(stages))
        return INTERRUPTED
    _show(summary(stages))
    return int(any(stage.status for stage in stages))


def _finish(running: list[Stage]) -> None:
    while running:
        running[0].finish()
        running.pop(0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt(number)


def _show(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
