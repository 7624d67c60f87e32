"""Runs of MS MARCO's size, 6,980 lists of 1,000 documents: the first opening, the same again, bad lines and the limit
of memory, beside pytrec_eval and another checkout of this project. Each in a process of its own.

python -m benchmarks.long_runs [--runs 1,4] [--queries 6980] [--beside CHECKOUT] [--limit BYTES]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

RANKS, COLLECTION, POOL = 1000, 8_841_823, 2500
ROOT = Path(__file__).parents[1]
BAD_LINES = 180
_TOLD = """
import json, resource, sys, time
def told(value):
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([time.time(), used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6, str(value)]))
"""
_EVALUATE = """
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.errors import FairvizError
try:
    told(summarise(evaluate(open_study(sys.argv[1]), sys.argv[2].split(","), ties="trec_eval"))["value"].tolist())
except FairvizError as error:
    told(error.message.partition("\\n")[0])
"""
_PYTREC_EVAL = """
import pytrec_eval
from pathlib import Path
means = []
for run in sorted(Path(sys.argv[1], "runs").iterdir()):
    with open(Path(sys.argv[1], "qrels.txt")) as qrels, open(run) as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"ndcg_cut_10"})
        values = evaluator.evaluate(pytrec_eval.parse_run(lines))
    means.append(sum(one["ndcg_cut_10"] for one in values.values()) / len(values))
told(means)
"""


class Measured(NamedTuple):
    """elapsed and CPU seconds of a process, gigabytes at its peak, and what it told."""

    elapsed: float
    spent: float
    peak: float
    value: str

    def __str__(self) -> str:
        return f"{self.spent:.1f} CPU-seconds, {self.elapsed:.1f} s, {self.peak:.2f} GB"


def write_runs(folder: Path, count: int, queries: int) -> None:
    """Write so many runs: each of a thousand of 2,500 documents of each query, scores with six decimals."""
    pools = np.random.default_rng(7).integers(0, COLLECTION, (queries, POOL))
    names = np.repeat(300_000 + 7 * np.arange(queries), RANKS)
    for number in range(count):
        generator = np.random.default_rng(number)
        documents = np.concatenate([generator.permutation(np.unique(pool))[:RANKS] for pool in pools])
        scores = -np.sort(-np.round(generator.random((queries, RANKS)) * 30, 6), axis=1)
        columns = {
            "query": names, "q0": np.full(len(names), "Q0"), "document": documents,
            "rank": np.tile(np.arange(1, RANKS + 1), queries), "score": scores.ravel(),
            "tag": np.full(len(names), f"run{number:02}"),
        }  # fmt: skip
        options = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
        csv.write_csv(pa.table(columns), folder / f"run{number:02}.run", options)


def write_study(folder: Path, count: int, queries: int) -> None:
    """Write the runs, the second document of each list as relevant, and labels of a fiftieth of the collection."""
    (folder / "runs").mkdir(parents=True)
    write_runs(folder / "runs", count, queries)
    with (folder / "runs" / "run00.run").open() as lines:
        judged = [line.split()[:3:2] for line in lines if line.split()[3] in ("2", "9")]
    (folder / "qrels.txt").write_text("".join(f"{query} 0 {name} 1\n" for query, name in judged))
    labels = ("neutral", "female", "male")
    rows = (f"{document},made,{labels[document % 3]}\n" for document in range(0, COLLECTION, 50))
    (folder / "labels.csv").write_text("doc_id,annotator,label\n" + "".join(rows))


def measured(code: str, *arguments: str, tree: Path = ROOT, home: Path, limit: int = 0) -> Measured:
    """Run the code in a process of its own, in which the project is that of `tree`."""
    limited: Callable[[], None] | None = None
    if limit:
        limited = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    start = time.time()
    done = subprocess.run(
        [sys.executable, "-c", _TOLD + code, *arguments], capture_output=True, text=True, cwd=tree, preexec_fn=limited,
        env={**os.environ, "FAIRVIZ_HOME": str(home), "PYTHONPATH": str(tree)}, check=False,
    )  # fmt: skip
    if done.returncode:
        return Measured(time.time() - start, float("nan"), float("nan"), done.stderr.strip().split("\n")[-1])
    end, spent, peak, value = json.loads(done.stdout.strip().split("\n")[-1])
    return Measured(end - start, spent, peak, value)


def apart(function: Callable[..., None], path: Path, *numbers: int) -> None:
    """Call a function of this file in a process of its own: the peak of a process counts for those that it starts."""
    code = f"from pathlib import Path; from benchmarks.long_runs import {function.__name__}; "
    code += f"{function.__name__}(Path({str(path)!r}), {', '.join(map(str, numbers))})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def spoil(path: Path) -> None:
    """Repeat a document in so many lists of a run."""
    lines = [f"{line}\n" for line in path.read_text().split("\n")[:-1]]
    step = max(len(lines) // BAD_LINES // RANKS, 1) * RANKS
    for place in range(1, len(lines), step):
        lines[place] = lines[place - 1].replace(" 1 ", " 2 ", 1) if place % RANKS else lines[place]
    path.write_text("".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", default="1,4")
    parser.add_argument("--queries", type=int, default=6_980)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--limit", type=int, default=0)
    options = parser.parse_args()
    trees = {"this checkout": ROOT} | ({"beside": options.beside.resolve()} if options.beside else {})
    for count in map(int, options.runs.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            study = Path(temporary, "study")
            apart(write_study, study, count, options.queries)
            time.sleep(2.5)  # a file that was written just now is looked at again
            print(f"{count} runs of {options.queries * RANKS:,} lines; load {os.getloadavg()[0]:.1f}", flush=True)
            print("  pytrec_eval, nDCG@10:", measured(_PYTREC_EVAL, str(study), home=study), flush=True)
            values = {}
            for name, tree in trees.items():
                home = Path(temporary, name)
                for turn in ("first", "again"):
                    process = measured(_EVALUATE, str(study), "nDCG@10", tree=tree, home=home, limit=options.limit)
                    print(f"  {name}, nDCG@10, {turn}:", process, flush=True)
                every = ",".join(f"{measure}@{k}" for k in (10, 100, 1000) for measure in ("CWEx", "nDCG"))
                process = measured(_EVALUATE, str(study), every, tree=tree, home=home, limit=options.limit)
                print(f"  {name}, CWEx and nDCG at 10, 100 and 1,000:", process, flush=True)
                values[name] = process.value
            print("  the values are", "the same" if len({*values.values()}) == 1 else values)
            apart(spoil, study / "runs" / "run00.run")
            for name, tree in trees.items():
                process = measured(_EVALUATE, str(study), "nDCG@10", tree=tree, home=Path(temporary, "bad" + name))
                print(f"  {name}, with a bad run: {process}; {process.value}", flush=True)


if __name__ == "__main__":
    main()
