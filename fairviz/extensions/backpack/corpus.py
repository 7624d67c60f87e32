"""The texts that a Backpack learns from, and MiniLM's reading of them: the states for its attention, and the vectors to
learn."""

import bz2
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairviz.errors import FairvizError, display_path, problem
from fairviz.home import write_whole
from fairviz.installed import package_folder
from fairviz.models.sentence_encoder import MINILM, loaded, located
from fairviz.study.loaders.lines import decoded_lines
from fairviz.study.loaders.source import read_bytes
from fairviz.study.record import Study
from fairviz.words.counting import document_text

if TYPE_CHECKING:
    from torch import Tensor

FRAME = 2  # WordPieces of MiniLM around a text
LONGEST = 256 - FRAME  # WordPieces of a text in MiniLM
Read = Callable[[Sequence[str]], "Reading"]
FREE = 7_000  # sentences of free text
MOST = 20_000  # passages of each study and file; a sample of more
WORDS = 60  # of the longest passage
FEWEST_WORDS = 6  # of a sentence of free text
WIKIPEDIA = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
OF_STUDY = "the study "  # before its name, in a source
PACKAGED = "107 articles of the English Wikipedia as the package gensim ships them"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'“‘(]?[A-Z0-9])")
_NO_PROSE = "=*#|!{:;&"
PIECE = 512  # passages of one file
BATCH = 32
LONGEST_LEARNT = 96  # WordPieces of a passage
Progress = Callable[[str, int, int], None]
READING = "reading the texts"
SETTLED = "read.json"


@dataclass(frozen=True, eq=False)
class Reading:
    """MiniLM's reading of B texts, T WordPieces in the longest.

    tokens (B, T): WordPieces, 0 for padding; states (B, T, d): the last states; mask (B, T): where there is a WordPiece
    other than the two that frame the text; vectors (B, d): unit vectors of the texts.
    """

    tokens: "Tensor"
    states: "Tensor"
    mask: "Tensor"
    vectors: "Tensor"


def reader(longest: int = LONGEST) -> Read:
    """Return a function from texts to MiniLM's reading of them, each cut after `longest` WordPieces. Raises
    FairvizError without MiniLM."""
    encoder = loaded("SentenceTransformer", located(MINILM))
    tokenizer, bert = encoder.tokenizer, encoder[0].auto_model

    def read(texts: Sequence[str]) -> Reading:
        import torch

        framed = tokenizer(list(texts), padding=True, truncation=True, max_length=longest + FRAME, return_tensors="pt")
        with torch.inference_mode():
            states = bert(input_ids=framed["input_ids"], attention_mask=framed["attention_mask"]).last_hidden_state
        return _without_frame(framed, states)

    return read


def _without_frame(framed: Any, states: "Tensor") -> Reading:
    """Return the reading of framed texts: the first token is dropped, and those after the last WordPiece masked."""
    import torch

    weights = framed["attention_mask"].to(states.dtype)
    mean = (states * weights[:, :, None]).sum(dim=1) / weights.sum(dim=1, keepdim=True)
    tokens = framed["input_ids"][:, 1:]
    mask = torch.arange(tokens.shape[1])[None, :] < (framed["attention_mask"].sum(dim=1) - FRAME)[:, None]
    vectors = torch.nn.functional.normalize(mean, dim=1)
    return Reading(torch.where(mask, tokens, 0), states[:, 1:], mask, vectors)


@dataclass(frozen=True)
class Source:
    """A source of passages: its name, licence and number of passages."""

    name: str
    licence: str
    passages: int


@dataclass(frozen=True, eq=False)
class Lessons:
    """Different passages, and their sources; a passage of two sources counts for the first."""

    passages: tuple[str, ...]
    sources: tuple[Source, ...]


