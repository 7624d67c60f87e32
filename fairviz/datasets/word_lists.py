"""Word lists of fetched data sets, for studies other than their own."""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import studies_folder
from fairviz.study.loaders.lexicon import read_lexicon
from fairviz.words.counting import Lexicon

HOLDERS = ("msmarco-qs2", "genderbias-ir")  # data sets that come with a published word list


def published_lists() -> dict[str, Lexicon]:
    """The word lists of the data sets that were fetched, by name, such as `rekabsaz-326` of the NFaiRR paper.

    A file that cannot be read is left out; opening its study reports it.
    """
    found: dict[str, Lexicon] = {}
    for holder in HOLDERS:
        with suppress(FairvizError, OSError):
            for file in sorted((studies_folder() / holder).glob("lexicon-*.csv")):
                lexicon = _read(file, file.stat().st_mtime_ns)
                found[lexicon.name] = lexicon
    return found


@lru_cache(maxsize=8)
def _read(file: Path, changed: int) -> Lexicon:
    """The list as it was at that time."""
    return read_lexicon(file)
