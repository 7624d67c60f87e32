"""Gender groups crossed with a column of the documents."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import Resolved, align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import exposures
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import crossing_columns, grouping_of
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, qrels_of, runs_of

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


def value(study: Study, measure: str, **choices: object) -> float:
    return fairviz.evaluate(study, measure, cutoff=5, position_bias="uniform", crossed_with="topic", **choices)[
        "value"
    ].item()


def test_measures_by_hand() -> None:
    """Five places of equal attention: each document has 1/5."""
    study = study_of()
    shares = {"neutral": 0.2, "female, arts": 0.2, "female, sport": 0.2, "male, arts": 0.2, "male, sport": 0.2}
    table = exposures(study, Settings(cutoff=5, position_bias="uniform", crossed_with="topic"))
    assert table.drop(columns="system").iloc[0].to_dict() == pytest.approx(shares)
    assert value(study, "Exposure(group='female, sport')") == pytest.approx(0.2)
    # d1 and d2 alone, both of arts: shares 1/2, 0, 1/2, 0 against targets of 1/4; CWEx 0.5 * 0 - 0.5 * (1/2 - 0)
    study = study_of(order=["d1", "d2"])
    assert value(study, "AWRF") == pytest.approx(4 * 0.25)
    assert value(study, "CWEx(alpha=0.5)") == pytest.approx(-0.25)
    assert value(study, "GroupExposureRatio(protected='female, arts')") == pytest.approx(1.0)
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
