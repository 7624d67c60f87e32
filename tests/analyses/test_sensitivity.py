"""Maps of choices: every combination is what `evaluate` and `compare` give for it, word lists are levels, the shares of
choices in a variance are those of a full grid, and the sentences about a map are true; bad input is named."""

import dataclasses
from itertools import permutations
from math import factorial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.sensitivity.grid import grid_of
from fairviz.analyses.sensitivity.levels import CHOICES, level_text, levels_of, offered_levels, read_levels
from fairviz.analyses.sensitivity.mapping import check_count, result_of, robustness
from fairviz.analyses.sensitivity.result import Robustness, decides, lines, percent
from fairviz.analyses.sensitivity.shares import Part, Shares, shares_of
from fairviz.analyses.sensitivity.work import COLUMNS, Work, batches_of
from fairviz.datasets import studies_folder
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.statistics.intervals import resampling_weights
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.counting import GSR_LEXICON, Lexicon, format_lexicon
from fairviz.words.tokenizers import TOKENIZERS
from tests.conftest import refused
from tests.made import runs_of

PAIR = ("bm25", "bi_encoder")
OWN = "female:she|her|mother;male:he|him|father"


def expected(study: Study, text: str, settings: Settings) -> pd.Series:
    """All systems are compared, as on every page: each combination is a family of its own."""
    found = fairviz.compare(fairviz.evaluate(study, [text], settings.changed(systems=())), PAIR[1])
    return found[found["system"] == PAIR[0]].iloc[0]


MAPS = {
    "CWEx": {"alpha": [0.1], "annotator": ["lexicon"], "position_bias": ["linear"]},
    "AWRF": {"unlabelled": ["strict"], "cutoff": [4], "ties": ["trec_eval"]},
    "GroupExposureRatio": {"cutoff": [3, 15], "position_bias": ["rbp(p=0.7)"]},
    "NFaiRR": {"tau": [0], "lexicon": [OWN], "background": ["run:rrf"]},
    "TExFAIR": {"tokenizer": ["whitespace"], "ties": ["trec_eval"], "cutoff": [100]},
    "ARaB(magnitude='tc')": {"cutoff": [2, 30], "lexicon": [OWN]},
    "ExposureGap@7": {"annotator": ["majority"], "cutoff": [2]},
    "GSR": {"cutoff": [5]},
}


@pytest.mark.parametrize("measure", MAPS)
def test_every_combination_is_what_evaluate_and_compare_give(newswire: Study, measure: str) -> None:
    found = robustness(newswire, PAIR, measure, MAPS[measure])
    assert found.counts.done == found.counts.all == len(found.table) > 1
    assert ("ties" in found.grid.branches[0].names) == ("ties" in MAPS[measure])
    for row in found.table.to_dict("records"):
        settings = found.grid.settings_at(row["combination"])
        wanted = expected(newswire, measure, settings)
        assert row["measure"] == wanted["measure"]
        for ours, theirs in (("value_a", "value"), ("value_b", "baseline_value"), ("difference",) * 2,
                             ("ci_low",) * 2, ("ci_high",) * 2, ("p",) * 2, ("p_corrected",) * 2,
                             ("queries",) * 2):  # fmt: skip
            assert row[ours] == pytest.approx(wanted[theirs], abs=1e-12, nan_ok=True), ours
        if measure != "GSR":
            assert row["effect_size"] == pytest.approx(wanted["effect_size"], abs=1e-12, nan_ok=True)


def test_the_chance_is_the_share_of_resamples_in_which_a_is_fairer(newswire: Study) -> None:
    for measure, sign in (("CWEx@10", 1), ("AWRF@10", -1), ("ExposureGap@10", -1)):
        found = robustness(newswire, PAIR, measure, {})
        scores = fairviz.evaluate(newswire, [measure], systems=PAIR)
        values = scores.pivot(index="query_id", columns="system", values="value")[[*PAIR]]
        both = values.dropna()
        weights = resampling_weights(len(values), 1000, 0)[:, values.notna().all(axis=1).to_numpy()]
        means = weights @ both.to_numpy() / weights.sum(axis=1, keepdims=True)
        far = np.abs(means) if parse(measure).direction == "zero" else means
        ahead = sign * (far[:, 0] - far[:, 1])
        assert found.table["chance"].tolist() == [pytest.approx((ahead > 0).mean(), abs=1e-12)]


