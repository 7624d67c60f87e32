"""How many queries would decide a pair or a condition of the gate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairviz
from fairviz.comparison.ranking_sentences import needed_text
from fairviz.statistics.simultaneous import noncentrality_interval, queries_needed, units_needed
from fairviz.study.record import Study
from tests.comparison.test_measure_order import CWEX
from tests.conftest import Call, simulated
from tests.made import scores_of
from tests.pages.conftest import first_run, html_of


def pair_scores(ratio, queries=16, seed=0):
    """Two systems whose differences have a mean of `ratio` and a standard deviation of 1, in the sample itself."""
    noise = np.random.default_rng(seed).normal(size=queries)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    return scores_of(CWEX.text, {"a": (ratio + noise).tolist(), "b": [0.0] * queries})


def test_a_number_by_hand():
    """Of 16 queries with a mean of half a standard deviation, t is 2 and must be 2.13. Of 18, 0.5 · √18 = 2.12 must be
    2.11. By Bonferroni of one pair it is the same."""
    row = fairviz.compare(pair_scores(0.5), "b", tests="none", needed=True).iloc[0]
    assert (row["needed"], row["needed_alone"], row["needed_bonferroni"]) == (18, 18, 18)
    assert np.isinf(row["needed_high"])  # p is .064: at the lower end the order is the other one
    assert fairviz.compare(pair_scores(0.6), "b", tests="none", needed=True)["needed"].isna().all()  # is decided


@given(st.floats(0.01, 2), st.floats(1e-6, 0.2), st.integers(1, 2))
def test_the_number_is_the_first_that_suffices(ratio, level, lost):
    number = int(units_needed(ratio, level, lost))
    numbers = np.arange(lost + 1, number + 1)
    enough = ratio * np.sqrt(numbers) >= stats.t.ppf(1 - level / 2, numbers - lost)
    assert enough[-1]
    assert not enough[:-1].any()


@given(st.floats(-3, 8), st.integers(2, 200))
def test_the_interval_inverts_the_distribution_of_t(t, freedom):
    low, high = noncentrality_interval(t, freedom)
    assert stats.nct.cdf(t, freedom, low) == pytest.approx(0.975, abs=1e-6)
    assert stats.nct.cdf(t, freedom, high) == pytest.approx(0.025, abs=1e-6)


def test_a_family_needs_more_and_the_verdict_falls_at_the_number():
    """Ten systems: repeated as they are, the queries decide at about the number that is named."""
    generator = np.random.default_rng(8)
    values = {name: generator.normal(size=40) for name in "abcdefghi"} | {"z": generator.normal(size=40) + 0.45}
    found = fairviz.compare(scores_of(CWEX.text, values), "z", needed=True).dropna(subset=["needed"])
    assert (found["needed_alone"] <= found["needed"]).all()
    assert (found["needed_low"] <= found["needed"]).all()
    assert (found["needed"] <= found["needed_high"]).all()
    assert (found["needed"] > 40).all()
    row = found.iloc[found["needed"].argmin()]
    times = int(np.ceil(row["needed"] / 40)) + 1
    longer = scores_of(CWEX.text, {name: np.tile(one, times) for name, one in values.items()})
    again = fairviz.compare(longer, "z").set_index("system").loc[row["system"]]
    assert again["p_corrected"] <= 0.05


@simulated(300, 4000)
def test_the_interval_covers_the_number_of_the_true_difference(draws):
    """Sixty queries with a true ratio of .3, for which 46 queries are needed."""
    truth, generator, covered = units_needed(0.3, 0.05), np.random.default_rng(3), 0
    for _ in range(draws):
        apart = generator.normal(size=60) + 0.3
        found = queries_needed(apart.mean(), apart.std(ddof=1) / np.sqrt(60), 59, 60, 60, 0.05)
        covered += found.low <= truth <= found.high
    assert covered / draws == pytest.approx(0.95, abs=3.5 * np.sqrt(0.95 * 0.05 / draws))


def test_the_verb_the_gate_and_the_page_say_it(newswire: Study, call: Call) -> None:
    said = call("compare newswire CWEx --baseline w2v_add --needed --format csv")
    row = next(row for row in said.rows if row["system"] == "w2v_si")
    scores = fairviz.evaluate(newswire, "CWEx")
    wanted = fairviz.compare(scores, "w2v_add", needed=True).set_index("system").loc["w2v_si"]
    assert float(row["needed"]) == wanted["needed"] > 40
    gate = call("gate newswire --baseline bm25 --candidate w2v_add --fail-if 'nDCG falls by 0.25' "
                "--fail-if 'CWEx below -0.1' --format csv")  # fmt: skip
    assert all(float(row["needed"]) > 40 for row in gate.rows)
    assert gate.err.count("queries would decide (95 %: ") == 2
    beyond = call(
        "gate newswire --baseline bm25 --candidate w2v_add --fail-if 'nDCG falls by 0.1' --format csv", status=3
    )
    assert beyond.rows[0]["needed"] == ""
    page = first_run("compare.py", study="newswire", system="w2v_si", baseline="w2v_add", measure="CWEx")
    assert needed_text(*wanted[["needed", "needed_low", "needed_high"]]) in html_of(page)
    assert needed_text(1300, 520, np.inf) == "1,300 queries would decide (95 %: 520 to no end)"
    assert needed_text(np.inf, 9, np.inf) == "no number of queries would decide"
    assert needed_text(np.nan, np.nan, np.nan) == ""
