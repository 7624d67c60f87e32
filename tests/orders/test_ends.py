"""What orders can reach, against every order evaluated one by one: the range of each measure over orders of the
candidates, its ends over orders of tied documents, and the achievable fronts of two measures."""

from functools import cache
from itertools import chain, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.pareto_front import achievable, front_choice
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align, aligned
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse, unfairness
from fairviz.orders import achievable as ways
from fairviz.orders.candidates import SOURCES, candidate_sets
from fairviz.orders.ranges import ranges, value_scales
from fairviz.orders.ties import EXACT, SEARCHED, ties
from fairviz.statistics.fronts import upper_front
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import documents_of, labels_of, qrels_of, runs_of
from tests.orders import cases
from tests.orders.cases import GENDERS, TEXTS, brute, evidence, pools_of, study_of

FAIR = [
    *cases.FAIR, "TExFAIR(rbdf=False)@3", "CWEx@5", "CWEx(alpha=0.2)@9", "AWRF@9", "AbsExposureGap@1",
    "NFaiRR(tau=0, background='run:b')@3",
]  # fmt: skip
LABELLED = [text for text in FAIR if parse(text).family == "labels"]
WISHED = {"female": 0.5, "male": 0.3, "other": 0.2}
EFFECTIVE = [
    *cases.EFFECTIVE, "Rprec", "Compat(p=0.8)", "nDCG(gains={0: 1, 1: 0})@3", "P(judged_only=True)@2",
]  # fmt: skip
BIASES = [{"position_bias": name} for name in ("log2", "uniform", "linear", "rbp(p=0.6)")] + [
    {"position_bias": "custom", "custom_bias": weights} for weights in ((0.2, 0.0, 1.0, 0.2), (1.0, 1.0), (0.0, 1.0))
]
SLOW = "fairviz.orders.ranges.MOST_TRIED", "fairviz.orders.ranges.MOST_SEQUENCES"


def expected(text: str, values: np.ndarray) -> tuple[float, float]:
    """The worst and the best of the values that are defined, written out by direction."""
    defined = values[~np.isnan(values)]
    direction = parse(text).direction
    if direction == "zero":
        return np.abs(defined).max(), np.abs(defined).min()
    if direction == "one":
        with np.errstate(divide="ignore"):
            away = np.abs(np.log(defined))
        return away.max(), away.min()
    low, high = defined.min(), defined.max()
    return (high, low) if direction == "lower" else (low, high)


def agrees(study: Study, measures: list[str], candidates: str = "study", **choices: object) -> pd.DataFrame:
    """Compare the table of all systems with every order."""
    table = ranges(study, measures, candidates=candidates, per_query=True, **choices)
    for system, orders in pools_of(study, candidates).items():
        rows = table[table["system"] == system]
        tried = brute(study, orders, list(rows["measure"]), **choices)
        for row in rows.to_dict("records"):
            check(row, tried[row["measure"]], f"{row['measure']} of {system} from {candidates}")
    return table


def check(row: dict, values: np.ndarray, about: str) -> None:
    if np.isnan(row["value"]) or np.isnan(values).all():
        assert np.isnan([row["worst"], row["best"], row["place"]]).all(), about
        return
    worst, best = expected(row["measure"], values)
    sign = 1 if best >= worst else -1
    if parse(row["measure"]).direction in ("zero", "one", "lower"):
        sign = -1
    for end, is_end, true, outward in (("worst", "worst_is", worst, -sign), ("best", "best_is", best, sign)):
        if row[end] == true:  # also both infinite
            continue
        if row[is_end] == "exact":
            assert row[end] == pytest.approx(true, abs=1e-9), f"{end} {about}"
        elif row[is_end] == "bound":
            assert outward * (row[end] - true) >= -1e-9, f"{end} {about}"
        else:
            assert outward * (true - row[end]) >= -1e-9, f"{end} {about}"
    if row["narrow"]:
        assert abs(worst - best) <= 0.02 + 1e-9, about
    if row["worst_is"] == row["best_is"] == "exact" and np.isfinite(worst) and abs(worst - best) > 1e-9:
        distance = expected(row["measure"], np.array([row["value"]]))[0]
        assert row["place"] == pytest.approx((worst - distance) / (worst - best), abs=1e-6), about


