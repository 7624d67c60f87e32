"""Queries and documents in every format: golden rows, text as it is, and the exact words for what is wrong."""

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import DataError
from fairviz.study.loaders import read_documents, read_queries
from fairviz.study.loaders.lines import CSV, TSV, _read_fast, numbered_rows, read_columns

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


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def queries(folder: Path, name: str, content: str | bytes) -> list[tuple]:
    table = read_queries(put(folder, name, content), folder)
    return list(table.itertuples(index=False, name=None))


def documents(folder: Path, name: str, content: str | bytes) -> list[tuple]:
    table = read_documents(put(folder, name, content), folder)
    return list(table.itertuples(index=False, name=None))


def refusal(read, path: Path) -> str:
    with pytest.raises(DataError) as error:
        read(path, path.parent)
    return str(error.value)


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
@pytest.mark.parametrize("size", [1_000_000, 20_000_000])
def test_a_document_of_megabytes(tmp_path: Path, suffix: str, size: int) -> None:
    text = "word " * (size // 5)
    content = {"csv": f"doc_id,text\n1,{text}\n2,x\n", "tsv": f"1\t{text}\n2\tx\n"}.get(suffix)
    content = content or f'{{"doc_id": "1", "text": "{text}"}}\n{{"doc_id": "2", "text": "x"}}\n'
    assert documents(tmp_path, f"documents.{suffix}", content) == [("1", "", text), ("2", "", "x")]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=8))
def test_the_fast_reader_of_csv_agrees_with_pythons(cells: list[tuple[str, str]]) -> None:
    frame = pd.DataFrame([("x", *pair) for pair in cells], columns=["a", "b", "c"], dtype="str")
    data = frame.to_csv(index=False, lineterminator="\n").encode()
    names = list(frame.columns)
    expected = frame.to_numpy().tolist()
    assert [row for _, row in numbered_rows(data, "f", 3, header=True, dialect=CSV)] == expected
    assert read_columns(data, "f", names, header=True, dialect=CSV).to_numpy().tolist() == expected
    assert b'"' in data or _read_fast(data, names, True, CSV) is not None


def test_line_numbers_count_as_an_editor_does(tmp_path: Path) -> None:
    content = 'doc_id,text\n1,"two\nlines"\n\n2,x\n1,y\n'
    path = put(tmp_path, "documents.csv", content)
    assert refusal(read_documents, path) == (
        "documents.csv:6: this doc_id is in line 2 already: '1'\nKeep one line for each document."
    )


