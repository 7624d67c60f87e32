"""The packaged results of built-in studies, made anew: `python -m benchmarks.packaged [STUDY]`, by default newswire.

Each page that needs minutes is opened with its defaults in a data folder of its own and its button is pressed, so a
result is that of the page. Some minutes; data/packaged/STUDY is replaced. Run it after a change of the study's data, of
a page's defaults, or of what these analyses compute: tests/pages/test_packaged.py fails until then.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from typing import Any
from unittest.mock import patch

from fairviz.analyses.packaged import FOLDER, path_of, write_packaged
from fairviz.ui.kept import flow
from fairviz.ui.kit import jobs
from fairviz.ui.kit.jobs import key_hash, stable_text
from fairviz.ui.state.registry import PAGES
from tests.pages.conftest import first_run


@dataclass(frozen=True)
class Made:
    """A page whose result is packaged under `name`. button: that begins its job. key: from the key of the job to that
    of the result, which has nothing of a session. view: controls that are not at their defaults."""

    name: str
    page: str
    button: str
    key: Callable[[tuple], tuple] = tuple
    view: dict[str, str] = field(default_factory=dict)


RESULTS = tuple(one for one in (
    Made("gender_swap", "gender_swap", "counterfactual_run", lambda key: key[1:-1]),
    Made("audit", "audit", "audit_run", lambda key: key[:-1]),
    Made("audit", "audit", "audit_run", lambda key: key[:-1], {"audit_view": "Authors' names"}),
    Made("mitigations", "mitigations", "audit_bench_run"),
    Made("backpack", "backpack", "backpack_job_go"),
) if one.page in PAGES)  # fmt: skip


def make(study: str) -> Iterator[str]:
    """Write every result of the study; yield a line on each."""
    rmtree(FOLDER / study, ignore_errors=True)
    # Seconds: every job begins with the button; and none is forgotten when its page has its result.
    with patch.object(flow, "AT_ONCE", -1.0), patch.object(jobs, "forget", lambda key: None):
        for one in RESULTS:
            jobs._jobs().clear()
            page = first_run(f"{one.page}.py", study=study, **one.view)
            page.button(key=one.button).click().run()
            job = list(jobs._jobs().values())[-1]
            job.wait()
            if job.problem is not None:
                raise job.problem
            yield write(one, study, page.session_state["current"].study, job)


def write(one: Made, name: str, study: Any, job: jobs.Job) -> str:
    """Write the result of a job; return a line on it."""
    key = one.key(job.key)  # type: ignore[arg-type]
    given = {"study": study}
    if (request := getattr(job.outcome, "request", None)) is not None:
        given["request"] = request
    path = path_of(name, one.name, key_hash(key))
    write_packaged(path, key_hash(key), stable_text(key), job.outcome, given)
    return f"{path.name}: {path.stat().st_size / 1000:.0f} kB"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ.setdefault("FAIRVIZ_HOME", str(Path(home)))  # no models or runs of the person who makes them
        for line in make(sys.argv[1] if len(sys.argv) > 1 else "newswire"):
            print(line, flush=True)
