"""What else a comparison can be asked for: slices, margins and power, clusters, queries needed, tails."""

import itertools
import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

import fairviz
from fairviz.comparison.compare import (
    EQUIVALENT,
    MOST_SLICES,
    NO_MARGIN,
    NOT_SHOWN,
    by_query,
    comparison,
    read_margins,
    sizes,
    slices_of,
)
from fairviz.comparison.pairs import AHEAD, SAME, UNTESTED, why_no_verdict
from fairviz.comparison.points import Points
from fairviz.comparison.ranking_sentences import family_text, needed_text
from fairviz.comparison.tails import SHARES, worst_queries
from fairviz.errors import UsageError
from fairviz.statistics.contrasts import Block, Estimates, Pair, contrasts
from fairviz.statistics.families import parse_tests
from fairviz.statistics.quantiles import quantile_differences, quantiles
from fairviz.statistics.simultaneous import compare_blocks, noncentrality_interval, queries_needed, units_needed
from fairviz.study.record import Study
from tests.comparison.test_compare import CWEX, MEASURES, made, vector
from tests.conftest import Call, refused, simulated
from tests.made import scores_of
from tests.pages.conftest import first_run, html_of

GAP = "ExposureGap@10"
SLICES = {"q0": "sport", "q1": "sport", "q2": "health", "q3": "sport", "q4": None}


@pytest.fixture(scope="module")
def scores(newswire: Study) -> pd.DataFrame:
    return fairviz.evaluate(newswire, [*MEASURES, "GSR@10"])


# --- slices: apart for each value of a column of the queries


def test_slices_and_pairs_are_one_family() -> None:
    """Three systems in two slices of 12 and 14 queries are six tests: Bonferroni multiplies each p by 6."""
    generator = np.random.default_rng(2)
    values = {name: list(generator.normal(size=26) + lift) for name, lift in (("a", 0.0), ("b", 0.5), ("c", 0.2))}
    table = made(**values)
    halves = {f"q{n}": "first" if n < 12 else "second" for n in range(26)}
    found = comparison(table, "a", slices=halves, tests="bonferroni")
    assert (found.family, tuple(found.sizes_by_family.values()), family_text(found)) == (
        6,
        (6,),
        "all 6 pairs, paired t, Bonferroni",
    )
    for row in found.table.itertuples():
        part = slice(0, 12) if row.slice == "first" else slice(12, 26)
        p = stats.ttest_rel(values[row.system][part], values["a"][part]).pvalue
        assert (row.p, row.p_corrected) == pytest.approx((p, min(6 * p, 1)))
    apart = comparison(table[table["query_id"].map(halves) == "first"], "a", draws=999).table["p_corrected"]
    together = comparison(table, "a", slices=halves, draws=999).table
    assert (together.loc[together["slice"] == "first", "p_corrected"].to_numpy() >= apart.to_numpy() - 0.05).all()


def test_each_slice_holds_the_numbers_of_its_queries(newswire: Study, scores: pd.DataFrame) -> None:
    scores = scores[scores["measure"].isin(MEASURES)]
    categories = slices_of(newswire, "category")
    assert (categories["q01"], categories.name, len(categories)) == ("sport", "category", 40)
    assert sum(sizes(scores, categories).values()) == 40
    found = comparison(scores, "bm25", slices=categories, tests="none").table
    kept = ["measure", "system", "value", "difference", "queries", "queries_all", "verdict"]
    for name in set(categories):
        part = comparison(scores[scores["query_id"].map(categories) == name], "bm25", tests="none").table
        sliced = found.loc[found["slice"] == name, kept].reset_index(drop=True)
        pd.testing.assert_frame_equal(sliced, part[kept], rtol=1e-9)
        if (categories == name).sum() < 10:
            assert set(sliced["verdict"]) == {UNTESTED, "reference"}


