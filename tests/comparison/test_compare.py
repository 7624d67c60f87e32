"""Systems against a baseline, query by query: verdicts, families, p and intervals, and rows of paired differences."""

import math
from collections import Counter
from functools import cache
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import fairviz
from fairviz.comparison.compare import by_query, comparison, starred
from fairviz.comparison.family import How
from fairviz.comparison.pairs import (
    AHEAD,
    BEHIND,
    MIXED,
    OUTSIDE,
    REFERENCE,
    SAME,
    UNTESTED,
    Part,
    compare_pairs,
    compare_rows,
    false_stars,
    no_verdict,
)
from fairviz.comparison.points import Points
from fairviz.comparison.ranking_sentences import family_text, interval_note, stars_note, untested_note
from fairviz.errors import UsageError
from fairviz.measures import parse
from fairviz.output.comparison_tables import legend, notes
from fairviz.statistics.families import Tests as Families
from fairviz.statistics.families import parse_tests
from fairviz.statistics.paired import corrected, wilcoxon
from fairviz.study.record import Study, is_reference
from fairviz.study.study import add_runs
from fairviz.ui.compare.cards import details, finding
from fairviz.words.sentences import plain
from tests.conftest import refused, simulated
from tests.made import scores_of
from tests.slow_max_t import of_scores, slow_max_t, slow_rows

CWEX = "CWEx(alpha=0.5)@10"  # as scores name it
MEASURES = [CWEX, "NFaiRR(tau=1)@10", "TExFAIR@10"]
NAN = np.nan


@pytest.fixture(scope="module")
def scores(newswire: Study) -> pd.DataFrame:
    return fairviz.evaluate(newswire, MEASURES)


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
    scores: pd.DataFrame,
) -> None:
    found = comparison(scores)
    assert tuple(found.sizes_by_family.values()) == (21, 21, 21)  # 7 · 6 / 2 pairs without the two references
    assert (found.family, family_text(found)) == (63, "all 21 pairs, maxT")
    references = found.table[found.table["verdict"] == REFERENCE]
    assert set(references["system"]) == {"perfect", "random"}
    assert references["p_corrected"].isna().all()
    stars = starred(found)
    assert starred(found.rows) == stars
    for measure, rows in found.table.groupby("measure", sort=False):
        (baseline,) = rows["baseline"].unique()
        behind = set(rows.loc[rows["verdict"] == BEHIND, "system"])
        assert stars[measure] == set(rows["system"]) - behind - {"perfect", "random"} | {baseline}


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
    table = found.table.set_index("system")
    six = fairviz.compare(cwex, "bm25", tests="bonferroni(baseline='bm25')").dropna(subset="p_corrected")
    assert six["p_corrected"].tolist() == pytest.approx(np.minimum(6 * six["p"], 1).tolist())
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
    ("lost_a", "lost_b", "warning"),
    [
        (0, 0, ""),
        (2, 2, ""),  # two of forty each, 10 % together
        (3, 2, "35 of 40 queries in common (undefined: 3 for a, 2 for b)"),  # over a tenth
        (2, 0, ""),  # 5 % more on one side
        (3, 0, "37 of 40 queries in common (undefined: 3 for a)"),  # 7.5 % more on one side
        (0, 20, "20 of 40 queries in common (undefined: 20 for b)"),  # half is enough
        (0, 21, "19 of 40 queries in common (undefined: 21 for b); a verdict needs 20"),
    ],
)
def test_undefined_queries_are_named_and_under_half_decide_nothing(lost_a: int, lost_b: int, warning: str) -> None:
    a, b = np.random.default_rng(5).normal(size=(2, 40))
    a[:lost_a], b[40 - lost_b :] = np.nan, np.nan
    found = fairviz.compare(made(a=list(a), b=list(b)), "b").iloc[0]
    assert found["warning"] == warning
    assert (found["verdict"] == UNTESTED) == np.isnan(found["p_corrected"]) == (lost_b == 21)


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


@simulated(25, 200)
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


def test_one_system_is_compared_with_nobody() -> None:
    names = ("perfect", "random", "random-seed=3", "perfect-ranker", "randomised", "bm25", "random-walk")
    assert [name for name in names if is_reference(name)] == ["perfect", "random", "random-seed=3"]
    with refused(
        "there is one system, a, and nothing to compare it with\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`."
    ):
        fairviz.compare(made(a=[0.1, 0.2]))
    assert comparison(made(a=[0.1, 0.2])).table.empty


