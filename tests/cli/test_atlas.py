"""fairviz atlas."""

import pytest

import fairviz
from fairviz.cli.main import main
from tests.cli.cases import rows

ASKED = ["atlas", "newswire", "CWEx", "NFaiRR", "GSR", "--k", "5"]


@pytest.mark.parametrize(
    ("table", "systems", "note"),
    [("correlations", (), "is in the order of systems only"), ("queries", (), "is not in this table"),
     ("queries", ("bm25", "w2v_add"), "is not in this table")],
)  # fmt: skip
def test_the_tables_are_those_of_python(
    table: str, systems: tuple[str, ...], note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--table", table, *(["--systems", *systems] if systems else [])]
    assert main([*ASKED, *options, "--format", "csv"]) == 0
    streams = capsys.readouterr()
    found = fairviz.atlas(fairviz.open_study("newswire"), ["CWEx", "NFaiRR", "GSR"], cutoff=5)
    expected = found.queries(*systems) if table == "queries" else found.correlations
    read = rows(streams.out)
    assert list(read[0]) == list(expected.columns)
    for name in expected.columns:
        assert [row[name] for row in read] == [
            "" if isinstance(value, float) and value != value else str(value) for value in expected[name]
        ]
    assert f"note: GSR@5 has no value for a query, and {note}.\n" in streams.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--systems", "bm25", "rrf"], "--systems A B belongs to --table queries\n"
         "Write --table queries --systems bm25 tfidf.\n"),
        (["--table", "queries", "--systems", "bm25", "up"], "there is no system 'up' in the atlas\n"
         "Use two of bm25, tfidf, qlm, w2v_add, w2v_si, bi_encoder, rrf, perfect, random.\n"),
    ],
)  # fmt: skip
def test_wrong_questions(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, *options]) == 2
    assert capsys.readouterr().err.endswith(said)


def test_one_measure_is_no_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["atlas", "newswire", "CWEx"]) == 2
    assert capsys.readouterr().err.endswith("the atlas has one measure\nGive two or more: CWEx NFaiRR TExFAIR.\n")
