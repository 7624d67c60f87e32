"""What a person uploads: read and checked before it replaces anything, with the exact words where it is refused."""

import io
import zipfile

import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.ui.data.uploads import KINDS, read_upload, told
from tests.conftest import refused

KIND = {kind.name: kind for kind in KINDS}


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


@pytest.fixture
def study() -> Study:
    return fairviz.open_study("football")


def test_a_run_joins_as_a_draft_and_replaces_the_one_of_its_name(study: Study) -> None:
    joined = read_upload(KIND["run"], "mine.run", b"best-player Q0 n1 1 2.0 x\nbest-player Q0 m1 2 1.0 x\n", study)
    assert joined.systems == ("left", "right", "mine")
    one = b"best-player Q0 f1 1 2.0 x\n"
    again = read_upload(KIND["run"], "mine.run", one, joined)
    assert again.runs.loc[again.runs["system"] == "mine", "doc_id"].tolist() == ["f1"]
    assert joined.drafts == again.drafts == ("mine",)
    assert read_upload(KIND["run"], "left.run", one, again).drafts == ("mine",), "it stays what it was"
    assert study.systems == ("left", "right"), "the study on screen is never changed in place"


def test_labels_join_as_another_annotator_and_documents_as_they_are(study: Study) -> None:
    joined = read_upload(KIND["labels"], "mine.csv", b"doc_id,annotator,label\nm1,me,neutral\nf1,me,F\n", study)
    mine = joined.labels[joined.labels["annotator"] == "me"]
    assert mine["label"].tolist() == ["neutral", "female"]
    joined = read_upload(KIND["documents"], "more.tsv", b"doc_id\ttext\nx1\t<script>alert(1)</script>\n", study)
    assert joined.documents["text"].iloc[-1] == "<script>alert(1)</script>"


def test_a_zipped_study_opens_under_its_own_name(study: Study) -> None:
    content = zipped({"s/runs/a.run": "q Q0 d1 1 1.0 a\n", "s/labels.csv": "doc_id,annotator,label\nd1,x,male\n"})
    opened = read_upload(KIND["zip"], "my-study.zip", content, study)
    assert (opened.name, opened.systems, len(opened.labels)) == ("my-study", ("a",), 1)


@pytest.mark.parametrize(
    ("kind", "name", "content", "message"),
    [
        ("run", "bm25.run", b"q Q0 d1 1 8.5\n", "bm25.run:1: expected 6 columns, found 5: 'q Q0 d1 1 8.5'"),
        ("run", "bm25.run", b"q Q0 d1 1 nan x\n", "bm25.run:1: "),
        ("labels", "l.csv", b"doc_id,annotator,label\nd1,a,purple\n", "l.csv:2: "),
        ("documents", "d.csv", b"", "d.csv"),
        ("zip", "z.zip", b"no zip", "z.zip"),
        ("zip", "z.zip", zipped({"../../evil.run": ""}), "the zip holds a member outside its folder: '../../evil.run'"),
    ],
)
def test_what_is_refused_names_the_file_and_leaves_the_study(
    study: Study, kind: str, name: str, content: bytes, message: str
) -> None:
    before = study.fingerprint
    with pytest.raises(FairvizError) as error:
        read_upload(KIND[kind], name, content, study)
    assert error.value.message.startswith(message), error.value.message
    assert error.value.remedy
    assert study.fingerprint == before


def test_queries_join_once_and_another_text_is_refused(study: Study) -> None:
    first = study.queries.iloc[0]
    content = f"query_id\ttext\n{first['query_id']}\t{first['text']}\nq-new\tbest coach\n".encode()
    joined = read_upload(KIND["queries"], "queries.tsv", content, study)
    assert joined.queries["query_id"].tolist() == [*study.queries["query_id"], "q-new"]
    assert joined.fingerprint != study.fingerprint
    name = first["query_id"]
    with refused(
        f"{study.name} has another text for query {name!r} already (1 such queries)\n"
        "Give the new queries other ids, or open them as a study of their own."
    ):
        read_upload(KIND["queries"], "queries.tsv", f"query_id\ttext\n{name}\tother\n".encode(), study)


