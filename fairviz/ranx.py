"""Scores that ranx computed, as this program's table of scores, whose differences `fairviz.compare` tests."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.study.tables import SCORES, conform

NAMES = {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "precision": "P", "recall": "R", "hit_rate": "Success"}


def scores(runs: Iterable[Any]) -> pd.DataFrame:
    """Return the values that ranx.evaluate or ranx.compare left in these runs: system, query_id, measure, value.

    runs: of the type ranx.Run, each with a name. Measures have this program's names, `nDCG@10` for `ndcg@10`. Raises
    FairvizError for a run without scores, and for a measure that has another name here or none.
    """
    expect("runs", runs, Iterable, "Give a list of ranx.Run.")
    rows = [
        (str(run.name), str(query), _measure(metric), float(value))
        for run in runs
        for metric, values in getattr(run, "scores", {}).items()
        for query, value in values.items()
    ]
    if not rows:
        raise FairvizError("these runs have no scores", "Call ranx.compare(qrels, runs, metrics) before.")
    return conform(pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"]), SCORES)


def _measure(metric: str) -> str:
    """Return a metric of ranx as text of this program."""
    name, at, cutoff = metric.partition("@")
    if name not in NAMES:
        raise FairvizError(f"{metric} of ranx is not a measure here", f"Use one of {', '.join(NAMES)}.")
    return f"{NAMES[name]}{at}{cutoff}"
