"""Runs, relevance and cells, character by character: three readers of a run give one table or one error, on files that
are made to tell them apart. The compiled one is asked first, then Arrow's, then the careful one, line by line."""

import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fairviz
from fairviz.errors import DataError
from fairviz.study.checks import check
from fairviz.study.loaders import columns, qrels, read_qrels, read_run
from fairviz.study.loaders import runs as loader
from fairviz.study.loaders.lines import CSV, TSV, Dialect, numbered_rows, read_columns
from fairviz.study.loaders.runs import read_run_bytes, stack_runs, system_name
from fairviz.study.tables import RUNS, conform, ranked
from tests.study.loaders.files import put, rows

GOOD = "1 Q0 d9 1 9.5 bm25\n1 Q0 d7 2 8.5 bm25\n2 Q0 d9 1 3 bm25\n"
ROWS = [("bm25", "1", "d9", 1, 9.5), ("bm25", "1", "d7", 2, 8.5), ("bm25", "2", "d9", 1, 3.0)]


def run_of(folder: Path, content: str, name: str = "bm25.run") -> Path:
    return put(folder, f"runs/{name}", content)


# --- What is read.


def test_white_space_of_any_kind(tmp_path: Path) -> None:
    changes = [(" ", "\t"), (" ", " \t  "), ("\n", "\n\n \t\n"), ("\n", " \n ")]
    contents = [GOOD, GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, GOOD.rstrip("\n")]
    for content in contents + [GOOD.replace(*change) for change in changes]:
        table = read_run(run_of(tmp_path, content))
        assert rows(table) == ROWS
        assert [str(dtype) for dtype in table.dtypes] == ["category", "category", "category", "int32", "float64"]
    for blank in (" ", "\t", " \t "):
        content = "007 0 null 2\n007 0 NA 0\n\né Q0 7 -1\n".replace(" ", blank)
        table = read_qrels(put(tmp_path, "qrels.txt", content))
        assert rows(table) == [("007", "null", 2), ("007", "NA", 0), ("é", "7", -1)]
        assert [str(dtype) for dtype in table.dtypes] == ["str", "str", "int32"]


def test_runs_of_beir_are_ordered_by_score(tmp_path: Path) -> None:
    """BEIR's save_runfile writes rank 0 on each line, and documents in any order."""
    run_of(tmp_path, "q Q0 d1 0 1.5 beir\nq Q0 d2 0 2.5 beir\nq Q0 d3 0 0.5 beir\n", "mine.run.trec")
    study = fairviz.open_study(tmp_path)
    assert study.systems == ("mine.run",)
    assert ranked(study.runs)["doc_id"].tolist() == ["d2", "d1", "d3"]
    remarks = check(study).query("part == 'runs' and remedy != ''")
    assert remarks["item"].tolist() == ["lists of mine.run with gaps or repeats in their ranks"]


def test_the_system_is_the_file_not_the_tag_and_ids_are_text(tmp_path: Path) -> None:
    assert set(read_run(run_of(tmp_path, GOOD, "my run.v2.run"))["system"]) == {"my run.v2"}
    assert [system_name(name) for name in ("a/b.RUN.GZ", "c.run.run", "plain")] == ["b", "c.run", "plain"]
    for name in ("007", "null", "NA", "NaN", "nan", "None", "1e5", "-1", "+7", "0x1F", "é🙂中", '"q"'):
        table = read_run(run_of(tmp_path, f"{name} Q0 {name} 1 1.5 t\n7 Q0 {name} 1 1 t\n7 Q0 8 2 1 t\n"))
        assert rows(table)[0] == ("bm25", name, name, 1, 1.5)
        assert rows(table)[2] == ("bm25", "7", "8", 2, 1.0)


