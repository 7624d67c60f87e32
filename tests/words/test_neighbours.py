import numpy as np

from fairviz.words.vectors import Embedding, nearest

VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1], [-1, 0], [1, 0], [0, 0]], dtype=np.float32)
WORDS = ("nurse", "doctor", "rain", "roof", "Nurse", "nothing")
EMBEDDING = Embedding("made", {word: row for row, word in enumerate(WORDS) if word != "nothing"}, VECTORS)


def test_neighbours_stand_by_cosine_without_the_word_itself():
    table = nearest(EMBEDDING, "nurse", 2)
    assert table["word"].tolist() == ["doctor", "rain"]
    assert np.allclose(table["cosine"], [0.6, 0])


def test_a_row_without_a_word_is_no_neighbour():
    assert nearest(EMBEDDING, "rain", 10)["word"].tolist() == ["doctor", "nurse", "roof", "Nurse"]


def test_a_word_without_a_vector_has_none():
    assert nearest(EMBEDDING, "xyzzy").empty
    assert list(nearest(EMBEDDING, "xyzzy").columns) == ["word", "cosine"]


def test_a_word_made_of_its_parts_has_neighbours():
    parts = Embedding("parts", EMBEDDING.rows, VECTORS, lambda word: np.array([0.0, 1.0]))
    assert nearest(parts, "unseen", 1)["word"].tolist() == ["rain"]


def test_all_cosines_are_those_of_a_plain_loop():
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(300, 5))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    words = [f"w{row}" for row in range(300)]
    embedding = Embedding("random", {word: row for row, word in enumerate(words)}, vectors)
    slow = sorted((-float(vectors[7] @ vectors[row]), row) for row in range(300) if row != 7)[:12]
    table = nearest(embedding, "w7", 12)
    assert table["word"].tolist() == [words[row] for _, row in slow]
    assert np.allclose(table["cosine"], [-cosine for cosine, _ in slow], atol=1e-6)