def test_choices_and_levels_that_change_nothing_do_not_multiply_combinations(newswire: Study) -> None:
    found = robustness(newswire, PAIR, ["CWEx", "NFaiRR"], {"tau": [0, 1], "annotator": ["lexicon"], "alpha": [0.1]})
    cwex, nfairr = found.grid.branches
    assert (cwex.names, cwex.count) == (("annotator", "alpha"), 4)
    assert (nfairr.names, nfairr.count) == (("tau",), 2)
    assert (found.grid.count, found.grid.asked) == (6, 16)
    assert found.table["tau"].tolist() == ["not read"] * 4 + ["0", "1"]
    written = robustness(newswire, PAIR, "NFaiRR(tau=3)@5", {"tau": [0], "cutoff": [3], "tokenizer": None})
    assert written.grid.branches[0].names == ("tokenizer",)
    # levels that stand for the same are one, and the present one is there
    settings = Settings(tau=7, position_bias="rbp(p=0.8)")
    wanted = {"tau": [0], "annotator": ["project", ""], "lexicon": ["gsr", format_lexicon(GSR_LEXICON)],
              "position_bias": ["rbp", "log2"]}  # fmt: skip
    grid = grid_of(newswire, PAIR, ["NFaiRR"], wanted, settings)
    assert grid.choices["tau"] == (0, 7)
    assert grid.choices["annotator"] == ("",)
    assert len(grid.choices["lexicon"]) == 1
    assert grid.choices["position_bias"] == ("rbp(p=0.8)", "log2")
    (present,) = grid.present()
    assert grid.settings_at(present) == settings


def test_ties_and_what_lacks_a_label_are_varied_only_where_there_are_any(newswire: Study) -> None:
    alone = Settings(systems=("w2v_si", "w2v_add"))
    idle = grid_of(newswire, alone.systems, ["CWEx", "NFaiRR"], {"unlabelled": None, "ties": None}, alone)
    assert [branch.names for branch in idle.branches] == [(), ()]
    labels = newswire.labels[newswire.labels["annotator"] == "project"].iloc[5:]
    runs = newswire.runs.assign(score=np.round(newswire.runs["score"] / 4))
    lacking = make_study(
        "lacking", documents=newswire.documents, runs=runs, labels=labels[["doc_id", "annotator", "label"]]
    )
    grid = grid_of(lacking, ("bm25", "w2v_add"), ["CWEx", "NFaiRR"], {"unlabelled": None, "ties": None}, Settings())
    assert [branch.names for branch in grid.branches] == [("ties", "unlabelled"), ("ties",)]


def tiny(labels: list[str | None]) -> Study:
    """Two systems over as many queries as there are labels, one document each and its label; the second's has none."""
    queries = [f"q{number}" for number in range(len(labels))]
    runs = runs_of({(system, query): [f"{system}-{query}"] for system in ("a", "b") for query in queries})
    known = [(f"a-{query}", "x", label) for query, label in zip(queries, labels, strict=True) if label]
    known += [(f"b-{query}", "x", "neutral") for query in queries]
    return make_study(
        "tiny",
        runs=runs,
        labels=pd.DataFrame(known, columns=["doc_id", "annotator", "label"]),
    )


