"""Rankers with debiased vectors: the parameter, the name of the system, and the cosine by hand."""

from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.rankers.word_vectors import words
from fairviz.words.genderedness import debias
from fairviz.words.vectors import load_embedding
from tests.rankers.test_ranking import lists, scores, study_of

PAIRS = "she 3 4 0\nhe -3 4 0\nwoman 4 0 3\nman -4 0 3\nher 1 0 0\nhis -1 0 0\n"
VECTORS = f"11 3\n{PAIRS}nurse 2 1 0\nsoldier -2 0 1\nrain 0 1 1\nsister 1 1 0\nwar -1 0 2\n"


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """The gender direction is the first number."""
    path = tmp_path / "tiny.vec"
    path.write_text(VECTORS)
    return path


def cosine(first: list[float], second: list[float]) -> float:
    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_cosines_by_hand(vectors):
    """Query nurse (2, 1, 0). Neutral words lose the first number: nurse (0, 1, 0), soldier (0, 0, 1)."""
    texts = ["soldier", "rain", "sister"]
    half = np.sqrt(0.5)
    expected = {
        "none": [cosine([2, 1, 0], [-2, 0, 1]), cosine([2, 1, 0], [0, 1, 1]), cosine([2, 1, 0], [1, 1, 0])],
        "regular": [0, half, half],  # a sister keeps her gender
        "strong": [0, half, 1],
    }
    for kind, values in expected.items():
        np.testing.assert_allclose(
            scores(f"w2v_add(embedding='{vectors}',debias={kind})", "nurse", texts), values, atol=1e-6
        )


def test_names_say_so(vectors):
    study = study_of(["nurse"], ["soldier war", "rain", "sister her"])
    wanted = "w2v_add,w2v_add(debias=regular),w2v_add(debias=strong),w2v_si(debias=regular)"
    ranked = rank(study, parse_rankers(wanted, str(vectors)))
    assert list(ranked.runs["system"].cat.categories) == [
        "w2v_add-embedding=tiny.vec",
        "w2v_add-embedding=tiny.vec-debias=regular",
        "w2v_add-embedding=tiny.vec-debias=strong",
        "w2v_si-embedding=tiny.vec-debias=regular",
    ]
    assert ranked.messages[1] == ("w2v_add: tiny.vec (regular debiasing) has a vector for 5 of the 5 different words.")
    assert lists(ranked.runs, "w2v_add-embedding=tiny.vec-debias=strong") == {"q0": ["d2", "d1", "d0"]}
    assert lists(ranked.runs, "w2v_add-embedding=tiny.vec-debias=regular") == {"q0": ["d1", "d2", "d0"]}
    assert [choice.system for choice in parse_rankers("w2v_si(debias=none)")] == ["w2v_si"]


def test_every_ranker_of_word_vectors_takes_it():
    takers = [name for name, ranker in RANKERS.items() if "embedding" in {p.name for p in ranker.parameters}]
    assert takers == ["w2v_add", "w2v_si", "fasttext_add"]
    assert all("debias" in {p.name for p in RANKERS[name].parameters} for name in takers)


def test_w2v_si_weighs_debiased_vectors():
    """The mean of the debiased vectors, each times its self-information, by a loop."""
    texts = ["The nurse and the soldier", "the soldier went to war", "rain on the nurse"]
    embedding = debias(load_embedding("glove"), "regular")
    split = [[word.lower() for word in words(text)] for text in texts]
    total = sum(map(len, split))
    held = {word: sum(text.count(word) for text in split) for text in split for word in text}

    def mean(text: list[str]) -> np.ndarray:
        return sum(-np.log(held[word] / total) * embedding.lookup([word])[0][0].astype(float) for word in text)

    expected = [cosine(mean(["nurse"]), mean(text)) for text in split]
    np.testing.assert_allclose(scores("w2v_si(debias=regular)", "nurse", texts), expected, atol=1e-6)


def test_what_it_cannot_do(vectors, tmp_path):
    with pytest.raises(UsageError) as caught:
        rank(study_of(["a"], ["b"]), parse_rankers("w2v_add(debias=soft)", str(vectors)))
    assert str(caught.value) == "there is no debiasing 'soft'\nUse one of none, regular, strong."
    bare = tmp_path / "bare.vec"
    bare.write_text("2 2\nshe 1 0\nhe 0 1\n")
    with pytest.raises(FairvizError) as caught:
        rank(study_of(["she"], ["he"]), parse_rankers("w2v_add(debias=strong)", str(bare)))
    assert caught.value.message.startswith(
        "the gender direction needs 3 pairs of words, and bare.vec has vectors for 1 of 10 (it lacks her-his, "
    )
