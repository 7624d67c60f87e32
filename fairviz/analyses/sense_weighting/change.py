"""The change from weight 1 to another, its tests, and its comparison with placebos."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.sense_weighting.measuring import Column
from fairviz.comparison.family import How
from fairviz.comparison.pairs import FEWEST_QUERIES, compare_rows, rows_text
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.families import Tests
from fairviz.statistics.intervals import mean_over_queries
from fairviz.words.sentences import Span

Array = np.ndarray
BETTER, WORSE, APART, FEW = "better", "worse", "not significantly different", "too few queries"
ARMS = ("", "placebo_", "beyond_")  # the sensitive senses, other senses, and the first less the second
PARTS = ("difference", "ci_low", "ci_high", "p", "p_corrected", "verdict")


def change_table(columns: Sequence[Column], own: Array, placebo: Array, how: How | None = None) -> pd.DataFrame:
    """Return a row per measure: measure, at_one, at_weight, placebo_at_weight (means over queries), and for the
    sensitive senses, for the placebo (prefix `placebo_`) and for the senses' effect beyond the placebo (`beyond_`):
    difference with its interval, p, p_corrected over all tests of the table, which are one family, and verdict: better,
    worse, not significantly different, too few queries.

    own and placebo: values at weight 1 and at the other, (M, 2, Q); at weight 1 both are the original model, so that
    beyond is the difference of the two at the other weight. A measure that is fairest at 0 is compared by |mean|, and
    its differences are those of |mean|; other differences are those of the values.
    """
    own_before, own_after, placebo_after = own[:, 0], own[:, 1], placebo[:, 1]
    first, second = (
        np.concatenate([own_after, placebo_after, own_after]),
        np.concatenate([own_before, placebo[:, 0], placebo_after]),
    )
    sides = [column.direction for column in columns] * len(ARMS)
    tested = compare_rows(first, second, how, directions=sides)
    table = pd.DataFrame({"measure": [column.text for column in columns]})
    for name, values in (("at_one", own_before), ("at_weight", own_after), ("placebo_at_weight", placebo_after)):
        table[name] = mean_over_queries(values)
    for place, prefix in enumerate(ARMS):
        rows = slice(place * len(columns), (place + 1) * len(columns))
        numbers = (tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)
        for part, values in zip(PARTS, numbers, strict=False):
            table[f"{prefix}{part}"] = values[rows]
        pairs = zip(columns, tested.p_corrected[rows], tested.side[rows], strict=True)
        table[f"{prefix}verdict"] = [_verdict(column, *pair) for column, *pair in pairs]
    return table


def ranks(columns: Sequence[Column], array: Array) -> pd.DataFrame:
    """Return the rank of the sensitive senses among themselves and the m placebos, by the size of the mean change.

    array: values at weight 1 and at the other, (M, 1 + m, 2, Q), the sensitive senses first. A row per measure: rank, 1
    the largest change, ties counted against the sensitive senses; sets, 1 + m; p_rank = rank / sets, at least 1 / (m +
    1). NaN without a placebo and if a change is undefined.
    """
    rows = []
    for column, values in zip(columns, array, strict=True):
        means = mean_over_queries(values)  # (1 + m, 2)
        means = np.abs(means) if column.direction == "zero" else means
        sizes = np.abs(means[:, 1] - means[:, 0])
        is_defined = len(sizes) > 1 and not np.isnan(sizes).any()
        rank = float((sizes >= sizes[0] - EQUAL).sum()) if is_defined else np.nan
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
    """Return the conclusions from the table of `change_table`: first the gender senses' effect beyond the placebo, then
    their change from weight 1, the placebo's, and their rank.
    """
    if weight == 1:
        return [[Span("Weight 1 is the model as it is. Move the weight to see what changes.")]]
    names = {column.text: column.name for column in columns}
    rows = [row | {"name": names[row["measure"]]} for row in table.to_dict("records")]
    if all(row["verdict"] == FEW for row in rows):
        return [[Span(f"No verdict: that needs {FEWEST_QUERIES} queries. Changes here are not evidence.")]]
    family = sum(not np.isnan(row[f"{prefix}p_corrected"]) for row in rows for prefix in ARMS)
    phrases = _changes(rows, "")
    for verdict, text in ((APART, APART), (FEW, f"no verdict ({FEW})")):
        if measure_names := _join_names(rows, "verdict", verdict):
            phrases.append([Span(f"{text} in {measure_names}")])
    change = [Span(f"Weight 1 → {weight:g}: "), *_join_phrases(phrases)]
    change.append(Span(f" ({rows_text(family, tests or Tests())})."))
    if all(np.isnan(row["placebo_difference"]) for row in rows):
        return [change, [Span("There is no placebo to compare with.")]]
    return [_beyond_spans(rows, weight), change, _placebo_spans(rows), *filter(None, [_rank_spans(rows)])]


def _changes(rows: Sequence[dict], prefix: str) -> list[list[Span]]:
    """Return a phrase for the measures that are better, and one for those that are worse."""
    names = {verdict: _join_names(rows, f"{prefix}verdict", verdict) for verdict in (BETTER, WORSE)}
    return [[Span(f"{verdict} in "), Span(text, True)] for verdict, text in names.items() if text]


def _beyond_spans(rows: Sequence[dict], weight: float) -> list[Span]:
    """Return the effect of the gender senses beyond the placebo."""
    nothing = "nothing significant, so no effect of gender is shown"
    if all(row["beyond_verdict"] == FEW for row in rows):
        nothing = "no verdict"
    phrases = _changes(rows, "beyond_") or [[Span(nothing)]]
    return [Span(f"Beyond the placebo, weight 1 → {weight:g}: "), *_join_phrases(phrases), Span(".")]


def _rank_spans(rows: Sequence[dict]) -> list[Span]:
    """Return the gender senses' rank by size of change among all sets of senses; empty without a placebo."""
    ranked_rows = [row for row in rows if not np.isnan(row.get("rank", np.nan))]
    if not ranked_rows:
        return []
    sets = int(ranked_rows[0]["sets"])
    ranks_text = ", ".join(f"{row['name']} {row['rank']:.0f}" for row in ranked_rows)
    least_p = f"{1 / sets:.3f}".lstrip("0")
    return [Span(f"Rank of the gender senses by size of change among {sets} sets of senses: "), Span(ranks_text, True),
            Span(f" (p = rank / {sets}, at least {least_p}).")]  # fmt: skip


def _placebo_spans(rows: Sequence[dict]) -> list[Span]:
    """Return the placebo's own changes."""
    changed_rows = [row for row in rows if row["verdict"] in (BETTER, WORSE)]
    same_names = [row["name"] for row in changed_rows if row["placebo_verdict"] == row["verdict"]]
    spans = [Span("The placebo, the same weight on other senses, ")]
    if all(row["placebo_verdict"] == FEW for row in rows):
        return [*spans, Span("has no verdict.")]
    if same_names:
        return [*spans, Span("does the same to "), Span(", ".join(same_names), True), Span(".")]
    if changed_rows:
        return [*spans, Span("does the same to none of them.")]
    other_names = [row["name"] for row in rows if row["placebo_verdict"] in (BETTER, WORSE)]
    return [*spans, Span(f"moves {', '.join(other_names)}." if other_names else "moves nothing either.")]


def _join_names(rows: Sequence[dict], key: str, verdict: str) -> str:
    return ", ".join(row["name"] for row in rows if row[key] == verdict)


def _join_phrases(phrases: Sequence[list[Span]]) -> list[Span]:
    out: list[Span] = []
    for place, phrase in enumerate(phrases):
        out += [Span("; "), *phrase] if place else phrase
    return out
