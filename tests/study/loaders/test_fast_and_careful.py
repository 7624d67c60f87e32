"""The fast readers against the careful ones, on files that are made to tell them apart: never another table."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.errors import DataError
from fairviz.study.loaders import columns, qrels, read_qrels, read_run
from fairviz.study.loaders.lines import CSV, TSV, Dialect, numbered_rows, read_columns

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


@st.composite
def lines(draw: st.DrawFn, *columns: list[str]) -> str:
    """A file of these columns in which about anything can be wrong."""
    content = draw(STARTS)
    for _ in range(draw(st.integers(0, 5))):
        plain = draw(st.booleans())
        fields = [column[0] if plain and draw(st.booleans()) else draw(st.sampled_from(column)) for column in columns]
        gap = draw(GAPS)
        content += gap.join(fields) + draw(ENDS)
    return content


def outcome(read) -> object:
    """The rows that were read, or the lines that are wrong."""
    try:
        table = read()
    except DataError as error:
        return str(error)
    return list(table.itertuples(index=False, name=None))


def check_run(path: Path, content: str) -> None:
    """The fast readers and the careful one give the same table or error, and an error where there is nothing or a
    zero byte."""
    path.write_bytes(content.encode())
    found = outcome(lambda: read_run(path, path.parent))
    if not content.lstrip("\ufeff").strip(" \t\r\n\x0b\x0c") or "\0" in content:
        assert isinstance(found, str)
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(columns, "read_fast_table", lambda *_: None)
            assert found == outcome(lambda: read_run(path, path.parent)), content


@example("1 \xa0 1 5\r 1.5 t\n")  # four columns, and not three: the second is a blank that does not break
@given(lines(["1", "2", *IDS], ["Q0", *IDS], IDS, WHOLE, SCORES, ["t", "t", "t", "0x", "t\rs"]))
def test_runs(tmp_path_factory: pytest.TempPathFactory, content: str) -> None:
    check_run(tmp_path_factory.getbasetemp() / "a.run", content)


def test_runs_with_one_odd_field(tmp_path: Path) -> None:
    """Each odd field in turn, between two sound lines."""
    for place, column in enumerate((IDS, IDS, IDS, WHOLE, SCORES, ["0x", "t\rs"])):
        for field in column:
            line = ["1", "Q0", "e", "2", "1.5", "t"]
            line[place] = field
            check_run(tmp_path / "a.run", f"1 Q0 d 1 2.5 t\n{' '.join(line)}\n1 Q0 f 3 0.5 t\n")


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
        rows = numbered_rows(data, "f", 2, header=header, dialect=dialect)
        return pd.DataFrame([cells for _, cells in rows], columns=["x", "y"], dtype="str")

    found = outcome(lambda: read_columns(data, "f", ["x", "y"], header=header, dialect=dialect))
    assert found == outcome(careful)
    if dialect is CSV:
        slow = by_hand(data.decode())
        expected = None if slow is None else slow[int(header) :]
        sound = expected is not None and all(len(row) == 2 for row in expected)
        assert found == expected if sound else isinstance(found, str)


def by_hand(text: str) -> list[tuple[str, ...]] | None:
    """The rows of a CSV, one character after another; None where a quote closes nothing or is never closed."""
    rows: list[tuple[str, ...]] = []
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
                rows, cells = [*rows, tuple(cells)], []
        elif state == "after":
            return None
        else:
            cell, state = cell + sign, "plain"
    return None if state == "quoted" else [row for row in rows if len(row) > 1 or row[0].strip(" \t")]
