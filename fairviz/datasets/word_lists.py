"""Word lists of fetched data sets, for studies other than their own."""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import studies_folder
from fairviz.study.loaders.lexicon import read_lexicon
from fairviz.words.counting import Lexicon

HOLDERS = ("msmarco-qs2", "genderbias-ir")  # data sets with a published word list


def published_lists() -> dict[str, Lexicon]:
    """Return the word lists of the fetched data sets by name, such as `rekabsaz-326` of the NFaiRR paper.

    A file that cannot be read is skipped; opening its study reports the error.
    """
    lexicons: dict[str, Lexicon] = {}
    for holder in HOLDERS:
        with suppress(FairvizError, OSError):
            for file in sorted((studies_folder() / holder).glob("lexicon-*.csv")):
                lexicon = _read(file, file.stat().st_mtime_ns)
                lexicons[lexicon.name] = lexicon
    return lexicons


@lru_cache(maxsize=8)
def _read(file: Path, modified_ns: int) -> Lexicon:
    """Return the word list of the file; its modification time is part of the cache's key."""
    return read_lexicon(file)
