"""Ids as the parts of a study share them: whole numbers written as such, and one Unicode form."""

import re
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.settings import Settings, from_query
from fairviz.study.checks import check
from fairviz.study.study import add_documents, add_labels, add_runs, make_study, open_study_folder, save_study
from tests.conftest import Call
from tests.study.loaders.files import fill

RUN = "q Q0 10 1 3.0 a\nq Q0 11 2 2.0 a\nq Q0 12 3 1.0 a\n"
IDS = [10.0, 11.0, 12.0]
LABELS = ["female", "male", "neutral"]
COMPOSED, APART = "é", "e\u0301"  # one letter, as one code point and as two


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_floats_of_a_file_are_whole_numbers_with_a_notice(tmp_path: Path, ending: str) -> None:
    path = fill(tmp_path, {"runs/a.run": RUN}) / f"labels.{ending}"
    frame = pd.DataFrame({"doc_id": IDS, "label": LABELS})
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text(frame.to_csv(index=False) if ending == "csv" else frame.to_json(orient="records", lines=True))
    study = open_study_folder(tmp_path)
    assert study.labels["doc_id"].tolist() == ["10", "11", "12"]
    assert study.warnings == (f"labels.{ending}: 3 doc_ids ending in .0 read as whole numbers, '10.0' as '10'.",)
    assert "10.0" in check(study).to_string()
    assert fairviz.evaluate(study, "CWEx@3")["value"].notna().all()


def test_floats_of_frames_and_added_rows_are_whole_numbers_with_a_notice() -> None:
    documents = pd.DataFrame({"doc_id": IDS, "text": ["a", "b", None]})
    runs = pd.DataFrame({"query_id": 1.0, "doc_id": IDS, "score": [3, 2, 1]})
    labels = pd.DataFrame({"doc_id": ["10.0", "11.0", "12.0"], "annotator": "x", "label": LABELS})
    study = make_study("frames", documents=documents, runs=runs, labels=labels)
    more = make_study("added", documents=pd.DataFrame({"doc_id": [10, 11], "text": ["a", "b"]}))
    more = add_labels(add_documents(more, documents.tail(1)), labels.assign(doc_id=IDS))
    more = add_runs(more, runs.assign(system="s", rank=[1, 2, 3]))
    for one in (study, more):
        for part in ("documents", "runs", "labels"):
            assert getattr(one, part)["doc_id"].tolist() == ["10", "11", "12"]
        assert one.runs["query_id"].tolist() == ["1", "1", "1"]
        assert len(one.warnings) == 4
    for value in (10.5, float("inf"), 2.0**60):
        with pytest.raises(FairvizError, match="doc_id"):
            make_study("x", documents=pd.DataFrame({"doc_id": [1.0, value], "text": "t"}))


def test_a_point_stays_where_another_part_has_it_with_a_fraction(tmp_path: Path) -> None:
    """Passages 12.0 and 12.1 of document 12: judgements of first passages alone are no whole numbers."""
    run = "q Q0 12.0 1 2.0 a\nq Q0 12.1 2 1.0 a\n"
    study = open_study_folder(fill(tmp_path, {"runs/a.run": run, "qrels.txt": "q 0 12.0 1\n"}))
    assert study.qrels["doc_id"].tolist() == ["12.0"]
    assert study.runs["doc_id"].tolist() == ["12.0", "12.1"]
    assert not study.warnings
    (tmp_path / "labels.jsonl").write_text('{"doc_id": 1, "label": "f"}\n{"doc_id": 1.5, "label": "f"}\n')
    with pytest.raises(FairvizError, match=r"labels.jsonl:2: the doc_id is a fraction.*'1.5'"):
        open_study_folder(tmp_path)


