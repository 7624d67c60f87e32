"""Stop on Annotators: the job ends while its server still answers nothing, and the study takes the next job."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import pytest

from fairviz.annotation.annotators import parse
from fairviz.models.answers import answers_path
from fairviz.models.asking import Budget
from fairviz.ui.annotate import form
from fairviz.ui.kit import jobs
from tests.annotation.annotators.test_annotating import grid
from tests.model_server import ModelServer


@pytest.fixture(autouse=True)
def no_jobs() -> Iterator[None]:
    jobs._jobs.clear()
    yield
    jobs._jobs.clear()


@pytest.mark.parametrize("fault", ["silence", "drip"])
def test_stop_frees_the_study_for_the_next_job(server: ModelServer, fault: str) -> None:
    server.faults = ["", *[fault] * 5]
    study = grid(2)
    order = form.Order(tuple(parse(f"llm(model='m',url='{server.address}')")), 0, 8, 120.0, Budget(), replacing=False)
    work = partial(form.label_documents, study, order, study.fingerprint)
    job = jobs.begin("the study", work)
    server.held.wait()
    job.stop()
    job.wait()
    assert not server.release.is_set()
    assert (job.outcome, job.problem) == (None, None)
    with closing(sqlite3.connect(answers_path())) as database:
        assert database.execute("SELECT COUNT(*) FROM claims").fetchone() == (0,)
    server.faults = []
    following = jobs.begin("the study", work)
    assert following is not job
    following.wait()
    assert following.problem is None
    assert following.outcome.annotations.record["asked"].tolist() == [5]
