"""The cards of the page Gender swap: table and figures of an experiment, the two lists of a query, as they are and with
genders swapped, and the texts of a document before and after."""

from collections.abc import Sequence
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
    replacements,
)
from fairviz.analyses.gender_swap.experiment import ANY, ARMS, PRIMARY, SECOND, SPARED, SWAP, Collection
from fairviz.comparison.pairs import rows_text
from fairviz.evaluation.columns import Column, Row, cells, interval, plain
from fairviz.evaluation.settings import Settings
from fairviz.figures import crbo, crbo_queries
from fairviz.output.recipes import Recipe, recipe
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study
from fairviz.ui.gender_swap.controls import RANKER
from fairviz.ui.kit import charts, grids, highlight, html, pick
from fairviz.ui.kit.side_by_side import Side, compact_html, draw_texts
from fairviz.ui.state import choices, session
from fairviz.words.counterparts import Edit, apply_edits, packaged
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
FIXED = "†"  # of a CRBO that no swap can move
LONGEST = 70  # characters of a document in a list
MOST_RANKS = 50
MOST_DOCUMENTS = 500  # to choose from
DOCUMENT = "counterfactual_document"


@dataclass(frozen=True)
class SwapDeck:
    """The input of the cards. system: the ranker whose queries are shown."""

    study: Study
    settings: Settings
    found: Counterfactual
    system: str


def cards(study: Study, settings: Settings, answer: Counterfactual) -> None:
    """Draw all cards of a result, at first with the queries of the ranker whose lists move most."""
    experiment, swap = answer.experiment, answer.table[answer.table["measure"] == NAMES[SWAP]]
    systems = experiment.systems
    lowest = min(zip(swap["value"].fillna(np.inf), range(len(systems)), strict=True))[1]
    deck = SwapDeck(study, settings, answer, choices.among(SYSTEM, systems, systems[lowest]))
    left, right = st.columns(2, gap="small")
    with left:
        _figure_card(deck)
    with right:
        _queries_card(deck)
    _table_card(deck, swap)
    _triples_card(deck)
    document_card(study, experiment.collection, _lists_card(deck))
    sentences = replacements(experiment.counts, experiment.short)
    if experiment.encoded:
        sentences.append(f"A model read {experiment.encoded:,} texts: those that it had not read before.")
    html.quiet(" ".join(sentences))
    html.note("\n".join(answer.messages))


def _recipe(deck: SwapDeck, part: str) -> Recipe:
    """Return the Python that makes a table again."""
    plan = deck.found.experiment.plan
    pairs = {name: getattr(plan.counterparts, name) for name in ("words", "names")}
    changed = {name: value for name, value in pairs.items() if value != getattr(packaged(), name)}
    arguments = (deck.study, st.session_state[RANKER])
    return recipe(
        counterfactual, *arguments, settings=deck.settings, seeds=plan.seeds, substitute=plan.substitute, **changed,
        table=f"found.{part}",
    )  # fmt: skip


def _figure_card(deck: SwapDeck) -> None:
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


def _queries_card(deck: SwapDeck) -> None:
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


def _table_card(deck: SwapDeck, swap: pd.DataFrame) -> None:
    """CRBO beside TExFAIR and NFaiRR and the placebos, a row a ranker, with the tests of the differences and the effect
    of ties. swap: the rows of CRBO."""
    table = deck.found.table
    tests = f"Tests over {counted(int(swap['queries'].max()), 'query')}: {deck.found.family}."
    open_rows = swap[(swap["highest"] - swap["lowest"]) > 0.005].to_dict("records")
    bounds = "; ".join(f"{row['system']} {number(row['lowest'])} to {number(row['highest'])}" for row in open_rows)
    ties = f" CRBO over all orders of tied documents: {bounds}." if bounds else ""
    with st.container(border=True, gap="xsmall", key="counterfactual_table_card"):
        alt, code = "CRBO, placebos, TExFAIR and NFaiRR of each ranker.", _recipe(deck, "table")
        grids.head(f"{ABOUT_TABLE} {tests}{ties}", table, alt, "counterfactual_table", code)
        grid_alt = "CRBO beside TExFAIR and NFaiRR, a row a ranker."
        grids.grid(wide_cells(table), grid_alt, "counterfactual_grid", most=8)
        html.quiet(fixed_note(table))


def _value(row: Row) -> str:
    mark = FIXED if 0 < row["by_construction"] == row["queries"] else ""
    return with_interval(row["value"], row["ci_low"], row["ci_high"], mark)


WIDE = (  # a row a ranker: each measure and placebo, and the difference of CRBO to each placebo
    Column("ranker", plain("system")),
    Column(lambda row: row["measure"], _value),
    Column(
        lambda row: f"CRBO − {row['measure']}" if row["verdict"] else "",
        lambda row: f"{interval('difference')(row)} {VERDICTS[row['verdict']]}",
    ),
)


