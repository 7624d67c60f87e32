"""Directions of gender in sentence vectors, and bi_encoder with and without them."""

from dataclasses import replace

import numpy as np
import pytest

import fairviz.rankers.encoders as encoders
from fairviz.errors import FairvizError, UsageError
from fairviz.rankers import parse_rankers
from fairviz.rankers.encoders import counterparts_of_texts, directions_of, without
from fairviz.rankers.ranking import Ranked, rank
from tests.rankers.test_ranking import study_of

TEXTS = ["a woman and a town", "a man and a town", "the town", "his garden"]


def told_vectors(texts: list[str], *_: object) -> np.ndarray:
    """By hand: gender along the first axis, gardens along the second, towns along the third."""
    rows = [
        (sum(word in ("woman", "her") for word in text.split()) - sum(word in ("man", "his") for word in text.split()),
         2.0 * ("garden" in text), 2.0 * ("town" in text))
        for text in texts
    ]  # fmt: skip
    vectors = np.array(rows, dtype=np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def scores(asked: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, float], tuple[str, ...]]:
    monkeypatch.setattr(encoders, "sentence_vectors", told_vectors)
    made = rank(study_of(["her town"], TEXTS), parse_rankers(asked))
    return dict(zip(made.runs["doc_id"], made.runs["score"].round(4), strict=True)), made.messages


def test_what_is_projected_out_counts_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, _ = scores("bi_encoder", monkeypatch)
    assert plain == {"d0": 1.0, "d1": 0.6, "d2": 0.8944, "d3": -0.2}  # (1·1 + 2·2) / 5, (-1 + 4) / 5, 4 / √20, -1 / 5
    projected, said = scores("bi_encoder(project=1)", monkeypatch)
    assert projected == {"d0": 1.0, "d1": 1.0, "d2": 1.0, "d3": 0.0}
    assert said == (
        "bi_encoder: 1 directions of gender from 3 documents in both wordings hold 100% of what these differ by; the "
        "share 0 of them is kept.",
    )
    half, _ = scores("bi_encoder(project=1,keep=0.5)", monkeypatch)
    assert half["d1"] == pytest.approx((-0.25 + 4) / (0.25 + 4), abs=1e-4)  # half of the first axis is left: ±0.5
    whole, _ = scores("bi_encoder(project=1,keep=1)", monkeypatch)
    assert whole == plain


def test_directions_are_estimated_from_the_texts_given_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of training queries: the collection's own change nothing, and where the texts given hold no gender word
    nothing can be taken out."""
    whole, _ = scores("bi_encoder(project=1)", monkeypatch)
    (choice,) = parse_rankers("bi_encoder(project=1)")
    study = study_of(["her town"], TEXTS)

    def learnt(texts: list[str]) -> Ranked:
        return rank(study, [replace(choice, ranker=encoders.learning_from(texts))])

    runs = learnt(TEXTS).runs
    assert dict(zip(runs["doc_id"], runs["score"].round(4), strict=True)) == whole
    assert "from 1 documents in both wordings" in learnt(TEXTS[:1]).messages[0]
    with pytest.raises(FairvizError, match=r"Use project=0: its texts contain no gender word\.$"):
        learnt(["town"])


def test_keep_alone_does_nothing_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, said = scores("bi_encoder(keep=0.5)", monkeypatch)
    assert kept == scores("bi_encoder", monkeypatch)[0]
    assert said == ("bi_encoder: keep=0.5 does nothing without project.",)


def test_more_directions_than_the_pairs_have(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FairvizError) as caught:
        scores("bi_encoder(project=2)", monkeypatch)
    assert str(caught.value) == (
        "made has 3 documents that differ from their wording for the other gender, along 1 directions: 2 cannot be "
        "taken out\nUse project=1 or less."
    )
    monkeypatch.setattr(encoders, "sentence_vectors", told_vectors)
    with pytest.raises(FairvizError, match=r"Use project=0: its texts contain no gender word\.$"):
        rank(study_of(["town"], ["the town"]), parse_rankers("bi_encoder(project=1)"))


@pytest.mark.parametrize("asked", ["project=1.5", "project=101", "keep=1.1", "keep=-1"])
def test_parameters_out_of_range(asked: str) -> None:
    with pytest.raises(UsageError, match=f"^bi_encoder cannot take {asked}\n"):
        parse_rankers(f"bi_encoder({asked})")


def test_neither_labels_nor_judgements_make_the_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that they are made of is texts."""
    assert sorted(counterparts_of_texts(TEXTS)) == [
        ("a man and a town", "a woman and a town"),
        ("a woman and a town", "a man and a town"),
        ("his garden", "her garden"),
    ]


def test_directions_are_the_principal_ones() -> None:
    generator = np.random.default_rng(0)
    differences = generator.normal(size=(40, 6)) * np.array([5, 3, 1, 0.1, 0.1, 0.1])
    found = directions_of(differences, 2, "x")
    turned = directions_of(differences * generator.choice([-1, 1], size=(40, 1)), 2, "x")
    np.testing.assert_allclose(np.abs(found.vectors @ turned.vectors.T), np.eye(2), atol=1e-5)  # signs do not count
    values, vectors = np.linalg.eigh(differences.T @ differences)
    np.testing.assert_allclose(np.abs(found.vectors @ vectors[:, :-3:-1]), np.eye(2), atol=1e-5)
    assert found.share == pytest.approx(values[-2:].sum() / values.sum())
    rest = without(differences, found.vectors, 0.0)
    np.testing.assert_allclose(rest @ found.vectors.T, 0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(rest, axis=1), 1)
    assert without(np.zeros((1, 6)), found.vectors, 0.0).tolist() == [[0.0] * 6]
