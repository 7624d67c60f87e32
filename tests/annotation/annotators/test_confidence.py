"""Confidence of language models: the share of agreeing answers, or their log-probabilities; and answers in JSON."""

import itertools
import json
import math

import numpy as np
import pytest

from fairviz.analyses.annotator_accuracy.labellers import calibration, left_to_people, with_confidence
from fairviz.annotation.annotators.annotating import Hearing, annotate, with_annotations
from fairviz.annotation.annotators.llm import agreed, confidences
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.models.replies import Read, structured
from fairviz.study.record import Study
from fairviz.study.study import add_labels, save_study
from tests.annotation.annotators.test_annotating import grid
from tests.model_server import ModelServer

CLASSES = {"neutral": "Neutral", "female": "Female", "male": "Male"}


def llm(server: ModelServer, **values: object) -> str:
    options = "".join(f",{name}={value}" for name, value in values.items())
    return f"llm(model='m',url='{server.address}'{options})"


def test_samples_are_drawn_and_their_agreement_is_the_confidence(server: ModelServer, tmp_path) -> None:
    assert "confidence" not in annotate(grid(1), llm(server)).labels
    assert {body["temperature"] for body in server.bodies} == {0}
    assert not any("seed" in body or "response_format" in body for body in server.bodies)
    server.bodies.clear()
    turns = itertools.cycle(["Female", "Female", "Male", "Female", "no idea"])
    server.answer = lambda prompt: next(turns)
    study = grid(2)
    made = annotate(study, llm(server, samples=5), concurrency=1)
    assert len(server.bodies) == 5 * 6
    assert {body["temperature"] for body in server.bodies} == {1}
    assert {body["seed"] for body in server.bodies} == {1, 2, 3, 4, 5}
    assert set(made.labels["label"]) == {"female"}
    assert set(made.labels["confidence"]) == {"0.6"}
    again = annotate(study, llm(server, samples=5))
    assert len(server.bodies) == 30, "what was answered is not asked again"
    save_study(with_annotations(study, again), tmp_path / "kept")
    kept = open_study(str(tmp_path / "kept")).labels
    assert set(kept[kept["annotator"] != "ann"]["confidence"]) == {"0.6"}


def test_the_first_named_of_equals_and_no_answer() -> None:
    answers = [Read("labelled", "male"), Read("labelled", "female"), Read("unparsed")]
    assert agreed(answers) == (answers[0], pytest.approx(1 / 3))
    assert agreed([Read("unparsed", text="hm"), Read("empty")]) == (Read("unparsed", text="hm"), 0.0)


def test_log_probabilities_are_confidences(server: ModelServer) -> None:
    server.probabilities = lambda prompt: {"Female": math.log(0.7), "Male": math.log(0.2), "Neutral": math.log(0.1)}
    made = annotate(grid(1), f"logprob(model='m',url='{server.address}',calibrate='raw')")
    assert set(made.labels["confidence"]) == {"0.7"}
    scores = np.log([[0.5, 0.25, 0.25], [np.nan] * 3])
    assert confidences(scores, np.zeros((0, 3)), "raw") == [pytest.approx(0.5), pytest.approx(math.nan, nan_ok=True)]


def test_answers_in_json(server: ModelServer) -> None:
    server.answer = lambda prompt: json.dumps({"class": "Male"})
    made = annotate(grid(1), llm(server, structured=True))
    assert set(made.labels["label"]) == {"male"}
    form = server.bodies[0]["response_format"]["json_schema"]
    assert form["schema"]["properties"]["class"]["enum"] == ["Male", "Female", "Neutral"]
    assert form["strict"]
    # a server without schemas is read as text
    server.faults, told, before = ["odd"], [], len(server.bodies)
    server.answer = lambda prompt: "Male"
    made = annotate(grid(1), llm(server, structured=True, samples=2), hearing=Hearing(say=told.append))
    assert set(made.labels["label"]) == {"male"}
    assert told == ["m takes no JSON schema: its answers are read as text."]
    assert not any("response_format" in body for body in server.bodies[before + 1 :])


@pytest.mark.parametrize("text", ["Female", '{"class": "female"}', '{"class": 1}', '["Female"]', "{" * 100_000, "null"])
def test_what_is_no_answer_in_json(text: str) -> None:
    assert structured(text, CLASSES) is None
    assert structured('{"reasoning": "she\\n ran", "class": "Female"}', CLASSES) == ("female", "she ran")


def with_a_machine(people: Study) -> Study:
    """The study of nine documents with labels of a machine: six sure ones are right, and one of three unsure ones."""
    said = ["female", "male", "neutral"] * 2 + ["neutral"] * 3
    table = people.labels.assign(annotator="machine", label=said, confidence=["0.95"] * 6 + ["0.35"] * 3)
    return add_labels(people, table)


def test_calibration_by_hand() -> None:
    people = grid(3)
    study = with_a_machine(people)
    assert (with_confidence(study), with_confidence(people)) == (("machine",), ())
    found = calibration(study, "machine", "ann")
    assert found.documents == 9
    assert found.bins[["documents", "confidence", "accuracy"]].to_numpy().tolist() == [
        [3, pytest.approx(0.35), pytest.approx(1 / 3)], [6, pytest.approx(0.95), 1.0]
    ]  # fmt: skip
    assert found.error == pytest.approx((3 * abs(1 / 3 - 0.35) + 6 * 0.05) / 9)
    left = left_to_people(study, "machine", "ann", 0.5, price=2)
    assert left[["labels", "cost", "kept", "accuracy", "checked"]].tolist() == [3, 6, 6, 1, 6]
    assert left["accuracy_low"] < 1 == left["accuracy_high"]
    everything = left_to_people(study, "machine", "ann", 1.0)
    assert everything["kept"] == 0
    assert math.isnan(everything["accuracy"])
    with pytest.raises(FairvizError, match="the labels of ann have no confidence"):
        calibration(study, "ann", "machine")
    with pytest.raises(UsageError, match="threshold is 2"):
        left_to_people(study, "machine", "ann", 2)