def test_slices_stand_in_their_order_and_queries_without_one_last() -> None:
    found = fairviz.compare(made(a=[0.1, 0.5, 0.3, 0.4, 0.2, 0.9], b=[0.2] * 6), "b", slices=SLICES)
    assert found["slice"].tolist() == ["sport", "health", "(none)"]
    assert found["queries"].tolist() == [3, 1, 2]  # q5 is in no slice, q4 in an empty one
    assert found["difference"].tolist() == pytest.approx([(0.1 + 0.5 + 0.4) / 3 - 0.2, 0.1, 0.35])
    assert found["verdict"].tolist()[1] == UNTESTED
    best = fairviz.compare(made(a=[0.9, 0.9, 0.1], b=[0.2, 0.2, 0.2]), slices=SLICES)
    assert best["baseline"].tolist() == ["a", "b"], "each slice has a best system of its own"


def test_a_column_that_cannot_slice(newswire: Study, football: Study) -> None:
    for column, hint in (("categroy", "Did you mean category? "), ("query_id", "")):
        what = f"the queries of 'newswire' have no column {column!r} to slice by"
        with refused(f"{what}\n{hint}Use one of category, bias_sensitive.", UsageError):
            slices_of(newswire, column)
    with refused(
        "the queries of 'football' have no column 'category' to slice by\n"
        "Add a column to the file of queries, such as category.",
        UsageError,
    ):
        slices_of(football, "category")
    queries = pd.DataFrame({"query_id": [f"q{n}" for n in range(MOST_SLICES + 1)], "text": "a"})
    study = fairviz.make_study("many", queries=queries.assign(note=queries["query_id"]))
    with refused(
        "the column 'note' of the queries of 'many' cuts into 101 slices, more than 100\n"
        "Slice by a column of few values, such as category.",
        UsageError,
    ):
        slices_of(study, "note")
    with pytest.raises(UsageError, match=r"^slices is 'category'"):
        fairviz.compare(made(a=[0.1], b=[0.2]), "b", slices="category")


# --- margins: what is equivalent, and what could be found


def test_p_of_equivalence_is_that_of_statsmodels_and_corrected_over_the_family(scores: pd.DataFrame) -> None:
    """Seven contenders are 21 pairs; the six with bm25 are shown."""
    plain = scores[scores["measure"] == CWEX]
    found = fairviz.compare(plain, "bm25", margin=0.05, tests="holm").set_index("system")
    names = [name for name in plain["system"].unique() if name not in ("perfect", "random")]
    values = {name: vector(plain, name, CWEX) for name in names}
    pairs = list(combinations(names, 2))
    p = [ttost_paired(values[a], values[b], -0.05, 0.05)[0] for a, b in pairs]
    for (a, b), corrected in zip(pairs, multipletests(p, method="holm")[1], strict=True):
        if "bm25" in (a, b):
            row = found.loc[a if b == "bm25" else b]
            assert row["p_equivalent"] == pytest.approx(corrected, rel=1e-8)
            assert row["equivalence"] == (EQUIVALENT if corrected <= 0.05 else NOT_SHOWN)
    assert set(found.loc[["perfect", "random"], "equivalence"]) == {"reference"}


def test_verdict_and_equivalence_are_two_answers() -> None:
    found = fairviz.compare(made(a=[0.501, 0.502, 0.503] * 8, b=[0.5] * 24), "b", margin=0.01).iloc[0]
    assert (found["verdict"], found["equivalence"]) == (AHEAD, EQUIVALENT), "found, and it does not matter"
    found = fairviz.compare(made(a=[0.2, 0.8, 0.5] * 4, b=[0.5, 0.3, 0.6] * 4), "b", margin=0.01).iloc[0]
    assert (found["verdict"], found["equivalence"]) == (SAME, NOT_SHOWN)
    for queries, said in ((9, UNTESTED), (10, EQUIVALENT)):
        table = made(a=[0.5] * queries, b=[0.5] * queries)
        assert fairviz.compare(table, "b", margin=0.01)["equivalence"].tolist() == [said]


