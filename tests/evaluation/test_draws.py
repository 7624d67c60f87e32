"""Draws of a ranker are one system, with the noise between them; a run that is added moves no value of the others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.label_effects.replacing import replaced
from fairviz.analyses.running import analyse
from fairviz.analyses.sensitivity.mapping import robustness
from fairviz.comparison import finding
from fairviz.comparison.atlas import atlas
from fairviz.comparison.compare import compare, compared_as
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.curves import over_cutoffs
from fairviz.comparison.family import how_of, untested
from fairviz.comparison.gate import gate
from fairviz.errors import DataError, FairvizError
from fairviz.evaluation.choices import systems_tested
from fairviz.evaluation.questions import overview
from fairviz.evaluation.scores import _noise, evaluate, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.figures import alpha_curve, bump, cutoff_curve, scatter
from fairviz.measures import MEASURES, parse
from fairviz.orders.ranges import value_scales
from fairviz.statistics.intervals import mean_interval
from fairviz.study.checks import check
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study, open_study_folder, save_study, with_tested
from fairviz.words.sentences import plain as plain_text
from tests.made import labels_of, runs_of, scores_of

DRAWS = ("pl/seed1", "pl/seed2", "pl/seed3")


def drawn_study(queries: int = 40) -> Study:
    """Return a study of bm25, w2v_add and three draws that reorder the documents of bm25. queries: how many."""
    newswire = fairviz.open_study("newswire")
    asked = newswire.queries.iloc[:queries]
    runs = newswire.runs[newswire.runs["system"].isin(["bm25", "w2v_add"])].astype({"system": "str", "query_id": "str"})
    runs, qrels = (table[table["query_id"].isin(asked["query_id"])] for table in (runs, newswire.qrels))
    generator = np.random.default_rng(0)
    drawn = []
    for name in DRAWS:
        shuffled = runs[runs["system"] == "bm25"].assign(system=name)
        drawn.append(shuffled.assign(score=generator.random(len(shuffled))).drop(columns="rank"))
    texts, labels = newswire.documents[["doc_id", "text"]], newswire.labels[newswire.labels["annotator"] == "project"]
    return fairviz.make_study(
        "drawn", runs=pd.concat([runs.drop(columns="rank"), *drawn]), queries=asked[["query_id", "text"]],
        documents=texts, labels=labels[["doc_id", "label"]], qrels=qrels,
    )  # fmt: skip


# --- evaluate, summarise and files


def both(lists: dict[str, str]) -> pd.DataFrame:
    """The same lists for two queries."""
    return runs_of({(run, query): list(names) for run, names in lists.items() for query in ("q1", "q2")})


LISTS = {"pl/seed1": "ab", "pl/seed2": "ba", "pl/seed10": "ab", "bm25": "ab"}
SMALL = make_study("draws", runs=both(LISTS), labels=labels_of({"a": "female", "b": "neutral"}))


def test_draws_are_one_system_and_can_be_told_apart() -> None:
    assert SMALL.systems == ("bm25", "pl")
    single = {run: evaluate(SMALL, ["CWEx@2"], systems=(run,))["value"].to_numpy() for run in LISTS}
    mean = evaluate(SMALL, ["CWEx@2"], systems=("pl",))["value"].to_numpy()
    np.testing.assert_allclose(mean, np.mean([single[run] for run in LISTS if run != "bm25"], axis=0))
    whole, scores = evaluate(SMALL, ["CWEx@2"]), evaluate(SMALL, ["CWEx@2"], by_draw=True)
    assert "draw" not in whole
    assert set(zip(scores["system"], scores["draw"], strict=True)) == {
        ("bm25", ""), ("pl", "seed1"), ("pl", "seed2"), ("pl", "seed10"),
    }  # fmt: skip
    summary, plain = summarise(scores), summarise(whole)
    for name in ("value", "ci_low", "ci_high"):
        np.testing.assert_allclose(summary[name], plain[name])
    assert summary["draws"].tolist() == [1, 3]
    assert np.isnan(summary["ranker_se"][0])


def test_the_noise_by_hand() -> None:
    """Draws of means 1, 2 and 3: standard deviation 1, standard error 1/√3; t of 2 degrees of freedom is 4.303."""
    parts = [scores_of("CWEx@10", {"pl": [mean, mean]}).assign(draw=f"seed{mean}") for mean in (1, 2, 3)]
    row = summarise(pd.concat(parts)).iloc[0]
    assert row["ranker_se"] == pytest.approx(1 / np.sqrt(3))
    assert row["value"] == 2
    assert row["draw_high"] - 2 == pytest.approx(4.3027 * np.sqrt(4 / 3), rel=1e-4)
    assert row["both_high"] - 2 == pytest.approx(4.3027 / np.sqrt(3), rel=1e-4)  # queries do not differ


def _intervals(shared: float, own: float, draws: int, queries: int, repeats: int) -> dict[str, float]:
    """The share of intervals that cover: of ci the expectation, and the mean of these draws; of both; of a new draw."""
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


@pytest.mark.parametrize(("repeats", "off"), [(400, 0.03), pytest.param(4000, 0.02, marks=pytest.mark.lengthy)])
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
        found = compare(scores_of("CWEx@10", {"a": means[0], "b": means[1]}), draws=999)
        count += bool((found["p"] < 0.05).any())
    return count / repeats


@pytest.mark.parametrize("repeats", [40, pytest.param(250, marks=pytest.mark.lengthy)])
def test_paired_tests_are_of_these_draws(repeats: int) -> None:
    """They hold their level where draws are independent by query, and not where a draw moves all queries."""
    assert _rejections(0, repeats) == pytest.approx(0.05, abs=0.05)
    assert _rejections(0.5, repeats) > 0.3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_study(SMALL, tmp_path / "draws")


def test_files_read_back_and_a_draw_that_lacks_a_query_is_named(folder: Path) -> None:
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.run")) == [
        "runs/bm25.run", "runs/pl/seed1.run", "runs/pl/seed10.run", "runs/pl/seed2.run",
    ]  # fmt: skip
    again = open_study_folder(folder)
    assert again.draws == {"pl": ("pl/seed1", "pl/seed2", "pl/seed10")}
    assert again.warnings == ()
    key = ["system", "query_id", "measure"]
    tables = [evaluate(one, ["CWEx@2"]).astype(dict.fromkeys(key, "str")).sort_values(key) for one in (SMALL, again)]
    pd.testing.assert_frame_equal(*(table.reset_index(drop=True) for table in tables))
    save_study(again, folder)
    (folder / "runs" / "pl" / "seed2.run").write_text("q1 Q0 b 1 1 t\nq1 Q0 a 2 0 t\n")
    changed = open_study_folder(folder)
    assert changed.fingerprint != again.fingerprint
    report = check(changed).set_index("item")
    assert report.loc["queries that pl/seed2 lacks", "detail"] == "q2"
    assert report.loc["systems", "detail"] == "bm25, pl (mean of 3 draws)"
    mean, first = (evaluate(changed, ["CWEx@2"], systems=(name,))["value"].tolist() for name in ("pl", "pl/seed1"))
    assert mean[1] == first[1]  # of the draws that have q2, and these are alike


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


def test_added_draws_and_names_that_only_look_like_some() -> None:
    more = add_runs(SMALL, both({"pl/seed3": "ba"}))
    assert more.draws["pl"][-1] == "pl/seed3"
    assert more.drafts == ("pl",)
    for name in ("pl", "bm25/seed1", "pl/seed1"):
        with pytest.raises(FairvizError, match=f"draws has a run '{name}' already"):
            add_runs(SMALL, both({name: "ab"}))
    models = make_study("models", runs=both({"intfloat/e5": "ab", "castorini/bm25": "ba"}))
    assert models.draws == {}
    assert models.systems == models.run_names


# --- every other way to ask about systems answers, or leaves draws out


@pytest.fixture(scope="module")
def study() -> Study:
    return drawn_study()


def test_a_stochastic_system_has_a_range_and_no_chance_band(study):
    assert fairviz.chance(study, "CWEx", candidates="run")["system"].tolist() == ["bm25", "w2v_add"]
    with pytest.raises(FairvizError, match="pl has no chance band: its values are means over draws"):
        fairviz.chance(study, "CWEx", systems=("pl",))
    (row,) = fairviz.chance(study, "CWEx", systems=("pl/seed1",)).to_dict("records")
    assert row["low"] < row["chance"] < row["high"], "a draw of its own has a band"
    table = value_scales(study, "CWEx", candidates="run").set_index("system")
    assert table.loc["pl", "worst"] < table.loc["pl", "best"]
    assert table.loc["pl", ["chance", "outside"]].isna().all()
    assert table.loc["bm25", "chance_low"] < table.loc["bm25", "chance_high"]
    of_draws = fairviz.ranges(study, "CWEx", candidates="run", systems=DRAWS)
    assert table.loc["pl", "best"] == pytest.approx(of_draws["best"].mean())


def test_the_front_of_draws_is_of_the_documents_of_all_and_none_of_them_may_show_one(study: Study) -> None:
    table = fairviz.front_distances(study, "DPFR(nDCG,CWEx,candidates='run')", cutoff=5).set_index("system")
    same = table.loc[["bm25", "pl"], ["reference_effectiveness", "reference_fairness"]]
    assert np.ptp(same.to_numpy(), axis=0) == pytest.approx([0, 0])  # the draws reorder the documents of bm25
    table = analyse(study, "never-shown").table().set_index(["system", "group"])
    relevant = study.qrels[study.qrels["relevance"] > 0]["doc_id"].unique()
    labels = study.labels.set_index("doc_id")["label"].astype("str")
    male = {name for name in relevant if labels.get(name) == "male"}
    ranked = study.runs[study.runs["system"].isin(DRAWS) & (study.runs["rank"] <= 10)]
    assert table.loc[("pl", "male"), "never_shown"] == len(male - set(ranked["doc_id"]))


def test_a_gate_compares_the_means_over_draws(study: Study) -> None:
    texts, settings = ("never shown male rises by 0.9", "DPFR rises by 0.9", "CWEx falls by 0.9"), Settings(cutoff=5)
    result = gate(study, "bm25", "pl", [read_condition(text, settings) for text in texts], settings)
    assert result.table["state"].tolist() == ["within"] * 3
    assert result.documents.empty


# --- a run that is added is tested at once; taken out of the tests, it moves nothing that figures say of the others


SYSTEMS = ("bm25", "tfidf", "w2v_add", "w2v_si", "rrf", "qlm", "bi_encoder")


@pytest.fixture(scope="module")
def before(newswire: Study) -> Study:
    """newswire without the lists of one of its queries, which the draft alone answers."""
    runs = newswire.runs[newswire.runs["query_id"] != newswire.queries["query_id"].iloc[0]]
    return replace(newswire, runs=runs.reset_index(drop=True), fingerprint="", folder=None)


@pytest.fixture(scope="module")
def grown(before: Study) -> Study:
    """With a draft of twelve documents for every query: of those that no other system found, where there are."""
    lists = {}
    for query in before.queries["query_id"]:
        found = set(before.runs.loc[before.runs["query_id"] == query, "doc_id"])
        lists["draft", query] = ([name for name in before.documents["doc_id"] if name not in found] or sorted(found))[
            :12
        ]
    return add_runs(before, runs_of(lists).astype({"system": "category"}))


def of_others(scores: pd.DataFrame) -> pd.DataFrame:
    kept = scores[scores["system"] != "draft"]
    return kept.astype(dict.fromkeys(("system", "query_id", "measure"), "str")).reset_index(drop=True)


def test_no_measure_and_no_combination_of_choices_of_the_others_moves(before: Study, grown: Study) -> None:
    assert grown.drafts == ("draft",)
    texts = [*(f"{name}@10" for name, measure in MEASURES.items() if measure.per_query), Settings().effectiveness]
    scores = evaluate(grown, texts)
    pd.testing.assert_frame_equal(of_others(scores), of_others(evaluate(before, texts)))
    assert set(scores["query_id"]) == set(before.queries["query_id"])
    choices, without = {"tau": [0, 1], "background": ["candidates", "collection"]}, Settings(not_tested=("draft",))
    tables = [robustness(one, ["w2v_add", "bm25"], "NFaiRR", choices, without).table for one in (before, grown)]
    pd.testing.assert_frame_equal(*tables)


def drawn(study: Study, not_tested: tuple[str, ...] = ()) -> dict[str, object]:
    """What figures say of order, and the sentence."""
    settings = Settings(not_tested=not_tested)
    out = untested(study, settings)
    questions = overview(study, settings).questions
    texts = [question.text for question in questions]
    scores = evaluate(study, texts, settings)
    summary, curves = summarise(scores), over_cutoffs(study, texts[:3], settings)
    found = compared_as(scores, how_of(study, settings))
    front = scatter.info(summary, questions[-1], questions[0], outside=out)
    ranks = bump.info(summary, questions, outside=out)
    along = alpha_curve.info(over_alpha(study, settings), 0.5, 10, outside=out)
    held = atlas(study, texts[:3], settings)
    return {
        "front": front.front,
        "ranks": (dict(ranks.ranks), ranks.alt),
        "alpha": (along.changes, along.alt, {name: along.differences[name] for name in SYSTEMS}),
        "cutoff": cutoff_curve.info(curves, questions[:3], 10, outside=out).sentence,
        "queries": held.queries().to_csv(index=False, float_format="%.9f"),
        "correlations": held.counted.drop(columns="p").to_csv(index=False, float_format="%.9f"),
        "sentence": [plain_text(line) for line in finding.finding(summary, questions, found)],
        "labels": replaced(study, settings, "CWEx@10", study_people(study), study.annotator)["rank_after"].tolist(),
    }


def study_people(study: Study) -> list[str]:
    return [name for name in study.labels["annotator"].unique() if name != study.annotator][:1]


def test_a_run_is_tested_once_it_is_added_and_nothing_of_the_others_moves_without_it(
    before: Study, grown: Study
) -> None:
    """A study that leaves the run out is as settings that do."""
    plain, after = drawn(before), drawn(grown)
    assert drawn(grown, ("draft",)) == plain
    assert {name for name, said in plain.items() if after[name] != said} >= {
        "ranks",
        "correlations",
        "queries",
        "labels",
    }
    left_out = with_tested(grown, before.contenders)
    assert drawn(left_out) == plain
    assert systems_tested(left_out, Settings(tested=("draft",))) == systems_tested(grown, Settings())


def test_a_run_beside_one_system_is_compared_with_it_unless_it_is_not_tested(grown: Study) -> None:
    def sentence(settings: Settings) -> str:
        scores = evaluate(grown, ["CWEx@10"], systems=["bm25", "draft"])
        found = compared_as(scores, how_of(grown, settings))
        return plain_text(finding.finding(summarise(scores), [parse("CWEx@10")], found)[0])

    assert sentence(Settings()).startswith("CWEx: draft is ahead of bm25 (+0.154")
    assert sentence(Settings(not_tested=("draft",))) == (
        "Only bm25 is shown: a second system is needed to see whether measures agree."
    )
