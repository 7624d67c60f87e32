"""The cards of the page Gender swap: table and figures of an experiment."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.gender_swap.answer import (
    APART,
    FEW,
    LESS,
    MORE,
    NAMES,
    Counterfactual,
    counterfactual,
)
from fairviz.analyses.gender_swap.experiment import ANY, ARMS, PRIMARY, SECOND, SPARED, SWAP
from fairviz.comparison.pairs import rows_text
from fairviz.evaluation.settings import Settings
from fairviz.figures import crbo, crbo_queries
from fairviz.output.recipes import Recipe, recipe
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study
from fairviz.ui.gender_swap.controls import RANKER
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.state import choices
from fairviz.words.counterparts import packaged
from fairviz.words.sentences import Span, counted, number, out_of, with_interval

SYSTEM, PLACEBO = "counterfactual_system", "counterfactual_placebo"
COLUMN = {ANY: "placebo", SPARED: "placebo_spared"}
SERIES = {SWAP: "genders swapped", **{arm: NAMES[arm] for arm in (PRIMARY, SECOND)}}
TITLE, AXIS = "How much of the lists stays", "rank-biased overlap with the list as it was (1: unmoved)"
ABOUT_TRIPLES = "How often each wording scores above the mean of the other two, by query."
ABOUT_TABLE = "Means over queries with 95 % intervals; TExFAIR and NFaiRR of the unchanged rankings."
ABOUT_PLACEBO = (
    "Placebo: as many content words replaced by near ones, one draw a seed. Spared: none of the query's words."
)
VERDICTS = {MORE: "gender more", LESS: "gender less", APART: "not significant", FEW: "not tested"}
ROW_HEIGHT = 35
FIXED = "†"  # of a CRBO that no swap can move


@dataclass(frozen=True)
class Deck:
    """The input of the cards. system: the ranker whose queries are shown."""

    study: Study
    settings: Settings
    found: Counterfactual
    system: str


def deck(study: Study, settings: Settings, result: Counterfactual) -> Deck:
    """The cards' ground, with the ranker that the reader chose."""
    systems, swap = result.experiment.systems, result.table[result.table["measure"] == NAMES[SWAP]]
    lowest = min(zip(swap["value"].fillna(np.inf), range(len(systems)), strict=True))[1]
    return Deck(study, settings, result, choices.among(SYSTEM, systems, systems[lowest]))


def table_card(deck: Deck) -> None:
    """CRBO beside TExFAIR and NFaiRR and the placebos, a row a ranker."""
    table = deck.found.table
    with st.container(border=True, gap="xsmall", key="counterfactual_table_card"):
        words, more = st.columns([12, 2], vertical_alignment="center")
        with words:
            html.quiet(f"{ABOUT_TABLE} {tested(table, deck.found.family)}")
        with more:
            alt = "CRBO, placebos, TExFAIR and NFaiRR of each ranker."
            charts.table(table, alt, "counterfactual_table", _recipe(deck, "table"), figure=False)
        cells = wide_cells(table)
        st.dataframe(
            cells, hide_index=True, key="counterfactual_grid", row_height=ROW_HEIGHT,
            height=(min(len(cells), 8) + 1) * ROW_HEIGHT + 3, alt="CRBO beside TExFAIR and NFaiRR, a row a ranker.",
        )  # fmt: skip
        if note := fixed_note(table):
            html.quiet(note)


def _recipe(deck: Deck, part: str) -> Recipe:
    """Return the Python that makes a table again."""
    plan = deck.found.experiment.plan
    pairs = {name: getattr(plan.counterparts, name) for name in ("words", "names")}
    changed = {name: value for name, value in pairs.items() if value != getattr(packaged(), name)}
    arguments = (deck.study, st.session_state[RANKER])
    return recipe(
        counterfactual, *arguments, settings=deck.settings, seeds=plan.seeds, substitute=plan.substitute, **changed,
        table=f"found.{part}",
    )  # fmt: skip


def figure_card(deck: Deck) -> None:
    """CRBO and the placebos of each ranker, with their intervals."""
    table = deck.found.table
    rows = table[table["measure"].isin(list(NAMES.values()))]
    rows = rows.assign(measure=rows["measure"].map({NAMES[arm]: SERIES[arm] for arm in ARMS}))
    info = crbo.info(rows, TITLE, AXIS, list(SERIES.values()), ["system", "measure", "value", "ci_low", "ci_high"])
    with st.container(border=True, gap="xsmall", key="counterfactual_figure_card"):
        charts.table(table, info.alt, "counterfactual_bars", _recipe(deck, "table"))
        charts.chart(crbo.draw(info, charts.theme()), info.alt, "counterfactual_chart")
        with st.expander("In words", key="counterfactual_words", type="compact"):
            html.findings(*((Span(sentence),) for sentence in deck.found.sentences))
            html.quiet(ABOUT_PLACEBO)


