"""Debiasing: by hand on three dimensions, against formulas written word by word, and on real vectors."""

from pathlib import Path

import gensim.test
import numpy as np
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.words.genderedness import EQUALISED, GENDER_SPECIFIC, PAIRS, debias, gender_direction
from fairviz.words.vectors import Embedding, load_embedding

FASTTEXT = Path(gensim.test.__path__[0], "test_data", "lee_fasttext_new.bin")


def unit(*numbers: float) -> np.ndarray:
    vector = np.array(numbers, dtype=float)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def embedding() -> Embedding:
    """The gender direction is the first axis: the three pairs differ along it, about midpoints on the others."""
    words = {
        "she": (0.6, 0.8, 0), "he": (-0.6, 0.8, 0), "woman": (0.8, 0, 0.6), "man": (-0.8, 0, 0.6),
        "her": (1, 0, 0), "his": (-1, 0, 0),
        "nurse": unit(2, 1, 2), "driver": (0, 0, 1), "pure": (1, 0, 0),
        "niece": unit(3, 4, 0), "nephew": unit(0, 4, 3), "SISTER": (0.6, 0, 0.8), "queen": unit(1, 1, 1),
        "Aunt": (-0.6, 0.8, 0), "Uncle": (0.8, 0.6, 0),
    }  # fmt: skip
    rows = {word: place for place, word in enumerate(words)}
    return Embedding("tiny", rows, np.array([*words.values()], dtype=np.float32))


def vector(embedding: Embedding, word: str) -> np.ndarray:
    return embedding.vectors[embedding.rows[word]]


def test_the_direction_of_the_example(embedding):
    np.testing.assert_allclose(gender_direction(embedding).vector, [1, 0, 0], atol=1e-7)


def test_none_is_the_embedding_itself(embedding):
    assert debias(embedding, "none") is embedding


def test_neutral_words_lose_the_direction_and_keep_their_length(embedding):
    for kind in ("regular", "strong"):
        found = debias(embedding, kind)
        assert found.name == f"tiny ({kind} debiasing)"
        np.testing.assert_allclose(vector(found, "nurse"), [0, 1 / 5**0.5, 2 / 5**0.5], atol=1e-6)
        np.testing.assert_allclose(vector(found, "driver"), [0, 0, 1], atol=1e-7)
    assert "pure" not in found.rows  # nothing of it is left
    assert found.lookup(["pure"])[1].tolist() == [False]


def test_regular_leaves_gender_specific_words_and_strong_does_not(embedding):
    regular, strong = debias(embedding, "regular"), debias(embedding, "strong")
    for word in ("SISTER", "queen"):  # in capitals too; neither has its counterpart here
        np.testing.assert_array_equal(vector(regular, word), vector(embedding, word))
        assert abs(vector(strong, word)[0]) < 1e-7
    assert {"her", "his"} <= regular.rows.keys()
    assert not {"her", "his"} & strong.rows.keys()


def test_pairs_are_equalised_by_hand(embedding):
    """niece (.6, .8, 0) and nephew (0, .8, .6): midpoint (.3, .8, .3), without the direction ν = (0, .8, .3) of
    length² .73, so that both reach √.27 to either side."""
    regular = debias(embedding, "regular")
    np.testing.assert_allclose(vector(regular, "niece"), [0.27**0.5, 0.8, 0.3], atol=1e-6)
    np.testing.assert_allclose(vector(regular, "nephew"), [-(0.27**0.5), 0.8, 0.3], atol=1e-6)
    np.testing.assert_allclose(vector(regular, "she"), [0.6, 0.8, 0], atol=1e-6)  # was equal already
    # Aunt lies on the male side of Uncle here, and stays there: ν = (0, .7, 0)
    np.testing.assert_allclose(vector(regular, "Aunt"), [-(0.51**0.5), 0.7, 0], atol=1e-6)
    np.testing.assert_allclose(vector(regular, "Uncle"), [0.51**0.5, 0.7, 0], atol=1e-6)


def slow(embedding: Embedding, kind: str) -> dict[str, np.ndarray]:
    """Bolukbasi and others, equations of steps 2a, word by word. Spellings: lower case, capitalised, capitals."""
    w = gender_direction(embedding).vector
    made = {}
    for word, row in embedding.rows.items():
        v = embedding.vectors[row].astype(float)
        specific = any(word in (s, s.lower(), s.capitalize(), s.upper()) for s in GENDER_SPECIFIC)
        if kind == "strong" or not specific:
            v = v - (v @ w) * w
            v = v / np.sqrt(v @ v)
        made[word] = v
    if kind == "regular":
        for female, male in EQUALISED:
            for spell in (str, str.lower, str.capitalize, str.upper):
                a, b = spell(female), spell(male)
                if a in made and b in made:
                    x, y = (embedding.vectors[embedding.rows[word]].astype(float) for word in (a, b))
                    mu = (x + y) / 2
                    mu_b = (mu @ w) * w
                    nu = mu - mu_b
                    for word, v in ((a, x), (b, y)):
                        part = (v @ w) * w - mu_b
                        made[word] = nu + np.sqrt(1 - nu @ nu) * part / np.sqrt(part @ part)
    return made