def test_a_margin_for_each_measure(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", margin={"CWEx(alpha=0.50)": 0.02, "TExFAIR": 0.1, "": 0.3})
    assert dict(zip(found["measure"], found["margin"], strict=True)) == {
        CWEX: 0.02, "NFaiRR(tau=1)@10": 0.3, "TExFAIR@10": 0.1, "GSR@10": 0.3,
    }  # fmt: skip
    without = comparison(scores, "bm25", margin={"CWEx": 0.02}).table
    assert set(without.loc[without["measure"] != CWEX, "equivalence"]) == {NO_MARGIN, "reference"}
    assert read_margins(["CWEx(alpha=0.3)@5=0.01", "RaB=2", "1e-2"]) == {"CWEx(alpha=0.3)@5": 0.01, "RaB": 2, "": 0.01}
    assert "minimum_detectable" not in without


def test_gsr_goes_by_the_error_of_its_slope(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", margin=0.05, power=0.8).set_index(["measure", "system"])
    qlm, other = found.loc[("GSR@10", "qlm")], found.loc[("GSR@10", "w2v_add")]
    assert 0 < qlm["minimum_detectable"] < other["minimum_detectable"]
    assert other["equivalence"] == NOT_SHOWN


def test_the_minimum_detectable_difference_is_that_of_statsmodels(scores: pd.DataFrame) -> None:
    """Alone at .05, and by Bonferroni at .05 / 21."""
    plain = scores[scores["measure"] == CWEX]
    apart = vector(plain, "rrf", CWEX) - vector(plain, "bm25", CWEX)
    for tests, alpha in (("none", 0.05), ("bonferroni", 0.05 / 21)):
        found = fairviz.compare(plain, "bm25", power=0.8, tests=tests).set_index("system")
        effect = TTestPower().solve_power(nobs=40, alpha=alpha, power=0.8, alternative="two-sided")
        assert found.loc["rrf", "minimum_detectable"] == pytest.approx(effect * apart.std(ddof=1), rel=1e-6)
        assert "margin" not in found


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"margin": 0}, "margin is 0\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": math.inf}, "margin is inf\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": "a lot"}, "margin is 'a lot'\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": {"": -1}}, "margin is -1\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"power": 0.04}, "power is 0.04\nUse a number between 0.05 and 1, such as 0.8."),
        ({"power": 1}, "power is 1\nUse a number between 0.05 and 1, such as 0.8."),
        ({"margin": {"RaB": 1}}, "there is a margin for 'RaB', and it is not compared\nUse one of CWEx(alpha=0.5)@2."),
    ],
)
def test_wrong_margins_and_powers(choice: dict, message: str) -> None:
    with refused(message, UsageError):
        fairviz.compare(made("CWEx(alpha=0.5)@2", a=[0.1, 0.2], b=[0.2, 0.4]), "b", **choice)


def test_margins_that_cannot_be_read() -> None:
    form = "Write a number, as 0.01, or a measure's, as CWEx=0.01."
    for texts, message in (
        (["wide"], f"--margin is 'wide'\n{form}"),
        (["CWEx(alpha=0.5)"], f"--margin is 'CWEx(alpha=0.5)'\n{form}"),
        (["CWEx="], f"--margin is 'CWEx='\n{form}"),
        (["0.1", "0.2"], "--margin is given twice for all measures\nGive one margin for each."),
        (["CWEx=0.1", "CWEx=0.2"], "--margin is given twice for CWEx\nGive one margin for each."),
    ):
        with refused(message, UsageError):
            read_margins(texts)


# --- clusters of queries in tests and intervals


ALPHA = 0.05


def clustered_values(generator, sizes, systems, share, skewed=False):
    """Values of systems that are equal in the mean: a share of the variance is common to the queries of a cluster."""

    def draw(shape):
        return generator.exponential(size=shape) - 1 if skewed else generator.normal(size=shape)

    codes = np.repeat(np.arange(len(sizes)), sizes)
    common, own = draw((systems, len(sizes)))[:, codes], draw((systems, len(codes)))
    return math.sqrt(share) * common + math.sqrt(1 - share) * own, codes


