"""Folds of a cross-validation: one system where each query is in one file, draws otherwise."""

from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.errors import DataError
from tests.study.loaders.files import fill

LABELS = "doc_id,label\nd1,female\nd2,male\nd3,neutral\n"
FOLDS = {
    "runs/cv/fold1.run": "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n",
    "runs/cv/fold2.run": "q2 Q0 d3 1 2.0 t\nq3 Q0 d2 1 1.0 t\n",
    "runs/bm25.run": "q1 Q0 d1 1 2.0 t\nq2 Q0 d3 1 2.0 t\nq3 Q0 d2 1 1.0 t\n",
}


def opened(folder: Path, files: dict[str, str]):
    return fairviz.open_study(fill(folder, {"labels.csv": LABELS, **files}))


def test_folds_with_each_query_once_are_one_system(tmp_path: Path) -> None:
    """The values are those of the same lists in one file, without a draw."""
    study = opened(tmp_path / "folds", FOLDS)
    assert study.systems == study.run_names == ("bm25", "cv")
    assert not study.draws
    assert any(
        "runs/cv: 2 folds with 3 queries, each in one of them, are one system." in line for line in study.warnings
    )
    whole = {
        "runs/bm25.run": FOLDS["runs/bm25.run"],
        "runs/cv.run": FOLDS["runs/cv/fold1.run"] + FOLDS["runs/cv/fold2.run"],
    }
    expected = fairviz.evaluate(opened(tmp_path / "whole", whole), ["CWEx@5", "AWRF@5"])
    pd.testing.assert_frame_equal(fairviz.evaluate(study, ["CWEx@5", "AWRF@5"]), expected)
    fairviz.save_study(study, tmp_path / "saved")
    assert (tmp_path / "saved" / "runs" / "cv.run").is_file()


def test_folds_that_share_a_query_are_draws(tmp_path: Path) -> None:
    """q1 is in both: its value is the mean over both lists."""
    study = opened(tmp_path, FOLDS | {"runs/cv/fold2.run": "q1 Q0 d3 1 2.0 t\nq2 Q0 d3 1 2.0 t\n"})
    assert study.draws == {"cv": ("cv/fold1", "cv/fold2")}
    told = "runs/cv: 1 query of 2 in several folds, so that its 2 files are draws"
    assert any(told in line for line in study.warnings)
    value = fairviz.evaluate(study, "Exposure@5", systems=["cv"])["value"].iloc[0]
    assert value == pytest.approx((0 + 1) / 2)
    with pytest.raises(DataError, match=r"a second run called 'cv', after cv\.run"):
        opened(tmp_path, FOLDS | {"runs/cv.run": FOLDS["runs/bm25.run"]})
