"""Queries, documents, labels, words and weights: golden rows, text as it is, what is taken for a group and said; and
files that cannot be read: every format's exact words, line by line, and the remedy."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import DataError, noticing
from fairviz.evaluation.formats import to_csv
from fairviz.study import collection_counts
from fairviz.study.collection_counts import Lookup
from fairviz.study.loaders import read_documents, read_labels, read_lexicon, read_qrels, read_queries, read_run
from fairviz.study.loaders.lines import MARK, TSV, guard_frame, guard_rows, is_guarded, read_columns, unguard
from fairviz.study.loaders.metadata import read_metadata
from fairviz.study.loaders.qrels import REMEDIES
from fairviz.study.loaders.texts import DOCUMENT, TOPIC
from fairviz.study.loaders.weights import parse_weights, read_weights
from fairviz.study.loaders.word_files import read_counterparts, read_stop_words
from tests.conftest import refused
from tests.study.loaders.files import put, read_collection, refusal, rows

NASTY = [
    '<script>alert("x")</script>', "tab\there", 'say "hi"', "two\nlines", "", "null", "NA", " a ", "é🙂", "a,b", '"',
]  # fmt: skip


def queries(folder: Path, name: str, content: str | bytes) -> list[tuple]:
    return rows(read_queries(put(folder, name, content), folder))


def documents(folder: Path, name: str, content: str | bytes) -> list[tuple]:
    return rows(read_documents(put(folder, name, content), folder))


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


def test_line_ends_of_every_system(tmp_path: Path) -> None:
    for end in ("\n", "\r\n", "\r", "\r\r\n"):
        run = read_run(put(tmp_path, "a.run", f"1 Q0 d 1 2.5 t{end}1 Q0 e 2 1.5 t{end}"))
        assert rows(run, "doc_id", "rank") == [("d", 1), ("e", 2)]
        assert read_qrels(put(tmp_path, "q.txt", f"1 0 d 1{end}1 0 e 2{end}"))["relevance"].tolist() == [1, 2]
        for quote in ("", '"'):
            table = read_queries(put(tmp_path, "q.csv", f"query_id,text{end}1,{quote}a{quote}{end}2,b{end}"))
            assert rows(table, "query_id", "text") == [("1", "a"), ("2", "b")]
        assert rows(read_queries(put(tmp_path, "q.tsv", f"1\ta{end}2\tb{end}")), "text") == [("a",), ("b",)]
        lines = '{"query_id": "1", "text": "a"}' + end
        assert rows(read_queries(put(tmp_path, "q.jsonl", lines)), "text") == [("a",)]
        assert read_lexicon(put(tmp_path, "l.csv", f"she,f{end}he,m{end}")).words == (("she", "female"), ("he", "male"))
        assert parse_weights("w.csv", f"1,0.5{end}2,1{end}".encode()) == (0.5, 1.0)
    assert read_metadata(put(tmp_path, "study.toml", "title = 'a'\rlicence = 'b'\r")).licence == "b"


def test_line_ends_inside_quotes_and_before_a_header(tmp_path: Path) -> None:
    table = read_documents(put(tmp_path, "d.csv", 'doc_id,text\r\n1,"a\r\nb\rc\nd"\r\n2,\u2028\x85\r\n'))
    assert rows(table, "doc_id", "text") == [("1", "a\r\nb\rc\nd"), ("2", "\u2028\x85")]
    for start in ("\n", "  \n", "\t\r\n", "\ufeff\n", "\ufeff\ufeff"):
        table = read_documents(put(tmp_path, "d.csv", f"{start}doc_id,text\n1,a\n"))
        assert rows(table, "doc_id", "text") == [("1", "a")]


def test_long_cells_and_numbers_spelt_as_anywhere(tmp_path: Path) -> None:
    word = "a" * 200_000
    assert read_lexicon(put(tmp_path, "l.csv", f"{word},f\n")).words == ((word, "female"),)
    assert refusal(read_lexicon, put(tmp_path, "l.csv", f"{word}\n"), tmp_path).startswith(
        "l.csv:1: expected 2 columns, found 1"
    )
    with pytest.raises(DataError, match=r"^w: the rank|^w:1: the rank is not a whole number from 1 to 1000: '1111"):
        parse_weights("w", b"1" * 200_000 + b",1\n")
    with pytest.raises(DataError, match=r"^w:1: a quote is opened and never closed: '\"1,1'\n"):
        parse_weights("w", b'"1,1\n')
    run = read_run(put(tmp_path, "a.run", "1 Q0 d +5 +.5e-0002 t\n1 Q0 0x1F 0000000000007 5. t\n1 Q0 e -0 1e-4000 t\n"))
    assert rows(run, "doc_id", "rank", "score") == [("d", 5, 0.005), ("0x1F", 7, 5.0), ("e", 0, 0.0)]
    for text in ("1_000", "٣", "5.5", ""):
        with pytest.raises(DataError):
            read_qrels(put(tmp_path, "q.txt", f"1 0 d {text}\n"))


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


# --- Labels, lists of words and weights: what is read, and what is taken for a group and said


def read_noticing(path: Path, folder: Path, noticed: list[str]) -> pd.DataFrame:
    with noticing(noticed):
        return read_labels(path, folder)


def test_labels_and_rows_that_say_the_same_again(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", "doc_id,annotator,label,why\n007,a,female,x\nnull,a,male,\n007,b,neutral,\n")
    table = read_noticing(path, tmp_path, noticed := [])
    assert rows(table) == [("007", "a", "female", "x"), ("null", "a", "male", ""), ("007", "b", "neutral", "")]
    assert noticed == []
    table = read_labels(put(tmp_path, "labels.tsv", "doc_id\tlabel\n7\tmale\n"))
    assert rows(table) == [("7", "annotator", "male")]
    path = put(tmp_path, "labels.csv", "doc_id,annotator,label\n1,a,male\n1,a,male\n2,a,male\n1,b,male\n")
    assert len(read_noticing(path, tmp_path, noticed)) == 3
    assert noticed == ["labels.csv: 1 row repeats an earlier one, read once."]


def test_spellings_that_leave_no_doubt(tmp_path: Path) -> None:
    """Also of the answers of test questions."""
    names = ["F", "f", "Female", "MALE", "male ", "m", "Neutral", "N", "female", "F"]
    content = "doc_id,label\n" + "".join(f"{i},{name}\n" for i, name in enumerate(names))
    table = read_noticing(put(tmp_path, "labels.csv", content), tmp_path, noticed := [])
    assert table["label"].str[0].tolist() == list("fffmmmnnff")
    assert set(table["label"]) == {"neutral", "female", "male"}
    assert noticed[0] == "labels.csv: the label 'F' was read as 'female' (2 times)."
    assert noticed[3] == "labels.csv: the label 'MALE' was read as 'male' (once)."
    assert len(noticed) == 8
    content = "doc_id,annotator,label,test_label\n1,a,male,M\n2,a,female,\n3,a,neutral,neutral\n"
    table = read_noticing(put(tmp_path, "labels.csv", content), tmp_path, noticed := [])
    assert table["test_label"].tolist() == ["male", "", "neutral"]
    assert noticed == ["labels.csv: the test_label 'M' was read as 'male' (once)."]


def test_groups_of_the_study(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", "doc_id,label\n1,M\n")
    groups = ("none", "man", "men", "woman")
    with pytest.raises(DataError) as error:
        read_labels(path, tmp_path, groups)
    assert error.value.lines[0].problem == "a label outside the groups", "M may be man and men"
    assert read_labels(path, tmp_path, ("none", "man", "woman"))["label"].tolist() == ["man"]
    assert read_labels(path, tmp_path, None)["label"].tolist() == ["M"]


def test_word_lists(tmp_path: Path) -> None:
    for content in ("she,f\nHe,m\n", "word,group\nShe,female\nhe,Male\n", "word\tgender\nshe\tF\nhe\tM\nHE\tm\n"):
        lexicon = read_lexicon(put(tmp_path, "lexicon.csv", content))
        assert (lexicon.name, lexicon.words) == ("lexicon", (("she", "female"), ("he", "male")))
    path = put(tmp_path, "lexicon-mine.csv", "they,other\nshe,f\n")
    assert read_lexicon(path, groups=("neutral", "female", "other")).words == (("they", "other"), ("she", "female"))
    assert read_lexicon(path, groups=None).words == (("they", "other"), ("she", "female"))
    assert read_lexicon(path, groups=None).name == "mine"
    path = put(tmp_path, "stop.txt", b"\xef\xbb\xbf  a\r\n\tThe \n\n  a\ndon't\n")
    assert read_stop_words(path) == ("a", "the", "don't")


def test_published_word_lists(shared_data: Path) -> None:
    long = read_lexicon(shared_data / "fairness-retrieval-results" / "wordlist_gender_representative.txt")
    assert len(long.words) == 326
    assert all(word == word.lower() for word, _ in long.words)
    short = read_lexicon(shared_data / "genderbias-ir" / "wordlist_genderspecific.txt")
    assert len(short.words) == 64
    assert set(short.groups) == {"female", "male"}
    words = read_stop_words(shared_data / "indri" / "stoplist.txt")
    assert (len(words), words[0], words[9], words[-1]) == (418, "a", "albeit", "yourselves")


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("female,male\nshe,he\n", (("she", "he"),)),
        ("she,he\nfemale,male\n", (("she", "he"), ("female", "male"))),
        ("\ufeffshe\the\n\nMary  Ann, John\nshe,he\n", (("she", "he"), ("Mary Ann", "John"))),
    ],
)
def test_pairs(tmp_path: Path, content: str, pairs: tuple) -> None:
    assert read_counterparts(put(tmp_path, "pairs.csv", content), tmp_path) == pairs


def test_weights_with_and_without_a_header_and_blanks_around_them(tmp_path: Path) -> None:
    path = put(tmp_path, "clicks.csv", b"\xef\xbb\xbfRank,Weight\r\n1,0.5\r\n\r\n3,0.25\r\n")
    assert read_weights(path) == (0.5, 0.0, 0.25)
    assert parse_weights("w.tsv", b"2\t1\n1\t2\n") == (2.0, 1.0)
    for blank in "\x0b\x1c\x1f\x85\u2003":  # also control characters that `str.strip` takes off and `int` does not
        content = f"{blank}1{blank},0.5\n{blank}2{blank},{blank}0.25{blank}\n".encode()
        assert parse_weights("w.csv", content) == (0.5, 0.25)


# --- Texts that a spreadsheet would run: guarded in a file that says so, and read back by every reader


TEXT = st.text("=+-@'＝\t\nab", max_size=4) | st.just(MARK)
FORMULA = tuple("=+-@＝＋－＠\t\r\n")


@given(st.lists(TEXT, min_size=1, max_size=3), st.lists(st.lists(TEXT | st.floats() | st.integers()), max_size=3))
def test_guarded_rows_begin_no_formula_and_come_back(names, rows):
    rows = [[*row, *[""] * len(names)][: len(names)] for row in rows]
    lines = guard_rows(names, rows)
    texts = [cell for line in lines for cell in line if isinstance(cell, str)]
    assert not [cell for cell in texts if cell.startswith(FORMULA)]
    numbers = [cell for line in lines for cell in line if not isinstance(cell, str)]
    assert list(map(repr, numbers)) == [repr(cell) for row in rows for cell in row if not isinstance(cell, str)]
    if is_guarded(lines[0]):
        lines = [[unguard(cell) if isinstance(cell, str) else cell for cell in line[:-1]] for line in lines]
    assert list(map(repr, lines)) == list(map(repr, [names, *rows]))


@given(st.lists(st.tuples(TEXT, st.floats(allow_nan=False)), max_size=3))
def test_a_frame_is_guarded_as_rows_are(rows):
    frame = pd.DataFrame(rows, columns=["system", "value"]).astype({"system": "category", "value": "float64"})
    lines = list(csv.reader(io.StringIO(to_csv(frame), newline="")))
    expected = guard_rows(["system", "value"], rows)
    assert lines == [[str(cell) for cell in line] for line in expected]


def test_scores_as_csv():
    frame = pd.DataFrame(
        {"system": ["=HYPERLINK(1)", "'own", "bm25"], "measure": "CWEx@10", "value": [-0.5, None, 1e-9]}
    )
    assert to_csv(frame) == (
        "system,measure,value,guarded_by_apostrophe\n"
        "'=HYPERLINK(1),CWEx@10,-0.5,yes\n"
        "''own,CWEx@10,,yes\n"
        "bm25,CWEx@10,1e-09,yes\n"
    )
    assert to_csv(frame.tail(1)) == "system,measure,value\nbm25,CWEx@10,1e-09\n", "nothing to guard, nothing said"
    assert guard_frame(frame.tail(1)).columns.tolist() == ["system", "measure", "value"]
    assert to_csv(pd.DataFrame({"=x": [1], MARK: ["no"]})) == f"'=x,'{MARK},{MARK}\n1,no,yes\n"


NO_NAME = "labels.csv:1: column {0} has no name, and column_{0} is another's\nGive each column its own name."


def test_only_a_file_that_says_so_is_unguarded_and_bad_lines_are_named_as_they_mean(tmp_path):
    for content, ids in (
        (f"doc_id,label,{MARK}\n'-a,male,yes\n''b,male,yes\nc,male,yes\n", ["-a", "'b", "c"]),
        ("doc_id,label\n'-a,male\n''b,male\nc,male\n", ["'-a", "''b", "c"]),
        (f"doc_id,{MARK},label\n'-a,yes,male\n", ["'-a"]),
    ):
        assert read_labels(put(tmp_path, "labels.csv", content))["doc_id"].tolist() == ids
    told = refusal(read_labels, put(tmp_path, "labels.csv", f"doc_id,label,{MARK}\n-a,'=x,yes\n"), tmp_path)
    assert told.startswith("labels.csv:2: a label outside the groups: '=x'\n")
    # a column that is called as the mark and says something else is not lost
    content = f"doc_id,label,{MARK}\na,male,no\nb,male,yes\nc,male,\n"
    assert refusal(read_labels, put(tmp_path, "labels.csv", content), tmp_path) == (
        f"labels.csv:2: the last column is {MARK}, and its value is not yes: 'no'\n"
        f"labels.csv:4: the last column is {MARK}, and its value is not yes: ''\n"
        f"Write yes in each of its rows if apostrophes precede cells, or give the column another name."
    )


def test_a_column_without_a_name_is_called_by_its_place_and_takes_no_other_column_s(tmp_path):
    path = put(tmp_path, "labels.csv", "doc_id,label,column_3,\na,male,1,2\n")
    assert read_labels(path).columns.tolist()[-2:] == ["column_3", "column_4"]
    for content, place in (
        ("doc_id,label,column_4,\na,male,1,2\n", 4),
        ("doc_id,,label,column_2\na,1,male,2\n", 2),
        (f"doc_id,,label,'column_2,{MARK}\na,1,male,2,yes\n", 2),
    ):
        assert refusal(read_labels, put(tmp_path, "labels.csv", content), tmp_path) == NO_NAME.format(place)


# --- The lookup of wanted documents in files of word counts: each way against a dictionary


IDS = st.lists(st.text("aé1\0", max_size=3), unique=True, max_size=20)


@pytest.mark.parametrize("different", [1 << 62, 3, 1])
@given(wanted=IDS, ids=IDS)
def test_a_lookup_gives_the_places_of_a_dictionary(different: int, wanted: list[str], ids: list[str]) -> None:
    """Also where many ids have the same hash."""
    with pytest.MonkeyPatch.context() as patch:
        hashes = collection_counts._hashes
        patch.setattr(collection_counts, "_hashes", lambda ids: hashes(ids) % different)
        found = Lookup(pd.Index(wanted, dtype="str")).places(pa.chunked_array([pa.array(ids, type=pa.string())]))
    place = {name: number for number, name in enumerate(wanted)}
    assert found.tolist() == [place.get(name, -1) for name in ids]


# --- What cannot be read.


COLUMNS = "Give every line as many cells as the first one; put a cell that holds the separator into quotes."
QUOTES = "Close every quote, and write a quote inside a quoted cell twice."
JSON = 'Write one JSON object a line, such as {"doc_id": "1", "text": "..."}.'
RUN = "Write a run line as: query_id Q0 doc_id rank score tag."
SCORE = "Write the score as a finite number, such as 8.5."
RANK = "Write the rank as a whole number."
ONCE = "Keep one line for each document of a query."
GRADE = "Write the relevance as a whole number, 0 for not relevant."
EMPTY = "the file is empty\nRemove it, or fill it."
QUERY_COLUMNS = "Name the columns query_id, text in the first line."
OWN_NAMES = "Give each column its own name."
STOP_WORDS = "Write one word a line, and nothing else."
PAIRS = "Write a line as: female,male, such as: she,he."
WEIGHTS = "Give two columns, rank and weight, such as: 1,0.42"
GROUPS = (
    "Use one of neutral, female, male (or the first letter, in any case). Other groups go into study.toml as groups = "
    "[...]; labels that are not genders need labels = 'other' there."
)
STOPPED = "reading stopped here, after 100 bad lines"
Read = Callable[..., object]


def weights_of(path: Path, _: Path) -> object:
    return parse_weights(path.name, path.read_bytes())


# For each reader and file name: what the file holds, and the whole message.
TOLD: list[tuple[Read, str, list[tuple[str | bytes, str]]]] = [
    (read_run, "a.run", [
        ("1 Q0 d9 1 9.5 t\n1 Q0 d7 2 8.5\n", f"a.run:2: expected 6 columns, found 5: '1 Q0 d7 2 8.5'\n{RUN}"),
        ("1 Q0 d7 2 8.5 t extra\n", f"a.run:1: expected 6 columns, found 7: '1 Q0 d7 2 8.5 t extra'\n{RUN}"),
        ("1 Q0 d 1 2.5 t\n1 Q0 e\r7 2 1.5 t\n", "a.run:2: expected 6 columns, found 3: '1 Q0 e'\n"
         f"a.run:3: expected 6 columns, found 4: '7 2 1.5 t'\n{RUN}"),
        *((f"1 Q0 d7 1 {score} t\n", f"a.run:1: the score is not a finite number: '{score}'\n{SCORE}")
          for score in ("nan", "inf", "1e999", "high")),
        *((f"1 Q0 d7 {rank} 8 t\n", f"a.run:1: the rank is not a whole number: '{rank}'\n{RANK}")
          for rank in ("1.5", "NA", "0X1")),
        ("1 Q0 d7 NA 8 t\n1 Q0 d8 2 null t\n", "a.run:1: the rank is not a whole number: 'NA'\n"
         f"a.run:2: the score is not a finite number: 'null'\n{SCORE}\n{RANK}"),
        ("1 Q0 d 2147483648 2.5 t\n", f"a.run:1: the rank is larger than 2,147,483,647: '2147483648'\n{RANK}"),
        ("1 Q0 d7 1 2 t\n1 Q0 d7 3 1 t\n", f"a.run:2: document 'd7' is ranked for query '1' in line 1 already\n{ONCE}"),
        ("1 Q0 a 1 2 one\n1 Q0 b 2 1 two\n1 Q0 c 3 0 two\n",
         "a.run:2: a second tag in a file whose tag is 'one': 'two'\nPut each system into a file of its own."),
        ("1 Q0 a 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b x nan t\n1 Q0 c\n",  # every bad line, and each remedy once
         "a.run:2: document 'a' is ranked for query '1' in line 1 already\n"
         "a.run:3: the rank is not a whole number: 'x'\na.run:3: the score is not a finite number: 'nan'\n"
         f"a.run:4: expected 6 columns, found 3: '1 Q0 c'\n{RUN}\n{SCORE}\n{RANK}\n{ONCE}"),
        ("", f"a.run: {EMPTY}"),
        (" \n\n\t\n", f"a.run: {EMPTY}"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
         "a.run: the file is not text (a zero byte at position 9)\nSave the file as UTF-8 text."),
        ("1 Q0 d 1 2 t\n".encode("utf-16"), "a.run: the file is UTF-16 text, not UTF-8\nSave the file as UTF-8 text."),
        (b"1 Q0 d 1 2 t\n3 Q0 caf\xe9 1 1 t\n",
         "a.run:2: not UTF-8 text: byte 0xE9 at position 9 of the line\nSave the file as UTF-8 text."),
    ]),
    (read_qrels, "q.txt", [
        ("1 0 d\n", f"q.txt:1: expected 4 columns, found 3: '1 0 d'\n{REMEDIES['columns']}"),
        ("1 0 d 1\n1 0 e high\n1 0 f 0.5\n1 0 g 0x10\n", "q.txt:2: the relevance is not a whole number: 'high'\n"
         "q.txt:3: the relevance is not a whole number: '0.5'\n"
         f"q.txt:4: the relevance is not a whole number: '0x10'\n{GRADE}"),
        ("1 0 d 1\n2 0 d 1\n1 0 d 0\n", f"q.txt:3: document 'd' is judged for query '1' in line 1 already\n{ONCE}"),
        ("query-id\tcorpus-id\tscore\n007\tnull\t2\n1\td\thigh\n007\tnull\t1\n",  # BEIR's columns
         "q.txt:3: the relevance is not a whole number: 'high'\n"
         f"q.txt:4: document 'null' is judged for query '007' in line 2 already\n{GRADE}\n{ONCE}"),
        ("\r\n" * 10, f"q.txt: {EMPTY}"),
    ]),
    (read_queries, "q.csv", [
        ("nr,text\n1,x\n", f"q.csv:1: the column 'query_id' is missing: 'nr, text'\n{QUERY_COLUMNS}"),
        ("1,x\n", f"q.csv:1: the columns 'query_id' and 'text' are missing: '1, x'\n{QUERY_COLUMNS}"),
        ("_id,_id,text\n1,2,y\n", f"q.csv:1: two columns have the same name: '_id'\n{OWN_NAMES}"),
        ("query_id,text,text\n1,x,y\n", f"q.csv:1: two columns have the same name: 'text'\n{OWN_NAMES}"),
        ("query_id,text\n1,a,b\n2,x\n3\n", "q.csv:2: expected 2 columns, found 3: '1 a b'\n"
         f"q.csv:4: expected 2 columns, found 1: '3'\n{COLUMNS}"),
        ('query_id,text\n1,"open\n2,x\n', f"q.csv:2: a quote is opened and never closed\n{QUOTES}"),
        ("query_id,text\n1,x\n1,y\n",
         "q.csv:3: this query_id is in line 2 already: '1'\nKeep one line for each query."),
        ("query_id,text\n,x\n", "q.csv:2: the query_id is empty or not text\nGive every row a query_id."),
        (b"query_id,text\n1,caf\xe9\n",
         "q.csv:2: not UTF-8 text: byte 0xE9 at position 6 of the line\nSave the file as UTF-8 text."),
        ("", f"q.csv: {EMPTY}"),
    ]),
    (read_queries, "q.tsv", [
        ("nr\tquery\n1\tx\n", f"q.tsv:1: the column 'query_id' is missing: 'nr, query'\n{QUERY_COLUMNS}"),
        ("1\tx\n2\n", f"q.tsv:2: expected 2 columns, found 1: '2'\n{COLUMNS}"),
        ('query_id\ttext\n1\t"x\n2\ty\tz\n', f"q.tsv:3: expected 2 columns, found 3: '2 y z'\n{COLUMNS}"),
        ("1\ta\n\t\n2\tb\n", "q.tsv:2: the query_id is empty or not text\nGive every row a query_id."),
    ]),
    (read_queries, "q.jsonl", [
        ('{"query_id": "1", "text": "x"}\n{"query_id": \n[1]\n', "q.jsonl:2: not a JSON object: '{\"query_id\": '\n"
         f"q.jsonl:3: not a JSON object: '[1]'\n{JSON}"),
        ('{"query_id": true, "text": "x"}\n{"query_id": 1.5, "text": "x"}\n{"text": "x"}\n',
         "q.jsonl:1: the query_id is empty or not text\nq.jsonl:2: the query_id is a fraction, not text or a whole "
         "number: '1.5'\nq.jsonl:3: the query_id is empty or not text\nGive every row a query_id."),
        ('{"query_id": "1", "text": null}\n{"query_id": "2", "text": 5}\n',
         "q.jsonl:1: the text is not text\nq.jsonl:2: the text is not text: '5'\nGive every query a text."),
        ('{"query_id": "1", "text": "\\ud800"}\n',
         f"q.jsonl:1: half a character (a lone surrogate): '{{\"query_id\": \"1\", \"text\": \"\\\\ud800\"}}'\n{JSON}"),
        ('{"nr": "1", "text": "x"}\n', "q.jsonl: the column 'query_id' is missing: 'nr, text'\n"
         "Call the columns or keys query_id, text."),
    ]),
    (read_queries, "q.parquet", [
        ("no", "q.parquet: the file is not a sound Parquet file\nWrite it again, or save it as CSV."),
    ]),
    (read_documents, "d.csv", [
        ('doc_id,text\n1,"Opening words\n2,two\n3,three\n4,"Another\n5,five\n',
         f"d.csv:2: text after a closing quote in line 5\n{QUOTES}"),
        ('doc_id,text\n1\n2,"a"b\n',
         f"d.csv:2: expected 2 columns, found 1: '1'\nd.csv:3: text after a closing quote\n{COLUMNS}\n{QUOTES}"),
        ('doc_id,text\n1,"two\nlines"\n\n2,x\n1,y\n',  # lines are counted as in an editor
         "d.csv:6: this doc_id is in line 2 already: '1'\nKeep one line for each document."),
        (b"a," + b"x" * 99_997 + "é".encode() + b"\n",  # the first line is cut inside a character
         "d.csv:1: the columns 'doc_id' and 'text' are missing: 'a, " + "x" * 116 + "…'\n"
         "Name the columns doc_id, text in the first line."),
        ("\ndoc_id,text" + ",x" * 999 + "\n", "d.csv:2: the first line has more than 1,000 columns: 'doc_id,text"
         + ",x" * 54 + "…'\nKeep the columns that are needed."),
    ]),
    (read_documents, "d.jsonl", [
        ('{"doc_id": "1", "text": 5, "title": []}\n{"doc_id": "1", "text": "x"}\n',
         "d.jsonl:1: the text is not text: '5'\nWrite texts and titles as text, in quotes in JSON."),
        ('{"doc_id": "1", "text": "a"}\n{"doc_id": "2", "text": "b", "text": "c"}\n', "d.jsonl:2: the key 'text' "
         f"appears twice: '{{\"doc_id\": \"2\", \"text\": \"b\", \"text\": \"c\"}}'\n{JSON}"),
        ('{"doc_id": "1", "text": "a", "m": {"k": 1, "k": 2}}\n', "d.jsonl:1: the key 'k' appears twice: "
         f"'{{\"doc_id\": \"1\", \"text\": \"a\", \"m\": {{\"k\": 1, \"k\": 2}}}}'\n{JSON}"),
        ('{"doc_id": ' + "1" * 5000 + "}\n",
         f"d.jsonl:1: a number of too many digits: '{{\"doc_id\": {'1' * 108}…'\n{JSON}"),
        ('{"doc_id": ' + "[" * 5000 + "\n",
         f"d.jsonl:1: too many brackets inside one another: '{{\"doc_id\": {'[' * 108}…'\n{JSON}"),
        ("".join(f'{{"k{n}": 1}}\n' for n in range(1001)),
         "d.jsonl:1001: more than 1,000 different keys\nKeep those that are needed."),
    ]),
    (read_queries, "topics.txt", [
        ("\n\nhello\n<top>\n<num> 1 <title> x\n", "topics.txt:3: text outside of the tags: 'hello'\n"
         f"topics.txt:4: the <TOP> that begins here is not closed\n{TOPIC}"),
        ("<top>\n<num> 1 <title> x\n<top>\n<num> 2\n<title>\n</top>\n</top>\n",
         "topics.txt:1: the <TOP> that begins here is not closed\ntopics.txt:3: the topic that begins here has no "
         f"<title>\ntopics.txt:7: a </TOP> that closes nothing\n{TOPIC}"),
        ("<top>\n<desc> x\n</top>\n", "topics.txt:1: the topic that begins here has no <num>\n"
         f"topics.txt:1: the topic that begins here has no <title>\n{TOPIC}"),
    ]),
    (read_documents, "d.txt", [
        ("<DOC>\n<TEXT>x</TEXT>\n</DOC>\n<DOC>\n<DOCNO>a b</DOCNO>\n</DOC>\n<DOC>\n",
         "d.txt:1: the document that begins here has no DOCNO of one word\n"
         "d.txt:4: the document that begins here has no DOCNO of one word: 'a b'\n"
         f"d.txt:7: the <DOC> that begins here is not closed\n{DOCUMENT}"),
        ("x\r\ny\r\n<DOC>\r\n<DOCNO>a</DOCNO></DOC> z\n", "d.txt:1: text outside of the tags: 'x'\n"
         f"d.txt:4: text outside of the tags: 'z'\n{DOCUMENT}"),
        ("<DOC>\n<DOCNO>a</DOCNO>\n</DOC>\n" * 2,
         "d.txt:4: this doc_id is in line 1 already: 'a'\nKeep one of each doc_id."),
    ]),
    (read_labels, "l.csv", [
        ("doc_id,label\n1,male\n2,botrh\n3,both\n", "l.csv:3: a label outside the groups: 'botrh'\n"
         f"l.csv:4: a label outside the groups: 'both'\n{GROUPS}"),
        ("doc_id,annotator,label,test_label\n1,a,male,botrh\n2,a,female,\n",
         f"l.csv:2: a test_label outside the groups: 'botrh'\n{GROUPS}"),
        ("doc_id,label\n1,\n", "l.csv: no row has a label\nFill the column label."),
        ('doc_id,label\n1,"[""female"", ""male""]"\n', "l.csv:2: 2 labels for one document: '[\"female\", \"male\"]'\n"
         "Keep one label of each annotator for a document; shares of several groups go into a column share."),
        ("doc_id,label\n1,male\n1,F\n", "l.csv:3: annotator 'annotator' calls document '1' 'male' in line 2 and "
         "otherwise here: 'female'\nKeep one label of each annotator for a document."),
        ("doc_id,gender\n1,male\n", "l.csv:1: the column 'label' is missing: 'doc_id, gender'\n"
         "Name the columns doc_id, label in the first line."),
    ]),
    (read_labels, "l.jsonl", [
        ('{"doc_id": "1", "label": "male", "test_label": 5}\n',
         "l.jsonl:1: the test_label is not text: '5'\nWrite labels as text, in quotes in JSON."),
    ]),
    (read_lexicon, "l.csv", [
        ("she,f\nhe\n,m\nthey,other\nShe,m\n", "l.csv:2: expected 2 columns, found 1: 'he'\n"
         "l.csv:3: the word is empty: ',m'\nl.csv:4: unknown group: 'they,other'\n"
         "l.csv:5: 'she' is female in line 1: 'She,m'\nWrite a line as: word,group.\nGive every line a word.\n"
         "Use one of neutral, female, male (or the first letter, in any case).\nKeep each word in one group."),
        ("word,group\n", "l.csv: the lexicon holds no word\nWrite a line as: word,group."),
        ('she,f\n"he,m\n', f"l.csv:2: a quote is opened and never closed: '\"he,m'\n{QUOTES}"),
    ]),
    (read_stop_words, "stop.txt", [
        ("the\ni | me\nof a\n", "stop.txt:2: expected 1 word, found 3: 'i | me'\n"
         f"stop.txt:3: expected 1 word, found 2: 'of a'\n{STOP_WORDS}"),
        (" \n\n", f"stop.txt: {EMPTY}"),
        ("\u00a0\n", f"stop.txt: the stop list holds no word\n{STOP_WORDS}"),
        ("\n".join(map(str, range(10_001))), "stop.txt: the stop list holds 10,001 words\nGive 10,000 or fewer."),
    ]),
    (read_counterparts, "pairs.csv", [
        ("", f"pairs.csv: {EMPTY}"),
        ("female,male\n", f"pairs.csv: the list holds no pair\n{PAIRS}"),
        ("she\nhe\n", "pairs.csv:1: expected 2 columns, found 1: 'she'\n"
         f"pairs.csv:2: expected 2 columns, found 1: 'he'\n{PAIRS}"),
        ("she,he\nher,him,his\n", f"pairs.csv:2: expected 2 columns, found 3: 'her,him,his'\n{PAIRS}"),
        ("she,\n", f"pairs.csv:1: a word has no counterpart: 'she,'\n{PAIRS}"),
        ("Robin,robin\n", f"pairs.csv:1: the word is its own counterpart: 'Robin,robin'\n{PAIRS}"),
        ("!,?\n", f"pairs.csv:1: there is no letter in it: '!,?'\n{PAIRS}"),
    ]),
    (weights_of, "w.csv", [
        ("1|0.5\n", f"w.csv:1: expected 2 columns, found 1: '1|0.5'\n{WEIGHTS}"),
        ("rank,weight\n0,1\n", f"w.csv:2: the rank is not a whole number from 1 to 1000: '0,1'\n{WEIGHTS}"),
        ("1001,1\n", f"w.csv:1: the rank is not a whole number from 1 to 1000: '1001,1'\n{WEIGHTS}"),
        ("1,1\n1,2\n", f"w.csv:2: rank 1 appears twice: '1,2'\n{WEIGHTS}"),
        ("1,-1\n2,nan\n3,x\n4,inf\n", "w.csv:1: the weight is not a number of 0 or more: '1,-1'\n"
         "w.csv:2: the weight is not a number of 0 or more: '2,nan'\n"
         "w.csv:3: the weight is not a number of 0 or more: '3,x'\n"
         f"w.csv:4: the weight is not a number of 0 or more: '4,inf'\n{WEIGHTS}"),
        ("1,0\n", f"w.csv: no weight above 0\n{WEIGHTS}"),
        ("", f"w.csv: no weight above 0\n{WEIGHTS}"),
        (b"1,\xff\n", "w.csv: not UTF-8 text\nSave it as UTF-8."),
    ]),
]  # fmt: skip
CASES = [(read, name, content, message) for read, name, cases in TOLD for content, message in cases]


@pytest.mark.parametrize(("read", "name", "content", "message"), CASES, ids=[case[1] for case in CASES])
def test_what_is_told(tmp_path: Path, read: Read, name: str, content: str | bytes, message: str) -> None:
    with refused(message, DataError):
        read(put(tmp_path, name, content), tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [("no.run", "No such file or directory"), ("", "Is a directory"), ("a" * 300, "File name too long"),
     ("loop.run", "Too many levels of symbolic links")],
)  # fmt: skip
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "loop.run").symlink_to(tmp_path / "loop.run")
    path = tmp_path / name
    shown = path.relative_to(tmp_path.parent).as_posix()
    told = f"{shown}: the file cannot be read ({message})\nCheck that it is there and that you may read it."
    assert refusal(read_run, path, tmp_path.parent) == told


HUNDRED: list[tuple[Read, str, str, str, int]] = [
    (read_run, "a.run", "", "xy\n", 1),
    (read_run, "a.run", "1 Q0 d 1 2 t\n", "1 Q0 d 1 2 t\n", 2),
    (read_run, "a.run", "1 Q0 d 1 2 t\n", "q{0} Q0 d 1 2 t{0}\n", 2),
    (read_qrels, "q.txt", "", "xy\n", 1),
    (read_documents, "d.csv", "doc_id,text\n", "xy\n", 2),
    (read_documents, "d.csv", "doc_id,text\n", '"xy"\n', 2),
    (read_documents, "d.csv", "doc_id,text\n", ",x\n", 2),
    (read_documents, "d.csv", "doc_id,text\n1,\n", "1,x\n", 3),
    (read_documents, "d.tsv", "doc_id\ttext\n", "xy\n", 2),
    (read_documents, "d.jsonl", "", "xy\n", 1),
    (read_labels, "l.csv", "doc_id,label\n", "{0},x\n", 2),
    (read_labels, "l.csv", "doc_id,label\n1,f\n", "1,m\n", 3),
    (read_lexicon, "l.csv", "", "xy\n", 1),
    (weights_of, "w.csv", "", "xy\n", 1),
    (read_collection, "c.tsv", "", "xy\n", 1),
    (read_metadata, "study.toml", "", "k{0} = 1\n", 1),
]


@pytest.mark.parametrize(("read", "name", "start", "line", "first"), HUNDRED)
def test_a_hundred_bad_lines_are_enough(
    tmp_path: Path, read: Read, name: str, start: str, line: str, first: int
) -> None:
    lines = [line.format(number) for number in range(9000)]
    told = refusal(read, put(tmp_path, name, start + "".join(lines)), tmp_path).split("\n")
    assert told[0].startswith(f"{name}:{first}: ")
    assert told[19].startswith(f"{name}:{first + 19}: ")
    assert told[20:22] == ["… and 80 more bad lines", f"{name}:{first + 99}: {STOPPED}"]
    told = refusal(read, put(tmp_path, name, start + "".join(lines[:23])), tmp_path).split("\n")
    assert told[20] == "… and 3 more bad lines"
