"""Ids as the parts of a study share them: whole numbers written as such, and one Unicode form."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.settings import Settings, from_query
from fairviz.study.checks import check
from fairviz.study.record import Study
from fairviz.study.study import add_documents, add_labels, add_runs, make_study, open_study_folder, save_study
from tests.conftest import Call

RUN = "q Q0 10 1 3.0 a\nq Q0 11 2 2.0 a\nq Q0 12 3 1.0 a\n"
IDS = [10.0, 11.0, 12.0]
LABELS = ["female", "male", "neutral"]
COMPOSED, APART = "é", "e\u0301"  # one letter, as one code point and as two


def folder_of(path: Path, **files: str) -> Path:
    (path / "runs").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        part, _, ending = name.rpartition("_")
        (path / ("runs" if ending == "run" else "") / f"{part}.{ending}").write_text(text, encoding="utf-8")
    return path


def csv(folder: Path) -> None:
    (folder / "labels.csv").write_text(
        "doc_id,label\n" + "".join(f"{i},{g}\n" for i, g in zip(IDS, LABELS, strict=True))
    )


def json_lines(folder: Path) -> None:
    rows = (json.dumps({"doc_id": i, "label": g}) for i, g in zip(IDS, LABELS, strict=True))
    (folder / "labels.jsonl").write_text("\n".join(rows))


def parquet(folder: Path) -> None:
    pd.DataFrame({"doc_id": IDS, "label": LABELS}).to_parquet(folder / "labels.parquet")


@pytest.mark.parametrize("write", [csv, json_lines, parquet])
def test_floats_of_a_file_are_whole_numbers_with_a_notice(tmp_path: Path, write: Callable[[Path], None]) -> None:
    write(folder_of(tmp_path, a_run=RUN))
    study = open_study_folder(tmp_path)
    assert study.labels["doc_id"].tolist() == ["10", "11", "12"]
    (notice,) = study.warnings
    assert notice.endswith(": 3 doc_ids ending in .0 read as whole numbers, '10.0' as '10'.")
    assert "labels." in notice
    assert "10.0" in check(study).to_string()
    assert fairviz.evaluate(study, "CWEx@3")["value"].notna().all()


def test_floats_of_frames_are_whole_numbers_with_a_notice() -> None:
    documents = pd.DataFrame({"doc_id": IDS, "text": ["a", "b", None]})
    runs = pd.DataFrame({"query_id": 1.0, "doc_id": IDS, "score": [3, 2, 1]})
    labels = pd.DataFrame({"doc_id": ["10.0", "11.0", "12.0"], "label": LABELS})
    study = make_study("frames", documents=documents, runs=runs, labels=labels)
    for part in ("documents", "runs", "labels"):
        assert getattr(study, part)["doc_id"].tolist() == ["10", "11", "12"]
    assert study.runs["query_id"].tolist() == ["1", "1", "1"]
    assert len(study.warnings) == 4


def test_floats_of_added_rows_are_whole_numbers() -> None:
    study = make_study("added", documents=pd.DataFrame({"doc_id": [10, 11], "text": ["a", "b"]}))
    more = add_documents(study, pd.DataFrame({"doc_id": [12.0], "text": ["c"]}))
    more = add_labels(more, pd.DataFrame({"doc_id": IDS, "annotator": "x", "label": LABELS}))
    more = add_runs(more, pd.DataFrame({"system": "s", "query_id": ["q"], "doc_id": [10.0], "rank": 1, "score": 1}))
    assert more.documents["doc_id"].tolist() == ["10", "11", "12"]
    assert more.labels["doc_id"].tolist() == ["10", "11", "12"]
    assert more.runs["doc_id"].tolist() == ["10"]
    assert len(more.warnings) == 3


def test_a_point_stays_where_another_part_has_it_with_a_fraction(tmp_path: Path) -> None:
    """Passages 12.0 and 12.1 of document 12: judgements of first passages alone are no whole numbers."""
    run = "q Q0 12.0 1 2.0 a\nq Q0 12.1 2 1.0 a\n"
    study = open_study_folder(folder_of(tmp_path, a_run=run, qrels_txt="q 0 12.0 1\n"))
    assert study.qrels["doc_id"].tolist() == ["12.0"]
    assert study.runs["doc_id"].tolist() == ["12.0", "12.1"]
    assert not study.warnings


@pytest.mark.parametrize("value", [10.5, float("inf"), 2.0**60])
def test_a_float_that_is_no_whole_number_is_refused(value: float) -> None:
    with pytest.raises(FairvizError, match="doc_id"):
        make_study("x", documents=pd.DataFrame({"doc_id": [1.0, value], "text": "t"}))


def test_fractions_of_files_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text('{"doc_id": 1, "label": "f"}\n{"doc_id": 1.5, "label": "f"}\n')
    with pytest.raises(FairvizError, match=r"labels.jsonl:2: the doc_id is a fraction.*'1.5'"):
        open_study_folder(tmp_path)


def two_forms(path: Path) -> Study:
    folder_of(
        path, queries_tsv=f"query_id\ttext\nq{COMPOSED}\tx\n", documents_tsv=f"doc_id\ttext\nd{COMPOSED}\tx\nd2\ty\n",
        labels_csv=f"doc_id,annotator,label\nd{COMPOSED},Zo{APART},female\nd2,Zo{COMPOSED},male\n",
    )  # fmt: skip
    run = f"q{APART} Q0 d{APART} 1 2.0 t\nq{APART} Q0 d2 2 1.0 t\n"
    (path / "runs" / f"mod{APART}le.run").write_text(run, encoding="utf-8")
    (path / "qrels.txt").write_text(f"q{APART} 0 d{APART} 1\n", encoding="utf-8")
    return open_study_folder(path)


def test_ids_and_names_in_two_unicode_forms_are_one(tmp_path: Path) -> None:
    study = two_forms(tmp_path)
    assert study.systems == (f"mod{COMPOSED}le",)
    assert study.labels["annotator"].unique().tolist() == [f"Zo{COMPOSED}"]
    scores = fairviz.evaluate(study, ["CWEx@2", "nDCG@2"], annotator=f"Zo{APART}", systems=[f"mod{APART}le"])
    assert scores["value"].notna().all()
    assert scores["labelled"].tolist()[0] == 2
    assert not check(study)["remedy"].ne("").any()
    saved = open_study_folder(save_study(study, tmp_path.parent / "saved"))
    assert saved.systems == study.systems


def test_explain_takes_a_name_in_either_form(tmp_path: Path) -> None:
    study = two_forms(tmp_path)
    for letter in (COMPOSED, APART):
        result = fairviz.contributions(study, "CWEx@2", f"mod{letter}le", f"q{letter}")
        assert len(result) == 2


def test_two_runs_whose_names_differ_by_the_form_alone_are_refused(tmp_path: Path) -> None:
    for letter, score in ((COMPOSED, 1.0), (APART, 2.0)):
        (folder_of(tmp_path) / "runs" / f"{letter}.run").write_text(f"q Q0 d 1 {score} t\n")
    with pytest.raises(FairvizError, match="a second run called"):
        open_study_folder(tmp_path)
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    with pytest.raises(UsageError, match="two runs are called"):
        make_study("x", runs={COMPOSED: frame, APART: frame.assign(doc_id="e")})
    scores = pd.DataFrame({"system": [COMPOSED, APART], "query_id": "q", "measure": "nDCG@10", "value": [0.1, 0.2]})
    with pytest.raises(UsageError, match="two Unicode forms"):
        fairviz.compare(scores)


def test_documents_that_become_one_are_refused() -> None:
    documents = pd.DataFrame({"doc_id": [COMPOSED, APART], "text": ["a", "b"]})
    with pytest.raises(FairvizError, match="more than once"):
        make_study("x", documents=documents)


def test_groups_and_columns_are_named_in_either_form(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        f'groups = ["{APART}", "b"]\n[attributes."r{APART}gion"]\nlevels = ["{APART}", "x"]\n', encoding="utf-8"
    )
    folder_of(
        tmp_path,
        documents_csv=f"doc_id,text,r{COMPOSED}gion\n1,x,{COMPOSED}\n",
        labels_csv=f"doc_id,label\n1,{COMPOSED}\n",
    )  # fmt: skip
    study = open_study_folder(tmp_path)
    assert study.groups == (COMPOSED, "b")
    assert study.labels["label"].tolist() == [COMPOSED]
    assert [*study.attributes] == [f"r{COMPOSED}gion"]


def test_settings_and_addresses_take_names_in_either_form() -> None:
    chosen, ignored = from_query({"systems": [f"mod{APART}le"], "annotator": [f"Zo{APART}"], "query": [f"q{APART}"]})
    assert (chosen.systems, chosen.annotator, chosen.query) == ((f"mod{COMPOSED}le",), f"Zo{COMPOSED}", f"q{COMPOSED}")
    assert not ignored
    assert Settings(systems=[f"mod{APART}le"]) == Settings(systems=(f"mod{COMPOSED}le",))


def test_a_message_never_offers_the_same_name_again() -> None:
    remedy = use_one_of([f"mod{COMPOSED}le", "bm25"], f"mod{APART}le")
    assert f"mod{COMPOSED}le" not in remedy
    assert "NFC" in remedy
    assert use_one_of(["İstanbul", "bm25"], "istanbul").startswith("Did you mean İstanbul?")


def test_many_runs_have_whole_numbers_as_ids(tmp_path: Path, call: Call) -> None:
    (folder_of(tmp_path / "study", a_run=RUN) / "qrels.txt").write_text("q 0 10 1\n")
    (tmp_path / "new.run").write_text(RUN.replace("Q0 10 ", "Q0 10.0 ").replace("Q0 11 ", "Q0 11.0 ")
                                      .replace("Q0 12 ", "Q0 12.0 "))  # fmt: skip
    found = call("evaluate", tmp_path / "study", "RR --format csv --runs", tmp_path / "new.run")
    assert "new,RR@10,1.0" in found.out
