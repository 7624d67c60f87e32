"""What a Backpack learns from: texts of studies and free text, with where they come from. No query, label or judgement
is among them."""

import bz2
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fairviz.errors import FairvizError
from fairviz.study.loaders.source import decode, display_path, numbered_lines, problem, read_bytes
from fairviz.study.study import Study
from fairviz.words.counting import document_text

FREE = 7_000  # sentences of free text
MOST = 20_000  # passages of studies, and of files; drawn where there are more
WORDS = 60  # of the longest passage
FEWEST_WORDS = 6  # of a sentence of free text
WIKIPEDIA = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
OF_STUDY = "the study "  # before its name, as a source
PACKAGED = "107 articles of the English Wikipedia as the package gensim ships them"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'“‘(]?[A-Z0-9])")
_NO_PROSE = "=*#|!{:;&"


@dataclass(frozen=True)
class Source:
    """Where passages come from, their licence and how many of them are learnt from."""

    name: str
    licence: str
    passages: int


@dataclass(frozen=True, eq=False)
class Lessons:
    """Different passages, and their sources; a passage that two sources hold counts for the first."""

    passages: tuple[str, ...]
    sources: tuple[Source, ...]


def lessons(studies: Sequence[Study], files: Sequence[str | Path] = ()) -> Lessons:
    """The passages of the studies' documents and of free text: of the files, or without any the packaged sentences.

    Raises FairvizError for a study without text, DataError for a file that cannot be read or holds no text.
    """
    taken: dict[str, None] = {}
    sources: list[Source] = []

    def take(name: str, licence: str, passages: Iterable[str], most: int = MOST) -> None:
        new = _drawn([passage for passage in dict.fromkeys(passages) if passage not in taken], most)
        taken.update(dict.fromkeys(new))
        sources.append(Source(name, licence, len(new)))

    for study in studies:
        take(f"{OF_STUDY}{study.name}", study.licence or "not stated", study_passages(study))
    for file in files:
        take(f"the file {Path(file).name}", "not stated: a file of the user's own", file_passages(file))
    if not files:
        take(
            PACKAGED,
            "CC BY-SA 3.0 and GFDL, by the authors of Wikipedia",
            wikipedia_sentences(),
            FREE,
        )
    return Lessons(tuple(taken), tuple(sources))


def _drawn(passages: list[str], most: int) -> list[str]:
    """At most so many of them, drawn alike at every call."""
    if len(passages) <= most:
        return passages
    rows = np.sort(np.random.default_rng(0).permutation(len(passages))[:most])
    return [passages[row] for row in rows]


def study_passages(study: Study) -> list[str]:
    """The passages of the study's documents. Raises FairvizError where no document has text."""
    texts = document_text(study.documents).dropna().tolist()
    found = [passage for text in texts for passage in passages_of(text)]
    if not found:
        raise FairvizError(
            f"{study.name} holds no text to learn from",
            "Give its documents text: documents.csv with the columns doc_id and text.",
        )
    return found


def passages_of(text: str) -> Iterator[str]:
    """The sentences of a text, and its beginning where it has several; none is longer than 60 words."""
    words = text.split()
    sentences = [part for part in _SENTENCE.split(" ".join(words)) if re.search(r"\w", part)]
    if len(sentences) > 1:
        yield " ".join(words[:WORDS])
    for sentence in sentences:
        parts = sentence.split()
        for start in range(0, len(parts), WORDS):
            yield " ".join(parts[start : start + WORDS])


def file_passages(path: str | Path) -> list[str]:
    """The passages of a file of UTF-8 text, a text a line, packed or not. Raises DataError."""
    file = display_path(path)
    lines = numbered_lines(decode(read_bytes(path), file))
    found = [passage for _, line in lines for passage in passages_of(line)]
    if not found:
        raise problem(file, "the file holds no text to learn from", "Write a text a line.")
    return found


@lru_cache(maxsize=1)
def wikipedia_sentences() -> tuple[str, ...]:
    """The sentences of the articles that gensim ships. Raises FairvizError without gensim."""
    found = find_spec("gensim")
    if found is None or not found.origin:
        raise FairvizError("free text to learn from needs the package gensim", "Run: pip install gensim")
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki

    path = Path(found.origin).parent / "test" / "test_data" / WIKIPEDIA
    try:
        with bz2.open(path) as stream:
            pages = [text for _, text, _ in extract_pages(stream, ("0",)) if not text.lower().startswith("#redirect")]
    except OSError as error:
        raise FairvizError(
            f"the articles of gensim cannot be read ({error.strerror or error})",
            "Install gensim again, or name files: --texts FILE.",
        ) from error
    return tuple(dict.fromkeys(sentence for page in pages for sentence in _sentences(filter_wiki(page))))


def _sentences(article: str) -> Iterator[str]:
    """The sentences of an article's paragraphs; headings, lists and tables are left out."""
    for paragraph in article.replace("'''", "").replace("''", "").split("\n"):
        plain = " ".join(paragraph.split())
        if len(plain) < WORDS or plain[0] in _NO_PROSE:
            continue
        for sentence in _SENTENCE.split(plain):
            if FEWEST_WORDS <= len(sentence.split()) <= WORDS:
                yield sentence