def wide_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker: values with their intervals, and for each placebo the difference of CRBO to it, under short
    heads."""
    shown = cells(table, WIDE)
    beside = [name for name in map(str, shown) if "@" in name]
    placebos = [each for arm in (ANY, SPARED) for each in (NAMES[arm], f"CRBO − {NAMES[arm]}")]
    heads = {name: name.split("(")[0].split("@")[0] for name in beside}
    heads[f"CRBO − {NAMES[SPARED]}"] = "CRBO − spared"
    return shown[["ranker", NAMES[SWAP], *beside, *placebos]].rename(columns=heads)


def fixed_note(table: pd.DataFrame) -> str:
    """Return the meaning of the mark of values that are 1 by construction; empty without such a value."""
    fixed = table[table["by_construction"] > 0]
    counts = "; ".join(
        f"{row['system']}, {row['measure']}: {out_of(row['by_construction'], row['queries'], 'query')}"
        for row in fixed.to_dict("records")
    )
    return f"{FIXED} 1 by construction, no query word was replaced: {counts}." if counts else ""


def _triples_card(deck: SwapDeck) -> None:
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


def _lists_card(deck: SwapDeck) -> list[str]:
    """Draw the queries that move most, the two lists of the chosen one, and the way to the Query page. Return the
    documents of these lists that changed."""
    experiment = deck.found.experiment
    with st.container(border=True, gap="xsmall", key="counterfactual_lists_card"):
        rows = deck.found.queries[deck.found.queries["system"] == deck.system]
        query_column, go = st.columns([6, 3], vertical_alignment="bottom", gap="small")
        with query_column:
            query = _picked_query(deck, rows)
        if go.button("Open on Query", key="counterfactual_to_query", width="stretch"):
            session.choose(query=query)
            st.switch_page("pages/query.py")
        names = []
        for run in (experiment.original, experiment.swapped):
            ranked = run[(run["system"] == deck.system) & (run["query_id"] == query)].sort_values("rank")
            names.append(ranked["doc_id"].astype("str").tolist())
        row = rows[rows["query_id"] == query].iloc[0]
        crbo_text, placebo, spared = (_overlap_text(row[name]) for name in ("crbo", "placebo", "placebo_spared"))
        html.quiet(
            f"CRBO {crbo_text}; placebo {placebo}, with the words of the queries spared {spared}. ↑ ↓ places moved, "
            "✳ only here, ⇄ its text was changed."
        )
        st.html(lists_html(names, _beginnings(deck, names), deck.settings.cutoff))
        return [name for name in dict.fromkeys([*names[0], *names[1]]) if name in experiment.collection.edits]


def _picked_query(deck: SwapDeck, rows: pd.DataFrame) -> str:
    """Draw the choice of a query, what moves most first; where none is chosen, return what moves most."""
    texts_by_query = {
        str(row["query_id"]): f"{_overlap_text(row['crbo'])}  {row['text'] or row['query_id']}"
        for row in rows.to_dict("records")
    }
    first = next(iter(texts_by_query))
    absent = f"not computed here: {deck.settings.query}"
    pick.query("Queries, what moves most first", texts_by_query, f"what moves most: {texts_by_query[first]}", absent)
    return deck.settings.query if deck.settings.query in texts_by_query else first


def _overlap_text(value: float) -> str:
    return "no list" if pd.isna(value) else f"{value:.3f}"


def _beginnings(deck: SwapDeck, names: Sequence[list[str]]) -> list[dict[str, str]]:
    """Return the beginning of each document's title and text, as it is and with genders swapped."""
    wanted = {name for each in names for name in each[: deck.settings.cutoff]}
    documents, edits = deck.study.documents, deck.found.experiment.collection.edits
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for row in documents[documents["doc_id"].isin(wanted)].to_dict("records"):
        name, parts = str(row["doc_id"]), [str(row["title"]), str(row["text"])]
        changes = edits.get(name, ([], []))
        swapped = [apply_edits(part, one) for part, one in zip(parts, changes, strict=True)]
        sign = "⇄ " if name in edits else ""
        before[name], after[name] = sign + beginning(parts), sign + beginning(swapped)
    return [before, after]


def beginning(parts: Sequence[str]) -> str:
    """Return the beginning of title and text; dots for what is left out."""
    text = " ".join(filter(None, parts))
    cut = highlight.cut(text, LONGEST)
    return cut if len(cut) == len(text) else f"{cut} …"


def lists_html(names: Sequence[list[str]], texts: Sequence[dict[str, str]], cutoff: int) -> str:
    """Return the two lists side by side, with the moves of the second."""
    depth = min(cutoff, MOST_RANKS)
    before, after = (dict(enumerate(each[:depth], start=1)) for each in names)
    ranks_before = {name: rank for rank, name in enumerate(names[0], start=1)}
    return compact_html([Side("as it is", before, texts[0]), Side("genders swapped", after, texts[1], ranks_before)])


def document_card(study: Study, collection: Collection, first: Sequence[str] = ()) -> None:
    """A document before and after the swap, changed words marked, those that change most first. first: documents to
    offer before all others."""
    with st.expander("What the swap does to a document", key="counterfactual_document_card"):
        counts = collection.counts
        names = list(dict.fromkeys([*first, *sorted(counts, key=lambda one: -counts[one])]))[:MOST_DOCUMENTS]
        key = f"{DOCUMENT}_{abs(hash(tuple(first)))}"
        name = st.selectbox(
            f"A document that changes, of {len(collection.edits):,}", names, key=key, format_func=lambda one: one
        )
        rows = study.documents[study.documents["doc_id"] == name].to_dict("records")
        parts = [str(rows[0][part]) if isinstance(rows[0][part], str) else "" for part in ("title", "text")]
        edits = collection.edits[str(name)]
        versions = [
            [(part, edit_marks(part, one, after)) for part, one in zip(parts, edits, strict=True)]
            for after in (False, True)
        ]
        draw_texts(("as it is", "genders swapped"), versions)


def edit_marks(text: str, edits: Sequence[Edit], after: bool) -> list[tuple[int, int, str, str]]:
    """Return the changed places of a text as marks: as it was or as it becomes, with the other as its tooltip."""
    both = [(edit, text[edit.start : edit.end], edit.new) for edit in edits]
    return [(edit.start, edit.end, *((new, old) if after else (old, new))) for edit, old, new in both]
