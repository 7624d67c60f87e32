"""Writing the files of a study folder from published files."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from fairviz.study.loaders.metadata import FILE, Metadata, format_metadata


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file with this header."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_metadata(folder: Path, metadata: Metadata) -> None:
    """Write the folder's study.toml."""
    (folder / FILE).write_text(format_metadata(metadata), encoding="utf-8")


def copy_lexicon(source: Path, folder: Path, name: str) -> tuple[str, int]:
    """Write a published word list (`word,m` or `word,f` a line) as lexicon-NAME.csv.

    Returns the file's name and the number of words that were changed to lower case.
    """
    pairs = [line.split(",") for line in source.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    groups = {"f": "female", "m": "male"}
    rows = {word.strip().lower(): groups[group.strip()] for word, group in pairs}
    file = f"lexicon-{name}.csv"
    write_csv(folder / file, ("word", "group"), list(rows.items()))
    return file, sum(word != word.lower() for word, _ in pairs)
