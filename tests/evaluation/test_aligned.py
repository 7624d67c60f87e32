"""Arrays know whose they are: they answer for the study and the settings that made them, and refuse the rest."""

import pandas as pd
import pytest

from fairviz.analyses.gsr_validity.direct import direct_stereotypes, reliability
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects, what_if
from fairviz.analyses.label_effects.replacing import label_noise
from fairviz.analyses.reading.occurrences import exposure
from fairviz.comparison.curves import over_cutoffs
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.scores import evaluate, exposures, over_alpha
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of

REMEDY = (
    "\nMake them with align(study, settings), with collection=True for the background collection, or leave them out."
)


def study_of(name: str, first: str, second: str, **parts: object) -> Study:
    """Two systems that answer one query, one of them with `first` and `second` the other way about."""
    labels = labels_of({"f": "female", "m": "male"}), labels_of({"f": "neutral", "m": "male"}, "bob")
    texts = {"f": "she", "m": "he, his", "n": "a tree", "unseen": "her hat"}
    return make_study(
        name,
        runs=runs_of({"a": (first, second), "perfect": "m n"}),
        qrels=qrels_of({"q": "f"}),
        queries=pd.DataFrame({"query_id": ["q"], "text": ["nurse"]}),
        labels=pd.concat(labels),
        documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}),
        **parts,
    )


ONE, TWO = study_of("one", "f", "m"), study_of("two", "m", "f")
MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "ARaB", "RR", "nDCG@2")


@pytest.mark.parametrize(
    "ask",
    [
        lambda study, settings, rankings: evaluate(study, ["CWEx"], settings, rankings=rankings),
        lambda study, settings, rankings: over_alpha(study, settings, rankings=rankings),
        lambda study, settings, rankings: over_cutoffs(study, ["CWEx"], settings, rankings=rankings),
        lambda study, settings, rankings: exposures(study, settings, rankings=rankings),
        lambda study, settings, rankings: gsr_points(study, settings, rankings=rankings),
        lambda study, settings, rankings: what_if(study, settings, "CWEx", {"f": "male"}, rankings=rankings),
        lambda study, settings, rankings: label_effects(study, settings, "CWEx", "a", "perfect", rankings=rankings),
        lambda study, settings, rankings: label_noise(study, settings, "CWEx", 2, rankings=rankings),
        lambda study, settings, rankings: label_bounds(study, settings, "CWEx", rankings=rankings),
        lambda study, settings, rankings: exposure(study, settings, rankings, pd.Index(["f"])),
        lambda study, settings, rankings: direct_stereotypes(study, settings, rankings=rankings),
        lambda study, settings, rankings: reliability(study, settings, None, None, rankings=rankings),
    ],
)
def test_whoever_takes_rankings_refuses_those_of_others(ask) -> None:
    for study, made_with in ((TWO, Settings()), (ONE, Settings(unlabelled="strict"))):
        with pytest.raises(FairvizError, match="the rankings given for"):
            ask(study, Settings(), align(ONE, made_with))


def test_another_study_or_choice_is_refused_by_name() -> None:
    rankings = align(ONE, Settings())
    with refused("the rankings given for 'two' were made for another study" + REMEDY):
        evaluate(TWO, ["RR"], rankings=rankings)
    for field, value in {
        "ties": "trec_eval",
        "annotator, voters": "bob",
        "lexicon": "female:her;male:he",
        "tokenizer": "whitespace",
        "unlabelled": "neutral",
    }.items():
        with refused(f"the rankings given for 'one' were made for another choice of {field}" + REMEDY):
            evaluate(ONE, ["TExFAIR"], rankings=rankings, **{field.partition(",")[0]: value})


def test_the_collection_is_not_guessed_from_what_was_retrieved() -> None:
    with refused("the rankings given for 'one' were made for another choice of background" + REMEDY):
        evaluate(ONE, ["NFaiRR(background='collection')"], rankings=align(ONE, Settings()))
    whole = align(ONE, Settings(), collection=True)
    for background in ("collection", "candidates"):
        asked = [f"NFaiRR(tau=0,background={background!r})@1"]
        pd.testing.assert_frame_equal(evaluate(ONE, asked, rankings=whole), evaluate(ONE, asked))


@pytest.mark.parametrize(
    "choices",
    [
        {"cutoff": 1},
        {"alpha": 0.9},
        {"tau": 0},
        {"position_bias": "reciprocal"},
        {"position_bias": "custom", "custom_bias": (0.1, 0.7)},
        {"background": "run:perfect"},
        {"systems": ("perfect",)},
        {"effectiveness": "P", "annotator": "majority", "lexicon": "gsr"},  # the same annotator and words by name
    ],
)
def test_what_the_arrays_do_not_rest_on_may_change(choices: dict) -> None:
    rankings = align(ONE, Settings())
    evaluate(ONE, MEASURES, rankings=rankings)
    warm = evaluate(ONE, MEASURES, rankings=rankings, **choices)
    pd.testing.assert_frame_equal(warm, evaluate(ONE, MEASURES, **choices))


def test_equal_content_is_the_same_study() -> None:
    again = study_of("again", "f", "m")
    assert again.fingerprint == ONE.fingerprint
    pd.testing.assert_frame_equal(evaluate(again, MEASURES, rankings=align(ONE, Settings())), evaluate(ONE, MEASURES))
    parts = {"runs": ONE.runs, "labels": ONE.labels}
    bare, other = Study("bare", **parts), Study("other", **parts)  # without a fingerprint each is known by itself
    rankings = align(bare, Settings())
    assert len(evaluate(bare, ["CWEx"], rankings=rankings)) == 2
    with pytest.raises(FairvizError, match="'other' were made for another study"):
        evaluate(other, ["CWEx"], rankings=rankings)
