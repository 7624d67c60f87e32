"""From a study to scores, summaries and curves: exact cases, real rankings, and what cannot be computed."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.curves import cutoff_grid, over_cutoffs
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align, align_key
from fairviz.evaluation.scores import evaluate, exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study
from tests.measures.test_against_reference import slow_scores
from tests.reference import NAN

SYSTEMS = ("bm25", "tfidf")


@pytest.fixture(scope="module")
def grep_biasir(published: Callable[[str], Study]) -> Study:
    """Grep-BiasIR with runs of BM25 and TF-IDF, made from the published files."""
    study = published("grep-biasir")
    return add_runs(study, rank(study, parse_rankers(",".join(SYSTEMS))).runs)


@pytest.fixture(scope="module")
def newswire() -> Study:
    """The same two rankers over newswire, by one annotator's labels."""
    study = fairviz.open_study("newswire")
    runs = study.runs[study.runs["system"].isin(SYSTEMS)]
    labels = study.labels[study.labels["annotator"] == "project"]
    parts = {part: getattr(study, part) for part in ("queries", "documents", "qrels")}
    return make_study("newswire", runs=runs.astype({"system": "str"}), labels=labels, **parts)


@pytest.fixture(params=["newswire", pytest.param("grep_biasir", marks=pytest.mark.slow)])
def real(request: pytest.FixtureRequest) -> Study:
    """Real rankings of real text: of newswire, and in `make test` of Grep-BiasIR too, where it is."""
    return request.getfixturevalue(request.param)


def value(scores: pd.DataFrame, system: str, measure: str) -> float:
    row = scores[(scores["system"] == system) & (scores["measure"] == measure)]
    return float(row["value"].iloc[0])


def test_football_is_the_papers_figure_1() -> None:
    study = fairviz.open_study("football")
    scores = evaluate(study, ["NFaiRR@4", "TExFAIR@4", "CWEx@4"], background="collection")
    assert [value(scores, system, "NFaiRR(tau=1,background='collection')@4") for system in study.systems] == [0, 0]
    left, right = (value(scores, system, "TExFAIR@4") for system in study.systems)
    assert left > 0.8
    assert right == 0
    undefined = evaluate(study, ["NFaiRR@4"], background="candidates")
    assert undefined["value"].isna().all(), "no candidate is neutral at all, so the ideal is 0"
    assert summarise(undefined)["undefined"].tolist() == [1, 1]


def test_football_by_hand() -> None:
    study = fairviz.open_study("football")
    scores = evaluate(study, ["ExposureGap@4", "CWEx(alpha=0.5)@4", "GroupExposureRatio@4"])
    weights = [1 / math.log2(1 + i) for i in range(1, 5)]
    female = (weights[1] + weights[2]) / sum(weights)
    assert value(scores, "left", "ExposureGap@4") == pytest.approx((1 - female) - female)
    assert value(scores, "left", "CWEx(alpha=0.5)@4") == pytest.approx(-0.5 * abs(1 - 2 * female))
    ratio = (weights[1] + weights[2]) / (weights[0] + weights[3])
    assert value(scores, "left", "GroupExposureRatio@4") == pytest.approx(ratio)
    assert math.isnan(value(scores, "right", "GroupExposureRatio@4"))


def test_the_package_example_runs() -> None:
    import doctest

    assert doctest.testmod(fairviz).failed == 0