def test_a_clustered_error_by_hand():
    """Differences 1, 3 | 2 | 6: the mean is 3, the sums of deviations -2, -1 and 3, and the error
    √(3 / 2 · (4 + 1 + 9)) / 4."""
    values, clusters = np.array([[1.0, 3, 2, 6], [0, 0, 0, 0]]), np.array([0, 0, 1, 2])
    found = contrasts(Estimates(values, clusters=clusters), [Pair(0, 1)])
    assert (found.value[0], found.freedom[0], found.queries[0], found.units[0]) == (3, 2, 4, 3)
    assert found.error[0] == pytest.approx(math.sqrt(1.5 * 14) / 4)
    assert found.spread[0] == pytest.approx(np.std([1, 3, 2, 6], ddof=1))


def test_clusters_of_one_query_are_as_none():
    values = np.random.default_rng(2).normal(size=(4, 14)) + np.arange(4)[:, None] / 2
    pairs = tuple(itertools.combinations(range(4), 2))
    for folded, text in itertools.product((False, True), ("maxT", "holm(statistic='wilcoxon')", "bonferroni", "tukey")):
        plain, single = (
            compare_blocks([Block(Estimates(values, clusters=codes), pairs, folded)], parse_tests(text), 299)[0]
            for codes in (None, np.arange(14))
        )
        assert single.p_corrected == pytest.approx(plain.p_corrected)
        np.testing.assert_allclose(single.interval(0.95), plain.interval(0.95))


@given(st.integers(0, 10_000), st.booleans())
def test_errors_are_the_sandwich_of_a_regression(seed, slope):
    """Against (X'X)⁻¹ Σ X'g eg eg'Xg (X'X)⁻¹ · G / (G − 1), with queries that one system lacks."""
    generator = np.random.default_rng(seed)
    values, codes = clustered_values(generator, [3, 1, 4, 2, 5], 2, 0.5)
    values[0, generator.integers(15)] = np.nan
    x = generator.normal(size=15) if slope else None
    found = contrasts(Estimates(values, x, clusters=codes), [Pair(0, 1)])
    known = ~np.isnan(values[0])
    y, group = (values[0] - values[1])[known], codes[known]
    design = np.ones((len(y), 1)) if x is None else np.stack([np.ones(len(y)), x[known]], axis=1)
    bread = np.linalg.inv(design.T @ design)
    fit = bread @ design.T @ y
    scores = [design[group == one].T @ (y - design @ fit)[group == one] for one in np.unique(group)]
    meat = sum(np.outer(score, score) for score in scores) * len(scores) / (len(scores) - 1)
    assert found.value[0] == pytest.approx(fit[-1])
    assert found.error[0] == pytest.approx(math.sqrt((bread @ meat @ bread)[-1, -1]))


PATTERNS = np.array(list(itertools.product((1, -1), repeat=12)))


@given(st.integers(0, 1000))
def test_signs_are_of_clusters(seed):
    """The p of a pair alone among many, by all 2¹¹ patterns of signs of twelve clusters, before skewness."""
    values, codes = clustered_values(np.random.default_rng(seed), [1, 2, 3] * 4, 2, 0.5)
    values[0] += 0.5
    block = Block(Estimates(values, clusters=codes), ((0, 1),))
    (tested,) = compare_blocks([block], parse_tests("none(statistic='randomisation')"), 5000)
    apart = values[0] - values[1]
    sums = np.bincount(codes, apart - apart.mean()) * 12 / 24 + apart.mean()
    means = np.abs(PATTERNS @ sums)
    assert tested.p[0] == pytest.approx(np.mean(means >= abs(sums.sum()) * (1 - 1e-9)), abs=1e-9)


CELLS = [  # clusters' sizes, share of the variance within clusters that is common, skewed
    ([4] * 12, 0.3, False), ([4] * 12, 0.7, False), ([1, 2, 3, 10] * 5, 0.7, False), ([4] * 12, 0.7, True),
    ([7] * 7, 0.7, False), ([2, 3, 5, 8, 9, 10, 12], 0.3, True),
]  # fmt: skip


