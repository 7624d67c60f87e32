"""Writing the files of a study folder out of published ones."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from fairviz.study.loaders.metadata import FILE, Metadata, format_metadata


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A CSV file with this first line."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_metadata(folder: Path, metadata: Metadata) -> None:
    """The study.toml of the folder."""
    (folder / FILE).write_text(format_metadata(metadata), encoding="utf-8")


def copy_lexicon(source: Path, folder: Path, name: str) -> tuple[str, int]:
    """A published word list (`word,m` or `word,f` a line) as lexicon-NAME.csv.

    Returns the file's name, and how many words were in capitals and are in lower case now.
    """
    pairs = [line.split(",") for line in source.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    groups = {"f": "female", "m": "male"}
    rows = {word.strip().lower(): groups[group.strip()] for word, group in pairs}
    file = f"lexicon-{name}.csv"
    write_csv(folder / file, ("word", "group"), list(rows.items()))
    return file, sum(word != word.lower() for word, _ in pairs)
