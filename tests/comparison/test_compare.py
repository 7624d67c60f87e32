"""Systems against a baseline, query by query."""

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import fairviz
from fairviz.comparison.compare import Comparison, comparison, starred
from fairviz.comparison.pairs import AHEAD, BEHIND, MIXED, OUTSIDE, REFERENCE, SAME, UNTESTED
from fairviz.comparison.ranking_sentences import family_text, interval_note
from fairviz.errors import UsageError
from fairviz.measures import parse
from fairviz.study.record import Study, is_reference
from tests.conftest import simulated
from tests.made import scores_of
from tests.slow_max_t import of_scores, slow_max_t

CWEX = "CWEx(alpha=0.5)@10"  # as scores name it
MEASURES = [CWEX, "NFaiRR(tau=1)@10", "TExFAIR@10"]


@pytest.fixture(scope="module")
def scores(newswire: Study) -> pd.DataFrame:
    return fairviz.evaluate(newswire, MEASURES)


@pytest.fixture(scope="module")
def found(scores: pd.DataFrame) -> Comparison:
    return comparison(scores)


def made(measure: str = "CWEx@2", **systems: list[float]) -> pd.DataFrame:
    """A scores table of one measure."""
    table = scores_of(measure, systems)
    return table.assign(query_id=table["query_id"].str.replace("q0", "q"))


def vector(scores: pd.DataFrame, system: str, measure: str) -> np.ndarray:
    return scores[(scores["system"] == system) & (scores["measure"] == measure)]["value"].to_numpy()


@pytest.mark.parametrize(("statistic", "of"), [("t", stats.ttest_rel), ("wilcoxon", stats.wilcoxon)])
def test_holm_is_that_of_scipy_and_statsmodels_over_all_pairs(statistic: str, of) -> None:
    """Five systems are ten pairs, of which the table has the four with s0; no two values are tied."""
    generator = np.random.default_rng(11)
    values = {f"s{n}": row + 0.2 * n for n, row in enumerate(generator.normal(size=(5, 30)))}
    pairs = list(combinations(values, 2))
    p = [of(values[a], values[b]).pvalue for a, b in pairs]
    holm = multipletests(p, method="holm")[1]
    table = made(**{name: list(row) for name, row in values.items()})
    found = fairviz.compare(table, "s0", tests=f"holm(statistic={statistic!r})").set_index("system")
    assert len(pairs) == 10
    for (a, b), alone, family in zip(pairs, p, holm, strict=True):
        if a == "s0":
            assert (found.loc[b, "p"], found.loc[b, "p_corrected"]) == pytest.approx((alone, family), rel=1e-6)


@pytest.mark.parametrize("measure", ["CWEx@10", "RaB@10", "GroupExposureRatio@10"])
def test_the_default_is_what_loops_over_pairs_and_draws_give(measure: str, newswire: Study) -> None:
    """Four systems of newswire, 199 draws of the same signs: a mean, one fairest at 0, and one fairest at 1."""
    names = ["bm25", "rrf", "w2v_add", "tfidf"]
    scores = fairviz.evaluate(newswire, [measure], systems=names)
    text = str(scores["measure"].iloc[0])
    slow = slow_max_t(of_scores(scores, text), parse(text).direction, draws=199)
    whole = comparison(scores, draws=199)
    for baseline in names:
        found = whole.against(baseline).table.set_index("system")
        for (first, second), pair in slow.items():
            if second == baseline:
                row = found.loc[first]
                expected = (pair.difference, pair.low, pair.high)
                assert (row["difference"], row["ci_low"], row["ci_high"]) == pytest.approx(expected, abs=1e-9)
                assert (row["p"], row["p_corrected"]) == pytest.approx((pair.p, pair.p_corrected), abs=1e-9)


