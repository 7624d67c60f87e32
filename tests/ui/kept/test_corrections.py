"""Kept corrections are those of a program that keeps nothing, whatever was shown before."""

from collections.abc import Iterator

import pandas as pd
import pytest

from fairviz.annotation.forms.database import store
from fairviz.correction import corrected as correction
from fairviz.correction.sampling import draw_sample
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.kept import labels
from tests.fresh import forget, session

START = Settings(corrected_by="project", annotator="lexicon")
CHANGES = (
    {"cutoff": 5, "alpha": 0.25}, {"position_bias": "reciprocal"}, {"annotator": "mentions"},
    {"systems": ("rrf", "bm25")}, {"tests": "none"}, {},
)  # fmt: skip


@pytest.fixture(scope="module")
def study(newswire: Study) -> Study:
    """The first ten ranks of three systems of newswire."""
    is_first = newswire.runs["system"].isin(["rrf", "bm25", "w2v_add"]) & (newswire.runs["rank"] <= 10)
    runs = newswire.runs[is_first].astype({"system": "str"})
    parts = {part: getattr(newswire, part) for part in ("documents", "labels")}
    of_lists = {part: table[table["doc_id"].isin(set(runs["doc_id"]))] for part, table in parts.items()}
    return make_study("three", queries=newswire.queries, runs=runs, annotators=newswire.annotators, **of_lists)


@pytest.fixture(autouse=True)
def _session(monkeypatch: pytest.MonkeyPatch, study: Study) -> Iterator[None]:
    """Half of the queries are drawn, as the newest form would keep them."""
    sample = draw_sample(study, "queries", "CWEx@10", 350, annotator="lexicon")
    monkeypatch.setattr(correction, "sample_for", lambda *_: sample)
    with session():
        yield


def shown(study: Study, settings: Settings) -> list[pd.DataFrame]:
    measures = (ask("CWEx", settings), ask("ExposureGap", settings))
    return [
        labels.corrections(study, settings, measures).table,
        labels.corrections(study, settings, measures, "bm25").table,
        labels.width_curves(study, settings, measures[1], "rrf"),
        labels.validity(study, settings, "lexicon", "project", measures),
    ]


def test_each_choice_moved_alone(study: Study) -> None:
    forget()
    warm = [shown(study, START.changed(**change)) for change in CHANGES]
    for change, found in zip(CHANGES, warm, strict=True):
        forget()
        for own, other in zip(found, shown(study, START.changed(**change)), strict=True):
            pd.testing.assert_frame_equal(own, other)
    assert not warm[0][0]["value"].equals(warm[-1][0]["value"]), "the cutoff moves it"
    assert warm[-2][0].equals(warm[-1][0]), "the method of tests does not"


def test_a_new_form_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = labels.forms_stamp()
    with store().writing() as database:
        database.execute("SELECT 1")
    assert labels.forms_stamp() != before
