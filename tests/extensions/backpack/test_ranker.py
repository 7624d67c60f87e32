"""The ranker on the shipped model. What reads text loads MiniLM, which takes seconds."""

import numpy as np
import pytest

import fairviz.extensions.backpack.encoding as encoding
from fairviz.analyses.mitigations.mitigation import read_mitigations
from fairviz.errors import UsageError
from fairviz.extensions.backpack.encoding import sense_vectors
from fairviz.extensions.backpack.loading import loaded
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.words.vectors import unit
from tests.conftest import refused
from tests.rankers.test_ranking import lists, study_of

TEXTS = [
    "A physician treats the sick.",
    "The match ended in a draw.",
    "",
    "\u200d",
    None,
    "She is a doctor. " + "word " * 50_000,
]


@pytest.mark.slow
def test_it_ranks_by_meaning_and_encodes_nothing_twice(monkeypatch):
    study = study_of(["doctor", "football game", "", "\u200d"], TEXTS)
    ranked = rank(study, parse_rankers("backpack,backpack(weight=0),backpack(policy='1 1 1 1 1 1 1 1')"))
    found = lists(ranked.runs, "backpack")
    assert list(found) == ["q0", "q1"]
    assert found["q0"][0] == "d0"
    assert found["q1"][0] == "d1"
    assert set(found["q0"]) == {"d0", "d1", "d5"}  # neither the empty text nor that of no token
    assert "backpack: 2 of 4 queries are empty or have no word in the model's vocabulary; their lists are empty." in (
        ranked.messages
    )

    cut = "Texts here are longer than 254 WordPieces: backpack reads their beginning, as MiniLM does."
    assert ranked.messages.count(cut) == 1  # not once a weight

    model = loaded()
    texts = ["doctor", TEXTS[0], TEXTS[1], TEXTS[5]]

    def no_load() -> None:
        raise AssertionError("a model was loaded for what is on the disk")

    monkeypatch.setattr(encoding, "reader", no_load)
    senses = sense_vectors(texts, model, lambda *_: None)
    vectors = unit(senses.sum(axis=1))  # the model without any weights
    first = ranked.runs[(ranked.runs["query_id"] == "q0") & (ranked.runs["system"] == "backpack")]
    expected = {f"d{n}": vectors[place] @ vectors[0] for n, place in ((0, 1), (1, 2), (5, 3))}
    scores = dict(zip(first["doc_id"], first["score"], strict=True))
    assert {name: np.float32(score) for name, score in scores.items()} == {
        name: pytest.approx(score, abs=1e-6) for name, score in expected.items()
    }
    for system, is_same in (("backpack-policy=1_1_1_1_1_1_1_1", True), ("backpack-weight=0", False)):
        other = ranked.runs[(ranked.runs["query_id"] == "q0") & (ranked.runs["system"] == system)]
        assert (dict(zip(other["doc_id"], other["score"], strict=True)) == scores) == is_same


def test_what_the_model_cannot_do_is_said_before_anything_is_read():
    for ranker, message in {
        "weight=2.5": "backpack cannot take weight=2.5\nUse a number from 0 to 2.",
        "senses=9": "9 senses cannot get the weight\nUse a whole number from 1 to 8.",
        "policy='1 1 0.5'": "3 weights are written for 8 senses\nWrite a weight for each sense, in their order.",
        "policy='1 1 1 3 1 1 1 1'": "the weight of sense 4 is 3\nUse a number from 0 to 2.",
        "policy=men": "there is no policy 'men'\n"
        "Use sensitive, placebo, graded, or 8 weights, one a sense: 1 1 1 1 1 1 1 0.5.",
        "weight=0,senses=8": "every sense has the weight 0, so that no text has a vector\n"
        "Leave a sense at a weight above 0.",
        "policy='1 1 1 1 1 1 1 0',weight=0.5": "backpack: a policy of weights that are written out takes no weight\n"
        "Leave weight out.",
        "policy=graded,weight=0.5,senses=3": "backpack: the policy graded takes no number of senses\nLeave senses out.",
    }.items():
        with refused(message, UsageError):
            rank(study_of(["doctor"], ["A physician."]), parse_rankers(f"backpack({ranker})"))


def test_it_mitigates_against_itself_without_the_weight():
    text = "backpack(weight=0),backpack(weight=0,senses=3),backpack(policy='1 1 1 1 1 1 1 0.5')"
    found = read_mitigations(study_of(["doctor"], TEXTS), text)
    assert [(one.system, one.base, one.base_choice and one.base_choice.system) for one in found] == [
        ("backpack-weight=0", "backpack", "backpack"),
        ("backpack-weight=0-senses=3", "backpack", "backpack"),
        ("backpack-policy=1_1_1_1_1_1_1_0.5", "backpack", "backpack"),
    ]
