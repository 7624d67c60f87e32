"""The content of a study: a checklist of its parts, the report of fairviz.study.checks, and the first rows of each
table.
"""

from typing import Literal

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import kind_of
from fairviz.annotation.voters import annotator_names
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kept.tables import word_list_use
from fairviz.ui.kit import coloured_words, html
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.sentences import first_listed

PARTS = ("queries", "documents", "runs", "qrels", "labels")
SHOWN_ROWS = 200
LACKING = {
    "queries": "Add queries.tsv with the columns query_id and text.",
    "documents": "Add documents.tsv with the columns doc_id and text.",
    "runs": "Add runs/NAME.run in the TREC format, or rank the documents here.",
    "qrels": "Add qrels.txt in the TREC format: query 0 document relevance.",
    "labels": "Add labels.csv with the columns doc_id, annotator and label.",
}
USES = {
    "queries": "search, GSR",
    "documents": "reading, word counts, GSR",
    "runs": "every measure",
    "qrels": "nDCG, relevance",
    "labels": "fairness measures",
}
HEADS = ("", "part", "holds", "used for")
ANNOTATOR_HEADS = ("labels by", "annotators", "labels")
MOST_NAMED = 8
COUNT_COLUMNS = ["part", "item", "count", "detail"]
ALT_TEXTS = {"data_warnings": "Inconsistencies of the study.", "data_counts": "Counts of every part."}


def checklist(study: Study, settings: Settings) -> None:
    """Draw the parts of a study that were found, with their size and use, and how to add the missing ones."""
    rows = [_part_row(study, part) for part in PARTS]
    st.html(coloured_words.table_html(HEADS, [*rows, _word_list_row(study)]))
    use, counts = word_list_use(study, settings), study.word_counts
    of_counts = f"Word counts are of {counts.collection}, {counts.tokenizer} tokens." if counts else ""
    if sentences := (*use.rules, *use.misses):
        with st.expander("How the word list matches", key="data_word_list", type="compact"):
            html.quiet(" ".join(filter(None, (of_counts, *sentences))))


def _part_row(study: Study, part: str) -> tuple[str, ...]:
    count = len(getattr(study, part))
    if count:
        return "✓", part, f"{count:,} rows", USES[part]
    if part == "documents" and study.word_counts:
        return "✓", part, f"word counts of {study.word_counts.documents:,}, no text", "word counts, GSR"
    return "✗", part, f"<b>Missing.</b> {html.escape(LACKING[part])}", USES[part]


def _word_list_row(study: Study) -> tuple[str, ...]:
    own = study.lexicon or (study.word_counts and study.word_counts.lexicon)
    words = f"its own, {len(own.words):,} words" if own and own.name != GSR_LEXICON.name else "built-in list"
    return "✓", "word list", words, "counting gender words"


def annotators(study: Study) -> None:
    """Draw whose labels the study has: the annotators of each kind, and the number of their labels."""
    counts = study.labels["annotator"].value_counts()
    names_by_kind: dict[str, list[str]] = {}
    for name in annotator_names(study):
        names_by_kind.setdefault(kind_of(study, name) or "kind not named", []).append(name)
    rows = [
        (html.escape(kind), html.escape(first_listed(names, MOST_NAMED)), f"{int(counts[names].sum()):,}")
        for kind, names in names_by_kind.items()
    ]
    if rows:
        st.html(coloured_words.table_html(ANNOTATOR_HEADS, rows))


def previews(study: Study) -> None:
    """Draw an expander with the first rows of every table, text unchanged."""
    parts = [part for part in PARTS if study.has(part)]
    if not parts:
        return
    with st.expander("First rows", key="data_rows", type="compact"):
        for tab, part in zip(st.tabs(parts), parts, strict=True):
            with tab:
                table = getattr(study, part)
                alt = f"First rows of {part}."
                st.dataframe(table.head(SHOWN_ROWS), hide_index=True, key=f"preview_{part}", height=260, alt=alt)


def warnings(study: Study) -> None:
    """Draw the counted inconsistencies with their remedies, and an expander with all counts."""
    report = cache.report(study)
    warned = report["remedy"] != ""
    html.strong("To check" if warned.any() else "No inconsistency was found.")
    if warned.any():
        _draw_table(report.loc[warned, [*COUNT_COLUMNS, "remedy"]], "data_warnings")
    with st.expander("All counts", key="data_all_counts", type="compact"):
        _draw_table(report.loc[~warned, COUNT_COLUMNS], "data_counts")


def _draw_table(table: pd.DataFrame, key: str) -> None:
    height: Literal["content"] | int = "content" if len(table) < 12 else 420
    st.dataframe(table, hide_index=True, key=key, height=height, alt=ALT_TEXTS[key])
