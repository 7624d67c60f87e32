"""The content of a study: a checklist of its parts, the report of fairviz.study.checks, and the first rows of each
table.
"""

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


def checklist(study: Study, settings: Settings) -> None:
    """Draw the parts of a study that were found, with their size and use, and how to add the missing ones."""
    rows = []
    for part in PARTS:
        count = len(getattr(study, part))
        if part == "documents" and not count and study.word_counts:
            holds = f"word counts of {study.word_counts.documents:,}, no text"
            rows.append(("✓", part, holds, "word counts, GSR"))
        elif count:
            rows.append(("✓", part, f"{count:,} rows", USES[part]))
        else:
            rows.append(("✗", part, f"<b>Missing.</b> {html.escape(LACKING[part])}", USES[part]))
    own = study.lexicon or (study.word_counts and study.word_counts.lexicon)
    words = f"its own, {len(own.words):,} words" if own and own.name != GSR_LEXICON.name else "built-in list"
    rows.append(("✓", "word list", words, "counting gender words"))
    st.html(coloured_words.table_html(HEADS, rows))
    if study.word_counts:
        html.quiet(f"Word counts are of {study.word_counts.collection}, {study.word_counts.tokenizer} tokens.")
    use = word_list_use(study, settings)
    if sentences := (*use.rules, *use.misses):
        html.quiet(f"Word list: {' '.join(sentences)}")


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
                if len(table) > SHOWN_ROWS:
                    html.quiet(f"The first {SHOWN_ROWS} of {len(table):,} rows.")


def warnings(study: Study) -> None:
    """Draw the counted inconsistencies with their remedies, and an expander with all counts."""
    report = cache.report(study)
    warned = report["remedy"] != ""

    def draw(rows: pd.DataFrame, columns: list[str], key: str, alt: str) -> None:
        st.dataframe(rows[columns], hide_index=True, key=key, height="content" if len(rows) < 12 else 420, alt=alt)

    columns = ["part", "item", "count", "detail"]
    if warned.any():
        html.strong("To check")
        draw(report[warned], [*columns, "remedy"], "data_warnings", "Inconsistencies of the study.")
    else:
        html.message("good", "No inconsistency was found.")
    with st.expander("All counts", key="data_all_counts", type="compact"):
        draw(report[~warned], columns, "data_counts", "Counts of every part.")