@pytest.mark.parametrize(
    ("name", "text", "parameters"),
    [
        ("cwex", "CWEx(alpha=0.5)@10", {"alpha": 0.5}),
        ("gap", "ExposureGap@10", {}),
        ("awrf", "AWRF@10", {"distance": "l1"}),
        ("nfairr", "NFaiRR(tau=1)@10", {"tau": 1, "background": "candidates"}),
        ("nfairr", "NFaiRR(tau=0,background='collection')@10", {"tau": 0, "background": "collection"}),
        ("texfair", "TExFAIR@10", {"rbdf": True}),
        ("rab", "RaB@10", {"magnitude": "tf"}),
        ("arab", "ARaB@10", {"magnitude": "tf"}),
    ],
)
def test_real_rankings_agree_with_the_slow_reference(real: Study, name: str, text: str, parameters: dict) -> None:
    from dataclasses import replace

    from fairviz.words.counting import GSR_LEXICON

    study = replace(real, lexicon=GSR_LEXICON)
    choices = {"position_bias": "log2", "tokenizer": "word", "unlabelled": "skip"}
    expected = slow_scores(study, name, 10, choices, parameters)
    scores = evaluate(study, [text])
    assert len(scores) == len(SYSTEMS) * len(real.queries)
    for row in scores.itertuples():
        assert row.value == pytest.approx(expected.get((row.system, row.query_id), NAN), abs=1e-9, nan_ok=True)


def test_effectiveness_is_that_of_ir_measures(real: Study) -> None:
    import ir_measures

    runs = real.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    scores = summarise(evaluate(real, ["nDCG@10", "RR@10", "AP@10"]))
    for system in real.systems:
        run = runs[runs["system"] == system][["query_id", "doc_id", "score"]]
        asked = [ir_measures.nDCG @ 10, ir_measures.RR @ 10, ir_measures.AP @ 10]
        theirs = ir_measures.calc_aggregate(asked, real.qrels, run)
        for measure, expected in theirs.items():
            assert value(scores, system, str(measure)) == pytest.approx(expected, abs=0.01), "ties aside"


def test_bm25_reaches_the_reciprocal_rank_of_the_cwex_paper(grep_biasir: Study) -> None:
    scores = summarise(evaluate(grep_biasir, ["RR@10"]))
    assert round(value(scores, "bm25", "RR@10"), 3) == 0.778, "0.7782 in the paper's Table 8, with Pyserini"


def test_two_cutoffs_of_one_measure_are_two_answers() -> None:
    """Asked together, or one after the other on the same arrays: relevant at ranks 1 and 6, so 5 ranks miss one."""
    ranked = [("s", "q", f"d{place}", place, float(-place)) for place in range(1, 11)]
    runs = pd.DataFrame(ranked, columns=["system", "query_id", "doc_id", "rank", "score"])
    qrels = pd.DataFrame([("q", "d1", 1), ("q", "d6", 1)], columns=["query_id", "doc_id", "relevance"])
    study = make_study("two", runs=runs, qrels=qrels)
    ideal = 1 + 1 / math.log2(3)
    expected = {"nDCG@10": (1 + 1 / math.log2(7)) / ideal, "nDCG@5": 1 / ideal}
    together = evaluate(study, list(expected))
    assert together["value"].tolist() == pytest.approx(list(expected.values()))
    places = align(study, Settings())
    for text in ("nDCG@10", "nDCG@5", "nDCG@10"):
        assert evaluate(study, [text], places=places)["value"].tolist() == pytest.approx([expected[text]])
    for cutoff in (10, 5):
        alone = evaluate(study, ["nDCG"], Settings(cutoff=cutoff), places=places)
        assert alone["value"].tolist() == pytest.approx([expected[f"nDCG@{cutoff}"]])


@pytest.mark.parametrize("measures", [["AP@12"], ["Rprec"], ["AP@100", "Rprec"], ["Rprec", "nDCG@10", "AP@12"]])
def test_measures_of_the_whole_list_read_all_of_it(measures: list[str]) -> None:
    """Twelve relevant documents at ranks 1 to 12: AP and Rprec are 1. One, behind eleven others: AP is 1/12."""
    ranked = [("s", query, f"d{place}", place, float(-place)) for query in ("all", "last") for place in range(1, 13)]
    runs = pd.DataFrame(ranked, columns=["system", "query_id", "doc_id", "rank", "score"])
    judged = [("all", f"d{place}", 1) for place in range(1, 13)] + [("last", "d12", 1)]
    qrels = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])
    scores = evaluate(make_study("long", runs=runs, qrels=qrels), measures)
    expected = {"AP": [1, 1 / 12], "Rprec": [1, 0], "nDCG": [1, 0]}
    for text in measures:
        found = scores.loc[scores["measure"] == text, "value"].tolist()
        assert found == pytest.approx(expected[text.partition("@")[0]]), text


