"""From a study to scores, summaries and curves: exact cases, real rankings, and what cannot be computed."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison.compare import compare
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate, exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.checks import check
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study, open_study_folder, save_study
from fairviz.words.counting import GSR_LEXICON
from tests.made import labels_of, qrels_of, runs_of
from tests.measures.test_against_reference import slow_scores
from tests.reference import NAN

SYSTEMS = ("bm25", "tfidf")
RUN = runs_of({"s": "d"})
Array = np.ndarray
LISTS = {"pl/seed1": "ab", "pl/seed2": "ba", "pl/seed10": "ab", "bm25": "ab"}


@pytest.fixture(scope="module")
def ranked_grep_biasir(grep_biasir: Study) -> Study:
    """Grep-BiasIR with runs of BM25 and TF-IDF, made from the published files."""
    return add_runs(grep_biasir, rank(grep_biasir, parse_rankers(",".join(SYSTEMS))).runs)


@pytest.fixture(scope="module")
def two_of_newswire(newswire: Study) -> Study:
    """The same two rankers over newswire, by one annotator's labels."""
    runs = newswire.runs[newswire.runs["system"].isin(SYSTEMS)]
    labels = newswire.labels[newswire.labels["annotator"] == "project"]
    parts = {part: getattr(newswire, part) for part in ("queries", "documents", "qrels")}
    return make_study("newswire", runs=runs.astype({"system": "str"}), labels=labels, **parts)


@pytest.fixture(params=["two_of_newswire", pytest.param("ranked_grep_biasir", marks=pytest.mark.lengthy)])
def real(request: pytest.FixtureRequest) -> Study:
    """Real rankings of real text: of newswire, and by night of Grep-BiasIR too, where it is."""
    return request.getfixturevalue(request.param)


def value(scores: pd.DataFrame, system: str, measure: str) -> float:
    row = scores[(scores["system"] == system) & (scores["measure"] == measure)]
    return float(row["value"].iloc[0])


def test_football_is_the_papers_figure_1_and_by_hand(football: Study) -> None:
    scores = evaluate(football, ["NFaiRR@4", "TExFAIR@4", "CWEx@4"], background="collection")
    assert [value(scores, system, "NFaiRR(tau=1,background='collection')@4") for system in football.systems] == [0, 0]
    left, right = (value(scores, system, "TExFAIR@4") for system in football.systems)
    assert left > 0.8
    assert right == 0
    undefined = evaluate(football, ["NFaiRR@4"], background="candidates")
    assert undefined["value"].isna().all(), "no candidate is neutral at all, so the ideal is 0"
    assert summarise(undefined)["undefined"].tolist() == [1, 1]
    scores = evaluate(football, ["ExposureGap@4", "CWEx(alpha=0.5)@4", "GroupExposureRatio@4"])
    weights = [1 / math.log2(1 + i) for i in range(1, 5)]
    female = (weights[1] + weights[2]) / sum(weights)
    assert value(scores, "left", "ExposureGap@4") == pytest.approx((1 - female) - female)
    assert value(scores, "left", "CWEx(alpha=0.5)@4") == pytest.approx(-0.5 * abs(1 - 2 * female))
    ratio = (weights[1] + weights[2]) / (weights[0] + weights[3])
    assert value(scores, "left", "GroupExposureRatio@4") == pytest.approx(ratio)
    assert math.isnan(value(scores, "right", "GroupExposureRatio@4"))
    scores = evaluate(football, ["CWEx@1000", "TExFAIR@1000", "RaB@1000", "ARaB@1000", "RR@1000"])
    short = evaluate(football, ["CWEx@4", "TExFAIR@4", "RaB@4", "ARaB@4", "RR@4"])
    np.testing.assert_allclose(scores["value"], short["value"])


def test_real_rankings_agree_with_the_slow_reference(real: Study) -> None:
    study = replace(real, lexicon=GSR_LEXICON)
    choices = {"position_bias": "log2", "tokenizer": "word", "unlabelled": "skip"}
    for name, text, parameters in (
        ("cwex", "CWEx(alpha=0.5)@10", {"alpha": 0.5}),
        ("nfairr", "NFaiRR(tau=1)@10", {"tau": 1, "background": "candidates"}),
        ("texfair", "TExFAIR@10", {"rbdf": True}),
        ("arab", "ARaB@10", {"magnitude": "tf"}),
    ):
        expected = slow_scores(study, name, 10, choices, parameters)
        scores = evaluate(study, [text])
        assert len(scores) == len(SYSTEMS) * len(real.queries)
        for row in scores.itertuples():
            assert row.value == pytest.approx(expected.get((row.system, row.query_id), NAN), abs=1e-9, nan_ok=True)