def test_runs_stack_over_common_categories(tmp_path: Path) -> None:
    one = read_run(run_of(tmp_path, GOOD, "one.run"))
    two = read_run(run_of(tmp_path, "2 Q0 d7 1 4 t\n3 Q0 x 1 2 t\n", "two.run"))
    stack = stack_runs([one.assign(seen=["a", "b", "c"]), two.assign(seen=["d", "e"])])
    assert rows(stack.drop(columns="seen")) == [
        *(("one", *row[1:]) for row in ROWS), ("two", "2", "d7", 1, 4.0), ("two", "3", "x", 1, 2.0),
    ]  # fmt: skip
    assert stack["seen"].tolist() == list("abcde"), "a column of one's own stays beside its rows"
    assert list(stack["query_id"].cat.categories) == ["1", "2", "3"]
    assert sorted(stack["doc_id"].cat.categories) == ["d7", "d9", "x"]
    pd.testing.assert_frame_equal(conform(stack, RUNS), stack)


def test_the_published_runs(shared_data: Path) -> None:
    folder = shared_data / "fairness-retrieval-results" / "runs"
    tables = [read_run(path) for path in sorted(folder.iterdir())]
    runs = stack_runs(tables)
    sizes = {"BM25": 43000, "advbert_L4": 42435, "bert_L4": 42435, "tk": 42435}
    assert runs["system"].value_counts(sort=False).to_dict() == sizes
    assert rows(runs.iloc[[0, 43000]]) == [
        ("BM25", "20801", "4728169", 1, 10.354), ("advbert_L4", "131137", "1167100", 1, -0.015808)
    ]  # fmt: skip
    ordered = ranked(runs)
    tied = ordered.groupby(["system", "query_id"], observed=True)["score"].diff() == 0
    counts = tied.groupby(ordered["system"], observed=True).sum().to_dict()
    assert counts == {"BM25": 60, "advbert_L4": 5062, "bert_L4": 559, "tk": 414}


@given(st.lists(st.integers(0, 99_999_999), min_size=1, max_size=30, unique=True))
def test_numbers_take_the_short_way(names: list[int]) -> None:
    repeated = names * 40  # many lines for the size of the numbers
    lines = [f"{place} Q0 {name} 1 1 t\n" for place, name in enumerate(repeated)]
    table = read_run_bytes("".join(lines).encode(), "s.run")
    assert list(table["doc_id"]) == [str(name) for name in repeated]


# --- The readers against each other.

IDS = [
    "1", "007", "d", "0x1F", "\ufeff1", "a\rb", "a\u2028b", "a\x85b", "\x0b", "é", "-a", '"q"', "NA", "\u00a0", "x\0y",
]  # fmt: skip
WHOLE = ["1", "2", "-1", "+5", "007", "0x10", "-0X1f", "1_000", "٣", "5.0", "1e3", "", "99999999999", "2147483647"]
WHOLE += ["2147483648", "-2147483648", "0000000000000005", "-0", "\t5", "NaN", "5\r", "0" * 5000 + "7", "9" * 5000]
SCORES = ["1.5", "-2", "+5", ".5", "5.", "1e3", "1e0005", "1e400", "1e-400", "inf", "nan", "-nan", "Infinity", "0x1p3"]
SCORES += ["1_000.0", "1,5", "٣.٥", "1d5", "", "\t1", "1.5\x0c", "0.1000000000000000055511151231257827", "9" * 400]
GAPS = st.sampled_from([" ", " ", " ", "\t", "  ", " \t", "\x0b", ","])
ENDS = st.sampled_from(
    ["\n", "\n", "\n", "\r\n", "\r", "\r\r\n", " \n", "\n\n", "\n \t\n", "\n ", "\x85", "\u2028", ""]
)
STARTS = st.sampled_from(["", "", "", "\ufeff", "\ufeff\ufeff", "\n", " \n", "\r\n"])
TAGS = ["t", "t", "t", "0x", "t\rs"]


@st.composite
def lines(draw: st.DrawFn, *columns: list[str]) -> str:
    """A file of these columns in which about anything can be wrong."""
    content = draw(STARTS)
    for _ in range(draw(st.integers(0, 5))):
        plain = draw(st.booleans())
        fields = [column[0] if plain and draw(st.booleans()) else draw(st.sampled_from(column)) for column in columns]
        content += draw(GAPS).join(fields) + draw(ENDS)
    return content