@pytest.mark.parametrize("kind", ["regular", "strong"])
def test_glove_against_the_paper_word_by_word(kind):
    glove = load_embedding("glove")
    frequent = sorted(glove.rows, key=glove.rows.__getitem__)[:1500]
    specific = {word.lower() for word in GENDER_SPECIFIC} & glove.rows.keys()
    words = list(dict.fromkeys([*frequent, *sorted(specific)]))
    part = Embedding("part", {w: i for i, w in enumerate(words)}, glove.vectors[[glove.rows[w] for w in words]].copy())
    found, expected = debias(part, kind), slow(part, kind)
    np.testing.assert_allclose(found.vectors, np.array([expected[word] for word in words]), atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    w = gender_direction(part).vector
    neutral = [place for place, word in enumerate(words) if kind == "strong" or word not in specific]
    assert len(neutral) > 1400
    assert np.abs(found.vectors[neutral] @ w).max() < 1e-6
    if kind == "regular":
        she, he = (found.vectors[words.index(word)] for word in ("she", "he"))
        war = found.vectors[words.index("war")]
        assert war @ she == pytest.approx(war @ he, abs=1e-6)  # a neutral word is as near to either of a pair


def test_vectors_of_unknown_words_are_debiased_too():
    def subword(word: str) -> np.ndarray | None:
        return {"hers": unit(1, 1, 0), "caring": unit(3, 0, 4), "axis": unit(1, 0, 0)}.get(word.lower())

    rows = {w: i for i, w in enumerate(("she", "he", "woman", "man", "her", "his"))}
    vectors = np.array([(0.6, 0.8, 0), (-0.6, 0.8, 0), (0.8, 0, 0.6), (-0.8, 0, 0.6), (1, 0, 0), (-1, 0, 0)], "f4")
    parts = Embedding("parts", rows, vectors, subword)
    regular, strong = debias(parts, "regular"), debias(parts, "strong")
    for found in (regular, strong):
        vector_, known = found.lookup(["caring", "axis", "none"])
        np.testing.assert_allclose(vector_, [[0, 0, 1], [0, 0, 0], [0, 0, 0]], atol=1e-6)
        assert known.tolist() == [True, False, False]
    np.testing.assert_allclose(regular.lookup(["Hers"])[0], [unit(1, 1, 0)], atol=1e-6)
    np.testing.assert_allclose(strong.lookup(["Hers"])[0], [[0, 1, 0]], atol=1e-6)


def test_another_direction_brings_its_own_pairs(embedding):
    other = gender_direction(embedding, [("she", "he"), ("woman", "man"), ("her", "his"), ("nurse", "driver")])
    assert "nurse" in {word for pair in other.pairs for word in pair}
    found = debias(embedding, "regular", other)
    nurse, driver = vector(found, "nurse"), vector(found, "driver")
    assert nurse @ other.vector == pytest.approx(-(driver @ other.vector), abs=1e-6)
    assert nurse @ other.vector > 0.1
    assert debias(embedding, "regular", other) is found  # kept


def test_a_word_of_two_of_its_pairs_is_equalised_once(embedding):
    rows = {**embedding.rows, "rain": len(embedding.rows)}
    grown = Embedding("grown", rows, np.vstack([embedding.vectors, unit(-1, 2, 2)]).astype(np.float32))
    pairs = [("she", "he"), ("woman", "man"), ("her", "his"), ("nurse", "driver"), ("nurse", "rain")]
    found = debias(grown, "regular", gender_direction(grown, pairs))
    np.testing.assert_array_equal(vector(found, "rain"), vector(grown, "rain"))  # gender-specific all the same


def test_turning_the_space_turns_the_result(embedding):
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turned = Embedding("turned", embedding.rows, (embedding.vectors @ turn).astype(np.float32))
    for kind in ("regular", "strong"):
        plain, found = debias(embedding, kind), debias(turned, kind)
        assert found.rows.keys() == plain.rows.keys()  # "pure" leaves rounding, and rounding is no vector
        np.testing.assert_allclose(found.vectors, plain.vectors @ turn, atol=1e-5)


def test_lists():
    words = [word for pair in EQUALISED for word in pair]
    assert len(set(words)) == len(words), "a word stands in one pair"
    assert set(words) <= GENDER_SPECIFIC
    assert EQUALISED[:10] == PAIRS


def test_what_cannot_be_debiased(embedding):
    with pytest.raises(UsageError) as caught:
        debias(embedding, "soft")
    assert str(caught.value) == "there is no debiasing 'soft'\nUse one of none, regular, strong."
    bare = Embedding("bare", {"she": 0, "he": 1}, embedding.vectors[:2])
    with pytest.raises(FairvizError, match="the gender direction needs 3 pairs of words, and bare has vectors for 1"):
        debias(bare, "strong")


def test_fasttext_keeps_its_way_to_new_words():
    found = load_embedding(str(FASTTEXT))
    assert found.subword is not None
    try:
        direction = gender_direction(found)
    except FairvizError:
        pytest.skip("gensim's fastText vectors hold too few of the pairs")
    strong = debias(found, "strong")
    assert abs(strong.lookup(["governmentally"])[0][0] @ direction.vector) < 1e-6