def error_rates(sizes, share, skewed, draws):
    """The share of families of four equal systems with a significant pair, by clusters and by queries; and of
    intervals of one mean that cover it."""
    generator, pairs = np.random.default_rng(9), tuple(itertools.combinations(range(4), 2))
    false, covered = np.zeros((2, draws), dtype=bool), 0
    for draw in range(draws):
        values, codes = clustered_values(generator, sizes, 4, share, skewed)
        for row, clusters in enumerate((codes, None)):
            tested = compare_blocks([Block(Estimates(values, clusters=clusters), pairs)], parse_tests("maxT"), 199)[0]
            false[row, draw] = tested.p_corrected.min() <= ALPHA
        low, high = Points(("a",), tuple(map(str, codes)), values[:1], np.zeros(0)).interval("a", 0.95, codes)
        covered += low <= 0 <= high
    return false.mean(axis=1), covered / draws


@pytest.mark.parametrize(("sizes", "share", "skewed"), CELLS)
@simulated(60, 2000)
def test_families_keep_their_level_with_clusters_and_not_without(sizes, share, skewed, draws):
    (clustered, singly), covered = error_rates(sizes, share, skewed, draws)
    room = 3.5 * math.sqrt(0.06 * 0.94 / draws)
    assert clustered <= 0.06 + room
    assert singly > (0.06 + room if draws > 1000 else clustered)
    assert covered >= (0.88 if skewed or len(set(sizes)) > 1 else 0.94) - room  # of few skewed clusters, t covers less


def test_the_same_clusters_in_python_in_a_verb_and_in_the_gate(
    newswire: Study, scores: pd.DataFrame, call: Call
) -> None:
    scores = scores[scores["measure"].isin([CWEX, "GSR.query@10", "GSR.list@10"])]
    clusters = newswire.queries.set_index("query_id")["category"]
    wanted, plain = fairviz.compare(scores, "bm25", clusters=clusters), fairviz.compare(scores, "bm25")
    for name in ("difference", "effect_size", "wins", "queries"):  # are of queries
        assert wanted[name].to_numpy(float) == pytest.approx(plain[name].to_numpy(float), nan_ok=True)
    said = call("compare newswire CWEx GSR --baseline bm25 --cluster category --format csv")
    assert said.frame["p_corrected"].to_numpy() == pytest.approx(wanted["p_corrected"].to_numpy(), nan_ok=True)
    caption = "all 21 pairs, Bonferroni, 7 clusters by category (fewer than 10: rough)"
    assert f"tests: {caption};" in said.err

    gate = "gate newswire --baseline bm25 --candidate w2v_add --fail-if 'CWEx rises by 5' --fail-if 'GSR above 9'"
    alone = fairviz.compare(scores[scores["system"].isin(["bm25", "w2v_add"])], "bm25", clusters=clusters)
    by_cluster = call(f"{gate} --cluster category --format csv")
    difference, value = by_cluster.rows
    assert float(difference["ci_low"]) == pytest.approx(alone["ci_low"][0])
    assert "7 clusters by category (fewer than 10: rough): intervals" in by_cluster.err
    assert float(value["ci_low"]) != pytest.approx(float(call(f"{gate} --format csv").rows[1]["ci_low"]))


def test_a_column_that_cannot_cluster(newswire: Study, call: Call) -> None:
    said = call("compare newswire CWEx --cluster topic", status=2)
    assert "the queries of 'newswire' have no column 'topic' of clusters" in said.err
    scores = scores_of(CWEX, {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.1]})
    with refused(
        "all queries are in one cluster by cluster, so that nothing can be tested\nUse a column with several values, "
        "best ten or more.", UsageError,
    ):  # fmt: skip
        fairviz.compare(scores, clusters=dict.fromkeys(scores["query_id"], "x"))


