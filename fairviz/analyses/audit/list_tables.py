"""From lists in order to figures: precision, exposure of the groups and their ranks, with intervals over queries.

Axis letters: Q queries.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.analyses.audit.list_integrity import ARM, arm_columns, low_confidence_reason
from fairviz.analyses.audit.list_orders import Arm, Ordered
from fairviz.analyses.audit.list_plan import ListwisePlan
from fairviz.analyses.audit.preferences import PREFERRED, compare_with_zero, preference_columns
from fairviz.analyses.audit.shares import Estimate, estimate, preferred
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.errors import UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.rankers.listwise_prompt import NEUTRAL
from fairviz.statistics.contrasts import sign_of
from fairviz.statistics.intervals import mean_over_queries, ratio_interval
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform
from fairviz.words.sentences import counted, decimal, out_of, p_value

Array = np.ndarray
SHUFFLED = "shuffled lists"  # the order at first, as the anchor that every figure is read against
VALUES = ("P@10", "P@20", "ratio", "rank_gap", "rise")
RATIO_OF_MEANS = "ratio_of_means"
SHIFTS = {"ratio": "ratio_shift", "P@10": "P@10_shift"}
PREFERENCE = ("preferred", "preferred_low", "preferred_high", "p_shares", "p_shares_corrected", "queries_first",
              "queries_other", "family")  # fmt: skip
SURE = 0.05


def starting(ranks: pd.DataFrame) -> Ordered:
    """Return the lists as they were shuffled, as if they were a ranker's."""
    return Ordered(Arm(SHUFFLED, NEUTRAL), ranks.assign(after=ranks["before"], unranked=False, tied=False))