def wide_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker: values with their intervals, and for each placebo the difference of CRBO to it."""
    rows = []
    for system, part in table.groupby("system", sort=False):
        cells = {"ranker": str(system)}
        for row in part.to_dict("records"):
            mark = FIXED if 0 < row["by_construction"] == row["queries"] else ""
            cells[row["measure"]] = with_interval(row["value"], row["ci_low"], row["ci_high"], mark)
            if row["verdict"]:
                apart = with_interval(row["difference"], row["difference_low"], row["difference_high"])
                cells[f"CRBO − {row['measure']}"] = f"{apart} {VERDICTS[row['verdict']]}"
        rows.append(cells)
    beside = [name for name in rows[0] if "@" in name]
    placebos = [each for arm in (ANY, SPARED) for each in (NAMES[arm], f"CRBO − {NAMES[arm]}")]
    order = ["ranker", NAMES[SWAP], *beside, *placebos]
    heads = {name: name.split("(")[0].split("@")[0] for name in beside}
    heads[f"CRBO − {NAMES[SPARED]}"] = "CRBO − spared"
    return pd.DataFrame(rows)[order].rename(columns=heads)


def tested(table: pd.DataFrame, family: str) -> str:
    """Draw the tests of the differences, and the effect of ties."""
    swap = table[table["measure"] == NAMES[SWAP]]
    queries = int(swap["queries"].max())
    text = f"Tests over {counted(queries, 'query')}: {family}."
    open_ = swap[(swap["highest"] - swap["lowest"]) > 0.005]
    bounds = "; ".join(
        f"{row['system']} {number(row['lowest'])} to {number(row['highest'])}" for row in open_.to_dict("records")
    )
    ties = f"CRBO over all orders of tied documents: {bounds}." if bounds else ""
    return " ".join(filter(None, (text, ties)))


def fixed_note(table: pd.DataFrame) -> str:
    """Return the meaning of the mark of values that are 1 by construction; empty without such a value."""
    fixed = table[table["by_construction"] > 0]
    counts = "; ".join(
        f"{row['system']}, {row['measure']}: {out_of(row['by_construction'], row['queries'], 'query')}"
        for row in fixed.to_dict("records")
    )
    return f"{FIXED} 1 by construction, no query word was replaced: {counts}." if counts else ""


def queries_card(deck: Deck) -> None:
    """Every query's CRBO against a placebo's RBO; a click names the query."""
    with st.container(border=True, gap="xsmall", key="counterfactual_queries_card"):
        which, against, more = st.columns([3, 4, 2], vertical_alignment="bottom", gap="small")
        which.selectbox("Ranker", deck.found.experiment.systems, key=SYSTEM)
        arm = pick.select(PLACEBO, "Against", tuple(COLUMN), place=against)
        table = deck.found.queries
        info = crbo_queries.info(table, deck.system, COLUMN[arm], SERIES[arm], deck.settings.query)
        with more:
            charts.table(table, info.alt, "counterfactual_queries", _recipe(deck, "queries"))
        charts.chart(crbo_queries.draw(info, charts.theme(), 360), info.alt, "counterfactual_by_query", select_query)
        html.quiet("One mark per query; below the line the swap moves more. Click one for its lists.")


def select_query(name: str) -> None:
    """Names the query for other pages too. For callbacks, which run before the widgets are drawn."""
    st.session_state["query"] = name


def triples_card(deck: Deck) -> None:
    """Draw each ranker's preferred wording of a document; nothing for a study without such documents."""
    table = deck.found.triples
    if table.empty:
        return
    wordings = [deck.study.neutral, *deck.study.groups]
    lines = table.assign(line=table["system"] + ", " + table["judged"])
    columns = ["line", "wording", "share", "share_low", "share_high"]
    title, axis = "Which wording of a document is preferred", "share of triples, mean over queries"
    info = crbo.info(lines, title, axis, wordings, columns, even=0.5, genders=True)
    with st.container(border=True, gap="xsmall", key="counterfactual_triples_card"):
        words, more = st.columns([8, 2], vertical_alignment="center")
        with words:
            family = int(table["p_corrected"].notna().sum())
            html.quiet(f"{ABOUT_TRIPLES} Tests of scores: {rows_text(family, parse_tests(deck.settings.tests))}.")
        with more:
            charts.table(table, info.alt, "counterfactual_triples", _recipe(deck, "triples"))
        charts.chart(crbo.draw(info, charts.theme()), info.alt, "counterfactual_triples_chart")