# --- skewed differences have verdicts, nearly equal systems take none, and a verdict that one query decides is told


@pytest.mark.parametrize("tail", [1, 12])
@pytest.mark.parametrize("measure", ["CWEx@10", "ExposureGap@10"])
def test_skewed_differences_have_a_verdict(measure: str, tail: int) -> None:
    """Two systems that differ by noise, and by much on the last queries."""
    ours = 0.25 + np.random.default_rng(1).uniform(-0.01, 0.01, 40)
    ours[40 - tail :] += 0.5
    row = comparison(scores_of(measure, {"a": np.full(40, 0.2), "b": ours})).table.iloc[0]
    assert (row["verdict"], row["warning"]) == (BEHIND, "")
    assert row["p_corrected"] <= 0.05
    assert row["ci_low"] > 0 or row["ci_high"] < 0


def test_a_verdict_that_one_query_decides_says_which() -> None:
    """Six of forty queries change alike, which is just enough: without any one of them it is not."""
    changed = [3, 8, 15, 21, 30, 36]
    table = scores_of("nDCG@10", {"a": np.full(40, 0.2), "b": 0.2 + 0.5 * np.isin(np.arange(40), changed)})
    found = comparison(table)
    (row,) = found.table.to_dict("records")
    assert (row["verdict"], row["warning"]) == (BEHIND, "without q03 not significant")
    assert notes(found) == ["nDCG@10, a and b: without q03 not significant."]
    sentence = plain(finding(found, found.pairs[0].question, ("a", "b")))
    assert sentence.endswith(", 40 queries; without q03 not significant).")
    assert not any("q03" in plain(line) for line in details(found, found.pairs[0].question, ("a", "b")))
    for query in changed:
        assert fairviz.compare(table[table["query_id"] != f"q{query:02}"])["p_corrected"].iloc[0] > 0.05


def near_copy(study: Study, of: str, query: str) -> Study:
    """The study with a run that is another with ranks 1 and 10 of one query exchanged."""
    run = study.runs[study.runs["system"] == of].astype({"system": "str"}).assign(system="near")
    own = run[run["query_id"].astype(str) == query].sort_values("rank")
    first, tenth = own.index[0], own.index[min(9, len(own) - 1)]
    run.loc[[first, tenth], "doc_id"] = run.loc[[tenth, first], "doc_id"].to_numpy()
    return add_runs(study, run.astype({"system": "category"}))


def verdicts(study: Study, systems: tuple[str, ...]) -> dict[tuple[str, str, str], str]:
    found = comparison(fairviz.evaluate(study, ("CWEx", "TExFAIR", "nDCG", "RaB"), systems=systems))
    views = [found.against(one).table for one in systems]
    return {(row.measure, row.system, row.baseline): row.verdict for view in views for row in view.itertuples()}


def test_a_nearly_equal_run_takes_at_most_one_verdict_of_newswire_and_gives_none(newswire: Study) -> None:
    """Forty queries, seven systems, 84 pairs; two p of CWEx are between .04 and .05 before."""
    systems = tuple(name for name in newswire.systems if name not in ("perfect", "random"))
    before = verdicts(newswire, systems)
    assert Counter(measure.split("(")[0].split("@")[0] for (measure, *_), said in before.items() if said == BEHIND) == {
        "CWEx": 9, "TExFAIR": 10, "nDCG": 10, "RaB": 10,
    }  # fmt: skip
    after = verdicts(near_copy(newswire, "bm25", "q10"), (*systems, "near"))
    changed = {key for key, said in before.items() if after[key] != said}
    assert {frozenset(pair) for _, *pair in changed} <= {frozenset({"qlm", "w2v_si"})}
    assert UNTESTED not in after.values()
    assert {said for (_, *pair), said in after.items() if set(pair) == {"near", "bm25"}} == {SAME}