def test_ties_break_the_same_way_in_effectiveness_and_fairness() -> None:
    runs = pd.DataFrame([("s", "q", doc, rank, 1.0) for rank, doc in enumerate("cab", start=1)],
                        columns=["system", "query_id", "doc_id", "rank", "score"])  # fmt: skip
    qrels = pd.DataFrame([("q", "c", 1)], columns=["query_id", "doc_id", "relevance"])
    labels = pd.DataFrame([("c", "a", "female")], columns=["doc_id", "annotator", "label"])
    study = make_study("tied", runs=runs, qrels=qrels, labels=labels)
    by_file = evaluate(study, ["RR@3", "Exposure(group='female')@1"], ties="file")
    assert by_file["value"].tolist() == [1, 1]
    by_trec = evaluate(study, ["RR@3", "Exposure(group='female')@1"], ties="trec_eval")
    assert by_trec["value"].tolist() == [1, 1], "c is also the largest document id"
    study = make_study("tied", runs=runs.replace("c", "0"), qrels=qrels.replace("c", "0"))
    assert evaluate(study, ["RR@3"], ties="trec_eval")["value"].tolist() == [pytest.approx(1 / 3)]


def test_a_query_that_a_system_lacks() -> None:
    runs = pd.DataFrame(
        [("one", "q1", "d1", 1, 1.0), ("one", "q2", "d1", 1, 1.0), ("two", "q1", "d1", 1, 1.0)],
        columns=["system", "query_id", "doc_id", "rank", "score"],
    )
    qrels = pd.DataFrame([("q1", "d1", 1), ("q2", "d1", 1)], columns=["query_id", "doc_id", "relevance"])
    labels = pd.DataFrame([("d1", "a", "male")], columns=["doc_id", "annotator", "label"])
    summary = summarise(evaluate(make_study("s", runs=runs, qrels=qrels, labels=labels), ["RR", "CWEx@5"]))
    two = summary[summary["system"] == "two"].set_index("measure")
    assert (two.loc["RR@10", "value"], two.loc["RR@10", "undefined"]) == (0.5, 0)
    assert (two.loc["CWEx(alpha=0.5)@5", "queries"], two.loc["CWEx(alpha=0.5)@5", "undefined"]) == (1, 1)
    assert math.isnan(two.loc["CWEx(alpha=0.5)@5", "ci_low"]), "one query has no spread"


def test_queries_without_judgements_are_undefined_for_effectiveness() -> None:
    runs = pd.DataFrame(
        [("s", "q1", "d1", 1, 1.0), ("s", "q2", "d1", 1, 1.0)],
        columns=["system", "query_id", "doc_id", "rank", "score"],
    )
    qrels = pd.DataFrame([("q1", "d1", 1)], columns=["query_id", "doc_id", "relevance"])
    summary = summarise(evaluate(make_study("s", runs=runs, qrels=qrels), ["RR@10"]))
    assert summary[["value", "queries", "undefined"]].to_numpy().tolist() == [[1, 1, 1]]


def test_a_cutoff_beyond_every_list() -> None:
    study = fairviz.open_study("football")
    scores = evaluate(study, ["CWEx@1000", "TExFAIR@1000", "RaB@1000", "ARaB@1000", "RR@1000"])
    short = evaluate(study, ["CWEx@4", "TExFAIR@4", "RaB@4", "ARaB@4", "RR@4"])
    np.testing.assert_allclose(scores["value"], short["value"])


