"""The tabs of the Agreement page: more figures, consensus, annotators' records, and documents."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import GENDERED, WORD_LIST, kind_of
from fairviz.analyses.reading.filters import ANY
from fairviz.annotation.agreement import TEST_LABEL, left_out_text
from fairviz.annotation.voters import CONSENSUSES, annotator_names, votes_of
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.figures import confusion
from fairviz.ui.agreement import cards as agreement_cards
from fairviz.ui.agreement import wording as agreement_words
from fairviz.ui.agreement.cards import HEIGHT, Deck
from fairviz.ui.kept import labels as agreement_cache
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.shell import frame
from fairviz.ui.shell.controls import describe
from fairviz.ui.state import choices, going, session

SHOWN_TEXT = 160
MOST_DOCUMENTS = 1000
TAB, FORMS = "agreement_tab", "Labelling forms"  # a tab of earlier versions, which is on Annotate
TABLE_HEIGHT = 300
DOCUMENTS_ALT = "Documents on which the annotators disagree, the highest entropy first."
RECORDS_ALT = "Labels, agreement with the majority and test questions of each annotator."
MAJORITY = ("with_majority", "compared")
TESTS = ("test_questions", "failed", "failed_share", "dropped")


def consensus_card(deck: Deck) -> None:
    """Draw the consensus by majority and by Dawid-Skene, the ties, and each annotator's estimated confusion."""
    with st.container(border=True, gap="xsmall"):
        html.quiet(left_out_text(deck.study.labels))
        record = deck.table("annotators", whole=True)
        html.quiet(agreement_words.quality_note(record))
        html.quiet(agreement_words.who_votes(deck.study, deck.voters))
        if len(deck.voters) < 2:
            return
        ties = deck.table("ties", whole=True)
        labelled = len(votes_of(deck.study, deck.settings.voters).doc_ids)
        for method in CONSENSUSES:
            label_count = len(agreement_cache.consensus(deck.study, deck.settings, method))
            html.quiet(agreement_words.votes_note(label_count, labelled, len(ties), method))
        majority, model, left_open = st.columns(3, gap="small")
        _use(deck, majority, "majority")
        _use(deck, model, "dawid-skene")
        with left_open.popover("Ties", disabled=not len(ties), width="stretch"):
            st.dataframe(ties, hide_index=True, height=TABLE_HEIGHT, alt="Documents without a majority.")
        _estimated(deck)


def _use(deck: Deck, place, method: str) -> None:
    place.button(
        f"Use {method}",
        on_click=guarded(session.choose),
        kwargs={"annotator": method},
        key=f"agreement_use_{method}",
        disabled=deck.settings.annotator == method or deck.study.label_kind != "gender",
        help="Use its labels in the measures of every page.",
        width="stretch",
    )


def _estimated(deck: Deck) -> None:
    cells = deck.table("dawid-skene", whole=True)
    names = list(dict.fromkeys(cells["annotator"]))
    if not names:
        return
    choice_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
    annotator = pick.select(
        "agreement_estimated", "Estimated confusion of", names, hide_label=True, place=choice_column
    )
    figure = confusion.info_estimated(cells, annotator)
    with table_column:
        charts.table(cells, figure.alt, "agreement_estimates", deck.recipe("dawid-skene", whole=True))
    charts.chart(confusion.draw(figure, charts.theme(), HEIGHT - 60), figure.alt, "agreement_estimated_chart")


def records_card(deck: Deck) -> None:
    """Draw each annotator's record."""
    record = deck.table("annotators", whole=True)
    hidden = [] if TEST_LABEL in deck.study.labels else [*TESTS]
    hidden += [] if len(deck.voters) > 1 else [*MAJORITY]
    with st.container(border=True, gap="xsmall"):
        for description in describe(list(dict.fromkeys([*record["annotator"], *([WORD_LIST] if deck.words else [])]))):
            html.quiet(description)
        code = deck.recipe("annotators", whole=True)
        charts.headed("Records", record, RECORDS_ALT, "agreement_annotators", code, figure=False)
        st.dataframe(
            _with_kinds(deck, record.drop(columns=hidden)),
            hide_index=True,
            height=min(TABLE_HEIGHT, grids.height(len(record), len(record), 34)),
            key="agreement_records",
            column_config={
                "with_majority": st.column_config.NumberColumn(
                    "with the majority", format="percent", help=term("majority agreement")
                ),
                "failed_share": st.column_config.NumberColumn("failed share", format="percent"),
                "test_questions": st.column_config.NumberColumn("test questions", help=term("test question")),
            },
            alt=RECORDS_ALT,
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
        frame.cautions(deck.study)
        if not len(divided):
            html.quiet(f"{disagreement_text(deck.votes)}.")
            return
        note_column, button_column, table_column = st.columns([8, 2, 1.3], gap="small", vertical_alignment="center")
        with table_column:
            code = deck.recipe("documents", whole=True)
            charts.table(divided, DOCUMENTS_ALT, "agreement_divided", code, figure=False)
        with note_column:
            html.quiet(agreement_words.confusion_note(deck.votes, deck.table("confused", whole=True)))
        merged = GENDERED if deck.comparison.binary else ""
        button_column.button("Read them", key="agreement_read", width="stretch", on_click=guarded(going.to_disputed),
                             args=(divided["doc_id"].iloc[0], ANY, merged, deck.comparison.without_empty))  # fmt: skip
        divided = divided.head(MOST_DOCUMENTS)
        texts = deck.study.documents.set_index("doc_id")["text"].reindex(divided["doc_id"]).fillna("").astype("str")
        rows = divided.assign(text=texts.str.slice(0, SHOWN_TEXT).to_numpy())
        st.dataframe(
            rows.drop(columns=["votes"]),
            hide_index=True,
            height=TABLE_HEIGHT,
            key="agreement_documents",
            column_config={"entropy": st.column_config.NumberColumn("entropy", format="%.3f", help=term("entropy"))},
            alt=f"{DOCUMENTS_ALT[:-1]}, up to {MOST_DOCUMENTS:,}.",
        )


def open_moved() -> None:
    """Open the page Annotate for an old link to the labelling forms."""
    if st.session_state.get(TAB) == FORMS:
        del st.session_state[TAB]
        going.to_annotate()


def annotate_link() -> None:
    """Draw a button to the page Annotate."""
    st.button("Label documents on Annotate", key="agreement_annotate", on_click=guarded(going.to_page),
              args=(going.ANNOTATE,), help="By rules, by models, or by people with a link each.")  # fmt: skip


def tabs(deck: Deck) -> None:
    """Draw a tab for everything else that this study has data for; the open one is computed."""
    bodies = _bodies(deck)
    choices.among(TAB, tuple(bodies))
    for tab, body in zip(st.tabs(list(bodies), key=TAB, on_change="rerun"), bodies.values(), strict=True):
        with tab:
            if tab.open:
                body(deck)


def _bodies(deck: Deck) -> dict[str, Callable[[Deck], None]]:
    """Return the function that draws each tab, by its name."""
    together = {"All together": agreement_cards.overall_card, "Documents": documents_card}
    together = together if len(deck.voters) > 1 else {}
    words = {"Word list": agreement_cards.words_card} if deck.words else {}
    several = {"Pairs": agreement_cards.pairs_card, "Consensus": consensus_card}
    several = several if len(annotator_names(deck.study)) > 1 else {}
    return {**together, **several, **words, "Records": records_card}