def test_bm25_reaches_the_reciprocal_rank_of_the_cwex_paper(ranked_grep_biasir: Study) -> None:
    scores = summarise(evaluate(ranked_grep_biasir, ["RR@10"]))
    assert round(value(scores, "bm25", "RR@10"), 3) == 0.778, "0.7782 in the paper's Table 8, with Pyserini"


def test_two_cutoffs_of_one_measure_are_two_answers() -> None:
    """Asked together, or one after the other on the same arrays: relevant at ranks 1 and 6, so 5 ranks miss one."""
    runs = runs_of({"s": [f"d{place}" for place in range(1, 11)]})
    study = make_study("two", runs=runs, qrels=qrels_of({"q": "d1 d6"}))
    ideal = 1 + 1 / math.log2(3)
    expected = {"nDCG@10": (1 + 1 / math.log2(7)) / ideal, "nDCG@5": 1 / ideal}
    together = evaluate(study, list(expected))
    assert together["value"].tolist() == pytest.approx(list(expected.values()))
    rankings = align(study, Settings())
    for text in ("nDCG@10", "nDCG@5", "nDCG@10"):
        assert evaluate(study, [text], rankings=rankings)["value"].tolist() == pytest.approx([expected[text]])
    for cutoff in (10, 5):
        alone = evaluate(study, ["nDCG"], Settings(cutoff=cutoff), rankings=rankings)
        assert alone["value"].tolist() == pytest.approx([expected[f"nDCG@{cutoff}"]])


@pytest.mark.parametrize("measures", [["AP@12"], ["Rprec"], ["AP@100", "Rprec"], ["Rprec", "nDCG@10", "AP@12"]])
def test_measures_of_the_whole_list_read_all_of_it(measures: list[str]) -> None:
    """Twelve relevant documents at ranks 1 to 12: AP and Rprec are 1. One, behind eleven others: AP is 1/12."""
    names = [f"d{place}" for place in range(1, 13)]
    runs, qrels = runs_of({("s", "all"): names, ("s", "last"): names}), qrels_of({"all": names, "last": "d12"})
    scores = evaluate(make_study("long", runs=runs, qrels=qrels), measures)
    expected = {"AP": [1, 1 / 12], "Rprec": [1, 0], "nDCG": [1, 0]}
    for text in measures:
        found = scores.loc[scores["measure"] == text, "value"].tolist()
        assert found == pytest.approx(expected[text.partition("@")[0]]), text


def test_ties_break_the_same_way_in_effectiveness_and_fairness() -> None:
    runs, qrels = runs_of({"s": "c a b"}).assign(score=1.0), qrels_of({"q": "c"})
    study = make_study("tied", runs=runs, qrels=qrels, labels=labels_of({"c": "female"}))
    by_file = evaluate(study, ["RR@3", "Exposure(group='female')@1"], ties="file")
    assert by_file["value"].tolist() == [1, 1]
    by_trec = evaluate(study, ["RR@3", "Exposure(group='female')@1"], ties="trec_eval")
    assert by_trec["value"].tolist() == [1, 1], "c is also the largest document id"
    study = make_study("tied", runs=runs.replace("c", "0"), qrels=qrels.replace("c", "0"))
    assert evaluate(study, ["RR@3"], ties="trec_eval")["value"].tolist() == [pytest.approx(1 / 3)]


@pytest.mark.parametrize(
    ("measures", "choices", "message"),
    [
        (["nDCG@0"], {}, "the cutoff of 'nDCG@0' is '0'"),
        (["Fame@10"], {}, "unknown measure 'Fame' in 'Fame@10'"),
        (["CWEx"], {"systems": ("nobody",)}, "the study 'football' has no system 'nobody'"),
        (["CWEx"], {"annotator": "nobody"}, "the study 'football' has no annotator 'nobody'"),
        (["CWEx"], {"filter_column": "mood", "filter_values": ("x",)},
         "the queries of 'football' have no column 'mood'"),
        (["CWEx"], {"filter_column": "text", "filter_values": ("x",)}, "no query has 'x' in its column 'text'"),
        (["NFaiRR"], {"background": "run:none"}, "the background 'run:none' names no system of this study"),
        (["Exposure(group='other')@5"], {},
         "Exposure(group='other')@5 cannot be computed for the study 'football': it has no group 'other'. "
         "Use one of neutral, female, male."),
    ],
)  # fmt: skip
def test_what_cannot_be_asked(measures: list[str], choices: dict, message: str, football: Study) -> None:
    with pytest.raises(FairvizError) as error:
        evaluate(football, measures, **choices)
    assert error.value.message == message
    if "nDCG" in measures[0] or "Fame" in measures[0]:
        assert isinstance(error.value, UsageError)


