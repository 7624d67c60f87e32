"""How valid GSR is: direct stereotypes by hand, rankers with debiased vectors, reliability over word vectors by scipy,
GSR against statistical parity by every solution written out, and permutation tests of lists of words."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairviz
from fairviz.analyses.gsr_validity import parity
from fairviz.analyses.gsr_validity.direct import (
    EDGES,
    OVER,
    by_genderedness,
    by_leaning,
    compare_debiased,
    compared,
    direct_stereotypes,
    list_distances,
    reliability,
)
from fairviz.analyses.gsr_validity.parity import parity_agreement, permutation_test, word_list_tests
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import align_runs
from fairviz.study.study import make_study
from fairviz.study.tables import RUNS, conform
from fairviz.words.genderedness import gender_direction, vocabulary_mean
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.vectors import load_embedding
from tests.conftest import refused
from tests.made import documents_of, qrels_of, queries_of, runs_of
from tests.vectors import write_word2vec

TEXTS = {
    "f1": "she and her mother", "f2": "the woman, his aunt", "f3": "girls", "m1": "He said", "m2": "his son",
    "zm3": "The king and the queen and the prince.", "n1": "she or he", "n2": "rain", "n3": "boys and girls",
}  # fmt: skip
LISTS = {
    "perfect": {"q1": ["f1", "m1"], "q2": ["m1", "f1", "m2"], "q3": ["n1"], "q4": ["m1"], "q5": ["f1", "n2"]},
    "one": {"q1": ["f1", "f3", "m1", "n2"], "q2": ["zm3", "m2", "n1"], "q3": ["n2", "n3"], "q4": ["m2"], "q5": ["f2"]},
    "two": {"q1": ["m1", "m2", "f1"], "q2": ["f1", "m1", "m2"], "q3": ["f1"], "q4": ["f3"], "q5": ["m1", "f3"]},
}


def listed(lists: dict[str, dict[str, list[str]]]) -> pd.DataFrame:
    return runs_of({(system, query): names for system, of in lists.items() for query, names in of.items()})


@pytest.fixture
def study():
    queries = {"q1": "nurse", "q2": "plumber", "q3": "river", "q4": "zzzzqq", "q5": "wedding"}
    return make_study(
        "made",
        queries=queries_of(queries),
        documents=documents_of(TEXTS),
        runs=listed(LISTS),
        qrels=qrels_of({"q1": "f1", "q2": "m1"}),
    )


def test_gaps_by_hand(study):
    found = direct_stereotypes(study, Settings()).set_index(["system", "query_id"])
    assert set(found.index.get_level_values(0)) == {"one", "two"}
    counts = {key: (row.female, row.male) for key, row in zip(found.index, found.itertuples(), strict=True)}
    assert counts == {
        ("one", "q1"): (2, 1), ("one", "q2"): (0, 2), ("one", "q3"): (0, 0),
        ("one", "q4"): (0, 1), ("one", "q5"): (1, 0),
        ("two", "q1"): (1, 2), ("two", "q2"): (1, 2), ("two", "q3"): (1, 0),
        ("two", "q4"): (1, 0), ("two", "q5"): (1, 1),
    }  # fmt: skip
    nan, inf = np.nan, np.inf
    np.testing.assert_array_equal(found.loc["one", "gap"], [0.5, inf, nan, inf, 0])
    np.testing.assert_array_equal(found.loc["two", "gap"], [2, 2, 0, 0, 1])
    np.testing.assert_array_equal(found.loc["one", "reference_gap"], [1, 2, nan, inf, 0])
    np.testing.assert_array_equal(found.loc["one", "delta"], [-0.5, inf, nan, nan, 0])
    np.testing.assert_array_equal(found.loc["two", "delta"], [1, 0, nan, -inf, 1])
    assert list(found.loc["one", "over"]) == ["female", "male", "undefined", "undefined", "neither"]
    assert list(found.loc["two", "over"]) == ["male", "neither", "undefined", "female", "male"]
    assert found.loc["one", "query"].isna().tolist() == [False, False, False, True, False]


def test_depth_smoothing_and_reference(study):
    top = direct_stereotypes(study, Settings(cutoff=2)).set_index(["system", "query_id"])
    assert top.loc[("one", "q1"), ["female", "male"]].tolist() == [2, 0]
    relevant = direct_stereotypes(study, Settings(gsr_depth="relevant")).set_index(["system", "query_id"])
    assert relevant.loc[("one", "q1"), ["female", "male"]].tolist() == [1, 0]
    assert relevant.loc[("one", "q5"), ["female", "male"]].tolist() == [0, 0]  # nothing is relevant to q5
    found = direct_stereotypes(study, Settings(systems=("one",)), smoothing=1).set_index("query_id")
    assert list(found["gap"]) == [2 / 3, 3, 1, 2, 0.5]
    assert list(found["reference_gap"]) == [1, 1.5, 1, 2, 0.5]
    assert list(found["over"]) == ["female", "male", "neither", "neither", "neither"]
    found = direct_stereotypes(study, Settings(systems=("perfect",)), "one").set_index("query_id")
    assert list(found["over"]) == ["male", "female", "undefined", "undefined", "neither"]
    bare = make_study("made", runs=listed({"one": LISTS["one"]}), documents=study.documents, queries=study.queries)
    with refused("the study 'made' has no system 'perfect' to compare with\nMake it: fairviz rank made --with perfect"):
        direct_stereotypes(bare, Settings())


def test_bins(study):
    table = direct_stereotypes(study, Settings()).assign(query=[0.2, -0.3, 0.1, np.nan, 0.11] * 2)
    bins = by_genderedness(table)
    assert len(bins) == 2 * (len(EDGES) - 1)
    held = bins[bins["queries"] > 0].set_index(["system", "high"])
    assert held.loc[("one", 0.1), ["low", "queries", *OVER]].tolist() == [0.05, 1, 0, 0, 0, 1]  # 0.1 lies in (.05, .1]
    assert held.loc[("one", -0.1), ["queries", *OVER]].tolist() == [1, 0, 1, 0, 0]
    assert held.loc[("one", np.inf), ["queries", *OVER]].tolist() == [2, 1, 0, 1, 0]
    assert bins["queries"].sum() == 8  # the query without g is in none
    assert (bins[list(OVER)].sum(axis=1) == bins["queries"]).all()
    assert by_genderedness(table[:0])["queries"].tolist() == []


def test_leanings(study):
    table = direct_stereotypes(study, Settings()).assign(query=[0.2, -0.3, 0.1, np.nan, 0.05] * 2)
    found = by_leaning(table, 0.06)
    assert len(found) == 2 * 2 * 3
    held = found.set_index(["system", "leaning", "over"])
    # one: q1 (0.2) is over female, q3 (0.1) undefined; q2 (-0.3) over male, q5 (0.05) neither
    assert held.loc[("one", "female", "female"), ["count", "queries", "share"]].tolist() == [1, 1, 1]
    assert held.loc[("one", "male", "male"), ["count", "queries", "share"]].tolist() == [1, 2, 0.5]
    assert held.loc[("one", "male", "female"), ["count", "queries", "share"]].tolist() == [0, 2, 0]
    z = 1.959964  # Wilson: (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n), p = 1/2, n = 2
    width = z * np.sqrt(0.25 / 2 + z**2 / 16) / (1 + z**2 / 2)
    low, high = held.loc[("one", "male", "male"), ["ci_low", "ci_high"]]
    assert (low, high) == (pytest.approx(0.5 - width, abs=1e-6), pytest.approx(0.5 + width, abs=1e-6))
    nothing = by_leaning(table.assign(query=0.06), 0.06)
    assert nothing["queries"].eq(0).all()
    assert nothing[["share", "ci_low", "ci_high"]].isna().all(axis=None)
    assert by_leaning(table[:0]).empty


def distance(first: list[str], second: list[str], depth: int = 100) -> float:
    rankings = align_runs(conform(listed({"a": {"q": first}, "b": {"q": second}}), RUNS))
    table = list_distances(rankings, "a", "b", depth)
    assert list(table["query_id"]) == ["q"]
    return float(table["distance"][0])


def slow_distance(first: list[str], second: list[str]) -> float:
    """Fagin, Kumar, Sivakumar (2003), K^(1/2), over the number of pairs: what a list lacks stands last in it, tied."""
    union = {*first, *second}
    ranks = [{name: listed.index(name) if name in listed else math.inf for name in union} for listed in (first, second)]
    one, two = ([np.sign(held[i] - held[j]) if held[i] != held[j] else 0 for i, j in itertools.combinations(union, 2)]
                for held in ranks)  # fmt: skip
    return float(np.abs(np.subtract(one, two)).mean() / 2)


def test_distances_by_hand():
    # {a, b} and {a, c}: a before both in both; b before c in one, c before b in the other: 1 of 3 pairs
    # nothing in common: 4 pairs across count 1, 2 pairs within count 1/2, of 6
    for first, second, expected in (
        ("abc", "abc", 0), ("abc", "cba", 1), ("abc", "acb", 1 / 3), ("ab", "ac", 1 / 3), ("ab", "cd", 5 / 6),
        ("a", "b", 1),
    ):  # fmt: skip
        assert distance([*first], [*second]) == pytest.approx(expected)
    assert math.isnan(distance(["a"], ["a"]))
    assert distance(["a", "b", "c"], ["a", "b", "d"], depth=2) == 0
    rankings = align_runs(conform(listed({"a": {"q": ["x", "y"]}, "b": {"r": ["x", "y"]}}), RUNS))
    assert list_distances(rankings, "a", "b")["distance"].isna().all()
    with refused("there is no system 'c'\nUse one of a, b."):
        list_distances(rankings, "a", "c")


@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.integers(1, 8), st.integers(1, 8))
def test_distance_is_the_share_of_pairs_in_opposite_order(first, second, length, other):
    first, second = first[:length], second[:other]
    if len({*first, *second}) > 1:
        assert distance(first, second) == pytest.approx(slow_distance(first, second), abs=1e-12)
        assert 0 <= slow_distance(first, second) <= 1


def test_debiased_newswire(newswire):
    direction = gender_direction(load_embedding("glove"))
    seen = []
    settings = Settings(systems=("bm25",))
    found = compare_debiased(newswire, settings, direction=direction, progress=lambda *at: seen.append(at))
    assert seen[-1] == (240, 240)
    systems = found.systems.set_index("system")
    assert list(systems.index) == [
        "perfect", "w2v_add", "w2v_add-debias=regular", "w2v_add-debias=strong",
        "w2v_si", "w2v_si-debias=regular", "w2v_si-debias=strong",
    ]  # fmt: skip
    assert systems.loc["perfect", "relative"] == 1
    for ranker in ("w2v_add", "w2v_si"):
        plain = systems.loc[ranker]
        for kind in ("regular", "strong"):
            less = systems.loc[f"{ranker}-debias={kind}"]
            assert 0.75 < less["slope"] / plain["slope"] < 0.9  # the paper: 10 % to 25 % less
            assert abs(less["AP@100"] / plain["AP@100"] - 1) < 0.02  # the paper: at most 2 %
    # vectors as they are give the runs of the study, so the same GSR and the same effectiveness
    measures = ["AP@100", "nDCG@100", "P@10"]
    stored = fairviz.evaluate(newswire, measures, systems=("w2v_add",))
    means = stored.groupby("measure", observed=True)["value"].mean()
    np.testing.assert_allclose(systems.loc["w2v_add", measures].astype(float), means[measures])

    found = compare_debiased(newswire, Settings(), ["w2v_add"], depth=20, direction=direction)
    assert len(found.distances) == 2 * 40
    part = found.distances[found.distances["debias"] == "regular"]
    row = found.correlations.set_index("debias").loc["regular"]
    expected = stats.pearsonr(part["query"].abs(), part["distance"])
    assert (row["r"], row["p"]) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
    offset = vocabulary_mean(direction)
    centred = stats.pearsonr((part["query"] - offset).abs(), part["distance"])
    assert row["centred_r"] == pytest.approx(centred.statistic)
    assert row["centred_r"] > 0.5  # the paper: 0.81 with vectors that have no offset
    runs = found.study.runs
    first, second = (
        runs[(runs["system"] == name) & (runs["query_id"] == "q01")].sort_values("rank")["doc_id"].tolist()
        for name in ("w2v_add", "w2v_add-debias=regular")
    )
    assert part.set_index("query_id").loc["q01", "distance"] == pytest.approx(slow_distance(first, second))


@pytest.mark.lengthy
def test_the_most_gendered_queries_change_most(newswire, google_news, tmp_path):
    """Figure 10 with the paper's vectors, on our collection: r = 0.76 where the paper prints 0.81 for Robust04."""
    path = write_word2vec(google_news, tmp_path / "google.bin")
    direction = gender_direction(google_news)
    found = compare_debiased(newswire, Settings(), ["w2v_add"], embedding=str(path), direction=direction)
    rows = found.correlations.set_index(["ranker", "debias"])["r"]
    assert rows[("w2v_add", "regular")] == pytest.approx(0.76, abs=0.005)
    assert (rows > 0.7).all()


