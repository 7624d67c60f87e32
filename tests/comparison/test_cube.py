"""Along a slider: the answers at every stop, and curves over cutoffs, are those of a person who asks there alone."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairviz
from benchmarks.synthetic import made_up
from fairviz.comparison.compare import comparison
from fairviz.comparison.cube import Cube, cube
from fairviz.comparison.curves import (
    best_at,
    chance_over_cutoffs,
    disagreeing_cutoffs,
    disagreement,
    disagreement_text,
    over_cutoffs,
    with_and_without_rbdf,
    without_cutoff,
)
from fairviz.comparison.family import How
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import SLIDERS, at_rest, follows, stops
from fairviz.measures import parse
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.fresh import study_of
from tests.made import labels_of, qrels_of, runs_of

MAIN = ("CWEx", "NFaiRR", "TExFAIR", "nDCG")
MORE = (*MAIN, "ExposureGap", "AWRF", "RaB", "ARaB", "GroupExposureRatio", "Exposure", "AP", "Judged@5")
WORDS = ("NFaiRR", "TExFAIR", "RaB")
RBP = "rbp(p=0.8)"
FEW = How(draws=199)


def by_hand() -> Study:
    """Two systems, three queries of two documents, reciprocal attention."""
    lists = {"one": ("fn", "nm", "nn"), "two": ("mf", "nn", "nm")}
    runs = runs_of(
        {
            (system, f"q{query}"): [f"{name}{query}{system}{rank}" for rank, name in enumerate(pair)]
            for system, names in lists.items()
            for query, pair in enumerate(names)
        }
    )
    groups = {"f": "female", "m": "male", "n": "neutral"}
    return make_study("by hand", runs=runs, labels=labels_of({name: groups[name[0]] for name in runs["doc_id"]}))


def sparse() -> Study:
    """Undefined values at some stops: documents without a label, lists of one document, a query that one lacks."""
    rng = np.random.default_rng(4)
    lists = {
        (system, f"q{query:02d}"): [f"d{document}" for document in rng.permutation(30)[: rng.integers(1, 8)]]
        for system in ("one", "two", "three", "random")
        for query in range(24)
        if (system, query) not in (("two", 3), ("one", 7))
    }
    labels = {f"d{one}": rng.choice(["female", "male", "neutral"]) for one in range(0, 30, 3)}
    documents = [(f"d{one}", rng.choice(["her hat", "his hat", "a tree", "he and she"])) for one in range(0, 30, 2)]
    qrels = qrels_of({f"q{query:02d}": f"d{rng.integers(30)}" for query in range(18)})
    texts = pd.DataFrame(documents, columns=["doc_id", "text"])
    return make_study("sparse", runs=runs_of(lists), labels=labels_of(labels), documents=texts, qrels=qrels)


FOUR = ("w2v_si", "random", "bm25", "tfidf")
STUDIES = {  # the sliders that are tried at once; the others are lengthy
    "sparse": (sparse, MORE, Settings(), SLIDERS),
    "sparse and strict": (sparse, MORE, Settings(cutoff=3, unlabelled="strict"), ["cutoff"]),
    "ties, other words": (
        lambda: study_of(1), (*MORE, "GSR"), Settings(cutoff=2, tokenizer="whitespace"), ["cutoff", "bias"],
    ),
    "one system": ("newswire", MAIN, Settings(systems=("bm25",)), ["p"]),
    "few systems": ("newswire", ("CWEx", "nDCG"), Settings(systems=FOUR, alpha=0.505), ["alpha"]),
    "some queries": (lambda: made_up(3, 12, 130, documents=900), MAIN, Settings(cutoff=33), ["cutoff"]),
    "one query": ("football", MAIN, Settings(), ["bias"]),
}  # fmt: skip


def texts_of(made: Cube, stop: int) -> tuple[str, ...]:
    return tuple(question.text for question in made.questions[stop])


def assert_same(study: Study, made: Cube, stop: int, how: How = FEW) -> None:
    """The answers at a stop are those of a person who asks there alone."""
    scores = evaluate(study, texts_of(made, stop), made.stops[stop])
    pd.testing.assert_frame_equal(made.summary(stop), summarise(scores), rtol=1e-12, atol=1e-12)
    chosen = {"draws": how.draws, "ticked": how.ticked, "outside": how.outside}
    found, alone = made.comparison(stop), comparison(scores, tests=how.tests.text, **chosen)
    pd.testing.assert_frame_equal(found.table, alone.table, rtol=1e-12, atol=1e-12)
    assert (found.family, found.how) == (alone.family, alone.how)


def some(made: Cube) -> Sequence[int]:
    """Every position bias, and of a longer scale its ends and the present stop."""
    step = 1 if made.slider == "bias" else len(made.stops)
    return sorted({*range(0, len(made.stops), step), made.present, len(made.stops) - 1})


@pytest.mark.parametrize(
    ("name", "slider"),
    [pytest.param(name, slider, marks=[] if slider in at_once else pytest.mark.lengthy)
     for name, (*_, at_once) in STUDIES.items() for slider in SLIDERS],
)  # fmt: skip
def test_each_stop_is_what_it_is_alone(name: str, slider: str, request: pytest.FixtureRequest) -> None:
    make, measures, settings, _ = STUDIES[name]
    study = request.getfixturevalue(make) if isinstance(make, str) else make()
    settings = settings.changed(position_bias=RBP) if slider == "p" else settings
    made = cube(study, measures, settings, slider, rankings=align(study, settings), how=FEW)
    assert made.stops[made.present] == settings
    for stop in some(made):
        assert_same(study, made, stop)


@pytest.mark.parametrize(
    "tests",
    ["maxT(baseline='two')", "bh(statistic='wilcoxon')", "holm(statistic='randomisation')", "maxT(family='measures')"],
)
def test_other_comparisons(tests: str) -> None:
    how = How(parse_tests(tests), draws=199, ticked=("random",), outside=("three",))
    study = sparse()
    made = cube(study, ("CWEx", "RaB", "Exposure", "GroupExposureRatio"), Settings(), "cutoff", how=how)
    for stop in some(made):
        assert_same(study, made, stop, how)


def test_without_labels() -> None:
    study = sparse()
    bare = make_study("bare", runs=study.runs, documents=study.documents)
    made = cube(bare, WORDS, Settings(), "bias", how=FEW)
    for stop in some(made):
        assert_same(bare, made, stop)
    with pytest.raises(FairvizError, match=r"CWEx\(alpha=0.5\)@10 cannot be computed for the study 'bare'"):
        cube(bare, MAIN, Settings(), "alpha")


def test_by_hand() -> None:
    """Attention 1 and 1/2. `one`: neutral 1/3, 2/3, 1 and gaps 2/3, 1/3, 0; `two`: 0, 1, 2/3 and 1/3, 0, 1/3."""
    settings = Settings(cutoff=2, position_bias="reciprocal")
    made = cube(by_hand(), ["CWEx"], settings, "alpha")
    neutral, gap = np.array([2 / 3, 5 / 9]), np.array([1 / 3, 2 / 9])
    for stop, alpha in ((0, 0.0), (25, 0.25), (50, 0.5), (100, 1.0)):
        assert made.stops[stop].alpha == alpha
        assert made.columns["value"][stop, 0] == pytest.approx(alpha * neutral - (1 - alpha) * gap)
    assert texts_of(made, 25) == ("CWEx(alpha=0.25)@2",)
    assert made.comparison(0).table["baseline"].tolist() == ["two"], "the smaller gap"
    assert made.comparison(100).table["baseline"].tolist() == ["one"], "more neutral"


def test_two_measures_that_meet_count_once(newswire: Study) -> None:
    """nDCG@3 holds still, and the other one passes it."""
    made = cube(newswire, ["nDCG@3", "nDCG@10"], Settings(), "cutoff", how=FEW)
    assert texts_of(made, 2) == ("nDCG@3", "nDCG@3")
    assert made.summary(2)["measure"].unique().tolist() == ["nDCG@3"]
    for stop in (1, 2, 3):
        assert_same(newswire, made, stop)
    nothing = cube(newswire, [], Settings(), "alpha")
    assert nothing.columns["value"].shape == (101, 0, 9)
    assert nothing.summary(0).empty
    assert nothing.comparison(0).table.empty


def test_the_scales(newswire: Study) -> None:
    alphas = [one.alpha for one in stops(newswire, Settings(), "alpha")]
    assert alphas == [step / 100 for step in range(101)]
    assert 0.505 in [one.alpha for one in stops(newswire, Settings(alpha=0.505), "alpha")]
    assert [one.cutoff for one in stops(newswire, Settings(), "cutoff")] == list(range(1, 101))
    named = [one.position_bias for one in stops(newswire, Settings(position_bias="rbp(p=0.95)"), "bias")]
    assert named == ["log2", "reciprocal", "rbp(p=0.95)", "linear", "uniform"]
    weights = Settings(custom_bias=(1.0, 0.5))
    assert [one.position_bias for one in stops(newswire, weights, "bias")][2:] == [RBP, "linear", "uniform", "custom"]
    p = [one.position_bias for one in stops(newswire, Settings(position_bias="rbp(0.8)"), "p")]
    assert (p[0], p[78], p[79], p[-1], len(p)) == ("rbp(p=0.01)", "rbp(p=0.79)", "rbp(0.8)", "rbp(p=0.99)", 99)
    assert stops(newswire, Settings(), "p") == ()
    assert stops(newswire, Settings(position_bias="custom", custom_bias=(1.0,)), "p") == ()
    for slider in SLIDERS:  # stops are made without being checked
        for stop in stops(newswire, Settings(position_bias=RBP, custom_bias=(1.0,)), slider):
            assert replace(stop) == stop
            assert hash(stop) == hash(replace(stop))
    rbp = Settings(position_bias="rbp(p=0.42)")
    for slider, settings, rest in (
        ("alpha", Settings(alpha=0.3), Settings()),
        ("cutoff", Settings(cutoff=77), Settings()),
        ("p", rbp, Settings(position_bias=RBP)),
    ):
        assert {at_rest(newswire, one, slider) for one in stops(newswire, settings, slider)} == {rest}
    between = Settings(alpha=0.505)
    assert at_rest(newswire, between, "alpha") is between


def test_what_follows() -> None:
    for slider, texts in {
        "alpha": {"CWEx(alpha=0.5)@10": True, "CWEx(alpha=0.3)@10": False, "NFaiRR@10": False},
        "cutoff": {"nDCG@10": True, "nDCG@20": False, "AP": False},
        "p": {"CWEx(alpha=0.3)@20": True, "RaB@10": False, "GSR@10": False},
        "bias": {"nDCG@10": False},
    }.items():
        assert {text: follows(parse(text), Settings(), slider) for text in texts} == texts


def test_wrong_choices(newswire: Study) -> None:
    with refused("there is no slider 'tau'\nUse one of alpha, cutoff, bias, p.", UsageError):
        cube(newswire, MAIN, Settings(), "tau")
    with refused("there is no slider 'p' under the position bias 'log2'\nSet position_bias='rbp(p=0.8)'.", UsageError):
        cube(newswire, MAIN, Settings(), "p")
    with pytest.raises(UsageError, match="there is no system 'bm26' to compare with"):
        cube(newswire, MAIN, Settings(), "alpha", how=How(parse_tests("maxT(baseline='bm26')")))
    with pytest.raises(FairvizError, match="GSR@10 has no value for one query: it is a slope over queries"):
        over_cutoffs(newswire, ["GSR"], Settings())


# --- curves over cutoffs


@pytest.mark.parametrize("measure", ["CWEx", "NFaiRR", "TExFAIR", "ARaB"])
def test_the_cutoff_curve_is_the_measure_at_each_cutoff(newswire: Study, measure: str) -> None:
    rankings, settings = align(newswire, Settings()), Settings(cutoff=4)
    curve = over_cutoffs(newswire, [measure], settings, rankings=rankings)
    for k in (1, 4, 10):
        told = summarise(evaluate(newswire, [f"{measure}@{k}"], rankings=rankings)).set_index("system")
        at = curve[curve["cutoff"] == k].set_index("system")
        for column in ("value", "ci_low", "ci_high"):
            np.testing.assert_allclose(at[column], told.loc[at.index, column], atol=1e-12)


def test_the_chance_band_along_the_cutoffs_is_that_of_each_cutoff(newswire: Study) -> None:
    runs = newswire.runs[(newswire.runs["system"] == "rrf") & (newswire.runs["rank"] <= 12)]
    study = replace(newswire, runs=runs.reset_index(drop=True), fingerprint="")
    table = chance_over_cutoffs(study, ["CWEx", "NFaiRR"], Settings(), "rrf").set_index(["measure", "cutoff"])
    for cutoff in (1, 10, 12):
        single = fairviz.chance(study, [f"CWEx@{cutoff}", f"NFaiRR@{cutoff}"], systems=("rrf",))
        for _, row in single.iterrows():
            expected = table.loc[(row["measure"].rpartition("@")[0], cutoff)]
            assert expected.tolist() == pytest.approx(row[["chance", "low", "high"]].tolist(), abs=1e-9)


def deep(labelled: range, depth: int = 150) -> Study:
    """Two lists of 150 documents in opposite order; of the documents d1 to d150 some have a label."""
    names = [f"d{document}" for document in range(1, depth + 1)]
    labels = labels_of({f"d{document}": ("neutral", "male")[document % 2] for document in labelled})
    return make_study("deep", runs=runs_of({"down": names, "up": names[::-1]}), labels=labels)


@pytest.mark.parametrize("cutoff", [7, 93, 150])
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


def test_measures_that_discount_stand_with_and_without_it() -> None:
    asked = ["TED(rbdf=False)@5", "TExFAIR@5", "RBDF@5", "CWEx@5"]
    expected = ["TED(rbdf=False)@5", "TExFAIR@5", "TExFAIR(rbdf=False)@5", "RBDF@5", "CWEx(alpha=0.5)@5"]
    assert with_and_without_rbdf(asked) == expected


# --- where measures name different systems as the best, and how that is said


QUESTIONS = {"cwex": "CWEx@10", "nfairr": "NFaiRR@10", "texfair": "TExFAIR@10", "ted": "TED@10"}
CWEX, NFAIRR, TEXFAIR, TED = map(parse, QUESTIONS.values())
NAN = np.nan


def curves(**lines):
    """Lines by measure: {"CWEx": {"a": values over k = 1, 2, …}}."""
    rows = [
        (system, without_cutoff(parse(QUESTIONS[measure])), cutoff, value)
        for measure, systems in lines.items()
        for system, values in systems.items()
        for cutoff, value in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows, columns=["system", "measure", "cutoff", "value"])


def test_cutoffs_in_words():
    for apart, said in (
        ((), "agree on the best system at every k"),
        (range(1, 11), "disagree at every k"),
        ((10,), "disagree at k = 10"),
        ((2, 3, 6, 7, 8, 9, 10), "disagree at k = 2, 3 and from 6 on"),
        ((2, 3, 4, 6), "disagree at k = 2 to 4 and 6"),
        ((2, 3), "disagree at k = 2 and 3"),
        ((9, 10), "disagree from k = 9 on"),
        ((1, 2, 3, 5, 10), "disagree at k = 1 to 3, 5 and 10"),
    ):
        assert disagreement_text(tuple(apart), tuple(range(1, 11))) == said
    assert disagreement_text((1,), (1,)) == "disagree at k = 1"
    assert disagreement_text((5, 20, 50), (1, 2, 5, 20, 50, 100)) == "disagree at k = 5 to 50"


def test_the_best_go_by_the_direction_and_a_cutoff_without_a_value_says_nothing():
    table = curves(cwex={"perfect": (9, 9), "a": (0.1, 0.2), "b": (0.2, 0.2)}, ted={"a": (0.1, 0.3), "b": (0.2, 0.2)})
    assert best_at(table, CWEX) == {1: {"b"}, 2: {"a", "b"}}
    assert best_at(table, TED) == {1: {"a"}, 2: {"b"}}
    assert disagreeing_cutoffs(table, [CWEX, TED]) == (1,)  # at 2 both name b
    table = curves(cwex={"a": (NAN, 0.2), "b": (NAN, 0.1)}, nfairr={"a": (0.1, 0.1), "b": (0.2, 0.2)})
    assert disagreeing_cutoffs(table, [CWEX, NFAIRR]) == (2,)
    assert disagreeing_cutoffs(table, [CWEX, parse("Exposure(group='female')@10")]) == ()
    assert disagreeing_cutoffs(table, []) == ()


def test_the_sentence_tells_pair_by_pair_and_more_at_once():
    up, down = {"a": (0.1, 0.2, 0.2), "b": (0.2, 0.1, 0.1)}, {"a": (0.1, 0.1, 0.1), "b": (0.2, 0.2, 0.2)}
    table = curves(cwex=up, nfairr=down, texfair=up, ted=up)
    assert disagreement(table, [NFAIRR, TEXFAIR]) == "NFaiRR and TExFAIR disagree from k = 2 on."
    assert disagreement(table, [CWEX, NFAIRR, TEXFAIR]) == (
        "CWEx and NFaiRR disagree from k = 2 on; CWEx and TExFAIR agree on the best system at every k; "
        "NFaiRR and TExFAIR disagree from k = 2 on."
    )
    assert disagreement(table, [CWEX, NFAIRR, TEXFAIR, TED]) == "CWEx, NFaiRR, TExFAIR and TED disagree at every k."
    assert disagreement(table, [CWEX]) == ""
    assert disagreement(table[table["system"] == "a"], [CWEX, NFAIRR]) == ""
    table = curves(cwex={"a": range(9), "b": [3] * 9}, nfairr={"a": [1] * 9, "b": [0] * 9})
    table = table[table["cutoff"].isin([1, 2, 3, 6, 9])]
    said = "CWEx and NFaiRR disagree at k = 1 to 3. Beyond k = 3 not every k is looked at."
    assert disagreement(table, [CWEX, NFAIRR]) == said
