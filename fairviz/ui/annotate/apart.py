"""Documents on which annotators disagree, linked to Read."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import EACH_OTHER, REFERENCE, disagreements
from fairviz.evaluation.study_facts import names_text
from fairviz.output.recipes import recipe, with_alongside
from fairviz.ui.annotate.accuracy import open_ticked
from fairviz.ui.annotate.deck import Deck
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.words.sentences import counted

FROM, WHO = "annotators_apart", "annotators_who"
SHOWN_TEXT, MOST, HEIGHT = 160, 1000, 300
TABLE_KEY = "annotators_apart_shown"


def card(deck: Deck) -> None:
    """Draw the documents on which annotators differ from the reference, or from each other."""
    with st.container(border=True, gap="xsmall", key="annotators_apart_card"):
        head, who, more = st.columns([5, 6, 1.6], gap="small", vertical_alignment="center")
        offered, texts = (REFERENCE, EACH_OTHER), "different from {}".format
        comparison = pick.segmented(FROM, "Where they differ from", offered, place=head, texts=texts)
        selected_names = pick.several(WHO, "Of", deck.names, place=who, placeholder="all of them", hide_label=True)
        names = tuple(selected_names) or deck.names
        voters = deck.settings.voters
        table = kept.apart(deck.study, names, deck.reference, comparison, voters)
        alt = "Documents on which annotators differ, most first."
        with more:
            code = recipe(disagreements, with_alongside(deck.study), names, deck.reference, comparison, voters)
            charts.table(table, alt, "annotators_apart", code, figure=False)
        if table.empty:
            html.quiet("On no document.")
            return
        html.quiet(_count_text(len(table), deck.reference if comparison == REFERENCE else "", names))
        shown_table = _with_texts(deck, table.head(MOST))
        st.dataframe(
            shown_table, hide_index=True, key=TABLE_KEY, height=HEIGHT if len(shown_table) > 7 else "content",
            alt=alt,
            on_select=guarded(partial(open_ticked, shown_table["document"].tolist(), TABLE_KEY)),
            selection_mode="single-row",
            column_config={"differing": st.column_config.NumberColumn("differing", help=DISAGREEING[comparison])},
        )  # fmt: skip


DISAGREEING = {REFERENCE: "Annotators with another label than the reference.",
           EACH_OTHER: "Annotators with another label than most."}  # fmt: skip


def _count_text(count: int, reference: str, names: Sequence[str]) -> str:
    """Return whose labels differ on how many documents. reference: from which, empty for from each other."""
    limit = f", the first {MOST:,} here" if count > MOST else ""
    whose = f"{names_text(names)} differ from {reference}" if reference else f"{names_text(names)} differ"
    return f"{whose} on {counted(count, 'document')}{limit}. A tick opens one on Read."


def _with_texts(deck: Deck, table: pd.DataFrame) -> pd.DataFrame:
    texts = deck.study.documents.drop_duplicates("doc_id").set_index("doc_id")["text"]
    begins = texts.reindex(table["doc_id"]).fillna("").astype("str").str.slice(0, SHOWN_TEXT)
    renamed = table.rename(columns={"doc_id": "document", "reference": f"{deck.reference} (reference)"})
    heads = {name: name.removeprefix("label by ") for name in map(str, renamed) if name.startswith("label by ")}
    new_names = {name: head for name, head in heads.items() if head not in (*renamed.columns, "text")}
    return renamed.rename(columns=new_names).assign(text=begins.to_numpy())