def test_without_relevance_there_is_no_effectiveness():
    study = make_study(
        "made",
        queries=queries_of({"q1": "nurse", "q2": "king", "q3": "zzzqqq"}),
        documents=documents_of({"a": "the queen said", "b": "a plumber", "c": "of rain"}),
    )
    rankers = ["w2v_si", "w2v_add"]  # the order that is asked for stays
    found = compare_debiased(study, Settings(), rankers, measures=["AP@100"])
    assert found.systems["AP@100"].isna().all()
    assert list(found.systems["system"]) == [
        f"{name}{kind}" for name in rankers for kind in ("", "-debias=regular", "-debias=strong")
    ]
    assert found.systems["relative"].isna().all()
    assert found.distances["query_id"].tolist() == ["q1", "q2", "q3"] * 4
    assert found.distances["distance"].isna().tolist() == [False, False, True] * 4  # nothing answers q3
    assert found.correlations["r"].isna().all()  # two queries
    assert found.correlations["ranker"].tolist() == [name for name in rankers for _ in range(2)]


def test_against_scipy(newswire):
    first = gender_direction(load_embedding("glove"))
    same = reliability(newswire, Settings(), first, first)
    assert (same.pearson, same.spearman) == (pytest.approx(1), pytest.approx(1))
    assert (len(same.queries), len(same.systems)) == (40, 9)
    assert same.pearson_p < 1e-40
    few = reliability(newswire, Settings(systems=("bm25", "w2v_add")), first, first)
    assert math.isnan(few.spearman), "two systems tell nothing"
    assert math.isnan(few.spearman_p)
    assert few.pearson == pytest.approx(1)
    pairs = [("king", "queen"), ("uncle", "aunt"), ("men", "women"), ("nurse", "engineer")]
    second = gender_direction(load_embedding("glove"), pairs)
    found = reliability(newswire, Settings(cutoff=5), first, second)
    points = [gsr_points(newswire, Settings(cutoff=5), direction=each) for each in (first, second)]
    bm25 = [each[each["system"] == "bm25"].set_index("query_id")["query"] for each in points]
    expected = stats.pearsonr(bm25[0], bm25[1][bm25[0].index])
    assert (found.pearson, found.pearson_p) == pytest.approx((expected.statistic, expected.pvalue))
    slopes = [gsr(each).set_index("system")["slope"] for each in points]
    rank = stats.spearmanr(slopes[0], slopes[1][slopes[0].index])
    assert found.spearman == pytest.approx(rank.statistic)
    assert rank.pvalue < found.spearman_p < 0.05  # of 9,999 orders of nine systems
    z, width = math.atanh(found.pearson), 1.959964 / math.sqrt(40 - 3)
    assert found.interval == pytest.approx((math.tanh(z - width), math.tanh(z + width)))
    assert found.systems.set_index("system")["second"]["bm25"] == pytest.approx(slopes[1]["bm25"])