@st.composite
def nearly_sound(draw: st.DrawFn) -> str:
    """Sound lines of which one may have another field, separator or end."""
    separator, found = draw(st.sampled_from([" ", "\t"])), []
    for rank in range(draw(st.integers(1, 8))):
        document = draw(st.sampled_from(["12", "007", "d", "0", "99999999", "100000000"])) + draw(
            st.sampled_from(["", str(rank)])
        )
        score = draw(st.sampled_from(["1", "-0.5", "3.14159265358979", "123456789.1234567", "-2.5E-7", *SCORES[:6]]))
        found.append([draw(st.sampled_from(["7", "q2", "q1"])), "Q0", document, str(rank), score, "tag"])
    texts = [separator.join(fields) + "\n" for fields in found]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(found) - 1))
        found[place][draw(st.integers(0, 5))] = draw(st.sampled_from([*SCORES, *IDS, "-", ".", "1 ", "9999999999"]))
        texts[place] = draw(GAPS).join(found[place]) + draw(ENDS)
    return "".join(texts)


def outcome(read: Callable[[], pd.DataFrame]) -> object:
    """The rows that were read, or the lines that are wrong."""
    try:
        return rows(read())
    except DataError as error:
        return str(error)


def compiled(content: str) -> pd.DataFrame | None:
    """The table of the compiled parser alone; None where it leaves the file to others."""
    found = loader.attempt(lambda: loader._read_compiled(content.encode(), "a"))
    return None if found is None else loader.as_table(found[0])


def check_run(path: Path, content: str) -> None:
    """The readers give the same table or error, and an error where there is nothing or a zero byte."""
    path.write_bytes(content.encode())
    with pytest.MonkeyPatch.context() as patch:
        found = []
        for change in ((loader, "COMPILED_FROM", 1), (loader, "COMPILED_FROM", 1 << 30),
                       (columns, "read_fast_table", lambda *_: None)):  # fmt: skip
            patch.setattr(*change)
            found.append(outcome(lambda: read_run(path, path.parent)))
    if not content.lstrip("\ufeff").strip(" \t\r\n\x0b\x0c") or "\0" in content:
        assert isinstance(found[1], str)
        assert found[0] == found[1]
    else:
        assert found[0] == found[1] == found[2], content


@example("1 \xa0 1 5\r 1.5 t\n")  # four columns, and not three: the second is a blank that does not break
@example("1 Q0 d 1 0.30000000000000004 t\n1 Q0 e 2 2.5 t")
@example("1 Q0 d 1 1 t\n2 Q0 d 1 1 t\n1 Q0 d 2 1 t\n")
@given(lines(["1", "2", *IDS], ["Q0", *IDS], IDS, WHOLE, SCORES, TAGS) | nearly_sound())
def test_runs(tmp_path_factory: pytest.TempPathFactory, content: str) -> None:
    check_run(tmp_path_factory.getbasetemp() / "a.run", content)


def test_runs_with_one_odd_field(tmp_path: Path) -> None:
    """Each odd field in turn, between two sound lines."""
    for place, column in enumerate((IDS, IDS, IDS, WHOLE, SCORES, ["0x", "t\rs"])):
        for field in column:
            line = ["1", "Q0", "e", "2", "1.5", "t"]
            line[place] = field
            check_run(tmp_path / "a.run", f"1 Q0 d 1 2.5 t\n{' '.join(line)}\n1 Q0 f 3 0.5 t\n")
    assert compiled("1 Q0 d 1 2 t\n1 Q0 e 2 1 u\n") is None, "a second tag is left to the reader that names it"