def test_undefined_combinations_are_counted_and_do_not_count() -> None:
    found = robustness(tiny(["female", None, None, None, None]), ["a", "b"], "CWEx", {"unlabelled": None})
    by = dict(zip(found.table["unlabelled"], found.table["queries"], strict=True))
    assert by == {"skip": 1, "neutral": 5, "strict": 1}
    assert found.counts.thin == 2
    nothing = robustness(tiny([None, None]), ["a", "b"], "CWEx", {"unlabelled": None})
    assert (nothing.counts.defined, nothing.counts.undefined) == (1, 2)
    assert dict(zip(nothing.table["unlabelled"], nothing.table["fairer"], strict=True)) == {
        "skip": "", "neutral": "neither", "strict": ""
    }  # fmt: skip
    assert nothing.sentence == (
        "a and b are each fairer under 0 of 1 combination. No choice decides the rest. By the means only: too "
        "few common queries for a test."
    )
    study = tiny(["female"])
    alone = make_study("alone", runs=study.runs[study.runs["system"] == "a"], labels=study.labels)
    with refused(
        "the study 'alone' has one system, a, and a sensitivity analysis compares two\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`."
    ):
        robustness(alone, ["a", "b"])


def test_the_queries_kept_by_a_filter_alone_count(newswire: Study) -> None:
    settings = Settings(filter_column="category", filter_values=("sport",))
    found = robustness(newswire, PAIR, "CWEx", {"cutoff": [5]}, settings)
    assert set(found.table["queries"]) == {found.queries} == {6}
    assert found.table["difference"][1] == pytest.approx(
        expected(newswire, "CWEx@10", settings)["difference"], abs=1e-12
    )


def test_bad_input_is_named(newswire: Study) -> None:
    for options, message in (
        ({"choices": {"taw": [1]}}, "there is no choice 'taw'\nDid you mean tau? The choices are "
         f"{', '.join(CHOICES)}."),
        ({"choices": {"tokenizer": ["words"]}},
         f"tokenizer is 'words'\nUse one of {', '.join(TOKENIZERS)}."),
        ({"choices": {"tau": ["x"]}}, "tau is 'x'\nUse a whole number."),
        ({"choices": {"position_bias": ["custom"]}},
         "position_bias is 'custom' without weights\nGive the weights with the settings."),
        ({"choices": {"background": ["run:left"]}}, "the study 'newswire' has no run 'left' for the background\nIts "
         "runs are bm25, tfidf, qlm, w2v_add, w2v_si, bi_encoder, rrf, perfect, random."),
        ({"systems": ["bm25"]}, "a sensitivity analysis compares two systems, not bm25\nName two of bm25, tfidf, "
         "qlm, w2v_add, w2v_si, bi_encoder, rrf, perfect, random."),
        ({"measures": "Exposure"}, "Exposure only describes: none of its values is fairer\nName a measure by which one "
         "of two systems is fairer, such as CWEx."),
        ({"measures": "nDCG"}, "nDCG is not a measure of fairness\nName a measure by which one of two systems is "
         "fairer, such as CWEx."),
        ({"measures": []}, "no measure is named\nName one, such as CWEx."),
    ):  # fmt: skip
        with refused(message, UsageError):
            robustness(newswire, **{"systems": list(PAIR), "measures": "CWEx", **options})


def test_more_combinations_than_allowed_are_told_before_they_are_computed(newswire: Study) -> None:
    choices = {"alpha": [number / 1000 for number in range(1000)], "cutoff": [*range(1, 101)], "position_bias": None}
    work = Work(grid_of(newswire, PAIR, ["CWEx"], choices, Settings()))
    with pytest.raises(UsageError) as error:
        check_count(work, 100_000)
    assert error.value.message.startswith("these choices make 500,000 combinations, ")
    assert error.value.message.endswith(" on this machine")
    assert error.value.remedy == ("Vary fewer choices or levels, or allow this many: most=500000 (--most 500000).")
    assert 0 < work.finished < 1000


