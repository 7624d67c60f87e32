"""Little memory: a verb ends in one line and its remedy, and not in a library's traceback, abort or silence."""

import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.__main__ import NO_MEMORY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit addresses")
PROGRAM = """
import resource, sys
limit = int(sys.argv.pop(1)) * 1024 ** 2
kind = getattr(resource, sys.argv.pop(1))
resource.setrlimit(kind, (limit, limit))
from fairviz.__main__ import run
sys.exit(run())
"""
VERBS = ("compare newswire CWEx", "evaluate newswire nDCG@10", "report newswire -o {out}", "gsr newswire",
         "agree newswire", "score {texts} --out {out} --workers 1")  # fmt: skip


def run(verb: str, limit: int, kind: str, folder: Path) -> subprocess.CompletedProcess:
    texts = folder / "c.tsv"
    texts.write_text("".join(f"{number}\tshe saw her nurse\n" for number in range(1_000)))
    words = [word.format(out=folder / "out", texts=texts) for word in verb.split()]
    return subprocess.run([sys.executable, "-c", PROGRAM, str(limit), kind, *words], capture_output=True, text=True)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("limit", "kind"), [(512, "RLIMIT_AS"), (256, "RLIMIT_DATA")])
def test_every_verb_ends_in_one_line_and_its_remedy(verb: str, limit: int, kind: str, tmp_path: Path) -> None:
    ended = run(verb, limit, kind, tmp_path)
    first, remedy = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert first.startswith(f"the limit of memory is {limit} MB; fairviz needs ")
    assert remedy.startswith("Raise it")


@pytest.mark.parametrize("error", ["MemoryError()", "ImportError('x: failed to map segment from shared object')",
                                   "RuntimeError(\"can't start new thread\")",
                                   "ValueError('a library converts it') from MemoryError()"])  # fmt: skip
def test_an_error_of_memory_within_a_verb_is_one_line(error: str) -> None:
    """As above these limits, where a verb begins and does not end."""
    program = f"""
import sys
from fairviz import __main__
def main():
    raise {error}
__main__._run = main
sys.exit(__main__.run())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr, ended.stdout) == (1, NO_MEMORY, "")