@pytest.mark.parametrize(
    ("measures", "choices", "message"),
    [
        (["nDCG@0"], {}, "the cutoff of 'nDCG@0' is '0'"),
        (["Fame@10"], {}, "unknown measure 'Fame' in 'Fame@10'"),
        (["CWEx"], {"systems": ("nobody",)}, "the study 'football' has no system 'nobody'"),
        (["CWEx"], {"annotator": "nobody"}, "the study 'football' has no annotator 'nobody'"),
        (
            ["CWEx"],
            {"filter_column": "mood", "filter_values": ("x",)},
            "the queries of 'football' have no column 'mood'",
        ),
        (
            ["CWEx"],
            {"filter_column": "text", "filter_values": ("x",)},
            "no query has 'x' in its column 'text'",
        ),
        (["NFaiRR"], {"background": "run:none"}, "the background 'run:none' names no system of this study"),
        (
            ["Exposure(group='other')@5"],
            {},
            "Exposure(group='other')@5 cannot be computed for the study 'football': it has no group 'other'. "
            "Use one of neutral, female, male.",
        ),
    ],
)
def test_what_cannot_be_asked(measures: list[str], choices: dict, message: str) -> None:
    with pytest.raises(FairvizError) as error:
        evaluate(fairviz.open_study("football"), measures, **choices)
    assert error.value.message == message
    if "nDCG" in measures[0] or "Fame" in measures[0]:
        assert isinstance(error.value, UsageError)


@pytest.mark.parametrize("value", [999_999_999, 0, -1, 1.5, "10", True, float("nan"), 10**400])
def test_a_cutoff_out_of_range_is_a_wrong_question(value: object) -> None:
    with pytest.raises(FairvizError, match=r"^cutoff is "):
        evaluate(fairviz.open_study("football"), ["CWEx"], cutoff=value)


RUN = pd.DataFrame([("s", "q", "d", 1, 1.0)], columns=["system", "query_id", "doc_id", "rank", "score"])


@pytest.mark.parametrize(
    ("parts", "measure", "sentence"),
    [
        (
            {"labels": pd.DataFrame([("d", "a", "male")], columns=["doc_id", "annotator", "label"])},
            "CWEx(alpha=0.5)@5",
            "it has no runs. Add runs/NAME.run (TREC format, 6 columns), or rank its documents with "
            "`fairviz rank bare --with bm25`.",
        ),
        (
            {"runs": RUN},
            "CWEx(alpha=0.5)@5",
            "it has no gender labels. Add labels.csv with the columns doc_id, annotator, label.",
        ),
        (
            {"runs": RUN},
            "NFaiRR(tau=1)@5",
            "it has no text of documents. Add documents.tsv with the columns doc_id and text.",
        ),
        (
            {"runs": RUN},
            "nDCG@5",
            "it has no relevance judgements. Add qrels.txt (TREC format: query 0 document relevance).",
        ),
        (
            {
                "runs": RUN,
                "labels": pd.DataFrame([("d", "a", "offensive")], columns=["doc_id", "annotator", "label"]),
                "label_kind": "other",
            },
            "CWEx(alpha=0.5)@5",
            "its labels are not genders (labels = 'other' in study.toml).",
        ),
        (
            {
                "runs": RUN,
                "documents": pd.DataFrame([("d", "she")], columns=["doc_id", "text"]),
                "groups": ("women", "men"),
                "protected": "women",
            },
            "TExFAIR@5",
            "the word list 'gsr' has no words of the group 'women'. Add lexicon.csv with the columns word, group.",
        ),
    ],
)
def test_what_a_study_lacks_is_said_with_how_to_add_it(parts: dict, measure: str, sentence: str) -> None:
    with pytest.raises(FairvizError) as error:
        evaluate(make_study("bare", **parts), [measure])
    assert error.value.message == f"{measure} cannot be computed for the study 'bare': {sentence}"


def test_queries_can_be_chosen_by_a_column(real: Study) -> None:
    category = real.queries["category"].iloc[-1]
    some = evaluate(real, ["CWEx@10"], filter_column="category", filter_values=(category,))
    wanted = real.queries.loc[real.queries["category"] == category, "query_id"]
    assert set(some["query_id"]) == set(wanted) < set(real.queries["query_id"])
    everything = evaluate(real, ["CWEx@10"]).set_index(["system", "query_id"])["value"]
    for row in some.itertuples():
        assert row.value == pytest.approx(everything[row.system, row.query_id], rel=1e-12, abs=1e-12, nan_ok=True)


