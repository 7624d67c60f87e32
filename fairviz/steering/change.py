"""What changes from weight 1 to another, what of it a test allows to be said, and whether a placebo does the same."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.evaluation.paired_rows import compare_rows, rows_text
from fairviz.evaluation.pairs import FEWEST_QUERIES, How
from fairviz.evaluation.spans import Span
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.families import Tests
from fairviz.steering.measuring import Column

Array = np.ndarray
BETTER, WORSE, APART, FEW = "better", "worse", "not significantly different", "too few queries"
ARMS = ("", "placebo_", "beyond_")  # the sensitive senses, other senses, and the first less the second
PARTS = ("difference", "ci_low", "ci_high", "p", "p_corrected", "verdict")


def change_table(columns: Sequence[Column], own: Array, placebo: Array, how: How | None = None) -> pd.DataFrame:
    """A row a measure: measure, at_one, at_weight, placebo_at_weight (means over queries), and for the sensitive
    senses, for the placebo (prefix `placebo_`) and for what the senses do beyond the placebo (`beyond_`): difference
    with its interval, p, p_corrected over all tests of the table, which are one family, and verdict: better, worse, not
    significantly different, too few queries.

    own and placebo: values at weight 1 and at the other, (M, 2, Q); at weight 1 both are the model as it is, so that
    what is beyond is the difference of the two at the other weight. A measure that is fairest at 0 is compared by
    |mean|, and its differences are those of |mean|; of the others they are those of the values.
    """
    one, here, beside = own[:, 0], own[:, 1], placebo[:, 1]
    first, second = np.concatenate([here, beside, here]), np.concatenate([one, placebo[:, 0], beside])
    sides = [column.direction for column in columns] * len(ARMS)
    names = [column.text for column in columns] * len(ARMS)
    tested = compare_rows(first, second, how, directions=sides, measures=names)
    table = pd.DataFrame({"measure": [column.text for column in columns]})
    for name, values in (("at_one", one), ("at_weight", here), ("placebo_at_weight", beside)):
        table[name] = mean_over_queries(values)
    for place, prefix in enumerate(ARMS):
        rows = slice(place * len(columns), (place + 1) * len(columns))
        numbers = (tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)
        for part, values in zip(PARTS, numbers, strict=False):
            table[f"{prefix}{part}"] = values[rows]
        pairs = zip(columns, tested.p_corrected[rows], tested.side[rows], strict=True)
        table[f"{prefix}verdict"] = [_verdict(column, *pair) for column, *pair in pairs]
    return table


def ranks(columns: Sequence[Column], found: Array) -> pd.DataFrame:
    """Return the rank of the sensitive senses among themselves and the m placebos, by the size of the mean change.

    found: values at weight 1 and at the other, (M, 1 + m, 2, Q), the sensitive senses first. A row a measure: rank,
    1 the largest change, ties counted against the sensitive senses; sets, 1 + m; p_rank = rank / sets, at least
    1 / (m + 1). NaN without a placebo and where a change is undefined.
    """
    rows = []
    for column, values in zip(columns, found, strict=True):
        means = mean_over_queries(values)  # (1 + m, 2)
        means = np.abs(means) if column.direction == "zero" else means
        sizes = np.abs(means[:, 1] - means[:, 0])
        known = len(sizes) > 1 and not np.isnan(sizes).any()
        rank = float((sizes >= sizes[0] - EQUAL).sum()) if known else np.nan
        rows.append((rank, len(sizes), rank / len(sizes)))
    return pd.DataFrame(rows, columns=["rank", "sets", "p_rank"])


def _verdict(column: Column, p: float, side: int) -> str:
    if np.isnan(p):
        return FEW
    if not side:
        return APART
    return BETTER if (side > 0) == (column.direction == "higher") else WORSE


def sentences(
    columns: Sequence[Column], table: pd.DataFrame, weight: float, tests: Tests | None = None
) -> list[list[Span]]:
    """What a reader may conclude from the table of `change_table`: what got better and worse, and what of it the
    placebo does too."""
    if weight == 1:
        return [[Span("Weight 1 is the model as it is. Move the weight to see what changes, and what a placebo does.")]]
    names = {column.text: column.name for column in columns}
    rows = [row | {"name": names[row["measure"]]} for row in table.to_dict("records")]
    if all(row["verdict"] == FEW for row in rows):
        needs = f"{FEWEST_QUERIES} queries and differences that are not too skewed"
        return [[Span(f"No verdict, which needs {needs}. What changes here is no evidence.")]]
    family = sum(not np.isnan(row[f"{prefix}p_corrected"]) for row in rows for prefix in ARMS)
    said = [Span(f"From weight 1 to {weight:g}: ")]
    parts = []
    for verdict in (BETTER, WORSE):
        if held := _named(rows, "verdict", verdict):
            parts.append([Span(f"{verdict} by "), Span(held, True)])
    if apart := _named(rows, "verdict", APART):
        parts.append([Span(f"not significantly different by {apart}")])
    if few := _named(rows, "verdict", FEW):
        parts.append([Span(f"no verdict by {few} (too few queries, or differences too skewed)")])
    said += _joined(parts)
    said.append(Span(f" ({rows_text(family, tests or Tests())})."))
    return [said, _placebo(rows), *filter(None, [_ranked(rows)])]


def _ranked(rows: Sequence[dict]) -> list[Span]:
    """Return the gender senses' rank by size of change among all sets of senses; empty without a placebo."""
    known = [row for row in rows if not np.isnan(row.get("rank", np.nan))]
    if not known:
        return []
    sets = int(known[0]["sets"])
    listed = ", ".join(f"{row['name']} {row['rank']:.0f}" for row in known)
    least = f"{1 / sets:.3f}".lstrip("0")
    return [Span(f"Rank of the gender senses by size of change among {sets} sets of senses: "), Span(listed, True),
            Span(f" (p = rank / {sets}, at least {least}).")]  # fmt: skip


def _placebo(rows: Sequence[dict]) -> list[Span]:
    if all(np.isnan(row["placebo_difference"]) for row in rows):
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
        nothing = "nothing that is significant"
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
