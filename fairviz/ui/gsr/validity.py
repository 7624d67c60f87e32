"""The card on GSR's validity: three questions, each answered by a sentence, figures and a note."""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from fairviz.analyses.gsr_validity.direct import Reliability, by_leaning, direct_stereotypes
from fairviz.analyses.gsr_validity.parity import Parity, parity_agreement
from fairviz.datasets import DATASETS
from fairviz.errors import FairvizError
from fairviz.evaluation.gsr import PERFECT, direction_of
from fairviz.evaluation.settings import Settings
from fairviz.figures import direct_gap, parity_cloud
from fairviz.figures import reliability as reliability_figure
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.study.record import Study
from fairviz.ui.gsr.cards import GsrDeck
from fairviz.ui.gsr.wording import interval, number
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import explained, fragment
from fairviz.ui.kit.tables import with_texts
from fairviz.ui.shell import fetching
from fairviz.words.genderedness import vocabulary_mean
from fairviz.words.sentences import Sentence, Span, counted, decimal, p_value
from fairviz.words.vectors import GOOGLE_NEWS, NAMES, google_news_path, offered

TITLE = "How far can GSR be trusted?"
SECOND_HELP = "A second set. The Data page adds word2vec, fastText and GloVe files, under Add and save."
PRINTED_PARITY = 0.92
FEWEST_SYSTEMS = 3
NEAR_HALF = 0.01
FOLLOWS = 0.5  # correlation from which one quantity is said to follow another
ALPHA = 0.05
DIRECT_NOTE = (
    "Gap: male documents for each female one, by the paper's Appendix B. Both counts get one more document "
    "(smoothing = 1), as short lists may lack a gender. The paper adds none. Dotted: the vocabulary's mean, which "
    "divides the queries."
)


@fragment
def card(study: Study, settings: Settings, deck: GsrDeck) -> None:
    """Draw, when opened, one of the questions, the only one that is answered.

    It is of all queries and of the study's own systems, independent of left-out queries and debiasing.
    """
    fold = st.expander(TITLE, key="stereotypes_trust", type="compact", on_change="rerun")
    if not fold.open:
        return
    with fold:
        name = pick.segmented("stereotypes_question", TITLE, tuple(QUESTIONS), "direct stereotypes")
        draw = QUESTIONS[name]
        with explained():
            draw(study, settings.changed(left_out=0), deck)


def _draw_direct(study: Study, settings: Settings, deck: GsrDeck) -> None:
    """Draw the genders mentioned in the lists of one system against those in the relevant documents (GSR paper, section
    4.2.5)."""
    mentions = cache.direct(study, settings)  # raises without the system perfect, before anything is asked
    systems = tuple(name for name in study.systems if name != PERFECT)
    if not systems:
        raise FairvizError(f"the study has no system beside {PERFECT}", "Add a run on the Data page.")
    system = pick.select("stereotypes_direct_system", "System against perfect", systems, deck.system, width=420)
    html.findings(direct(mentions.leanings, system))
    info = direct_gap.info(mentions.gaps, mentions.bins, system, deck.using.centre)
    gaps = call(direct_stereotypes, study, settings.changed(systems=()), smoothing=cache.SMOOTHING)
    centre = call(vocabulary_mean, call(direction_of, settings))
    left, right = st.columns(2, gap="small")
    with left:
        table = mentions.gaps[mentions.gaps["system"] == system]
        figure = direct_gap.draw(info, deck.texts, deck.theme, query=deck.query)
        code = recipe(gaps, rows={"system": system})
        _figure("Query by query", table, figure, info.alt, "stereotypes_direct_gap", code, DIRECT_NOTE)
    with right:
        table = mentions.leanings[mentions.leanings["system"] == system]
        figure = direct_gap.draw_shares(info, deck.theme)
        code = recipe(by_leaning, gaps, centre, rows={"system": system})
        _figure("By the leaning of the query", table, figure, info.shares_alt, "stereotypes_direct_shares", code)


