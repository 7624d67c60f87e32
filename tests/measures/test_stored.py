"""Arrays kept on disk: equal to those made anew, made again when damaged, and never an error."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.home import VARIABLE
from fairviz.measures import rankings as stored
from fairviz.study.loaders import hashes
from fairviz.study.loaders.hashes import packed_texts, stored_arrays, unpacked_texts

MEASURES = ["CWEx@10", "NFaiRR(background=collection)@10", "TExFAIR@5", "nDCG@10", "GSR@10"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(stored, "LARGE", 1)
    return tmp_path / "cache" / f"arrays-{hashes.VERSION}"


@pytest.mark.parametrize("ties", ["file", "trec_eval"])
def test_scores_of_stored_rankings_are_those_of_fresh_ones(
    cache: Path, monkeypatch: pytest.MonkeyPatch, ties: str
) -> None:
    study, settings = open_study("newswire"), Settings(ties=ties)
    with monkeypatch.context() as patch:
        patch.setattr(stored, "LARGE", 1 << 40)
        fresh = evaluate(study, MEASURES, settings)
    assert not cache.exists()
    made = evaluate(study, MEASURES, settings)
    assert len(list(cache.iterdir())) == 1
    monkeypatch.setattr(stored, "align_runs", None)
    mapped = evaluate(study, MEASURES, settings)
    for scores in (made, mapped):
        pd.testing.assert_frame_equal(scores, fresh, check_exact=True)


def test_another_content_or_tie_rule_is_aligned_anew(cache: Path) -> None:
    study = open_study("newswire")
    for settings in (Settings(), Settings(ties="trec_eval"), Settings(background="collection")):
        evaluate(study, "NFaiRR@10", settings)
    evaluate(open_study("football"), "NFaiRR@10")
    assert len(list(cache.iterdir())) == 4


@pytest.mark.parametrize("damage", ["cut", "changed", "missing", "sums"])
def test_a_damaged_entry_is_made_again(cache: Path, damage: str) -> None:
    arrays = {"a": np.arange(1000, dtype=np.int32)}
    stored_arrays("inputs", lambda: arrays)
    (entry,) = cache.iterdir()
    file = entry / "a.npy"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-4])
    elif damage == "changed":
        file.write_bytes(file.read_bytes()[:-4] + b"\1\1\1\1")
    elif damage == "missing":
        file.unlink()
    else:
        (entry / hashes.SUMS).write_text("[]")
    made: list[int] = []
    again = stored_arrays("inputs", lambda: made.append(1) or arrays)
    assert made == [1]
    assert np.array_equal(again["a"], arrays["a"])
    known = stored_arrays("inputs", lambda: made.append(1) or arrays)
    assert made == [1]
    assert not known["a"].flags.writeable


def test_the_least_recently_used_entries_go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashes, "MOST_BYTES", 10_000)
    for number in range(5):
        stored_arrays(number, lambda: {"a": np.zeros(500)})
    assert len(list(cache.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("a file")
    assert stored_arrays("inputs", lambda: {"a": np.ones(2)})["a"].tolist() == [1, 1]


@pytest.mark.parametrize("texts", [[], ["", "é", "ab\0", "a" * 99]])
def test_texts_survive_packing(texts: list[str]) -> None:
    index = pd.Index(["left", *texts], dtype="str")[1:]
    assert unpacked_texts(*packed_texts(index)).tolist() == texts