def test_ids_and_names_in_two_unicode_forms_are_one(tmp_path: Path) -> None:
    files = {
        "queries.tsv": f"query_id\ttext\nq{COMPOSED}\tx\n",
        "documents.tsv": f"doc_id\ttext\nd{COMPOSED}\tx\nd2\ty\n",
        "labels.csv": f"doc_id,annotator,label\nd{COMPOSED},Zo{APART},female\nd2,Zo{COMPOSED},male\n",
        "qrels.txt": f"q{APART} 0 d{APART} 1\n",
        f"runs/mod{APART}le.run": f"q{APART} Q0 d{APART} 1 2.0 t\nq{APART} Q0 d2 2 1.0 t\n",
    }
    fill(tmp_path, files)
    study = open_study_folder(tmp_path)
    assert study.systems == (f"mod{COMPOSED}le",)
    assert study.labels["annotator"].unique().tolist() == [f"Zo{COMPOSED}"]
    scores = fairviz.evaluate(study, ["CWEx@2", "nDCG@2"], annotator=f"Zo{APART}", systems=[f"mod{APART}le"])
    assert scores["value"].notna().all()
    assert scores["labelled"].tolist()[0] == 2
    assert not check(study)["remedy"].ne("").any()
    for letter in (COMPOSED, APART):
        assert len(fairviz.contributions(study, "CWEx@2", f"mod{letter}le", f"q{letter}")) == 2
    saved = open_study_folder(save_study(study, tmp_path.parent / "saved"))
    assert saved.systems == study.systems


def test_runs_and_documents_whose_names_differ_by_the_form_alone_are_refused(tmp_path: Path) -> None:
    fill(tmp_path, {f"runs/{letter}.run": f"q Q0 d 1 {score} t\n" for letter, score in ((COMPOSED, 1), (APART, 2))})
    with pytest.raises(FairvizError, match="a second run called"):
        open_study_folder(tmp_path)
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    with pytest.raises(UsageError, match="two runs are called"):
        make_study("x", runs={COMPOSED: frame, APART: frame.assign(doc_id="e")})
    with pytest.raises(FairvizError, match="more than once"):
        make_study("x", documents=pd.DataFrame({"doc_id": [COMPOSED, APART], "text": ["a", "b"]}))
    scores = pd.DataFrame({"system": [COMPOSED, APART], "query_id": "q", "measure": "nDCG@10", "value": [0.1, 0.2]})
    with pytest.raises(UsageError, match="two Unicode forms"):
        fairviz.compare(scores)


def test_groups_and_columns_are_named_in_either_form(tmp_path: Path) -> None:
    toml = f'groups = ["{APART}", "b"]\n[attributes."r{APART}gion"]\nlevels = ["{APART}", "x"]\n'
    documents, labels = f"doc_id,text,r{COMPOSED}gion\n1,{APART},{COMPOSED}\n", f"doc_id,label\n1,{APART}\n"
    fill(tmp_path, {"study.toml": toml, "documents.csv": documents, "labels.csv": labels})
    study = open_study_folder(tmp_path)
    assert study.groups == (COMPOSED, "b")
    assert study.labels["label"].tolist() == [COMPOSED]
    assert study.documents["text"].tolist() == [APART], "texts are shown as they are"
    assert [*study.attributes] == [f"r{COMPOSED}gion"]


def test_settings_and_messages_take_names_in_either_form() -> None:
    chosen, ignored = from_query({"systems": [f"mod{APART}le"], "annotator": [f"Zo{APART}"], "query": [f"q{APART}"]})
    assert (chosen.systems, chosen.annotator, chosen.query) == ((f"mod{COMPOSED}le",), f"Zo{COMPOSED}", f"q{COMPOSED}")
    assert not ignored
    assert Settings(systems=[f"mod{APART}le"]) == Settings(systems=(f"mod{COMPOSED}le",))
    remedy = use_one_of([f"mod{COMPOSED}le", "bm25"], f"mod{APART}le")
    assert f"mod{COMPOSED}le" not in remedy
    assert "NFC" in remedy
    assert use_one_of(["İstanbul", "bm25"], "istanbul").startswith("Did you mean İstanbul?")


def test_many_runs_have_whole_numbers_as_ids(tmp_path: Path, call: Call) -> None:
    fill(tmp_path / "study", {"runs/a.run": RUN, "qrels.txt": "q 0 10 1\n"})
    (tmp_path / "new.run").write_text(re.sub(r"Q0 (\d+)", r"Q0 \1.0", RUN))
    found = call("evaluate", tmp_path / "study", "RR --format csv --runs", tmp_path / "new.run")
    assert "new,RR@10,1.0" in found.out
