"""The range of each measure over all orders of the candidates, against every order evaluated one by one."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.measures import parse
from fairviz.orders.ranges import ranges, value_scales
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of
from tests.orders import cases
from tests.orders.cases import GENDERS, TEXTS, brute, evidence, study_of

FAIR = [
    *cases.FAIR, "TExFAIR(rbdf=False)@3", "CWEx@5", "CWEx(alpha=0.2)@9", "AWRF@9", "AbsExposureGap@1",
    "NFaiRR(tau=0, background='run:b')@3",
]  # fmt: skip
EFFECTIVE = [
    *cases.EFFECTIVE, "Rprec", "Compat(p=0.8)", "nDCG(gains={0: 1, 1: 0})@3", "P(judged_only=True)@2",
]  # fmt: skip
BIASES = [{"position_bias": name} for name in ("log2", "uniform", "linear", "rbp(p=0.6)")] + [
    {"position_bias": "custom", "custom_bias": weights} for weights in ((0.2, 0.0, 1.0, 0.2), (1.0, 1.0), (0.0, 1.0))
]
SLOW = "fairviz.orders.ranges.MOST_TRIED", "fairviz.orders.ranges.MOST_SEQUENCES"
MEASURES = ("CWEx@5", "NFaiRR@5", "nDCG@5")


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
    runs = study.runs.astype({"system": "str", "doc_id": "str"})
    for system, rows in table.groupby("system"):
        own = runs.loc[runs["system"] == system, "doc_id"]
        pool = {"study": set(runs["doc_id"]), "run": set(own), "judged": set(study.qrels["doc_id"].astype(str))}
        orders = itertools.permutations(sorted(pool[candidates]), min(len(own), len(pool[candidates])))
        tried = brute(study, orders, list(rows["measure"]), **choices)
        for row in rows.to_dict("records"):
            check(row, tried[row["measure"]], f"{row['measure']} of {system} from {candidates}")
    return table


def check(row: dict, values: np.ndarray, about: str) -> None:
    if np.isnan(row["value"]) or np.isnan(values).all():
        assert np.isnan(row["worst"]), about
        assert np.isnan(row["best"]), about
        assert np.isnan(row["place"]), about
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
    count = draw(st.integers(2, 5))
    orders = [draw(st.permutations(range(count)))[: draw(st.integers(1, count))] for _ in "ab"]
    return study_of(dict(zip("ab", orders, strict=True)), *draw(evidence(count, GENDERS, (*TEXTS, "her", None))))


ONE_SIDED = study_of({"a": [0, 1, 2]}, ["male", "neutral", "female"], ["a tree"] * 3, [1, 0, 0])


def test_three_documents_by_hand() -> None:
    """Attention 1, 1/2, 1/3, together 11/6: exposures 6/11, 3/11, 2/11. With neutral first, CWEx is half of 6/11 less
    half of 1/11; with neutral last, half of 2/11 less half of 3/11; as it is, half of 3/11 less half of 4/11."""
    row = ranges(ONE_SIDED, "CWEx@3", position_bias="reciprocal").iloc[0]
    worst, best, value = (2 - 3) / 22, (6 - 1) / 22, (3 - 4) / 22
    assert row["worst"] == pytest.approx(worst)
    assert row["best"] == pytest.approx(best)
    assert (row["worst_is"], row["best_is"]) == ("exact", "exact")
    assert row["value"] == pytest.approx(value)
    assert row["place"] == pytest.approx(0)
    assert row["width"] == pytest.approx(6 / 22)
    assert (row["queries"], row["fixed"], row["narrow"]) == (1, 0, 0)


def test_a_signed_gap_has_a_range_of_distances() -> None:
    """Male first, female last: the gap is (6 - 2) / 11; next to each other it is 1/11, either way."""
    row = ranges(ONE_SIDED, "ExposureGap@3", position_bias="reciprocal", per_query=True).iloc[0]
    assert row["value"] == pytest.approx(4 / 11)
    assert (row["worst"], row["best"]) == (pytest.approx(4 / 11), pytest.approx(1 / 11))
    assert row["place"] == pytest.approx(0)


def test_a_range_without_width_is_counted_and_has_no_place() -> None:
    alike = study_of({"a": [0, 1], "b": [1, 0]}, ["male"] * 2, ["a tree"] * 2, [1, 0])
    row = ranges(alike, "AWRF@2").iloc[0]
    assert (row["worst"], row["best"], row["width"]) == (1, 1, 0)
    assert (row["queries"], row["fixed"], row["narrow"]) == (1, 1, 1)
    assert np.isnan(row["place"])


def test_a_system_that_lacks_a_query_has_no_range() -> None:
    study = make_study(
        "two",
        documents=pd.DataFrame({"doc_id": ["d0", "d1", "d2"], "text": ["she and a tree", "a tree", "a tree"]}),
        runs=runs_of({("a", "q"): "d0 d1 d2", ("b", "q"): "d2 d1", ("b", "other"): "d0 d1"}),
        labels=labels_of({"d0": "male", "d1": "neutral", "d2": "female"}),
    )
    table = ranges(study, ["CWEx@3", "TExFAIR@3"], per_query=True).set_index(["measure", "system", "query_id"])
    for text in table.index.unique("measure"):
        missing = table.loc[(text, "a", "other")]
        assert missing[["value", "worst", "best", "place"]].isna().all()
        assert not table.loc[(text, "b", "other"), ["worst", "best"]].isna().any()


def test_what_has_no_range_is_refused() -> None:
    with pytest.raises(FairvizError, match=r"GSR@3 has no range: it is a slope over queries"):
        ranges(ONE_SIDED, "GSR@3")
    with pytest.raises(UsageError, match="there is no source of candidates 'lists'"):
        ranges(ONE_SIDED, "CWEx@3", candidates="lists")
    with pytest.raises(UsageError, match="per_query is 1"):
        ranges(ONE_SIDED, "CWEx@3", per_query=1)


@given(study=reordered(), bias=st.sampled_from(BIASES), candidates=st.sampled_from(("study", "run", "judged")))
@settings(max_examples=4)
def test_every_measure_has_the_range_of_all_orders(study: Study, bias: dict, candidates: str) -> None:
    agrees(study, FAIR + EFFECTIVE, candidates, **bias)


@given(study=reordered(), unlabelled=st.sampled_from(["neutral", "strict"]), bias=st.sampled_from(BIASES))
@settings(max_examples=2)
def test_also_where_what_is_not_labelled_counts_or_leaves_nothing(study: Study, unlabelled: str, bias: dict) -> None:
    agrees(study, FAIR, unlabelled=unlabelled, **bias)


EIGHT = study_of(
    {"a": [0, 1, 2, 4], "b": [7, 3], "c": [5, 6]},
    ["female", "male", "neutral", "male", "", "neutral", "female", "male"],
    [*TEXTS[:5], "her", None, "her mother and he"],
    [0, 1, 2, None, 0, 1, 0, 1],
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidates", "unlabelled"),
    [("study", "skip"), pytest.param("judged", "neutral", marks=pytest.mark.lengthy), ("study", "strict")],
)
def test_eight_candidates(candidates: str, unlabelled: str) -> None:
    agrees(EIGHT, FAIR, candidates, unlabelled=unlabelled)


def test_all_orders_of_eight_make_every_end_exact() -> None:
    table = ranges(EIGHT, [*FAIR, *EFFECTIVE], per_query=True)
    looped = table["measure"].isin(["Rprec", "P(judged_only=True)@2"])
    assert (table.loc[~looped, ["worst_is", "best_is"]] == "exact").all(axis=None)


@pytest.mark.slow
@pytest.mark.parametrize("unlabelled", ["skip", "strict"])
def test_bounds_and_searched_ends_without_all_orders(unlabelled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in SLOW:
        monkeypatch.setattr(limit, 0)
    table = agrees(EIGHT, FAIR, unlabelled=unlabelled)
    assert {"exact", "bound"} <= {*table["worst_is"], *table["best_is"]}


@pytest.mark.parametrize("fast", [True, False], ids=["sequences", "search"])
@pytest.mark.parametrize("targets", [{}, {"female": 0.5, "male": 0.3, "other": 0.2}], ids=["equal", "wished"])
def test_three_groups(targets: dict, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in () if fast else SLOW:
        monkeypatch.setattr(limit, 0)
    labels, groups = ["female", "male", "other", "neutral", ""], ("female", "male", "other")
    about = {"groups": groups, "protected": "other", "targets": targets}
    study = study_of({"a": [0, 1, 2, 3], "b": [4, 1, 2]}, labels, ["a tree"] * 5, [1, 0, 2, 0, 1], **about)
    labelled = [text for text in FAIR if parse(text).family == "labels"]
    for bias in (BIASES[1], BIASES[4]):
        agrees(study, labelled, **bias)


def test_measures_of_labels_are_exact_at_ten_ranks_of_many_candidates() -> None:
    """Against a search that goes through numbers of documents by label and all their sequences in plain Python."""
    generator = np.random.default_rng(3)
    names = [f"c{place:02d}" for place in range(30)]
    labels = generator.choice(["female", "male", "neutral"], 30, p=[0.1, 0.3, 0.6])
    study = make_study("many", runs=runs_of({"a": names}), labels=labels_of(dict(zip(names, labels, strict=True))))
    available = {label: int((labels == label).sum()) for label in ("female", "male", "neutral")}
    weights = 1 / np.log2(np.arange(7) + 2)
    values = []
    for sequence in itertools.product(("female", "male", "neutral"), repeat=7):
        if all(sequence.count(label) <= available[label] for label in available):
            kinds = np.array(sequence)
            sums = {label: weights[kinds == label].sum() for label in available}
            values.append((0.4 * sums["neutral"] - 0.6 * abs(sums["female"] - sums["male"])) / weights.sum())
    row = ranges(study, "CWEx(alpha=0.4)@7").iloc[0]
    assert (row["worst_is"], row["best_is"]) == ("exact", "exact")
    assert row["worst"] == pytest.approx(min(values), abs=1e-12)
    assert row["best"] == pytest.approx(max(values), abs=1e-12)


def test_a_list_too_deep_for_sequences_has_bounds(newswire: Study) -> None:
    shown = {"systems": ("bm25",), "filter_column": "category", "filter_values": ("sport",)}
    table = ranges(newswire, ["CWEx@30", "AWRF@30", "ExposureGap@30"], per_query=True, candidates="run", **shown)
    assert set(table["worst_is"]) == {"exact"}
    assert "bound" in set(table["best_is"])
    assert table["place"].dropna().between(0, 1).all()


def test_the_table_is_that_of_ranges_beside_that_of_chance(newswire: Study) -> None:
    settings = fairviz.Settings(systems=("bm25", "w2v_si"), filter_column="category", filter_values=("sport",))
    for candidates in ("run", "judged"):
        table = value_scales(newswire, MEASURES, settings, candidates=candidates)
        reach = fairviz.ranges(newswire, MEASURES, settings, candidates=candidates)
        bands = fairviz.chance(newswire, MEASURES, settings, candidates=candidates)
        assert table["system"].tolist() == ["bm25", "w2v_si"] * 3
        pd.testing.assert_frame_equal(table[["value", "worst", "best"]], reach[["value", "worst", "best"]])
        names = {"low": "chance_low", "high": "chance_high"}
        expected = bands[["chance", "low", "high", "outside"]].rename(columns=names)
        pd.testing.assert_frame_equal(table[list(expected)], expected)


def test_random_orders_are_between_the_worst_and_the_best(football: Study) -> None:
    table = value_scales(football, ["CWEx@4", "NFaiRR@4"], candidates="run", background="collection")
    assert len(table) == 4
    assert (table["worst"] <= table["chance_low"]).all()
    assert (table["chance_high"] <= table["best"]).all()