QUERY_COLUMNS = "Name the columns query_id, text in the first line."
WIDTH = "Give every line as many cells as the first one; put a cell that holds the separator into quotes."
JSON = 'Write one JSON object a line, such as {"doc_id": "1", "text": "..."}.'
BAD_QUERIES = [
    ("queries.csv", "nr,text\n1,x\n", f"queries.csv:1: the column 'query_id' is missing: 'nr, text'\n{QUERY_COLUMNS}"),
    ("queries.csv", "1,x\n", f"queries.csv:1: the columns 'query_id' and 'text' are missing: '1, x'\n{QUERY_COLUMNS}"),
    ("queries.tsv", "nr\tquery\n1\tx\n", "queries.tsv:1: the column 'query_id' is missing: 'nr, query'\n"
     + QUERY_COLUMNS),
    ("queries.csv", "_id,_id,text\n1,2,y\n", "queries.csv:1: two columns have the same name: '_id'\n"
     "Give each column its own name."),
    ("queries.csv", "query_id,text,text\n1,x,y\n", "queries.csv:1: two columns have the same name: 'text'\n"
     "Give each column its own name."),
    ("queries.csv", "query_id,text\n1,a,b\n2,x\n3\n", "queries.csv:2: expected 2 columns, found 3: '1 a b'\n"
     f"queries.csv:4: expected 2 columns, found 1: '3'\n{WIDTH}"),
    ("queries.tsv", "1\tx\n2\n", f"queries.tsv:2: expected 2 columns, found 1: '2'\n{WIDTH}"),
    ("queries.tsv", "query_id\ttext\n1\t\"x\n2\ty\tz\n",
     f"queries.tsv:3: expected 2 columns, found 3: '2 y z'\n{WIDTH}"),
    ("queries.csv", 'query_id,text\n1,"open\n2,x\n', "queries.csv:2: a quote is opened and never closed\n"
     "Close every quote, and write a quote inside a quoted cell twice."),
    ("queries.csv", "query_id,text\n1,x\n1,y\n", "queries.csv:3: this query_id is in line 2 already: '1'\n"
     "Keep one line for each query."),
    ("queries.csv", "query_id,text\n,x\n",
     "queries.csv:2: the query_id is empty or not text\nGive every row a query_id."),
    ("queries.jsonl", '{"query_id": "1", "text": "x"}\n{"query_id": \n[1]\n', "queries.jsonl:2: not a JSON object: "
     f"'{{\"query_id\": '\nqueries.jsonl:3: not a JSON object: '[1]'\n{JSON}"),
    ("queries.jsonl", '{"query_id": true, "text": "x"}\n{"query_id": 1.5, "text": "x"}\n{"text": "x"}\n',
     "queries.jsonl:1: the query_id is empty or not text\nqueries.jsonl:2: the query_id is a fraction, not text or a "
     "whole number: '1.5'\nqueries.jsonl:3: the query_id is empty or not text\nGive every row a query_id."),
    ("queries.jsonl", '{"query_id": "1", "text": null}\n{"query_id": "2", "text": 5}\n',
     "queries.jsonl:1: the text is not text\nqueries.jsonl:2: the text is not text: '5'\nGive every query a text."),
    ("queries.jsonl", '{"query_id": "1", "text": "\\ud800"}\n',
     "queries.jsonl:1: half a character (a lone surrogate): '{\"query_id\": \"1\", \"text\": \"\\\\ud800\"}'\n" + JSON),
    ("queries.jsonl", '{"nr": "1", "text": "x"}\n', "queries.jsonl: the column 'query_id' is missing: 'nr, text'\n"
     "Call the columns or keys query_id, text."),
    ("queries.parquet", "no",
     "queries.parquet: the file is not a sound Parquet file\nWrite it again, or save it as CSV."),
    ("queries.csv", b"query_id,text\n1,caf\xe9\n",
     "queries.csv:2: not UTF-8 text: byte 0xE9 at position 6 of the line\n"
     "Save the file as UTF-8 text."),
    ("queries.csv", "", "queries.csv: the file is empty\nRemove it, or fill it."),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "message"), BAD_QUERIES)
def test_bad_queries(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    assert refusal(read_queries, put(tmp_path, name, content)) == message


def test_lines_are_counted_past_megabytes_and_open_quotes(tmp_path: Path) -> None:
    csv.field_size_limit(131_072)
    path = put(tmp_path, "documents.csv", f"doc_id,text\n1,{'word ' * 200_000}\n1,x\n")
    assert refusal(read_documents, path).startswith("documents.csv:3: this doc_id is in line 2 already: '1'\n")
    path = put(tmp_path, "documents.tsv", 'doc_id\ttext\n1\t"abc\n2\tdef"\n1\tx\n')
    assert refusal(read_documents, path).startswith("documents.tsv:4: this doc_id is in line 2 already: '1'\n")


def test_bad_documents(tmp_path: Path) -> None:
    path = put(tmp_path, "documents.jsonl", '{"doc_id": "1", "text": 5, "title": []}\n{"doc_id": "1", "text": "x"}\n')
    assert refusal(read_documents, path) == (
        "documents.jsonl:1: the text is not text: '5'\nWrite texts and titles as text, in quotes in JSON."
    )


def test_quoted_cells_with_tabs_are_found_in_tsv(tmp_path: Path) -> None:
    assert queries(tmp_path, "queries.tsv", 'query_id\ttext\n1\t"a\tb"\n2\t"c\nd"\n') == [("1", "a\tb"), ("2", "c\nd")]
    data = b'query_id\ttext\n1\t"abc\n2\tdef"\n'
    found = read_columns(data, "f", ["query_id", "text"], header=True, dialect=TSV).to_numpy().tolist()
    assert found == [["1", '"abc'], ["2", 'def"']], "two sound lines are never read as one"
