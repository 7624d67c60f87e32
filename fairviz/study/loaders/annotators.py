"""annotators.csv: `annotator, kind`, and any columns that describe an annotator."""

from pathlib import Path

import numpy as np

from fairviz.errors import DataError
from fairviz.study.loaders.lines import Layout
from fairviz.study.loaders.metadata import KIND_NAMES, KINDS, current_kind
from fairviz.study.loaders.rows import read_rows, repeated_ids

LAYOUT = Layout("annotators", ("annotator", "kind"), ids=("annotator",))


def read_annotators(path: str | Path, root: str | Path | None = None) -> dict[str, tuple[str, str]]:
    """Return the kind of each annotator, of KINDS or empty for an unknown one, and its description.

    description: the column of that name, then the other columns as `age: 31`. Raises DataError that names every bad
    line: another kind, an annotator twice.
    """
    rows = read_rows(path, LAYOUT, root)
    table = rows.frame.fillna("").astype("str")
    kinds = table["kind"].map(current_kind)
    if bad_lines := rows.bad(np.flatnonzero(~kinds.isin(["", *KINDS])), "this is no kind of annotator", "kind"):
        raise DataError(bad_lines, f"Use one of {', '.join(KIND_NAMES.values())}; leave it empty where it is unknown.")
    if bad_lines := repeated_ids(rows, "annotator"):
        raise DataError(bad_lines, "Keep one line for each annotator.")
    columns = [str(name) for name in table if name not in ("annotator", "kind", "description")]
    entries = {}
    for kind, row in zip(kinds, table.to_dict("records"), strict=True):
        more = [f"{name}: {row[name]}" for name in columns if row[name]]
        entries[row["annotator"]] = (kind, "; ".join(filter(None, [row.get("description", ""), *more])))
    return entries
