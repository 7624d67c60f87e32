"""The cards of an audit by pairs: whose document comes first, and below it, folded, gaps, table, integrity, shares by a
column, and every pair word by word with each ranker's answers in both orders."""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.errors import FairvizError
from fairviz.extensions.ranker_audits import views
from fairviz.extensions.ranker_audits.analysis import PAIRWISE
from fairviz.extensions.ranker_audits.figure_tables import gap_lines, share_lines
from fairviz.extensions.ranker_audits.judging import LOG_ODDS
from fairviz.extensions.ranker_audits.pairs import ALL, DRAWN
from fairviz.extensions.ranker_audits.pairwise import UNIT_IS_THE_QUERY, PairwiseAudit, columns_of, family_note
from fairviz.extensions.ranker_audits.ui import kept
from fairviz.extensions.ranker_audits.ui.controls import AuditCalls, AuditRequest
from fairviz.figures import crbo
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.html import escape
from fairviz.ui.kit.side_by_side import differences, draw_texts
from fairviz.ui.kit.views import draw_view, draw_views
from fairviz.ui.state import choices
from fairviz.words.sentences import number

JUDGED, BY, RANKER, PAIR = "audit_judged", "audit_by", "audit_ranker", "audit_pair"
FIRST = ("stereotype", "category")  # offered before other columns
PAIRS_HELP = f"{UNIT_IS_THE_QUERY} Bars: 95 % intervals over queries."
MOST_PAIRS = 500  # to choose from
QUERY, ANSWER = 60, 120  # characters of a query in the list, and of an answer
_CELL = "padding:.15rem .5rem;border:0;text-align:left;vertical-align:top"


