"""Training texts of a Backpack: texts of studies and free text, with their sources; no queries, labels or
judgements."""

import bz2
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from fairviz.errors import FairvizError, display_path, problem
from fairviz.installed import package_folder
from fairviz.study.loaders.lines import decoded_lines
from fairviz.study.loaders.source import read_bytes
from fairviz.study.record import Study
from fairviz.words.counting import document_text

FREE = 7_000  # sentences of free text
MOST = 20_000  # passages of each study and file; a sample of more
WORDS = 60  # of the longest passage
FEWEST_WORDS = 6  # of a sentence of free text
WIKIPEDIA = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
OF_STUDY = "the study "  # before its name, in a source
PACKAGED = "107 articles of the English Wikipedia as the package gensim ships them"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'“‘(]?[A-Z0-9])")
_NO_PROSE = "=*#|!{:;&"


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
    return Lessons(tuple(passages_so_far), tuple(sources))


def _sample(passages: list[str], most: int) -> list[str]:
    """Return at most `most` of the passages, sampled with a fixed seed."""
    if len(passages) <= most:
        return passages
    rows = np.sort(np.random.default_rng(0).permutation(len(passages))[:most])
    return [passages[row] for row in rows]


def study_passages(study: Study) -> list[str]:
    """Return the passages of the study's documents. Raises FairvizError where no document has text."""
    texts = document_text(study.documents).dropna().tolist()
    passages = [passage for text in texts for passage in passages_of(text)]
    if not passages:
        raise FairvizError(
            f"{study.name} holds no text to learn from",
            "Give its documents text: documents.csv with the columns doc_id and text.",
        )
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


def file_passages(path: str | Path) -> list[str]:
    """Return the passages of a file of UTF-8 text, one text a line, compressed or not. Raises DataError."""
    file = display_path(path)
    lines = decoded_lines(read_bytes(path), file)
    passages = [passage for _, line in lines for passage in passages_of(line)]
    if not passages:
        raise problem(file, "the file holds no text to learn from", "Write a text a line.")
    return passages


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
    return tuple(dict.fromkeys(sentence for page in pages for sentence in _sentences(filter_wiki(page))))


def _sentences(article: str) -> Iterator[str]:
    """Yield the sentences of an article's paragraphs, without headings, lists and tables."""
    for paragraph in article.replace("'''", "").replace("''", "").split("\n"):
        line = " ".join(paragraph.split())
        if len(line) < WORDS or line[0] in _NO_PROSE:
            continue
        for sentence in _SENTENCE.split(line):
            if FEWEST_WORDS <= len(sentence.split()) <= WORDS:
                yield sentence
