"""Queries and documents in every format: golden rows, text as it is, and TREC's markup."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from fairviz.study.loaders import read_documents, read_queries
from fairviz.study.loaders.lines import TSV, read_columns
from tests.study.loaders.files import put, refusal, rows

NASTY = [
    '<script>alert("x")</script>', "tab\there", 'say "hi"', "two\nlines", "", "null", "NA", " a ", "é🙂", "a,b", '"',
]  # fmt: skip


def queries(folder: Path, name: str, content: str | bytes) -> list[tuple]:
    return rows(read_queries(put(folder, name, content), folder))


def documents(folder: Path, name: str, content: str | bytes) -> list[tuple]:
    return rows(read_documents(put(folder, name, content), folder))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.csv", "query_id,text\n007,how\nnull,NA\n"),
        ("queries.csv", "\ufeff\r\nquery_id,text\r\n007,how\r\n\r\nnull,NA\r\n"),
        ("queries.csv", 'text,query_id\n"how",007\nNA,"null"'),
        ("queries.tsv", "query_id\ttext\n007\thow\n\nnull\tNA\n"),
        ("queries.tsv", 'query_id\ttext\n"007"\t"how"\n"null"\t"NA"\n'),
        ("queries.tsv", "007\thow\nnull\tNA\n"),
        ("queries.jsonl", '{"query_id": "007", "text": "how"}\n\n{"text": "NA", "query_id": "null"}\n'),
        ("queries.jsonl", '\ufeff{"_id": "007", "text": "how"}\r\n{"_id": "null", "text": "NA"}'),
    ],
)
def test_queries(tmp_path: Path, name: str, content: str) -> None:
    assert queries(tmp_path, name, content) == [("007", "how"), ("null", "NA")]


def test_types_of_parquet_and_extra_columns_are_kept(tmp_path: Path) -> None:
    pd.DataFrame({"query_id": [7, 8], "text": ["a", "b"], "weight": [0.5, None]}).to_parquet(tmp_path / "q.parquet")
    table = read_queries(tmp_path / "q.parquet", tmp_path)
    assert table["query_id"].tolist() == ["7", "8"]
    assert table["weight"].isna().tolist() == [False, True]
    table = read_queries(put(tmp_path, "queries.csv", "query_id,category,text\n1,Career,x\n2,,y\n"))
    assert table.columns.tolist() == ["query_id", "text", "category"]
    assert table["category"].tolist() == ["Career", ""]


def test_documents_of_beir_and_ms_marco(tmp_path: Path) -> None:
    lines = (
        '{"_id": "1", "title": "T", "text": "x", "metadata": {"url": "u"}}\n{"_id": 2, "text": null, "title": null}\n'
    )
    table = read_documents(put(tmp_path, "documents.jsonl", lines)).fillna("missing")
    assert rows(table, "doc_id", "title", "text") == [("1", "T", "x"), ("2", "", "missing")]
    assert table["metadata"].iloc[0] == '{"url": "u"}'
    content = '0\t"The" presence of\n1\t"quoted"\n2\tthe "end\n3\t\n'
    texts = ['"The" presence of', '"quoted"', 'the "end', ""]
    assert documents(tmp_path, "documents.tsv", content) == [(str(n), "", text) for n, text in enumerate(texts)]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_text_loads_as_it_is(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame({"doc_id": [f"{place:03d}" for place in range(len(NASTY))], "text": NASTY})
    path = tmp_path / f"documents.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")), encoding="utf-8")
    else:
        frame.to_csv(path, sep="\t" if suffix == "tsv" else ",", index=False)
    table = read_documents(path)
    assert table["text"].tolist() == NASTY
    assert table["doc_id"].tolist() == frame["doc_id"].tolist()


def test_lines_are_counted_past_megabytes_and_quoted_cells(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)
    path = put(tmp_path, "documents.csv", f"doc_id,text\n1,{'word ' * 200_000}\n1,x\n")
    assert refusal(read_documents, path, tmp_path).startswith(
        "documents.csv:3: this doc_id is in line 2 already: '1'\n"
    )
    path = put(tmp_path, "documents.tsv", 'doc_id\ttext\n1\t"abc\n2\tdef"\n1\tx\n')
    assert refusal(read_documents, path, tmp_path).startswith(
        "documents.tsv:4: this doc_id is in line 2 already: '1'\n"
    )
    assert queries(tmp_path, "queries.tsv", 'query_id\ttext\n1\t"a\tb"\n2\t"c\nd"\n') == [("1", "a\tb"), ("2", "c\nd")]
    data = b'query_id\ttext\n1\t"abc\n2\tdef"\n'
    found = read_columns(data, "f", ["query_id", "text"], header=True, dialect=TSV).to_numpy().tolist()
    assert found == [["1", '"abc'], ["2", 'def"']], "two sound lines are never read as one"


# --- TREC's topics and documents.

TOPICS = """
<top>

<num> Number: 051
<dom> Domain: International Economics
<title> Topic:  Airbus
  Subsidies & "tags" <b>

<desc> Description:
Document will discuss.
</top>
<TOP>
<NUM>wt-2</NUM>
<TITLE>topic: is a word</TITLE>
</TOP>
"""
DOCUMENTS = """<DOC>
<DOCNO> LA010189-0001 </DOCNO>
<DATE><P>January 1</P></DATE>
<HEADLINE>
<P>
SHE &amp; HE;
A STORY </P>
</HEADLINE>
<TEXT>
<P>
She said: 1 < 2, and <script>alert(1)</script>.
</P>
<P>
He &lt;did&gt;.</P>
</TEXT>
<GRAPHIC>Photo</GRAPHIC>
<TEXT>More of it</TEXT>
</DOC>\r
<doc><docno>x-2</docno>
No text tag, <!ENTITY a "aaa"> &a;
</doc>
"""


def test_topics_and_documents_stand_as_in_the_file(tmp_path: Path) -> None:
    table = read_queries(put(tmp_path, "file.txt", TOPICS))
    assert rows(table) == [("051", 'Airbus Subsidies & "tags" <b>'), ("wt-2", "is a word")]
    assert table.columns.tolist() == ["query_id", "text"]
    assert documents(tmp_path, "file.txt", DOCUMENTS) == [
        (
            "LA010189-0001",
            "SHE &amp; HE; A STORY",
            "She said: 1 < 2, and <script>alert(1)</script>.\nHe &lt;did&gt;.\nMore of it",
        ),
        ("x-2", "", 'No text tag, <!ENTITY a "aaa"> &a;'),
    ]
    # many tags without their fellows cost no more than their length
    content = "<DOC><DOCNO>a</DOCNO>" + "<TEXT>" * 200_000 + "<P" * 200_000 + " " * 1_000_000 + "x</DOC>"
    assert len(documents(tmp_path, "file.txt", content)) == 1
    assert refusal(read_documents, put(tmp_path, "file.txt", "<DOC>" * 300_000)).count("\n") == 22
