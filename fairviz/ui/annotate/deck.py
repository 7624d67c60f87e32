"""The data of every card below the form: the study's rules and models, and the reference."""

from dataclasses import dataclass

import streamlit as st

from fairviz.analyses.annotator_accuracy.labellers import demonstrations, labellers, references, usual_reference
from fairviz.annotation.annotators.accounts import Account
from fairviz.annotation.annotators.annotating import DEMONSTRATION
from fairviz.annotation.voters import annotators_alongside, with_labels_alongside
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import speakers
from fairviz.study.record import Study
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import html, pick

REFERENCE = "annotators_reference"


@dataclass(frozen=True)
class Deck:
    """The annotators of the page.

    names: the rules and models without the reference; the study includes the labels stored next to it, by the
    annotators `beside`. accounts: the content of stored answers by annotator.
    """

    study: Study
    settings: Settings
    names: tuple[str, ...]
    reference: str
    accounts: dict[str, Account]
    beside: tuple[str, ...] = ()


def deck(study: Study, settings: Settings) -> Deck | None:
    """Return the deck after drawing the choice of the reference; None, with a message, without annotators to
    compare.
    """
    names_alongside = tuple(annotators_alongside(study))
    study = with_labels_alongside(study)
    annotators = labellers(study)
    if not annotators:
        html.message(
            "info",
            f"No label in {study.title or study.name} comes from a rule or a model yet.",
            "Label the documents below; the labels join the study under the annotator's name.",
        )
        return None
    offered = references(study, settings.voters)
    reference = pick.select(REFERENCE, "Compare with", offered, usual_reference(study, settings), width=260)
    names = tuple(name for name in annotators if name != reference)
    if not names:
        html.message(
            "info",
            f"{reference} alone gave labels here, so there is nobody to compare with it.",
            "Label the documents with another annotator, or add labels.csv by people.",
        )
        return None
    return Deck(study, settings, names, reference, kept.accounts(study, names), names_alongside)


def details(deck: Deck) -> None:
    """Draw notes on the reference, and on labels that no measure uses."""
    with st.expander("Details", key="annotators_details", type="compact"):
        kinds = speakers(deck.study, deck.reference, deck.settings.voters)
        html.quiet(f"The reference is {kinds}. None of the annotators compared is a person.")
        html.quiet("High agreement with a reference does not prove that labels are right.")
        small_models = [name for name in deck.beside if DEMONSTRATION in deck.study.annotators[name].description]
        if names := tuple(dict.fromkeys([*demonstrations(deck.accounts), *small_models])):
            html.message("warning", f"{', '.join(names)}: {DEMONSTRATION}")
        if deck.beside:
            html.quiet(f"Compared here, used by no measure: {', '.join(deck.beside)}.")
