"""The measures that the Inspect page offers are those of labels in the registry."""

from dataclasses import replace

import pandas as pd
import pytest

from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.read.effects import measures


@pytest.fixture(name="study")
def _study() -> Study:
    runs = pd.DataFrame([("s", "q", "d", 1, 1.0)], columns=["system", "query_id", "doc_id", "rank", "score"])
    labels = pd.DataFrame([("d", "a", "women's")], columns=["doc_id", "annotator", "label"])
    return make_study("s", runs=runs, labels=labels, groups=("women's", "men's"))


def test_every_measure_of_labels_is_offered_and_can_be_asked(study: Study) -> None:
    offered = measures(study)
    assert {ask(text, Settings()).name for text in offered} == {
        name for name, record in MEASURES.items() if record.of_exposures
    }
    assert len(evaluate(study, offered)) == len(offered)


def test_cwex_comes_first_and_the_groups_last(study: Study) -> None:
    offered = measures(study)
    assert offered[:5] == ("CWEx", "ExposureGap", "AbsExposureGap", "AWRF", "GroupExposureRatio")
    assert [ask(text, Settings()).parameters["group"] for text in offered[-3:]] == ["neutral", "women's", "men's"]


def test_a_new_measure_of_labels_is_offered(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES._records, "New", replace(MEASURES["AbsExposureGap"], name="New"))
    monkeypatch.setitem(MEASURES._records, "NewGroup", replace(MEASURES["Exposure"], name="NewGroup"))
    assert "New" in measures(study)
    assert "NewGroup(group='neutral')" in measures(study)
