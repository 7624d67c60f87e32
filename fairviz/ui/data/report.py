"""The content of a study and its inconsistencies: the report of fairviz.study.checks, and the first rows of each
table.
"""

import pandas as pd
import streamlit as st

from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import html

PARTS = ("queries", "documents", "runs", "qrels", "labels")
SHOWN_ROWS = 200
TITLES = {"data_warnings": "What is odd in the study.", "data_counts": "Counts of every part."}
LACKING = {
    "queries": "Add queries.tsv with the columns query_id and text.",
    "documents": "Add documents.tsv with the columns doc_id and text.",
    "runs": "Add runs/NAME.run in the TREC format, or rank the documents with `fairviz rank`.",
    "qrels": "Add qrels.txt in the TREC format: query 0 document relevance.",
    "labels": "Add labels.csv with the columns doc_id, annotator and label.",
}


def previews(study: Study) -> None:
    """Draw the first rows of every table with text unchanged, and how to add missing tables."""
    for table_name in PARTS:
        table = getattr(study, table_name)
        with st.expander(f"{table_name}: {len(table):,} rows"):
            if not len(table):
                html.message("info", f"This study has no {table_name}.", LACKING[table_name])
                continue
            first_rows = table.head(SHOWN_ROWS)
            st.dataframe(
                first_rows, hide_index=True, key=f"preview_{table_name}", height=260, alt=f"First rows of {table_name}."
            )
            if len(table) > SHOWN_ROWS:
                html.quiet(f"The first {SHOWN_ROWS} of {len(table):,} rows.")


def warnings(study: Study) -> None:
    """Draw the counted inconsistencies with their remedies, and an expander with all counts."""
    report = cache.report(study)
    warned = report["remedy"] != ""
    if warned.any():
        html.quiet("Noticed in this study. Nothing was dropped: each line says what it means for the figures.")
        _table(report[warned], ["part", "item", "count", "detail", "remedy"], "data_warnings")
    else:
        html.message("good", "Nothing odd was found in this study.")
    with st.expander("Everything counted"):
        _table(report[~warned], ["part", "item", "count", "detail"], "data_counts")


def _table(frame: pd.DataFrame, columns: list[str], key: str) -> None:
    st.dataframe(
        frame[columns], hide_index=True, key=key, height="content" if len(frame) < 12 else 420, alt=TITLES[key]
    )
