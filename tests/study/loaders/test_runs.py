"""Runs: what is read, character by character, and the exact words for what cannot be."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.errors import DataError
from fairviz.study.checks import check
from fairviz.study.loaders import read_run, suffixes_of
from fairviz.study.loaders.runs import _read_careful, _read_fast, stack_runs, system_name
from fairviz.study.tables import RUNS, conform, ranked

GOOD = "1 Q0 d9 1 9.5 bm25\n1 Q0 d7 2 8.5 bm25\n2 Q0 d9 1 3 bm25\n"
ROWS = [("bm25", "1", "d9", 1, 9.5), ("bm25", "1", "d7", 2, 8.5), ("bm25", "2", "d9", 1, 3.0)]


def written(folder: Path, content: str | bytes, name: str = "bm25.run") -> Path:
    (folder / "runs").mkdir(exist_ok=True)
    path = folder / "runs" / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(table: pd.DataFrame) -> list[tuple]:
    return list(table.itertuples(index=False, name=None))


def refusal(folder: Path, content: str | bytes, name: str = "bm25.run") -> str:
    with pytest.raises(DataError) as error:
        read_run(written(folder, content, name), folder)
    return str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace(" ", "\t"),
        GOOD.replace(" ", " \t  "),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n \t\n"),
        GOOD.replace("\n", " \n "),
        "\ufeff" + GOOD,
        GOOD.rstrip("\n"),
    ],
    ids=["spaces", "tabs", "mixed", "crlf", "blank lines", "blanks at the ends", "byte-order mark", "no last newline"],
)
def test_white_space_of_any_kind(tmp_path: Path, content: str) -> None:
    table = read_run(written(tmp_path, content))
    assert rows(table) == ROWS
    assert [str(dtype) for dtype in table.dtypes] == ["category", "category", "category", "int32", "float64"]
    assert _read_fast(content.removeprefix("\ufeff").encode(), "bm25") is not None, "no need of the careful reader"


@pytest.mark.parametrize("name", ["bm25.run", "bm25.txt", "bm25.trec", "bm25.tsv"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_names_of_files(tmp_path: Path, name: str, packed: str) -> None:
    content = gzip.compress(GOOD.encode()) if packed else GOOD
    assert rows(read_run(written(tmp_path, content, name + packed))) == ROWS
    assert name[4:] + packed in suffixes_of("runs")


def test_runs_of_beir_are_ordered_by_score(tmp_path: Path) -> None:
    """BEIR's save_runfile writes rank 0 on each line, and documents in any order."""
    written(tmp_path, "q Q0 d1 0 1.5 beir\nq Q0 d2 0 2.5 beir\nq Q0 d3 0 0.5 beir\n", "mine.run.trec")
    study = fairviz.open_study(tmp_path)
    assert study.systems == ("mine.run",)
    assert ranked(study.runs)["doc_id"].tolist() == ["d2", "d1", "d3"]
    findings = check(study)
    remarks = findings[(findings["part"] == "runs") & (findings["remedy"] != "")]
    assert remarks["item"].tolist() == ["lists of mine.run with gaps or repeats in their ranks"]


def test_the_system_is_the_file_not_the_tag(tmp_path: Path) -> None:
    assert set(read_run(written(tmp_path, GOOD, "my run.v2.run"))["system"]) == {"my run.v2"}
    assert [system_name(name) for name in ("a/b.RUN.GZ", "c.run.run", "plain")] == ["b", "c.run", "plain"]


@pytest.mark.parametrize("name", ["007", "null", "NA", "NaN", "nan", "None", "1e5", "-1", "+7", "0x1F", "é🙂中", '"q"'])
def test_ids_are_text(tmp_path: Path, name: str) -> None:
    table = read_run(written(tmp_path, f"{name} Q0 {name} 1 1.5 t\n7 Q0 {name} 1 1 t\n7 Q0 8 2 1 t\n"))
    assert rows(table)[0] == ("bm25", name, name, 1, 1.5)
    assert rows(table)[2] == ("bm25", "7", "8", 2, 1.0)


IDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
NUMBERS = st.integers(0, 10**9).map(str) | st.integers(0, 99).map("{:03d}".format)
QUERIES = IDS.filter(lambda name: not name.startswith("#"))  # which begins a comment
LISTS = st.lists(st.tuples(QUERIES | NUMBERS, IDS | NUMBERS), min_size=1, max_size=30, unique=True)


@settings(deadline=None)
@given(LISTS, st.sampled_from([" ", "\t", "  "]))
def test_ids_come_back_as_they_went(pairs: list[tuple[str, str]], blank: str) -> None:
    lines = [blank.join([query, "Q0", document, "1", "0.25", "t"]) + "\n" for query, document in pairs]
    fast, careful = _read_fast("".join(lines).encode(), "s"), _read_careful("".join(lines).encode(), "s.run", "s")
    for table in (fast, careful):
        assert table is not None
        assert list(zip(table["query_id"], table["doc_id"], strict=True)) == pairs


