"""Many visitors of one server at once: `make load`, or `python -m benchmarks.load [--sessions 30] [--seconds 180]`.

Each session opens a page of a study of 12 × 1,765 × 100 by raw messages of Streamlit's websocket, and releases the
slider of α at another stop every few seconds. A move takes from its message to the end of its run. Then sessions are
opened and closed, to see what memory stays. Linux alone: processor time and memory are read from /proc.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.synthetic import made_up
from fairviz.study.study import save_study
from tests.extensions.server.served import HEADER, Served
from tests.serving.raw_page import RawPage, raw_page

SIZE = (12, 1765, 100)
STUDY = "load"
PAGES = ("tradeoff", "tradeoff", "overview")
STOPS = 101  # of α
SAMPLE = 30.0  # seconds between two looks at memory
TICK, PAGE_SIZE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
TOML = f'[login]\nheader = "{HEADER}"\n[roles]\nviewer = ["*"]\n'


def processor_seconds(processes: Sequence[int]) -> float:
    """Return the processor time of these processes so far."""
    fields = [Path(f"/proc/{one}/stat").read_text(encoding="ascii").rpartition(") ")[2].split() for one in processes]
    return sum(int(field[11]) + int(field[12]) for field in fields) / TICK


def resident_megabytes(processes: Sequence[int]) -> float:
    """Return the memory that these processes hold."""
    pages = [int(Path(f"/proc/{one}/statm").read_text(encoding="ascii").split()[1]) for one in processes]
    return sum(pages) * PAGE_SIZE / 1e6


def visit(port: int, number: int, every: float, start: threading.Barrier, ends: list[float], seed: int) -> list[float]:
    """Open a page as one visitor and move its slider until the time in `ends`; return the seconds of each move."""
    draw, took = random.Random(f"{seed} {number}"), []
    with raw_page(port, headers=[(HEADER, f"visitor{number}@example.org")]) as page:
        page.open(PAGES[number % len(PAGES)], f"study={STUDY}")
        slider = alpha_slider(page)
        start.wait()
        due = time.monotonic() + draw.uniform(0, every)
        while max(due, time.monotonic()) < ends[0]:
            time.sleep(max(0.0, due - time.monotonic()))
            due += every
            state = WidgetState(id=slider)
            state.double_array_value.data.append(draw.randrange(STOPS) / (STOPS - 1))
            begun = time.monotonic()
            page.run(state)
            took.append(time.monotonic() - begun)
            if any(kind == "exception" for kind, _ in page.elements()):
                raise RuntimeError("the page shows an error")
    return took


def alpha_slider(page: RawPage) -> str:
    """Return the id of the slider of α on a page."""
    return next(name for name, (kind, _) in page.widgets().items() if kind == "slider" and name.endswith("-alpha"))


def visit_together(ports: Sequence[int], sessions: int, every: float, seconds: float, seed: int) -> dict:
    """Return the seconds of the moves of all visitors, spread over these ports, the number of visitors that met an
    error, and the processor time spent here."""
    ends = [0.0]
    start = threading.Barrier(sessions, action=lambda: ends.__setitem__(0, time.monotonic() + seconds))
    with ThreadPoolExecutor(sessions) as pool:
        there = [ports[number % len(ports)] for number in range(sessions)]
        visits = [pool.submit(visit, port, number, every, start, ends, seed) for number, port in enumerate(there)]
    moves = [move for one in visits if one.exception() is None for move in one.result()]
    for problem in {repr(one.exception()) for one in visits if one.exception() is not None}:
        print(f"a visitor met {problem}", file=sys.stderr)
    errors = sum(one.exception() is not None for one in visits)
    return {"moves": moves, "errors": errors, "processor": time.process_time()}


def open_and_close(ports: Sequence[int], sessions: int) -> None:
    """Open Overview in so many sessions, one after the other, and close each."""
    for number in range(sessions):
        with raw_page(ports[number % len(ports)], headers=[(HEADER, f"visitor{number}@example.org")]) as page:
            page.open("overview", f"study={STUDY}")


def report(arguments: argparse.Namespace) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_study(made_up(*SIZE), folder / "studies" / STUDY)
        with Served(folder, toml=TOML, processes=arguments.processes) as server:
            ports = server.ports
            processes = [server.process_at(port) for port in ports]
            open_and_close(ports, 2 * len(ports))  # opens the study
            print(f"load of the machine before: {os.getloadavg()[0]:.1f}; {os.cpu_count()} cores")
            print(f"memory with the study open: {resident_megabytes(processes):,.0f} MB")
            for number in range(arguments.rounds):
                print(f"round {number + 1}: {'nothing is' if not number else 'values are'} kept from before")
                measure(arguments, ports, processes, seed=number)
            before = resident_megabytes(processes)
            open_and_close(ports, arguments.opened)
            time.sleep(arguments.rest)
            print(f"memory before and after {arguments.opened} sessions opened and closed: {before:,.0f} MB, "
                  f"{resident_megabytes(processes):,.0f} MB")  # fmt: skip


def measure(arguments: argparse.Namespace, ports: Sequence[int], processes: Sequence[int], seed: int) -> None:
    """Print the times of moves, and processor time and memory meanwhile."""
    before, begun = processor_seconds(processes), time.monotonic()
    command = [sys.executable, "-m", "benchmarks.load", "--visit", ",".join(map(str, ports))]
    options = [f"--{name}={getattr(arguments, name)}" for name in ("sessions", "seconds", "every")]
    options.append(f"--seed={seed}")
    memory = []
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as visitors:
        while visitors.poll() is None:
            try:
                visitors.wait(SAMPLE)
            except subprocess.TimeoutExpired:
                memory.append(resident_megabytes(processes))
        facts = json.loads(visitors.stdout.read() if visitors.stdout else "{}")
    moves, seconds = sorted(facts["moves"]), time.monotonic() - begun
    spent = processor_seconds(processes) - before
    tenths = statistics.quantiles(moves, n=20)
    print(f"{arguments.sessions} sessions, a move every {arguments.every:g} s: {len(moves)} moves in {seconds:.0f} s, "
          f"{facts['errors']} visitors met an error")  # fmt: skip
    middle = statistics.median(moves)
    print(f"a move: median {middle:.2f} s, 95th percentile {tenths[-1]:.2f} s, longest {moves[-1]:.2f} s")
    print(f"processor time: {spent / len(moves):.3f} s a move, {spent / seconds:.2f} cores; of the visitors "
          f"{facts['processor'] / len(moves):.3f} s a move")  # fmt: skip
    print(f"memory every {SAMPLE:.0f} s: {', '.join(f'{one:,.0f}' for one in memory)} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--every", type=float, default=5.0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--opened", type=int, default=500)
    parser.add_argument("--rest", type=float, default=130.0, help="seconds after which closed sessions are forgotten")
    parser.add_argument("--rounds", type=int, default=2, help="of so many seconds each; the first finds nothing kept")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--visit", default="")
    arguments = parser.parse_args()
    if arguments.visit:
        ports = [int(port) for port in arguments.visit.split(",")]
        print(json.dumps(visit_together(ports, arguments.sessions, arguments.every, arguments.seconds, arguments.seed)))
    else:
        report(arguments)


if __name__ == "__main__":
    main()
