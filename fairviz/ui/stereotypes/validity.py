"""The card that asks how far GSR can be trusted: by other vectors, against direct mentions, and statistical parity."""

import os

import streamlit as st

from fairviz.datasets import DATASETS
from fairviz.errors import FairvizError
from fairviz.evaluation import recipes
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import PERFECT
from fairviz.figures import direct_gap, parity_cloud, reliability
from fairviz.study.study import Study
from fairviz.ui.data import fetching
from fairviz.ui.kept import stereotypes as cache
from fairviz.ui.kept.validity import SMOOTHING, Direct, direct, other_vectors, parity
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import fragment
from fairviz.ui.state import choices
from fairviz.ui.stereotypes import validity_wording as text
from fairviz.ui.stereotypes.cards import Deck
from fairviz.words.vectors import GOOGLE_NEWS, google_news_path, offered

OTHER, DIRECT, PARITY = "other vectors", "direct stereotypes", "statistical parity"
QUESTION, SECOND, SYSTEM = "stereotypes_question", "stereotypes_second", "stereotypes_direct_system"
SECOND_HELP = "A second set. The Data page adds word2vec, fastText and GloVe files, under Add and save."
ABOUT = {
    OTHER: "Would other word vectors say the same of queries and of systems?",
    DIRECT: "Do lists mention women more often where queries lean female, and men where they lean male?",
    PARITY: "Does GSR agree with a plain count of stereotypical documents?",
}


@fragment
def card(study: Study, settings: Settings, deck: Deck) -> None:
    """One of three questions at a time; only that one is computed.

    All queries take part, and the study's own systems, whatever the page leaves out or debiases.
    """
    with st.container(border=True, gap="xsmall", key="stereotypes_trust"):
        html.strong("How far can GSR be trusted?")
        chosen = choices.among(QUESTION, tuple(ABOUT), PARITY)
        st.segmented_control(
            "How far can GSR be trusted?", tuple(ABOUT), required=True, key=QUESTION, label_visibility="collapsed"
        )
        html.quiet(ABOUT[chosen])
        settings = settings.changed(left_out=0)
        try:
            {OTHER: _other, DIRECT: _direct, PARITY: _parity}[chosen](study, settings, deck)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)


def _other(study: Study, settings: Settings, deck: Deck) -> None:
    """Queries by both sets of vectors, and the systems' GSR by both."""
    options = [name for name in offered() if name != settings.embedding]
    choices.among(SECOND, options)
    second = st.selectbox("Set against", options, key=SECOND, help=SECOND_HELP, width=420)
    if not second or not _is_there(second):
        return
    found = other_vectors(study, settings, second)
    names = text.names(settings.embedding, second)
    centres = deck.using.centre, cache.centre(settings.changed(embedding=second))
    html.notice(text.reliability(found.agreement, names))
    left, right = st.columns([11, 9], gap="small")
    with left:
        drawn = reliability.info(found.agreement.queries, found.agreement.pearson, names, centres)
        charts.chart(
            reliability.draw(drawn, deck.texts, deck.theme, query=deck.query), drawn.alt, "stereotypes_reliability"
        )
        charts.table(
            text.queries_table(found.agreement.queries, deck.texts, names), drawn.alt, "stereotypes_reliability"
        )
    with right:
        html.strong("GSR by both, with its 95 % interval")
        table = text.systems_table(found.systems, names)
        form = {name: st.column_config.NumberColumn(format="%.2f") for name in table.columns[1:]}
        st.dataframe(
            table, hide_index=True, key="stereotypes_by_both", height="content" if len(table) < 12 else 420,
            column_config=form, alt=f"GSR of {len(table)} systems by both sets of vectors.",
        )  # fmt: skip
        html.quiet(text.spearman(found.agreement))


def _is_there(second: str) -> bool:
    """Whether the vectors can be opened; where they are not fetched, says so and offers to fetch them."""
    if second != GOOGLE_NEWS or os.path.isfile(google_news_path()):
        return True
    html.message(
        "info",
        f"The word vectors {second} are not fetched.",
        f"Fetch them here, or run: fairviz fetch {second}",
    )
    fetching.offer(DATASETS[second])
    return False


def _direct(study: Study, settings: Settings, deck: Deck) -> None:
    """Whom the lists of one system mention, against those of the relevant documents."""
    found: Direct = direct(study, settings)
    systems = [name for name in study.systems if name != PERFECT]
    if not systems:
        html.message("info", f"The study has no system beside {PERFECT}.", "Add a run on the Data page.")
        return
    choices.among(SYSTEM, systems, deck.system)
    system = st.selectbox("System against perfect", systems, key=SYSTEM, width=420)
    html.notice(text.direct(found.leanings, system))
    drawn = direct_gap.info(found.gaps, found.bins, system, deck.using.centre)
    left, right = st.columns(2, gap="small")
    with left:
        charts.chart(
            direct_gap.draw(drawn, deck.texts, deck.theme, query=deck.query), drawn.alt, "stereotypes_direct_gap"
        )
        charts.table(found.gaps[found.gaps["system"] == system], drawn.alt, "stereotypes_direct_gap",
                     recipes.direct(study, settings, system, SMOOTHING))  # fmt: skip
    with right:
        charts.chart(direct_gap.draw_shares(drawn, deck.theme), drawn.shares_alt, "stereotypes_direct_shares")
        shares = found.leanings[found.leanings["system"] == system]
        code = recipes.direct(study, settings, system, SMOOTHING, shares=True)
        charts.table(shares, drawn.shares_alt, "stereotypes_direct_shares", code)
    html.quiet(text.DIRECT_NOTE)


def _parity(study: Study, settings: Settings, deck: Deck) -> None:
    """The toy set's answers; nothing of the study takes part."""
    found = parity(settings)
    html.notice(text.parity(found))
    drawn = parity_cloud.info(found.sample, found.r, found.solutions)
    charts.chart(parity_cloud.draw(drawn, deck.theme), drawn.alt, "stereotypes_parity")
    words, more = st.columns([9, 2], vertical_alignment="center")
    with words:
        html.quiet(text.parity_note(found))
    with more:
        charts.table(found.sample, drawn.alt, "stereotypes_parity", recipes.parity(settings))