@dataclass(frozen=True)
class PairsDeck:
    """The input of the cards. kind, judged: the pairs that the reader chose."""

    study: Study
    found: PairwiseAudit
    key: tuple
    kind: str
    judged: str
    calls: AuditCalls

    def recipe(self, **options: Any) -> Recipe:
        """Return the Python of a table of the audit. options: of `recipe`."""
        return recipe(self.calls.of(self.found.plan), **options)

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of a table for the chosen kind and relevance."""
        return views.of_kind(table, self.kind, self.judged)


def deck(study: Study, audit: PairwiseAudit, request: AuditRequest) -> PairsDeck:
    """The cards' ground, with the kind of pairs that the reader chose: at first one with enough queries for a test, as
    table 3 of the paper."""
    offered = _offered(audit)
    by_relevance = [name for name, (kind, judged) in offered.items() if kind != DRAWN or judged != ALL]
    tested = [
        name for name in by_relevance if views.of_kind(audit.table, *offered[name])["queries"].max() >= FEWEST_QUERIES
    ]
    kind, judged = offered[choices.among(JUDGED, tuple(offered), [*tested, *by_relevance][0])]
    return PairsDeck(study, audit, request.key, kind, judged, request.calls)


def _offered(audit: PairwiseAudit) -> dict[str, tuple[str, str]]:
    pairs = audit.table[["kind", "judged"]].drop_duplicates().itertuples(index=False, name=None)
    return {f"{kind}, {judged}": (kind, judged) for kind, judged in pairs}


def cards(deck: PairsDeck) -> None:
    """Draw whose document comes first with the pairs to choose, and the rest folded."""

    def pick_pairs(place: Any) -> None:
        place.selectbox("Pairs shown", tuple(_offered(deck.found)), key=JUDGED, help=PAIRS_HELP)

    first, *others = PAIRWISE.shown(deck.found, {"kind": deck.kind, "judged": deck.judged})
    draw_view(first, deck.recipe, pick_pairs)
    draw_views(others, deck.recipe)
    by_card(deck)
    pair_card(deck)


def by_card(deck: PairsDeck) -> None:
    """Draw, folded, the shares of one ranker for each value of a column, such as stereotype; nothing without such
    columns."""
    columns = columns_of(deck.study)
    offered = [name for name in FIRST if name in columns]
    offered += [name for name in columns if name not in (*FIRST, "query_id")]
    if not offered:
        return
    with st.expander(f"By {', '.join(offered[:2])}", key="audit_by_fold", type="compact"):
        by, which, _, more = st.columns([3, 4, 7, 2], vertical_alignment="bottom", gap="small")
        column = pick.select(BY, "Divided by", tuple(offered), place=by)
        systems = deck.found.systems
        system = pick.select(RANKER, "Ranker", systems, systems[-1], place=which)
        try:
            table = deck.rows(kept.by(deck.found, deck.key, column))
        except FairvizError as error:
            html.problem(error, "info")
            return
        rows = table[table["system"] == system]
        kept_rows = {"kind": deck.kind, "judged": deck.judged, "system": system}
        code = deck.recipe(table=f"found.by({column!r})", rows=kept_rows)
        _by_figures(deck, rows, column, code)
        with more:
            text = f"Shares and gaps of {system} by {column}."
            notes = ("Few queries a value make wide intervals.", f"One family: {family_note(table)}")
            charts.table(rows, text, "audit_by_table", code, figure=False, notes=notes)


def _by_figures(deck: PairsDeck, rows: pd.DataFrame, column: str, code: Recipe) -> None:
    """Draw shares and gaps side by side, a line a value of the column; two groups need no names on the lines."""
    drawn = rows[rows["group"] != deck.study.neutral]
    values = zip(drawn[column], drawn["queries"], strict=True)
    drawn = drawn.assign(system=[f"{value} ({queries})" for value, queries in values])
    lines, gaps = share_lines(drawn), gap_lines(drawn)
    if drawn["other"].nunique() <= 1:
        lines = lines.assign(line=[line.split(", ", 1)[1] for line in lines["line"]])
        gaps = gaps.assign(line=drawn["system"].to_numpy())
    shares = views.shares_info(lines, list(deck.study.groups), f"{views.SHARES_TITLE}, by {column}")
    by_how_much = views.gaps_info(gaps, f"{views.GAPS_TITLE}, by {column}")
    left, right = st.columns(2, gap="small")
    with left:
        charts.table(rows, shares.alt, "audit_by_shares", code)
        charts.chart(crbo.draw(shares, charts.theme()), shares.alt, "audit_by_shares_chart")
    with right:
        charts.table(rows, by_how_much.alt, "audit_by_gaps", code)
        charts.chart(views.gaps_figure(by_how_much, charts.theme()), by_how_much.alt, "audit_by_gaps_chart")


def pair_card(deck: PairsDeck) -> None:
    """Draw, folded, a pair to choose, the largest gaps of the chosen ranker first; its texts, and all answers."""
    chosen = st.session_state.get(RANKER)
    chosen = chosen if chosen in deck.found.systems else deck.found.systems[-1]
    rows = deck.found.preferences()
    rows = rows[(rows["kind"] == deck.kind) & ((rows["judged"] == deck.judged) | (deck.judged == "all"))]
    own = rows[rows["system"] == chosen]
    with st.expander(f"The {len(own):,} pairs, word by word", key="audit_pair_card", type="compact"):
        queries = dict(zip(deck.study.queries["query_id"], deck.study.queries["text"], strict=True))
        names = pair_names(own, queries, deck.study.neutral)
        pair_column, more = st.columns([12, 2], gap="small", vertical_alignment="bottom")
        label = f"Pair, the largest gaps of {html.literal(chosen)} first"
        pair = pick.select(PAIR, label, tuple(names), place=pair_column, texts=names)
        mine = rows[rows["pair"].astype("str") == pair]
        with more:
            kept_rows = {"kind": deck.kind, "judged": None if deck.judged == "all" else deck.judged}
            code = deck.recipe(table="found.preferences().drop(columns='set')", rows=kept_rows)
            every = "Every pair, a row a ranker."
            charts.table(rows.drop(columns="set"), every, "audit_pairs", code, figure=False)
        row, documents = mine.iloc[0], deck.study.documents
        doc_ids = [str(row["doc_id"]), str(row["other_doc_id"])]
        texts = []
        for doc_id in doc_ids:
            document = documents[documents["doc_id"] == doc_id].iloc[0]
            texts.append([str(document[part]) if isinstance(document[part], str) else "" for part in ("title", "text")])
        marks = [differences(*parts) for parts in zip(*texts, strict=True)]
        heads = [f"{row[name]}: document {doc_id}" for name, doc_id in zip(("group", "other"), doc_ids, strict=True)]
        versions = [[(text, both[side]) for text, both in zip(texts[side], marks, strict=True)] for side in range(2)]
        draw_texts(heads, versions)
        answers = deck.found.answers[deck.found.answers["pair"].astype("str") == pair]
        st.html(answers_html(mine, answers, deck.found.integrity))


def pair_names(rows: pd.DataFrame, queries: dict[str, str], neutral: str) -> dict[str, str]:
    """Return the name of each pair in the list by its number, the largest gaps first, pairs with a neutral document
    last; at most MOST_PAIRS."""
    sizes = rows.assign(arm=rows["group"] == neutral, size=-rows["gap"].abs().fillna(-1))
    names = {}
    for row in sizes.sort_values(["arm", "size", "pair"]).head(MOST_PAIRS).to_dict("records"):
        query = highlight.cut(queries.get(row["query_id"], ""), QUERY)
        groups = f"{row['group']} / {row['other']}, {row['judged']}"
        names[str(row["pair"])] = f"{query} · {groups} · gap {number(row['gap'])}"
    return names


def answers_html(rows: pd.DataFrame, answers: pd.DataFrame, integrity: pd.DataFrame) -> str:
    """A row a ranker: who wins with either document first, a model's words, and the gap; everything escaped."""
    first = rows.iloc[0]
    heads = ("ranker", f"{first['group']} shown first", f"{first['other']} shown first", "gap, over both orders")
    lines = ["".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in heads)]
    asked_systems = set(integrity.loc[integrity["first_named"].notna() | (integrity["tokens_in"] > 0), "system"])
    for row in rows.to_dict("records"):
        cells = [row["system"]]
        texts = answers.loc[answers["system"] == row["system"], "text"].tolist()
        for order, text in zip(("first_order", "second_order"), texts, strict=True):
            winner = {"group": f"{row['group']} wins", "other": f"{row['other']} wins"}.get(row[order], row[order])
            excerpt = highlight.cut(" ".join(text.split()), ANSWER)
            cells.append(f"{winner}: “{excerpt}”" if excerpt else str(winner))
        is_asked = row["system"] in asked_systems
        if not is_asked:
            cells[2] = "sees no order"
        unit = LOG_ODDS if is_asked else "standard deviations"
        cells.append("unknown" if pd.isna(row["gap"]) else f"{number(row['gap'])} {unit}")
        lines.append("".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table style="font-size:.84rem;border-collapse:collapse" aria-label="Answers to this pair">{body}</table>'