def test_verdict_interval_and_p_are_of_the_pair_and_agree_whatever_the_baseline(newswire: Study) -> None:
    """0 lies outside the interval exactly where the corrected p is at most .05, and an order is claimed there alone.
    GroupExposureRatio is undefined where the ten documents hold no woman."""
    found = comparison(fairviz.evaluate(newswire, [*MEASURES, "GroupExposureRatio@10"]))
    views = {name: found.against(name).table.set_index(["measure", "system"]) for name in newswire.systems}
    claims = 0
    for table in [found.table, *views.values()]:
        tested = table[table["verdict"].isin([AHEAD, BEHIND, SAME])]
        outside = (tested["ci_low"] > 0) | (tested["ci_high"] < 0)
        assert outside.tolist() == (tested["p_corrected"] <= 0.05).tolist() == (tested["verdict"] != SAME).tolist()
        claims += len(tested)
    assert claims >= 7 * 18
    for measure in MEASURES:
        there, back = views["bm25"].loc[(measure, "w2v_add")], views["w2v_add"].loc[(measure, "bm25")]
        assert there["p_corrected"] == back["p_corrected"]
        assert there["difference"] == pytest.approx(-back["difference"])
        assert (there["ci_low"], there["ci_high"]) == pytest.approx((-back["ci_high"], -back["ci_low"]))


def test_the_family_is_all_pairs_and_stars_go_to_the_best_and_to_those_that_no_test_separates_from_it(
    found: Comparison,
) -> None:
    assert tuple(found.sizes_by_family.values()) == (21, 21, 21)  # 7 · 6 / 2 pairs without the two references
    assert found.family == 63
    assert family_text(found) == "all 21 pairs, maxT"
    assert set(found.table.loc[found.table["verdict"] == REFERENCE, "system"]) == {"perfect", "random"}
    assert found.table.loc[found.table["verdict"] == REFERENCE, "p_corrected"].isna().all()
    assert found.table.groupby("measure")["baseline"].nunique().eq(1).all()
    stars = starred(found)
    assert starred(found.rows) == stars
    for measure, rows in found.table.groupby("measure", sort=False):
        behind = set(rows.loc[rows["verdict"] == BEHIND, "system"])
        assert stars[measure] == set(rows["system"]) - behind - {"perfect", "random"} | {rows["baseline"].iloc[0]}


def test_a_measure_more_changes_no_verdict_and_a_family_across_measures_does(scores: pd.DataFrame) -> None:
    alone = fairviz.compare(scores[scores["measure"] == CWEX], "bm25", draws=999).set_index("system")
    together = fairviz.compare(scores, "bm25", draws=999)
    together = together[together["measure"] == CWEX].set_index("system")
    assert alone["p_corrected"].equals(together["p_corrected"])
    found = comparison(scores, "bm25", tests="maxT(family='measures')", draws=999)
    assert (tuple(found.sizes_by_family.values()), family_text(found)) == ((63,), "all 63 pairs in 3 measures, maxT")
    across = found.table[found.table["measure"] == CWEX].set_index("system")["p_corrected"]
    assert (across[alone["p_corrected"].notna()] >= alone["p_corrected"].dropna()).all()
    assert across["w2v_add"] > alone["p_corrected"]["w2v_add"]
    by_bonferroni = fairviz.compare(scores, "bm25", tests="bonferroni(family='measures')").dropna(subset="p_corrected")
    assert by_bonferroni["p_corrected"].tolist() == pytest.approx(np.minimum(63 * by_bonferroni["p"], 1).tolist())


def test_a_declared_baseline_is_a_smaller_family(scores: pd.DataFrame) -> None:
    """Six pairs with bm25 in place of 21: no p grows, and pairs without bm25 are in no family."""
    cwex = scores[scores["measure"] == CWEX]
    found = comparison(cwex, "bm25", tests="maxT(baseline='bm25')", draws=199)
    assert (tuple(found.sizes_by_family.values()), family_text(found)) == ((6,), "6 pairs with bm25, maxT")
    values = {name: row for name, row in of_scores(cwex, CWEX).items() if name not in ("perfect", "random")}
    slow = slow_max_t(values, baseline="bm25", draws=199)
    table = found.table.set_index("system")
    for pair, one in slow.items():
        (name,) = set(pair) - {"bm25"}
        assert table.loc[name, "p_corrected"] == pytest.approx(one.p_corrected, abs=1e-9)
    others = found.against("w2v_add").table.set_index("system")
    assert others.loc["rrf", "verdict"] == OUTSIDE
    assert others.loc["bm25", "p_corrected"] == table.loc["w2v_add", "p_corrected"]
    with pytest.raises(UsageError, match="there is no system 'bm52' to compare with"):
        comparison(cwex, tests="maxT(baseline='bm52')")