def test_a_query_without_a_cluster_and_queries_in_one_alone() -> None:
    values = np.random.default_rng(4).normal(size=(2, 12)).tolist()
    scores = scores_of(CWEX, dict(zip("ab", values, strict=True)))
    queries = scores["query_id"].unique()
    partly = fairviz.compare(scores, clusters={queries[0]: "x", queries[1]: "x", queries[2]: ""})
    whole = dict(zip(queries, ["x", "x", *queries[2:]], strict=True))
    pd.testing.assert_frame_equal(partly, fairviz.compare(scores, clusters=whole))
    # The common queries of a and b are all of the first cluster; those of a and c of both.
    values = np.random.default_rng(1).uniform(size=(3, 20))
    values[1, 10:] = np.nan
    scores = scores_of("CWEx@10", dict(zip("abc", values, strict=True)))
    halves = {name: "left" if name < "q10" else "right" for name in scores["query_id"]}
    found = comparison(scores, "a", clusters=halves)
    told = found.table.set_index("system")
    assert told.loc["b", "verdict"] == UNTESTED
    assert told.loc["b", "warning"].endswith("; all queries in common are in one cluster by cluster")
    assert told.loc["c", "verdict"] != UNTESTED
    assert why_no_verdict(found.pairs[0], found.how) == "one cluster"


# --- how many queries would decide


def pair_scores(ratio, queries=16, seed=0):
    """Two systems whose differences have a mean of `ratio` and a standard deviation of 1, in the sample itself."""
    noise = np.random.default_rng(seed).normal(size=queries)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    return scores_of(CWEX, {"a": (ratio + noise).tolist(), "b": [0.0] * queries})


def test_a_number_by_hand():
    """Of 16 queries with a mean of half a standard deviation, t is 2 and must be 2.13. Of 18, 0.5 · √18 = 2.12 must be
    2.11. By Bonferroni of one pair it is the same."""
    row = fairviz.compare(pair_scores(0.5), "b", tests="none", needed=True).iloc[0]
    assert (row["needed"], row["needed_alone"], row["needed_bonferroni"]) == (18, 18, 18)
    assert np.isinf(row["needed_high"])  # p is .064: at the lower end the order is the other one
    assert fairviz.compare(pair_scores(0.6), "b", tests="none", needed=True)["needed"].isna().all()  # is decided


@given(st.floats(0.05, 2), st.floats(1e-6, 0.2), st.integers(1, 2))
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
    found = fairviz.compare(scores_of(CWEX, values), "z", needed=True).dropna(subset=["needed"])
    assert (found["needed_alone"] <= found["needed"]).all()
    assert (found["needed_low"] <= found["needed"]).all()
    assert (found["needed"] <= found["needed_high"]).all()
    assert (found["needed"] > 40).all()
    row = found.iloc[found["needed"].argmin()]
    times = int(np.ceil(row["needed"] / 40)) + 1
    longer = scores_of(CWEX, {name: np.tile(one, times) for name, one in values.items()})
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


# --- quantiles over queries with paired intervals, and the worst tenth of the queries


@given(st.integers(0, 10_000), st.integers(2, 60))
def test_quantiles_are_scipys(seed, queries):
    values = np.random.default_rng(seed).normal(size=queries)
    assert quantiles(values, SHARES) == pytest.approx(np.asarray(stats.mstats.hdquantiles(values, SHARES)))


def test_equal_means_and_unlike_tails():
    """Half of the queries of b are at 0 and half at 1, those of a all at a half."""
    scores = scores_of(CWEX, {"a": [0.5] * 40, "b": [0.0, 1.0] * 20})
    table = fairviz.tails(scores, "a", "b").set_index("quantile")
    assert table.loc[0.1, "ci_low"] > 0.4
    assert table.loc[0.9, "ci_high"] < -0.4
    assert table.loc[0.5, "ci_low"] < 0 < table.loc[0.5, "ci_high"]
    shifted = fairviz.tails(scores_of(CWEX, {"a": np.arange(40) / 40 + 0.25, "b": np.arange(40) / 40}), "a", "b")
    assert shifted[["difference", "ci_low", "ci_high"]].to_numpy() == pytest.approx(np.full((3, 3), 0.25))
    few = fairviz.tails(scores_of(CWEX, {"a": [0.5] * 9, "b": [0.1] * 9}), "a", "b")
    assert few[["ci_low", "ci_high"]].isna().all(axis=None)
    assert few["queries"].tolist() == [9, 9, 9]