def test_few_systems_prove_little():
    def points(*slopes):
        rows = [(name, f"q{x}", x, slope * x) for name, slope in zip("abcde", slopes, strict=True)
                for x in (0.1, -0.2, 0.3)]  # fmt: skip
        return pd.DataFrame(rows, columns=["system", "query_id", "query", "list"])

    first = points(0.1, 0.2, 0.3, 0.4, 0.5)
    same = compared(first, points(0.2, 0.3, 0.5, 0.8, 0.9))
    assert same.spearman == pytest.approx(1)
    assert same.spearman_p == pytest.approx(2 / math.factorial(5))  # scipy's own: 1e-24
    swapped = compared(first, points(0.1, 0.2, 0.3, 0.5, 0.4))
    assert swapped.spearman == pytest.approx(0.9)
    assert swapped.spearman_p == pytest.approx(2 * 5 / 120)  # the order itself and four neighbours swapped
    assert all(map(math.isnan, same.interval))  # three queries


# --- GSR against statistical parity, every solution written out, and permutation tests of lists of words


def every_solution(queries: list[float], man: float, woman: float) -> tuple[np.ndarray, np.ndarray]:
    """GSR and share of stereotypical documents of each of 3^N solutions, document by document."""
    slopes, shares = [], []
    weight = 1 / math.log2(3)
    for answers in itertools.product([(man,), (woman,), (man, woman)], repeat=len(queries)):
        lists = [found[0] if len(found) == 1 else (found[0] + weight * found[1]) / (1 + weight) for found in answers]
        same = [(query > 0) == (g > 0) for query, found in zip(queries, answers, strict=True) for g in found]
        slopes.append(np.polyfit(queries, lists, 1)[0])
        shares.append(sum(same) / len(same))
    return np.array(slopes), np.array(shares)