def test_references_and_edited_lists_are_tested_only_when_ticked() -> None:
    noise = np.random.default_rng(4).normal(size=(4, 20))
    rows = {"a": noise[0], "b": noise[1] + 0.4, "random": noise[2], "a, edited": noise[3]}
    table = made(**{name: list(row) for name, row in rows.items()})
    plain = comparison(table, "a")
    assert plain.table.set_index("system")["verdict"].to_dict() == {
        "b": plain.table["verdict"].iloc[0], "random": REFERENCE, "a, edited": OUTSIDE,
    }  # fmt: skip
    alone = comparison(made(a=list(rows["a"]), b=list(rows["b"])), "a").table
    assert plain.family == 1
    assert plain.table["p_corrected"].iloc[0] == alone["p_corrected"].iloc[0]  # what is only shown changes no verdict
    ticked = comparison(table, "a", ticked=("random", "a, edited"))
    assert ticked.family == 6
    assert ticked.table["p_corrected"].notna().all()
    slow = slow_max_t(of_scores(table, "CWEx@2"), draws=10_000)
    assert ticked.table.set_index("system").loc["b", "p_corrected"] == pytest.approx(slow["a", "b"].p_corrected)
    drafted = comparison(table, "a", outside=("b",))
    assert (drafted.family, drafted.table["verdict"].tolist()) == (0, [OUTSIDE, REFERENCE, OUTSIDE])
    assert comparison(table, "a", outside=("b",), ticked=("b",)).family == 1


def test_a_pair_by_hand() -> None:
    """Differences 0, .1, .2, .3 and .4, each twice: mean .2, variance 2 · (.04 + .01 + 0 + .01 + .04) / 9 = .2 / 9, so
    that t = .2 / sqrt(.2 / 90) = 4.243. Of the 512 patterns of signs the observed t has p 2 / 513 or a little more."""
    apart = np.repeat([0.0, 0.1, 0.2, 0.3, 0.4], 2)
    found = fairviz.compare(made(a=list(0.5 + apart), b=[0.5] * 10), "b").iloc[0]
    assert (found["value"], found["baseline_value"], found["difference"]) == pytest.approx((0.7, 0.5, 0.2))
    assert found["effect_size"] == pytest.approx(0.2 / np.sqrt(0.2 / 9))
    assert (found["wins"], found["ties"], found["losses"], found["queries"]) == (8, 2, 0, 10)
    centred = apart - 0.2
    patterns = [np.array([*left, 1]) for left in product((1, -1), repeat=9)]
    t = np.abs(stats.ttest_1samp(patterns * centred, 0, axis=1).statistic)
    reached = (t >= np.sqrt(18) * (1 - 1e-9)).sum()
    assert stats.ttest_1samp(apart, 0).statistic == pytest.approx(np.sqrt(18))
    assert found["p"] == found["p_corrected"] == pytest.approx((1 + reached) / 513)
    assert found["verdict"] == AHEAD


def test_only_common_queries_count_and_all_are_shown_beside_them() -> None:
    """a lacks the last two of twelve queries, b the first: nine in common are too few for a verdict."""
    a, b = [0.5, 0.7] * 5 + [np.nan] * 2, [np.nan] + [0.4] * 10 + [1.0]
    found = fairviz.compare(made(a=a, b=b), "b").iloc[0]
    mean = (4 * 0.5 + 5 * 0.7) / 9
    assert (found["queries"], found["queries_all"]) == (9, 12)
    assert (found["value"], found["baseline_value"], found["difference"]) == pytest.approx((mean, 0.4, mean - 0.4))
    assert (found["value_all"], found["baseline_value_all"]) == pytest.approx((0.6, (10 * 0.4 + 1) / 11))
    assert found["verdict"] == UNTESTED
    assert found["warning"] == "9 of 12 queries in common (undefined: 2 for a, 1 for b); a verdict needs 10"
    assert np.isnan([found["p"], found["p_corrected"], found["ci_low"], found["ci_high"]]).all()


