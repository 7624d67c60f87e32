"""No verdict where differences are so skewed that tests of this many queries miss their level."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.measure_order import orders
from fairviz.comparison.pair_rows import SAME, UNTESTED
from fairviz.comparison.ranking_sentences import stars_note
from fairviz.comparison.system_table import cells, grid, marks, marks_by_column
from fairviz.measures import parse
from fairviz.output.comparison_tables import to_wide
from fairviz.output.wide import to_wide_latex
from fairviz.statistics.blocks import Block
from fairviz.statistics.contrasts import Estimates
from fairviz.statistics.families import parse_tests
from fairviz.statistics.simultaneous import MOST_SKEWED, compare_blocks


def scores(measure: str, tail: int, queries: int = 40) -> pd.DataFrame:
    """Two systems that differ by noise, and by much on the last queries."""
    noise = np.random.default_rng(1).uniform(-0.01, 0.01, queries)
    ours = 0.2 + noise + 0.05
    ours[queries - tail :] += 0.5
    rows = [
        (measure, system, f"q{query:02}", value)
        for system, values in {"a": np.full(queries, 0.2), "b": ours}.items()
        for query, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["measure", "system", "query_id", "value"])


def test_one_great_difference_among_forty_gives_no_verdict_and_the_reason() -> None:
    found = comparison(scores("CWEx@10", tail=1))
    row = found.table.iloc[0]
    assert row["verdict"] == UNTESTED
    assert row["warning"] == "differences are too skewed for a verdict on 40 queries (skewness 6.0)"
    assert np.isnan(row["p_corrected"])
    assert row["p"] < 0.05
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    assert found.family == 0


def test_skewness_that_forty_queries_bear() -> None:
    found = comparison(scores("CWEx@10", tail=12))
    row = found.table.iloc[0]
    assert (row["verdict"], row["warning"]) == ("behind", "")
    assert found.family == 1


def test_distances_need_no_rule() -> None:
    assert comparison(scores("ExposureGap@10", tail=1)).table.iloc[0]["verdict"] in (SAME, "behind")


def test_skewed_is_the_mean_over_pairs() -> None:
    values = np.random.default_rng(2).exponential(size=(3, 30)) * np.array([1, 2, 4])[:, None]
    pairs = ((0, 1), (0, 2), (1, 2))
    apart = np.array([values[a] - values[b] for a, b in pairs])
    centred = apart - apart.mean(axis=1, keepdims=True)
    skewness = (centred**3).mean(axis=1) / (centred**2).mean(axis=1) ** 1.5
    (tested,) = compare_blocks([Block(Estimates(values), pairs)], parse_tests("maxT"), 99)
    assert tested.skewed == pytest.approx((skewness**2 / np.sqrt(30)).mean())
    assert tested.skewed > MOST_SKEWED
    (folded,) = compare_blocks([Block(Estimates(values), pairs, True)], parse_tests("maxT"), 99)
    assert folded.skewed == 0


def test_a_pair_without_spread_does_not_dilute_the_mean() -> None:
    values = np.random.default_rng(2).exponential(size=(2, 30)) * np.array([1, 4])[:, None]
    tests = parse_tests("maxT")
    (alone,) = compare_blocks([Block(Estimates(values), ((0, 1),))], tests, 99)
    copied = Estimates(np.concatenate([values, values[:1], values[:1] + 1]))
    (beside,) = compare_blocks([Block(copied, ((0, 1), (0, 2), (0, 3)))], tests, 99)
    assert beside.skewed == pytest.approx(alone.skewed)
    (same,) = compare_blocks([Block(copied, ((0, 2), (0, 3)))], tests, 99)
    assert same.skewed == 0


def test_a_column_without_verdicts_shows_it_where_its_stars_would_be() -> None:
    questions = [parse("CWEx@10"), parse("NFaiRR@10")]
    per_query = pd.concat([scores(question.text, tail) for question, tail in zip(questions, (1, 12), strict=True)])
    found, summary = comparison(per_query), fairviz.summarise(per_query)
    table = grid(summary, questions, found.how)
    columns = marks_by_column(marks(found), questions, ["a", "b"])
    assert [row[1:] for row in cells(table, questions, columns)] == [["0.200 n.t.", "0.200"], ["0.263 n.t.", "0.400 ★"]]
    note = "n.t.: pair with the best not tested (CWEx: too skewed)."
    assert stars_note(found).endswith(note)
    latex = to_wide_latex(summary, found)
    assert note in latex.splitlines()[0]
    assert "b & 0.263\\textsuperscript{n.t.} & \\textbf{0.400} \\\\" in latex
    differences = to_wide(found, "latex")
    assert "n.t.: not tested (CWEx(alpha=0.5)@10: too skewed)." in differences.splitlines()[0]
    assert differences.count("\\textsuperscript{n.t.}") == 1
    assert [(order.leader, order.lead().split(" · ")[0]) for order in orders(summary, questions, found)] == [
        ("b", "not tested: too skewed"),
        ("b", "ahead of 1 of 1"),
    ]
