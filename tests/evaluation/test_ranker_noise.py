"""Scores by draw: what each interval claims, simulated, and the error rate of paired tests on means over draws."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import compare
from fairviz.errors import DataError, FairvizError
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.study.checks import check
from fairviz.study.record import Study
from fairviz.study.study import add_runs, open_study_folder, save_study

Array = np.ndarray
LISTS = {"pl/seed1": "ab", "pl/seed2": "ba", "pl/seed10": "ab", "bm25": "ab"}


def runs_of(lists: dict[str, str], queries: tuple[str, ...] = ("q1", "q2")) -> pd.DataFrame:
    rows = [
        (run, query, document, rank, -float(rank))
        for run, documents in lists.items()
        for query in queries
        for rank, document in enumerate(documents, start=1)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"])


def study_of(lists: dict[str, str]) -> Study:
    labels = pd.DataFrame({"doc_id": ["a", "b"], "annotator": "x", "label": ["female", "neutral"]})
    return fairviz.make_study("draws", runs=runs_of(lists), labels=labels)


def scores_of(table: Array) -> pd.DataFrame:
    """Scores by draw of one system, from its values (D, Q)."""
    draw, query = np.indices(table.shape)
    names = {"system": "pl", "draw": [f"seed{number + 1}" for number in draw.ravel()]}
    frame = pd.DataFrame({**names, "query_id": [f"q{number}" for number in query.ravel()]})
    return frame.assign(measure="CWEx@10", value=table.ravel())


def test_a_system_is_the_mean_of_its_draws() -> None:
    study = study_of(LISTS)
    assert study.systems == ("bm25", "pl")
    single = {run: evaluate(study, ["CWEx@2"], systems=(run,))["value"].to_numpy() for run in LISTS}
    mean = evaluate(study, ["CWEx@2"], systems=("pl",))["value"].to_numpy()
    np.testing.assert_allclose(mean, np.mean([single[run] for run in LISTS if run != "bm25"], axis=0))
    assert "draw" not in evaluate(study, ["CWEx@2"])


def test_by_draw() -> None:
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


@pytest.mark.parametrize("draws", [2, 3, 10])
def test_coverage_where_draws_are_independent_by_query(draws: int) -> None:
    covered = _intervals(shared=0, own=0.5, draws=draws, queries=25, repeats=4000)
    assert covered["ci"] == pytest.approx(0.95, abs=0.02)
    assert covered["both"] > 0.93
    assert covered["draw"] == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("draws", [2, 3, 10])
def test_coverage_where_a_draw_moves_all_queries(draws: int) -> None:
    """The interval over queries is of these draws alone; that over queries and draws covers the expectation."""
    covered = _intervals(shared=0.5, own=0.3, draws=draws, queries=25, repeats=4000)
    assert covered["ci"] < 0.88
    assert covered["ci of these draws"] == pytest.approx(0.95, abs=0.02)
    assert covered["both"] > 0.93
    assert covered["draw"] == pytest.approx(0.95, abs=0.02)


def _rejections(shared: float, repeats: int = 250) -> float:
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


def test_paired_tests_hold_their_level_where_draws_are_independent_by_query() -> None:
    assert _rejections(shared=0) == pytest.approx(0.05, abs=0.035)


def test_paired_tests_are_of_these_draws_where_a_draw_moves_all_queries() -> None:
    assert _rejections(shared=0.5) > 0.3


# --- files ---------------------------------------------------------------------------------------------------------


def test_round_trip(tmp_path: Path) -> None:
    study = study_of(LISTS)
    folder = save_study(study, tmp_path / "draws")
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


def test_other_files_of_the_folder_are_named(tmp_path: Path) -> None:
    folder = save_study(study_of(LISTS), tmp_path / "draws")
    (folder / "runs" / "pl" / "old.run").write_text("x")
    assert open_study_folder(folder).warnings == (
        "runs/pl/old.run was not read: runs are read from the folder runs itself, and from a folder in it those called "
        "seed1.run, seed2.run, ….\nMove it into the folder runs itself.",
    )


def test_a_run_and_draws_of_one_name(tmp_path: Path) -> None:
    folder = save_study(study_of(LISTS), tmp_path / "draws")
    (folder / "runs" / "pl.run").write_text("q1 Q0 a 1 1 t\n")
    with pytest.raises(DataError, match=r"runs/pl/seed1.run: a second run called 'pl', after pl.run"):
        open_study_folder(folder)


def test_a_bad_line_of_a_draw(tmp_path: Path) -> None:
    folder = save_study(study_of(LISTS), tmp_path / "draws")
    (folder / "runs" / "pl" / "seed2.run").write_text("q1 Q0 a 1 high t\n")
    with pytest.raises(DataError, match=r"^runs/pl/seed2.run:1: the score is not a finite number: 'high'"):
        open_study_folder(folder)


def test_check_names_a_draw_that_lacks_a_query(tmp_path: Path) -> None:
    folder = save_study(study_of(LISTS), tmp_path / "draws")
    (folder / "runs" / "pl" / "seed2.run").write_text("q1 Q0 b 1 1 t\nq1 Q0 a 2 0 t\n")
    study = open_study_folder(folder)
    report = check(study).set_index("item")
    assert report.loc["queries that pl/seed2 lacks", "detail"] == "q2"
    assert report.loc["systems", "detail"] == "bm25, pl (mean of 3 draws)"
    scores = evaluate(study, ["CWEx@2"], systems=("pl",)).set_index("query_id")["value"]
    both = evaluate(study, ["CWEx@2"], systems=("pl/seed1",)).set_index("query_id")["value"]
    assert scores["q2"] == both["q2"]  # of the draws that have the query, and these are alike


def test_added_draws() -> None:
    study = study_of(LISTS)
    more = add_runs(study, runs_of({"pl/seed3": "ba"}))
    assert more.draws["pl"][-1] == "pl/seed3"
    assert more.drafts == ("pl",)
    for name in ("pl", "bm25/seed1", "pl/seed1"):
        with pytest.raises(FairvizError, match=f"draws has a run '{name}' already"):
            add_runs(study, runs_of({name: "ab"}))


def test_names_that_look_like_folders_are_no_draws() -> None:
    study = fairviz.make_study("models", runs=runs_of({"intfloat/e5": "ab", "castorini/bm25": "ba"}))
    assert study.draws == {}
    assert study.systems == study.run_names
