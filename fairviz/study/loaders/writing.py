"""Tables as the files of a study folder, for reading back unchanged."""

import csv
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.normal_form import folded
from fairviz.study.loaders import system_of
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.finding import RUNS_FOLDER, SINGLE, is_run_file
from fairviz.study.loaders.folder import read_folder
from fairviz.study.loaders.lines import is_guarded
from fairviz.study.loaders.metadata import FILE, TEXTS, Metadata, format_metadata
from fairviz.study.loaders.word_files import PREFIX
from fairviz.study.tables import QRELS, RUNS, Schema, is_draw
from fairviz.words.counting import Lexicon, entry_text
from fairviz.words.sentences import with_article

_SPOILS_WORD = set("\n\r\t\0")
_FORBIDDEN = set('/\\:*?"<>|\n\r\t\0')
_SPOILS_CSV = "[\r\0]"
_SPOILS_NAME = set('"\n\r\0')


def write_table(table: pd.DataFrame, folder: Path, part: str) -> None:
    """Write the table as PART.csv, or as PART.parquet if CSV cannot represent it (missing text, columns of numbers)."""
    if _fits_csv(table):
        table.to_csv(folder / f"{part}.csv", index=False, encoding="utf-8", lineterminator="\n")
        return
    import pyarrow as pa

    try:
        table.to_parquet(folder / f"{part}.parquet", index=False, engine="pyarrow")
    except OverflowError as error:
        column = next(
            name for name in table
            if any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in table[name])
        )  # fmt: skip
        raise FairvizError(
            f"the {part} table cannot be written: the column {column!r} has a whole number beyond 64 bits",
            "Write such numbers as text.",
        ) from error
    except (pa.ArrowException, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise FairvizError(
            f"the {part} table cannot be written ({reason})", "Give each column a name, and values of one kind."
        ) from error


def _fits_csv(table: pd.DataFrame) -> bool:
    names = list(table.columns)
    return (
        all(map(is_plain, names))
        and not is_guarded(names)
        and all(
            isinstance(column.dtype, pd.StringDtype)
            and not column.isna().any()
            and not column.str.contains(_SPOILS_CSV, regex=True).any()
            for _, column in table.items()
        )
    )


def is_plain(name: object) -> bool:
    """Return whether a column's name fits into the first line of a CSV file."""
    return isinstance(name, str) and bool(name) and name == name.strip() and not set(name) & _SPOILS_NAME


def write_runs(runs: pd.DataFrame, folder: Path) -> None:
    """Write each system's run as runs/NAME.run, and a draw as runs/NAME/seed1.run.

    Raises FairvizError for a name or an id that is invalid in such a file.
    """
    check_columns(runs, RUNS)
    if not len(runs):
        return
    (folder / RUNS_FOLDER).mkdir()
    for system, run in runs.groupby("system", observed=True, sort=False):
        path = folder / RUNS_FOLDER / f"{system}.run"
        path.parent.mkdir(exist_ok=True)
        write_lines(path, run_lines(run, str(system)))


def run_lines(run: pd.DataFrame, system: str, format_score: Callable[[float], str] = repr) -> Iterator[str]:
    """Return the lines of a system's run in TREC's format, tagged with its name; `format_score` formats a score."""
    tag = "_".join(system.split())
    columns = (run[name].tolist() for name in ("query_id", "doc_id", "rank", "score"))
    rows = zip(*columns, strict=True)
    return (f"{query} Q0 {document} {rank} {format_score(score)} {tag}\n" for query, document, rank, score in rows)


def write_qrels(qrels: pd.DataFrame, folder: Path) -> None:
    check_columns(qrels, QRELS)
    if len(qrels):
        columns = (qrels[name].tolist() for name in QRELS.column_names)
        rows = zip(*columns, strict=True)
        write_lines(folder / "qrels.txt", (f"{query} 0 {document} {value}\n" for query, document, value in rows))


def write_lexicon(lexicon: Lexicon, folder: Path) -> str:
    """Write the lexicon as lexicon.csv or lexicon-NAME.csv and return the file's name."""
    for word, group in lexicon.words:
        if not folded(word).strip() or word != entry_text(word).strip() or set(word) & _SPOILS_WORD:
            raise FairvizError(
                f"the word {word!r} cannot be written to a file of words",
                "Write it in lower case, on one line, with a visible character and without tabs.",
            )
        if not group or group != group.strip() or set(group) & _SPOILS_WORD:
            raise FairvizError(f"the group {group!r} cannot be written to a file of words", "Write it on one line.")
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
    """Raise FairvizError for content that does not fit a TREC file: extra columns, invalid names, ids with white
    space."""
    extra = [str(name) for name in table.columns if name not in schema.column_names]
    if extra:
        raise FairvizError(
            f"the {schema.name} table has the column {extra[0]!r}, which a TREC file cannot hold", "Drop it first."
        )
    for column in ("query_id", "doc_id"):
        texts = pd.Series(table[column].unique()).astype("str")
        spoilt = texts[texts.str.contains(r"\s", regex=True) | (texts == "")]
        if column == "query_id":
            spoilt = pd.concat([spoilt, texts[texts.str.startswith("#")]])  # such lines are comments
        if len(spoilt):
            raise FairvizError(
                f"the {column} {spoilt.iloc[0]!r} cannot be written to a TREC file",
                "Use ids without white space, and of queries without # in front.",
            )
    if schema is RUNS:
        for run in table["system"].cat.categories:
            for name in run.rsplit("/", 1) if is_draw(run) else [run]:
                check_name(name, "system")


def check_name(name: str, kind: str) -> None:
    """Raise FairvizError for a name that is invalid for a file on some system, or that would hide it."""
    if not name or name != name.strip() or name.startswith(".") or set(name) & _FORBIDDEN or len(name.encode()) > 200:
        raise FairvizError(
            f"{name!r} cannot name the file of {with_article(kind)}", "Use letters, digits, hyphens and underscores."
        )


def write_metadata(metadata: Metadata, folder: Path) -> None:
    """Write the study.toml of the folder. Raises FairvizError for half a character."""
    try:
        (folder / FILE).write_text(format_metadata(metadata), encoding="utf-8")
    except UnicodeEncodeError as error:
        raise FairvizError(
            f"the description of the study holds half a character ({error.object[error.start : error.end]!r})",
            "Take it out of the title, the description, the groups or the annotators.",
        ) from error


def check_reads_back(
    folder: Path, metadata: Metadata, lexicon: Lexicon | None, tables: Mapping[str, pd.DataFrame]
) -> None:
    """Raise FairvizError if the folder reads back as anything but the written content."""
    remedy = "Give its ids and texts a plain form, or leave that part out."
    try:
        content = read_folder(folder)
    except FairvizError as error:
        raise FairvizError(f"the study could not be read again: {error.message}", error.remedy) from error
    texts = {name: getattr(metadata, name).strip() for name in TEXTS}
    is_same = {FILE: content.metadata == replace(metadata, **texts), "lexicon": content.lexicon == lexicon}
    for part in SINGLE:
        is_same[part] = _is_same(tables[part], content.table(part))
    is_same["runs"] = _are_same_runs(tables["runs"], content.table("runs"))
    changed_parts = [name for name, same in is_same.items() if not same]
    if changed_parts:
        raise FairvizError(f"{' and '.join(changed_parts)} would not read back as they are", remedy)


def _are_same_runs(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    """Return whether both have equal numbers of rows and equal systems, queries and documents: each row is a plain
    line."""
    names = ("system", "query_id", "doc_id")
    return len(first) == len(second) and all(set(first[name].unique()) == set(second[name].unique()) for name in names)


def check_reads_back_labels(written: pd.DataFrame, read: pd.DataFrame) -> None:
    """Raise FairvizError if the labels read back as anything but the written ones."""
    if not _is_same(written, read):
        raise FairvizError(
            "the labels would not read back as they are", "Give their ids, annotators and texts a plain form."
        )


def _is_same(first: pd.DataFrame, second: pd.DataFrame) -> bool:
    if list(first.columns) != list(second.columns) or len(first) != len(second):
        return False
    return all(_hashes(first[name]).equals(_hashes(second[name])) for name in first.columns)


def _hashes(values: pd.Series) -> pd.Series:
    """Return a number for each value, equal for equal values in any type of column."""
    try:
        return pd.util.hash_pandas_object(values.reset_index(drop=True), index=False)
    except TypeError:  # lists and the like
        return pd.util.hash_pandas_object(values.reset_index(drop=True).map(repr), index=False)


# --- Runs as TREC files, whole or not at all.


def run_files(folder: Path, system: str) -> list[Path]:
    """Return the files in `folder` with the run of this system."""
    if not folder.is_dir():
        return []
    return [
        path for path in sorted(folder.iterdir()) if system_of(path) == system and path.is_file() and is_run_file(path)
    ]


def replace_runs(runs: pd.DataFrame, folder: Path, beside: Callable[[Path], None] | None = None) -> list[Path]:
    """Write the run of each system to `folder`/NAME.run.gz, in a study's folder of runs, in place of earlier ones;
    return the files. beside: writes other files of the same change into the folder that replaces the study's.

    Either all files are replaced or none. Raises FairvizError for an invalid file name, for an id with white space,
    which a TREC run cannot contain, and where the folder cannot be written.
    """
    check_columns(runs, RUNS)
    systems = runs["system"].cat.categories
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with changing(
            folder.parent, lambda: [path for name in systems for path in run_files(folder, name)]
        ) as new_folder:
            (new_folder / folder.name).mkdir()
            for system, run in runs.groupby("system", observed=True, sort=False):
                _write_packed(run, new_folder / folder.name / _packed_name(str(system)), str(system))
            if beside is not None:
                beside(new_folder)
    except OSError as error:
        raise FairvizError(
            f"could not write a run in {folder}: {error.strerror or error}",
            "Make it a folder that you can write, with room, and run it again.",
        ) from error
    return [folder / _packed_name(str(system)) for system in runs["system"].drop_duplicates()]


def _packed_name(system: str) -> str:
    return f"{system}.run.gz"


def _write_packed(run: pd.DataFrame, path: Path, system: str) -> None:
    """Write a system's run, packed; equal runs make equal files."""
    with path.open("wb") as stream, gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
        packed.writelines(line.encode() for line in run_lines(run, system, "{:.9g}".format))