@pytest.mark.parametrize(
    ("queries", "man", "woman"),
    [
        ([0.3, -0.2], -0.2, 0.3),
        ([0.31, 0.1, -0.12, -0.05, 0.22, -0.3], -0.22, 0.34),
        ([0.31, 0.1, 0.12, -0.05, 0.2], -0.1, 0.4),
        ([0.31, 0.1, -0.12, -0.05, 0.2], 0.05, 0.4),  # both documents are female
    ],
)
def test_over_every_solution(queries, man, woman):
    slopes, shares = every_solution(queries, man, woman)
    assert len(slopes) == 3 ** len(queries)
    r, sample = parity.agreement(queries, man, woman, sample=5_000)
    assert r == pytest.approx(np.corrcoef(slopes, shares)[0, 1], abs=1e-10)
    assert {*sample["gsr"].round(9)} <= {*slopes.round(9)}
    pairs = {(round(a, 9), round(b, 9)) for a, b in zip(slopes, shares, strict=True)}
    assert {(round(a, 9), round(b, 9)) for a, b in sample.itertuples(index=False)} <= pairs
    assert sample["gsr"].mean() == pytest.approx(slopes.mean(), abs=0.1 * slopes.std())


def test_undefined():
    for queries, man, woman in (
        ([0.1, 0.1], -0.2, 0.3),  # no slope
        ([], -0.2, 0.3),
        ([0.1, -0.1], math.nan, 0.3),
        ([0.1, -0.1], 0.2, 0.2),  # both documents are stereotypical for one and for none
    ):
        assert math.isnan(parity.agreement(queries, man, woman)[0])
    found = permutation_test([math.nan], [1.0])
    assert math.isnan(found.difference)
    assert math.isnan(found.p)
    assert permutation_test([0.0, math.nan], [1.0]).divisions == 2


