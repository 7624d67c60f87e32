"""The card on the validity of GSR: other vectors, direct mentions, and statistical parity."""

import os

import streamlit as st

from fairviz.analyses.gsr_validity.direct import by_leaning, direct_stereotypes
from fairviz.analyses.gsr_validity.parity import parity_agreement
from fairviz.datasets import DATASETS
from fairviz.errors import FairvizError
from fairviz.evaluation.gsr import PERFECT, direction_of
from fairviz.evaluation.settings import Settings
from fairviz.figures import direct_gap, parity_cloud, reliability
from fairviz.output.recipes import call, recipe
from fairviz.study.record import Study
from fairviz.ui.gsr import validity_wording as text
from fairviz.ui.gsr.cards import Deck
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kept.gsr import SMOOTHING, Direct, direct, other_vectors, parity
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import fragment
from fairviz.ui.kit.tables import with_texts
from fairviz.ui.shell import fetching
from fairviz.words.genderedness import vocabulary_mean
from fairviz.words.sentences import counted, decimal
from fairviz.words.vectors import GOOGLE_NEWS, google_news_path, offered

TITLE = "How far can GSR be trusted?"
OTHER, DIRECT, PARITY = "other vectors", "direct stereotypes", "statistical parity"
QUESTION, SECOND, SYSTEM = "stereotypes_question", "stereotypes_second", "stereotypes_direct_system"
SECOND_HELP = "A second set. The Data page adds word2vec, fastText and GloVe files, under Add and save."
ABOUT = {
    DIRECT: "Do lists mention women more where queries lean female, and men where male?",
    OTHER: "Do other word vectors give the same order of queries and systems?",
    PARITY: "Does GSR agree with a count of stereotypical documents in a toy set?",
}


@fragment
def card(study: Study, settings: Settings, deck: Deck) -> None:
    """Draw, when opened, one of three questions, the only one that is computed.

    It is of all queries and of the study's own systems, independent of left-out queries and debiasing.
    """
    fold = st.expander(TITLE, key="stereotypes_trust", type="compact", on_change="rerun")
    if not fold.open:
        return
    with fold:
        question = pick.segmented(QUESTION, TITLE, tuple(ABOUT), DIRECT)
        html.quiet(ABOUT[question])
        settings = settings.changed(left_out=0)
        try:
            {OTHER: _draw_other, DIRECT: _draw_direct, PARITY: _draw_parity}[question](study, settings, deck)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)


def _draw_other(study: Study, settings: Settings, deck: Deck) -> None:
    """Draw the queries by both sets of vectors, and the systems' GSR by both."""
    options = [name for name in offered() if name != settings.embedding]
    second = pick.select(SECOND, "Set against", options, help=SECOND_HELP, width=420)
    if not second or not _can_open(second):
        return
    comparison = other_vectors(study, settings, second)
    names = text.names(settings.embedding, second)
    centres = deck.using.centre, cache.centre(settings.changed(embedding=second))
    html.findings(text.reliability(comparison.agreement, names))
    queries_column, systems_column = st.columns([11, 9], gap="small")
    with queries_column:
        agreement = reliability.info(comparison.agreement.queries, comparison.agreement.pearson, names, centres)
        queries = text.queries_table(comparison.agreement.queries, deck.texts, names)
        charts.headed("Queries by both", queries, agreement.alt, "stereotypes_reliability")
        charts.chart(
            reliability.draw(agreement, deck.texts, deck.theme, query=deck.query),
            agreement.alt,
            "stereotypes_reliability",
        )
    with systems_column:
        table = text.systems_table(comparison.systems, names)
        alt = f"GSR of {counted(len(table), 'system')} by both sets of vectors."
        charts.headed("GSR by both, with its 95 % interval", table, alt, "stereotypes_both", figure=False)
        texts = {name: [decimal(value, 2) for value in table[name]] for name in table.columns[1:]}
        st.dataframe(
            with_texts(table, texts), hide_index=True, key="stereotypes_by_both",
            height="content" if len(table) < 12 else 420,
            alt=alt,
        )  # fmt: skip
        html.quiet(text.spearman(comparison.agreement))


def _can_open(second: str) -> bool:
    """Return whether the vectors can be opened; if not, draw a message and a button that fetches them."""
    if second != GOOGLE_NEWS or os.path.isfile(google_news_path()):
        return True
    html.message(
        "info",
        f"The word vectors {second} are not fetched.",
        f"Fetch them here, or run: fairviz fetch {second}",
    )
    fetching.offer(DATASETS[second])
    return False


def _draw_direct(study: Study, settings: Settings, deck: Deck) -> None:
    """Draw the genders mentioned in the lists of one system against those in the relevant documents."""
    mentions: Direct = direct(study, settings)
    systems = [name for name in study.systems if name != PERFECT]
    if not systems:
        html.message("info", f"The study has no system beside {PERFECT}.", "Add a run on the Data page.")
        return
    system = pick.select(SYSTEM, "System against perfect", systems, deck.system, width=420)
    html.findings(text.direct(mentions.leanings, system))
    gap = direct_gap.info(mentions.gaps, mentions.bins, system, deck.using.centre)
    gap_column, shares_column = st.columns(2, gap="small")
    gaps_call = call(direct_stereotypes, study, settings.changed(systems=()), smoothing=SMOOTHING)
    with gap_column:
        charts.chart(direct_gap.draw(gap, deck.texts, deck.theme, query=deck.query), gap.alt, "stereotypes_direct_gap")
        charts.table(mentions.gaps[mentions.gaps["system"] == system], gap.alt, "stereotypes_direct_gap",
                     recipe(gaps_call, rows={"system": system}))  # fmt: skip
    with shares_column:
        charts.chart(direct_gap.draw_shares(gap, deck.theme), gap.shares_alt, "stereotypes_direct_shares")
        shares = mentions.leanings[mentions.leanings["system"] == system]
        centre = call(vocabulary_mean, call(direction_of, settings))
        code = recipe(by_leaning, gaps_call, centre, rows={"system": system})
        charts.table(shares, gap.shares_alt, "stereotypes_direct_shares", code)
    html.quiet(text.DIRECT_NOTE)


def _draw_parity(study: Study, settings: Settings, deck: Deck) -> None:
    """Draw the toy set's answers, which do not depend on the study."""
    toy_parity = parity(settings)
    html.findings(text.parity(toy_parity))
    cloud = parity_cloud.info(toy_parity.sample, toy_parity.r, toy_parity.solutions)
    charts.chart(parity_cloud.draw(cloud, deck.theme), cloud.alt, "stereotypes_parity")
    text_column, table_column = st.columns([9, 2], vertical_alignment="center")
    with text_column:
        html.quiet(text.parity_note(toy_parity))
    with table_column:
        direction = call(direction_of, Settings(embedding=settings.embedding, pairs=settings.pairs))
        code = recipe(parity_agreement, direction, table="found.sample")
        charts.table(toy_parity.sample, cloud.alt, "stereotypes_parity", code)