@settings(deadline=None)
@given(st.lists(st.integers(0, 99_999_999), min_size=1, max_size=30, unique=True))
def test_numbers_take_the_short_way(names: list[int]) -> None:
    repeated = names * 40  # many lines for the size of the numbers
    lines = [f"{place} Q0 {name} 1 1 t\n" for place, name in enumerate(repeated)]
    table = _read_fast("".join(lines).encode(), "s")
    assert table is not None
    assert list(table["doc_id"]) == [str(name) for name in repeated]


COLUMNS = "Write a run line as: query_id Q0 doc_id rank score tag."
SCORE = "Write the score as a finite number, such as 8.5."
BAD = {
    "five columns": (
        "1 Q0 d9 1 9.5 t\n1 Q0 d7 2 8.5\n",
        f"runs/bm25.run:2: expected 6 columns, found 5: '1 Q0 d7 2 8.5'\n{COLUMNS}",
    ),
    "seven columns": (
        "1 Q0 d7 2 8.5 t extra\n",
        f"runs/bm25.run:1: expected 6 columns, found 7: '1 Q0 d7 2 8.5 t extra'\n{COLUMNS}",
    ),
    "an empty column": ("1 Q0  2 8.5 t\n", f"runs/bm25.run:1: expected 6 columns, found 5: '1 Q0  2 8.5 t'\n{COLUMNS}"),
    "a score that is nan": (
        "1 Q0 d7 1 nan t\n",
        f"runs/bm25.run:1: the score is not a finite number: 'nan'\n{SCORE}",
    ),
    "a score that is infinite": (
        "1 Q0 d7 1 inf t\n1 Q0 d8 2 1e999 t\n",
        "runs/bm25.run:1: the score is not a finite number: 'inf'\n"
        f"runs/bm25.run:2: the score is not a finite number: '1e999'\n{SCORE}",
    ),
    "a score that is text": (
        "1 Q0 d7 1 high t\n",
        f"runs/bm25.run:1: the score is not a finite number: 'high'\n{SCORE}",
    ),
    "a rank that is no whole number": (
        "1 Q0 d7 1.5 8 t\n",
        "runs/bm25.run:1: the rank is not a whole number: '1.5'\nWrite the rank as a whole number.",
    ),
    "numbers that are missing": (
        "1 Q0 d7 NA 8 t\n1 Q0 d8 2 null t\n",
        "runs/bm25.run:1: the rank is not a whole number: 'NA'\n"
        f"runs/bm25.run:2: the score is not a finite number: 'null'\n{SCORE}\nWrite the rank as a whole number.",
    ),
    "a rank that is missing": (
        "1 Q0 d7 NA 8 t\n",
        "runs/bm25.run:1: the rank is not a whole number: 'NA'\nWrite the rank as a whole number.",
    ),
    "a document twice": (
        GOOD + "1 Q0 d7 3 1 bm25\n",
        "runs/bm25.run:4: document 'd7' is ranked for query '1' in line 2 already\n"
        "Keep one line for each document of a query.",
    ),
    "two tags": (
        "1 Q0 a 1 2 one\n1 Q0 b 2 1 two\n1 Q0 c 3 0 two\n",
        "runs/bm25.run:2: a second tag in a file whose tag is 'one': 'two'\nPut each system into a file of its own.",
    ),
    "an empty file": ("", "runs/bm25.run: the file is empty\nRemove it, or fill it."),
    "blank lines only": (" \n\n\t\n", "runs/bm25.run: the file is empty\nRemove it, or fill it."),
    "a picture": (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "runs/bm25.run: the file is not text (a zero byte at position 9)\nSave the file as UTF-8 text.",
    ),
    "UTF-16": (
        GOOD.encode("utf-16"),
        "runs/bm25.run: the file is UTF-16 text, not UTF-8\nSave the file as UTF-8 text.",
    ),
    "Latin-1": (
        GOOD.encode() + "3 Q0 caf\u00e9 1 1 bm25\n".encode("latin-1"),
        "runs/bm25.run:4: not UTF-8 text: byte 0xE9 at position 9 of the line\nSave the file as UTF-8 text.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(tmp_path: Path, case: str) -> None:
    content, message = BAD[case]
    assert refusal(tmp_path, content) == message


def test_every_bad_line_is_named_with_each_remedy_once(tmp_path: Path) -> None:
    content = "1 Q0 a 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b x nan t\n1 Q0 c\n"
    assert refusal(tmp_path, content) == (
        "runs/bm25.run:2: document 'a' is ranked for query '1' in line 1 already\n"
        "runs/bm25.run:3: the rank is not a whole number: 'x'\n"
        "runs/bm25.run:3: the score is not a finite number: 'nan'\n"
        "runs/bm25.run:4: expected 6 columns, found 3: '1 Q0 c'\n"
        f"{COLUMNS}\n{SCORE}\nWrite the rank as a whole number.\nKeep one line for each document of a query."
    )


def test_many_bad_lines_are_counted(tmp_path: Path) -> None:
    message = refusal(tmp_path, "1 Q0 d7 2 8.5\n" * 23).splitlines()
    assert (len(message), message[19][:19], message[20]) == (22, "runs/bm25.run:20: e", "… and 3 more bad lines")


def test_a_gzip_file_that_is_cut_off_or_is_none(tmp_path: Path) -> None:
    whole = gzip.compress(GOOD.encode())
    assert refusal(tmp_path, whole[:-12], "bm25.run.gz") == (
        "runs/bm25.run.gz: the compressed file is cut off\n"
        "Copy or download it again; `gzip -t` checks whether it is complete."
    )
    unsound = (
        "runs/bm25.run.gz: the file is named .gz and is not a sound gzip file\n"
        "Compress it again with gzip, or remove .gz from its name if it is not compressed."
    )
    assert refusal(tmp_path, GOOD, "bm25.run.gz") == unsound
    assert refusal(tmp_path, whole[:14] + b"\xff\xff" + whole[16:], "bm25.run.gz") == unsound


def test_a_gzip_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.study.loaders.source.FREE_BYTES", 1000)
    assert refusal(tmp_path, gzip.compress(b" " * 10**6), "bm25.run.gz") == (
        "runs/bm25.run.gz: the file unpacks out of all proportion\nUnpack it yourself, and look at what it holds."
    )
    path = written(tmp_path, gzip.compress(GOOD.encode()), "bm25.run.gz")
    assert len(read_run(path)) == 3


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    loop = tmp_path / "loop.run"
    loop.symlink_to(loop)
    for path, reason in ((tmp_path / "no.run", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(DataError) as error:
            read_run(path, tmp_path.parent)
        name = path.relative_to(tmp_path.parent).as_posix()
        assert str(error.value) == (
            f"{name}: the file cannot be read ({reason})\nCheck that it is there and that you may read it."
        )
    with pytest.raises(DataError, match=r"^loop\.run: the file cannot be read \(Too many levels of symbolic links\)\n"):
        read_run(loop, tmp_path)


def test_runs_stack_over_common_categories(tmp_path: Path) -> None:
    one = read_run(written(tmp_path, GOOD, "one.run"))
    two = read_run(written(tmp_path, "2 Q0 d7 1 4 t\n3 Q0 x 1 2 t\n", "two.run"))
    stack = stack_runs([one, two])
    assert rows(stack) == [("one", *row[1:]) for row in ROWS] + [("two", "2", "d7", 1, 4.0), ("two", "3", "x", 1, 2.0)]
    assert list(stack["query_id"].cat.categories) == ["1", "2", "3"]
    assert sorted(stack["doc_id"].cat.categories) == ["d7", "d9", "x"]
    pd.testing.assert_frame_equal(conform(stack, RUNS), stack)


def test_the_fast_categories_are_as_good_as_pandas_own(tmp_path: Path) -> None:
    table = read_run(written(tmp_path, GOOD))
    again = table.astype(dict.fromkeys(("system", "query_id", "doc_id"), "str"))
    assert table["doc_id"].cat.categories.is_unique
    assert (table["doc_id"] == "d9").tolist() == [True, False, True]
    assert table.merge(again, on=["query_id", "doc_id"])["score_x"].tolist() == [9.5, 8.5, 3.0]
    assert table.groupby("query_id", observed=True)["score"].sum().to_dict() == {"1": 18.0, "2": 3.0}


def test_the_published_runs(shared_data: Path) -> None:
    folder = shared_data / "fairness-retrieval-results" / "runs"
    tables = [read_run(path) for path in sorted(folder.iterdir())]
    runs = stack_runs(tables)
    assert runs["system"].value_counts(sort=False).to_dict() == {
        "BM25": 43000,
        "advbert_L4": 42435,
        "bert_L4": 42435,
        "tk": 42435,
    }
    assert rows(runs)[0] == ("BM25", "20801", "4728169", 1, 10.354)
    assert rows(runs)[43000] == ("advbert_L4", "131137", "1167100", 1, -0.015808)
    ordered = ranked(runs)
    tied = ordered.groupby(["system", "query_id"], observed=True)["score"].diff() == 0
    counts = tied.groupby(ordered["system"], observed=True).sum().to_dict()
    assert counts == {"BM25": 60, "advbert_L4": 5062, "bert_L4": 559, "tk": 414}
    for path, table in zip(sorted(folder.iterdir()), tables, strict=True):
        slow = _read_careful(path.read_bytes(), path.name, table["system"].iloc[0])
        assert list(slow["doc_id"]) == list(table["doc_id"])
        assert list(slow["query_id"]) == list(table["query_id"])
        np.testing.assert_array_equal(slow[["rank", "score"]], table[["rank", "score"]])