def test_the_toy_set_is_the_study_occupations(occupations):
    """The three systems of the study are three of the solutions: their GSR is that of fairviz.evaluation.gsr."""
    direction = gender_direction(load_embedding("glove"))
    slopes = gsr(gsr_points(occupations, Settings(), direction=direction)).set_index("system")["slope"]
    found = parity_agreement(direction)
    assert found.solutions == 3**20
    assert (len(found.queries), found.missing, len(found.sample)) == (20, (), 2_000)
    assert 0.8 < found.r < 0.95  # the paper: 0.92
    assert found.sample.corr().iloc[0, 1] == pytest.approx(found.r, abs=0.03)
    x = direction.of(found.queries)
    man, woman = direction.of(["man", "woman"])
    typical = np.polyfit(x, [woman] * 10 + [man] * 10, 1)[0]
    assert slopes["S"] == pytest.approx(typical, abs=1e-9)
    assert (
        found.sample["gsr"].abs().max() <= np.abs(x - x.mean()).sum() / ((x - x.mean()) ** 2).sum() * (woman - man) / 2
    )


def slow_p(lower: list[float], higher: list[float]) -> float:
    """The share of all divisions whose difference of means is at least the observed one."""
    values, places = np.array([*lower, *higher]), range(len(lower) + len(higher))
    divisions = [np.isin(places, chosen) for chosen in itertools.combinations(places, len(higher))]
    observed = np.mean(higher) - np.mean(lower)
    return float(np.mean([values[up].mean() - values[~up].mean() >= observed - 1e-9 for up in divisions]))


def test_by_hand():
    """{1, 2} below {3, 4}: of the six divisions only {3, 4} reaches the sum 7."""
    found = permutation_test([1, 2], [3, 4])
    assert (found.difference, found.p, found.exact, found.divisions) == (2, 1 / 6, True, 6)
    assert permutation_test([3, 4], [1, 2]).p == 1  # one-tailed
    assert permutation_test([1, 1], [1, 1]).p == 1  # ties reach it too
    assert permutation_test([0.1, 0.2, 0.3], [0.2]).p == 3 / 4  # 0.2 is there twice