def test_a_mean_of_0_is_no_lack_of_queries() -> None:
    """A ratio of 0 is infinitely far from 1; forty queries are enough."""
    ratios = np.random.default_rng(1).uniform(0.5, 0.9, (2, 40))
    found = comparison(scores_of("GroupExposureRatio@10", {"a": ratios[0], "b": ratios[1], "none": np.zeros(40)}))
    assert untested_note(found) == "n.t.: pair with the best not tested (GroupExposureRatio: a mean of 0)."
    assert stars_note(found).endswith("(GroupExposureRatio: a mean of 0).")
    assert legend(found).endswith("n.t.: not tested (GroupExposureRatio@10: a mean of 0).")


# --- two systems on one query after another


RAB = "RaB@10"


def test_the_query_on_which_two_systems_differ_most_comes_first() -> None:
    scores = made(CWEX, a=[0.3, -0.5, 0.1, NAN], b=[0.2, 0.1, 0.2, 0.4], c=[9.0] * 4)
    table = by_query(scores, "a", "b")
    assert list(table["query_id"]) == ["q1", "q0", "q2"]  # q0 and q2 differ alike but for rounding; q3 lacks a value
    assert table["difference"].tolist() == pytest.approx([-0.6, 0.1, -0.1])
    assert table.iloc[0].tolist() == pytest.approx([CWEX, "q1", "a", -0.5, "b", 0.1, -0.6])
    with refused("there is no system 'z' to compare\nUse one of a, b, c.", UsageError):
        by_query(scores, "a", "z")


def test_each_measure_has_rows_of_its_own_and_gsr_has_none() -> None:
    parts = [
        made(CWEX, a=[0.1, 0.5], b=[0.2, 0.1]),
        made(RAB, a=[1, 2], b=[5, 2]),
        made("GSR.query@10", a=[0.1, 0.2], b=[0.1, 0.2]),
        made("GSR.list@10", a=[0.1, 0.2], b=[0.3, 0.2]),
    ]
    rows = by_query(pd.concat(parts), "a", "b")[["measure", "query_id"]]
    assert rows.to_numpy().tolist() == [[CWEX, "q1"], [CWEX, "q0"], [RAB, "q0"], [RAB, "q1"]]
    assert by_query(made(CWEX, a=[0.1, NAN], b=[NAN, 0.1]), "a", "b").empty, "no query in common"
    alone = pd.concat([made(CWEX, a=[0.1]), made(RAB, a=[1], b=[2])])
    assert list(by_query(alone, "a", "b")["measure"]) == [RAB]


def test_the_two_best_go_by_the_means_and_named_systems_take_their_place() -> None:
    def pair(table: pd.DataFrame, system: str = "", baseline: str = "") -> tuple[str, ...]:
        found = by_query(table, system, baseline)
        return tuple(found[["baseline", "system"]].iloc[0]) if len(found) else ()

    given = {"a": [1, -3], "b": [2, 1], "c": [NAN, -0.5], "none": [NAN, NAN], "perfect": [0, 0]}
    assert pair(made(CWEX, **given)) == ("b", "c")
    assert pair(made(RAB, **given)) == ("c", "a")  # fairest at 0
    assert pair(made(CWEX, a=[1, 2], perfect=[3, 3])) == ()
    described = made("Exposure(group='male')@10", a=[1, 2], b=[2, 3])  # none is better
    assert pair(described) == ()
    assert pair(described, system="a", baseline="b") == ("b", "a")
    given = made(CWEX, a=[1, 2], b=[2, 3], c=[3, 4], perfect=[5, 5])
    assert pair(given) == ("c", "b")
    assert pair(given, baseline="b") == ("b", "c")
    assert pair(given, baseline="perfect") == ("perfect", "c")
    assert pair(given, system="a") == ("c", "a")
    assert pair(given, system="c") == ("c", "b")
    assert pair(given, system="a", baseline="b") == ("b", "a")


# --- rows of paired differences as one family, against a slow loop over draws of signs


def pairs_of_rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    first = generator.normal([[0.3], [0.05], [0.0]], 0.4, (3, 30))
    second = generator.normal(0, 0.4, (3, 30))
    first[1, :4], second[2, 20:25] = np.nan, np.nan
    return first, second


FEW = How(draws=199)


