"""Flipped bits in word counts, a part of `make fuzz`:
python -m tests.extensions.collections.flipped_bits [--count 300] [--seed 1]

A small collection is counted in parts. Then one bit is flipped in a part, a manifest, a sum or a mapped cache, and a
study is evaluated. Its figures are right, or it is refused with the command that repairs it, and this command does.
Exit status 1 where anything else happened.
"""

import argparse
import random
import shlex
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from fairviz.cli.main import main as fairviz
from fairviz.errors import FairvizError
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.extensions.collections import counts as counting
from fairviz.home import VARIABLE
from fairviz.study import collection_counts
from fairviz.study.study import make_study, open_study_folder, save_study

WORDS = ["she", "he", "woman", "man", "nurse", "boss", "water", "her", "his", "car"]
MEASURES = ("NFaiRR", "FaiRR(tau=2)", "TExFAIR")
GOOD = ("right", "refused and repaired")


class Counts:
    """A study whose word counts are in a folder, and the figures that they give."""

    def __init__(self, folder: Path) -> None:
        chance = random.Random(5)
        names = [f"d{number}" for number in range(120)]
        texts = [" ".join(chance.choices(WORDS, k=chance.randrange(1, 30))) for _ in names]
        rows = [("run", query, name, rank, 1 / rank) for query in ("q1", "q2")
                for rank, name in enumerate(chance.sample(names, 30), start=1)]  # fmt: skip
        queries = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["a nurse", "the boss"]})
        runs = pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"])
        self.study = save_study(make_study("flips", queries=queries, runs=runs), folder / "flips")
        self.out = self.study / collection_counts.FOLDER
        lines = (f"{name}\t{text}\n" for name, text in zip(names, texts, strict=True))
        (folder / "c.tsv").write_text("".join(lines))
        (folder / "queries.tsv").write_text("query_id\ttext\nq1\ta nurse\nq2\tthe boss\n")
        self.command = ["score", str(folder / "c.tsv"), "--out", str(self.out)]
        self.command += ["--queries", str(folder / "queries.tsv"), "--workers", "1"]
        assert self.repair(self.command) == 0
        self.caches = folder / "home" / "cache"
        self.figures = self.read()

    def read(self) -> list[pd.DataFrame]:
        """Return what the study gives, opened anew and with no file compared before."""
        collection_counts._SOUND.clear()
        study = open_study_folder(self.study)
        tables = [evaluate(study, MEASURES, Settings()), gsr_points(study, Settings())]
        assert study.word_counts is not None
        return [*tables, pd.DataFrame({"doc_id": study.word_counts.doc_ids})]

    def files(self) -> list[Path]:
        """Return the files of counts, and the mapped caches of arrays made of them."""
        mapped = (file for folder in self.caches.glob("arrays-*") for file in folder.rglob("*"))
        return sorted(file for file in (*self.out.iterdir(), *mapped) if file.is_file() and file.stat().st_size)

    def repair(self, command: list[str]) -> int:
        collection_counts._SOUND.clear()
        with redirect_stderr(StringIO()):
            return fairviz(command)

    def outcome(self, draw: random.Random) -> tuple[str, str]:
        """Flip one bit, and return what came of it: one of GOOD, or another word; and the flip."""
        file = draw.choice(self.files())
        content = bytearray(file.read_bytes())
        at, bit = draw.randrange(len(content)), draw.randrange(8)
        content[at] ^= 1 << bit
        file.write_bytes(content)
        flip = f"{file.name}, byte {at}, bit {bit}"
        try:
            return ("right" if self._are_right(self.read()) else "wrong figures"), flip
        except FairvizError as error:
            named = [part for part in error.remedy.split("`") if part.startswith("fairviz ")]
            command = self.command if "COLLECTION" in named[0] else shlex.split(named[0])[1:]
            if self.repair(command) or not self._are_right(self.read()):
                return "not repaired", f"{flip}: {error}"
            return "refused and repaired", flip
        except Exception:  # noqa: BLE001 - what is looked for
            return "traceback", f"{flip}\n{traceback.format_exc()}"
        finally:
            assert self.repair(self.command) == 0

    def _are_right(self, figures: list[pd.DataFrame]) -> bool:
        return all(found.equals(wanted) for found, wanted in zip(figures, self.figures, strict=True))


@contextmanager
def counts() -> Iterator[Counts]:
    """Yield counts in several parts, in a folder and with caches of their own."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, f"{folder}/home")
        patch.setattr(counting, "PIECE", 3_000)
        patch.setattr(collection_counts, "LARGE", 1)
        yield Counts(Path(folder))


def flip(count: int, seed: int) -> tuple[Counter, list[str]]:
    """Return how often each outcome came, and the flips of those that are not good."""
    outcomes: Counter = Counter()
    bad: list[str] = []
    with counts() as made:
        for number in range(count):
            outcome, words = made.outcome(random.Random(f"{seed}-{number}"))
            outcomes[outcome] += 1
            if outcome not in GOOD:
                bad.append(f"{number} {outcome}: {words}")
    return outcomes, bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.extensions.collections.flipped_bits", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    given = parser.parse_args()
    outcomes, bad = flip(given.count, given.seed)
    figures = ", ".join(f"{outcomes[name]} {name}" for name in (*GOOD, "wrong figures", "traceback", "not repaired"))
    sys.stdout.write("\n".join([*bad, f"{given.count} flipped bits: {figures}\n"]))
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
