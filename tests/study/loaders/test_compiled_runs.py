"""The compiled parser of runs against Arrow's: the same table, or no answer where that reader must decide."""

import random
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.errors import DataError
from fairviz.study.loaders import runs

SCORES = ("1", "0", "-0.5", "12.25", "3.14159265358979", "123456789.1234567", "1e3", "-2.5E-7", "0.1", ".5", "5.", "+1")
QUERIES, DOCUMENTS, TAGS = ("7", "q2", "q1"), ("12", "007", "d", "0", "99999999", "100000000"), ("a", "b")
FIELD = st.sampled_from([*SCORES, *DOCUMENTS, "nan", "inf", "é", "0x1", "-", ".", "", "1 ", "\t", '"', "9999999999"])
SEPARATORS, ENDS = st.sampled_from([" ", " ", " ", "\t", "  "]), st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n", ""])


@st.composite
def a_run(draw: st.DrawFn) -> bytes:
    """Mostly sound lines; one of them may have another field, separator or end."""
    separator = draw(st.sampled_from([" ", "\t"]))
    lines = []
    for rank in range(draw(st.integers(1, 8))):
        document = draw(st.sampled_from(DOCUMENTS)) + draw(st.sampled_from(["", str(rank)]))
        query, score = draw(st.sampled_from(QUERIES)), draw(st.sampled_from(SCORES))
        fields = [query, "Q0", document, str(rank), score, "tag"]
        lines.append(separator.join(fields) + "\n")
    if draw(st.booleans()):
        place = draw(st.integers(0, len(lines) - 1))
        fields = lines[place].rstrip("\n").split(separator)
        fields[draw(st.integers(0, 5))] = draw(FIELD)
        lines[place] = draw(SEPARATORS).join(fields) + draw(ENDS)
    return "".join(lines).encode()


def both(content: bytes) -> tuple[pd.DataFrame | None, pd.DataFrame | DataError]:
    """Return the compiled parser's table, and the table or error of the reader without it, which is that with it."""
    columns, outcomes = runs.attempt(lambda: runs._read_compiled(content, "s")), []
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "s.run")
        path.write_bytes(content)
        for size in (1 << 30, 1):
            patch.setattr(runs, "COMPILED_FROM", size)
            try:
                outcomes.append(runs.read_run(path, folder))
            except DataError as error:
                outcomes.append(error)
    wanted, found = outcomes
    assert isinstance(found, DataError) == isinstance(wanted, DataError)
    if isinstance(found, DataError):
        assert str(found) == str(wanted)
    return None if columns is None else runs.as_table(columns[0]), wanted


@given(a_run())
@example(b"1 Q0 d 1 0.30000000000000004 t\n1 Q0 e 2 2.5 t")
@example(b"1 Q0 d 1 1 t\n2 Q0 d 1 1 t\n1 Q0 d 2 1 t\n")
@example(b"1 Q0 d 1 1 t\n1 Q0 e 1 1 u\n")
def test_the_table_is_arrows_or_none(content: bytes) -> None:
    compiled, wanted = both(content)
    if compiled is not None and isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(compiled, wanted, check_exact=True)
        assert list(compiled["doc_id"].cat.categories) == list(wanted["doc_id"].cat.categories)


@pytest.mark.parametrize("document", ["{}", "msmarco_{}"])
def test_a_long_sound_run_is_parsed(document: str) -> None:
    """Ids that are numbers and others, scores with few and many digits, and queries that come back."""
    chance = random.Random(5)
    lists = [(query, chance.sample(range(10_000), 1000)) for query in range(40)]
    lists = [(3, lists[3][1][:500]), *lists[:3], *lists[4:], (3, lists[3][1][500:])]
    rows = [(query, name) for query, names in lists for name in names]
    scores = [f"{chance.gauss(0, 50):.{1 + place % 16}f}" for place in range(len(rows))]
    lines = [
        f"{query} Q0 {document.format(name)} {rank} {score} t\n"
        for rank, ((query, name), score) in enumerate(zip(rows, scores, strict=True))
    ]
    compiled, wanted = both("".join(lines).encode())
    assert compiled is not None
    pd.testing.assert_frame_equal(compiled, wanted, check_exact=True)
    assert compiled["score"].tolist() == [float(score) for score in scores], "those of Python to the last bit"


def test_a_second_tag_is_left_to_the_reader_that_names_it() -> None:
    compiled, wanted = both(b"1 Q0 d 1 2 t\n1 Q0 e 2 1 u\n")
    assert compiled is None
    assert isinstance(wanted, DataError)
