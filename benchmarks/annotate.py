"""How fast a server is asked: 5,000 documents, each answered after 200 ms, and the same job once more.

The server runs in a process of its own, so that its work is not counted as ours; each job is one too.
"""

import os
import subprocess
import sys
import tempfile
import time

DOCUMENTS, DELAY = 5_000, 0.2
CONCURRENCY = (16,)
_SERVER = """
import sys
from tests.model_server import model_server
with model_server() as server:
    server.delay = {delay}
    print(server.address, flush=True)
    sys.stdin.read()
"""
_JOB = """
import sys, time
import httpx2
import pandas as pd
import fairviz
from fairviz.annotation.annotators.annotating import annotate
documents = pd.DataFrame({{"doc_id": [f"d{{n}}" for n in range({documents})],
                          "text": [f"Document {{n}} says that she went to the river." for n in range({documents})]}})
study = fairviz.make_study("many", documents=documents)
start, busy = time.perf_counter(), time.process_time()
made = annotate(study, f"llm(model='m',url='{{sys.argv[1]}}')", concurrency=int(sys.argv[2]))
took, busy = time.perf_counter() - start, time.process_time() - busy
print(took, busy, made.record["labelled"].iloc[0], made.record["asked"].iloc[0])
"""


def job(address: str, concurrency: int, home: str) -> tuple[float, float, int]:
    """Seconds of the job without starting Python, seconds of the processor among them, and how many questions it
    asked."""
    environment = dict(os.environ) | {"FAIRVIZ_HOME": home, "NO_PROXY": "127.0.0.1"}
    command = [sys.executable, "-c", _JOB.format(documents=DOCUMENTS), address, str(concurrency)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, busy, labelled, asked = done.stdout.split()
    if int(labelled) != DOCUMENTS:
        raise RuntimeError(f"only {labelled} of {DOCUMENTS} documents were labelled")
    return float(seconds), float(busy), int(asked)


def run(levels: tuple[int, ...] = CONCURRENCY) -> list[str]:
    """A line for each concurrency, and one for the job once more."""
    lines = [f"{DOCUMENTS:,} documents to a language model that answers after {1000 * DELAY:.0f} ms"]
    command = [sys.executable, "-c", _SERVER.format(delay=DELAY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("the server has no pipes")
        address = server.stdout.readline().strip()
        for concurrency in levels:
            with tempfile.TemporaryDirectory() as home:
                seconds, busy, asked = job(address, concurrency, home)
                best = DOCUMENTS * DELAY / concurrency
                lines.append(
                    f"  {concurrency} at a time: {seconds:.1f} s, {seconds / best:.2f} times what the server needs, "
                    f"{1000 * busy / DOCUMENTS:.1f} ms of the processor a question, {asked:,} asked"
                )
                start = time.perf_counter()
                again, _, asked = job(address, concurrency, home)
                whole = time.perf_counter() - start
                lines.append(f"  … the same job again: {again:.2f} s ({whole:.1f} s with Python), {asked} asked")
        server.stdin.close()
    return lines


if __name__ == "__main__":
    print("\n".join(run(tuple(map(int, sys.argv[1:])) or CONCURRENCY)))
