"""What changes from weight 1 to another, what of it a test allows to be said, and whether a placebo does the same."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.evaluation.spans import Span
from fairviz.statistics.bootstrap import bootstrap_interval, mean_over_queries
from fairviz.statistics.paired import EQUAL, corrected, distances, paired_t
from fairviz.steering.measuring import Column

Array = np.ndarray
SURE = 0.05
BETTER, WORSE, APART, FEW = "better", "worse", "not told apart", "too few queries"
ARMS = ("", "placebo_", "beyond_")  # the sensitive senses, other senses, and the first less the second
PARTS = ("difference", "ci_low", "ci_high", "p", "p_corrected", "verdict")


def change_table(columns: Sequence[Column], own: Array, placebo: Array) -> pd.DataFrame:
    """A row a measure: measure, at_one, at_weight, placebo_at_weight (means over queries), and for the sensitive
    senses, for the placebo (prefix `placebo_`) and for what the senses do beyond the placebo (`beyond_`): difference
    with its bootstrap interval, p of a paired t test over queries, corrected after Holm over all tests of the table,
    and verdict: better, worse, not told apart, too few queries.

    own and placebo: values at weight 1 and at the other, (M, 2, Q). A measure that is fairest at 0 is compared by
    |mean|, and its differences are those of |mean|; of the others they are those of the values.
    """
    rows, tested = [], []
    for place, column in enumerate(columns):
        first, second = _comparable(own[place], column), _comparable(placebo[place], column)
        change, beside = first[1] - first[0], second[1] - second[0]
        means = mean_over_queries(own[place])
        row: dict[str, object] = {"measure": column.text, "at_one": float(means[0]), "at_weight": float(means[1])}
        row["placebo_at_weight"] = float(mean_over_queries(placebo[place][1]))
        for prefix, differences in zip(ARMS, (change, beside, change - beside), strict=True):
            low, high = bootstrap_interval(differences)
            row |= {f"{prefix}difference": float(mean_over_queries(differences))}
            row |= {f"{prefix}ci_low": float(low), f"{prefix}ci_high": float(high)}
            tested.append(differences)
        rows.append(row)
    table = pd.DataFrame(rows)
    p = paired_t(np.array(tested)) if tested else np.zeros(0)
    adjusted = corrected(p).reshape(-1, len(ARMS))
    for place, prefix in enumerate(ARMS):
        table[f"{prefix}p"], table[f"{prefix}p_corrected"] = p.reshape(-1, len(ARMS))[:, place], adjusted[:, place]
        pairs = zip(columns, adjusted[:, place], table[f"{prefix}difference"], strict=True)
        table[f"{prefix}verdict"] = [_verdict(column, *pair) for column, *pair in pairs]
    order = ["measure", "at_one", "at_weight", "placebo_at_weight"]
    return table[order + [f"{prefix}{part}" for prefix in ARMS for part in PARTS]]


def ranks(columns: Sequence[Column], found: Array) -> pd.DataFrame:
    """The rank of the sensitive senses among themselves and the m placebos, by the size of the mean change.

    found: values at weight 1 and at the other, (M, 1 + m, 2, Q), the sensitive senses first. A row a measure: rank,
    1 the largest change, ties counted against the sensitive senses; sets, 1 + m; p_rank = rank / sets, at least
    1 / (m + 1). NaN without a placebo and where a change is undefined.
    """
    rows = []
    for column, values in zip(columns, found, strict=True):
        each = np.stack([_comparable(one, column) for one in values])  # (1 + m, 2, Q)
        sizes = np.abs(mean_over_queries(each[:, 1] - each[:, 0]))
        known = len(sizes) > 1 and not np.isnan(sizes).any()
        rank = float((sizes >= sizes[0] - EQUAL).sum()) if known else np.nan
        rows.append((rank, len(sizes), rank / len(sizes)))
    return pd.DataFrame(rows, columns=["rank", "sets", "p_rank"])


def _comparable(values: Array, column: Column) -> Array:
    return distances(values, column.direction)


def _verdict(column: Column, p: float, difference: float) -> str:
    if np.isnan(p):
        return FEW
    if p >= SURE or abs(difference) <= EQUAL:
        return APART
    return BETTER if (difference > 0) == (column.direction == "higher") else WORSE


def sentences(columns: Sequence[Column], table: pd.DataFrame, weight: float) -> list[list[Span]]:
    """What a reader may conclude from the table of `change_table`: what got better and worse, and what of it the
    placebo does too."""
    if weight == 1:
        return [[Span("Weight 1 is the model as it is. Move the weight to see what changes, and what a placebo does.")]]
    names = {column.text: column.name for column in columns}
    rows = [row | {"name": names[row["measure"]]} for row in table.to_dict("records")]
    if all(row["verdict"] == FEW for row in rows):
        return [[Span("Too few queries for a test: what changes here is one case and no evidence.")]]
    tests = sum(not np.isnan(row[f"{prefix}p"]) for row in rows for prefix in ARMS)
    said = [Span(f"From weight 1 to {weight:g}: ")]
    parts = []
    for verdict in (BETTER, WORSE):
        if held := _named(rows, "verdict", verdict):
            parts.append([Span(f"{verdict} by "), Span(held, True)])
    if apart := _named(rows, "verdict", APART):
        parts.append([Span(f"not told apart by {apart}" if parts else f"nothing is told apart by any of {apart}")])
    said += _joined(parts)
    said.append(Span(f" (paired t tests over queries, corrected after Holm over {tests})."))
    return [said, _placebo(rows), *filter(None, [_ranked(rows)])]


def _ranked(rows: Sequence[dict]) -> list[Span]:
    """The gender senses' rank by size of change among all sets of senses; empty without a placebo."""
    known = [row for row in rows if not np.isnan(row.get("rank", np.nan))]
    if not known:
        return []
    sets = int(known[0]["sets"])
    listed = ", ".join(f"{row['name']} {row['rank']:.0f}" for row in known)
    least = f"{1 / sets:.3f}".lstrip("0")
    return [Span(f"Rank of the gender senses by size of change among {sets} sets of senses: "), Span(listed, True),
            Span(f" (p = rank / {sets}, at least {least}).")]  # fmt: skip