def test_hiding_a_system_never_moves_another(real: Study) -> None:
    both = evaluate(real, ["NFaiRR@10"])
    one = evaluate(real, ["NFaiRR@10"], systems=("tfidf",))
    np.testing.assert_allclose(both.loc[both["system"] == "tfidf", "value"], one["value"], rtol=1e-12)


def test_curves_pass_through_the_table(real: Study) -> None:
    settings = Settings(cutoff=7, alpha=0.3)
    table = summarise(evaluate(real, ["CWEx", "NFaiRR", "TExFAIR"], settings))
    curves = over_cutoffs(real, ["CWEx", "NFaiRR", "TExFAIR"], settings)
    at_seven = curves[curves["cutoff"] == 7]
    np.testing.assert_allclose(at_seven["value"], table["value"], rtol=1e-12)
    alphas = over_alpha(real, settings)
    here = alphas[np.isclose(alphas["alpha"], 0.3)]
    cwex = table[table["measure"] == "CWEx(alpha=0.3)@7"]
    for column in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(here[column], cwex[column], rtol=1e-9)


def deep(labelled: range, depth: int = 150) -> Study:
    """Two lists of 150 documents in opposite order; of the documents d1 to d150 some have a label."""
    lists = {"down": range(1, depth + 1), "up": range(depth, 0, -1)}
    runs = [
        (system, "q", f"d{document}", rank, float(-rank))
        for system, documents in lists.items()
        for rank, document in enumerate(documents, start=1)
    ]
    labels = [(f"d{document}", "a", ("neutral", "male")[document % 2]) for document in labelled]
    return make_study(
        "deep",
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
    )


@pytest.mark.parametrize("cutoff", [1, 7, 61, 93, 149, 150])
def test_the_curve_of_deep_lists_holds_the_cutoff_that_is_set(cutoff: int) -> None:
    """Deep lists are drawn at some cutoffs only; the one on screen is always among them, with the table's value."""
    study, settings = deep(range(1, 151)), Settings(cutoff=cutoff)
    curves = over_cutoffs(study, ["CWEx"], settings)
    here = curves[curves["cutoff"] == cutoff]
    assert here["system"].tolist() == ["down", "up"]
    np.testing.assert_allclose(here["value"], summarise(evaluate(study, ["CWEx"], settings))["value"], rtol=1e-12)
    assert curves["cutoff"].nunique() < 150


def test_a_curve_has_a_gap_where_nothing_has_a_value() -> None:
    """Only d100 and deeper are labelled: `down` has no value before cutoff 100, and every cutoff is there for both."""
    curves = over_cutoffs(deep(range(100, 151)), ["CWEx"], Settings(cutoff=99))
    wide = curves.pivot(index="cutoff", columns="system", values="value")
    assert len(curves) == 2 * len(wide)
    assert wide["up"].notna().all()
    assert wide["down"].notna().tolist() == [cutoff >= 100 for cutoff in wide.index]


@pytest.mark.parametrize("settings", [Settings(cutoff=4), Settings(cutoff=9, position_bias="uniform")])
def test_the_alpha_curve_is_cwex_at_each_alpha(newswire: Study, settings: Settings) -> None:
    alphas = [0.0, 0.3, 1.0]
    curve = over_alpha(newswire, settings, np.array(alphas)).set_index(["system", "alpha"])
    for alpha in alphas:
        for row in summarise(evaluate(newswire, ["CWEx"], settings, alpha=alpha)).itertuples():
            told = curve.loc[(row.system, alpha), ["value", "ci_low", "ci_high"]].tolist()
            assert told == pytest.approx([row.value, row.ci_low, row.ci_high], rel=1e-9)


def test_exposures_of_the_groups_sum_to_one(real: Study) -> None:
    shares = exposures(real, Settings(), per_query=True)
    labelled = shares["neutral"].notna()
    assert labelled.mean() > 0.9
    np.testing.assert_allclose(shares.loc[labelled, ["neutral", "female", "male"]].sum(axis=1), 1)
    means = exposures(real, Settings())
    cwex = summarise(evaluate(real, ["Exposure(group='female')@10"]))
    np.testing.assert_allclose(means["female"], cwex["value"])


