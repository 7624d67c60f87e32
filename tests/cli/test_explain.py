"""fairviz explain."""

import csv
import io

import pytest

import fairviz
from fairviz.cli.main import main


def test_the_table_is_that_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["explain", "newswire", "CWEx(alpha=0.3)", "--system", "bm25", "--query", "q22", "--k", "5"]
    assert main([*arguments, "--annotator", "lexicon", "--position-bias", "reciprocal", "--format", "csv"]) == 0
    streams = capsys.readouterr()
    found = list(csv.DictReader(io.StringIO(streams.out)))
    study = fairviz.open_study("newswire")
    chosen = {"cutoff": 5, "annotator": "lexicon", "position_bias": "reciprocal"}
    expected = fairviz.contributions(study, "CWEx(alpha=0.3)", "bm25", "q22", **chosen)
    assert [row["doc_id"] for row in found] == expected["doc_id"].tolist()
    assert [float(row["value"]) for row in found] == expected["value"].tolist()
    value = fairviz.evaluate(study, "CWEx(alpha=0.3)", systems=("bm25",), **chosen).set_index("query_id")["value"][
        "q22"
    ]
    assert f"note: CWEx(alpha=0.3)@5 of bm25 for q22: {value:.4f}".replace("-", "−") in streams.err
    assert ", the sum of the column value. Σ p(i) · c(d) / A" in streams.err


def test_a_difference_query_by_query(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "newswire", "TExFAIR", "--system", "bm25", "--against", "w2v_si", "--format", "csv"]) == 0
    streams = capsys.readouterr()
    found = list(csv.DictReader(io.StringIO(streams.out)))
    assert len(found) == 40
    total = f"{sum(float(row['contribution']) for row in found):.4f}".replace("-", "−")
    assert f"note: TExFAIR@10 of bm25 minus w2v_si, query by query: {total}, the sum of the column" in streams.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["TED", "--system", "up"], "the study 'football' has no system 'up'\nUse one of left, right.\n"),
        (["TED", "--system", "left", "--query", "q9"], "no run of 'football' answers the query 'q9'\nCheck the id.\n"),
        (["nDCG", "--system", "left"], "nDCG@10 is not taken apart\nUse one of CWEx, "),
        (["TED@0", "--system", "left"], "the cutoff of 'TED@0' is '0'\n"),
    ],
)
def test_a_wrong_question_exits_with_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "football", *arguments]) == 2
    assert message in capsys.readouterr().err
