"""The lower cards of the Agreement page: consensus, annotators' records, and documents on which they disagree."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.annotation.agreement import TEST_LABEL
from fairviz.annotation.consensus import CONSENSUSES
from fairviz.figures import confusion
from fairviz.ui.agreement import cards as agreement_cards
from fairviz.ui.agreement import wording as agreement_words
from fairviz.ui.agreement.cards import HEIGHT, Deck
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell.controls import describe
from fairviz.ui.state import session

SHOWN_TEXT = 160
MOST_DOCUMENTS = 1000
TABLE_HEIGHT = 300
ROW_HEIGHT = 34
MAJORITY = ("with_majority", "compared")
TESTS = ("test_questions", "failed", "failed_share", "dropped")
ENTROPY = "0 where all say the same, 1 where every label has equally many votes"


def consensus_card(deck: Deck) -> None:
    """Draw the consensus by majority and by Dawid-Skene, the ties, and each annotator's estimated confusion."""
    with st.container(border=True, gap="xsmall"):
        html.strong("Consensus: an annotator made of all")
        record = deck.table("annotators", whole=True)
        html.quiet(agreement_words.quality_note(record))
        html.quiet(agreement_words.who_votes(deck.study, deck.voters))
        if len(deck.voters) < 2:
            return
        ties = deck.table("ties", whole=True)
        labelled = deck.study.labels["doc_id"].nunique()
        for method in CONSENSUSES:
            label_count = int(record.loc[record["annotator"] == method, "labels"].sum())
            html.quiet(agreement_words.votes_note(label_count, labelled, len(ties), method))
        majority, model, left_open = st.columns(3, gap="small")
        _use(deck, majority, "majority")
        _use(deck, model, "dawid-skene")
        with left_open.popover("Ties", disabled=not len(ties), width="stretch"):
            st.dataframe(ties, hide_index=True, height=TABLE_HEIGHT, alt="Documents that a majority leaves open.")
        _estimated(deck)


def _use(deck: Deck, place, method: str) -> None:
    place.button(
        f"Use {method}",
        on_click=guarded(session.choose),
        kwargs={"annotator": method},
        key=f"agreement_use_{method}",
        disabled=deck.settings.annotator == method or deck.study.label_kind != "gender",
        help="Makes it the annotator whose labels count, on every page.",
        width="stretch",
    )


def _estimated(deck: Deck) -> None:
    cells = deck.table("dawid-skene", whole=True)
    names = list(dict.fromkeys(cells["annotator"]))
    if not names:
        return
    annotator = pick.select("agreement_estimated", "Estimated confusion of", names, hide_label=True)
    figure = confusion.info_estimated(cells, annotator)
    charts.chart(confusion.draw(figure, charts.theme(), HEIGHT - 60), figure.alt, "agreement_estimated_chart")


def records_card(deck: Deck) -> None:
    """Draw each annotator's record."""
    record = deck.table("annotators", whole=True)
    hidden = [] if TEST_LABEL in deck.study.labels else [*TESTS]
    hidden += [] if len(deck.voters) > 1 else [*MAJORITY]
    with st.container(border=True, gap="xsmall"):
        html.strong("Each annotator's record")
        for description in describe(list(dict.fromkeys([*record["annotator"], *([WORD_LIST] if deck.words else [])]))):
            html.quiet(description)
        if len(deck.voters) > 1:
            html.quiet(
                "With the majority: how often the label is what most of those who vote said, over documents that two "
                "or more of them labelled and that are no tie."
            )
        st.dataframe(
            _with_kinds(deck, record.drop(columns=hidden)),
            hide_index=True,
            height=min(TABLE_HEIGHT, ROW_HEIGHT * (len(record) + 1) + 3),
            key="agreement_records",
            column_config={
                "with_majority": st.column_config.NumberColumn("with the majority", format="percent"),
                "failed_share": st.column_config.NumberColumn("failed share", format="percent"),
                "test_questions": "test questions",
            },
            alt="Labels, agreement with the majority and test questions of each annotator.",
        )


def _with_kinds(deck: Deck, record: pd.DataFrame) -> pd.DataFrame:
    """Return the record with the kind of each annotator, if the study contains any."""
    kinds = [kind_of(deck.study, str(name)) for name in record["annotator"]]
    if any(kinds):
        record.insert(1, "kind", kinds)
    return record


def documents_card(deck: Deck) -> None:
    """Draw the documents on which annotators disagree, with their labels, the highest entropy first."""
    divided = deck.table("documents", whole=True)
    with st.container(border=True, gap="xsmall"):
        html.strong("Where they part")
        if not len(divided):
            html.quiet("On no document.")
            return
        more = f", the first {MOST_DOCUMENTS:,} here" if len(divided) > MOST_DOCUMENTS else ""
        html.quiet(f"{len(divided):,} documents, most divided first{more}. The Read page goes through them one by one.")
        divided = divided.head(MOST_DOCUMENTS)
        texts = deck.study.documents.set_index("doc_id")["text"].reindex(divided["doc_id"]).fillna("").astype("str")
        rows = divided.assign(text=texts.str.slice(0, SHOWN_TEXT).to_numpy())
        st.dataframe(
            rows.drop(columns=["votes"]),
            hide_index=True,
            height=TABLE_HEIGHT,
            key="agreement_documents",
            column_config={"entropy": st.column_config.NumberColumn("entropy", format="%.3f", help=ENTROPY)},
            alt="Documents on which the annotators part.",
        )


def cards(deck: Deck) -> list[Callable[[Deck], None]]:
    """Return the cards that this study has data for, in order; the page lays them out in two columns."""
    if not deck.several:
        words = [agreement_cards.words_card] if deck.words else []
        return [*words, agreement_cards.against_card, agreement_cards.confusion_card, records_card]
    upper = [agreement_cards.overall_card, agreement_cards.against_card]
    upper += [agreement_cards.confusion_card, agreement_cards.pairs_card]
    words = [agreement_cards.words_card] if deck.words else []
    return [*upper, *words, documents_card, consensus_card, records_card]