@pytest.mark.parametrize(
    ("lost_a", "lost_b", "warning", "tested"),
    [
        (0, 0, "", True),
        (2, 2, "", True),  # two of forty each, 10 % together
        (3, 2, "35 of 40 queries in common (undefined: 3 for a, 2 for b)", True),  # over a tenth
        (2, 0, "", True),  # 5 % more on one side
        (3, 0, "37 of 40 queries in common (undefined: 3 for a)", True),  # 7.5 % more on one side
        (0, 20, "20 of 40 queries in common (undefined: 20 for b)", True),  # half is enough
        (0, 21, "19 of 40 queries in common (undefined: 21 for b); a verdict needs 20", False),
    ],
)
def test_undefined_queries_are_named_and_under_half_decide_nothing(
    lost_a: int, lost_b: int, warning: str, tested: bool
) -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 40))
    a[:lost_a], b[40 - lost_b :] = np.nan, np.nan
    found = fairviz.compare(made(a=list(a), b=list(b)), "b").iloc[0]
    assert found["warning"] == warning
    assert (found["verdict"] != UNTESTED) is tested is not np.isnan(found["p_corrected"])


def test_each_measure_is_compared_in_its_own_direction() -> None:
    wide, near = [-0.9, -1.0, -1.1, -1.0] * 3, [0.1, 0.2, 0.0, 0.1] * 3
    found = fairviz.compare(made("RaB@2", wide=wide, near=near)).iloc[0]  # fairest at 0: by the distance from it
    assert (found["system"], found["baseline"], found["verdict"]) == ("wide", "near", BEHIND)
    assert found["difference"] == pytest.approx(0.9)
    assert (found["value"], found["baseline_value"]) == pytest.approx((-1.0, 0.1))
    assert (found["wins"], found["losses"]) == (0, 12)
    gaps = made("ExposureGap@10", a=[0.1, 0.1, 0.1, -0.3, -0.2], b=[-0.2, -0.1, 0.4, 0.2, 0.0])
    row = fairviz.compare(gaps, "b").iloc[0]
    assert (row["wins"], row["ties"], row["losses"]) == (2, 1, 2), "+.1 is fairer than −.2, and as fair as −.1"

    found = fairviz.compare(made("GroupExposureRatio@2", half=[0.4, 0.6] * 6, near=[1.1, 1.0] * 6)).iloc[0]
    assert (found["baseline"], found["verdict"]) == ("near", BEHIND)  # fairest at 1: by the logarithm
    assert found["difference"] == pytest.approx(np.log(2) - np.log(1.05))

    best = {"good": [0.9, 0.8] * 6, "bad": [0.1, 0.2] * 6}
    assert fairviz.compare(made("nDCG@2", **best), "bad")["verdict"].tolist() == [AHEAD]
    described = made("Exposure(group='female')@2", **best)  # of which none is fairer
    assert fairviz.compare(described).empty
    assert fairviz.compare(described, "bad")["verdict"].tolist() == [AHEAD]


@simulated(40, 200)
def test_equally_fair_systems_on_both_sides_of_0_are_rarely_called_different(draws: int) -> None:
    """True means +.1 and -.1, correlation .9, 40 queries: |a| - |b| is 0. A test of the plain difference calls most of
    them different, and one of the sum of distances with fixed signs 39 to 44 %."""
    generator = np.random.default_rng(23)
    called = plain = 0
    for _ in range(draws):
        shared = generator.normal(size=40)
        a, b = ((0.9**0.5 * shared + 0.1**0.5 * generator.normal(size=40)) + mean for mean in (0.1, -0.1))
        found = fairviz.compare(made("RaB@2", a=list(a), b=list(b)), "b", draws=199).iloc[0]
        called += found["verdict"] != SAME
        plain += stats.ttest_rel(a, b).pvalue < 0.05
    assert called <= 0.06 * draws + 1
    assert plain > 0.5 * draws


def test_gsr_is_compared_by_the_slope_of_the_differences(newswire: Study) -> None:
    scores = fairviz.evaluate(newswire, ["GSR@10"])
    found = fairviz.compare(scores, "bm25", draws=199).set_index("system")
    slopes = fairviz.summarise(scores).set_index("system")["value"]
    for name in ("w2v_add", "random", "tfidf"):  # fairest at 0: distances
        assert found.loc[name, "difference"] == pytest.approx(abs(slopes[name]) - abs(slopes["bm25"]), abs=1e-12)
    assert found["wins"].isna().all()


def test_differences_that_are_all_equal_have_the_p_of_equal_signs() -> None:
    found = fairviz.compare(made(a=[0.5, 0.7] * 5, b=[0.5, 0.7] * 5)).iloc[0]
    assert (found["p"], found["verdict"], found["ties"]) == (1, SAME, 10)
    assert (found["ci_low"], found["ci_high"]) == (0, 0)
    found = fairviz.compare(made(a=[0.5, 0.7] * 5, b=[0.25, 0.45] * 5), "b").iloc[0]
    assert (found["p"], found["p_corrected"], found["verdict"]) == (2 / 2**10, 2 / 2**10, AHEAD)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((0.25, 0.25))


