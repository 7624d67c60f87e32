"""The TExFAIR paper: Figure 1, and what its tables say of one another; the rest is on passages of MS MARCO."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.fidelity import texfair_printed as printed
from benchmarks.fidelity.rows import (
    NOTHING,
    Chapter,
    Row,
    Table,
    absent,
    agrees,
    counted,
    differs,
    judged,
    number,
    numbers,
)
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise

HEADS = ("the paper", "here")
PASSAGES = "MS MARCO's passages may not be redistributed"
OTHER = f"{PASSAGES}; here on newswire"
HALF = 0.5e-4  # of the last printed digit
CUTOFFS = (5, 10, 20, 50, 100)
FAIRNESS = ("NFaiRR@{}", "TExFAIR@{}", "TExFAIR(rbdf=False)@{}")


def chapter(_: str) -> Chapter:
    """The chapter's tables; it needs no stop words."""
    tables = {"figure": _figure_1(), "tables": [*_table_1(), *_figure_2(), *_table_2()], "arithmetic": _arithmetic()}
    return Chapter({name: Table(HEADS, tuple(rows)) for name, rows in tables.items()})


def _figure_1() -> list[Row]:
    football = open_study("football")
    asked = ["FaiRR@4", "NFaiRR(background='collection')@4", "TExFAIR@4"]
    means = summarise(evaluate(football, asked)).pivot(index="system", columns="measure", values="value")
    fair, normal, exposed = (
        means[name] for name in ("FaiRR(tau=1)@4", "NFaiRR(tau=1,background='collection')@4", "TExFAIR@4")
    )
    left, right = football.systems
    pair = number(exposed[left]), number(exposed[right])
    rows = [
        judged("Figure 1: NFaiRR of the left and the right list", "0, 0", numbers(normal[[left, right]], 0)),
        judged("Figure 1: neutrality of all their documents together", "0, 0", numbers(fair[[left, right]], 0)),
    ]
    what = "Figure 1: TExFAIR of the left list, of the right one"
    if exposed[left] > exposed[right]:
        return [*rows, agrees(what, "left is fairer", f"{pair[0]}, {pair[1]}")]
    return [*rows, differs(what, "left is fairer", f"{pair[0]}, {pair[1]}", "the order is the other way")]


def _table_1() -> list[Row]:
    made = []
    for query_set, models in printed.FAIRNESS.items():
        for model, told in models.items():
            made.append(absent(f"Table 1, {query_set}, {model}: NFaiRR, TExFAIR, their r", numbers(told), PASSAGES))
    low, high = (
        which(told[2] for models in printed.FAIRNESS.values() for told in models.values()) for which in (min, max)
    )
    scores = evaluate(open_study("newswire"), ["NFaiRR@10", "TExFAIR@10"])
    found = [_correlation(scores[scores["system"] == system]) for system in scores["system"].cat.categories]
    ours = f"{number(min(found))} to {number(max(found))}, {len(found)} systems"
    return [
        *made,
        absent("Table 1: MRR and nDCG of all eleven", NOTHING, f"{PASSAGES}, nor its judgements"),
        absent("Table 1: r over queries, smallest to largest", f"{number(low)} to {number(high)}", OTHER, ours),
    ]


def _correlation(scores: pd.DataFrame) -> float:
    wide = scores.pivot(index="query_id", columns="measure", values="value").dropna()
    return float(np.corrcoef(wide.to_numpy().T)[0, 1])


def _figure_2() -> list[Row]:
    """Its curves have no numbers in the text; what it says of them is that TExFAIR without RBDF moves most with k."""
    names = [name.format(k) for name in FAIRNESS for k in CUTOFFS]
    means = summarise(evaluate(open_study("newswire"), names))
    means["k"] = means["measure"].str.rpartition("@")[2].astype(int)
    means["measure"] = means["measure"].str.rpartition("@")[0]
    by_cutoff = means.groupby(["measure", "k"], sort=False)["value"].mean()
    moved = (by_cutoff.groupby(level=0, sort=False).max() - by_cutoff.groupby(level=0, sort=False).min()).to_numpy()
    what = f"Figure 2: how far NFaiRR, TExFAIR, and TExFAIR without RBDF move over k = {CUTOFFS[0]} to {CUTOFFS[-1]}"
    return [absent(what, "the third most", OTHER, numbers(moved, 2))]


def _table_2() -> list[Row]:
    return [
        absent(f"Table 2, {query_set}, {model}: CRBO", number(told[0], 4), PASSAGES)
        for query_set, models in printed.COUNTERFACTUAL.items()
        for model, told in models.items()
    ]


def _arithmetic() -> list[Row]:
    there, swapped, asked = 0, 0, 0
    for query_set, models in printed.COUNTERFACTUAL.items():
        other = next(name for name in printed.COUNTERFACTUAL if name != query_set)
        for model, (_, exposed, neutral) in models.items():
            asked += 1
            there += _stands((exposed, neutral), printed.FAIRNESS[query_set][model])
            swapped += _stands((exposed, neutral), printed.FAIRNESS[other][model])
    queries = (open_study("genderbias-ir").queries["query_set"] == "QS1").sum()
    slip = f"Table 2 exchanges QS1 and QS2: {swapped} are under the other; BERT's TExFAIR there is UniCOIL's of QS1"
    wrong = "the published file has 1,765, as the CWEx paper counts too"
    return [
        counted(
            "Table 2: pairs of TExFAIR and NFaiRR that are in Table 1 under the same query set", there, asked, slip
        ),
        judged("Section 4: queries of QS1", "1,756", f"{queries:,}", wrong),
        judged("Section 4: queries of QS2", "215", str(len(open_study("msmarco-qs2").queries))),
    ]


def _stands(pair: tuple[float, float], row: Sequence[float]) -> bool:
    exposed, neutral = pair
    return abs(row[0] - neutral) <= HALF and abs(row[1] - exposed) <= HALF