@simulated(80, 2000)
def test_paired_intervals_cover(draws):
    """Forty queries of correlated systems, of which one has wider tails."""
    generator, covered = np.random.default_rng(6), np.zeros(3)
    truth = 0.5 + (np.sqrt(1 + 1.5**2) - np.sqrt(1 + 0.5**2)) * stats.norm.ppf(SHARES)
    for draw in range(draws):
        common, first, second = generator.normal(size=(3, 40))
        _, low, high = quantile_differences(0.5 + common + 1.5 * first, common + 0.5 * second, SHARES, seed=draw)
        covered += (low <= truth) & (truth <= high)
    assert (covered / draws >= 0.93 - 3.5 * np.sqrt(0.93 * 0.07 / draws)).all()


@pytest.mark.parametrize(
    ("measure", "worst"), [(CWEX, ["q00", "q01"]), ("AWRF@10", ["q19", "q18"]), (GAP, ["q00", "q01"])]
)
def test_the_worst_tenth_is_the_least_fair(measure: str, worst: list[str]) -> None:
    values = np.arange(20) / 20 - (0.95 if measure == GAP else 0.0)
    table = by_query(scores_of(measure, {"a": values, "b": -values}), "a", "b")
    assert worst_queries(table)["query_id"].tolist() == worst


# --- the verb, the gate and the page


def test_needed_tails_and_clusters_are_said_by_the_verb_the_gate_and_the_page(
    newswire: Study, scores: pd.DataFrame, call: Call
) -> None:
    said = call("compare newswire CWEx --baseline w2v_add --needed --format csv")
    row = next(row for row in said.rows if row["system"] == "w2v_si")
    of_cwex = scores[scores["measure"] == CWEX]
    wanted = fairviz.compare(of_cwex, "w2v_add", needed=True).set_index("system").loc["w2v_si"]
    assert float(row["needed"]) == wanted["needed"] > 40
    gate = call("gate newswire --baseline bm25 --candidate w2v_add --fail-if 'nDCG falls by 0.25' "
                "--fail-if 'CWEx below -0.1' --format csv")  # fmt: skip
    assert all(float(row["needed"]) > 40 for row in gate.rows)
    assert gate.err.count("queries would decide (95 %: ") == 2
    gate = "gate newswire --baseline bm25 --candidate w2v_add --fail-if 'nDCG falls by 0.1' --format csv"
    assert call(gate, status=3).rows[0]["needed"] == ""
    assert needed_text(1300, 520, np.inf) == "1,300 queries would decide (95 %: 520 to no end)"
    assert needed_text(np.inf, 9, np.inf) == "no number of queries would decide"
    assert needed_text(np.nan, np.nan, np.nan) == ""

    said = call("compare newswire CWEx --tails w2v_add --baseline bm25 --format csv")
    wanted = fairviz.tails(of_cwex, "w2v_add", "bm25")
    assert [float(row["ci_low"]) for row in said.rows] == pytest.approx(wanted["ci_low"].tolist())
    refused = call("compare newswire CWEx --tails --wide", status=2)
    assert "--tails and --wide ask for different tables" in refused.err
    clusters = newswire.queries.set_index("query_id")["category"]
    of_clusters = fairviz.compare(of_cwex, "w2v_add", clusters=clusters, needed=True).set_index("system").loc["w2v_si"]
    options = {"system": "w2v_si", "baseline": "w2v_add", "measure": "CWEx", "compare_tab": "Tails"}
    page = first_run("compare.py", study="newswire", cluster="category", **options)
    assert list(page.selectbox(key="cluster").options)[1:] == ["by category", "by bias_sensitive"]
    assert "all 21 pairs, Bonferroni, 7 clusters by category (fewer than 10: rough)" in html_of(page)
    assert needed_text(*of_clusters[["needed", "needed_low", "needed_high"]]) in html_of(page)
    assert "Tick a query to open its lists on Query." in html_of(page)
    tables = [frame.value for frame in page.dataframe]
    assert any("ci_low" in table and len(table) == 3 for table in tables)
    assert any("query" in table and len(table) == 4 for table in tables)  # a tenth of 40