def test_several_cores_and_pieces_give_what_one_gives(newswire: Study) -> None:
    """Also where there are more cutoffs and alphas than are compared at once."""
    choices = {"tokenizer": None, "tau": None, "annotator": None, "cutoff": [3]}
    one, four = (Work(grid_of(newswire, PAIR, ["CWEx", "NFaiRR", "RaB"], choices, Settings())) for _ in range(2))
    one.run(workers=1)
    four.run(workers=4)
    choices = {"alpha": [number / 10 for number in range(11)], "cutoff": [*range(1, 11)]}
    large, small = (Work(grid_of(newswire, PAIR, ["CWEx"], choices, Settings())) for _ in range(2))
    small._open = batches_of(small.grid, 50)
    assert {piece.stop - piece.start for piece in small._open} == {50, 110 % 50}
    large.run()
    small.run()
    for first, second in ((one, four), (large, small)):
        for name, values in first.columns.items():
            np.testing.assert_allclose(second.columns[name], values, rtol=1e-12, atol=1e-12)


def test_what_is_computed_stays_when_it_is_stopped(newswire: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = {"annotator": None, "tau": None}
    work = Work(grid_of(newswire, PAIR, ["CWEx", "NFaiRR"], choices, Settings()))
    heard = []

    def told(done: int, count: int) -> None:
        heard.append((done, count))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work.run(told, workers=1)
    first = result_of(work)
    assert heard[0][1] == 6
    work.run()
    assert work.whole
    whole = result_of(work)
    np.testing.assert_array_equal(first.columns["difference"][first.done], whole.columns["difference"][first.done])
    assert (first.counts.done, whole.counts.done) == (int(first.done.sum()), 6)
    pd.testing.assert_frame_equal(whole.table, robustness(newswire, PAIR, ["CWEx", "NFaiRR"], choices).table)

    work = Work(grid_of(newswire, PAIR, ["CWEx"], {"annotator": None, "cutoff": None}, Settings()))
    work.stop()  # a stopped work begins no other piece, and goes on
    assert work.finished == 0
    work.start()
    work.wait()
    assert (work.whole, work.running) == (True, False)
    work.start()
    assert not work.running, "nothing is left to compute"

    def broken(*given: object) -> None:
        raise FairvizError("the vectors are gone", "Fetch them.")

    monkeypatch.setattr("fairviz.analyses.sensitivity.work.computed", broken)
    with pytest.raises(FairvizError, match="the vectors are gone"):
        robustness(newswire, PAIR, "CWEx", {})


def lists(study: Study, **settings: str) -> list[str]:
    asked = Settings(**settings)
    return [level_text(study, asked, "lexicon", level) for level in offered_levels(study, asked, "lexicon")]


def fetched(name: str, file: str, text: str = "word,group\nshe,female\nhe,male\nhis,male\n") -> Path:
    """A word list where a fetched data set has its own."""
    folder = studies_folder() / name
    folder.mkdir(parents=True)
    (folder / file).write_text(text, encoding="utf-8")
    return folder / file


def test_one_list_is_one_level_whatever_its_order_and_place(newswire: Study) -> None:
    turned = tuple(reversed(GSR_LEXICON.words))
    assert lists(newswire) == ["built-in, 171 words"]
    assert lists(newswire, lexicon=format_lexicon(Lexicon("custom", turned))) == ["built-in, 171 words"]
    own = dataclasses.replace(newswire, lexicon=Lexicon("gsr", turned))
    assert lists(own) == ["built-in, 171 words"]
    own = dataclasses.replace(newswire, lexicon=Lexicon("mine", turned[:5]))
    assert lists(own) == ["the study's, 5 words", "built-in, 171 words"]


def test_the_lists_of_fetched_data_sets_are_offered(newswire: Study) -> None:
    fetched("msmarco-qs2", "lexicon-rekabsaz-326.csv")
    assert lists(newswire) == ["built-in, 171 words", "rekabsaz-326, 3 words"]
    assert lists(newswire, lexicon="male:his|he;female:she") == ["built-in, 171 words", "rekabsaz-326, 3 words"]
    levels = read_levels(["lexicon=rekabsaz-326"], lambda text: pytest.fail(f"{text} is no file"))
    assert levels == {"lexicon": ["female:she;male:he|his"]}
    found = fairviz.robustness(newswire, ["bm25", "w2v_add"], "NFaiRR", ["lexicon"])
    assert found.table["lexicon"].tolist() == ["built-in, 171 words", "rekabsaz-326, 3 words"]
    assert lines(found)[0] == "2 distinct combinations."


def test_a_list_without_a_group_of_the_study_or_that_cannot_be_read_is_not_offered(newswire: Study) -> None:
    fetched("genderbias-ir", "lexicon-rekabsaz-64.csv", "word,group\nshe,female\n")
    fetched("msmarco-qs2", "lexicon-rekabsaz-326.csv", "word,group\n")
    assert lists(newswire) == ["built-in, 171 words"]
    assert levels_of(newswire, Settings(), "lexicon") == ("",)
    # a choice of one level is not said to change nothing
    found = fairviz.robustness(newswire, ["bm25", "w2v_add"], "NFaiRR", {"lexicon": None, "cutoff": [5]})
    assert lines(found)[0] == "2 distinct combinations; there is one level alone of the word list."
    found = fairviz.robustness(newswire, ["w2v_si", "w2v_add"], "NFaiRR", {"unlabelled": None})
    assert lines(found)[0].endswith("; nothing here changes with what lacks a label.")


# --- shares of choices in a variance, and the sentences about a map


Array = np.ndarray
FOOTBALL = ("left", "right")


def part(values: Array, names: str) -> Part:
    """One measure's values as an array with an axis a choice."""
    codes = dict(zip(names, np.indices(values.shape).reshape(values.ndim, -1), strict=True))
    return Part(values.ravel().astype(float), codes)


def test_shares_by_hand() -> None:
    """y = 2a + b + ab·c's sign, with a, b, c of -1 or 1: variances 4 of a, 1 of b, and 1 of a, b and c together."""
    sign = np.array([-1.0, 1.0])
    a, b, c = np.meshgrid(sign, sign, sign, indexing="ij")
    found = shares_of([part(2 * a + b + a * b * c, "abc")], {"a": 2, "b": 2, "c": 2})
    assert found.variance == pytest.approx(6, abs=1e-12)
    assert found.alone == pytest.approx({"a": 4 / 6, "b": 1 / 6, "c": 0}, abs=1e-12)
    assert found.together == pytest.approx(1 / 6, abs=1e-12)
    assert found.totals == pytest.approx({"a": 5 / 6, "b": 2 / 6, "c": 1 / 6}, abs=1e-12)
    assert found.full
    # The first of two measures is 1 or 3 by t, the second 6 whatever t: over the grid 1, 3, 6, 6, mean 4, variance 4.5.
    # The measures' means are 2 and 6: variance 4. t's means are 3.5 and 4.5: variance 0.25. 0.25 is left.
    found = shares_of([part(np.array([1.0, 3.0]), "t"), Part(np.array([6.0]), {})], {"t": 2})
    assert found.variance == pytest.approx(4.5, abs=1e-12)
    assert found.alone == pytest.approx({"measure": 4 / 4.5, "t": 0.25 / 4.5}, abs=1e-12)
    assert found.together == pytest.approx(0.25 / 4.5, abs=1e-12)
    assert found.totals == pytest.approx({"measure": 4.25 / 4.5, "t": 0.5 / 4.5}, abs=1e-12)
    for values in (np.full((2, 2), 0.25), np.full((2, 2), np.nan), np.array([[0.1 + 0.2, 0.3], [0.3, 0.3]])):
        found = shares_of([part(values, "ab")], {"a": 2, "b": 2})  # nothing varies, or nothing is defined
        assert (found.alone, found.together, found.variance) == ({}, 0.0, 0.0)


def brute(values: Array) -> tuple[list[float], list[float]]:
    """Sobol's first-order and total indices of a full grid, from conditional means."""
    whole = values.var()
    axes = range(values.ndim)
    first = [values.mean(axis=tuple(o for o in axes if o != one)).var() / whole for one in axes]
    return first, [values.var(axis=one).mean() / whole for one in axes]


def test_several_measures_against_the_grid_with_every_choice_in_all_of_them() -> None:
    generator = np.random.default_rng(3)
    shapes = {"ab": (2, 3), "bc": (3, 4), "c": (4,)}
    parts = {names: generator.normal(size=shape) for names, shape in shapes.items()}
    full = np.empty((3, 2, 3, 4))
    full[0], full[1], full[2] = parts["ab"][:, :, None], parts["bc"][None], parts["c"]
    found = shares_of([part(values, names) for names, values in parts.items()], {"a": 2, "b": 3, "c": 4})
    first, totals = brute(full)
    assert [*found.alone.items()] == [
        (name, pytest.approx(one)) for name, one in zip(("measure", *"abc"), first, strict=True)
    ]
    assert [*found.totals.values()] == pytest.approx(totals)
    assert sum(found.alone.values()) + found.together == pytest.approx(1, abs=1e-12)


def explained(codes: Array, values: Array, chosen: tuple[int, ...]) -> float:
    columns = [np.ones(len(values))] + [codes[one] == level for one in chosen for level in np.unique(codes[one])]
    design = np.stack(columns, axis=1).astype(float)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return 1 - ((values - fitted) ** 2).sum() / ((values - values.mean()) ** 2).sum()


def test_a_grid_with_holes_against_every_order_of_the_choices() -> None:
    values = np.random.default_rng(5).normal(size=(2, 3, 2)) + np.array([0.0, 4.0])
    values[0, 1, 1] = values[1, 2, 0] = values[0, 0, 0] = np.nan
    found = shares_of([part(values, "abc")], {"a": 2, "b": 3, "c": 2})
    seen = ~np.isnan(values.ravel())
    codes, kept = np.indices(values.shape).reshape(3, -1)[:, seen], values.ravel()[seen]
    gains = np.zeros(3)
    for order in permutations(range(3)):
        for place, one in enumerate(order):
            gains[one] += explained(codes, kept, order[: place + 1]) - explained(codes, kept, order[:place])
    assert [*found.alone.values()] == pytest.approx(gains / factorial(3), abs=1e-9)
    assert found.together == pytest.approx(1 - explained(codes, kept, (0, 1, 2)), abs=1e-9)
    assert not found.full
    assert found.totals == {}


def made(
    differences: list[float], p: list[float], queries: int = 40, pair: tuple[str, str] = FOOTBALL, tests: str = "maxT"
) -> Robustness:
    """A map over tau (0, 1) and the position bias (log2, uniform) with these differences; NaN where undefined."""
    study = fairviz.open_study("newswire" if pair != FOOTBALL else "football")
    choices = {"tau": [0, 1], "position_bias": ["log2", "uniform"]}
    grid = grid_of(study, pair, ["NFaiRR"], choices, Settings(tests=tests))
    columns = {name: np.full(4, 0.5) for name in COLUMNS}
    columns |= {"value_b": np.full(4, 0.25)}
    columns |= {"difference": np.array(differences), "p_corrected": np.array(p), "queries": np.full(4, float(queries))}
    return Robustness(grid, columns, np.ones(4, dtype=bool), 40)


def test_sentences_say_who_is_fairer_and_what_decides_and_no_test_claims_it() -> None:
    found = made([0.1, 0.1, 0.3, 0.3], [0.001] * 4)
    assert found.sentence == (
        "left is fairer than right under 4 of 4 combinations. No choice reverses the order; tau decides most of its "
        "size (100 % of the variance). The difference is significant in 4 of 4 "
        "tested combinations, and reversed in 0. This describes; it does not test."
    )
    assert lines(found) == [
        "4 distinct combinations.", "Each combination is a family of its own: 1 pair in one measure, maxT.",
        "By how much left is fairer runs from +0.100 to +0.300, in the measure's unit. "
        "NFaiRR of left runs from 0.500 to 0.500, that of right from 0.250 to 0.250.",
    ]  # fmt: skip
    assert made([-0.1, -0.2, 0.3, 0.3], [0.2] * 4).sentence == (
        "left and right are each fairer under 2 of 4 combinations. Tau decides most of the rest (100 % of the "
        "variance of the order). The difference is significant in 0 of 4 tested combinations. This describes; it "
        "does not test."
    )
    found = made([-0.1, -0.2, -0.3, 0.3], [0.001, 0.2, 0.9, 0.002])
    assert found.order_shares.alone == pytest.approx({"tau": 1 / 3, "position_bias": 1 / 3})
    assert found.sentence == (
        "right is fairer than left under 3 of 4 combinations. Tau and the position bias together decide most of the "
        "rest (33 % and 33 % of the variance of the order). The difference is significant in 1 of 4 tested "
        "combinations, and reversed in 1. This describes; it does not test."
    )
    assert made([np.nan] * 4, [np.nan] * 4).sentence == (
        "None of the combinations has a value for both systems, so they cannot be compared."
    )
    assert ". No choice moves the difference." in made([0.2] * 4, [0.5] * 4).sentence


def test_each_combination_is_a_family_of_its_own() -> None:
    """0.05 is significant however many combinations there are, and 0.051 is not."""
    found = made([0.1, 0.1, 0.3, 0.3], [0.05, 0.05, 0.051, 0.02])
    assert (found.counts.a_tested, found.counts.family) == (3, 4)
    assert "significant in 3 of 4 tested combinations" in found.sentence
    for tests, said in (  # also where the pages test across measures
        ("maxT(family='measures')", "all pairs of 7 systems in one measure, maxT."),
        ("holm(baseline='bm25')", "all pairs with bm25 in one measure, paired t, Holm."),
    ):
        found = made([0.1] * 4, [0.2] * 4, pair=("w2v_add", "bm25"), tests=tests)
        assert lines(found)[1] == f"Each combination is a family of its own: {said}"
    found = made([0.1, 0.1, 0.3, 0.3], [0.001] * 4, pair=("perfect", "bm25"))
    assert found.sentence.endswith("By the means only: perfect is not tested.")


def test_undefined_and_thin_combinations_are_named_with_the_level_behind_them() -> None:
    found = made([np.nan, np.nan, 0.3, 0.3], [np.nan, np.nan, 0.5, 0.5])
    assert found.counts.undefined == 2
    assert found.sentence.startswith("left is fairer than right under 2 of 2 combinations.")
    assert lines(found)[-1] == (
        "2 of 4 computed combinations have no value for one system and do not count, all of them with tau=0."
    )
    thin = made([0.1, 0.1, 0.3, 0.3], [0.5] * 4, queries=19)
    assert lines(thin)[-1] == "4 combinations rest on fewer than half of the 40 queries."
    assert lines(made([0.1, 0.1, 0.3, 0.3], [0.5] * 4, queries=20)) == lines(made([0.1, 0.1, 0.3, 0.3], [0.5] * 4))


def test_what_decides() -> None:
    for alone, together, said in (
        ({"tau": 0.51, "alpha": 0.2}, 0.29, "tau decides most of the rest (51 % of it)"),
        ({"tau": 0.2, "alpha": 0.1}, 0.7, "no choice alone decides the rest; combinations of choices do (70 % of it)"),
        ({"tau": 0.25, "alpha": 0.25, "cutoff": 0.25}, 0.25,
         "no choice decides most of the rest: tau comes first (25 % of it)"),
    ):  # fmt: skip
        assert decides(Shares(alone, together, {}, 1.0, True), "the rest", "of it") == said
    assert [percent(each) for each in (0, 0.004, 0.014, 0.615, 1)] == ["0 %", "under 1 %", "1 %", "62 %", "100 %"]