def test_p_and_intervals_of_rows_are_those_of_one_family() -> None:
    """By maxT also where Tukey or a baseline is chosen, which pairs of systems alone have."""
    first, second = pairs_of_rows()
    found = compare_rows(first, second, FEW)
    p, below, above = slow_rows(list(first - second))
    assert found.p_corrected.tolist() == pytest.approx(p)
    assert found.queries.tolist() == [30, 26, 25]
    means = np.nanmean(first - second, axis=1)
    error = np.array([stats.sem(row[~np.isnan(row)]) for row in first - second])
    assert found.difference == pytest.approx(means)
    assert found.high == pytest.approx(means + above * error)
    assert found.low == pytest.approx(means - below * error)
    outside = (found.low > 0) | (found.high < 0)
    assert ((found.p_corrected <= 0.05) == outside).all()
    assert (found.side == np.where(outside, np.sign(means), 0)).all()
    tukey = compare_rows(first, second, How(Families("tukey", baseline="bm25"), draws=199))
    assert tukey.p_corrected.tolist() == found.p_corrected.tolist()
    assert tukey.caption == found.caption == "3 differences, maxT"


def test_distances_from_0_reject_difference_and_sum() -> None:
    first, second = pairs_of_rows()
    found = compare_rows(first, second, FEW, directions=["higher", "zero", "zero"])
    p, *_ = slow_rows([first[0] - second[0], *(first[1:] - second[1:]), *(first[1:] + second[1:])])
    assert found.p_corrected.tolist() == pytest.approx([p[0], max(p[1], p[3]), max(p[2], p[4])])
    both = ~np.isnan(first[1]) & ~np.isnan(second[1])
    apart = abs(first[1, both].mean()) - abs(second[1, both].mean())
    assert found.difference[1] == pytest.approx(apart)


def test_few_queries_are_in_no_family() -> None:
    first, second = pairs_of_rows()
    first[0, 9:] = np.nan  # nine in common
    first[1, 12:] = np.nan  # 8 of 12 asked are half or more, but not ten
    first[2, 12:] = np.nan  # twelve of thirty asked
    found = compare_rows(first, second, counts=[9, 12, 30])
    assert np.isnan(found.p_corrected).all()
    assert (found.family, found.caption) == (0, "no difference could be tested")
    assert np.isnan(found.low[:2]).all()
    assert found.low[2] < found.difference[2] < found.high[2], "alone it has an interval, and no verdict"
    assert no_verdict(30) == "30 queries give no verdict: they are under half of all"
    assert compare_rows(first, second, counts=[9, 12, 24]).family == 1
    assert compare_rows(np.zeros((0, 30)), np.zeros((0, 30))).family == 0


def test_rows_by_the_other_methods_and_signed_ranks_that_point_the_other_way_than_the_mean() -> None:
    first, second = pairs_of_rows()
    p = [stats.ttest_1samp(row[~np.isnan(row)], 0).pvalue for row in first - second]
    for method in ("holm", "bonferroni", "bh", "none"):
        found = compare_rows(first, second, How(Families(method)))
        assert found.p_corrected == pytest.approx(corrected(p, method))
        assert "paired t" in found.caption
    apart = np.array([0.02] * 19 + [-2.0])[None] + np.linspace(0, 0.001, 20)
    found = compare_rows(apart, np.zeros_like(apart), How(Families("holm", "wilcoxon")))
    assert found.p_corrected[0] <= 0.05
    assert found.difference[0] < 0
    assert found.side.tolist() == [0]


# --- the chance of a false star somewhere, against a slow reference that goes through all signs


QUERIES = 11
PATTERNS = np.array([(*signs, 1) for signs in product((1, -1), repeat=QUERIES - 1)])
SIGNS = len(PATTERNS)  # patterns of signs, up to all opposite


def part(text: str, values: np.ndarray) -> Part:
    queries = tuple(f"q{place:02}" for place in range(values.shape[1]))
    return "", parse(text), Points(tuple("abcde")[: len(values)], queries, values, np.zeros(0))


def setting(seed: int, systems: int) -> list[Part]:
    """A measure that is fairest where it is high, without a value of one query, and one of distances from 0."""
    generator = np.random.default_rng(seed)
    high, zero = generator.normal(size=(2, systems, QUERIES))
    high[0, 4] = np.nan
    return [part("NFaiRR@10", high), part("ExposureGap@10", 100 + zero**2)]


