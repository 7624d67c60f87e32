"""fairviz explain: the value that its rows sum up to; the rows are among the tables of test_same_as_python."""

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
