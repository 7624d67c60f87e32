"""The compiled parser of runs against Arrow's: the same table, or no answer where that reader must decide."""

import random
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.errors import DataError
from fairviz.study.loaders import compiled_runs, runs

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
    lines = [
        f"{query} Q0 {document.format(name)} {rank} {chance.random() * 30 if rank % 3 else 30 / rank:.4f} t\n"
        for query, names in lists
        for rank, name in enumerate(names, start=1)
    ]
    compiled, wanted = both("".join(lines).encode())
    assert compiled is not None
    assert len(compiled) == 40_000
    pd.testing.assert_frame_equal(compiled, wanted, check_exact=True)


def test_scores_are_those_of_python_to_the_last_bit() -> None:
    chance = np.random.default_rng(2)
    texts = [f"{value:.{digits}f}" for digits in range(1, 17) for value in chance.normal(0, 50, 200)]
    content = "".join(f"1 Q0 d{row} {row} {text} t\n" for row, text in enumerate(texts)).encode()
    compiled, _ = both(content)
    assert compiled is not None
    assert compiled["score"].tolist() == [float(text) for text in texts]


def test_a_second_tag_is_left_to_the_reader_that_names_it() -> None:
    compiled, wanted = both(b"1 Q0 d 1 2 t\n1 Q0 e 2 1 u\n")
    assert compiled is None
    assert isinstance(wanted, DataError)


def test_long_files_go_to_the_compiled_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.run"
    path.write_bytes(b"1 Q0 d 1 2 t\n1 Q0 e 2 1 t\n")
    asked: list[bytes] = []
    parse = compiled_runs.parse
    monkeypatch.setattr(compiled_runs, "parse", lambda data: asked.append(data) or parse(data))
    runs.read_run(path)
    assert not asked
    monkeypatch.setattr(runs, "COMPILED_FROM", 1)
    table = runs.read_run(path)
    assert len(asked) == 1
    assert table["score"].tolist() == [2.0, 1.0]
