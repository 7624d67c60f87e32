"""Means of measures from a machine's labels, corrected by people's labels of queries that were drawn at random."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect, expect_whole
from fairviz.evaluation.validation import A_STUDY, check_level, check_scores
from fairviz.statistics.corrected import Estimate, corrected_mean
from fairviz.study.record import Study

COLUMNS = [
    *("system", "measure", "machine", "people", "people_low", "people_high", "value", "ci_low", "ci_high", "weight"),
    *("drawn", "queries"),
]


def draw_queries(study: Study, count: int, seed: int) -> list[str]:
    """Return `count` queries of the study's runs, drawn at random without replacement, in the study's order.

    Have people label the top documents of all systems for these queries. Raises UsageError for more than there are.
    """
    expect("study", study, Study, A_STUDY)
    check_level(0.95, seed)
    queries = study.runs["query_id"].cat.categories
    expect_whole("count", count, 2, max(len(queries), 2))
    places = np.random.default_rng(seed).choice(len(queries), count, replace=False)
    return queries[np.sort(places)].tolist()


def corrected(
    machine: pd.DataFrame, people: pd.DataFrame, sample: Sequence[str], *, against: str = "",
    others_like_them: bool = False, level: float = 0.95,
) -> pd.DataFrame:  # fmt: skip
    """Return the means of measures under people's labels, from a machine's labels of all queries and people's of some.

    machine, people: scores of one study by `evaluate`, with the machine's labels and with people's (annotator=…).
    sample: the queries that people labelled, drawn at random (`draw_queries`); others of `people` are not read. Queries
    that were chosen in any other way correct nothing. against: a system, for the differences of the others from it.
    others_like_them: the target is the mean over queries like these, else over these alone.

    Returns system, measure, machine (the mean with its labels), people, people_low and people_high (people alone),
    value, ci_low and ci_high (corrected), weight (how far the machine is trusted, 0 to 1), drawn and queries (numbers).
    No row is a verdict. See `fairviz.statistics.corrected`. Raises UsageError for other tables, FairvizError for a
    drawn query with a place that people did not label.
    """
    check_scores(machine, "machine")
    check_scores(people, "people")
    expect("sample", sample, (list, tuple, np.ndarray, pd.Series, pd.Index), "Give what fairviz.draw_queries returns.")
    expect("against", against, str, "Give the name of a system, as text.")
    expect("others_like_them", others_like_them, bool, "Use True or False.")
    check_level(level)
    _check_sample(machine, people, sample)
    systems = [str(name) for name in dict.fromkeys(machine["system"])]
    if against and against not in systems:
        raise UsageError(f"no system is called {against!r}", f"Use one of {', '.join(systems)}.")
    rows = []
    for measure in dict.fromkeys(machine["measure"]):
        tables = _Tables.of(machine, people, str(measure), sample)
        for system in tables.systems:
            if system != against:
                rows.append([system, measure, *tables.row(system, against, others_like_them, level)])
    return pd.DataFrame(rows, columns=COLUMNS)


@dataclass(frozen=True, eq=False)
class _Tables:
    """The values of one measure, queries by systems: machine, people; is_drawn (Q,)."""

    machine: pd.DataFrame
    people: pd.DataFrame
    is_drawn: np.ndarray

    @classmethod
    def of(cls, machine: pd.DataFrame, people: pd.DataFrame, measure: str, sample: Sequence[str]) -> "_Tables":
        """Return the values of a measure."""
        own, other = (
            scores[scores["measure"] == measure]
            .astype({"system": "str", "query_id": "str"})
            .pivot(index="query_id", columns="system", values="value")
            for scores in (machine, people)
        )
        systems = list(dict.fromkeys(machine["system"].astype("str")))
        own = own[systems]
        return cls(own, other.reindex(index=own.index, columns=systems), own.index.isin(list(sample)))

    @property
    def systems(self) -> list[str]:
        """The systems, in the order of the scores."""
        return list(self.machine.columns)

    def row(self, system: str, against: str, others_like_them: bool, level: float) -> list[float]:
        """Return the columns from `machine` on, of a system or of its difference."""
        machine, people = (
            (table[system] - table[against] if against else table[system]).to_numpy(dtype=np.float64)
            for table in (self.machine, self.people)
        )
        by_machine, alone = (
            corrected_mean(one, people, self.is_drawn, others_like_them=others_like_them, level=level)
            for one in (machine, np.zeros(len(machine)))
        )
        mean = float(np.nanmean(machine)) if not np.isnan(machine).all() else np.nan
        return [mean, *_three(alone), *_three(by_machine), by_machine.weight, by_machine.drawn, len(machine)]


def _three(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


def _check_sample(machine: pd.DataFrame, people: pd.DataFrame, sample: Sequence[str]) -> None:
    """Raise an error for drawn queries or tables that do not fit."""
    if gsr := [str(measure) for measure in dict.fromkeys(machine["measure"]) if str(measure).startswith("GSR.")]:
        raise UsageError(f"{gsr[0]} is a part of GSR, which has no value for a query", "Leave GSR out.")
    if missing := [name for name in dict.fromkeys(machine["measure"]) if name not in set(people["measure"])]:
        raise UsageError(f"people's scores lack {missing[0]}", "Evaluate the same measures with both annotators.")
    known = set(machine["query_id"]) & set(people["query_id"])
    if unknown := [query for query in sample if query not in known]:
        raise UsageError(f"the drawn query {unknown[0]!r} is not in the scores", "Name queries of the study's runs.")
    if "labelled" in people:
        rows = people[people["query_id"].isin(list(sample)) & (people["labelled"] < people["places"])]
        if len(rows):
            first = rows.iloc[0]
            message = f"people labelled {first['labelled']:.0f} of {first['places']:.0f} places"
            where = f"of query {first['query_id']!r} in {first['system']}"
            raise FairvizError(f"{message} {where}", "Label the top documents of every drawn query in all systems.")
