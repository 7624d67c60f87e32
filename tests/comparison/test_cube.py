"""The answers at every stop of a slider are those of `evaluate`, `summarise` and `comparison` at that stop."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from benchmarks.synthetic import made_up
from fairviz.comparison.compare import Comparison, comparison
from fairviz.comparison.cube import Cube, cube
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
from tests.made import labels_of, runs_of

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
    qrels = [(f"q{query:02d}", f"d{rng.integers(30)}", 1) for query in range(18)]
    return make_study(
        "sparse",
        runs=runs_of(lists),
        labels=labels_of(labels),
        documents=pd.DataFrame(documents, columns=["doc_id", "text"]),
        qrels=pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]).drop_duplicates(["query_id", "doc_id"]),
    )


STUDIES = {
    "sparse": (sparse, MORE, Settings()),
    "sparse and strict": (sparse, MORE, Settings(cutoff=3, unlabelled="strict")),
    "ties, other words": (lambda: study_of(1), (*MORE, "GSR"), Settings(cutoff=2, tokenizer="whitespace")),
    "one system": ("newswire", MAIN, Settings(systems=("bm25",))),
    "few systems": (
        "newswire",
        ("CWEx", "nDCG"),
        Settings(systems=("w2v_si", "random", "bm25", "tfidf"), alpha=0.505),
    ),
    "some queries": (lambda: made_up(3, 12, 130, documents=900), MAIN, Settings(cutoff=33)),
    "one query": ("football", MAIN, Settings()),
}


AT_ONCE = {  # the others are lengthy
    "sparse": SLIDERS, "sparse and strict": ("cutoff",), "ties, other words": ("cutoff", "bias"), "one system": ("p",),
    "few systems": ("alpha",), "some queries": ("cutoff",), "one query": ("bias",),
}  # fmt: skip


def texts_of(made: Cube, stop: int) -> tuple[str, ...]:
    return tuple(question.text for question in made.questions[stop])


def slow(study: Study, made: Cube, stop: int, how: How) -> tuple[pd.DataFrame, Comparison]:
    scores = evaluate(study, texts_of(made, stop), made.stops[stop])
    return summarise(scores), comparison(
        scores, tests=how.tests.text, draws=how.draws, ticked=how.ticked, outside=how.outside
    )


def assert_same(study: Study, made: Cube, stop: int, how: How = FEW) -> None:
    summary, compared = slow(study, made, stop, how)
    pd.testing.assert_frame_equal(made.summary(stop), summary, rtol=1e-12, atol=1e-12)
    found = made.comparison(stop)
    pd.testing.assert_frame_equal(found.table, compared.table, rtol=1e-12, atol=1e-12)
    assert (found.family, found.how) == (compared.family, compared.how)


def some(made: Cube) -> Sequence[int]:
    """Every position bias, and of a longer scale its ends, the present stop and one between."""
    step = 1 if made.slider == "bias" else 1 + len(made.stops) // 2
    return sorted({*range(0, len(made.stops), step), made.present, len(made.stops) - 1})


@pytest.mark.parametrize(
    ("name", "slider"),
    [pytest.param(name, slider, marks=[] if slider in AT_ONCE[name] else pytest.mark.lengthy)
     for name in STUDIES for slider in SLIDERS],
)  # fmt: skip
def test_each_stop_is_what_it_is_alone(name: str, slider: str, request: pytest.FixtureRequest) -> None:
    make, measures, settings = STUDIES[name]
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
            assert stop.changed() == stop
            assert hash(stop) == hash(stop.changed())
    rbp = Settings(position_bias="rbp(p=0.42)")
    for slider, settings, rest in (
        ("alpha", Settings(alpha=0.3), Settings()),
        ("cutoff", Settings(cutoff=77), Settings()),
        ("p", rbp, Settings(position_bias=RBP)),
    ):
        assert {at_rest(newswire, one, slider) for one in stops(newswire, settings, slider)} == {rest}
    between = Settings(alpha=0.505)
    assert at_rest(newswire, between, "alpha") is between


@pytest.mark.parametrize(
    ("text", "slider", "expected"),
    [
        ("CWEx(alpha=0.5)@10", "alpha", True), ("CWEx(alpha=0.3)@10", "alpha", False), ("NFaiRR@10", "alpha", False),
        ("nDCG@10", "cutoff", True), ("nDCG@20", "cutoff", False), ("AP", "cutoff", False),
        ("CWEx(alpha=0.3)@20", "p", True), ("RaB@10", "p", False), ("nDCG@10", "bias", False), ("GSR@10", "p", False),
    ],
)  # fmt: skip
def test_what_follows(text: str, slider: str, expected: bool) -> None:
    assert follows(parse(text), Settings(), slider) is expected


def test_wrong_choices(newswire: Study) -> None:
    with refused("there is no slider 'tau'\nUse one of alpha, cutoff, bias, p.", UsageError):
        cube(newswire, MAIN, Settings(), "tau")
    with refused("there is no slider 'p' under the position bias 'log2'\nSet position_bias='rbp(p=0.8)'.", UsageError):
        cube(newswire, MAIN, Settings(), "p")
    with pytest.raises(UsageError, match="there is no system 'bm26' to compare with"):
        cube(newswire, MAIN, Settings(), "alpha", how=How(parse_tests("maxT(baseline='bm26')")))