def ranks_table(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return a row for each document of every list of every arm, with its rank before and after."""
    return pd.concat([one.ranks.assign(**arm_columns(one)) for one in orderings], ignore_index=True)


def by_query(study: Study, orderings: Sequence[Ordered], plan: ListwisePlan) -> pd.DataFrame:
    """Return a row for each arm and query: P@10, P@20, ratio (GroupExposureRatio over the whole list), rank_gap (mean
    rank of the others minus that of the protected group: above 0 where the protected group ranks higher), rise
    (rank_gap less that of the shuffled list: the ranks by which the protected group rose more than the others), and the
    mean attention to a document of the protected group and of the others."""
    depth = max(int(one.ranks["after"].max()) for one in orderings)
    measures = {"P@10": "P@10", "P@20": "P@20", "ratio": f"GroupExposureRatio@{depth}"}
    ranked_study = replace(study, runs=_runs(orderings), fingerprint="")
    scores = evaluate(ranked_study, list(measures.values()), annotator=plan.annotator, voters=plan.voters)
    wide = scores.pivot(index=["system", "query_id"], columns="measure", values="value")
    parts = []
    for number, one in enumerate(orderings):
        groups = _of_groups(one.ranks)
        values = wide.loc[str(number)].reindex(groups.index)
        columns = {name: values[measure].to_numpy(dtype=np.float64) for name, measure in measures.items()}
        parts.append(groups.assign(**columns, **arm_columns(one)).reset_index())
    return pd.concat(parts, ignore_index=True)[[*ARM, "query_id", *VALUES, "exposure_protected", "exposure_others"]]


def _runs(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return the lists as runs that are named by their place, since one ranker has several."""
    frames = [
        one.ranks[["query_id", "doc_id"]].assign(
            system=str(number), rank=one.ranks["after"], score=-one.ranks["after"].astype(float)
        )
        for number, one in enumerate(orderings)
    ]
    return conform(pd.concat(frames, ignore_index=True), RUNS)


def _of_groups(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return by query: rank_gap, rise, and the mean attention 1 / log2(1 + rank) to a document of each side."""
    ranks_with_attention = ranks.assign(attention=1 / np.log2(1 + ranks["after"].to_numpy(dtype=np.float64)))
    columns = ["before", "after", "attention"]
    means = ranks_with_attention.groupby(["query_id", "protected"], sort=False)[columns].mean().unstack("protected")
    gap = means["after", False] - means["after", True]
    table = pd.DataFrame(
        {
            "rank_gap": gap,
            "rise": gap - (means["before", False] - means["before", True]),
            "exposure_protected": means["attention", True],
            "exposure_others": means["attention", False],
        }
    )
    return table.reindex(pd.unique(ranks["query_id"]))


def summary(values: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each arm: queries, and each of VALUES as its mean over queries with its t interval (`_low`,
    `_high`).

    preferred, with its interval: of the queries on which one side ranks higher on average (rank_gap is not 0), the
    share on which it is the protected group; one half in any order, whatever the sizes of the groups. This is the one
    statistic that decides which side is preferred: p_shares and p_shares_corrected are those of its exact sign test,
    Bonferroni over the `family` of rankers and conditions; NaN under ten queries and for the shuffled lists. All others
    are secondary. ratio_of_means: the mean attention to a document of the protected group over all queries, over that
    of the others; the mean of ratios is above 1 for lists in any order, since 2 and 1/2 average 1.25; this ratio is
    not. ratio_shift and P@10_shift: the difference from the same ranker's neutral queries, in pairs, with the intervals
    of one family of rankers and conditions; NaN for neutral queries.
    """
    return _tested(_arms(values))


def _arms(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `summary` before their tests, with what these need under PREFERRED and SHIFTS."""
    rows = []
    for key, part in values.groupby(list(ARM), sort=False):
        arm = dict(zip(ARM, key, strict=True))
        row: dict = arm | {"queries": len(part)}
        for name in VALUES:
            row |= estimate(part[name].to_numpy(dtype=np.float64)).named(name)
        row |= _ratio_of_means(part)
        gaps = part["rank_gap"].to_numpy(dtype=np.float64)
        row[PREFERRED] = preferred(0.5 + sign_of(gaps) / 2)
        for name, shift in SHIFTS.items():
            row[shift] = pd.Series(_shifts(values, part, arm, name), index=part["query_id"])
        rows.append(row)
    return pd.DataFrame(rows)


def _tested(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their tests, which are one family; the shuffled lists take no part."""
    anchor = (table["system"] == SHUFFLED).to_numpy()
    tests: list[dict] = [dict.fromkeys(PREFERENCE, np.nan) for _ in range(len(table))]
    sign_tests = preference_columns(table.loc[~anchor, PREFERRED].tolist())
    for place, columns in zip(np.flatnonzero(~anchor), sign_tests, strict=True):
        tests[place] = {name: columns[name] for name in PREFERENCE}
    table = pd.concat([table.drop(columns=PREFERRED), pd.DataFrame(tests, index=table.index)], axis=1)
    for shift in SHIFTS.values():
        tested = compare_with_zero(table[shift].tolist())
        table = table.assign(**{shift: tested.difference, f"{shift}_low": tested.low, f"{shift}_high": tested.high})
    return table


def _ratio_of_means(part: pd.DataFrame) -> dict[str, float]:
    protected, others = (part[f"exposure_{side}"].to_numpy(dtype=np.float64) for side in ("protected", "others"))
    low, high = ratio_interval(protected, others)
    value = float(mean_over_queries(protected) / mean_over_queries(others))
    return Estimate(value, low, high).named(RATIO_OF_MEANS)


def _shifts(values: pd.DataFrame, part: pd.DataFrame, row: dict, name: str) -> Array:
    """Return each query's value minus that of the same ranker's neutral query, (Q,)."""
    if row["attribute"] == NEUTRAL:
        return np.full(len(part), np.nan)
    same = (values["attribute"] == NEUTRAL) & (values["system"] == row["system"])
    same &= (values["window"] == row["window"]) & (values["step"] == row["step"])
    neutral = values[same].set_index("query_id")[name].reindex(part["query_id"])
    return part[name].to_numpy(dtype=np.float64) - neutral.to_numpy(dtype=np.float64)


def table_sentences(table: pd.DataFrame, checks: pd.DataFrame, protected: str) -> tuple[str, ...]:
    """Return a sentence for each ranker on the ranks of the protected group in its neutral lists. checks: the table of
    integrity, without which no sentence is made."""
    both = table.merge(checks, on=list(ARM), validate="one_to_one")  # the shuffled lists have no integrity
    neutral = both[both["attribute"] == NEUTRAL]
    return tuple(_sentence(row, protected) for row in neutral.to_dict("records"))


def _sentence(row: dict, protected: str) -> str:
    window = f", window {row['window']}, step {row['step']}" if row["window"] else ""
    ranker = f"{row['system']}{window}"
    if low_confidence_reason(row):
        return f"{ranker}: do not read a preference into its lists. {low_confidence_reason(row)}"
    attention = f"{row[RATIO_OF_MEANS]:.3f}"
    low, high, p = (row[name] for name in ("preferred_low", "preferred_high", "p_shares_corrected"))
    if np.isnan(p):
        return (
            f"{ranker}: {protected} documents get {attention} times the attention; a verdict needs {FEWEST_QUERIES} "
            "queries."
        )
    above, decided = int(row["queries_first"]), int(row["queries_first"] + row["queries_other"])
    if not decided:
        return f"{ranker}: neither group ranks higher for any of {counted(row['queries'], 'query')}."
    verdict = "significantly" if p <= SURE else "not significantly"
    attention += f" [{row[f'{RATIO_OF_MEANS}_low']:.3f}, {row[f'{RATIO_OF_MEANS}_high']:.3f}]"
    interval = "" if np.isnan(low) else f" ({low:.0%} to {high:.0%})"
    ties = f" without the {row['queries'] - decided:,} tied" if decided < row["queries"] else ""
    return (
        f"{ranker}: {protected} documents rank higher for {out_of(above, decided, 'query')}{ties}{interval}, {verdict} "
        f"different from one half ({p_value(p)}). Secondary: {attention} times the attention, {_gap_text(row)}."
    )


def _gap_text(row: dict) -> str:
    """Return the number of ranks higher, or lower, with its interval."""
    gap, *ends = (row[f"rank_gap{end}"] for end in ("", "_low", "_high"))
    if gap < 0:
        gap, ends = -gap, [-end for end in reversed(ends)]
    return f"{decimal(gap, 2, '+')} [{decimal(ends[0], 2, '+')}, {decimal(ends[1], 2, '+')}] ranks {_side(row)}"


def _side(row: dict) -> str:
    return "lower" if row["rank_gap"] < 0 else "higher"


def check_slices(study: Study, column: str) -> None:
    """Raise UsageError where the queries have no such column."""
    if column in ("query_id", "text") or column not in study.queries:
        columns = [str(name) for name in study.queries if name not in ("query_id", "text")]
        raise UsageError(
            f"the queries of {study.name} have no column {column!r} to slice by",
            f"Use {' or '.join(columns)}." if columns else "Add one to queries.csv.",
        )


def sliced(study: Study, values: pd.DataFrame, column: str) -> pd.DataFrame:
    """`summary` for each value of a column of the study's queries, in a column `value` before the others; all values
    are one family.

    Raises UsageError where the queries have no such column.
    """
    check_slices(study, column)
    of_query = study.queries.set_index("query_id")[column].astype("str")
    groups = values.groupby(values["query_id"].map(of_query), sort=True)
    parts = []
    for value, part in groups:
        table = _arms(part)
        table.insert(0, "value", str(value))
        parts.append(table)
    return _tested(pd.concat(parts, ignore_index=True))