def test_judgements_join_once_and_another_relevance_is_refused(study: Study) -> None:
    query = study.queries["query_id"].iloc[0]
    joined = read_upload(KIND["qrels"], "qrels.txt", f"{query} 0 x1 1\n{query} 0 x2 0\n".encode(), study)
    added = joined.qrels.iloc[len(study.qrels) :]
    assert added.to_numpy().tolist() == [[query, "x1", 1], [query, "x2", 0]]
    again = read_upload(KIND["qrels"], "more.txt", f"{query} 0 x2 0\n{query} 0 x3 2\n".encode(), joined)
    assert again.qrels["doc_id"].tolist() == [*joined.qrels["doc_id"], "x3"]
    with refused(
        f"{study.name} has another relevance of document 'x1' for query {query!r} already (1 such judgements)\n"
        "Keep one judgement of each document for a query, or open the file in a study of its own."
    ):
        read_upload(KIND["qrels"], "qrels.txt", f"{query} 0 x1 2\n".encode(), joined)


def test_a_word_list_replaces_the_study_s_own(study: Study) -> None:
    joined = read_upload(KIND["lexicon"], "words.csv", b"word,group\nShe,f\nhe,male\n", study)
    assert joined.lexicon is not None
    assert joined.lexicon.words == (("she", "female"), ("he", "male"))
    assert joined.fingerprint != study.fingerprint
    with pytest.raises(FairvizError) as error:
        read_upload(KIND["lexicon"], "words.csv", b"she,purple\n", study)
    assert error.value.message.startswith("words.csv:1: unknown group")


def test_ids_that_nearly_join_are_named_with_the_upload(study: Study) -> None:
    joined = read_upload(KIND["labels"], "mine.csv", b"doc_id,annotator,label\nM1,me,neutral\nF1,me,F\n", study)
    kind, _, lines = told(KIND["labels"], "mine.csv is here.", joined)
    assert kind == "warning"
    assert "2 of 2 doc_ids of the labels by me would match in lower case" in lines
    whole = read_upload(KIND["labels"], "mine.csv", b"doc_id,annotator,label\nm1,me,neutral\nf1,me,F\n", study)
    assert told(KIND["labels"], "mine.csv is here.", whole)[0] == "good"


def test_runs_of_json_and_of_an_archive_join_and_what_was_noticed_is_told(study: Study) -> None:
    query = study.runs["query_id"].iloc[0]
    ranked = f'{{\n  "{query}": {{\n    "n1": 2.5,\n    "m1": 1.5\n  }}\n}}'
    joined = read_upload(KIND["run"], "results.json", ranked.encode(), study)
    assert joined.runs.loc[joined.runs["system"] == "results", "doc_id"].tolist() == ["n1", "m1"]
    lines = f"# mine\n{query} Q0 f1 1 2.0 x\n"
    packed = zipped({"results.run": lines, "other.run": lines})
    both = read_upload(KIND["run"], "runs.zip", packed, joined)
    assert both.systems == ("left", "right", "results", "other")
    assert both.drafts == ("results", "other")
    assert both.runs.loc[both.runs["system"] == "results", "doc_id"].tolist() == ["f1"]
    assert "runs.zip/other.run: 1 line beginning with # was skipped." in both.warnings


def test_annotators_get_their_kinds_and_columns(study: Study) -> None:
    content = b"annotator,kind,site\nproject,human,Oslo\nnobody,human,Bergen\n"
    who = read_upload(KIND["annotators"], "annotators.csv", content, study).annotators["project"]
    assert (who.kind, who.columns) == ("person", (("site", "Oslo"),))
    with pytest.raises(FairvizError, match="no annotator of the file gave a label in the study 'football'"):
        read_upload(KIND["annotators"], "people.csv", b"annotator\nnobody\n", study)
    assert {"csv", "tsv", "jsonl"} <= {*KIND["annotators"].suffixes}
