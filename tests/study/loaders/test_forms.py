# ruff: noqa: E501 (tables of files)
"""Every form in which people have the files of a study: a golden file of each, made here, what is none, named, and a
format of one's own."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from fairviz.errors import DataError
from fairviz.study import loaders
from fairviz.study.checks import check
from fairviz.study.loaders import LOADERS, Loader, extensions, suffixes_of
from fairviz.study.loaders.folder import read_folder
from fairviz.study.loaders.mteb import read_predictions
from fairviz.study.loaders.runs import system_name
from fairviz.study.loaders.source import KINDS
from fairviz.study.loaders.unread import LEAVE, UNKNOWN
from fairviz.study.loaders.writing import replace_runs, run_files
from fairviz.study.record import Study
from fairviz.study.study import make_study, open_study_folder, save_study
from fairviz.study.tables import RUNS, conform
from fairviz.ui.data.uploads import KINDS as UPLOADS
from fairviz.ui.data.uploads import add_run_file, open_zip_file
from tests.conftest import Call
from tests.study.loaders.files import fill, put, refusal, refusal_of, rows, zipped

RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
Content = str | bytes


def workbook(*rows: tuple, title: str = "Sheet 1") -> bytes:
    """A workbook with these rows in its first sheet, and another sheet behind it."""
    book, stream = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.create_sheet("notes").append(["not read"])
    book.save(stream)
    return stream.getvalue()


def parquet(**columns: list) -> bytes:
    stream = io.BytesIO()
    pd.DataFrame(columns).to_parquet(stream, index=False)
    return stream.getvalue()


def tarred(mode: str, **files: str) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content.encode())
            archive.addfile(member, io.BytesIO(content.encode()))
    return stream.getvalue()


def studio(who: object, label: str, day: str = "01") -> dict:
    """An annotation of Label Studio; without a label it was skipped."""
    answers = {"gender": label, "clarity": "clear"}
    return {
        "completed_by": who, "was_cancelled": not label, "created_at": f"2024-01-{day}T00:00:00Z",
        "result": [{"type": "choices", "from_name": name, "value": {"choices": [chosen]}}
                   for name, chosen in answers.items() if label],
    }  # fmt: skip


ANN, BOB = {"email": "ann@example.org"}, {"email": "bob@example.org"}
STUDIO = [
    {"id": 87, "data": {"doc_id": "d1", "text": "Text 1"},
     "annotations": [studio(ANN, "Male"), studio(ANN, "Female", "03"), studio(BOB, "", "02")]},
    {"id": 88, "data": {"doc_id": "d2"}, "annotations": [{"completed_by": 7, "result": [
        {"type": "choices", "from_name": "gender", "value": {"choices": ["Neutral"]}}]}]},
]  # fmt: skip
STUDIO_LABELS = [("d1", "ann@example.org", "female"), ("d2", "7", "neutral")]
PRODIGY = [
    {"text": "a", "meta": {"doc_id": "d1"}, "_input_hash": 1, "_task_hash": 2, "answer": "accept", "label": "FEMALE",
     "_annotator_id": "db-ann", "_timestamp": 1700000000},
    {"text": "b", "doc_id": "d2", "_input_hash": 3, "_task_hash": 4, "answer": "accept", "accept": ["neutral"],
     "options": [{"id": "neutral"}, {"id": "female"}], "_session_id": "db-bob", "_timestamp": 1700000001},
    {"text": "c", "doc_id": "d3", "_input_hash": 5, "_task_hash": 6, "answer": "ignore", "label": "MALE"},
    {"text": "d", "doc_id": "d4", "_input_hash": 7, "_task_hash": 8, "answer": "reject", "label": "MALE"},
]  # fmt: skip
ARGILLA_2 = [
    {"id": "1", "fields": {"text": "a"}, "metadata": {"doc_id": "d1"}, "responses": {
        "gender": [{"value": "female", "user_id": "ann", "status": "submitted"},
                   {"value": "male", "user_id": "bob", "status": "discarded"}]}},
    {"id": "d2", "fields": {"text": "b"}, "metadata": {}, "responses": {
        "gender": [{"value": "neutral", "user_id": "bob"}]}},
]  # fmt: skip
ARGILLA_1 = [
    {"id": "x", "fields": {"text": "a"}, "metadata": {"doc_id": "d1"},
     "responses": [{"user_id": "ann", "status": "submitted", "values": {"gender": {"value": "female"}}},
                   {"user_id": "bob", "status": "draft", "values": {"gender": {"value": "male"}}}]},
    {"id": "y", "fields": {"text": "b"}, "metadata": {"doc_id": "d2"},
     "responses": [{"user_id": "bob", "status": "submitted", "values": {"gender": {"value": "neutral"}}}]},
]  # fmt: skip
MTURK = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,SubmitTime,Input.doc_id,Input.text,Answer.gender.label\n"
    "h1,a1,W1,Approved,Tue Jan 30 02:40:43 PST 2024,d1,She,female\n"
    "h2,a2,W1,Submitted,Tue Jan 30 02:41:43 PST 2024,d2,It,neutral\n"
    "h2,a3,W2,Rejected,Tue Jan 30 02:42:43 PST 2024,d2,It,male\n"
)
TWO = [("d1", "ann", "female"), ("d2", "bob", "neutral")]
LABELS_JSONL = "".join(
    json.dumps(each) + "\n" for each in (
        {"id": 1, "text": "a", "label": ["female"], "doc_id": "d1", "annotator": "ann"},
        {"id": 2, "text": "b", "label": ["neutral"], "doc_id": "d2", "annotator": "bob"},
        {"id": 3, "text": "c", "label": [], "doc_id": "d3", "annotator": "bob"},
    )
)  # fmt: skip
RANKED = [("q1", "d1"), ("q1", "d2")]
JUDGED = [("q1", "d1", 2), ("q1", "d2", 0)]
QUERIES, DOCUMENTS = [("q1", "nurse")], [("d1", "she"), ("d2", "he")]
TREC_DOCUMENTS = "<DOC><DOCNO>d1</DOCNO><TEXT>she</TEXT></DOC><DOC><DOCNO>d2</DOCNO><TEXT>he</TEXT></DOC>"
BY_QUERY = '{"q1": {"d2": 1.5, "d1": 2.5}}'
TOPIC = "<top>\n<num> Number: q1\n<title> nurse\n</top>\n"

# For each form of the loaders' records, by part and name: files that are each a study of that part alone.
GOLDEN: dict[tuple[str, str], list[dict[str, Content]]] = {
    ("queries", "table"): [
        {"queries.csv": "Query-ID,text\nq1,nurse\n"},
        {"queries.tsv": "qid\tquery\nq1\tnurse\n"},
        {"queries.csv": "sep=;\r\nid;title\r\nq1;nurse\r\n"},
        {"queries.jsonl": '{"id": "q1", "contents": "nurse"}\n'},
        {"queries.jsonl": '{"qid": "q1", "title": "nurse"}\n'},
        {"queries.json": '[\n {"_id": "q1", "text": "nurse"}\n]'},
        {"queries.json": '{"q1": "nurse"}'},
        {"queries.xlsx": workbook(("qid", "text"), ("q1", "nurse"))},
        {"queries.parquet": parquet(_id=["q1"], text=["nurse"])},
    ],
    ("queries", "MS MARCO"): [{"queries.tsv": "q1\tnurse\n"}, {"topics.dl19.txt": "q1\tnurse\n"}, {"queries.dev.small.tsv": "q1\tnurse\n"}],
    ("queries", "BEIR"): [{"queries.jsonl": '{"_id": "q1", "text": "nurse", "metadata": {}}\n'}],
    ("queries", "data hub"): [
        {"queries/queries-00000-of-00001.parquet": parquet(_id=["q1"], text=["nurse"])},
        {"en-queries/test-00000-of-00001.parquet": parquet(_id=["q1"], text=["nurse"])},
        {"queries/queries/0000.parquet": parquet(_id=["q1"], text=["nurse"])},
    ],
    ("queries", "TREC, SGML"): [{"topics.robust.txt": TOPIC}, {"queries.sgml": TOPIC}, {"topics.401.trec": TOPIC}, {"queries.txt": TOPIC}],
    ("queries", "TREC, XML"): [
        {"topics.covid.xml": '<topics task="x">\n<topic number="q1"><query>nurse</query><question>who</question></topic></topics>'},
        {"topics.web.txt": '<?xml version="1.0"?>\n<webtrack2009><topic number="q1" type="faceted"><query> nurse\n</query>'
         "<description>x</description></topic></webtrack2009>"},
        {"topics.xml": "<topics><topic><identifier>q1</identifier><title>nurse</title><description>y</description></topic></topics>"},
        {"queries.xml": '<queries><query id="q1">nurse</query></queries>'},
    ],
    ("documents", "table"): [
        {"documents.csv": "docno,contents\nd1,she\nd2,he\n"},
        {"documents.jsonl": '{"id": "d1", "contents": "she"}\n{"id": "d2", "contents": "he"}\n'},
        {"documents.json": '{"d1": {"title": "", "text": "she"}, "d2": {"text": "he"}}'},
        {"documents.xlsx": workbook(("doc_id", "text"), ("d1", "she"), ("d2", "he"))},
    ],
    ("documents", "MS MARCO"): [{"documents.tsv": "d1\tshe\nd2\the\n"}],
    ("documents", "BEIR"): [{"corpus.jsonl": '{"_id": "d1", "title": "", "text": "she"}\n{"_id": "d2", "text": "he"}\n'}],
    ("documents", "data hub"): [
        {"corpus/corpus-00000-of-00002.parquet": parquet(_id=["d1"], title=[""], text=["she"]),
         "corpus/corpus-00001-of-00002.parquet": parquet(_id=["d2"], title=[""], text=["he"])},
    ],
    ("documents", "TREC"): [{"documents.trec": TREC_DOCUMENTS}, {"documents.txt": TREC_DOCUMENTS}],
    ("runs", "MTEB"): [{"T_predictions.json": json.dumps({"mteb_model_meta": {"model_name": "lab/a"}, "default": {"test": json.loads(BY_QUERY)}})}],
    ("runs", "TREC"): [
        {"runs/a.run": RUN},
        {"runs/a.txt": f"# a run\n{RUN}# its end\n"},
        {"runs/a.run": gzip.compress(RUN.encode(), mtime=0)},
        {"runs/a.res": RUN},
        {"runs/input.a": RUN},
        {"runs/a.trec": bz2.compress(RUN.encode())},
        {"runs/a": lzma.compress(RUN.encode())},
    ],
    ("runs", "MS MARCO"): [{"runs/a.tsv": "q1\td1\t1\nq1\td2\t2\n"}, {"runs/a.tsv": "q1\td1\t0\nq1\td2\t1\n"}],
    ("runs", "scores"): [
        {"runs/a.tsv": "q1\td1\t25.5\nq1\td2\t24.1\n"},
        {"runs/a.tsv": "q1\td2\t0.1\nq1\td1\t0.9\n"},
        {"runs/a.txt": "q1 d1 25\nq1 d2 17\n"},
        {"runs/a.tsv": "q1\td2\t-3\nq1\td1\t-1\n"},
    ],
    ("runs", "table"): [
        {"runs/a.csv": "qid,docid,docno,rank,score,query\nq1,7,d1,0,2.5,nurse\nq1,9,d2,1,1.5,nurse\n"},
        {"runs/a.csv": "query_id;doc_id;score\nq1;d1;2,5\nq1;d2;1,5\n"},
        {"runs/a.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t2.5\nq1\td2\t1.5\n"},
        {"runs/a.jsonl": '{"qid": "q1", "docno": "d2", "rank": 2}\n{"qid": "q1", "docno": "d1", "rank": 1}\n'},
        {"runs/a.parquet": parquet(q_id=["q1", "q1"], doc_id=["d1", "d2"], score=[2.5, 1.5])},
        {"runs/a.xlsx": workbook(("qid", "docno", "score"), ("q1", "d1", 2.5), ("q1", "d2", 1.5))},
    ],
    ("runs", "ranx, BEIR"): [{"runs/a.json": BY_QUERY}, {"runs/a.json": json.dumps(json.loads(BY_QUERY), indent=2)}],
    ("runs", "archive"): [
        {"runs/all.zip": zipped({"a.run": RUN})},
        {"runs/all.tar.gz": tarred("w:gz", **{"here/a.run": RUN})},
        {"runs/all.tgz": tarred("w:gz", **{"a.json": BY_QUERY})},
        {"runs/all.tar": tarred("w", **{"a.tsv": "q1\td1\t25.5\nq1\td2\t24.1\n"})},
    ],
    ("qrels", "TREC"): [
        {"qrels.txt": "q1 0 d1 2\nq1 0 d2 0\n"},
        {"qrels.dl19-passage.txt": "q1 0 d1 2\nq1 0 d2 0\n"},
        {"qrels": "# pool depth 100\nq1 0 d1 2\n#x\nq1 0 d2 0\n"},
        {"qrels.qrels": "q1 0 d1 2\nq1 0 d2 0\n"},
        {"qrels.tsv": "q1 0 d1 2\nq1 0 d2 0\n"},
        {"qrels.tsv": "query_id\titeration\tdoc_id\trelevance\nq1\t0\td1\t2\nq1\t0\td2\t0\n"},
    ],
    ("qrels", "BEIR"): [
        {"qrels/test.tsv": "query-id\tcorpus-id\tscore\r\nq1\td1\t2\r\nq1\td2\t0\r\n"},
        {"qrels.tsv": '"query-id"\t"corpus-id"\t"score"\n"q1"\t"d1"\t2\n"q1"\t"d2"\t0\n'},
        {"qrels.tsv": "query_id\tcorpus_id\tscore\nq1\td1\t2\nq1\td2\t0\n"},
        {"qrels.tsv": "qid\tcid\tscore\nq1\td1\t2\nq1\td2\t0\n"},
        {"qrels.txt": "Query ID,Doc ID,Relevance\nq1,d1,2\nq1,d2,0\n"},
    ],
    ("qrels", "table"): [
        {"qrels.csv": "qid,docno,label\nq1,d1,2\nq1,d2,0\n"},
        {"qrels.jsonl": '{"query-id": "q1", "corpus-id": "d1", "score": 2.0}\n{"query-id": "q1", "corpus-id": "d2", "score": 0}\n'},
        {"qrels.parquet": parquet(q_id=["q1", "q1"], doc_id=["d1", "d2"], score=np.array([2.0, 0.0]))},
        {"qrels.xlsx": workbook(("query_id", "doc_id", "relevance"), ("q1", "d1", 2), ("q1", "d2", 0))},
    ],
    ("qrels", "data hub"): [
        {"default/test-00000-of-00001.parquet": parquet(**{"query-id": ["q1"] * 2, "corpus-id": ["d1", "d2"], "score": [2.0, 0]})},
        {"qrels/test-00000-of-00001.parquet": parquet(**{"query-id": ["q1"] * 2, "corpus-id": ["d1", "d2"], "score": [2, 0]})},
    ],
    ("qrels", "ranx, BEIR"): [{"qrels.json": '{"q1": {"d1": 2, "d2": 0}}'}],
    ("labels", "table"): [
        {"labels.csv": "doc_id,annotator,label\nd1,ann,female\nd2,bob,neutral\nd3,bob,\n"},
        {"labels.csv": "Doc ID,Annotator,Label\nd1,ann,\"['female']\"\nd2,bob,\"[\"\"neutral\"\"]\"\n"},
        {"labels.json": '[{"doc_id": "d1", "annotator": "ann", "label": "female"}, {"doc_id": "d2", "annotator": "bob", "label": ["neutral"]}]'},
        {"labels.xlsx": workbook(("doc_id", "annotator", "label"), ("d1", "ann", "female"), ("d2", "bob", "neutral"))},
        {"labels.csv": workbook(("doc_id", "annotator", "label"), ("d1", "ann", "female"), ("d2", "bob", "neutral"))},
    ],
    ("labels", "spreadsheet"): [
        {"labels.csv": "\ufeffdoc_id;annotator;label\r\nd1;ann;female\r\nd2;bob;neutral\r\n"},
        {"labels.csv": "sep=;\r\ndoc_id;annotator;label\r\nd1;ann;female\r\nd2;bob;neutral\r\n"},
        {"labels.csv": "doc_id\tannotator\tlabel\nd1\tann\tfemale\nd2\tbob\tneutral\n"},
    ],
    ("labels", "Label Studio"): [
        {"labels.json": json.dumps(STUDIO)},
        {"labels.json": json.dumps(STUDIO, indent=1)},
        {"labels.jsonl": json.dumps(STUDIO, indent=1)},
        {"labels.json": json.dumps([
            {"id": 1, "doc_id": "d1", "text": "a", "gender": "Female", "annotator": "ann@example.org", "annotation_id": 2},
            {"id": 2, "doc_id": "d2", "text": "b", "gender": {"choices": ["Neutral"]}, "annotator": 7, "annotation_id": 3},
            {"id": 3, "doc_id": "d3", "text": "b", "annotator": 7, "annotation_id": 4}])},
        {"labels.csv": "annotation_id,annotator,created_at,doc_id,gender,id,lead_time,text,url\n"
         "9,ann@example.org,2024-01-01,d1,Female,1,10.7,a,u1\n11,7,2024-01-01,d2,Neutral,2,8.6,b,u2\n12,7,2024-01-01,d3,,3,8.6,b,u3\n"},
    ],
    ("labels", "Prodigy"): [{"labels.jsonl": "".join(json.dumps(row) + "\n" for row in PRODIGY)}],
    ("labels", "doccano"): [
        {"labels.jsonl": LABELS_JSONL},
        {"labels.jsonl": '{"id": 1, "text": "a", "label": ["female"], "meta": {"doc_id": "d1"}, "username": "ann"}\n'
         '{"id": 2, "text": "b", "label": ["neutral"], "meta": {"doc_id": "d2"}, "username": "bob"}\n'},
        {"labels.csv": "id,data,label,doc_id,annotator\n1,a,female,d1,ann\n2,b,neutral,d2,bob\n3,c,,d3,bob\n"},
    ],
    ("labels", "Argilla"): [
        {"labels.json": json.dumps(ARGILLA_2)},
        {"labels.jsonl": "".join(json.dumps(row) + "\n" for row in ARGILLA_1)},
        {"labels.json": json.dumps([
            {"id": "d1", "_server_id": "s", "status": "completed", "text": "a", "gender.responses": ["female", "male"],
             "gender.responses.users": ["ann", "bob"], "gender.responses.status": ["submitted", "discarded"]},
            {"id": "d2", "_server_id": "t", "status": "completed", "text": "b", "gender.responses": ["neutral"],
             "gender.responses.users": ["bob"], "gender.responses.status": ["submitted"]}])},
        {"labels.json": json.dumps([
            {"id": "1", "text": "a", "annotation": "female", "annotation_agent": "ann", "metadata": {"doc_id": "d1"}},
            {"id": "2", "text": "b", "annotation": "neutral", "annotation_agent": "bob", "metadata": {"doc_id": "d2"}},
            {"id": "3", "text": "c", "annotation": None, "annotation_agent": None, "metadata": {"doc_id": "d3"}}])},
    ],
    ("labels", "MTurk"): [
        {"labels.csv": MTURK},
        {"labels.csv": "HITId,WorkerId,AssignmentStatus,Input.doc_id,Answer.taskAnswers\n"
         'h1,W1,Approved,d1,"[{""gender"":{""label"":""female""}}]"\nh2,W1,Approved,d2,"[{""gender"":{""female"":false,""neutral"":true}}]"\n'},
        {"labels.csv": "HITId,WorkerId,Input.doc_id,Answer.gender.female,Answer.gender.neutral\nh1,W1,d1,true,false\nh2,W1,d2,false,true\n"},
    ],
    ("lexicon", "word list"): [
        {"lexicon.csv": "she,female\nhe,m\n"},
        {"lexicon.csv": "word;group\nshe;female\nhe;male\n"},
        {"lexicon.xlsx": workbook(("word", "group"), ("she", "female"), ("he", "male"))},
    ],
}  # fmt: skip
FORMS = {(loader.part, form.name) for loader in LOADERS for form in loader.forms}
CASES = [(part, name, files) for (part, name), studies in GOLDEN.items() for files in studies]


def test_every_form_has_a_golden_file() -> None:
    assert set(GOLDEN) == FORMS
    assert all(loader.forms for loader in LOADERS)
    assert set(FOREIGN) == {kind.name for kind in KINDS}


@pytest.mark.parametrize(("part", "form", "files"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_golden_file_is_read(tmp_path: Path, part: str, form: str, files: dict[str, Content]) -> None:
    content = read_folder(fill(tmp_path, files))
    assert not [line for line in content.warnings if "was not read" in line]
    table = content.tables.get(part, pd.DataFrame())
    if part == "lexicon":
        assert content.lexicon is not None
        assert content.lexicon.words == (("she", "female"), ("he", "male"))
    elif part == "labels":
        assert rows(table, "doc_id", "annotator", "label") in (
            TWO, STUDIO_LABELS, [("d1", "db-ann", "female"), ("d2", "db-bob", "neutral")],
            [("d1", "W1", "female"), ("d2", "W1", "neutral")],
        )  # fmt: skip
    elif part == "runs":
        assert list(table["system"].cat.categories) == ["a"]
        assert rows(table.sort_values("score", ascending=False), "query_id", "doc_id") == RANKED
    else:
        names = {"queries": ["query_id", "text"], "documents": ["doc_id", "text"]}.get(part, list(table))
        expected = {"queries": QUERIES, "documents": DOCUMENTS, "qrels": JUDGED}[part]
        assert rows(table, *names) == expected


@pytest.mark.parametrize(
    ("files", "noticed"),
    [
        ({"qrels.txt": "# pool\nq 0 d 1\n"}, "qrels.txt: 1 line beginning with # was skipped."),
        ({"labels.csv": "# by # hand\n\n# mine\ndoc_id,label\n1,female\n"}, "labels.csv: 2 lines beginning with # were skipped."),
        ({"runs/a.run": f"#x\n{RUN}# y\n"}, "runs/a.run: 2 lines beginning with # were skipped."),
        ({"labels.xlsx": workbook(("doc_id", "label"), ("1", "f"), title="June")}, "labels.xlsx: the first sheet, 'June', was read."),
        ({"labels.csv": "doc_id,label\n1,female\n2,\n"}, "labels.csv: 1 row without a label was left out."),
        ({"labels.json": json.dumps(STUDIO)}, "labels.json: 1 answer without a label was left out."),
        ({"labels.json": json.dumps(STUDIO)}, "labels.json: the last answer of a person counts, 1 earlier one left out."),
        ({"labels.json": json.dumps(STUDIO)}, "labels.json: the export of Label Studio was read, 2 labels of the question 'gender'."),
        ({"labels.jsonl": "".join(json.dumps(row) + "\n" for row in PRODIGY)}, "labels.jsonl: 2 answers without a label were left out."),
        ({"labels.csv": MTURK}, "labels.csv: 1 answer without a label was left out."),
        ({"runs/a.tsv": "q d 25.5\n"}, "run 'a': the third column was read as a score; ranks would rise in each list."),
        ({"corpus/c-00001-of-00003.parquet": parquet(_id=["1"], text=["x"])},
         "documents: 2 pieces of those that c-00001-of-00003.parquet announces are missing."),
    ],
)  # fmt: skip
def test_what_is_skipped_or_taken_for_something_is_noticed(tmp_path: Path, files: dict, noticed: str) -> None:
    assert noticed in read_folder(fill(tmp_path, files)).warnings


def test_notices_come_with_runs_from_the_cache(tmp_path: Path) -> None:
    lines = "".join(f"q{number} Q0 d{number} 1 2.5 tag\n" for number in range(20_000))
    fill(tmp_path, {"runs/a.run": f"# head\n{lines}"})
    for _ in range(2):
        study = open_study_folder(tmp_path)
        assert study.warnings == ("runs/a.run: 1 line beginning with # was skipped.",)
        assert len(study.runs) == 20_000


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"labels.jsonl": '{"doc_id": "d1", "label": ["female", "male"]}\n'}, "labels.jsonl:1: 2 labels for one document"),
        ({"labels.jsonl": json.dumps({**PRODIGY[1], "accept": ["female", "male"]})}, "labels.jsonl:1: 2 labels for one document, 'd2'"),
        ({"labels.csv": "id,data,label\n1,a,female\n"}, "labels.csv:2: doccano gives no doc_id here\nImport the documents with a column doc_id"),
        ({"labels.json": json.dumps([{"data": {"text": "a"}, "annotations": []}])}, "labels.json: Label Studio gives no label"),
        ({"labels.csv": "annotation_id,annotator,doc_id,mood,tone\n1,a,d1,good,calm\n"},
         "labels.csv: Label Studio gives several columns that may be the label: mood, tone\nCall the one that is read label"),
        ({"runs/a.tsv": "q d1 25\nq d2 3\nq d3 17\n"},
         "runs/a.tsv: the third column neither counts 1, 2, 3, … nor falls: it may be a rank or a score\nWrite six columns"),
        ({"runs/a.json": '{"q": {"d": "high"}}', "runs/b.run": RUN}, None),
        ({"runs/a.json": '{"q": {"d": 1.5, "e": "high"}}'}, "runs/a.json: the score of document 'e' for query 'q' is not a finite number: 'high'"),
        ({"qrels.json": '{"q": {"d": 0.5}}'}, "qrels.json: the relevance of document 'd' for query 'q' is not a whole number: '0.5'"),
        ({"qrels.csv": "qid,docno,label\nq,d,x\nq,d,1\n"}, "qrels.csv:2: the relevance is not a whole number: 'x'"),
        ({"qrels.csv": "qid,docno,label\nq,d,1\nq,d,1\n"}, "qrels.csv:3: this document is judged for this query already: 'd'"),
        ({"runs/a.csv": "qid,docno,score\nq,d,x\n"}, "runs/a.csv:2: the score is not a finite number: 'x'"),
        ({"runs/a.xlsx": workbook(("qid", "docno"), ("q", "d"))}, "runs/a.xlsx: a run has a column score or rank: 'qid, docno'"),
        ({"labels.xlsx": b"PK\3\4 no zip"}, "labels.xlsx: this is a zip archive\nUnpack it"),
        ({"labels.xlsx": "doc_id,label\n1,f\n"}, "labels.xlsx: the file is not a sound workbook\nSave the sheet as CSV"),
        ({"runs/a.zip": b"PK\3\4 no zip"}, "runs/a.zip: a.zip is not a sound"),
        ({"runs/a.zip": zipped({"a.run": RUN, "b/a.run": RUN})}, "runs/a.zip: two runs would be called 'a'"),
        ({"runs/a.zip": zipped({"a.run": RUN, "b.run": "q Q0 d\n"})}, "runs/a.zip/b.run:1: expected 6 columns, found 3"),
        ({"topics.xml": "<topics><topic><query>x</query></topic></topics>"}, "topics.xml:1: the topic that begins here has no number"),
        ({"topics.xml": "<topics><topic number='1'>"}, "topics.xml:1: not sound XML (no element found)"),
        ({"topics.xml": "<topics></topics>"}, "topics.xml: the file holds no topic"),
        ({"queries.json": '[{"_id": "1", "text": "x"},\n [1]]'}, "queries.json:2: not a JSON object"),
        ({"queries.json": '[{"_id": "1", "text": "x"}'}, "queries.json:1: not a JSON object"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_remedy(tmp_path: Path, files: dict, told: str | None) -> None:
    fill(tmp_path, files)
    if told is None:  # JSON beside runs that is none itself
        assert list(read_folder(tmp_path).tables["runs"]["system"].cat.categories) == ["b"]
    else:
        text = refusal_of(tmp_path)
        assert text.startswith(told)
        assert "\n" in text


LAUGHS = "<!DOCTYPE t [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + place)} '{f'&{chr(97 + place)};' * 10}'>" for place in range(20)
)


def test_entities_depth_and_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = "]><t><topic number='1'><query>{}</query></topic></t>"
    for name, text in (
        ("defines entities", LAUGHS + topic.format("&u;")),
        ("defines entities", "<!DOCTYPE t [<!ENTITY x SYSTEM 'file:///etc/passwd'>" + topic.format("&x;")),
        ("tags inside one another", "<a>" * 5000),
    ):
        assert name in refusal_of(fill(tmp_path, {"topics.xml": text}))
    (tmp_path / "topics.xml").unlink()
    sound = workbook(("doc_id", "label"), ("1", "f"))
    with zipfile.ZipFile(io.BytesIO(sound)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    evil = zipped({**files, sheet: LAUGHS.encode() + b"]>" + files[sheet]})
    assert "the workbook defines entities of XML" in refusal_of(fill(tmp_path, {"labels.xlsx": evil}))
    link = tarfile.TarInfo("a.run")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    with tarfile.open(tmp_path / "links.tar", "w") as archive:
        archive.addfile(link)
    links = (tmp_path / "links.tar").read_bytes()
    assert "holds a link or a device" in refusal_of(fill(tmp_path / "links", {"runs/links.tar": links}))
    monkeypatch.setattr("fairviz.study.loaders.source.FREE_BYTES", 100)
    monkeypatch.setattr("fairviz.study.loaders.source.MOST_RATIO", 0)
    assert "cannot be unpacked" in refusal_of(fill(tmp_path, {"labels.xlsx": sound}))
    for name, data in (("a.zip", zipped({"a.run": RUN * 50})), ("a.tar.gz", tarred("w:gz", **{"a.run": RUN * 50}))):
        assert "unpacks" in refusal_of(fill(tmp_path / name, {f"runs/{name}": data}))


def test_several_runs_in_an_archive_are_systems_in_the_studys_order(tmp_path: Path) -> None:
    packed = zipped({"b.run": RUN, "a.run": RUN.replace("2.5", "3.5"), "c.run": RUN.replace("2.5", "4.5")})
    fill(tmp_path, {"runs/all.zip": packed, "study.toml": 'systems = ["c", "a"]\n', "runs/z.run": RUN})
    study = open_study_folder(tmp_path)
    assert (study.systems, study.warnings) == (("c", "a", "b", "z"), ())
    fill(tmp_path, {"runs/a.run": RUN})
    assert "a second run called 'a', after all.zip" in refusal_of(tmp_path) or "after a.run" in refusal_of(tmp_path)


FAIR = "id\tseq_no\tpage_id\n84\t1\t1000001\n84\t1\t1000002\n84\t2\t1000001\n"
FOREIGN: dict[str, tuple[str, Content]] = {
    "a pointer of Git LFS, not the file itself": ("runs/a.run", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"),
    "a web page, not the file itself": ("qrels.txt", "<!DOCTYPE html>\n<html><body>qrels</body></html>\n"),
    "a workbook of old Excel (.xls)": ("labels.xls", b"\xd0\xcf\x11\xe0" + bytes(600)),
    "an OpenDocument sheet (.ods)": ("labels.ods", zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}, zipfile.ZIP_STORED)),
    "an lz4 file of ranx": ("runs/a.lz4", b"\x04\x22\x4d\x18" + bytes(60)),
    "a pickle of Python": ("runs/a.pkl", b"\x80\x04\x95" + bytes(60)),
    "a file of NumPy arrays": ("scores.npy", b"\x93NUMPY" + bytes(60)),
    "an HDF5 file": ("runs/a.h5", b"\x89HDF\r\n" + bytes(60)),
    "an SQLite database": ("labels.db", b"SQLite format 3\0" + bytes(60)),
    "a PDF": ("qrels.pdf", b"%PDF-1.7\n" + bytes(60)),
    "a zip archive": ("labels.zip", zipped({"labels.csv": "doc_id,label\n"})),
    "a tar archive": ("old.tar", tarred("w", **{"labels.csv": "doc_id,label\n"})),
    "a file of scores by MTEB, without its lists": ("T.json", '{"task_name": "T", "mteb_version": "2", "scores": {"test": []}}'),
    "features for learning to rank (SVMlight)": ("qrels.txt", "2 qid:10 1:0.03 2:0.6 # d1\n0 qid:10 1:0.1 2:0.2 # d2\n"),
    "a file of values by trec_eval, without its lists": ("runs/a.txt", "runid all bm25\nnum_q all 50\nmap all 0.25\n"),
    "a run of TREC Fair Ranking (id, page_id)": ("runs/a.tsv", FAIR),
    "judgements by subtopic (query, subtopic, document, relevance)": ("qrels.txt", "1 1 d1 1\n1 2 d1 0\n1 2 d2 2\n"),
    "preference judgements (query, group, subtopic, document, level)": ("qrels.txt", "q1 0 0 d1 2\nq1 0 0 d2 1\n"),
    "pairs of documents by preference (query, better, worse)": ("qrels.tsv", "q1\td1\td2\nq1\td1\td3\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_kind_is_named_with_one_step(tmp_path: Path, name: str) -> None:
    file, content = FOREIGN[name]
    step = next(kind.step for kind in KINDS if kind.name == name)
    fill(tmp_path, {file: content, "documents.tsv": "d1\tshe\n"})
    if file in ("qrels.txt", "qrels.tsv", "runs/a.run", "runs/a.txt", "runs/a.tsv"):
        assert refusal_of(tmp_path) == f"{file}: this is {name}\n{step.format(file=file)}"
    else:
        assert read_folder(tmp_path).warnings == [f"{file} was not read: this is {name}.\n{step.format(file=file)}"]
    away = fill(tmp_path / "away", {"other.dat": content, "documents.tsv": "d1\tshe\n"})
    assert read_folder(away).warnings == [f"other.dat was not read: this is {name}.\n{step.format(file='other.dat')}"]


def test_runs_of_the_fair_ranking_track_lead_to_its_verb(tmp_path: Path) -> None:
    for text in (FAIR, FAIR.partition("\n")[2], "84\t1000001\n84\t1000002\n", "id\tpage_id\n84\t1000001\n"):
        assert "fairviz trec-fair" in refusal_of(fill(tmp_path, {"runs/p09.tsv": text}))


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("annotations.csv", "doc_id,label\n1,female\n", "these are labels under a name that is not read.\nCall it labels.csv."),
        ("old/labels.csv", "doc_id,label\n1,female\n", "these are labels under a name that is not read.\nCall it labels.csv."),
        ("judged.parquet", parquet(query_id=["q"], doc_id=["d"], relevance=[1]),
         "these are qrels under a name that is not read.\nCall it qrels.parquet."),
        ("passages.jsonl", '{"_id": "1", "text": "x", "title": ""}\n', "these are ids and texts under a name that is not read.\nCall it documents.jsonl or queries.jsonl."),
        ("export/project-1.json", json.dumps(STUDIO), "these are labels under a name that is not read.\nCall it labels.json."),
        ("labels.txt", "doc_id\tlabel\n1\tf\n", "these are labels under a name that is not read.\nCall it labels.tsv."),
        ("gold.csv.gz", gzip.compress(b"doc_id;label\n1;f\n", mtime=0), "these are labels under a name that is not read.\nCall it labels.csv.gz."),
        ("collection.tsv", "d1\tshe\nd2\the said\n", "these are ids and texts between tabs.\nCall it documents.tsv or queries.tsv; of a "
         "whole collection: fairviz attach FOLDER --collection collection.tsv"),
        ("bm25.run", RUN, "this is a run outside of the folder runs.\nMove it into the folder runs."),
        ("eval.json", BY_QUERY, "these are numbers by query and document.\nCall it qrels.json, or put it into the folder runs."),
        ("judged.txt", "q1 0 d1 1\n", "these are qrels under a name that is not read.\nCall it qrels.txt."),
        ("web.xml", '<?xml version="1.0"?><t><topic number="1"><query>x</query></topic></t>',
         "these are queries under a name that is not read.\nCall it topics.xml."),
        ("ap.txt", TREC_DOCUMENTS, "these are documents under a name that is not read.\nCall it documents.trec."),
        ("sheet.xlsx", workbook(("a",)), "this is a workbook of another name.\nCall it labels.xlsx, qrels.xlsx, queries.xlsx or documents.xlsx."),
    ],
)  # fmt: skip
def test_a_part_under_another_name_is_told_its_name(tmp_path: Path, file: str, content: Content, told: str) -> None:
    fill(tmp_path, {file: content, "lexicon.csv": "she,f\nhe,m\n"})
    assert read_folder(tmp_path).warnings == [f"{file} was not read: {told}"]


def test_check_gives_each_notice_its_remedy_and_never_a_circle(tmp_path: Path, call: Call) -> None:
    read = ("qrels.txt", "runs/a.run", "runs/a.tsv", "runs/a.txt", "qrels.tsv")
    fill(tmp_path, {file: content for file, content in FOREIGN.values() if file not in read})
    # a folder whose files are all of other kinds is told each, and not what it has
    told = refusal_of(tmp_path).split("\n")
    assert told[told.index("runs/a.lz4 was not read: this is an lz4 file of ranx.") + 1] == (
        "Write it as JSON: ranx.Run.from_file('runs/a.lz4').save('NAME.json'), or Qrels for Run."
    )
    report = check(open_study_folder(fill(tmp_path, {"runs/ok.run": RUN, "notes.md": "Hello\n"})))
    noticed = report[report["item"] == "noticed while reading"]
    assert (noticed["remedy"].str.len() > 10).all()
    assert not noticed["detail"].str.contains("\n").any()
    shown = call("check", tmp_path).out
    assert "See the file it names" not in shown
    assert "no part of a study has this name" not in shown


# --- Predictions of MTEB; tests/integrations has files that mteb wrote.


def predictions(model: str = "lab/small", revision: str = "", **subsets: object) -> str:
    return json.dumps({"mteb_model_meta": {"model_name": model, "revision": revision}, **subsets})


def test_subsets_keep_the_ids_of_queries_apart_and_two_tasks_of_a_model_are_refused(tmp_path: Path) -> None:
    one = predictions(default={"test": {"q": {"a": 0.1, "b": 2, "c": 0.1}}})
    path = put(tmp_path, "One_predictions.json", one)
    assert rows(read_predictions(path)) == [
        ("small", "q", "b", 1, 2.0), ("small", "q", "a", 2, 0.1), ("small", "q", "c", 3, 0.1),
    ]  # fmt: skip
    several = predictions(de={"test": {"1": {"a": 1.0}}}, en={"test": {"1": {"b": 1.0}}})
    path = put(tmp_path, "Two_predictions.json", several)
    assert read_predictions(path)["query_id"].tolist() == ["de/test/1", "en/test/1"]
    with pytest.raises(DataError, match=r"a second run called 'small'.*\nKeep the predictions of one task\."):
        open_study_folder(tmp_path)


def test_folders_of_models_are_a_study_with_cards_and_other_tasks_are_left_out(tmp_path: Path) -> None:
    lists = {"test": json.loads(BY_QUERY)}
    others = {f"T{number}_predictions.json": predictions("lab/other", default={"test": found}) for number, found in
              enumerate(([[0, 3, 5]], {"labels": [1, 2]}, {"similarity": 0.5}, [{"a": 1}]))}  # fmt: skip
    files = {f"{name}/T_predictions.json": predictions(f"lab/{name}", default=lists) for name in ("one", "two")}
    packed = gzip.compress(predictions(revision="abc", default={"test": {"q": {"b": 1.0}}}).encode())
    study = open_study_folder(fill(tmp_path / "s", files | others | {"runs/T_predictions.json.gz": packed}))
    assert set(study.systems) == {"one", "two", "small"}
    assert study.cards == {
        "one": "lab/one; MTEB's predictions of T.", "two": "lab/two; MTEB's predictions of T.",
        "small": "lab/small, revision abc; MTEB's predictions of T.",
    }  # fmt: skip
    assert [line.partition(" ")[0] for line in study.warnings] == sorted(others)
    assert "predictions of a task without lists of documents" in study.warnings[0]
    with pytest.raises(DataError, match="these are predictions of a task without lists"):
        read_predictions(tmp_path / "s" / "T0_predictions.json")
    assert open_study_folder(save_study(study, tmp_path / "saved")).cards == study.cards


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not JSON"),
        ("[]", "no table for the file: '[]'"),
        ('{"default": 3}', "no table for subset 'default': '3'"),
        ('{"default": {"test": []}}', "no table for split 'default/test': '[]'"),
        ('{"default": {"test": {"q": 1}}}', "no table for query 'q' of default/test: '1'"),
        ('{"default": {"test": {"q": {"a": "x"}}}}',
         "the score of document 'a' for query 'q' is not a finite number: 'x'"),
        ('{"default": {"test": {"q": {"a": NaN}}}}', "the score of document 'a' for query 'q' is not a finite number"),
        (predictions(), "there is no list of predictions"),
    ],
)  # fmt: skip
def test_what_is_no_prediction(content: str, message: str, tmp_path: Path) -> None:
    told = refusal(read_predictions, put(tmp_path, "T_predictions.json", content), tmp_path)
    assert told.startswith(f"T_predictions.json: {message}")
    assert "\n" in told


# --- A format is one entry in LOADERS: every place that reads, offers, names or replaces such a file learns it there.


def read_ranking(path, root=None) -> pd.DataFrame:
    """A format that nobody has heard of: query to documents, best first."""
    lists = json.loads(Path(path).read_text(encoding="utf-8"))
    found = [(query, doc, rank, -rank) for query, docs in lists.items() for rank, doc in enumerate(docs, start=1)]
    table = pd.DataFrame(found, columns=["query_id", "doc_id", "rank", "score"])
    return conform(table.assign(system=system_name(path, (".ranking",))), RUNS)


def listed(study: Study) -> list[str]:
    return study.runs.loc[study.runs["system"] == "bm25", "doc_id"].tolist()


def test_a_format_of_ones_own_is_read_offered_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "LOADERS", (*LOADERS, Loader("runs", (".ranking",), read_ranking)))
    folder = tmp_path / "mine"
    fill(folder, {"runs/bm25.ranking": '{"q": ["b", "a"]}', "runs/other.run": "q Q0 a 1 2.5 t\n"})
    file = put(folder, "bm25.ranking", "{}")  # in the wrong place
    study = open_study_folder(folder)
    assert (study.systems, listed(study)) == (("bm25", "other"), ["b", "a"])
    assert study.warnings == (f"bm25.ranking was not read: {UNKNOWN}.\n{LEAVE}",)
    file.unlink()
    # the page offers it, alone and in a zip
    assert "ranking" in {kind.name: kind.suffixes for kind in UPLOADS}["run"]
    study = add_run_file(make_study("s"), folder / "runs" / "bm25.ranking", folder)
    assert (study.systems, listed(study)) == (("bm25",), ["b", "a"])
    packed = zipped({f"runs/{path.name}": path.read_bytes() for path in (folder / "runs").iterdir()})
    assert listed(open_zip_file(make_study("s"), put(tmp_path, "mine.zip", packed), tmp_path)) == ["b", "a"]
    # saving leaves one run of a name, and ranking anew replaces it
    assert run_files(folder / "runs", "bm25") == [folder / "runs" / "bm25.ranking"]
    table = read_ranking(folder / "runs" / "bm25.ranking")
    save_study(open_study_folder(folder), folder)
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["bm25.run", "other.run"]
    replace_runs(table, folder / "runs")
    assert sorted(path.name for path in (folder / "runs").iterdir()) == ["bm25.run.gz", "other.run"]


def test_what_the_page_offers_is_what_loaders_read() -> None:
    offered = {kind.name: set(kind.suffixes) for kind in UPLOADS}
    tables, packed = {"csv", "tsv", "jsonl", "json", "xlsx", "parquet"}, {"gz", "bz2", "xz", "zst"}
    assert offered.pop("annotators") == tables  # read as annotators.csv is, by `read_annotators`: no loader
    assert offered.pop("zip") == {"zip"}
    assert set(offered) == {"run", "labels", "documents", "queries", "qrels", "lexicon"}
    for name, suffixes in offered.items():
        assert suffixes == set(extensions("runs" if name == "run" else name))
        assert suffixes >= packed | ({"csv", "xlsx"} if name == "lexicon" else tables)
    assert offered["run"] >= {"run", "txt", "trec", "res", "zip", "tar", "tgz"}
    assert offered["documents"] & offered["queries"] >= {"txt", "trec", "sgml", "sgm", "xml"}
    assert offered["qrels"] >= {"txt", "qrels"}
    assert suffixes_of("qrels")[:5] == (".txt", ".txt.gz", ".txt.bz2", ".txt.xz", ".txt.zst")
    assert set(extensions()) >= set().union(*offered.values())


def test_the_table_of_the_manual_is_that_of_the_loaders() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "study-format.md"
    head = ["| part | form | files | content |", "|---|---|---|---|"]
    forms = [(loader.part, form) for loader in LOADERS for form in loader.forms]
    table = "\n".join([*head, *(f"| {part} | {form.name} | {form.files} | {form.content} |" for part, form in forms)])
    assert table in page.read_text(encoding="utf-8"), f"docs/reference/study-format.md lacks this table:\n{table}"
