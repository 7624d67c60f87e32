"""The page Measures: how measures correlate, the queries on which they contradict one another, and their curves over
the cutoff."""

import streamlit as st

from fairviz.comparison import atlas as atlases
from fairviz.comparison.curves import over_cutoffs, with_and_without_rbdf
from fairviz.comparison.family import untested
from fairviz.evaluation import questions
from fairviz.evaluation.questions import ask
from fairviz.evaluation.study_values import grouping_of
from fairviz.figures import cutoff_curve, measure_matrix
from fairviz.measures import MEASURES, Question
from fairviz.output.recipes import recipe
from fairviz.ui.compare.cards import CompareDeck
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import going
from fairviz.words.sentences import counted

KINDS = {"Pearson": "pearson", "Kendall": "kendall", "order of systems": "order"}
ATLAS = "compare_atlas"
OPPOSED = "compare_opposed"
OPPOSED_ALT = "Queries on which two measures find different systems fairer, the clearest first."
OPPOSED_HEADS = {
    "query": "query", "first": "by", "first_fairer": "fairer is", "second": "and by", "second_fairer": "it is",
    "strength": "strength",
}  # fmt: skip
HEIGHT = 400
BLUE = "Blue is agreement: by every measure, more counts as fairer, whatever its direction."
CURVES = "compare_curves"
USUAL = ("TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR")  # figure 2 of the TExFAIR paper
ABOUT = "rbdf=False skips documents without gender words: few words decide."


def atlas_card(deck: CompareDeck) -> None:
    """Draw measures against measures, and the queries on which they disagree about the fairer system."""
    atlas = tables.atlas(deck.study, deck.asked.texts, deck.settings)
    left, right = st.columns([5, 6], gap="small")
    with left:
        kind_column, table_column = st.columns([8, 3], gap="small", vertical_alignment="center")
        kind = KINDS[pick.segmented(ATLAS, "By", tuple(KINDS), place=kind_column, help=BLUE)]
        info = measure_matrix.info(atlas.counted, atlas.measures, kind)
        with table_column:
            code = recipe(atlases.atlas, deck.study, deck.asked.texts, deck.settings, table="found.correlations")
            notes = (tables.coverage_note(deck.study, deck.settings, deck.asked.questions),)
            charts.table(atlas.correlations, info.alt, "compare_atlas", code, notes=notes)
        charts.chart(measure_matrix.draw(info, deck.theme, HEIGHT), info.alt, "compare_matrix")
    with right:
        _opposed(deck, atlas)


def _opposed(deck: CompareDeck, atlas: atlases.Atlas) -> None:
    """Draw the queries on which a measure contradicts the chosen one; a tick opens the lists of a query."""
    table = atlas.queries(*deck.pair)
    is_measure = table["first"].eq(deck.measure.text) | table["second"].eq(deck.measure.text)
    table = table[is_measure & table["query_id"].ne("")].reset_index(drop=True)
    lines = [f"measure = {deck.measure.text!r}", f"rows = found.queries(*{deck.pair!r})"]
    lines.append("rows = rows[rows['query_id'] != '']")
    where = "rows[rows['first'].eq(measure) | rows['second'].eq(measure)].reset_index(drop=True)"
    code = recipe(atlases.atlas, deck.study, deck.asked.texts, deck.settings, lines=lines, table=where)
    title = f"{'Queries' if len(table) else 'No queries'} where measures contradict {deck.measure.name}"
    notes = (f"{counted(len(table), 'row')}, the clearest first. Tick one to open its lists on Query.",)
    charts.headed(title, table, OPPOSED_ALT, "compare_opposed_numbers", code, figure=False, notes=notes)
    if table.empty:
        return
    names = {question.text: question.name for question in deck.asked.questions}
    queries = table["query_id"]
    rows = table.assign(
        query=queries.map(lambda name: deck.texts.get(name, name)),
        first=table["first"].map(names),
        second=table["second"].map(names),
    )

    def open_lists() -> None:
        ticked = st.session_state[OPPOSED]["selection"]["rows"]
        if ticked and ticked[0] < len(queries):
            going.to_query(queries[ticked[0]], deck.pair, deck.measure.name)

    st.dataframe(
        rows[list(OPPOSED_HEADS)],
        hide_index=True,
        height=HEIGHT,
        key=OPPOSED,
        on_select=guarded(open_lists),
        selection_mode="single-row",
        column_config={
            **OPPOSED_HEADS,
            "query": st.column_config.TextColumn("query", width=190),
            "strength": st.column_config.NumberColumn(format="%.2f", help=term("strength")),
        },
        alt=OPPOSED_ALT,
    )


def curves_card(deck: CompareDeck) -> None:
    """Draw measures over the cutoff, each with and without the discount RBDF, a panel a measure; by default those of
    figure 2 of the TExFAIR paper."""
    offered, settings = offers(deck), deck.settings
    if not offered:
        return
    usual = tuple(name for name in USUAL if name in offered) or tuple(offered)[:3]
    measures_column, table_column = st.columns([10, 2], gap="small", vertical_alignment="bottom")
    names = pick.several(CURVES, "Measures over the cutoff", tuple(offered), usual, place=measures_column, help=ABOUT)
    measures = [offered[name] for name in names or usual]
    texts = [question.text for question in measures]
    lines = tables.cutoff_curves(deck.study, texts, settings)
    shares = grouping_of(deck.study, settings.crossed_with).targets.tolist()
    outside = untested(deck.study, settings)
    info = cutoff_curve.info(lines, measures, settings.cutoff, settings.system, shares, outside)
    with table_column:
        code = recipe(over_cutoffs, deck.study, texts, settings)
        charts.table(lines, info.alt, "compare_curves", code, notes=(info.sentence,))
    figure = cutoff_curve.draw(info, deck.styles, deck.theme, 320)
    figure.update_layout(legend={"orientation": "h", "x": 0, "y": -0.16})
    charts.chart(figure, info.alt, "compare_curves_chart")


def offers(deck: CompareDeck) -> dict[str, Question]:
    """Return the computable measures with a curve by their names on this page, those with RBDF also without it."""
    names = [name for name, record in MEASURES.items() if record.per_query]
    texts = with_and_without_rbdf([ask(name, deck.settings).text for name in names])
    computable = questions.split_by_data(deck.study, deck.settings, texts).questions
    return {f"{one.name}(rbdf=False)" if one.parameters.get("rbdf") is False else one.name: one for one in computable}
