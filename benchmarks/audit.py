"""How many pairs a second the sentence encoder judges: all of Grep-BiasIR's, its texts read anew, and once more."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.extensions.ranker_audits.auditing import rankers_of
from fairviz.extensions.ranker_audits.pairwise import audit_pairwise
from fairviz.home import data_home

STUDY = "grep-biasir"


@contextmanager
def new_home(study: Path) -> Iterator[None]:
    """A data folder with the study and nothing that was encoded before."""
    before = os.environ.get("FAIRVIZ_HOME")
    with tempfile.TemporaryDirectory() as home:
        shutil.copytree(study, Path(home) / "studies" / study.name)
        os.environ["FAIRVIZ_HOME"] = home
        try:
            yield
        finally:
            os.environ.pop("FAIRVIZ_HOME")
            if before is not None:
                os.environ["FAIRVIZ_HOME"] = before


def run() -> list[str]:
    """A line for the first audit, and one for the same once more."""
    folder = data_home() / "studies" / STUDY
    try:
        study = open_study(STUDY)
    except FairvizError:
        return [f"audit: {STUDY} is not fetched: python -m fairviz fetch {STUDY}"]
    choices = rankers_of("bi_encoder", anchor=False)
    lines = []
    with new_home(folder):
        for what in ("texts read anew", "once more"):
            start = time.perf_counter()
            pairs = len(audit_pairwise(study, choices).pairs)
            seconds = time.perf_counter() - start
            lines.append(f"  {what}: {seconds:.2f} s, {pairs / seconds:,.0f} pairs a second")
    return [f"pairwise audit of all {pairs:,} pairs of {STUDY} by bi_encoder", *lines]


if __name__ == "__main__":
    print("\n".join(run()))
