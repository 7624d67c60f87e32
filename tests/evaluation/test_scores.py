"""From a study to scores and curves: exact cases, real rankings, crossed groups, and what cannot be asked."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import Resolved, align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, exposures, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import crossing_columns, grouping_of
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, qrels_of, runs_of

RUN = runs_of({"s": "d"})
TEXT = pd.DataFrame({"doc_id": ["d"], "text": ["she"]})
NURSE = pd.DataFrame({"query_id": ["q"], "text": ["nurse"]})


@pytest.fixture(scope="module")
def real(newswire: Study) -> Study:
    """Two rankers over newswire, by one annotator's labels."""
    runs = newswire.runs[newswire.runs["system"].isin(("bm25", "tfidf"))]
    labels = newswire.labels[newswire.labels["annotator"] == "project"]
    parts = {part: getattr(newswire, part) for part in ("queries", "documents", "qrels")}
    return make_study("newswire", runs=runs.astype({"system": "str"}), labels=labels, **parts)


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


def test_measures_of_the_whole_list_read_all_of_it() -> None:
    """Twelve relevant documents at ranks 1 to 12: AP and Rprec are 1. One, behind eleven others: AP is 1/12."""
    names = [f"d{place}" for place in range(1, 13)]
    runs, qrels = runs_of({("s", "all"): names, ("s", "last"): names}), qrels_of({"all": names, "last": "d12"})
    study, expected = make_study("long", runs=runs, qrels=qrels), {"AP": [1, 1 / 12], "Rprec": [1, 0], "nDCG": [1, 0]}
    for measures in (["AP@12"], ["Rprec"], ["AP@100", "Rprec"], ["Rprec", "nDCG@10", "AP@12"]):
        values = evaluate(study, measures)["value"].tolist()
        assert values == pytest.approx([value for text in measures for value in expected[text.partition("@")[0]]])


def test_ties_break_the_same_way_in_effectiveness_and_fairness() -> None:
    """trec_eval takes the largest document id first."""
    measures = ["RR@3", "Exposure(group='female')@1"]
    for relevant, ties, expected in (("c", "file", [1, 1]), ("c", "trec_eval", [1, 1]), ("0", "trec_eval", [1 / 3, 0])):
        runs, labels = runs_of({"s": [relevant, "a", "b"]}).assign(score=1.0), dict.fromkeys("ab", "male")
        labelled = labels_of(labels | {relevant: "female"})
        study = make_study("tied", runs=runs, qrels=qrels_of({"q": relevant}), labels=labelled)
        assert evaluate(study, measures, ties=ties)["value"].tolist() == pytest.approx(expected)


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
    for cutoff in (999_999_999, 0, -1, 1.5, "10", True, float("nan"), 10**400):
        with pytest.raises(FairvizError, match=r"^cutoff is "):
            evaluate(football, ["CWEx"], cutoff=cutoff)


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
        ({"runs": RUN, "documents": TEXT, "groups": ("women", "men"), "protected": "women"}, "TExFAIR@5",
         "the word list 'gsr' has no words of the group 'women'. Add lexicon.csv with the columns word, group."),
        ({"queries": NURSE, "documents": TEXT}, "GSR@5",
         "it has no runs. Add runs/NAME.run (TREC format, 6 columns), or rank its documents with "
         "`fairviz rank bare --with bm25`."),
        ({"runs": RUN, "documents": TEXT}, "GSR@5",
         "it has no text of queries. Add queries.tsv with the columns query_id and text."),
        ({"runs": RUN, "queries": NURSE}, "GSR@5",
         "it has no text of documents. Add documents.tsv with the columns doc_id and text."),
        ({"runs": RUN, "queries": NURSE, "documents": TEXT}, "GSR(depth='relevant')",
         "it has no relevance judgements. Add qrels.txt (TREC format: query 0 document relevance)."),
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


