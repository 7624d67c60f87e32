"""The range of each measure over all orders of the candidates, against every order evaluated one by one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.measures import parse
from fairviz.orders.candidates import SOURCES, candidate_sets
from fairviz.orders.ranges import ranges, value_scales
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of
from tests.orders import cases
from tests.orders.cases import GENDERS, TEXTS, brute, evidence, pools_of, study_of

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
    count = draw(st.integers(2, 5))
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
        ("study", "strict", False),
        pytest.param("judged", "neutral", True, marks=pytest.mark.lengthy),
    ],
)
def test_seven_candidates(candidates: str, unlabelled: str, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All orders of seven make every end exact; without them there are bounds and searched ends."""
    for limit in () if fast else SLOW:
        monkeypatch.setattr(limit, 0)
    table = agrees(SEVEN, FAIR, candidates, unlabelled=unlabelled)
    if fast and candidates == "study":
        effective = ranges(SEVEN, EFFECTIVE, per_query=True)
        looped = effective["measure"].isin(["Rprec", "P(judged_only=True)@2"])
        assert (pd.concat([table, effective[~looped]])[["worst_is", "best_is"]] == "exact").all(axis=None)
    assert fast or {"exact", "bound"} <= {*table["worst_is"], *table["best_is"]}


@pytest.mark.parametrize(
    ("targets", "fast"), [({}, True), ({"female": 0.5, "male": 0.3, "other": 0.2}, True), ({}, False)],
    ids=["equal", "wished", "search"],
)  # fmt: skip
def test_three_groups(targets: dict, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in () if fast else SLOW:
        monkeypatch.setattr(limit, 0)
    labels, groups = ["female", "male", "other", "neutral", ""], ("female", "male", "other")
    about = {"groups": groups, "protected": "other", "targets": targets}
    study = study_of({"a": [0, 1, 2, 3], "b": [4, 1, 2]}, labels, ["a tree"] * 5, [1, 0, 2, 0, 1], **about)
    labelled = [text for text in FAIR if parse(text).family == "labels"]
    for bias in (BIASES[1], BIASES[4]):
        agrees(study, labelled, **bias)


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
        documents=pd.DataFrame({"doc_id": ["d0", "d1", "d2"], "text": ["she and a tree", "a tree", "a tree"]}),
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
