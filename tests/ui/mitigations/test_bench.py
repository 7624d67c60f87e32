"""The mitigation bench under AppTest: what a study lacks, the run as a job, warnings and table."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.mitigations.views import COLUMNS
from fairviz.datasets import studies_folder
from fairviz.evaluation.columns import cells
from fairviz.models import sentence_encoder
from fairviz.study.study import make_study, save_study
from fairviz.ui.kit import jobs
from tests.analyses.test_mitigations import one_sided
from tests.made import documents_of, labels_of, queries_of
from tests.pages.conftest import drawn_by, html_of

CHOSEN = {"audit_bench_mitigations": "neutral(run='first',weight=1)", "audit_bench_share": "1"}


def card():
    from fairviz.ui.mitigations import bench
    from fairviz.ui.shell import frame

    with frame.around():
        bench.cards(*frame.current())


def opened(study: str, **query) -> AppTest:
    return drawn_by(card, study=study, **query)


@pytest.fixture
def study() -> str:
    save_study(one_sided(), studies_folder() / "one-sided")
    return "one-sided"


def test_the_run_is_a_job_whose_answer_is_python_s(study):
    page = opened(study, **CHOSEN)
    assert "1 mitigation: neutral-run=first-weight=1." in html_of(page)
    page.button(key="audit_bench_run").click().run()
    (job,) = jobs._jobs().values()
    job.wait()
    page.run()
    text = html_of(page)
    found = fairviz.mitigation_bench(fairviz.open_study(study), CHOSEN["audit_bench_mitigations"], held_out=1)
    assert found.warnings
    assert found.warnings[0] in text
    grid = cells(found.table, COLUMNS)
    assert grid.columns.tolist()[:2] == ["mitigation", "against"]
    assert grid["nDCG@10"][0].endswith("✗")
    assert page.button(key="audit_bench_run").disabled
    (shown,) = jobs._jobs().values()
    shown.outcome = replace(found, leanings=("m: by its means better by <b>, and worse by N.",))
    assert "m: by its means better by &lt;b&gt;" in html_of(page.run())
    code = next(block.value for block in page.code if "found.table" in block.value)
    made: dict = {}
    exec(code, made)
    pd.testing.assert_frame_equal(made["table"], found.table)


def test_what_nobody_asked_for_and_cannot_be_is_left_out(monkeypatch):
    """An encoder that is loaded at once tells all texts apart."""
    encoder = SimpleNamespace(encode=lambda batch, **_: np.eye(len(batch), 32))
    monkeypatch.setattr(sentence_encoder, "loaded", lambda *_: encoder)
    wines = make_study(
        "wines",
        queries=queries_of({"1": "red wine", "2": "white wine"}),
        documents=documents_of({"a": "a red wine", "b": "a white wine", "c": "she drinks"}),
        labels=labels_of({"a": "female", "b": "male", "c": "neutral"}),
    )
    save_study(wines, studies_folder() / "wines")
    page = opened("wines")
    page.button(key="audit_bench_run").click().run()
    (job,) = jobs._jobs().values()
    job.wait()
    assert job.problem is None
    (left_out,) = [line for line in job.outcome.notes if "is left out" in line]
    assert left_out.startswith("bi_encoder-project=3-keep=0.5 is left out: ")
    assert len(job.outcome.mitigations) > 2


def test_what_is_no_mitigation_is_said(study):
    page = opened(study, audit_bench_mitigations="bm25")
    assert "bm25 mitigates nothing: it is a ranker without a mitigation" in html_of(page)


def test_a_study_without_labels_and_text_says_what_to_add():
    save_study(make_study("bare", labels=one_sided().labels), studies_folder() / "bare")
    page = opened("bare")
    assert (
        "no mitigation applies to bare: it has neither queries and documents with text, nor runs with labels"
        in html_of(page)
    )


def test_what_is_typed_is_text(study):
    page = opened(study, audit_bench_mitigations="neutral(run='<img src=x onerror=alert(1)>')")
    assert "has no run" in html_of(page)
    assert "<img src=x" not in html_of(page)