def test_the_alpha_curve_is_cwex_and_by_hand(newswire: Study) -> None:
    """Value and interval, for every system; of equal attention to female and neutral, exposure and gap are both 1/2."""
    alphas = np.array([0.0, 0.25, 0.5, 0.8, 1.0])
    for chosen in (Settings(), Settings(cutoff=3, position_bias="uniform")):
        curve = over_alpha(newswire, chosen, alphas).set_index(["system", "alpha"])
        for alpha in alphas:
            told = summarise(evaluate(newswire, [f"CWEx(alpha={alpha})"], chosen)).set_index("system")
            for column in ("value", "ci_low", "ci_high"):
                found = curve.xs(alpha, level="alpha")[column]
                np.testing.assert_allclose(found, told.loc[found.index, column], atol=1e-12)
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


# --- gender groups crossed with a column of the documents


LABELS = {"d1": "female", "d2": "male", "d3": "neutral", "d4": "female", "d5": "male"}
TOPICS = {"d1": "arts", "d2": "arts", "d3": "arts", "d4": "sport", "d5": "sport"}


def study_of(
    labels: dict[str, str] = LABELS, topics: dict[str, str | None] = TOPICS, order: list[str] | None = None,
    **fields: object,
) -> Study:  # fmt: skip
    names = list(topics)
    return make_study(
        "crossed",
        queries=pd.DataFrame({"query_id": ["q"], "text": ["nurse"]}),
        documents=pd.DataFrame({"doc_id": names, "text": "she and he", "topic": [topics[name] for name in names]}),
        runs=runs_of({"A": order or list(LABELS)}),
        labels=labels_of(labels),
        qrels=qrels_of({"q": names[0]}),
        **fields,
    )


def crossed_value(study: Study, measure: str, **choices: object) -> float:
    return fairviz.evaluate(study, measure, cutoff=5, position_bias="uniform", crossed_with="topic", **choices)[
        "value"
    ].item()


def test_measures_by_hand() -> None:
    """Five places of equal attention: each document has 1/5."""
    study = study_of()
    shares = {"neutral": 0.2, "female, arts": 0.2, "female, sport": 0.2, "male, arts": 0.2, "male, sport": 0.2}
    table = exposures(study, Settings(cutoff=5, position_bias="uniform", crossed_with="topic"))
    assert table.drop(columns="system").iloc[0].to_dict() == pytest.approx(shares)
    assert crossed_value(study, "Exposure(group='female, sport')") == pytest.approx(0.2)
    # d1 and d2 alone, both of arts: shares 1/2, 0, 1/2, 0 against targets of 1/4; CWEx 0.5 * 0 - 0.5 * (1/2 - 0)
    study = study_of(order=["d1", "d2"])
    assert crossed_value(study, "AWRF") == pytest.approx(4 * 0.25)
    assert crossed_value(study, "CWEx(alpha=0.5)") == pytest.approx(-0.25)
    assert crossed_value(study, "GroupExposureRatio(protected='female, arts')") == pytest.approx(1.0)
    grouping = grouping_of(study_of(targets={"female": 0.6, "male": 0.4}), "topic")
    assert grouping.groups == ("female, arts", "female, sport", "male, arts", "male, sport")
    assert grouping.targets.tolist() == pytest.approx([0.3, 0.3, 0.2, 0.2])
    assert grouping.groups[grouping.protected] == "female, arts"
    mixed = {"d1": "10", "d2": "9", "d3": "x", "d4": "a", "d5": "9"}  # numbers by size, and texts by letter
    assert grouping_of(study_of(LABELS, mixed), "topic").values == ("9", "10", "a", "x")


def test_a_gendered_document_without_a_value_has_no_label_and_a_neutral_one_stays_neutral() -> None:
    topics = {**TOPICS, "d1": None, "d3": None, "d4": "  "}
    study = study_of(LABELS, topics)
    names = align(study, Settings(crossed_with="topic")).labels.codes.tolist()
    assert names == [-1, 3, 0, -1, 4]  # d2 is `male, arts`, d5 `male, sport`
    study = study_of({**LABELS, "d9": "female"}, TOPICS, ["d9", "d1"])
    assert align(study, Settings(crossed_with="topic")).labels.codes.tolist() == [1, -1], "d9 is not in the table"


