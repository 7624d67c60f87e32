"""What a command loads: a person waits for every import."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SLOW = ("gensim", "ir_datasets", "ir_measures", "matplotlib", "plotly", "scipy.stats", "sklearn", "streamlit", "torch")


def loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys\nfrom fairviz.cli.main import main\n"
        f"assert main({list(arguments)!r}) == 0\n"
        f"print(*(name for name in {SLOW!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_evaluating_labels_loads_nothing_slow(tmp_path: Path) -> None:
    out = str(tmp_path / "scores.csv")
    assert loaded_by("evaluate", "newswire", "CWEx", "TExFAIR", "NFaiRR", "--format", "csv", "--output", out) == set()


def test_effectiveness_loads_what_computes_it(tmp_path: Path) -> None:
    out = str(tmp_path / "scores.csv")
    assert "gensim" not in loaded_by("evaluate", "newswire", "nDCG", "--format", "csv", "--output", out)