@given(
    st.lists(st.integers(-5, 5).map(lambda whole: whole / 10), min_size=1, max_size=5),
    st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=5),
)
def test_every_division_is_counted(lower, higher):
    found = permutation_test(lower, higher)
    assert found.exact
    assert found.divisions == math.comb(len(lower) + len(higher), len(higher))
    assert found.p == pytest.approx(slow_p(lower, higher), abs=1e-12)
    assert found.p >= 1 / found.divisions


def test_where_there_are_too_many_divisions_some_are_drawn(monkeypatch):
    generator = np.random.default_rng(1)
    lower, higher = generator.normal(0, 1, 20), generator.normal(0.4, 1, 20)
    exact = permutation_test(lower, higher)
    assert (exact.exact, exact.divisions) == (True, math.comb(40, 20))
    drawn = permutation_test([*lower, 0.0], higher, draws=20_000)
    assert (drawn.exact, drawn.divisions) == (False, 20_000)
    assert drawn == permutation_test([*lower, 0.0], higher, draws=20_000)  # seeded
    assert drawn != permutation_test([*lower, 0.0], higher, draws=20_000, seed=1)
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    assert 0.01 < exact.p < 0.5
    assert permutation_test(np.zeros(30), np.ones(30), draws=99).p == 1 / 100  # never zero
    assert permutation_test(np.zeros(20), np.ones(20)).p == 1 / math.comb(40, 20)
    lower, higher = [0.1, 0.5, 0.2, 0.3], [0.3, 0.6, 0.4]
    p = permutation_test(lower, higher).p
    monkeypatch.setattr(parity, "MOST_COUNTED", 0)
    assert permutation_test(lower, higher, draws=50_000).p == pytest.approx(p, abs=3 * math.sqrt(p / 50_000))


def test_the_paper_with_glove():
    """All four stereotypes hold, and the words without a vector are named."""
    table = word_list_tests(gender_direction(load_embedding("glove")))
    assert list(table["table"]) == ["A.4", "A.4", "A.5", "A.6", "A.6", "A.7"]
    assert (table["p"] < 0.05).all()
    assert table["exact"].all()
    assert (table["female_mean"] > table["male_mean"]).all()
    assert list(table["missing"]) == ["corageous", "", "", "", "", ""]
    assert list(table["words"]) == [26, 27, 16, 16, 16, 20]
    assert list(table["divisions"]) == [
        math.comb(*pair) for pair in ((26, 12), (27, 12), (16, 8), (16, 8), (16, 8), (20, 10))
    ]
    direction = gender_direction(load_embedding("glove"))
    jobs = WORD_LISTS["jobs"]
    female, male = direction.of(jobs.female), direction.of(jobs.male)
    every = np.array([*itertools.combinations([*female, *male], 10)]).sum(axis=1)
    assert parity.word_list_test(direction, jobs).test.p == (every >= female.sum() - 1e-9).mean()


def test_the_paper_with_its_own_vectors(newswire, google_news):
    """Table A.6, whose words are all there: 7 of 12,870 divisions, 5.4e-4, where the paper printed 5.5e-4. As printed,
    with cousin, five times as much. Parity has r = 0.92 with all twenty words. Google News and fastText on Robust04:
    Pearson 0.78 over queries, Spearman 0.96 over systems."""
    direction = gender_direction(google_news)
    found = parity_agreement(direction)
    assert (found.solutions, round(found.r, 2)) == (3**12, 0.90)
    found = reliability(newswire, Settings(), direction, gender_direction(load_embedding("glove")))
    assert (round(found.pearson, 2), round(found.spearman, 2)) == (0.73, 0.95)
    assert np.isfinite(found.queries[["first", "second"]].to_numpy()).all()
    table = word_list_tests(direction).set_index(["table", "edition"])
    assert table.loc[("A.6", "corrected"), "p"] == 7 / 12_870
    assert table.loc[("A.6", "corrected"), "p"] == pytest.approx(table.loc[("A.6", "corrected"), "printed_p"], rel=0.02)
    assert table.loc[("A.6", "as printed"), "p"] == pytest.approx(2.7e-3, rel=0.02)
    assert table.loc[("A.7", "as printed"), "p"] == 1 / math.comb(12, 6)  # the smallest that 12 words allow
    assert table.loc[("A.5", "as printed"), "missing"] == "Einstein, NASA, Shakespeare"
    assert table.loc[("A.4", "corrected"), "missing"] == "possessive"