@given(
    labels=st.lists(st.sampled_from(["female", "male", "neutral"]), min_size=6, max_size=6),
    topics=st.lists(st.sampled_from(["a", "b", "10", "9"]), min_size=6, max_size=6).filter(
        lambda each: len({*each}) > 1
    ),
)
@settings(max_examples=settings.default.max_examples * 2 // 5)
def test_crossed_exposures_sum_to_those_of_the_genders(labels: list[str], topics: list[str]) -> None:
    names = [f"d{place}" for place in range(6)]
    study = study_of(dict(zip(names, labels, strict=True)), dict(zip(names, topics, strict=True)), names)
    crossed = exposures(study, Settings(crossed_with="topic")).iloc[0]
    plain = exposures(study, Settings()).iloc[0]
    for gender in ("female", "male"):
        parts = [crossed[name] for name in crossed.index if name.startswith(f"{gender}, ")]
        assert sum(parts) == pytest.approx(plain[gender])
    assert crossed["neutral"] == pytest.approx(plain["neutral"])


def test_labels_are_crossed_after_the_vote() -> None:
    """Two of three say female of a document without a topic: it has no label, and is not neutral by the third."""
    study = study_of(LABELS, {**TOPICS, "d1": None})
    votes = [("d1", "ann", "female"), ("d1", "bob", "female"), ("d1", "cem", "neutral"), ("d2", "ann", "male")]
    table = pd.DataFrame(votes, columns=["doc_id", "annotator", "label"])
    study = make_study(
        "votes", documents=study.documents, runs=study.runs, labels=table, queries=study.queries, qrels=study.qrels
    )
    assert align(study, Settings(crossed_with="topic")).labels.codes.tolist() == [-1, 3, -1, -1, -1]


@pytest.mark.parametrize("name", list(MEASURES))
def test_every_measure_is_computed_or_refused_in_one_line(name: str) -> None:
    study = study_of()
    settings = Settings(cutoff=5, crossed_with="topic")
    reason = Resolved(study, settings).missing_part(ask(name, settings))
    assert "\n" not in reason
    if reason:
        with pytest.raises(FairvizError, match="cannot be computed") as caught:
            fairviz.evaluate(study, name, settings)
        assert "'topic'" in str(caught.value)
        assert MEASURES[name].protects or MEASURES[name].family == "words"
    elif MEASURES[name].per_query:
        assert np.isfinite(fairviz.evaluate(study, name, settings)["value"]).all()


def test_reasons_to_the_letter() -> None:
    study, settings = study_of(), Settings(crossed_with="topic")
    resolved = Resolved(study, settings)
    assert resolved.missing_part(ask("ExposureGap", settings)) == (
        "'topic' makes 2 groups of each gender, and only one can be protected. Use "
        "GroupExposureRatio(protected='female, arts'), or leave the crossing out."
    )
    assert resolved.missing_part(ask("NFaiRR", settings)) == (
        "its groups are crossed with 'topic', and gender words have no such column. Leave the crossing out."
    )
    assert resolved.missing_part(ask("Exposure(group='female')", settings)) == (
        "it has no group 'female'. Use one of neutral; female, arts; female, sport; male, arts; male, sport."
    )


def test_columns_to_cross_with_and_refusals() -> None:
    study = study_of()
    assert crossing_columns(study) == ("", "topic")
    with pytest.raises(FairvizError, match=r"the groups of 'crossed' cannot be crossed with 'colour'"):
        fairviz.evaluate(study, "CWEx", crossed_with="colour")
    flat = study_of(LABELS, dict.fromkeys(TOPICS, "arts"))
    with pytest.raises(FairvizError) as caught:
        fairviz.evaluate(flat, "CWEx", crossed_with="topic")
    assert caught.value.remedy == "Add a column with 2 to 20 different values to the documents, and gender labels."
    with pytest.raises(FairvizError, match="another choice of crossed_with"):
        fairviz.evaluate(study, "CWEx", rankings=align(study, Settings()), crossed_with="topic")
    with pytest.raises(FairvizError, match="annotators give genders alone"):
        lists_of(study, Settings(crossed_with="topic"), "CWEx")
