"""Tables as the files of a study folder, so that reading them gives the same tables again."""

import csv
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.loaders.folder import RUNS_FOLDER, find_files
from fairviz.loaders.lexicon import PREFIX
from fairviz.loaders.metadata import FILE
from fairviz.tables import QRELS, RUNS, Schema
from fairviz.text import Lexicon

_FORBIDDEN = set('/\\:*?"<>|\n\r\t\0')
_SPOILS_CSV = "[\r\0]"


def write_table(table: pd.DataFrame, folder: Path, part: str) -> None:
    """The table as PART.csv, or as PART.parquet where CSV cannot say all (missing text, columns of numbers)."""
    if _fits_csv(table):
        table.to_csv(folder / f"{part}.csv", index=False, encoding="utf-8", lineterminator="\n")
    else:
        table.to_parquet(folder / f"{part}.parquet", index=False, engine="pyarrow")


def _fits_csv(table: pd.DataFrame) -> bool:
    named = all(isinstance(name, str) and name == name.strip() and name and '"' not in name for name in table.columns)
    return named and all(
        isinstance(column.dtype, pd.StringDtype)
        and not column.isna().any()
        and not column.str.contains(_SPOILS_CSV, regex=True).any()
        for _, column in table.items()
    )


def write_runs(runs: pd.DataFrame, folder: Path) -> None:
    """Each system's run as runs/NAME.run. Raises FairvizError for a name or an id that such a file cannot hold."""
    check_columns(runs, RUNS)
    if not len(runs):
        return
    (folder / RUNS_FOLDER).mkdir()
    for system, run in runs.groupby("system", observed=True, sort=False):
        tag = "_".join(str(system).split())
        columns = (run[name].tolist() for name in ("query_id", "doc_id", "rank", "score"))
        rows = zip(*columns, strict=True)
        lines = (f"{query} Q0 {document} {rank} {score!r} {tag}\n" for query, document, rank, score in rows)
        write_lines(folder / RUNS_FOLDER / f"{system}.run", lines)


def write_qrels(qrels: pd.DataFrame, folder: Path) -> None:
    check_columns(qrels, QRELS)
    if len(qrels):
        columns = (qrels[name].tolist() for name in QRELS.column_names)
        rows = zip(*columns, strict=True)
        write_lines(folder / "qrels.txt", (f"{query} 0 {document} {value}\n" for query, document, value in rows))


def write_lexicon(lexicon: Lexicon, folder: Path) -> str:
    """The lexicon as lexicon.csv or lexicon-NAME.csv; returns the file's name."""
    name = "lexicon.csv" if lexicon.name == "lexicon" else f"{PREFIX}{lexicon.name}.csv"
    check_name(name, "lexicon")
    with (folder / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([("word", "group"), *lexicon.words])
    return name


def write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(lines)


def check_columns(table: pd.DataFrame, schema: Schema) -> None:
    """Raises FairvizError for what a TREC file cannot hold: more columns, names of no file, ids with white space."""
    extra = [str(name) for name in table.columns if name not in schema.column_names]
    if extra:
        raise FairvizError(
            f"the {schema.name} table has the column {extra[0]!r}, which a TREC file cannot hold", "Drop it first."
        )
    for column in ("query_id", "doc_id"):
        texts = pd.Series(table[column].unique()).astype("str")
        spoilt = texts[texts.str.contains(r"\s", regex=True) | (texts == "")]
        if len(spoilt):
            raise FairvizError(
                f"the {column} {spoilt.iloc[0]!r} cannot stand in a TREC file", "Use ids without white space."
            )
    if schema is RUNS:
        for system in table["system"].cat.categories:
            check_name(system, "system")


def check_name(name: str, what: str) -> None:
    if not name or name != name.strip() or name.startswith(".") or set(name) & _FORBIDDEN or len(name.encode()) > 200:
        raise FairvizError(
            f"{name!r} cannot name the file of a {what}", "Use letters, digits, hyphens and underscores."
        )


def replace_folder(folder: Path, filled: Path) -> None:
    """Puts the filled folder in place of `folder`, with those of its files that are no parts of a study."""
    if folder.exists():
        _carry_over(folder, filled)
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
        os.replace(folder, aside / folder.name)
        os.replace(filled, folder)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        os.replace(filled, folder)


def _carry_over(folder: Path, filled: Path) -> None:
    parts = set(find_files(folder).all) | {folder / FILE}
    for path in sorted(folder.rglob("*")):
        target = filled / path.relative_to(folder)
        if path.is_file() and path not in parts and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