def lessons(studies: Sequence[Study], files: Sequence[str | Path] = ()) -> Lessons:
    """Return the passages of the studies' documents and of free text: of the files, or without any the packaged
    sentences.

    Raises FairvizError for a study without text, DataError for a file that cannot be read or has no text.
    """
    passages_so_far: dict[str, None] = {}
    sources: list[Source] = []

    def take(name: str, licence: str, passages: Iterable[str], most: int = MOST) -> None:
        new = _sample([passage for passage in dict.fromkeys(passages) if passage not in passages_so_far], most)
        passages_so_far.update(dict.fromkeys(new))
        sources.append(Source(name, licence, len(new)))

    for study in studies:
        take(f"{OF_STUDY}{study.name}", study.licence or "not stated", _study_passages(study))
    for path in files:
        take(f"the file {Path(path).name}", "not stated: a file of the user's own", _file_passages(path))
    if not files:
        take(PACKAGED, "CC BY-SA 3.0 and GFDL, by the authors of Wikipedia", wikipedia_sentences(), FREE)
    return Lessons(tuple(passages_so_far), tuple(sources))


def _sample(passages: list[str], most: int) -> list[str]:
    """Return at most `most` of the passages, sampled with a fixed seed."""
    if len(passages) <= most:
        return passages
    rows = np.sort(np.random.default_rng(0).permutation(len(passages))[:most])
    return [passages[row] for row in rows]


def _study_passages(study: Study) -> list[str]:
    """Return the passages of the study's documents. Raises FairvizError where no document has text."""
    texts = document_text(study.documents).dropna().tolist()
    passages = [passage for text in texts for passage in passages_of(text)]
    if not passages:
        raise FairvizError(
            f"{study.name} holds no text to learn from",
            "Give its documents text: documents.csv with the columns doc_id and text.",
        )
    return passages


def _file_passages(path: str | Path) -> list[str]:
    """Return the passages of a file of UTF-8 text, one text a line, compressed or not. Raises DataError."""
    file = display_path(path)
    passages = [passage for _, line in decoded_lines(read_bytes(path), file) for passage in passages_of(line)]
    if not passages:
        raise problem(file, "the file holds no text to learn from", "Write a text a line.")
    return passages


def passages_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text, and its beginning where it has several; none is longer than 60 words."""
    words = text.split()
    sentences = [part for part in _SENTENCE.split(" ".join(words)) if re.search(r"\w", part)]
    if len(sentences) > 1:
        yield " ".join(words[:WORDS])
    for sentence in sentences:
        parts = sentence.split()
        for start in range(0, len(parts), WORDS):
            yield " ".join(parts[start : start + WORDS])


@lru_cache(maxsize=1)
def wikipedia_sentences() -> tuple[str, ...]:
    """Return the sentences of the articles in gensim's package. Raises FairvizError without gensim."""
    folder = package_folder("gensim", "free text to learn from needs")
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki

    path = folder / "test" / "test_data" / WIKIPEDIA
    try:
        with bz2.open(path) as stream:
            pages = [text for _, text, _ in extract_pages(stream, ("0",)) if not text.lower().startswith("#redirect")]
    except OSError as error:
        raise FairvizError(
            f"the articles of gensim cannot be read ({error.strerror or error})",
            "Install gensim again, or name files: --texts FILE.",
        ) from error
    return tuple(dict.fromkeys(sentence for page in pages for sentence in _sentences_of(filter_wiki(page))))


def _sentences_of(article: str) -> Iterator[str]:
    """Yield the sentences of an article's paragraphs, without headings, lists and tables."""
    for paragraph in article.replace("'''", "").replace("''", "").split("\n"):
        line = " ".join(paragraph.split())
        if len(line) < WORDS or line[0] in _NO_PROSE:
            continue
        for sentence in _SENTENCE.split(line):
            if FEWEST_WORDS <= len(sentence.split()) <= WORDS:
                yield sentence


@dataclass(frozen=True, eq=False)
class Corpus:
    """N passages, their W WordPieces concatenated.

    tokens (W,): WordPieces; states (W, d): MiniLM's last states, in half precision; starts (N + 1,): each passage's
    first row; vectors (N, d): MiniLM's unit vectors of the passages. seconds: of reading them.
    """

    tokens: "Tensor"
    states: "Tensor"
    starts: np.ndarray
    vectors: "Tensor"
    seconds: float

    def __len__(self) -> int:
        return len(self.vectors)

    def batch(self, rows: Sequence[int]) -> Reading:
        """Return these passages, padded to the longest."""
        import torch

        spans = [(int(self.starts[row]), int(self.starts[row + 1])) for row in rows]
        tokens = torch.nn.utils.rnn.pad_sequence([self.tokens[a:b] for a, b in spans], batch_first=True)
        states = torch.nn.utils.rnn.pad_sequence([self.states[a:b].float() for a, b in spans], batch_first=True)
        lengths = torch.tensor([b - a for a, b in spans])
        mask = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
        return Reading(tokens.long(), states, mask, self.vectors[list(rows)])


