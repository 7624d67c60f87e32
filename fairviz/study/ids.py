"""Ids of queries and documents as the parts of a study share them: one Unicode form, and whole numbers written as such.

Spreadsheets and frames turn 10 into 10.0 where a cell of the column is empty. A part whose ids all end in .0 is read
without it, unless another part has an id such as 10.5, in which the point means something.
"""

from collections.abc import Iterable, Mapping

import pandas as pd

from fairviz.study.tables import SCHEMAS, check_key, composed, distinct_texts, with_texts
from fairviz.words.sentences import counted

COLUMNS = ("query_id", "doc_id")
WHOLE = r"^-?[0-9]+\.0+$"
POINT = r"^-?[0-9]+\.[0-9]+$"


def settled(
    tables: Mapping[str, pd.DataFrame],
    beside: Iterable[pd.DataFrame] = (),
    files: Mapping[str, str] | None = None,
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    """Return the tables, by part, with ids such as 10.0 as 10, and a notice for each column that was changed.

    beside: tables of the same study that stay as they are. files: the names of the parts' files for notices.
    Raises FairvizError where two ids of a table become one.
    """
    settled_tables, notices = dict(tables), []
    for column in COLUMNS:
        parts = [part for part, table in tables.items() if column in table and _all_match(table[column], WHOLE)]
        if not parts:
            continue
        others = [*(table for part, table in tables.items() if part not in parts), *beside]
        if any(_matches(table[column], POINT) for table in others if column in table):
            continue
        for part in parts:
            ids = settled_tables[part][column]
            table = settled_tables[part].assign(**{column: _without_point(ids)})
            check_key(table, SCHEMAS[part])
            settled_tables[part] = table
            count, name = counted(ids.nunique(), column), (files or {}).get(part, part)
            example = f"{ids.iloc[0]!r} as {table[column].iloc[0]!r}"
            notices.append(f"{name}: {count} ending in .0 read as whole numbers, {example}.")
    return settled_tables, notices


def with_composed_ids(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with ids in Unicode's composed form. Raises FairvizError where two ids of a list become one."""
    columns = {column: composed(runs[column]) for column in COLUMNS}
    if all(columns[column] is runs[column] for column in COLUMNS):
        return runs
    runs = runs.assign(**columns)
    check_key(runs, SCHEMAS["runs"])
    return runs


def _all_match(values: pd.Series, pattern: str) -> bool:
    """Return whether there are texts and all match; the first is looked at alone, which most columns end with."""
    import pyarrow.compute as pc

    texts = distinct_texts(values)
    return bool(len(texts)) and all(
        pc.all(pc.match_substring_regex(some, pattern)).as_py() for some in (texts[:1], texts)
    )


def _matches(values: pd.Series, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(distinct_texts(values), pattern)).as_py())


def _without_point(values: pd.Series) -> pd.Series:
    import pyarrow.compute as pc

    texts = pc.replace_substring_regex(distinct_texts(values), r"\.0+$", "")
    return with_texts(values, pd.Series(pd.array(texts, dtype="str")))
