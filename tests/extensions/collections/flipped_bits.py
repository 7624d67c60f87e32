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
from contextlib import redirect_stderr
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
from tests.made import runs_of

WORDS = ["she", "he", "woman", "man", "nurse", "boss", "water", "her", "his", "car"]
MEASURES = ("NFaiRR", "FaiRR(tau=2)", "TExFAIR")
GOOD = ("right", "refused and repaired")


def repair(command: list[str]) -> int:
    """Run the command, and return its exit status."""
    collection_counts._SOUND.clear()
    with redirect_stderr(StringIO()):
        return fairviz(command)


def figures(folder: Path) -> list[pd.DataFrame]:
    """Return what the study gives, opened anew and with no file compared before."""
    collection_counts._SOUND.clear()
    study = open_study_folder(folder)
    tables = [evaluate(study, MEASURES, Settings()), gsr_points(study, Settings())]
    assert study.word_counts is not None
    return [*tables, pd.DataFrame({"doc_id": study.word_counts.doc_ids})]


def made(folder: Path) -> tuple[Path, list[str]]:
    """A study whose word counts are in several parts in its folder, and the command that counts them."""
    chance = random.Random(5)
    texts = {f"d{number}": " ".join(chance.choices(WORDS, k=chance.randrange(1, 30))) for number in range(120)}
    runs = runs_of({("run", query): chance.sample([*texts], 30) for query in ("q1", "q2")})
    queries = pd.DataFrame({"query_id": ["q1", "q2"], "text": ["a nurse", "the boss"]})
    study = save_study(make_study("flips", queries=queries, runs=runs), folder / "flips")
    (folder / "c.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in texts.items()))
    queries.to_csv(folder / "queries.tsv", sep="\t", index=False)
    command = ["score", str(folder / "c.tsv"), "--out", str(study / collection_counts.FOLDER)]
    command += ["--queries", str(folder / "queries.tsv"), "--workers", "1"]
    assert repair(command) == 0
    return study, command


def outcome(draw: random.Random, home: Path, study: Path, command: list[str], wanted: list[pd.DataFrame]) -> list[str]:
    """Flip one bit, and return what came of it, one of GOOD or another word, and the flip."""
    mapped = (file for folder in (home / "cache").glob("arrays-*") for file in folder.rglob("*"))
    files = (*(study / collection_counts.FOLDER).iterdir(), *mapped)
    file = draw.choice(sorted(file for file in files if file.is_file() and file.stat().st_size))
    content = bytearray(file.read_bytes())
    at, bit = draw.randrange(len(content)), draw.randrange(8)
    content[at] ^= 1 << bit
    file.write_bytes(content)
    flip = f"{file.name}, byte {at}, bit {bit}"

    def right() -> bool:
        return all(found.equals(one) for found, one in zip(figures(study), wanted, strict=True))

    try:
        return ["right" if right() else "wrong figures", flip]
    except FairvizError as error:
        named = [part for part in error.remedy.split("`") if part.startswith("fairviz ")]
        if repair(command if "COLLECTION" in named[0] else shlex.split(named[0])[1:]) or not right():
            return ["not repaired", f"{flip}: {error}"]
        return ["refused and repaired", flip]
    except Exception:  # noqa: BLE001 - what is looked for
        return ["traceback", f"{flip}\n{traceback.format_exc()}"]
    finally:
        assert repair(command) == 0


def flip(count: int, seed: int) -> tuple[Counter, list[str]]:
    """Return how often each outcome came, and the flips of those that are not good."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        home = Path(folder, "home")
        patch.setenv(VARIABLE, str(home))
        patch.setattr(counting, "PIECE", 3_000)
        patch.setattr(collection_counts, "LARGE", 1)
        study, command = made(Path(folder))
        wanted = figures(study)
        drawn = [outcome(random.Random(f"{seed}-{at}"), home, study, command, wanted) for at in range(count)]
    bad = [f"{at} {word}: {words}" for at, (word, words) in enumerate(drawn) if word not in GOOD]
    return Counter(word for word, _ in drawn), bad


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.extensions.collections.flipped_bits", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    given = parser.parse_args()
    outcomes, bad = flip(given.count, given.seed)
    told = ", ".join(f"{outcomes[name]} {name}" for name in (*GOOD, "wrong figures", "traceback", "not repaired"))
    sys.stdout.write("\n".join([*bad, f"{given.count} flipped bits: {told}\n"]))
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
