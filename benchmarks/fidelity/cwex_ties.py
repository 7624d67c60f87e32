"""The CWEx paper, table 7: BM25 on Grep-BiasIR in other orders of its ties, of which the paper says nothing."""

from collections.abc import Sequence
from itertools import permutations

import pandas as pd

from benchmarks.fidelity.rows import Row, agrees, differs, number
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.study.record import Study
from fairviz.study.study import add_runs

GAP, ABSOLUTE_GAP, NEUTRAL = "ExposureGap@10", "AbsExposureGap@10", "Exposure@10"
CWEX = tuple(f"CWEx(alpha={alpha})@10" for alpha in (0.2, 0.5, 0.7))
HALF = 0.5e-4  # of the last printed digit


def over_orders(ranked: Study, told: Sequence[float]) -> list[Row]:
    """Whether each printed number lies within what eight orders of equal scores give; told: the row of table 7."""
    orders = _in_other_orders(ranked)
    slope = (told[2] - told[0]) / 0.5  # CWEx is linear in alpha: neutral exposure plus the mean gap
    gap = 0.2 * slope - told[0]
    wanted = {
        **{name: (name.partition("@")[0], value) for name, value in zip(CWEX, told[:3], strict=True)},
        NEUTRAL: ("the neutral exposure that these imply", slope - gap),
        ABSOLUTE_GAP: ("the mean gap that these imply", gap),
        GAP: ("difference of exposures", told[3]),
    }
    return [_within(*wanted[name], orders[name].abs() if name == GAP else orders[name]) for name in wanted]


def words(ranked: Study) -> dict[str, str]:
    """How many places hold a tie, of how many, and how far CWEx moves at alpha 0.2."""
    moved = _in_other_orders(ranked)[CWEX[0]]
    return {
        "ties": f"{_ties(ranked):,}",
        "places": f"{len(ranked.runs):,}",
        "moved": number(moved.max() - moved.min()),
    }


def means_by_system(study: Study, measures: Sequence[str]) -> pd.DataFrame:
    """Means over queries: a row for each measure, a column for each system."""
    return means_of(evaluate(study, measures))


def means_of(scores: pd.DataFrame) -> pd.DataFrame:
    """The same of scores."""
    return summarise(scores).pivot(index="measure", columns="system", values="value")


def _within(what: str, value: float, values: pd.Series) -> Row:
    low, high = float(values.min()), float(values.max())
    what, found = f"… {what}, in eight orders of its ties", f"{number(low, 3)} to {number(high, 3)}"
    if low - HALF <= value <= high + HALF:
        return agrees(what, number(value, 4), found, but="in some order")
    return differs(what, number(value, 4), found, "these orders do not explain it")


def _ties(ranked: Study) -> int:
    """Neighbours in a list that have the same score."""
    scores, queries = ranked.runs["score"].to_numpy(), ranked.runs["query_id"].cat.codes.to_numpy()
    return int(((scores[1:] == scores[:-1]) & (queries[1:] == queries[:-1])).sum())


def _in_other_orders(ranked: Study) -> pd.DataFrame:
    """The means of CWEx and of the gap with ties by number, up and down, and by gender in all six ways; a row each."""
    run = ranked.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    numbered = run["doc_id"].astype(int)
    label = run["doc_id"].map(ranked.labels.set_index("doc_id")["label"].astype(str))
    keys = {"up": numbered, "down": -numbered}
    for order in permutations((ranked.neutral, *ranked.groups)):
        keys["-".join(order)] = label.map({group: place for place, group in enumerate(order)})
    runs = pd.concat([_reordered(run, key).assign(system=name) for name, key in keys.items()], ignore_index=True)
    asked = (*CWEX, GAP, ABSOLUTE_GAP, NEUTRAL)
    return means_by_system(add_runs(ranked, runs), asked).T.drop("bm25")


def _reordered(run: pd.DataFrame, key: pd.Series) -> pd.DataFrame:
    """The run with equal scores in the order of key."""
    by = ["query_id", "score", "key"]
    table = run.assign(key=key).sort_values(by, ascending=[True, False, True], kind="stable").drop(columns="key")
    return table.assign(rank=table.groupby("query_id").cumcount() + 1)