@pytest.mark.parametrize("document", ["{}", "msmarco_{}"])
def test_a_long_sound_run_is_parsed(tmp_path: Path, document: str) -> None:
    """Ids that are numbers and others, scores with few and many digits, and queries that come back."""
    chance = random.Random(5)
    lists = [(query, chance.sample(range(10_000), 1000)) for query in range(20)]
    lists = [(3, lists[3][1][:500]), *lists[:3], *lists[4:], (3, lists[3][1][500:])]
    pairs = [(query, name) for query, names in lists for name in names]
    scores = [f"{chance.gauss(0, 50):.{1 + place % 16}f}" for place in range(len(pairs))]
    content = "".join(
        f"{query} Q0 {document.format(name)} {rank} {score} t\n"
        for rank, ((query, name), score) in enumerate(zip(pairs, scores, strict=True))
    )
    table, wanted = compiled(content), read_run(put(tmp_path, "a.run", content))
    pd.testing.assert_frame_equal(table, wanted, check_exact=True)
    assert list(table["doc_id"].cat.categories) == list(wanted["doc_id"].cat.categories)
    assert table["score"].tolist() == [float(score) for score in scores], "those of Python to the last bit"


BEIR_HEADER = b"query-id\tcorpus-id\tscore"


@given(
    lines(["1", "2", *IDS], ["0", *IDS], IDS, WHOLE)
    | lines(["1", *IDS], IDS, WHOLE).map("query-id\tcorpus-id\tscore\n".__add__)
)
def test_relevance(tmp_path_factory: pytest.TempPathFactory, content: str) -> None:
    path = tmp_path_factory.getbasetemp() / "qrels.txt"
    path.write_bytes(content.encode())
    found = outcome(lambda: read_qrels(path, path.parent))
    data = content.lstrip("\ufeff").encode()
    beir = data.startswith(BEIR_HEADER)
    if data.strip() and b"\0" not in data:
        assert found == outcome(lambda: qrels._read_careful(data.removeprefix(BEIR_HEADER), "qrels.txt", beir))
    else:
        assert isinstance(found, str)


SIGNS = [*"ab ,,\t\t\n\n\r", "\r\n", *"\ufeff\u2028\x85\x0bé\\'"]
PLAIN = st.lists(st.sampled_from(SIGNS), max_size=14).map("".join)
QUOTED = st.lists(st.sampled_from([*SIGNS, '"', '"', '"a"', '""', ',"', '",']), max_size=14).map("".join)


@given(PLAIN | QUOTED, st.sampled_from([CSV, TSV]), st.booleans())
def test_cells(content: str, dialect: Dialect, header: bool) -> None:
    data = (f"x{dialect.delimiter}y\n" if header else "").encode() + content.encode()
    data = data.decode().lstrip("\ufeff").encode()  # as read_bytes leaves it

    def careful() -> pd.DataFrame:
        found = numbered_rows(data, "f", 2, header=header, dialect=dialect)
        return pd.DataFrame([cells for _, cells in found], columns=["x", "y"], dtype="str")

    found = outcome(lambda: read_columns(data, "f", ["x", "y"], header=header, dialect=dialect))
    assert found == outcome(careful)
    if dialect is CSV:
        slow = by_hand(data.decode())
        expected = None if slow is None else slow[int(header) :]
        sound = expected is not None and all(len(row) == 2 for row in expected)
        assert found == expected if sound else isinstance(found, str)


def by_hand(text: str) -> list[tuple[str, ...]] | None:
    """The rows of a CSV, one character after another; None where a quote closes nothing or is never closed."""
    found: list[tuple[str, ...]] = []
    cells, cell, state = [], "", "start"
    for sign in text + "\n":
        if state == "quoted":
            cell, state = (cell, "after") if sign == '"' else (cell + sign, state)
        elif sign == '"' and state == "after":
            cell, state = cell + '"', "quoted"
        elif sign == '"' and state == "start":
            state = "quoted"
        elif sign in ",\r\n":
            cells, cell, state = [*cells, cell], "", "start"
            if sign != ",":
                found, cells = [*found, tuple(cells)], []
        elif state == "after":
            return None
        else:
            cell, state = cell + sign, "plain"
    return None if state == "quoted" else [row for row in found if len(row) > 1 or row[0].strip(" \t")]