def _placebo(rows: Sequence[dict]) -> list[Span]:
    if all(np.isnan(row["placebo_p"]) for row in rows):
        return [Span("There is no placebo to set beside it.")]
    moved = [row for row in rows if row["verdict"] in (BETTER, WORSE)]
    same = [row["name"] for row in moved if row["placebo_verdict"] == row["verdict"]]
    beyond = [row for row in rows if row["beyond_verdict"] in (BETTER, WORSE)]
    said = [Span("The placebo, the same weight on other senses, ")]
    if moved:
        said.append(Span("does the same to " if same else "does the same to none of them"))
        said += [Span(", ".join(same), True)] if same else []
    else:
        others = [row["name"] for row in rows if row["placebo_verdict"] in (BETTER, WORSE)]
        said.append(Span("moves nothing either" if not others else f"moves {', '.join(others)}"))
    said.append(Span(". What the gender senses do beyond it: "))
    parts = [
        [Span(f"{verdict} by "), Span(held, True)]
        for verdict in (BETTER, WORSE)
        if (held := _named(beyond, "beyond_verdict", verdict))
    ]
    if not parts:
        nothing = "nothing that a test tells apart"
        return [
            *said,
            Span(f"{nothing}, so that no change here is shown to be one of gender." if moved else f"{nothing}."),
        ]
    return [*said, *_joined(parts), Span(".")]


def _named(rows: Sequence[dict], key: str, verdict: str) -> str:
    return ", ".join(row["name"] for row in rows if row[key] == verdict)


def _joined(parts: Sequence[list[Span]]) -> list[Span]:
    out: list[Span] = []
    for place, part in enumerate(parts):
        out += [Span("; "), *part] if place else part
    return out
