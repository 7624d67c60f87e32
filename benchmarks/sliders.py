"""Processor time of all stops of a slider (`comparison/cube.py`) and of a sensitivity analysis, here and in another
checkout of this repository: `python -m benchmarks.sliders OTHER [RUNS]`. Both run alternately, on one thread each.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

MEASURES = {"newswire": ("CWEx", "NFaiRR", "TExFAIR", "nDCG", "AWRF"), "made-up": ("CWEx", "NFaiRR", "TExFAIR", "nDCG")}
SIZE = (12, 1765, 100)
SLIDERS = ("alpha", "cutoff", "bias", "p")
RUNS = {"newswire": 20, "made-up": 3, "combinations": 20}
HERE = Path(__file__).parent.parent


def of_slider(name: str, slider: str) -> Callable[[], object]:
    """Return what computes all stops of a slider."""
    from benchmarks.synthetic import made_up
    from fairviz.comparison.cube import cube
    from fairviz.evaluation.choices import aligned
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.questions import ask, wants_collection
    from fairviz.evaluation.settings import Settings

    study = open_study(name) if name == "newswire" else made_up(*SIZE)
    settings = Settings(position_bias="rbp(p=0.8)") if slider == "p" else Settings()
    questions = [ask(text, settings) for text in MEASURES[name]]
    places = aligned(study, settings, None, collection=wants_collection(questions, settings))
    return lambda: cube(study, MEASURES[name], settings, slider, places=places)


def of_combinations() -> Callable[[], object]:
    """Return what computes the combinations of `benchmarks/robustness.py` on newswire."""
    from benchmarks.robustness import CHOICES, MEASURES, PAIR
    from fairviz.analyses.sensitivity.grid import grid_of
    from fairviz.analyses.sensitivity.work import Work
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.settings import Settings

    grid = grid_of(open_study("newswire"), PAIR, MEASURES, CHOICES, Settings())
    return lambda: Work(grid).run(workers=1)


def work_on_request(name: str, slider: str) -> None:
    """Compute once for each line read, and print the seconds of processor time; the first time does not count."""
    work = of_combinations() if name == "combinations" else of_slider(name, slider)
    work()
    for _ in sys.stdin:
        began = time.process_time()
        work()
        print(time.process_time() - began, flush=True)


def started(root: Path, name: str, slider: str) -> subprocess.Popen[str]:
    """Start a process that computes with the code of a checkout; this file's folder is not on its path (-P)."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return subprocess.Popen(
        [sys.executable, "-P", __file__, "--work", name, slider], cwd=root, text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**os.environ, **threads, "PYTHONPATH": str(root)},
    )  # fmt: skip


def seconds(process: subprocess.Popen[str]) -> float:
    """Ask a process to compute once more."""
    if process.stdin is None or process.stdout is None:
        raise SystemExit("the process cannot be reached")
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def compared(other: Path, name: str, slider: str, runs: int) -> str:
    """Return one line: medians here and there, and their ratio."""
    processes = [started(root, name, slider) for root in (HERE, other)]
    times = [[seconds(process) for process in processes] for _ in range(runs)]
    for process in processes:
        process.communicate()
    here, there = (statistics.median(column) for column in zip(*times, strict=True))
    return (
        f"{name} {slider}: {here:.3f} s here, {there:.3f} s there, ratio {here / there:.2f} "
        f"(medians of {runs}, load {os.getloadavg()[0]:.0f})"
    )


def run(other: Path, runs: int) -> None:
    """Print the report, line by line."""
    cases = [(name, slider) for name in MEASURES for slider in SLIDERS] + [("combinations", "")]
    for name, slider in cases:
        print(compared(other, name, slider, runs or RUNS[name]), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work_on_request(*sys.argv[2:4])
    elif len(sys.argv) > 1:
        run(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    else:
        raise SystemExit("Name another checkout: python -m benchmarks.sliders ../before")
