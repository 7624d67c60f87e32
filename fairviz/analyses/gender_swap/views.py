"""The views of a gender swap beside its queries and lists: overlaps, their table, and the preferred wordings."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from fairviz.analyses.gender_swap.answer import APART, FEW, LESS, MORE, NAMES, Counterfactual
from fairviz.analyses.gender_swap.experiment import ANY, ARMS, PRIMARY, SECOND, SPARED, SWAP
from fairviz.analyses.views import FigureView, Fold, TableView, TextView, View
from fairviz.comparison.pairs import rows_text
from fairviz.evaluation.columns import Column, Row, cells, interval, plain
from fairviz.figures import crbo
from fairviz.statistics.families import parse_tests
from fairviz.words.sentences import counted, number, out_of, with_interval

SERIES = {SWAP: "genders swapped", **{arm: NAMES[arm] for arm in (PRIMARY, SECOND)}}
TITLE, AXIS = "How much of the lists stays", "rank-biased overlap with the list as it was (1: unmoved)"
ABOUT_TRIPLES = "How often each wording scores above the mean of the other two, by query."
ABOUT_TABLE = "Means over queries with 95 % intervals; TExFAIR and NFaiRR of the unchanged rankings."
ABOUT_PLACEBO = (
    "Placebo: as many content words replaced by near ones, one draw a seed. Spared: none of the query's words."
)
VERDICTS = {MORE: "gender more", LESS: "gender less", APART: "not significant", FEW: "not tested"}
FIXED = "†"  # of a CRBO that no swap can move
IN_WORDS = Fold("In words", "counterfactual_words")


def views(found: Counterfactual, chosen: Mapping[str, Any]) -> list[View]:
    """Return the views. chosen: the tests of the settings, as `tests`."""
    shown: list[View] = [_overlaps(found), _table(found)]
    return [*shown, _triples(found, chosen["tests"])] if len(found.triples) else shown


def _overlaps(found: Counterfactual) -> FigureView:
    """CRBO and the placebos of each ranker, with their intervals."""
    rows = found.table[found.table["measure"].isin(list(NAMES.values()))]
    rows = rows.assign(measure=rows["measure"].map({NAMES[arm]: SERIES[arm] for arm in ARMS}))
    info = crbo.info(rows, TITLE, AXIS, list(SERIES.values()), ["system", "measure", "value", "ci_low", "ci_high"])
    words = TextView(found.sentences, "finding", fold=IN_WORDS), TextView([ABOUT_PLACEBO], fold=IN_WORDS)
    return FigureView(
        "counterfactual_bars", found.table, partial(crbo.draw, info), info.alt, {"table": "found.table"}, below=words,
        card="counterfactual_figure_card",
    )  # fmt: skip


def _table(found: Counterfactual) -> TableView:
    """CRBO beside TExFAIR and NFaiRR and the placebos, a row a ranker, with the tests of the differences and the effect
    of ties."""
    swap = found.table[found.table["measure"] == NAMES[SWAP]]
    tests = f"Tests over {counted(int(swap['queries'].max()), 'query')}: {found.family}."
    open_rows = swap[(swap["highest"] - swap["lowest"]) > 0.005].to_dict("records")
    bounds = "; ".join(f"{row['system']} {number(row['lowest'])} to {number(row['highest'])}" for row in open_rows)
    ties = f" CRBO over all orders of tied documents: {bounds}." if bounds else ""
    return TableView(
        "counterfactual_table", found.table, "CRBO, placebos, TExFAIR and NFaiRR of each ranker, a row a ranker.",
        recipe={"table": "found.table"}, text=f"{ABOUT_TABLE} {tests}{ties}", cells=wide_cells(found.table), most=8,
        on_card=True, below=[TextView([fixed_note(found.table)])],
    )  # fmt: skip


def _triples(found: Counterfactual, tests: str) -> FigureView:
    """Each ranker's preferred wording of a document."""
    study, table = found.experiment.study, found.triples
    lines = table.assign(line=table["system"] + ", " + table["judged"])
    columns = ["line", "wording", "share", "share_low", "share_high"]
    title, axis = "Which wording of a document is preferred", "share of triples, mean over queries"
    info = crbo.info(lines, title, axis, [study.neutral, *study.groups], columns, even=0.5, genders=True)
    family = rows_text(int(table["p_corrected"].notna().sum()), parse_tests(tests))
    return FigureView(
        "counterfactual_triples", table, partial(crbo.draw, info), info.alt, {"table": "found.triples"},
        text=f"{ABOUT_TRIPLES} Tests of scores: {family}.",
    )  # fmt: skip


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