@pytest.mark.parametrize("value", [999_999_999, 0, -1, 1.5, "10", True, float("nan"), 10**400])
def test_a_cutoff_out_of_range_is_a_wrong_question(value: object, football: Study) -> None:
    with pytest.raises(FairvizError, match=r"^cutoff is "):
        evaluate(football, ["CWEx"], cutoff=value)


@pytest.mark.parametrize(
    ("parts", "measure", "sentence"),
    [
        ({"labels": labels_of({"d": "male"})}, "CWEx(alpha=0.5)@5",
         "it has no runs. Add runs/NAME.run (TREC format, 6 columns), or rank its documents with "
         "`fairviz rank bare --with bm25`."),
        ({"runs": RUN}, "CWEx(alpha=0.5)@5",
         "it has no gender labels. Add labels.csv with the columns doc_id, annotator, label."),
        ({"runs": RUN}, "NFaiRR(tau=1)@5",
         "it has no text of documents. Add documents.tsv with the columns doc_id and text."),
        ({"runs": RUN}, "nDCG@5",
         "it has no relevance judgements. Add qrels.txt (TREC format: query 0 document relevance)."),
        ({"runs": RUN, "labels": labels_of({"d": "offensive"}), "label_kind": "other"}, "CWEx(alpha=0.5)@5",
         "its labels are not genders (labels = 'other' in study.toml)."),
        ({"runs": RUN, "documents": pd.DataFrame({"doc_id": ["d"], "text": ["she"]}), "groups": ("women", "men"),
          "protected": "women"}, "TExFAIR@5",
         "the word list 'gsr' has no words of the group 'women'. Add lexicon.csv with the columns word, group."),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("choices", [{}, {"cutoff": 3, "position_bias": "uniform"}])
def test_the_alpha_curve_is_cwex(newswire: Study, alpha: float, choices: dict) -> None:
    """Value and interval, for every system."""
    settings = Settings(**choices)
    curve = over_alpha(newswire, settings, np.array([alpha])).set_index("system")
    told = summarise(evaluate(newswire, [f"CWEx(alpha={alpha})"], settings)).set_index("system")
    for column in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(curve[column], told.loc[curve.index, column], atol=1e-12)


def test_the_alpha_curve_by_hand() -> None:
    """Equal attention to female and neutral: neutral exposure and gap are both 1/2."""
    study = make_study("hand", runs=runs_of({"s": "f n"}), labels=labels_of({"f": "female", "n": "neutral"}))
    curve = over_alpha(study, Settings(position_bias="uniform"), np.array([0, 0.25, 1]))
    assert curve["value"].tolist() == [-0.5, 0.25 * 0.5 - 0.75 * 0.5, 0.5]


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


def test_coverage_of_lists_that_are_labelled_in_part() -> None:
    """Of q1's two places both are labelled, of q2's one, of q3's none: three of six."""
    runs = runs_of({("s", query): (f"{query}-1", f"{query}-2") for query in ("q1", "q2", "q3")})
    study = make_study("in part", runs=runs, labels=labels_of({"q1-1": "female", "q1-2": "male", "q2-2": "male"}))
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


def both(lists: dict[str, str]) -> pd.DataFrame:
    """The same lists for two queries."""
    return runs_of({(run, query): list(names) for run, names in lists.items() for query in ("q1", "q2")})


def study_of(lists: dict[str, str]) -> Study:
    return make_study("draws", runs=both(lists), labels=labels_of({"a": "female", "b": "neutral"}))


def scores_of(table: Array) -> pd.DataFrame:
    """Scores by draw of one system, from its values (D, Q)."""
    draw, query = np.indices(table.shape)
    names = {"system": "pl", "draw": [f"seed{number + 1}" for number in draw.ravel()]}
    frame = pd.DataFrame({**names, "query_id": [f"q{number}" for number in query.ravel()]})
    return frame.assign(measure="CWEx@10", value=table.ravel())


def test_draws_are_one_system_and_can_be_told_apart() -> None:
    study = study_of(LISTS)
    assert study.systems == ("bm25", "pl")
    single = {run: evaluate(study, ["CWEx@2"], systems=(run,))["value"].to_numpy() for run in LISTS}
    mean = evaluate(study, ["CWEx@2"], systems=("pl",))["value"].to_numpy()
    np.testing.assert_allclose(mean, np.mean([single[run] for run in LISTS if run != "bm25"], axis=0))
    assert "draw" not in evaluate(study, ["CWEx@2"])
    scores = evaluate(study_of(LISTS), ["CWEx@2"], by_draw=True)
    assert set(zip(scores["system"], scores["draw"], strict=True)) == {
        ("bm25", ""), ("pl", "seed1"), ("pl", "seed2"), ("pl", "seed10"),
    }  # fmt: skip
    summary = summarise(scores)
    plain = summarise(evaluate(study_of(LISTS), ["CWEx@2"]))
    for name in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(summary[name], plain[name])
    assert summary["draws"].tolist() == [1, 3]
    assert np.isnan(summary["ranker_se"][0])


def test_the_noise_by_hand() -> None:
    """Draws of means 1, 2 and 3: standard deviation 1, standard error 1/√3; t of 2 degrees of freedom is 4.303."""
    row = summarise(scores_of(np.array([[1.0, 1], [2, 2], [3, 3]]))).iloc[0]
    assert row["ranker_se"] == pytest.approx(1 / np.sqrt(3))
    assert row["value"] == 2
    assert row["draw_high"] - 2 == pytest.approx(4.3027 * np.sqrt(4 / 3), rel=1e-4)
    assert row["both_high"] - 2 == pytest.approx(4.3027 / np.sqrt(3), rel=1e-4)  # queries do not differ


def _intervals(shared: float, own: float, draws: int, queries: int, repeats: int) -> dict[str, float]:
    """The share of intervals that cover: of ci the expectation, and the mean of these draws; of both; of a new draw."""
    from fairviz.evaluation.scores import _noise
    from fairviz.statistics.intervals import mean_interval

    generator, hits = np.random.default_rng(7), {"ci": 0, "ci of these draws": 0, "both": 0, "draw": 0}
    for _ in range(repeats):
        easy = generator.normal(size=queries)
        moved = shared * generator.normal(size=draws)
        table = easy + moved[:, None] + own * generator.normal(size=(draws, queries))
        value, (_, high) = float(table.mean()), mean_interval(table.mean(axis=0))
        noise = _noise(value, float(high), table.mean(axis=1), 0.95, False)
        new = easy.mean() + shared * generator.normal() + own * generator.normal() / np.sqrt(queries)
        hits["ci"] += abs(value) <= high - value
        hits["ci of these draws"] += abs(value - moved.mean()) <= high - value
        hits["both"] += abs(value) <= noise[3] - value
        hits["draw"] += abs(value - new) <= noise[5] - value
    return {name: count / repeats for name, count in hits.items()}


FEW_AND_MANY = [(400, 0.03), pytest.param(4000, 0.02, marks=pytest.mark.lengthy)]


@pytest.mark.parametrize(("repeats", "off"), FEW_AND_MANY)
@pytest.mark.parametrize("draws", [2, 10])
def test_intervals_over_draws_cover(draws: int, repeats: int, off: float) -> None:
    """Where draws are independent by query all do. Where a draw moves all queries, the interval over queries is of
    these draws alone; that over queries and draws covers the expectation."""
    covered = _intervals(shared=0, own=0.5, draws=draws, queries=25, repeats=repeats)
    assert (covered["ci"], covered["draw"]) == pytest.approx((0.95, 0.95), abs=off)
    assert covered["both"] > 0.95 - off
    covered = _intervals(shared=0.5, own=0.3, draws=draws, queries=25, repeats=repeats)
    assert covered["ci"] < 0.88
    assert (covered["ci of these draws"], covered["draw"]) == pytest.approx((0.95, 0.95), abs=off)
    assert covered["both"] > 0.95 - off


def _rejections(shared: float, repeats: int) -> float:
    """The share of pairs of equal rankers with two draws that a paired test calls significantly different."""
    generator, count = np.random.default_rng(11), 0
    for _ in range(repeats):
        easy = generator.normal(size=20)
        noise = shared * generator.normal(size=(2, 2, 1)) + 0.5 * generator.normal(size=(2, 2, 20))
        means = (easy + noise).mean(axis=1)
        system, query = np.indices(means.shape)
        frame = pd.DataFrame({"system": [f"s{number}" for number in system.ravel()], "measure": "CWEx@10"})
        frame = frame.assign(query_id=[f"q{number}" for number in query.ravel()], value=means.ravel())
        count += bool((compare(frame)["p"] < 0.05).any())
    return count / repeats


@pytest.mark.parametrize("repeats", [40, pytest.param(250, marks=pytest.mark.lengthy)])
def test_paired_tests_are_of_these_draws(repeats: int) -> None:
    """They hold their level where draws are independent by query, and not where a draw moves all queries."""
    assert _rejections(0, repeats) == pytest.approx(0.05, abs=0.05)
    assert _rejections(0.5, repeats) > 0.3


def test_round_trip(folder: Path) -> None:
    study = study_of(LISTS)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.run")) == [
        "runs/bm25.run", "runs/pl/seed1.run", "runs/pl/seed10.run", "runs/pl/seed2.run",
    ]  # fmt: skip
    again = open_study_folder(folder)
    assert again.draws == {"pl": ("pl/seed1", "pl/seed2", "pl/seed10")}
    assert again.warnings == ()
    key = ["system", "query_id", "measure"]
    tables = [evaluate(one, ["CWEx@2"]).astype(dict.fromkeys(key, "str")).sort_values(key) for one in (study, again)]
    pd.testing.assert_frame_equal(*(table.reset_index(drop=True) for table in tables))
    save_study(again, folder)
    (folder / "runs" / "pl" / "seed2.run").write_text("q1 Q0 b 1 1 t\nq1 Q0 a 2 0 t\n")
    changed = open_study_folder(folder)
    assert changed.fingerprint != again.fingerprint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_study(study_of(LISTS), tmp_path / "draws")


def test_files_that_are_no_draw_a_name_taken_and_a_bad_line_are_named(folder: Path) -> None:
    (folder / "runs" / "pl" / "old.run").write_text("x")
    assert open_study_folder(folder).warnings == (
        "runs/pl/old.run was not read: runs are read from the folder runs itself, and from a folder in it those called "
        "seed1.run, seed2.run, … or fold1.run, fold2.run, ….\nMove it into the folder runs itself.",
    )
    (folder / "runs" / "pl.run").write_text("q1 Q0 a 1 1 t\n")
    with pytest.raises(DataError, match=r"runs/pl/seed1.run: a second run called 'pl', after pl.run"):
        open_study_folder(folder)
    (folder / "runs" / "pl.run").unlink()
    (folder / "runs" / "pl" / "seed2.run").write_text("q1 Q0 a 1 high t\n")
    with pytest.raises(DataError, match=r"^runs/pl/seed2.run:1: the score is not a finite number: 'high'"):
        open_study_folder(folder)


def test_check_names_a_draw_that_lacks_a_query(folder: Path) -> None:
    (folder / "runs" / "pl" / "seed2.run").write_text("q1 Q0 b 1 1 t\nq1 Q0 a 2 0 t\n")
    study = open_study_folder(folder)
    report = check(study).set_index("item")
    assert report.loc["queries that pl/seed2 lacks", "detail"] == "q2"
    assert report.loc["systems", "detail"] == "bm25, pl (mean of 3 draws)"
    scores = evaluate(study, ["CWEx@2"], systems=("pl",)).set_index("query_id")["value"]
    first = evaluate(study, ["CWEx@2"], systems=("pl/seed1",)).set_index("query_id")["value"]
    assert scores["q2"] == first["q2"]  # of the draws that have the query, and these are alike


def test_added_draws_and_names_that_only_look_like_some() -> None:
    study = study_of(LISTS)
    more = add_runs(study, both({"pl/seed3": "ba"}))
    assert more.draws["pl"][-1] == "pl/seed3"
    assert more.drafts == ("pl",)
    for name in ("pl", "bm25/seed1", "pl/seed1"):
        with pytest.raises(FairvizError, match=f"draws has a run '{name}' already"):
            add_runs(study, both({name: "ab"}))
    models = make_study("models", runs=both({"intfloat/e5": "ab", "castorini/bm25": "ba"}))
    assert models.draws == {}
    assert models.systems == models.run_names
