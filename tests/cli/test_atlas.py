"""fairviz atlas."""

import csv
import io

import pytest

import fairviz
from fairviz.cli.main import main

ASKED = ["atlas", "newswire", "CWEx", "NFaiRR", "GSR", "--k", "5"]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("table", ["correlations", "orders", "opposed"])
def test_the_tables_are_those_of_python(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, "--table", table, "--format", "csv"]) == 0
    streams = capsys.readouterr()
    expected = getattr(fairviz.atlas(fairviz.open_study("newswire"), ["CWEx", "NFaiRR", "GSR"], cutoff=5), table)
    found = rows(streams.out)
    assert list(found[0]) == list(expected.columns)
    for name in expected.columns:
        assert [row[name] for row in found] == [str(value) for value in expected[name]]
    assert "note: GSR@5 has no value for a query, and is in --table orders only.\n" in streams.err


def test_curves_are_what_evaluate_says_at_each_cutoff(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["atlas", "football", "TExFAIR", "CWEx", "nDCG", "GSR", "--table", "curves", "--format", "csv"]) == 0
    streams = capsys.readouterr()
    assert "note: nDCG@10, GSR@10: no curve over the cutoff.\n" in streams.err
    study, found = fairviz.open_study("football"), rows(streams.out)
    assert {row["measure"] for row in found} == {"TExFAIR", "TExFAIR(rbdf=False)", "CWEx(alpha=0.5)"}
    assert {row["cutoff"] for row in found} == {"1", "2", "3", "4"}
    for row in found:
        (value,) = fairviz.evaluate(study, f"{row['measure']}@{row['cutoff']}", systems=(row["system"],))["value"]
        assert float(row["value"]) == pytest.approx(value, abs=1e-12)
    assert main(["atlas", "football", "nDCG", "--table", "curves"]) == 2
    assert capsys.readouterr().err.endswith(
        "no measure of these has a curve over the cutoff\nGive one of fairness: CWEx TExFAIR.\n"
    )


def test_queries_on_which_two_systems_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, "--table", "queries", "--systems", "bm25", "w2v_add", "--format", "csv"]) == 0
    found = rows(capsys.readouterr().out)
    expected = fairviz.atlas(fairviz.open_study("newswire"), ["CWEx", "NFaiRR"], cutoff=5).queries("bm25", "w2v_add")
    assert [row["query_id"] for row in found] == expected["query_id"].tolist()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--table", "queries"], "--table queries and --systems A B belong together\n"
         "Write --table queries --systems bm25 tfidf.\n"),
        (["--systems", "bm25", "rrf"], "--table queries and --systems A B belong together\n"
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
