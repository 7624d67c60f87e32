"""The page Gender swap: its controls and its run, the cards of an experiment, the two lists of a query, as they are and
with genders swapped, and the texts of a document before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL, KIND_TEXTS
from fairviz.analyses.gender_swap.answer import NAMES, Counterfactual, replacements
from fairviz.analyses.gender_swap.experiment import ANY, SPARED, SWAP, Collection, SwapPlan
from fairviz.analyses.gender_swap.views import SERIES
from fairviz.evaluation.settings import Settings
from fairviz.figures import crbo_queries
from fairviz.parameters import format_call
from fairviz.rankers import parse_rankers
from fairviz.study.loaders.word_files import read_counterparts
from fairviz.study.record import Study
from fairviz.ui.kept import flow
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.flow import Run, Task
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.editors import Editor
from fairviz.ui.kit.side_by_side import Side, compact_html, draw_texts
from fairviz.ui.kit.views import Code, draw_view, draw_views
from fairviz.ui.state import choices, session
from fairviz.words.counterparts import (
    HEADER,
    Counterparts,
    Edit,
    Pairs,
    apply_edits,
    format_counterparts,
    packaged,
    pairs_of,
    parse_counterparts,
)
from fairviz.words.sentences import counted, seconds_text

SYSTEM, PLACEBO = "counterfactual_system", "counterfactual_placebo"
COLUMN = {ANY: "placebo", SPARED: "placebo_spared"}
LONGEST = 70  # characters of a document in a list
MOST_RANKS = 50
MOST_DOCUMENTS = 500  # to choose from
DOCUMENT = "counterfactual_document"
PACKAGED = "gender_swap"  # the name of packaged results
DONE = "Done: see below. Change a ranker, swap or number of placebos to run again."
WILL_SHOW = "Run shows how far lists move when genders are swapped, against as many other edits."
UNKNOWN = "the time of a model is unknown here"
STOPPED = ("The run was stopped; nothing of it is shown.", "Encoded texts are kept.")
ABOUT = {
    "words": "Of several counterparts the first row counts. Her and his: the next word decides.",
    "names": "Names count where they begin with a capital. They are paired by how frequent they are.",
}


def _packaged(kind: str) -> Pairs:
    return getattr(packaged(), kind)


EDITORS = {  # of the two lists of pairs
    kind: Editor(
        f"counterfactual_{kind}", f"counterfactual_edited_{kind}", label, "pairs", HEADER, partial(_packaged, kind),
        parse_counterparts, format_counterparts, pairs_of, tuple, about=ABOUT[kind],
        file=f"counterfactual_file_{kind}", read=read_counterparts,
    )
    for kind, label in (("words", "Words"), ("names", "Names"))
}  # fmt: skip


def controls(study: Study, settings: Settings) -> Task | None:
    """Draw the row of controls; return the requested experiment, None if it cannot be run. Its request is the Run, and
    the plan."""
    editors = {kind: editor.draw for kind, editor in EDITORS.items()}
    values, go = flow.choose(COUNTERFACTUAL, study, settings, editors, 2.4)
    return flow.asked(lambda: _task(study, settings, values), go)


def _task(study: Study, settings: Settings, values: dict[str, Any]) -> Task:
    """Return the run of the experiment. Raises FairvizError, also where nothing changes."""
    rankers = parse_rankers(values["rankers"], settings.embedding)
    named = ",".join(format_call(choice.ranker.name, choice.parameters) for choice in rankers)
    pairs = {kind: editor.chosen() for kind, editor in EDITORS.items()}
    plan = SwapPlan(Counterparts(**pairs), values["substitute"], values["seeds"])
    plan.counterparts.only(plan.substitute)
    kept.swapped(study, plan)
    run = Run(COUNTERFACTUAL, study, settings, COUNTERFACTUAL.read_values(values | pairs | {"rankers": named}))

    def before(seconds: float | None) -> tuple[str, str]:
        rankings = f"{2 + 2 * plan.seeds} rankings by {counted(len(rankers), 'ranker')}"
        return WILL_SHOW, f"{rankings}; {UNKNOWN if seconds is None else seconds_text(seconds)}."

    def told(found: Any, seconds: float | None) -> tuple[str, str]:
        systems = ", ".join(choice.system for choice in rankers)
        placebos = f"{counted(plan.seeds, 'placebo')} of each kind, from seed 0"
        time = "" if seconds is None else seconds_text(seconds)
        return f"Rankers: {systems}; {KIND_TEXTS[plan.substitute]}; {placebos}", time

    return run.task(
        "counterfactual", STOPPED, calls=tuple(one.parameters for one in rankers),
        seconds=lambda: kept.run_seconds(study, rankers, plan), before=before, packaged=(PACKAGED, run.key, {}),
        told=told, done=DONE, request=(run, plan),
    )  # fmt: skip


@dataclass(frozen=True)
class SwapDeck:
    """The input of the cards. system: the ranker whose queries are shown. code: makes the Python of a table."""

    study: Study
    settings: Settings
    found: Counterfactual
    system: str
    code: Code


def cards(study: Study, settings: Settings, answer: Counterfactual, code: Code) -> None:
    """Draw all cards of a result, at first with the queries of the ranker whose lists move most."""
    experiment, swap = answer.experiment, answer.table[answer.table["measure"] == NAMES[SWAP]]
    systems = experiment.systems
    lowest = min(zip(swap["value"].fillna(np.inf), range(len(systems)), strict=True))[1]
    deck = SwapDeck(study, settings, answer, choices.among(SYSTEM, systems, systems[lowest]), code)
    overlaps, *others = COUNTERFACTUAL.shown(answer, {"tests": settings.tests})
    left, right = st.columns(2, gap="small")
    with left:
        draw_view(overlaps, code)
    with right:
        _queries_card(deck)
    draw_views(others, code)
    document_card(study, experiment.collection, _lists_card(deck))
    sentences = replacements(experiment.counts, experiment.short)
    if experiment.encoded:
        sentences.append(f"A model read {experiment.encoded:,} texts: those that it had not read before.")
    html.note("\n".join([*sentences, *answer.messages]))


def _queries_card(deck: SwapDeck) -> None:
    """Every query's CRBO against a placebo's RBO; a click names the query."""
    with st.container(border=True, gap="xsmall", key="counterfactual_queries_card"):
        which, against, more = st.columns([3, 4, 2], vertical_alignment="bottom", gap="small")
        which.selectbox("Ranker", deck.found.experiment.systems, key=SYSTEM)
        arm = pick.select(PLACEBO, "Against", tuple(COLUMN), place=against)
        table = deck.found.queries
        info = crbo_queries.info(table, deck.system, COLUMN[arm], SERIES[arm], deck.settings.query)
        with more:
            notes = ("One mark per query; below the line the swap moves more. Click one for its lists.",)
            code = deck.code(table="found.queries")
            charts.table(table, info.alt, "counterfactual_queries", code, notes=notes)
        charts.chart(crbo_queries.draw(info, charts.theme(), 360), info.alt, "counterfactual_by_query", select_query)


def select_query(name: str) -> None:
    """Names the query for other pages too. For callbacks, which run before the widgets are drawn."""
    st.session_state["query"] = name


def _lists_card(deck: SwapDeck) -> list[str]:
    """Draw the queries that move most, the two lists of the chosen one, and the way to the Query page. Return the
    documents of these lists that changed."""
    experiment = deck.found.experiment
    with st.container(border=True, gap="xsmall", key="counterfactual_lists_card"):
        rows = deck.found.queries[deck.found.queries["system"] == deck.system]
        query_column, go = st.columns([6, 3], vertical_alignment="bottom", gap="small")
        with query_column:
            query = _picked_query(deck, rows)
        row = rows[rows["query_id"] == query].iloc[0]
        crbo_text, placebo, spared = (_overlap_text(row[name]) for name in ("crbo", "placebo", "placebo_spared"))
        values = f"CRBO {crbo_text}; placebo {placebo}, with the words of the queries spared {spared}."
        signs = html.tooltip(values, "In the lists: ↑ ↓ places moved, ✳ only here, ⇄ its text was changed.")
        if go.button("Open on Query", key="counterfactual_to_query", width="stretch", help=signs):
            session.choose(query=query)
            st.switch_page("pages/query.py")
        names = []
        for run in (experiment.original, experiment.swapped):
            ranked = run[(run["system"] == deck.system) & (run["query_id"] == query)].sort_values("rank")
            names.append(ranked["doc_id"].astype("str").tolist())
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
        versions = []  # title and text with their marks, before and after
        for after in (False, True):
            marks = [edit_marks(part, part_edits, after) for part, part_edits in zip(parts, edits, strict=True)]
            versions.append(list(zip(parts, marks, strict=True)))
        draw_texts(("as it is", "genders swapped"), versions)


def edit_marks(text: str, edits: Sequence[Edit], after: bool) -> list[tuple[int, int, str, str]]:
    """Return the changed places of a text as marks: as it was or as it becomes, with the other as its tooltip."""
    both = [(edit, text[edit.start : edit.end], edit.new) for edit in edits]
    return [(edit.start, edit.end, *((new, old) if after else (old, new))) for edit, old, new in both]
