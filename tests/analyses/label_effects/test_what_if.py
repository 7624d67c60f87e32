"""What if: against evaluate on a study whose labels are others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.label_effects import what_if
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.settings import Settings
from tests.analyses.label_effects.cases import MEASURES, choices, relabelled, same, slow_means, studies, study_of


@pytest.mark.slow
@given(studies(), choices(), st.sampled_from(MEASURES), st.data())
@examples(max_examples=120, deadline=None)
def test_as_a_study_of_other_labels(study, settings, measure, data):
    names = sorted(set(study.runs["doc_id"].astype("str")))
    label = st.sampled_from(["neutral", *study.groups])
    changes = data.draw(st.dictionaries(st.sampled_from(names), label, min_size=1, max_size=3))
    found = what_if(study, settings, measure, changes)
    before, after = slow_means(study, settings, measure), slow_means(relabelled(study, changes), settings, measure)
    for row in found.itertuples():
        assert same(row.before, before[row.system])
        assert same(row.after, after[row.system])
        assert same(row.difference, after[row.system] - before[row.system])


def test_by_hand():
    # Weights 1 and 1/2. one: female, male: shares 2/3 and 1/3. two: male, female. CWEx = 0 - 1/2 · 1/3 = -1/6 for both.
    # With f neutral, one has neutral 2/3 and a gap of 1/3: 1/3 - 1/6 = 1/6; two has 1/3 and 2/3: 1/6 - 1/3 = -1/6.
    study = study_of({("one", "q"): ["f", "m"], ("two", "q"): ["m", "f"]}, [("f", "a", "female"), ("m", "a", "male")])
    found = what_if(study, Settings(cutoff=2, position_bias="reciprocal"), "CWEx", {"f": "neutral"})
    assert found["system"].tolist() == ["one", "two"]
    np.testing.assert_allclose(found["before"], [-1 / 6, -1 / 6])
    np.testing.assert_allclose(found["after"], [1 / 6, -1 / 6])
    np.testing.assert_allclose(found["difference"], [1 / 3, 0], atol=1e-15)
    assert found["rank_before"].tolist() == [1, 1]
    assert found["rank_after"].tolist() == [1, 2]


def test_rank_one_is_fairest_whatever_the_direction():
    lists = {("one", "q"): ["f"], ("two", "q"): ["n"], ("three", "q"): ["m"]}
    study = study_of(lists, [("f", "a", "female"), ("n", "a", "neutral"), ("m", "a", "male")])
    found = what_if(study, Settings(), "ExposureGap", {"n": "male"})  # gaps -1, 0, 1: nearest 0 is fairest
    assert dict(zip(found["system"], found["rank_before"], strict=True)) == {"one": 2, "two": 1, "three": 2}
    assert found["rank_after"].tolist() == [1, 1, 1]
    described = what_if(study, Settings(), "Exposure(group='male')", {"n": "male"})
    ranks = dict(zip(described["system"], described["rank_before"], strict=True))
    assert ranks == {"one": 2, "two": 2, "three": 1}, "a measure that only describes ranks the highest first"


def test_places_are_used_and_a_relabelled_document_beyond_the_cutoff_does_nothing():
    study = study_of({("one", "q"): ["f", "m"]}, [("f", "a", "female"), ("m", "a", "male")])
    settings = Settings(cutoff=1)
    places = align(study, settings)
    assert what_if(study, settings, "CWEx", {"m": "neutral"}, places=places)["difference"].tolist() == [0]


def test_systems_and_queries_that_the_settings_choose():
    study = fairviz.open_study("newswire")
    settings = Settings(systems=("tfidf", "bm25"), filter_column="sensitive", filter_values=("yes",))
    if "sensitive" not in study.queries:
        settings = Settings(systems=("tfidf", "bm25"))
    found = what_if(study, settings, "CWEx", {})
    slow = slow_means(study, settings, "CWEx")
    assert found["system"].tolist() == ["tfidf", "bm25"]
    np.testing.assert_allclose(found["before"], [slow["tfidf"], slow["bm25"]])
    pd.testing.assert_series_equal(found["before"], found["after"], check_names=False)


def test_errors():
    study = study_of({("one", "q"): ["f"]}, [("f", "a", "female")])
    with pytest.raises(FairvizError) as caught:
        what_if(study, Settings(), "CWEx", {"f": "woman"})
    assert str(caught.value) == "'woman' is not a label of this study\nUse one of neutral, female, male."
    with pytest.raises(FairvizError) as caught:
        what_if(study, Settings(), "CWEx", {"g": "female"})
    assert str(caught.value) == "the study 'made-up' has no document 'g'\nCheck the id."
    with pytest.raises(UsageError) as caught:
        what_if(study, Settings(), "nDCG", {"f": "male"})
    assert str(caught.value) == (
        "nDCG@10 is not a measure of labels\n"
        "Use one of CWEx, Exposure, ExposureGap, AbsExposureGap, AWRF, GFR, GroupExposureRatio."
    )
    bare = study_of({("one", "q"): ["f"]}, [])
    with pytest.raises(FairvizError, match="it has no gender labels"):
        what_if(bare, Settings(), "CWEx", {})
