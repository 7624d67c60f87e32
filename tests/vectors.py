"""Word vectors as files, for what takes a name or a path."""

from pathlib import Path

from fairviz.words.vectors import Embedding


def write_word2vec(embedding: Embedding, path: Path) -> Path:
    """The embedding as a word2vec file, its words in the same order."""
    from gensim.models import KeyedVectors

    file = KeyedVectors(embedding.vectors.shape[1])
    file.add_vectors(sorted(embedding.rows, key=embedding.rows.__getitem__), embedding.vectors)
    path.parent.mkdir(parents=True, exist_ok=True)
    file.save_word2vec_format(str(path), binary=True)
    return path