def signed(apart: np.ndarray) -> np.ndarray:
    """The differences of a pair less their mean, with the signs of every pattern, (SIGNS, queries of both)."""
    is_there = ~np.isnan(apart)
    return PATTERNS[:, is_there] * (apart[is_there] - apart[is_there].mean())


@cache
def p_of_patterns(apart: tuple[float, ...], statistic: str) -> np.ndarray:
    """The p of a pair under every pattern of signs, (SIGNS,)."""
    values = signed(np.array(apart))
    if statistic == "t":
        return stats.ttest_1samp(values, 0, axis=1).pvalue
    if statistic == "wilcoxon":
        return wilcoxon(values)
    reached = np.abs(values.sum(axis=1))
    return (reached >= reached[:, None] - 1e-9).mean(axis=1)


def slow_chance(settings: list[list[Part]], how: How) -> float:
    """The share of all patterns of signs in which some pair is called different: of its differences less their mean,
    with these signs, |t| is above the half width of its interval in standard errors, where this holds for the family;
    else p of the patterns are corrected within each measure."""
    is_starred, level = np.zeros(SIGNS, dtype=bool), how.alpha * (1 + 1e-9)
    for pairs in [pairs for parts in settings for pairs in compare_pairs(parts, how)]:
        columns, values = pairs.columns, pairs.points.values
        of_family = [pair for pair in combinations(range(len(values)), 2)
                     if not math.isnan(columns["p_corrected"][pair])]  # fmt: skip
        apart = {pair: values[pair[0]] - values[pair[1]] for pair in of_family}
        if how.tests.simultaneous and how.tests.statistic == "t":
            for pair, differences in apart.items():
                t = stats.ttest_1samp(signed(differences), 0, axis=1).statistic
                low, high, middle = (float(columns[name][pair]) for name in ("ci_low", "ci_high", "difference"))
                width = max(high - middle, middle - low) / float(columns["error"][pair])
                is_starred |= np.abs(t) > width * (1 + 1e-9)
            continue
        p = np.column_stack([p_of_patterns(tuple(row.tolist()), how.tests.statistic) for row in apart.values()])
        for pattern in np.flatnonzero(p.min(axis=1) <= level):  # no correction lowers a p
            is_starred[pattern] |= (corrected(p[pattern], how.tests.method) <= level).any()
    return is_starred.mean()


@pytest.mark.parametrize(
    "tests",
    [
        *("maxT", "bonferroni", "none", "maxT(family='measures')", "maxT(baseline='a')", "bh", "holm"),
        *("none(statistic='wilcoxon')", "bh(statistic='wilcoxon')"),
        *("bonferroni(statistic='randomisation')", "bh(statistic='randomisation')"),
    ],
)
def test_the_chance_is_that_of_all_signs(tests: str) -> None:
    how = How(parse_tests(tests), draws=SIGNS)
    settings = [setting(1, 3)] if "statistic" in tests else [setting(seed, 4) for seed in (1, 2)]
    found = false_stars([(parts, how) for parts in settings], draws=100)
    assert [len(of_families) for of_families in found] == [1 if "measures" in tests else 2] * len(settings)
    chance = slow_chance(settings, how)
    assert np.concatenate(found).any(axis=0).mean() == chance
    assert 0 < chance < 1


def test_more_queries_than_are_counted_give_nearly_the_same_chance() -> None:
    """Sixty queries: normal signed ranks, and drawn signs. A pair alone is called different in 5 % of cases."""
    parts = [part("NFaiRR@10", np.random.default_rng(5).normal(size=(2, 60)))]
    for tests in ("bh(statistic='wilcoxon')", "holm(statistic='randomisation')", "bh"):
        (found,) = false_stars([(parts, How(parse_tests(tests)))], draws=4000)
        assert found.mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 4000))


def test_the_same_setting_twice_is_no_further_chance_and_one_without_tests_no_family() -> None:
    parts, how = setting(3, 5), How()
    once, twice = (false_stars([(parts, how)] * times, draws=200) for times in (1, 2))
    assert np.concatenate(twice).any(axis=0).tolist() == np.concatenate(once).any(axis=0).tolist()
    few = [part("NFaiRR@10", np.where(np.arange(QUERIES) < 5, 1.0, np.nan) * np.ones((2, 1)))]
    assert [len(found) for found in false_stars([(few, How())], draws=200)] == [0]