def corpus_key(passages: Sequence[str]) -> str:
    """Return a hash of the passages in their order."""
    digest = hashlib.sha256(f"{Path(located(MINILM)).name} {LONGEST_LEARNT} {PIECE}\n".encode())
    for passage in passages:
        digest.update(passage.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:24]


def read_corpus(
    passages: Sequence[str],
    folder: Path,
    progress: Progress,
    until: float = float("inf"),
    start: Callable[[], Read] | None = None,
) -> Corpus:
    """Return MiniLM's reading of the passages, stored in the folder; stored pieces are not read again.

    The passages are shuffled by a fixed seed, so that those read before `until` (by time.monotonic) are a fair sample;
    at least one piece is read.
    """
    from safetensors.torch import load

    start_time, settled = time.monotonic(), _settled(folder)
    read: Read | None = None
    order = np.random.default_rng(0).permutation(len(passages))
    pieces = [order[place : place + PIECE] for place in range(0, len(order), PIECE)][: settled[0] if settled else None]
    loaded_pieces: list[dict[str, Tensor]] = []
    progress(READING, 0, len(passages))
    for number, rows in enumerate(pieces):
        path = folder / f"texts-{number:04d}.safetensors"
        piece = _stored_piece(path)
        if piece is None:
            if loaded_pieces and time.monotonic() > until:
                break
            if read is None:
                read = start() if start else reader(LONGEST_LEARNT)
            content = _read_piece(read, [passages[row] for row in rows])
            write_whole(path, content)
            piece = load(content)
        loaded_pieces.append(piece)
        progress(READING, min((number + 1) * PIECE, len(passages)), len(passages))
    if settled is None:
        settled = len(loaded_pieces), time.monotonic() - start_time
        write_whole(folder / SETTLED, json.dumps(settled))
    return _joined(loaded_pieces, settled[1])


def _settled(folder: Path) -> tuple[int, float] | None:
    """Return the number of pieces and the seconds of reading them, once reading has ended, so that a resumed training
    uses the same pieces; None before."""
    try:
        pieces, seconds = json.loads((folder / SETTLED).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return pieces, seconds


def _stored_piece(path: Path) -> "dict[str, Tensor] | None":
    """Return the piece in the file; None for a missing or truncated file."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(path.read_bytes())
    except (FileNotFoundError, SafetensorError):
        return None


def _read_piece(read: Read, passages: list[str]) -> bytes:
    """Return a piece as the content of a file, without passages that have no WordPiece."""
    import torch
    from safetensors.torch import save

    ordered = sorted(passages, key=len)
    parts: dict[str, list] = {"tokens": [], "states": [], "lengths": [], "vectors": []}
    for start in range(0, len(ordered), BATCH):
        reading = read(ordered[start : start + BATCH])
        has_token = reading.mask.any(dim=1)
        mask = reading.mask & has_token[:, None]
        parts["tokens"].append(reading.tokens[mask].int())
        parts["states"].append(reading.states[mask].half())
        parts["lengths"].append(reading.mask.sum(dim=1)[has_token].int())
        parts["vectors"].append(reading.vectors[has_token])
    return save({name: torch.cat(values) for name, values in parts.items()})


def _joined(pieces: "list[dict[str, Tensor]]", seconds: float) -> Corpus:
    """Return the pieces as one corpus. seconds: of reading them."""
    import torch

    joined = {name: torch.cat([piece[name] for piece in pieces]) for name in pieces[0]}
    starts = np.concatenate([[0], np.cumsum(joined["lengths"].numpy())])
    return Corpus(joined["tokens"], joined["states"], starts, joined["vectors"], seconds)
