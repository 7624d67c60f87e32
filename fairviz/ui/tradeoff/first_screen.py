"""The rest of the Overview's first screen: badges with the facts of the study, and doors to the next questions."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from fairviz.annotation.voters import annotator_names, votes_of
from fairviz.comparison.finding import Order
from fairviz.comparison.pairs import BEHIND
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import overview_facts, told_voters
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import voters
from fairviz.ui.state import going
from fairviz.words.sentences import counted

SHORT = 40  # characters of a query in a door


def badges(study: Study, settings: Settings, questions: Sequence[Question]) -> None:
    """Draw the counts of the study, the share of ranks that have a label, and the kind of the annotator."""
    labels = [question.text for question in questions if question.family == "labels"]
    label_scores = cache.scores(study, tuple(labels[:1]), settings) if labels else None
    html.badges(overview_facts(study, settings, label_scores))


def doors(study: Study, settings: Settings, orders: Sequence[Order]) -> None:
    """Draw links to the pages that answer the next questions, each with a line about this study."""
    with st.container(horizontal=True, gap="small", key="doors"):
        _doors(study, settings, orders)


def _doors(study: Study, settings: Settings, orders: Sequence[Order]) -> None:
    pair = _widest(orders)
    if pair:
        order, system, baseline = pair
        query, text = _largest_gap(study, settings, order.question.text, system, baseline)
        _door(
            "Why is one system fairer?",
            f"{system} against {baseline}" + (f"; largest gap: “{text}”" if text else f" in {order.question.name}"),
            partial(going.to_query, query, (system, baseline), order.question.name),
        )
        _door(
            "Would other choices change it?",
            "Cutoff, α, labels, tokenizer, word list.",
            partial(going.to_sensitivity, system, baseline),
        )
    if annotator_names(study):
        votes = votes_of(study, settings.voters)
        if len(votes.annotators) < 2:
            text = f"{counted(len(votes.doc_ids), 'document')} by {told_voters(study, votes.annotators)}."
        else:
            text = voters.disagreement(study, settings)
        is_disputed = bool(votes.is_disputed.any())
        open_page = partial(going.to_disputed, "") if is_disputed else partial(going.to_page, going.INSPECT)
        _door("Are the labels right?", text, open_page)
    _door("Use your own runs", "A folder, a zip or single files.", going.to_saving)


def _door(title: str, text: str, open_page: Callable[..., object]) -> None:
    with st.container(border=True, gap="xsmall", width="stretch", height="stretch"):
        st.button(f"{title} →", key=f"door_{title.split()[0].lower()}", type="tertiary", on_click=guarded(open_page))
        html.quiet(text)


def _widest(orders: Sequence[Order]) -> tuple[Order, str, str] | None:
    """Return the first measure with a system that is significantly behind, the best system and that system; else the
    first and the last system of the first measure."""
    for order in orders:
        behind = order.of_verdict(BEHIND)
        if order.standing and behind:
            return order, order.standing.baseline, behind[-1]
    for order in orders:
        if len(order.contenders) > 1:
            return order, order.contenders[0].system, order.contenders[-1].system
    return None


def _largest_gap(study: Study, settings: Settings, measure: str, system: str, baseline: str) -> tuple[str, str]:
    """Return the query in which the two systems differ most, and its text, shortened; empty without one."""
    table = cache.by_query(study, (measure,), settings, system, baseline)
    if table.empty:
        return "", ""
    query = str(table["query_id"].iloc[0])
    text = study.queries.set_index("query_id")["text"].get(query, query) if len(study.queries) else query
    return query, text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
