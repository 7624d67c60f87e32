"""TREC's topics and documents: what is read of them, and what is wrong with the others."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import DataError
from fairviz.study.loaders import read_documents, read_queries
from fairviz.study.loaders.texts import DOCUMENT, TOPIC

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


def put(folder: Path, content: str) -> Path:
    path = folder / "file.txt"
    path.write_bytes(content.encode())
    return path


def refusal(read: Callable, path: Path) -> str:
    with pytest.raises(DataError) as error:
        read(path, path.parent)
    return str(error.value)


def rows(table: pd.DataFrame) -> list[list[str]]:
    return table.to_numpy().tolist()


def test_topics(tmp_path: Path) -> None:
    table = read_queries(put(tmp_path, TOPICS))
    assert rows(table) == [["051", 'Airbus Subsidies & "tags" <b>'], ["wt-2", "is a word"]]
    assert table.columns.tolist() == ["query_id", "text"]


def test_documents_stand_as_in_the_file(tmp_path: Path) -> None:
    table = read_documents(put(tmp_path, DOCUMENTS))
    assert table.columns.tolist() == ["doc_id", "title", "text"]
    assert rows(table) == [
        [
            "LA010189-0001",
            "SHE &amp; HE; A STORY",
            "She said: 1 < 2, and <script>alert(1)</script>.\nHe &lt;did&gt;.\nMore of it",
        ],
        ["x-2", "", 'No text tag, <!ENTITY a "aaa"> &a;'],
    ]


BAD_TOPICS = [
    ("\n\nhello\n<top>\n<num> 1 <title> x\n", "file.txt:3: text outside of the tags: 'hello'\n"
     "file.txt:4: the <TOP> that begins here is not closed"),
    ("<top>\n<num> 1 <title> x\n<top>\n<num> 2\n<title>\n</top>\n</top>\n",
     "file.txt:1: the <TOP> that begins here is not closed\nfile.txt:3: the topic that begins here has no <title>\n"
     "file.txt:7: a </TOP> that closes nothing"),
    ("<top>\n<desc> x\n</top>\n", "file.txt:1: the topic that begins here has no <num>\n"
     "file.txt:1: the topic that begins here has no <title>"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "told"), BAD_TOPICS)
def test_bad_topics(tmp_path: Path, content: str, told: str) -> None:
    assert refusal(read_queries, put(tmp_path, content)) == f"{told}\n{TOPIC}"


BAD_DOCUMENTS = [
    ("<DOC>\n<TEXT>x</TEXT>\n</DOC>\n<DOC>\n<DOCNO>a b</DOCNO>\n</DOC>\n<DOC>\n",
     "file.txt:1: the document that begins here has no DOCNO of one word\n"
     "file.txt:4: the document that begins here has no DOCNO of one word: 'a b'\n"
     "file.txt:7: the <DOC> that begins here is not closed"),
    ("x\r\ny\r\n<DOC>\r\n<DOCNO>a</DOCNO></DOC> z\n", "file.txt:1: text outside of the tags: 'x'\n"
     "file.txt:4: text outside of the tags: 'z'"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "told"), BAD_DOCUMENTS)
def test_bad_documents(tmp_path: Path, content: str, told: str) -> None:
    assert refusal(read_documents, put(tmp_path, content)) == f"{told}\n{DOCUMENT}"


def test_an_id_that_stands_twice(tmp_path: Path) -> None:
    one = "<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n"
    assert refusal(read_documents, put(tmp_path, one * 2)) == (
        "file.txt:4: this doc_id is in line 1 already: 'a'\nKeep one of each doc_id."
    )


def test_many_tags_without_their_fellows_cost_no_more_than_their_length(tmp_path: Path) -> None:
    content = "<DOC><DOCNO>a</DOCNO>" + "<TEXT>" * 200_000 + "<P" * 200_000 + " " * 1_000_000 + "x</DOC>"
    assert len(read_documents(put(tmp_path, content))) == 1
    assert refusal(read_documents, put(tmp_path, "<DOC>" * 300_000)).count("\n") == 22
