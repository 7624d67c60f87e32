"""What GenderBias-QA becomes, on small files of its columns, and its four candidates a question."""

from dataclasses import replace
from pathlib import Path

import pytest

import fairviz
from fairviz.datasets import DATASETS, fetch
from fairviz.datasets.genderbias_qa import COLUMNS
from fairviz.errors import DataError, FairvizError
from tests.datasets.conftest import Site

ROW = '{0},sports,Who is captain {0}?,Ada leads team {0}.,"Ada, a captain, ""led"" {0}.",Tom leads team {0}.,{1}'


def files(folder: Path, header: str = ",".join(COLUMNS), last: str = "Tom led.") -> Path:
    for split, numbers in (("train", (1, 2)), ("test", (3,))):
        rows = [ROW.format(number, last) for number in numbers]
        (folder / f"GenderBias-QA_{split}.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder


def test_the_study_has_four_labelled_candidates_a_question(tmp_path: Path) -> None:
    told: list[str] = []
    study = fairviz.open_study(fetch("genderbias-qa", files(tmp_path), report=told.append))
    assert study.queries["split"].tolist() == ["train", "train", "test"]
    assert study.queries["text"].tolist()[2] == "Who is captain 3?"
    labels = study.labels.set_index("doc_id")["label"]
    assert (
        study.qrels.groupby("query_id")["doc_id"].apply(lambda ids: sorted(labels[ids])).tolist()
        == [["female", "female", "male", "male"]] * 3
    )
    assert study.annotators["construction"].kind == "rule", "labels by construction are not human"
    assert told[-1] == "Cleaned: 2 texts are repeated, and are one document each.", "Tom led. is in three rows"


def test_rankers_order_the_candidates_alone(tmp_path: Path) -> None:
    study = fairviz.rank(fairviz.open_study(fetch("genderbias-qa", files(tmp_path))), "bm25", candidates="judged")
    judged = study.qrels.groupby("query_id")["doc_id"].apply(set)
    for query, run in study.runs.groupby("query_id", observed=True):
        assert set(run["doc_id"]) <= judged[query]
    assert len(fairviz.rank(study, "tfidf").runs.query("system == 'tfidf'")) > len(study.runs)
    unjudged = replace(study, qrels=study.qrels[:0])
    with pytest.raises(FairvizError, match="genderbias-qa has no judged documents to rank"):
        fairviz.rank(unjudged, "tfidf", candidates="judged")


@pytest.mark.parametrize(("header", "last"), [("a,b,c,d,e,f,g", "Tom."), (",".join(COLUMNS), "")])
def test_other_files_are_refused(header: str, last: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"GenderBias-QA_train\.csv"):
        fetch("genderbias-qa", files(tmp_path, header, last))


def test_a_file_without_a_known_hash_is_whole_by_its_stated_length(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairviz.datasets.download.PAUSE", 0.0)
    files(tmp_path)
    site.files = {f"dataset/tasks/{path.name}": path.read_bytes() for path in tmp_path.iterdir()}
    first = "dataset/tasks/GenderBias-QA_train.csv"
    site.faults = {first: ["cut", "cut", "cut"]}
    with pytest.raises(FairvizError, match=r"it broke off after \d+ of \d+ bytes"):
        fetch("genderbias-qa", address=site.address)
    assert len(fairviz.open_study(fetch("genderbias-qa", address=site.address)).queries) == 3
    assert not any(file.sha256 for file in DATASETS["genderbias-qa"].files)