@st.composite
def reordered(draw: st.DrawFn) -> Study:
    count = draw(st.integers(2, 4))
    orders = [draw(st.permutations(range(count)))[: draw(st.integers(1, count))] for _ in "ab"]
    return study_of(dict(zip("ab", orders, strict=True)), *draw(evidence(count, GENDERS, (*TEXTS, "her", None))))


@given(
    study=reordered(),
    bias=st.sampled_from(BIASES),
    candidates=st.sampled_from(("study", "run", "judged")),
    unlabelled=st.sampled_from(["skip", "skip", "neutral", "strict"]),
)
@settings(max_examples=settings.default.max_examples // 8)
def test_every_measure_has_the_range_of_all_orders(study: Study, bias: dict, candidates: str, unlabelled: str) -> None:
    agrees(study, FAIR + EFFECTIVE, candidates, unlabelled=unlabelled, **bias)


SEVEN = study_of(
    {"a": [0, 1, 2, 4], "b": [6, 3], "c": [5, 6]},
    ["female", "male", "neutral", "male", "", "neutral", "female"],
    [*TEXTS[:5], None, "her mother and he"],
    [0, 1, 2, None, 0, 1, 1],
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidates", "unlabelled", "fast"),
    [
        ("study", "skip", True),
        ("study", "skip", False),
        pytest.param("study", "strict", False, marks=pytest.mark.lengthy),
        pytest.param("judged", "neutral", True, marks=pytest.mark.lengthy),
    ],
)
def test_seven_candidates(candidates: str, unlabelled: str, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All orders of seven make every end exact; without them there are bounds and searched ends."""
    for limit in () if fast else SLOW:
        monkeypatch.setattr(limit, 0)
    table = agrees(SEVEN, FAIR if unlabelled == "skip" else LABELLED, candidates, unlabelled=unlabelled)
    if fast and candidates == "study":
        effective = ranges(SEVEN, EFFECTIVE, per_query=True)
        looped = effective["measure"].isin(["Rprec", "P(judged_only=True)@2"])
        assert (pd.concat([table, effective[~looped]])[["worst_is", "best_is"]] == "exact").all(axis=None)
    assert fast or {"exact", "bound"} <= {*table["worst_is"], *table["best_is"]}


@pytest.mark.parametrize(
    ("targets", "bias", "fast"), [({}, BIASES[1], True), (WISHED, BIASES[4], True), ({}, BIASES[4], False)],
    ids=["equal", "wished", "search"],
)  # fmt: skip
def test_three_groups(targets: dict, bias: dict, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in () if fast else SLOW:
        monkeypatch.setattr(limit, 0)
    labels, groups = ["female", "male", "other", "neutral", ""], ("female", "male", "other")
    about = {"groups": groups, "protected": "other", "targets": targets}
    study = study_of({"a": [0, 1, 2, 3], "b": [4, 1, 2]}, labels, ["a tree"] * 5, [1, 0, 2, 0, 1], **about)
    agrees(study, LABELLED, **bias)


ONE_SIDED = study_of({"a": [0, 1, 2]}, ["male", "neutral", "female"], ["a tree"] * 3, [1, 0, 0])


def test_three_documents_by_hand() -> None:
    """Attention 1, 1/2, 1/3, together 11/6: exposures 6/11, 3/11, 2/11. With neutral first, CWEx is half of 6/11 less
    half of 1/11; with neutral last, half of 2/11 less half of 3/11; as it is, half of 3/11 less half of 4/11. With male
    first and female last, the gap is (6 - 2) / 11; next to each other it is 1/11, either way."""
    row = ranges(ONE_SIDED, "CWEx@3", position_bias="reciprocal").iloc[0]
    numbers = row[["worst", "best", "value", "place", "width"]].tolist()
    assert numbers == pytest.approx([(2 - 3) / 22, (6 - 1) / 22, (3 - 4) / 22, 0, 6 / 22])
    assert (row["worst_is"], row["best_is"]) == ("exact", "exact")
    assert (row["queries"], row["fixed"], row["narrow"]) == (1, 0, 0)
    row = ranges(ONE_SIDED, "ExposureGap@3", position_bias="reciprocal", per_query=True).iloc[0]
    assert row[["value", "worst", "best", "place"]].tolist() == pytest.approx([4 / 11, 4 / 11, 1 / 11, 0])
    alike = study_of({"a": [0, 1], "b": [1, 0]}, ["male"] * 2, ["a tree"] * 2, [1, 0])
    row = ranges(alike, "AWRF@2").iloc[0]
    assert row[["worst", "best", "width", "queries", "fixed", "narrow"]].tolist() == [1, 1, 0, 1, 1, 1]
    assert np.isnan(row["place"]), "a range without width"


def test_what_has_no_range() -> None:
    study = make_study(
        "two",
        documents=documents_of({"d0": "she and a tree", "d1": "a tree", "d2": "a tree"}),
        runs=runs_of({("a", "q"): "d0 d1 d2", ("b", "q"): "d2 d1", ("b", "other"): "d0 d1"}),
        labels=labels_of({"d0": "male", "d1": "neutral", "d2": "female"}),
    )
    table = ranges(study, ["CWEx@3", "TExFAIR@3"], per_query=True).set_index(["measure", "system", "query_id"])
    for text in table.index.unique("measure"):
        missing = table.loc[(text, "a", "other")]
        assert missing[["value", "worst", "best", "place"]].isna().all()
        assert not table.loc[(text, "b", "other"), ["worst", "best"]].isna().any()
    with pytest.raises(FairvizError, match=r"GSR@3 has no range: it is a slope over queries"):
        ranges(ONE_SIDED, "GSR@3")
    with pytest.raises(UsageError, match="there is no source of candidates 'lists'"):
        ranges(ONE_SIDED, "CWEx@3", candidates="lists")
    with pytest.raises(UsageError, match="per_query is 1"):
        ranges(ONE_SIDED, "CWEx@3", per_query=1)


def test_deep_lists_have_bounds_and_the_table_of_ranges_stands_beside_that_of_chance(newswire: Study) -> None:
    shown = {"filter_column": "category", "filter_values": ("sport",)}
    deep = ["CWEx@30", "AWRF@30", "ExposureGap@30"]
    table = ranges(newswire, deep, per_query=True, candidates="run", systems=("bm25",), **shown)
    assert set(table["worst_is"]) == {"exact"}
    assert "bound" in set(table["best_is"])
    assert table["place"].dropna().between(0, 1).all()
    measures, chosen = ("CWEx@5", "NFaiRR@5", "nDCG@5"), fairviz.Settings(systems=("bm25", "w2v_si"), **shown)
    table = value_scales(newswire, measures, chosen, candidates="judged")
    reach = fairviz.ranges(newswire, measures, chosen, candidates="judged")
    bands = fairviz.chance(newswire, measures, chosen, candidates="judged")
    assert table["system"].tolist() == ["bm25", "w2v_si"] * 3
    pd.testing.assert_frame_equal(table[["value", "worst", "best"]], reach[["value", "worst", "best"]])
    names = {"low": "chance_low", "high": "chance_high"}
    wanted = bands[["chance", "low", "high", "outside"]].rename(columns=names)
    pd.testing.assert_frame_equal(table[list(wanted)], wanted)


@pytest.mark.parametrize("source", SOURCES)
def test_candidates_are_what_the_tables_say(source, newswire):
    rankings = align(newswire, fairviz.Settings(), collection=True)
    sets = candidate_sets(newswire, rankings, source)
    rows = rankings.lists.systems if source == "run" else ("all",)
    assert len(sets) == len(rows)
    tables = {"study": newswire.runs, "run": newswire.runs, "judged": newswire.qrels}
    for row, system in enumerate(rows):
        table = tables[source]
        table = table[table["system"] == system] if source == "run" else table
        by_query = table.groupby(table["query_id"].astype(str), observed=True)["doc_id"].agg(set)
        for place, query in enumerate(rankings.lists.queries):
            expected = set(map(str, by_query.get(query, set()))) & set(rankings.lists.doc_ids)
            assert set(rankings.lists.doc_ids[sets[row][place]]) == expected
            assert len(np.unique(sets[row][place])) == len(sets[row][place])


# --- The ends of each measure over all orders of tied documents, against every order tried one by one


def tied_study(scores: list[float], labels: list[str], texts: list[str | None], grades: list[int]) -> Study:
    """One list in the order of the names, with these scores from the top."""
    study = cases.study_of({"a": range(len(scores))}, labels, texts, grades)
    parts = {part: getattr(study, part) for part in ("queries", "documents", "labels", "qrels")}
    return make_study("tied", runs=study.runs.assign(score=[float(score) for score in scores]), **parts)


def tied_orders(study: Study, measures: list[str], **choices: object) -> dict[str, np.ndarray]:
    """The value of each measure under every order of the tied documents."""
    groups = [list(rows["doc_id"].astype(str)) for _, rows in study.runs.groupby("score", sort=False)]
    orders = (list(chain(*order)) for order in product(*map(permutations, groups)))
    return cases.brute(study, orders, measures, **choices)


def ends_agree(study: Study, measures: list[str], **choices: object) -> pd.DataFrame:
    """Compare the table, by measure, with every order."""
    table = ties(study, measures, per_query=True, **choices).set_index("measure")
    for text, values in tied_orders(study, list(table.index), **choices).items():
        row, defined = table.loc[text], [value for value in values if not np.isnan(value)]
        assert row["undefined"] == (0 < len(defined) < len(values)), text
        if not defined:
            assert np.isnan([row["smallest"], row["largest"]]).all()
            continue
        assert not row["outer_smallest"] > min(defined) + 1e-9, text
        assert not row["outer_largest"] < max(defined) - 1e-9, text
        assert min(defined) - 1e-9 <= row["smallest"] <= row["largest"] <= max(defined) + 1e-9, text
        if row["smallest_is"] == EXACT:
            assert row["smallest"] == pytest.approx(min(defined), abs=1e-9), text
        if row["largest_is"] == EXACT:
            assert row["largest"] == pytest.approx(max(defined), abs=1e-9), text
    return table


SCORES = st.lists(st.integers(0, 2), min_size=2, max_size=5).map(lambda scores: sorted(scores, reverse=True))


@given(
    study=st.builds(lambda scores, found: tied_study(scores, *found), SCORES, evidence(6)),
    bias=st.sampled_from(["log2", "uniform", "linear"]),
    unlabelled=st.sampled_from(["skip", "skip", "neutral", "strict"]),
)
@settings(max_examples=settings.default.max_examples // 5)
def test_every_measure_has_the_ends_that_all_orders_have(study: Study, bias: str, unlabelled: str) -> None:
    ends_agree(study, cases.FAIR + cases.EFFECTIVE, position_bias=bias, unlabelled=unlabelled)


SIX = tied_study(
    [1] * 6, ["female", "male", "neutral", "male", "", "neutral"], [*TEXTS[:5], "her"], [0, 1, 2, None, 0, 1]
)


def test_long_ties_of_a_sum_are_exact_and_others_are_marked_as_searched() -> None:
    table = ends_agree(SIX, cases.FAIR + cases.EFFECTIVE)
    how = {text: (row["smallest_is"], row["largest_is"]) for text, row in table.iterrows()}
    both = {text for text, said in how.items() if said == (EXACT, EXACT)}
    assert {text.partition("(")[0].partition("@")[0] for text in both} == {
        "Exposure", "ExposureGap", "NFaiRR", "FaiRR", "RBDF", "RaB", "ARaB", "nDCG", "RR", "P", "R", "AP", "Success",
        "ERR", "RBP", "Judged", "CWEx", "AbsExposureGap",  # both reach their bounds
    }  # fmt: skip
    assert how["AWRF@3"] == (SEARCHED, EXACT)
    assert how["TExFAIR@3"] == how["GroupExposureRatio@3"] == (SEARCHED, SEARCHED)
    every = tied_orders(SIX, list(table.index))
    for text in ("CWEx(alpha=0.5)@3", "TExFAIR@3", "GroupExposureRatio@3"):  # the search finds the ends of six
        values, row = every[text], table.loc[text]
        assert row[["smallest", "largest"]].tolist() == pytest.approx([np.nanmin(values), np.nanmax(values)], abs=1e-9)
    assert row[["outer_smallest", "outer_largest"]].isna().all(), "ends without a bound are left open"
    rising = {"position_bias": "custom", "custom_bias": (0.1, 0.2, 1.0)}
    ends_agree(SIX, ["Exposure@3", "CWEx@3", "FaiRR@3"], **rising)


TIED = tied_study([1] * 6, ["female", "male", "male", "neutral", "female", "neutral"], list(TEXTS), [0] * 6)
BOUNDED = ["CWEx(alpha=0.3)@4", "CWEx(alpha=0.5)@4", "AbsExposureGap@4", "AWRF@4", "AWRF(distance='jsd')@4"]


@pytest.mark.parametrize("study", [SIX, TIED], ids=["one unlabelled", "all labelled"])
def test_no_order_passes_the_bounds_beside_searched_ends(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without orders by chance the search misses ends; the bounds hold all the same."""
    monkeypatch.setattr("fairviz.orders.ties.TRIED", 0)
    table = ties(study, BOUNDED, per_query=True).set_index("measure")
    for text, values in tied_orders(study, BOUNDED).items():
        row = table.loc[text]
        assert row["outer_smallest"] <= np.nanmin(values) + 1e-9, text
        assert row["outer_largest"] >= np.nanmax(values) - 1e-9, text
        ends = [np.nanmin(values), np.nanmax(values)]
        assert row[["outer_smallest", "outer_largest"]].tolist() == pytest.approx(ends, abs=0.1), text


def test_the_search_misses_an_end_that_its_bound_holds_and_one_that_reaches_its_bound_is_exact() -> None:
    row = ties(TIED, "CWEx@4", per_query=True).iloc[0]
    assert (row["smallest_is"], row["largest_is"]) == (EXACT, SEARCHED)
    row = ties(TIED, "AWRF@4", per_query=True).iloc[0]
    smallest = min(tied_orders(TIED, ["AWRF@4"])["AWRF@4"])
    assert row["smallest_is"] == SEARCHED
    assert row["outer_smallest"] <= smallest < row["smallest"]
    study = tied_study([1] * 6, ["female"] * 3 + ["neutral"] * 3, list(TEXTS), [0] * 6)
    row = ties(study, "CWEx@3", per_query=True).iloc[0]
    assert (row["largest_is"], row["largest"], row["outer_largest"]) == (EXACT, 0.5, 0.5)


def test_two_tied_documents_of_which_one_is_seen() -> None:
    def two(scores: list[float], measure: str = "Exposure(group='female')@1", **choices: object) -> pd.Series:
        study = tied_study(scores, ["female", "neutral"], list(TEXTS), [1, 0])
        return ties(study, measure, **choices).iloc[0][["smallest", "value", "largest", "tied", "undefined"]]

    assert two([1.0, 1.0]).tolist() == [0, 1, 1, 1, 0]
    assert two([2.0, 1.0]).tolist() == [1, 1, 1, 0, 0]
    near = [1.000000001, 1.0]  # which only trec_eval takes for equal
    assert two(near)["tied"] == 0
    assert two(near, ties="trec_eval")["tied"] == 1
    # AWRF has no value with the neutral one first, which is counted, and the ends are of the other order
    assert two([1, 1], "AWRF@1", per_query=True)[["smallest", "largest", "undefined"]].tolist() == [1, 1, True]
    assert two([1, 1], "AWRF@1")["undefined"] == 1
    assert two([1, 1], "AWRF@2")["undefined"] == 0


def test_ties_below_the_cutoff_change_nothing_and_cutoffs_below_the_list_are_its_end() -> None:
    study = tied_study([3, 2, 1, 1], ["female", "male", "neutral", "male"], list(TEXTS), [1, 0, 0, 0])
    row = ties(study, "CWEx@2").iloc[0]
    assert (row["tied"], row["smallest_is"], row["largest_is"]) == (0, EXACT, EXACT)
    assert row["smallest"] == row["value"] == row["largest"]
    assert ties(study, "CWEx@3").iloc[0]["tied"] == 1
    for name in ("CWEx", "AWRF", "NFaiRR", "nDCG"):
        deep, whole = (ties(study, f"{name}@{cutoff}").drop(columns="measure") for cutoff in (50, 4))
        pd.testing.assert_frame_equal(deep, whole)


def test_means_are_those_of_the_queries_and_gsr_has_none(football: Study) -> None:
    table = ties(football, ["TExFAIR@4", "GSR@4", "RR@4"])
    assert list(dict.fromkeys(table["measure"])) == ["TExFAIR@4", "RR@4"]
    scores = fairviz.summarise(fairviz.evaluate(football, ["TExFAIR@4", "RR@4"]))
    assert table["value"].tolist() == pytest.approx(scores["value"].tolist())
    assert (table["smallest"] <= table["value"]).all()
    assert (table["largest"] >= table["value"]).all()


def test_orders_cached_for_another_question_do_not_change_the_ends() -> None:
    labels = ["female", "female", "female", "neutral", "male", "male", "male", "male"]
    runs = runs_of({"a": cases.NAMES})
    study = make_study(
        "seven tied",
        runs=runs.assign(score=-(runs["rank"] > 1).astype(float)),
        labels=labels_of(dict(zip(cases.NAMES, labels, strict=True))),
    )
    rankings = aligned(study, Settings(), None)
    rising = Settings(position_bias="custom", custom_bias=(0.1, 0.2, 1.0))
    questions = [
        (text, chosen)
        for text in ("ExposureGap@3", "CWEx(alpha=0.2)@3", "CWEx(alpha=0.9)@3", "AWRF@3", "ExposureGap@2")
        for chosen in (Settings(), rising, Settings(position_bias="rbp(p=0.5)"))
    ]
    for text, chosen in [*questions, *questions[:3]]:
        pd.testing.assert_frame_equal(ties(study, text, chosen, rankings=rankings), ties(study, text, chosen))


# --- Achievable fronts of queries, each way against every order of the candidates


Array = np.ndarray
SIX_NAMES = cases.NAMES[:6]
LINES = ("she saw", "he and he and a tree", "she and he and a boy", "a tree")


@cache
def every_list(seed: int, length: int, unlabelled: bool = False) -> Study:
    """Six documents, judged and labelled at random, and a system for each order of their first ranks."""
    generator = np.random.default_rng(seed)
    labels, texts = generator.choice(["neutral", "female", "male"], 6), generator.choice(LINES, 6)
    kept = SIX_NAMES[1:] if unlabelled else SIX_NAMES
    return make_study(
        "lists",
        runs=runs_of({str(number): order for number, order in enumerate(permutations(SIX_NAMES, length))}),
        labels=labels_of({name: str(label) for name, label in zip(SIX_NAMES, labels, strict=True) if name in kept}),
        documents=documents_of(dict(zip(SIX_NAMES, texts.tolist(), strict=True))),
        qrels=qrels_of({"q": dict(zip(SIX_NAMES, generator.integers(0, 3, 6).tolist(), strict=True))}),
    )


def by_evaluate(study: Study, effect: str, fairness: str, settings: Settings) -> Array:
    """Both measures of every list as `evaluate` has them, fairness turned so that more is fairer, (X, 2)."""
    choice = front_choice(f"DPFR({effect},{fairness})", settings)
    tables = []
    for question in (choice.effectiveness, choice.fairness):
        values = evaluate(study, question, settings)["value"].to_numpy()
        tables.append(-unfairness(question, values) if question.measure else values)
    tables[1] = tables[1] / choice.unit(np.array([0.5, 0.5]))
    return np.stack(tables, axis=1)


def front_by(monkeypatch: pytest.MonkeyPatch, study: Study, text: str, settings: Settings) -> tuple[Array, bool]:
    """The front without the shortcut for few candidates."""
    monkeypatch.setattr(ways, "MOST_ORDERS", 0)
    found = achievable(study, front_choice(text, settings), settings)
    return found.of_all.points, all(found.exact)


FRONTS = [
    ("nDCG", "CWEx(alpha=0.3)"), ("P", "AbsExposureGap"), ("AP", "AWRF"), ("RR", "CWEx"), ("R", "CWEx(alpha=0.9)"),
    ("Success", "CWEx"), ("nDCG(dcg='exp-log2')", "CWEx"), ("nDCG@2", "CWEx@4"), ("P@4", "AWRF@2"),
    ("nDCG", "NFaiRR(tau=0)"), ("P", "NFaiRR(tau=1)"), ("R@2", "FaiRR(tau=0)@4"), ("nDCG@4", "NFaiRR(tau=0)@2"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "measures"), [*enumerate(FRONTS)])
def test_an_exact_front_is_that_of_every_order(
    monkeypatch: pytest.MonkeyPatch, place: int, measures: tuple[str, str]
) -> None:
    effect, fairness = measures
    if fairness.startswith("FaiRR"):
        monkeypatch.setattr("fairviz.comparison.pareto_front.FrontChoice.range", lambda *_: (0.0, 1.0))
    for seed in range(2):
        bias = ("log2", "rbp(p=0.5)", "uniform")[(place + seed) % 3]
        settings = Settings(cutoff=3, position_bias=bias, effectiveness="nDCG")
        study = every_list(seed, 4, unlabelled=seed % 2 == 1)
        found, exact = front_by(monkeypatch, study, f"DPFR({effect},{fairness})", settings)
        wanted = upper_front(by_evaluate(study, effect, fairness, settings))
        assert exact
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def reaches(found: Array, every: Array) -> list[bool]:
    """Whether the front reaches the best of all orders, by each of eleven weights of the two; it never passes it."""
    share = []
    for weight in np.linspace(0, 1, 11):
        best, reached = (np.nanmax(points @ np.array([1 - weight, weight])) for points in (every, found))
        assert reached <= best + 1e-9
        share.append(reached >= best - 1e-9)
    return share


def test_what_is_searched_is_inside_the_achievable_front_and_finds_most_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(cutoff=3)
    few = every_list(5, 3)  # few candidates are tried in every order
    tried = achievable(few, front_choice("DPFR(nDCG,TExFAIR)", settings), settings)
    assert tried.exact
    wanted = upper_front(by_evaluate(few, "nDCG", "TExFAIR", settings))
    np.testing.assert_allclose(tried.of_all.points, wanted, atol=1e-9)
    among, alone = [], []
    for seed, (effect, fairness) in enumerate([("nDCG", "TExFAIR"), ("AP", "NFaiRR"), ("nDCG", "TED")]):
        study = every_list(seed, 3)
        found, exact = front_by(monkeypatch, study, f"DPFR({effect},{fairness})", settings)
        assert not exact
        among += reaches(found, by_evaluate(study, effect, fairness, settings))
        parts = {part: getattr(study, part) for part in ("labels", "documents", "qrels")}
        one = make_study("alone", runs=runs_of({"0": SIX_NAMES}), **parts)
        found, _ = front_by(monkeypatch, one, "DPFR(nDCG,TExFAIR)", settings)
        alone += reaches(found, by_evaluate(study, "nDCG", "TExFAIR", settings))
    assert np.mean(among) > 0.9  # all systems' lists are among the points here
    assert np.mean(alone) > 0.8
