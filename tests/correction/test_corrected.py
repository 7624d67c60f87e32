"""Corrected means of a study: people on a random sample, a word list on all."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.correction.corrected import COLUMNS, LIKE_THESE, THESE, corrected, corrected_scores, half_widths
from fairviz.correction.sampling import draw_sample
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.settings import Settings
from fairviz.statistics.corrected import corrected_means
from fairviz.statistics.intervals import mean_interval
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import simulated

MEASURES = ["CWEx@10", "ExposureGap@10"]
PEOPLE = {"corrected_by": "project", "annotator": "lexicon"}


@pytest.fixture(scope="module")
def sample(newswire):
    return draw_sample(newswire, "queries", "CWEx@10", 480, annotator="lexicon", seed=4)


@pytest.fixture(scope="module")
def documents(newswire):
    return draw_sample(
        newswire, "documents", "ExposureGap@10", 100, annotator="lexicon", systems=["bm25", "w2v_add"], seed=4
    )


def of(newswire: Study, **parts: object) -> Study:
    """Newswire with other parts."""
    own = {part: getattr(newswire, part) for part in ("runs", "documents", "queries", "labels", "annotators")}
    return make_study("other", **own | parts)


def test_rows_and_scores_are_the_corrected_means_of_their_values(newswire, sample) -> None:
    table = corrected(newswire, MEASURES, sample=sample, **PEOPLE)
    assert list(table) == COLUMNS
    assert len(table) == 9 * 2
    machine, people = (
        fairviz.evaluate(newswire, "CWEx@10", annotator=name).astype({"system": "str", "query_id": "str"})
        .pivot(index="system", columns="query_id", values="value").loc[list(newswire.systems)]
        for name in ("lexicon", "project")
    )  # fmt: skip
    is_drawn = machine.columns.isin(sample.drawn)
    wanted = corrected_means(machine.to_numpy(), people.to_numpy(), is_drawn)
    whole = table[table["measure"] == "CWEx(alpha=0.5)@10"]
    for place, (_, row) in enumerate(whole.iterrows()):
        low, high = mean_interval(wanted.values[place])
        assert (row["value"], row["ci_low"], row["ci_high"]) == pytest.approx((wanted.values[place].mean(), low, high))
        assert row["machine"] == pytest.approx(machine.iloc[place].mean())
        assert row["people"] == pytest.approx(people.iloc[place][is_drawn].mean())
        assert (row["drawn"], row["frame"], row["target"]) == (len(sample.drawn), 40, LIKE_THESE)
    whole = whole.set_index("system")
    shown = corrected(newswire, "CWEx@10", sample=sample, systems=("rrf", "bm25"), **PEOPLE).set_index("system")
    pd.testing.assert_frame_equal(shown, whole.loc[["rrf", "bm25"]])  # whatever else is shown
    apart = corrected(newswire, "CWEx@10", sample=sample, against="bm25", **PEOPLE).set_index("system")
    assert "bm25" not in apart.index
    for column in ("machine", "people", "value"):
        assert apart.loc["rrf", column] == pytest.approx(whole.loc["rrf", column] - whole.loc["bm25", column])
    assert apart.loc["rrf", "ci_high"] - apart.loc["rrf", "ci_low"] < 0.3
    widths = half_widths(dict(whole.iloc[0]), np.array([len(sample.drawn), 2 * len(sample.drawn), 40]))
    assert (np.diff(widths) < 0).all(), "more labels narrow the interval"
    assert widths[0] == pytest.approx((whole["ci_high"].iloc[0] - whole["ci_low"].iloc[0]) / 2, rel=0.1)

    scores = corrected_scores(newswire, ["CWEx@10", "NFaiRR"], Settings(**PEOPLE), sample=sample)
    summary = fairviz.summarise(scores)
    own = summary[summary["measure"] == "CWEx(alpha=0.5)@10"].set_index("system")
    for column in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(own[column], whole.loc[own.index, column], rtol=1e-9)
    words = fairviz.summarise(fairviz.evaluate(newswire, "NFaiRR"))
    assert summary[summary["measure"] == words["measure"][0]]["value"].tolist() == words["value"].tolist()
    pair = fairviz.compare(scores, "bm25").set_index(["measure", "system"]).loc["CWEx(alpha=0.5)@10", "rrf"]
    assert pair["difference"] == pytest.approx(apart.loc["rrf", "value"])


def test_people_on_all_queries_leave_nothing_uncertain(newswire) -> None:
    everyone = draw_sample(newswire, "queries", "CWEx@10", 1289, annotator="lexicon")
    assert len(everyone.drawn) == 40
    table = corrected(newswire, MEASURES, sample=everyone, target=THESE, **PEOPLE)
    assert np.allclose(table["ci_low"], table["ci_high"])
    truth = fairviz.summarise(fairviz.evaluate(newswire, MEASURES, annotator="project"))
    assert np.allclose(table["value"], truth["value"])


@simulated(6, 40)
def test_a_machine_that_is_rarely_wrong_leaves_these_queries_uncertain(newswire, draws: int) -> None:
    """`nearly` errs on the documents of one of 40 queries, and half of the samples do not have it: an interval as if
    nothing were, misses."""
    run = newswire.runs[(newswire.runs["system"] == "bm25") & (newswire.runs["rank"] <= 10)]
    one = run[run["query_id"] == run["query_id"].iloc[0]]["doc_id"]
    labels = newswire.labels[newswire.labels["annotator"] == "project"].drop(columns="rationale")
    swapped = labels["label"].map({"female": "male", "male": "female"}).fillna("male")
    nearly = labels.assign(annotator="nearly", label=labels["label"].where(~labels["doc_id"].isin(one), swapped))
    rare = of(
        newswire, runs=newswire.runs[newswire.runs["system"].isin(["bm25", "rrf"])], labels=pd.concat([labels, nearly]),
        annotators={"project": newswire.annotators["project"], "nearly": newswire.annotators["lexicon"]},
    )  # fmt: skip
    truth = fairviz.summarise(fairviz.evaluate(rare, "CWEx@10", annotator="project"))["value"][0]
    covered, asked = [], Settings(annotator="nearly", corrected_by="project")
    for seed in range(draws):
        sample = draw_sample(rare, "queries", "CWEx@10", 220, annotator="nearly", systems=["bm25"], seed=seed)
        row = corrected(rare, "CWEx@10", asked, sample=sample, target=THESE).iloc[0]
        covered.append(row["ci_low"] - 1e-9 <= truth <= row["ci_high"] + 1e-9)
        assert row["ci_high"] - row["ci_low"] <= row["people_high"] - row["people_low"] + 1e-9
        half = half_widths(row.to_dict(), np.array([row["drawn"]]))[0]
        assert half == pytest.approx((row["ci_high"] - row["ci_low"]) / 2)
    assert 15 < row["drawn"] < 30
    assert np.mean(covered) >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / draws)


def test_few_queries_and_documents_give_no_interval_of_these_queries_and_no_test(newswire, documents) -> None:
    few = draw_sample(newswire, "queries", "CWEx@10", 200, annotator="lexicon")
    assert len(few.drawn) < 10
    with pytest.raises(UsageError, match=rf"{len(few.drawn)} drawn queries give no interval for these queries alone"):
        corrected(newswire, "CWEx@10", sample=few, target=THESE, **PEOPLE)
    table = corrected(newswire, "CWEx@10", sample=few, **PEOPLE)
    assert len(table) == 9
    assert np.isfinite(table["ci_low"]).all()
    for one, measure in ((few, "CWEx@10"), (documents, "ExposureGap@10")):
        with pytest.raises(UsageError, match="no test"):
            corrected_scores(newswire, [measure], Settings(**PEOPLE), sample=one)
    many = draw_sample(newswire, "queries", "CWEx@10", 480, annotator="lexicon")
    with pytest.raises(UsageError, match="tested by t"):
        corrected_scores(newswire, ["CWEx@10"], Settings(tests="holm(statistic='wilcoxon')", **PEOPLE), sample=many)
    runs = newswire.runs[newswire.runs["query_id"].isin(newswire.queries["query_id"][:8])]
    small = of(newswire, runs=runs, queries=None)
    top = small.runs[small.runs["rank"] <= 10]
    count = len(top[["query_id", "doc_id"]].drop_duplicates())
    everyone = draw_sample(small, "queries", "CWEx@10", count, annotator="lexicon")
    assert len(everyone.drawn) == 8
    whole = corrected(small, "CWEx@10", sample=everyone, target=THESE, **PEOPLE)
    assert np.allclose(whole["ci_low"], whole["ci_high"])  # nothing is left to draw


def test_drawn_documents_correct_sums(newswire, documents) -> None:
    shown = {"systems": ("bm25", "w2v_add"), **PEOPLE}
    table = corrected(newswire, ["ExposureGap@10", "Exposure(group='female')@10"], sample=documents, **shown)
    truth, machine = (
        fairviz.summarise(fairviz.evaluate(newswire, list(table["measure"].unique()), annotator=name,
                                           systems=("bm25", "w2v_add")))["value"] for name in ("project", "lexicon")
    )  # fmt: skip
    assert list(table["target"]) == [THESE] * 4
    assert table["machine"].tolist() == pytest.approx(machine.tolist())
    for (_, row), value in zip(table.iterrows(), truth, strict=True):
        assert row["ci_low"] <= value <= row["ci_high"], row["measure"]
        assert abs(row["value"] - value) < 0.12
    difference = corrected(newswire, "ExposureGap@10", sample=documents, against="bm25", **shown)
    assert difference["machine"][0] == pytest.approx(table["machine"][1] - table["machine"][0])
    every = draw_sample(newswire, "documents", "ExposureGap@10", 266, annotator="lexicon", systems=["bm25", "w2v_add"])
    table = corrected(newswire, "ExposureGap@10", sample=every, **PEOPLE)
    assert table["value"].tolist() == pytest.approx(truth[:2].tolist()), "all documents drawn are the truth"
    assert np.allclose(table["ci_low"], table["ci_high"])


@pytest.mark.parametrize("measure", ["CWEx@10", "AWRF@10", "AbsExposureGap@10", "GroupExposureRatio@10", "TED@10"])
def test_documents_cannot_correct_what_is_no_sum(newswire, documents, measure: str) -> None:
    with pytest.raises(UsageError, match=r"absolute values and ratios of corrected sums are biased|reads no labels"):
        corrected(newswire, measure, sample=documents, **PEOPLE)
    with pytest.raises(UsageError, match=r"absolute values and ratios|reads no labels"):
        draw_sample(newswire, "documents", measure, 50, annotator="lexicon")


def test_what_does_not_fit_is_refused(newswire, sample, documents) -> None:
    refusals = [
        ({"measures": "NFaiRR"}, "reads no labels, so no labels can correct it"),
        ({"measures": "CWEx@10", "corrected_by": ""}, "no labels are named to correct"),
        ({"measures": "CWEx@10", "corrected_by": "mentions"}, "mentions is a rule or a model"),
        ({"measures": "CWEx@10", "annotator": "project"}, "project cannot correct itself"),
        ({"measures": "CWEx@10", "against": "none"}, "the sample was not drawn for 'none'"),
        ({"measures": "CWEx@10", "target": "all"}, "target is 'all'"),
        ({"measures": "CWEx@10", "sample": "mine"}, "sample is 'mine'"),
        ({"measures": "ExposureGap@10", "sample": documents, "target": LIKE_THESE}, "represent these queries only"),
        ({"measures": "ExposureGap@20", "sample": documents}, "documents that could not be drawn"),
    ]
    for changed, message in refusals:
        arguments = {"sample": sample, **PEOPLE, **changed}
        with pytest.raises(FairvizError, match=message):
            corrected(newswire, arguments.pop("measures"), **arguments)
    with pytest.raises(FairvizError, match="no sample was drawn in newswire, so project cannot correct"):
        corrected(newswire, "CWEx@10", **PEOPLE)
    # whoever leaves out the hard documents has no random sample
    is_first = newswire.labels["doc_id"] == sample.documents[0]
    short = of(newswire, labels=newswire.labels[~((newswire.labels["annotator"] == "project") & is_first)])
    with pytest.raises(FairvizError, match="project did not label 1 of the drawn queries' top documents"):
        corrected(short, "CWEx@10", sample=sample, **PEOPLE)


@simulated(25, 300)
def test_a_sample_is_random_and_has_the_top_documents_of_its_queries(newswire, draws: int) -> None:
    samples = [
        draw_sample(newswire, "queries", "CWEx@5", 100, annotator="lexicon", systems=["bm25"], seed=seed)
        for seed in [1, *range(draws)]
    ]
    one = samples[0]
    assert one.drawn == samples[2].drawn != samples[3].drawn
    runs = newswire.runs[(newswire.runs["system"] == "bm25") & newswire.runs["query_id"].isin(one.drawn)]
    assert set(one.documents) == set(runs[runs["rank"] <= 5]["doc_id"])
    assert set(one.frame.values()) == {len(one.drawn) / 40}
    counts = pd.Series([query for sample in samples[1:] for query in sample.drawn]).value_counts()
    share = counts.mean() / draws
    assert len(counts) == 40
    assert ((counts / draws - share).abs() < 5 * np.sqrt(share * (1 - share) / draws)).all()


def test_documents_are_drawn_by_attention_and_doubt(newswire) -> None:
    labels = newswire.labels[newswire.labels["annotator"] == "lexicon"]
    sure = of(newswire, labels=labels.assign(confidence=[0.5 if n % 2 else 0.999 for n in range(len(labels))]))
    chances = pd.Series(dict(draw_sample(sure, "documents", "ExposureGap@10", 60, seed=2).frame))
    is_doubtful = chances.index.isin(sure.labels["doc_id"][1::2])
    assert chances.sum() == pytest.approx(60)
    assert chances[is_doubtful].mean() > 3 * chances[~is_doubtful].mean()
    assert (chances > 0).all()


def test_a_draw_that_cannot_be_is_refused(newswire) -> None:
    given = {"design": "queries", "measure": "CWEx", "budget": 50, "annotator": "lexicon"}
    for changed, message in (
        ({"design": "lists"}, "design is 'lists'"),
        ({"annotator": ""}, "newswire has 2 annotators that are rules or models"),
        ({"budget": 5000}, "budget is 5000"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**32}, f"seed is {2**32}"),
        ({"measure": "NFaiRR"}, r"NFaiRR.* reads no labels"),
    ):
        with pytest.raises(UsageError, match=message):
            draw_sample(newswire, **given | changed)
    assert draw_sample(newswire, **given, seed=2**32 - 1).seed == 2**32 - 1
    part = of(newswire, labels=newswire.labels[newswire.labels["annotator"] == "lexicon"].head(100))
    with pytest.raises(FairvizError, match="drawn documents correct a machine that labels all"):
        draw_sample(part, "documents", "ExposureGap", 50)
