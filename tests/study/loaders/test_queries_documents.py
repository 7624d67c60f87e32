"""Queries and documents in every format: golden rows, text as it is, and TREC's markup."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.study.loaders import read_documents, read_queries
from fairviz.study.loaders.lines import CSV, TSV, _read_fast, numbered_rows, read_columns
from tests.study.loaders.files import put, refusal, rows

NASTY = [
    '<script>alert("x")</script>',
    "tab\there",
    'say "hi"',
    "two\nlines",
    "",
    "null",
    "NA",
    " a ",
    "é🙂",
    "a,b",
    '"',
]


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


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": [7, 8], "text": ["a", "b"], "weight": [0.5, None]})
    frame.to_parquet(tmp_path / "queries.parquet")
    table = read_queries(tmp_path / "queries.parquet", tmp_path)
    assert table["query_id"].tolist() == ["7", "8"]
    assert table["weight"].isna().tolist() == [False, True]


def test_extra_columns_are_kept(tmp_path: Path) -> None:
    table = read_queries(put(tmp_path, "queries.csv", "query_id,category,text\n1,Career,x\n2,,y\n"))
    assert table.columns.tolist() == ["query_id", "text", "category"]
    assert table["category"].tolist() == ["Career", ""]


def test_the_published_queries(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "fairness-retrieval-results" / "msmarco_passage.dev.fair.tsv"
    found = queries(tmp_path, "queries.tsv", source.read_bytes())
    assert len(found) == 215
    assert found[0] == ("361240", "how to get big thighs and hips")


def test_documents_of_beir_and_ms_marco(tmp_path: Path) -> None:
    lines = (
        '{"_id": "1", "title": "T", "text": "x", "metadata": {"url": "u"}}\n{"_id": 2, "text": null, "title": null}\n'
    )
    table = read_documents(put(tmp_path, "documents.jsonl", lines))
    assert table[["doc_id", "title", "text"]].fillna("missing").to_numpy().tolist() == [
        ["1", "T", "x"],
        ["2", "", "missing"],
    ]
    assert table["metadata"].iloc[0] == '{"url": "u"}'
    content = '0\t"The" presence of\n1\t"quoted"\n2\tthe "end\n3\t\n'
    assert documents(tmp_path, "documents.tsv", content) == [
        ("0", "", '"The" presence of'),
        ("1", "", '"quoted"'),
        ("2", "", 'the "end'),
        ("3", "", ""),
    ]


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


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("size", [1_000_000, pytest.param(20_000_000, marks=pytest.mark.lengthy)])
def test_a_document_of_megabytes(tmp_path: Path, suffix: str, size: int) -> None:
    text = "word " * (size // 5)
    content = {"csv": f"doc_id,text\n1,{text}\n2,x\n", "tsv": f"1\t{text}\n2\tx\n"}.get(suffix)
    content = content or f'{{"doc_id": "1", "text": "{text}"}}\n{{"doc_id": "2", "text": "x"}}\n'
    assert documents(tmp_path, f"documents.{suffix}", content) == [("1", "", text), ("2", "", "x")]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8))
def test_the_fast_reader_of_csv_agrees_with_pythons(cells: list[tuple[str, str]]) -> None:
    frame = pd.DataFrame([("x", *pair) for pair in cells], columns=["a", "b", "c"], dtype="str")
    data = frame.to_csv(index=False, lineterminator="\n").encode()
    names = list(frame.columns)
    expected = frame.to_numpy().tolist()
    assert [row for _, row in numbered_rows(data, "f", 3, header=True, dialect=CSV)] == expected
    assert read_columns(data, "f", names, header=True, dialect=CSV).to_numpy().tolist() == expected
    assert b'"' in data or _read_fast(data, names, True, CSV) is not None


def test_lines_are_counted_past_megabytes_and_open_quotes(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)
    path = put(tmp_path, "documents.csv", f"doc_id,text\n1,{'word ' * 200_000}\n1,x\n")
    assert refusal(read_documents, path, tmp_path).startswith(
        "documents.csv:3: this doc_id is in line 2 already: '1'\n"
    )
    path = put(tmp_path, "documents.tsv", 'doc_id\ttext\n1\t"abc\n2\tdef"\n1\tx\n')
    assert refusal(read_documents, path, tmp_path).startswith(
        "documents.tsv:4: this doc_id is in line 2 already: '1'\n"
    )


def test_quoted_cells_with_tabs_are_found_in_tsv(tmp_path: Path) -> None:
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


def test_topics(tmp_path: Path) -> None:
    table = read_queries(put(tmp_path, "file.txt", TOPICS))
    assert rows(table) == [("051", 'Airbus Subsidies & "tags" <b>'), ("wt-2", "is a word")]
    assert table.columns.tolist() == ["query_id", "text"]


def test_documents_stand_as_in_the_file(tmp_path: Path) -> None:
    table = read_documents(put(tmp_path, "file.txt", DOCUMENTS))
    assert table.columns.tolist() == ["doc_id", "title", "text"]
    assert rows(table) == [
        (
            "LA010189-0001",
            "SHE &amp; HE; A STORY",
            "She said: 1 < 2, and <script>alert(1)</script>.\nHe &lt;did&gt;.\nMore of it",
        ),
        ("x-2", "", 'No text tag, <!ENTITY a "aaa"> &a;'),
    ]


def test_many_tags_without_their_fellows_cost_no_more_than_their_length(tmp_path: Path) -> None:
    content = "<DOC><DOCNO>a</DOCNO>" + "<TEXT>" * 200_000 + "<P" * 200_000 + " " * 1_000_000 + "x</DOC>"
    assert len(read_documents(put(tmp_path, "file.txt", content))) == 1
    assert refusal(read_documents, put(tmp_path, "file.txt", "<DOC>" * 300_000)).count("\n") == 22