def _draw_vectors(study: Study, settings: Settings, deck: GsrDeck) -> None:
    """Draw the queries and the systems' GSR by both sets of vectors; a button that fetches vectors that are not
    there."""
    options = tuple(name for name in offered() if name != settings.embedding)
    if not options:
        raise FairvizError(
            "there are no other word vectors", "The Data page adds files of vectors, under Add and save."
        )
    second = pick.select("stereotypes_second", "Set against", options, help=SECOND_HELP, width=420)
    if second == GOOGLE_NEWS and not os.path.isfile(google_news_path()):
        remedy = f"Fetch them here, or run: fairviz fetch {second}"
        html.message("info", f"The word vectors {second} are not fetched.", remedy)
        fetching.offer(DATASETS[second])
        return
    comparison = cache.other_vectors(study, settings, second)
    agreement, called = comparison.agreement, names(settings.embedding, second)
    html.findings(reliability(agreement, called))
    left, right = st.columns(2, gap="small")
    with left:
        centres = deck.using.centre, cache.centre(settings.changed(embedding=second))
        info = reliability_figure.info(agreement.queries, agreement.pearson, called, centres)
        table = queries_table(agreement.queries, deck.texts, called)
        figure = reliability_figure.draw(info, deck.texts, deck.theme, query=deck.query)
        _figure("Queries by both", table, figure, info.alt, "stereotypes_reliability")
    with right:
        table = systems_table(comparison.systems, called)
        cells = with_texts(table, {name: [decimal(value, 2) for value in table[name]] for name in table.columns[1:]})
        title, key = "GSR by both, with its 95 % interval", "stereotypes_by_both"
        alt = f"GSR of {counted(len(table), 'system')} by both sets of vectors."
        charts.headed(title, table, alt, "stereotypes_both", figure=False, notes=(spearman(agreement),))
        st.dataframe(cells, hide_index=True, key=key, height="content" if len(table) < 12 else 420, alt=alt)


def _draw_parity(study: Study, settings: Settings, deck: GsrDeck) -> None:
    """Draw the toy set's answers (GSR paper, section 3.5), which do not depend on the study."""
    found = cache.parity(settings)
    html.findings(parity(found))
    cloud = parity_cloud.info(found.sample, found.r, found.solutions)
    direction = call(direction_of, Settings(embedding=settings.embedding, pairs=settings.pairs))
    code = recipe(parity_agreement, direction, table="found.sample")
    figure = parity_cloud.draw(cloud, deck.theme)
    note = parity_note(found)
    _figure("Answers to the toy set", found.sample, figure, cloud.alt, "stereotypes_parity", code, note)


def _figure(
    title: str,
    table: pd.DataFrame,
    figure: go.Figure,
    alt: str,
    key: str,
    code: Recipe = charts.NOTHING,
    note: str = "",
) -> None:
    """Draw a figure under its title and the export of its numbers."""
    charts.headed(title, table, alt, key, code, notes=(note,))
    charts.chart(figure, alt, key)


QUESTIONS = {  # what draws the answer
    "direct stereotypes": _draw_direct,  # do lists mention women where queries lean female, and men where male?
    "other vectors": _draw_vectors,  # do other word vectors give the same order of queries and systems?
    "statistical parity": _draw_parity,  # does GSR agree with a count of stereotypical documents in a toy set?
}


def names(first: str, second: str) -> tuple[str, str]:
    """Return different names of both sets; of a file, its name without the folder if these differ."""
    short = [name if name in NAMES else Path(name).name or name for name in (first, second)]
    return (short[0], short[1]) if short[0] != short[1] else (first, second)


def reliability(agreement: Reliability, set_names: tuple[str, str]) -> Sentence:
    """Return the sentence on the agreement of two sets of vectors on queries, and on the first system by each."""
    common_queries = agreement.queries.dropna(subset=["first", "second"])
    name_spans = (Span(set_names[0], True), Span(" and "), Span(set_names[1], True))
    if np.isnan(agreement.pearson):
        return (
            *name_spans,
            Span(" cannot be compared: fewer than three common queries, or one never varies."),
        )
    low, high = agreement.interval
    verdict = "agree" if low > 0 else "contradict each other" if high < 0 else "do not clearly agree"
    verdict = verdict if np.isfinite(low) else "have no tested agreement"
    interval_text = f", 95 % interval {interval(low, high)}" if np.isfinite(low) else ""
    queries_text = counted(len(common_queries), "query")
    agreement_text = f" {verdict} on {queries_text}: Pearson's r {number(agreement.pearson)}{interval_text}."
    return (*name_spans, Span(agreement_text), *_highest(agreement.systems))


def _highest(systems: pd.DataFrame) -> list[Span]:
    """Return the systems of the highest slope by each set; empty if fewer than two systems have slopes by both."""
    slopes = systems.dropna(subset=["first", "second"]).set_index("system")
    if len(slopes) < 2:
        return []
    first, second = str(slopes["first"].idxmax()), str(slopes["second"].idxmax())
    if first == second:
        return [Span(" By both "), Span(first, True), Span(" has the highest GSR.")]
    start = [Span(" The highest GSR has "), Span(first, True), Span(" by the first, ")]
    return [*start, Span(second, True), Span(" by the second.")]


