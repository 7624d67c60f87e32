"""Predictions of MTEB as runs; tests/integrations has files that mteb wrote."""

import gzip
import json
from pathlib import Path

import pytest

import fairviz
from fairviz.errors import DataError
from fairviz.study.loaders.mteb import read_predictions

META = {"model_name": "lab/small", "revision": "abc"}


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def predictions(**subsets: dict) -> dict:
    return {"mteb_model_meta": META, **subsets}


def test_subsets_keep_the_ids_of_queries_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "T_predictions.json", predictions(default={"test": {"q": {"a": 0.1, "b": 2, "c": 0.1}}}))
    run = read_predictions(path)
    assert run[["query_id", "doc_id", "rank", "score"]].astype("str").values.tolist() == [
        ["q", "b", "1", "2.0"], ["q", "a", "2", "0.1"], ["q", "c", "3", "0.1"],
    ]  # fmt: skip
    assert list(run["system"].cat.categories) == ["small"]
    several = predictions(de={"test": {"1": {"a": 1.0}}}, en={"test": {"1": {"b": 1.0}}})
    assert read_predictions(write(path, several))["query_id"].tolist() == ["de/test/1", "en/test/1"]


def test_folders_of_models_are_a_study_with_cards(tmp_path: Path) -> None:
    for name in ("one", "two"):
        content = predictions(default={"test": {"q": {"a": 1.0}}})
        content["mteb_model_meta"] = {"model_name": f"lab/{name}", "revision": ""}
        write(tmp_path / "study" / name / "T_predictions.json", content)
    packed = tmp_path / "study" / "runs" / "T_predictions.json.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(json.dumps(predictions(default={"test": {"q": {"b": 1.0}}})).encode()))
    study = fairviz.open_study(tmp_path / "study")
    assert set(study.systems) == {"one", "two", "small"}
    assert study.cards == {
        "one": "lab/one; MTEB's predictions of T.", "two": "lab/two; MTEB's predictions of T.",
        "small": "lab/small, revision abc; MTEB's predictions of T.",
    }  # fmt: skip
    fairviz.save_study(study, tmp_path / "saved")
    assert fairviz.open_study(tmp_path / "saved").cards == study.cards


def test_two_tasks_of_a_model_are_refused(tmp_path: Path) -> None:
    for task, score in (("One", 1.0), ("Two", 2.0)):
        write(tmp_path / f"{task}_predictions.json", predictions(default={"test": {"q": {"a": score}}}))
    with pytest.raises(DataError, match=r"a second run called 'small'.*\nKeep the predictions of one task\."):
        fairviz.open_study(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ([], "no table for the file: '[]'"),
        ({"default": 3}, "no table for subset 'default': '3'"),
        ({"default": {"test": []}}, "no table for split 'default/test': '[]'"),
        ({"default": {"test": {"q": 1}}}, "no table for query 'q' of default/test: '1'"),
        (
            {"default": {"test": {"q": {"a": "x"}}}},
            "the score of document 'a' for query 'q' is not a finite number: 'x'",
        ),
        ('{"default": {"test": {"q": {"a": NaN}}}}', "the score of document 'a' for query 'q' is not a finite number"),
        ({"mteb_model_meta": META}, "there is no list of predictions"),
    ],
)
def test_what_is_no_prediction(content: object, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "T_predictions.json", content)
    with pytest.raises(DataError) as caught:
        read_predictions(path, tmp_path)
    assert str(caught.value).startswith(f"T_predictions.json: {message}")
    assert "\n" in str(caught.value)
