"""What a person uploads: read and checked before it replaces anything, with the exact words where it is refused."""

import io
import zipfile
from functools import partial

import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.ui.data.uploads import KINDS, read_upload, told
from tests.conftest import refused

KIND = {kind.name: kind for kind in KINDS}
QUERY = "best-player"  # the only one of the study


def zipped(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def upload(kind: str, name: str, text: str | bytes, study: Study) -> Study:
    return read_upload(KIND[kind], name, text.encode() if isinstance(text, str) else text, study)


def documents_of(study: Study, system: str) -> list[str]:
    return study.runs.loc[study.runs["system"] == system, "doc_id"].tolist()


@pytest.fixture
def study() -> Study:
    return fairviz.open_study("football")


def test_runs_join_as_drafts_in_each_form_and_replace_those_of_their_names(study: Study) -> None:
    joined = upload("run", "mine.run", f"{QUERY} Q0 n1 1 2.0 x\n{QUERY} Q0 m1 2 1.0 x\n", study)
    assert joined.systems == ("left", "right", "mine")
    one = f"{QUERY} Q0 f1 1 2.0 x\n"
    again = upload("run", "mine.run", one, joined)
    assert documents_of(again, "mine") == ["f1"]
    assert joined.drafts == again.drafts == ("mine",)
    assert upload("run", "left.run", one, again).drafts == ("mine",), "it stays what it was"
    assert study.systems == ("left", "right"), "the study on screen is never changed in place"
    ranked = f'{{\n  "{QUERY}": {{\n    "n1": 2.5,\n    "m1": 1.5\n  }}\n}}'
    joined = upload("run", "results.json", ranked, study)
    assert documents_of(joined, "results") == ["n1", "m1"]
    both = upload("run", "runs.zip", zipped(dict.fromkeys(("results.run", "other.run"), f"# mine\n{one}")), joined)
    assert both.systems == ("left", "right", "results", "other")
    assert both.drafts == ("results", "other")
    assert documents_of(both, "results") == ["f1"]
    assert "runs.zip/other.run: 1 line beginning with # was skipped." in both.warnings


def test_labels_join_as_another_annotator_documents_as_they_are_and_annotators_get_kinds_and_columns(
    study: Study,
) -> None:
    header = "doc_id,annotator,label"
    whole = upload("labels", "mine.csv", f"{header}\nm1,me,neutral\nf1,me,F\n", study)
    assert whole.labels.loc[whole.labels["annotator"] == "me", "label"].tolist() == ["neutral", "female"]
    near = upload("labels", "mine.csv", f"{header}\nM1,me,neutral\nF1,me,F\n", study)
    (good, *_), (kind, _, lines) = (told(KIND["labels"], "mine.csv is here.", joined) for joined in (whole, near))
    assert (good, kind) == ("good", "warning")
    assert "2 of 2 doc_ids of the labels by me would match in lower case" in lines
    joined = upload("documents", "more.tsv", "doc_id\ttext\nx1\t<script>alert(1)</script>\n", study)
    assert joined.documents["text"].iloc[-1] == "<script>alert(1)</script>"
    content = "annotator,kind,site\nproject,human,Oslo\nnobody,human,Bergen\n"
    who = upload("annotators", "annotators.csv", content, study).annotators["project"]
    assert (who.kind, who.columns) == ("person", (("site", "Oslo"),))
    with pytest.raises(FairvizError, match="no annotator of the file gave a label in the study 'football'"):
        upload("annotators", "people.csv", "annotator\nnobody\n", study)
    assert {"csv", "tsv", "jsonl"} <= {*KIND["annotators"].suffixes}


def test_a_zipped_study_opens_under_its_own_name(study: Study) -> None:
    content = zipped({"s/runs/a.run": "q Q0 d1 1 1.0 a\n", "s/labels.csv": "doc_id,annotator,label\nd1,x,male\n"})
    opened = upload("zip", "my-study.zip", content, study)
    assert (opened.name, opened.systems, len(opened.labels)) == ("my-study", ("a",), 1)


def test_what_is_refused_names_the_file_and_leaves_the_study(study: Study) -> None:
    before = study.fingerprint
    outside = "the zip holds a member outside its folder: '../../evil.run'"
    for kind, name, content, message in (
        ("run", "bm25.run", "q Q0 d1 1 8.5\n", "bm25.run:1: expected 6 columns, found 5: 'q Q0 d1 1 8.5'"),
        ("run", "bm25.run", "q Q0 d1 1 nan x\n", "bm25.run:1: "),
        ("labels", "l.csv", "doc_id,annotator,label\nd1,a,purple\n", "l.csv:2: "),
        ("documents", "d.csv", "", "d.csv"),
        ("zip", "z.zip", "no zip", "z.zip"),
        ("zip", "z.zip", zipped({"../../evil.run": ""}), outside),
        ("lexicon", "words.csv", "she,purple\n", "words.csv:1: unknown group"),
    ):
        with pytest.raises(FairvizError) as error:
            upload(kind, name, content, study)
        assert error.value.message.startswith(message), error.value.message
        assert error.value.remedy
        assert study.fingerprint == before


def test_queries_and_judgements_join_once_and_others_are_refused_and_a_word_list_replaces_the_study_s_own(
    study: Study,
) -> None:
    queries = partial(upload, "queries", "queries.tsv")
    text = study.queries["text"].iloc[0]
    joined = queries(f"query_id\ttext\n{QUERY}\t{text}\nq-new\tbest coach\n", study)
    assert joined.queries["query_id"].tolist() == [QUERY, "q-new"]
    assert joined.fingerprint != study.fingerprint
    with refused(
        f"football has another text for query {QUERY!r} already (1 such queries)\n"
        "Give the new queries other ids, or open them as a study of their own."
    ):
        queries(f"query_id\ttext\n{QUERY}\tother\n", study)
    judgements = partial(upload, "qrels", "qrels.txt")
    joined = judgements(f"{QUERY} 0 x1 1\n{QUERY} 0 x2 0\n", study)
    assert joined.qrels.iloc[len(study.qrels) :].to_numpy().tolist() == [[QUERY, "x1", 1], [QUERY, "x2", 0]]
    again = judgements(f"{QUERY} 0 x2 0\n{QUERY} 0 x3 2\n", joined)
    assert again.qrels["doc_id"].tolist() == [*joined.qrels["doc_id"], "x3"]
    with refused(
        f"football has another relevance of document 'x1' for query {QUERY!r} already (1 such judgements)\n"
        "Keep one judgement of each document for a query, or open the file in a study of its own."
    ):
        judgements(f"{QUERY} 0 x1 2\n", joined)
    joined = upload("lexicon", "words.csv", "word,group\nShe,f\nhe,male\n", study)
    assert joined.lexicon is not None
    assert joined.lexicon.words == (("she", "female"), ("he", "male"))
    assert joined.fingerprint != study.fingerprint
