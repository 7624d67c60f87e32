"""nDCG@10 of a run of seven million lines against pytrec_eval, which checks nothing; each in a process of its own.

python -m benchmarks.long_runs [QUERIES]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import loading

QUERIES = 6_980
_HEAD = """
import json, resource, sys, time
from pathlib import Path
study = Path(sys.argv[1])
run = study / "runs" / "one.run"
def timed(work):
    start, before = time.perf_counter(), time.process_time()
    value = work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(json.dumps([time.perf_counter() - start, time.process_time() - before, peak, float(value)]))
"""
_PYTREC_EVAL = """
import pytrec_eval
def work():
    with open(study / "qrels.txt") as qrels, open(run) as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), {"ndcg_cut_10"})
        values = evaluator.evaluate(pytrec_eval.parse_run(lines))
    return sum(one["ndcg_cut_10"] for one in values.values()) / len(values)
timed(work)
"""
_PYARROW = """
import pyarrow.csv, pyarrow.compute
from benchmarks.loading import plain
timed(lambda: len(plain(run)))
"""
_START = """
import numpy, pandas, pyarrow.csv, pyarrow.parquet, pyarrow.compute
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.study.loaders import runs
if FAST:
    from fairviz.study.loaders import compiled_runs
    compiled_runs.repeats(numpy.zeros(1, "int32"), numpy.zeros(1, "int32"), 1)
    runs._read_compiled(study / "small.run", "small")
else:
    runs.has_layer = lambda layer: False
"""
OTHERS = {"pyarrow.csv, nothing checked": _PYARROW, "pytrec_eval": _PYTREC_EVAL}
_READ = "timed(lambda: len(runs.read_run(run)))"
_EVALUATE = """
timed(lambda: summarise(evaluate(open_study(study), "nDCG@10", ties="trec_eval"))["value"].iloc[0])
"""


def measured(study: Path, home: Path, code: str) -> list[float]:
    """Return elapsed seconds, CPU-seconds, gigabytes at the peak and the value."""
    done = subprocess.run(
        [sys.executable, "-c", _HEAD + code, str(study)],
        capture_output=True, text=True, check=True, env={**os.environ, "FAIRVIZ_HOME": str(home)},
    )  # fmt: skip
    return json.loads(done.stdout)


def main() -> None:
    loading.QUERIES = int(sys.argv[1]) if len(sys.argv) > 1 else QUERIES
    with tempfile.TemporaryDirectory() as temporary:
        study = Path(temporary, "study")
        (study / "runs").mkdir(parents=True)
        run = study / "runs" / "one.run"
        loading.write_run(run, "{}")
        with run.open() as lines:
            judged = [line.split()[:3:2] for line in lines if int(line.split()[3]) in (2, 9)]
        (study / "qrels.txt").write_text("".join(f"{query} 0 {name} 1\n" for query, name in judged))
        (study / "small.run").write_text("1 Q0 1 1 1 t\n")
        time.sleep(2.5)  # a file that was written just now is looked at again
        size = run.stat().st_size / 1e6
        print(f"{loading.QUERIES * loading.RANKS:,} lines, {size:.0f} MB; load {os.getloadavg()[0]:.1f}")
        rows = {name: measured(study, study, code) for name, code in OTHERS.items()}
        for fast in (True, False):
            start, name = f"FAST = {fast}{_START}", "with numba" if fast else "without numba"
            home = Path(temporary, name)
            rows[f"read, {name}"] = measured(study, home, start + _READ)
            rows[f"nDCG@10 cold, {name}"] = measured(study, home, start + _EVALUATE)
            rows[f"nDCG@10 warm, {name}"] = measured(study, home, start + _EVALUATE)
        for name, (elapsed, spent, peak, value) in rows.items():
            base = rows["pytrec_eval"]
            print(f"{name}: {elapsed:.2f} s, {spent:.2f} CPU-seconds, {peak:.2f} GB, {value:.6g}; pytrec_eval takes "
                  f"{base[0] / elapsed:.1f} times as long, {base[1] / spent:.1f} in CPU-seconds")  # fmt: skip


if __name__ == "__main__":
    main()