def test_a_table_that_was_written_mixed_and_read_is_compared_alike(scores: pd.DataFrame, tmp_path: Path) -> None:
    """Also where query ids are numbers, which read_csv makes of them."""
    queries = scores["query_id"].astype(str)
    numbered = scores.assign(query_id=queries.map({name: str(n) for n, name in enumerate(queries.unique(), 7)}))
    for table in (scores, numbered):
        table.to_csv(tmp_path / "scores.csv", index=False)
        back = pd.read_csv(tmp_path / "scores.csv")
        assert pd.api.types.is_integer_dtype(back["query_id"]) == (table is numbered)
        ours, theirs, mixed = (
            fairviz.compare(one, "bm25", draws=199) for one in (table, back, table.sample(frac=1, random_state=1))
        )
        pd.testing.assert_frame_equal(ours, theirs)
        by = ["measure", "system"]
        pd.testing.assert_frame_equal(ours.set_index(by).sort_index(), mixed.set_index(by).sort_index())


def test_references() -> None:
    names = ("perfect", "random", "random-seed=3", "perfect-ranker", "randomised", "bm25", "random-walk")
    assert [name for name in names if is_reference(name)] == ["perfect", "random", "random-seed=3"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"baseline": "bm26"}, "there is no system 'bm26' to compare with"),
        ({"tests": "z"}, "method of the tests is 'z'"),
        ({"tests": "holm(statistic='sign')"}, "statistic of the tests is 'sign'"),
        ({"tests": 3}, "tests is 3"),
        ({"ticked": 3}, "ticked is 3\nGive a list of systems."),
        ({"outside": 3}, "outside is 3\nGive a list of systems."),
    ],
)
def test_wrong_choices(scores: pd.DataFrame, choice: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        fairviz.compare(scores, **choice)


def test_no_order_is_claimed_where_the_test_points_the_other_way_than_the_mean() -> None:
    """Eighteen small wins and two great losses: the mean is below, the signed ranks above."""
    table = made(a=[0.501 + n / 1000 for n in range(18)] + [0.0, 0.0], b=[0.5] * 20)
    wilcoxon = "holm(statistic='wilcoxon')"
    found = fairviz.compare(table, "b", tests=wilcoxon).iloc[0]
    assert found["p_corrected"] < 0.05
    assert found["difference"] < 0
    assert found["verdict"] == MIXED
    assert starred(comparison(table, tests=wilcoxon)) == {"CWEx(alpha=0.5)@2": {"a", "b"}}
    assert fairviz.compare(table, "b")["verdict"].tolist() == [SAME], "two great losses show nothing of a mean"


def test_the_caption_names_family_interval_and_measures_that_tukey_does_not_test(
    scores: pd.DataFrame, newswire: Study
) -> None:
    simultaneous, alone = "95 % simultaneous", "95 % of one difference, uncorrected"
    for tests, family, interval in (
        ("maxT", "1 pair, maxT", simultaneous),
        ("bonferroni", "1 pair, paired t, Bonferroni", simultaneous),
        ("holm(statistic='wilcoxon')", "1 pair, Wilcoxon signed ranks, Holm", alone),
        ("none", "1 pair, paired t, no correction", alone),
        ("tukey", "1 pair, randomised Tukey HSD", simultaneous),
        ("maxT(baseline='b')", "1 pair with b, maxT", simultaneous),
    ):
        found = comparison(made(a=list(np.arange(12.0)), b=[3.0] * 12), tests=tests)
        assert (family_text(found), interval_note(found)) == (family, interval)
    # Ranges are of means; RaB is compared by its distance from 0.
    tukey = "all 21 pairs, randomised Tukey HSD"
    assert family_text(comparison(scores[scores["measure"] == CWEX], tests="tukey", draws=99)) == tukey
    both = comparison(fairviz.evaluate(newswire, ["CWEx", "RaB"]), tests="tukey", draws=99)
    assert family_text(both) == f"{tukey} (maxT in RaB)"
    assert family_text(both.showing(["RaB@10"])) == "all 21 pairs, maxT"
