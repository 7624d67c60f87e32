"""Time to read a run of a million lines, against pyarrow.csv and pandas on the same file, all from one run."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

from benchmarks.measures import seconds
from fairviz.study.loaders import read_run

QUERIES, RANKS, COLLECTION = 1000, 1000, 8_841_823
NAMES = ["query_id", "q0", "doc_id", "rank", "score", "tag"]


def write_run(path: Path, document: str, separator: str = " ") -> None:
    """A sound run of a million lines over a collection of MS MARCO's size; `document` formats an id."""
    generator = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as stream:
        for query in range(QUERIES):
            documents = generator.choice(COLLECTION, RANKS, replace=False)
            scores = np.sort(generator.random(RANKS) * 30)[::-1]
            stream.writelines(
                f"{300_000 + 7 * query} Q0 {document.format(name)} {rank} {score:.6f} BM25\n".replace(" ", separator)
                for rank, (name, score) in enumerate(zip(documents, scores, strict=True), start=1)
            )


def plain(path: Path, separator: str = " ") -> pa.Table:
    """The file by pyarrow.csv with typed columns and nothing checked: six Arrow columns."""
    types = dict.fromkeys(NAMES, pa.string()) | {"rank": pa.int32(), "score": pa.float64()}
    return csv.read_csv(
        path,
        read_options=csv.ReadOptions(column_names=NAMES),
        parse_options=csv.ParseOptions(delimiter=separator, quote_char=False),
        convert_options=csv.ConvertOptions(column_types=types, strings_can_be_null=False),
    )


def as_categories(path: Path) -> pd.DataFrame:
    """The same and then pandas categories, as pyarrow alone makes them: what `read_run` returns, unchecked."""
    table = plain(path)
    for name in ("query_id", "doc_id", "tag"):
        table = table.set_column(table.column_names.index(name), name, table[name].dictionary_encode())
    return table.to_pandas()


def by_pandas(path: Path) -> pd.DataFrame:
    """The file by pandas' C reader, ids as text."""
    types = {name: "str" for name in NAMES if name not in ("rank", "score")}
    return pd.read_csv(path, sep=" ", header=None, names=NAMES, dtype=types, na_filter=False)


def run() -> list[str]:
    """One line for each kind of file, with ratios to the other readers; below 1 this reader is the quicker."""
    lines = [f"Loading a run of {QUERIES * RANKS:,} lines, every check included (seconds, and ratios)"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "numbers.run")
        write_run(path, "{}")
        ours, arrow = seconds(lambda: read_run(path)), seconds(lambda: plain(path))
        lines.append(f"  ids as numbers: {ours:.3f} s, {ours / arrow:.2f} × pyarrow.csv typed and unchecked")
        lines.append(f"    {ours / seconds(lambda: as_categories(path), 2):.2f} × pyarrow.csv into pandas categories")
        lines.append(f"    {ours / seconds(lambda: by_pandas(path), 2):.2f} × pandas.read_csv")
        for name, document, separator in (("ids of text", "doc-{}", " "), ("ids as numbers, tabs", "{}", "\t")):
            write_run(path, document, separator)
            ours, arrow = seconds(lambda: read_run(path)), seconds(lambda s=separator: plain(path, s))
            lines.append(f"  {name}: {ours:.3f} s, {ours / arrow:.2f} × pyarrow.csv typed and unchecked")
        with path.open("a", encoding="utf-8") as stream:
            stream.write("300000\tQ0\td\t1001\tnan\tBM25\n")
        lines.append(f"  with one bad line, which is named: {seconds(lambda: _refused(path), 1):.3f} s")
    return lines


def _refused(path: Path) -> None:
    from fairviz.errors import DataError

    try:
        read_run(path)
    except DataError:
        return
    raise RuntimeError("a score that is nan was let through")


if __name__ == "__main__":
    print("\n".join(run()))
