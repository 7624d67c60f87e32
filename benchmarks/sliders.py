"""Processor time of all stops of a slider (`comparison/cube.py`), of a sensitivity analysis and of letting a slider
go, here and in another checkout of this repository: `python -m benchmarks.sliders OTHER [RUNS] [CASE …]`, where CASE is
part of a case's name. Both run alternately, on one thread each.
"""

import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

MEASURES = {"newswire": ("CWEx", "NFaiRR", "TExFAIR", "nDCG", "AWRF"), "made-up": ("CWEx", "NFaiRR", "TExFAIR", "nDCG")}
SIZE = (12, 1765, 100)
SLIDERS = ("alpha", "cutoff", "bias", "p")
PAGES = ("overview", "tradeoff", "compare")
RUNS = {"newswire": 20, "made-up": 3, "combinations": 20, "release": 20}
HERE = Path(__file__).parent.parent


def first_module(*names: str) -> ModuleType:
    """Import the first of these modules that the checkout has: a module's present name, then its former ones."""
    return import_module(next(name for name in names if _has(name)))


def _has(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def of_slider(name: str, slider: str) -> Callable[[], object]:
    """Return what computes all stops of a slider."""
    import fairviz
    from benchmarks.synthetic import made_up
    from fairviz.evaluation.choices import aligned
    from fairviz.evaluation.settings import Settings

    cube = first_module("fairviz.comparison.cube", "fairviz.evaluation.cube").cube
    study = fairviz.open_study(name) if name == "newswire" else made_up(*SIZE)
    settings = Settings(position_bias="rbp(p=0.8)") if slider == "p" else Settings()
    module = first_module("fairviz.evaluation.asking", "fairviz.evaluation.questions")
    questions = [module.ask(text, settings) for text in MEASURES[name]]
    rankings = aligned(study, settings, None, collection=module.wants_collection(questions, settings))
    return lambda: cube(study, MEASURES[name], settings, slider, rankings=rankings)


def of_combinations() -> Callable[[], object]:
    """Return what computes the combinations of `benchmarks/robustness.py` on newswire."""
    import fairviz
    from benchmarks.robustness import CHOICES, MEASURES, PAIR
    from fairviz.evaluation.settings import Settings

    grid_of = first_module("fairviz.analyses.sensitivity.grid", "fairviz.combinations.grid").grid_of
    work = first_module("fairviz.analyses.sensitivity.work", "fairviz.combinations.work")
    grid = grid_of(fairviz.open_study("newswire"), PAIR, MEASURES, CHOICES, Settings())
    return lambda: work.Work(grid).run(workers=1)


def of_release(page: str) -> Callable[[], object]:
    """Return what draws a page of newswire anew after alpha was let go somewhere else."""
    from tests.pages.conftest import first_run

    os.environ["FAIRVIZ_HOME"] = tempfile.mkdtemp()
    script = first_run(f"{page}.py", study="newswire")
    values = itertools.count(1)
    return lambda: script.slider(key="alpha").set_value(next(values) / 100).run()


def work_on_request(name: str, slider: str) -> None:
    """Compute once for each line read, and print the seconds of processor time; the first time does not count."""
    if name == "release":
        work = of_release(slider)
    else:
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
    low, high = ratio_interval(times)
    return (
        f"{name} {slider}: {here:.3f} s here, {there:.3f} s there, ratio {here / there:.2f} ({low:.2f} to {high:.2f}; "
        f"medians of {runs}, load {os.getloadavg()[0]:.0f})"
    )


def ratio_interval(times: list[list[float]], resamples: int = 2000) -> tuple[float, float]:
    """Return the 95 % percentile interval of the ratio of two medians, from resampled pairs of times."""
    draw = random.Random(0)
    ratios = []
    for _ in range(resamples):
        here, there = zip(*draw.choices(times, k=len(times)), strict=True)
        ratios.append(statistics.median(here) / statistics.median(there))
    cuts = statistics.quantiles(ratios, n=40)
    return cuts[0], cuts[-1]


def run(other: Path, runs: int, parts: list[str]) -> None:
    """Print the report of the cases whose names contain one of the parts, line by line; without parts, of all."""
    cases = [(name, slider) for name in MEASURES for slider in SLIDERS] + [("combinations", "")]
    cases += [("release", page) for page in PAGES]
    for name, slider in cases:
        if not parts or any(part in f"{name} {slider}" for part in parts):
            print(compared(other, name, slider, runs or RUNS[name]), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work_on_request(*sys.argv[2:4])
    elif len(sys.argv) > 1:
        run(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 0, sys.argv[3:])
    else:
        raise SystemExit("Name another checkout: python -m benchmarks.sliders ../before")
