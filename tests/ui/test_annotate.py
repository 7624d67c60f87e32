"""Annotate: the sentences of its cards; and Stop, which ends a job while its server still answers nothing."""

import sqlite3
from contextlib import closing
from functools import partial

import numpy as np
import pandas as pd
import pytest

from fairviz.annotation.annotators import parse
from fairviz.models.answers import answers_path
from fairviz.models.asking import Budget
from fairviz.ui.annotate import cards, form
from fairviz.ui.kit import jobs
from fairviz.words.sentences import plain
from tests.annotation.annotators.test_annotating import grid
from tests.model_server import ModelServer

COLUMNS = ["annotator", "classes", "documents", "accuracy", "accuracy_low", "accuracy_high", "kappa", "unlabelled"]


def table(*rows: tuple) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=COLUMNS)
    right = found["accuracy"] * found["documents"]
    return found.assign(accuracy_of_all=right / (found["documents"] + found["unlabelled"]))


def test_who_is_nearest_and_whose_interval_reaches_as_far() -> None:
    def told(*rows: tuple) -> str:
        return plain(cards.finding(table(*rows), "ann"))

    nearest, near = ("a", "all", 10, 0.8, 0.7, 0.9, 0.6, 1), ("b", "all", 10, 0.7, 0.6, 0.75, 0.5, 0)
    far, part = ("c", "all", 10, 0.5, 0.4, 0.6, 0.1, 0), ("a", "neutral or gendered", 10, 1.0, 1.0, 1.0, 1.0, 0)
    assert told(nearest, near, far, part) == (
        "Closest to ann: a, 80.0% of 10 documents [70.0%, 90.0%], kappa 0.600; 1 without a label. Overlapping "
        "intervals: b."
    )
    assert told(nearest, far).endswith("No other interval overlaps.")
    fewer = ("b", "all", 4, 0.7, 0.6, 0.75, 0.5, 0)
    assert told(nearest, fewer).endswith("They labelled different documents, 4 to 10 of the reference's.")
    mute, wrong = (("mute", "all", 1, right, np.nan, np.nan, np.nan, 9 * right) for right in (1.0, 0.0))
    assert told(mute, near).startswith("Closest to ann: b, 70.0% of 10 documents"), "who gave hardly any label"
    assert told(wrong) == "Closest to ann: mute, 0.0% of 1 document.", "without intervals nothing is said of them"
    nobody = ("a", "all", 0, np.nan, np.nan, np.nan, np.nan, 0)
    assert told(nobody) == "No document has labels by ann and by another annotator: nothing to compare."


def test_what_changes_what_of_it_is_noise_and_what_is_missing_labels() -> None:
    rows = pd.DataFrame({
        "system": ["one", "two", "perfect"], "before": [0.1, 0.2, 0.0], "after": [0.3, 0.1, 0.9],
        "difference": [0.2, -0.1, 0.9], "ci_low": [0.1, -0.2, 0.8], "ci_high": [0.3, 0.1, 1.0],
    })  # fmt: skip
    turned = pd.Series({"annotator": "rule", "pairs": 1, "reversed": 1, "tied": 0})
    assert plain(cards.replacement(rows, turned, "CWEx", "rule", "ann")) == (
        "When rule replaces ann, CWEx changes most for one: 0.100 to 0.300 (+0.200, 95 % +0.100 to +0.300). For 1 of 2 "
        "systems the interval excludes 0. 1 of 1 pairs of systems change their order."
    )
    assert plain(cards.turned_order(turned.replace(1, 0))) == "There is no order of systems to change."
    assert cards.noise((3, 0.25, 0.1), "Labels drawn") == (
        "Labels drawn: on average 0.2 of 3 pairs of systems change order. Some pair does in 10% of 1,000 draws."
    )
    empty = rows.assign(difference=np.nan)
    assert plain(cards.replacement(empty, turned, "CWEx", "rule", "ann")) == (
        "No list has a value of CWEx under both rule and ann."
    )
    shares = pd.DataFrame({"labelled": [0.5, 0.25], "labelled_before": [1.0, 1.0]})
    assert cards.coverage(shares, "part", "ann") == (
        "Of each system's ranks within the cutoff part labelled 25% or more, ann 100%: part of the change is missing "
        "labels. “Fill” keeps the label of ann where there is none."
    )
    assert cards.coverage(shares.assign(labelled=1.0), "part", "ann") == ""


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
