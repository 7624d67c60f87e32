"""fairviz explain: the value that its rows sum up to; the rows are among the tables of test_same_as_python."""

import pytest

import fairviz
from fairviz.study.record import Study
from tests.conftest import Call


def signed(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


def test_the_value_and_how_it_is_made(newswire: Study, call: Call) -> None:
    asked = "explain newswire CWEx(alpha=0.3) --system bm25 --query q22 --k 5 --annotator lexicon"
    said = call(asked, "--position-bias reciprocal").err
    scores = fairviz.evaluate(
        newswire, "CWEx(alpha=0.3)", systems=("bm25",), cutoff=5, annotator="lexicon", position_bias="reciprocal"
    )
    value = scores.set_index("query_id")["value"]["q22"]
    assert f"note: CWEx(alpha=0.3)@5 of bm25 for q22: {signed(value)}" in said
    assert ", the sum of the column value. Σ p(i) · c(d) / A" in said


def test_a_difference_query_by_query(call: Call) -> None:
    said = call("explain newswire TExFAIR --system bm25 --against w2v_si --format csv")
    assert len(said.rows) == 40
    total = signed(sum(float(row["contribution"]) for row in said.rows))
    assert f"note: TExFAIR@10 of bm25 minus w2v_si, query by query: {total}, the sum of the column" in said.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("TED --system up", "the study 'football' has no system 'up'\nUse one of left, right.\n"),
        ("TED --system left --query q9", "no run of 'football' answers the query 'q9'\nCheck the id.\n"),
        ("nDCG --system left", "nDCG@10 is not taken apart\nUse one of CWEx, "),
        ("TED@0 --system left", "the cutoff of 'TED@0' is '0'\n"),
    ],
)
def test_wrong_questions(line: str, message: str, call: Call) -> None:
    assert message in call("explain football", line, status=2).err