def test_a_summary_speaks_of_the_scores_it_is_given(real: Study) -> None:
    scores = evaluate(real, ["CWEx@10", "nDCG@10"])
    half = summarise(scores[scores["query_id"].isin(scores["query_id"].unique()[:20])])
    assert (half["queries"] == 20).all()
    assert half["coverage"].isna().tolist() == [False, False, True, True]
    pd.testing.assert_frame_equal(summarise(scores), summarise(scores))
    assert len(summarise(scores[:0])) == 0


def test_the_cutoff_grid_holds_every_cutoff_where_they_are_few() -> None:
    assert cutoff_grid(5).tolist() == [1, 2, 3, 4, 5]
    assert cutoff_grid(1000, 333)[[0, -1]].tolist() == [1, 1000]
    assert 333 in cutoff_grid(1000, 333)
    assert 5000 not in cutoff_grid(1000, 5000)


def test_equal_keys_mean_equal_arrays() -> None:
    study = fairviz.open_study("football")
    assert align_key(study, Settings()) == align_key(study, Settings(cutoff=3, alpha=0.1, annotator="project"))
    assert align_key(study, Settings()) != align_key(study, Settings(tokenizer="whitespace"))
    assert align(study, Settings()).shape == (2, 1)


def test_coverage_of_lists_that_are_labelled_in_part() -> None:
    """Of q1's two places both are labelled, of q2's one, of q3's none: three of six."""
    ranked = [
        ("s", query, f"{query}-{place}", place, float(-place)) for query in ("q1", "q2", "q3") for place in (1, 2)
    ]
    labels = [("q1-1", "a", "female"), ("q1-2", "a", "male"), ("q2-2", "a", "male")]
    study = make_study(
        "in part",
        runs=pd.DataFrame(ranked, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
    )
    scores = evaluate(study, ["Exposure(group='male')@2"], position_bias="uniform")
    assert scores["value"].fillna(-1).tolist() == [0.5, 1, -1]
    assert scores[["labelled", "places"]].to_numpy().tolist() == [[2, 2], [1, 2], [0, 2]]
    summary = summarise(scores).iloc[0]
    assert summary[["value", "queries", "undefined", "coverage"]].tolist() == [0.75, 2, 1, 0.5]
    strict = evaluate(study, ["Exposure(group='male')@2"], position_bias="uniform", unlabelled="strict")
    assert strict["value"].fillna(-1).tolist() == [0.5, -1, -1]
    neutral = evaluate(study, ["Exposure(group='neutral')@2"], position_bias="uniform", unlabelled="neutral")
    assert neutral["value"].tolist() == [0, 0.5, 1]


def test_msmgenderbias_covers_210_of_2150_places(shared_data: Path) -> None:
    from fairviz.study.loaders import read_run

    folder = shared_data / "fairness-retrieval-results"
    labels = pd.read_csv(shared_data / "msmgenderbias" / "MSMGenderBias.csv", dtype="str")
    labels = labels.set_axis(["doc_id", "label"], axis=1).assign(annotator="people")
    labels["label"] = labels["label"].map({"N": "neutral", "M": "male", "F": "female"})
    study = make_study("qs2", runs=read_run(folder / "runs" / "BM25.run"), labels=labels)
    scores = evaluate(study, ["CWEx(alpha=0.5)@10", "CWEx(alpha=0.5)@5"])
    at_ten = scores[scores["measure"] == "CWEx(alpha=0.5)@10"]
    assert (at_ten["labelled"].sum(), at_ten["places"].sum()) == (210, 2150)
    summary = summarise(scores)
    assert summary["coverage"].iloc[0] == pytest.approx(210 / 2150)
    assert summary[["queries", "undefined"]].iloc[0].tolist() == [21, 194]
    strict = summarise(evaluate(study, ["CWEx@10"], unlabelled="strict"))
    assert strict["queries"].tolist() == [21]
    neutral = summarise(evaluate(study, ["Exposure(group='neutral')@10"], unlabelled="neutral"))
    assert neutral["value"].iloc[0] > 0.97