def spearman(agreement: Reliability) -> str:
    """Return the sentence on the agreement on the order of systems."""
    count = len(agreement.systems.dropna(subset=["first", "second"]))
    if np.isnan(agreement.spearman):
        return f"An order of systems needs {FEWEST_SYSTEMS} with different slopes by both; here are {count}."
    p = p_value(agreement.spearman_p)
    order = f"Order of {counted(count, 'system')}: Spearman's ρ {number(agreement.spearman)}, {p}."
    return f"{order} Slopes by different vectors have different scales: compare their order."


def queries_table(queries: pd.DataFrame, texts: Mapping[str, str], set_names: tuple[str, str]) -> pd.DataFrame:
    """Return a table: query_id, text, and g by each set."""
    table = queries.assign(text=queries["query_id"].astype(str).map(texts))
    return table.rename(columns=dict(zip(("first", "second"), set_names, strict=True)))[
        ["query_id", "text", *set_names]
    ]


def systems_table(systems: pd.DataFrame, set_names: tuple[str, str]) -> pd.DataFrame:
    """Return a table: system, and by each set GSR and the ends of its interval, NAME, NAME from, NAME to."""
    table = {"system": systems["system"]}
    for name, side in zip(set_names, ("first", "second"), strict=True):
        table |= {name: systems[side], f"{name} from": systems[f"{side}_low"], f"{name} to": systems[f"{side}_high"]}
    return pd.DataFrame(table)


def direct(leanings: pd.DataFrame, system: str) -> Sentence:
    """Return the sentence on the share of queries with female over-representation, by the leaning of the queries, and
    whether the two shares differ significantly, by Fisher's exact test, as they are of different queries."""
    from scipy.stats import fisher_exact

    system_rows = leanings[(leanings["system"] == system) & (leanings["over"] == "female") & (leanings["queries"] > 0)]
    rows = {str(row["leaning"]): row for _, row in system_rows.iterrows()}
    if len(rows) < 2:
        return (Span("There are no queries on both sides of the vocabulary's mean."),)
    female, male = rows["female"], rows["male"]
    p = float(fisher_exact([[row["count"], row["queries"] - row["count"]] for row in (female, male)]).pvalue)
    way = "follows" if female["share"] > male["share"] else "goes against"
    verdict = "the two shares are not significantly different" if p >= ALPHA else f"it {way} the stereotype"
    shares = [
        f"{row['share']:.0%} ({row['ci_low']:.0%} to {row['ci_high']:.0%})".replace("%", " %") for row in (female, male)
    ]
    return (
        Span(system, True),
        Span(f" over-represents female documents for {shares[0]} of the {female['queries']} queries that lean "),
        Span(
            f"female, and for {shares[1]} of the {male['queries']} that lean male: {verdict} (Fisher's exact test, "
            f"{p_value(p)})."
        ),
    )


def parity(toy_parity: Parity) -> Sentence:
    """Return the sentence on the correlation, the number of answers, and the paper's correlation."""
    if np.isnan(toy_parity.r):
        return (Span("With these vectors, GSR or the share of stereotypical documents is constant."),)
    verb = "follows" if toy_parity.r >= FOLLOWS else "does not follow"
    return (
        Span(f"On the paper's toy data GSR {verb} the share of stereotypical documents ("),
        Span(f"r = {number(toy_parity.r)}", True),
        Span(f" over {toy_parity.solutions:,} answers; paper {number(PRINTED_PARITY)})."),
    )


def parity_note(toy_parity: Parity) -> str:
    """Return notes on the computation, the drawn sample, missing words, and the range of GSR at equal shares."""
    count = len(toy_parity.queries)
    parts = [
        f"{count} occupations; for each the man's document, the woman's or both: 3^{count} answers. r is exact over "
        f"all of them. The figure shows {len(toy_parity.sample):,}, drawn at random with a fixed seed. This study "
        "takes no part."
    ]
    slopes_at_half = toy_parity.sample.loc[(toy_parity.sample["stereotypical"] - 0.5).abs() < NEAR_HALF, "gsr"]
    if len(slopes_at_half):
        parts.append(
            f"At equal shares GSR still runs from {number(slopes_at_half.min())} to {number(slopes_at_half.max())}."
        )
    if toy_parity.missing:
        parts.append(f"Without a vector: {', '.join(toy_parity.missing)}.")
    return " ".join(parts)
