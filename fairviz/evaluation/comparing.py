"""Systems against a baseline with all that a table of them may hold: slices, more draws, and the errors that margin and
power go by. The numbers are those of fairviz.evaluation.compare."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.compare import COLUMNS, check_choices, is_reference, verdicts
from fairviz.evaluation.given import check_bootstrap, check_scores
from fairviz.evaluation.pairs import How
from fairviz.evaluation.query_points import Resampling, points_of, put_tests
from fairviz.evaluation.slices import SLICE, sliced
from fairviz.evaluation.slopes import split_parts
from fairviz.measures import parse
from fairviz.measures.bootstrap import RESAMPLES
from fairviz.measures.paired import DRAWS, FEWEST_DRAWS, MOST_DRAWS, corrected

Array = np.ndarray
ERRORS = ("error", "freedom", "only_system", "only_baseline")
HOW_MANY_DRAWS = f"Use a whole number from {FEWEST_DRAWS} to {MOST_DRAWS:,}, such as {DRAWS}."
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("measure", "system", "baseline"), "str"),
    **dict.fromkeys(("value", "baseline_value", "difference", "ci_low", "ci_high", "p", "effect_size"), "float64"),
    **dict.fromkeys(("wins", "ties", "losses", "queries"), "Int64"),
}


@dataclass(frozen=True)
class Comparison:
    """`table` has COLUMNS, a row for each measure and system but its baseline, and before them `slice` where there are
    slices of queries; `family` is how many tests the correction was for.

    errors: for each row of the table the standard error of its difference, its degrees of freedom, and on how many
    queries only the system or only the baseline has a value: error, freedom, only_system, only_baseline.
    """

    table: pd.DataFrame
    family: int
    test: str = "t"
    correction: str = "holm"
    level: float = 0.95
    errors: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(ERRORS), dtype="float64"))


def compare(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    draws: int = DRAWS,
    slices: Mapping[str, object] | pd.Series | None = None,
    margin: float | Mapping[str, float] | None = None,
    power: float | None = None,
) -> pd.DataFrame:
    """Every system against a baseline, measure by measure, on the queries that both have a value for.

    scores: of `evaluate`. baseline: a system, or nothing for the best one of each measure (the fairest, or the most
    effective; measures that only describe then have none and are left out). test: `t`, `randomisation` (with so many
    draws of signs) or `wilcoxon`. correction: `holm`, `bonferroni`, `bh` or `none`, over all systems, measures and
    slices of the table; the systems `perfect` and `random` are references, which are in no family.

    Returns measure, system, baseline, value and baseline_value (means over the common queries), difference with its
    percentile bootstrap interval (shared resamples of queries), p, p_corrected, effect_size (mean over standard
    deviation of the differences), wins, ties and losses (queries on which the system is fairer, equal, less fair),
    queries, and verdict: ahead, behind, not told apart, mean and test part (Wilcoxon's signed ranks can point the other
    way than the mean, and then no order is claimed), too few queries, reference. A measure that is fairest at 0 is
    compared by |mean|, one that is fairest at 1 by |ln mean|: `difference` is then one of these distances. GSR is
    compared by the slope of the lists' differences over the queries; its effect_size is their correlation. NaN where
    fewer than two queries (three for GSR) are common.

    slices: the slice of each query by its id, as `study.queries.set_index("query_id")["category"]`: the table then
    begins with `slice`, and each slice is a comparison of its own in one family. margin: how large a difference may be
    and not matter, one for all or by measure; adds margin, p_equivalent, p_equivalent_corrected and equivalence, by two
    one-sided t tests. power: adds detectable, the smallest difference that so many queries show with this power in one
    test, and detectable_in_family, after the correction. Raises UsageError for an unknown baseline, test or correction,
    scores of a single system, and numbers that cannot be.
    """
    from fairviz.evaluation.equivalence import extended

    check_scores(scores)
    refuse_alone(scores)
    found = comparison(
        scores,
        baseline,
        test=test,
        correction=correction,
        level=level,
        resamples=resamples,
        seed=seed,
        draws=draws,
        slices=slices,
    )
    return extended(found, margin, power).table


def comparison(
    scores: pd.DataFrame,
    baseline: str = "",
    *,
    test: str = "t",
    correction: str = "holm",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    draws: int = DRAWS,
    slices: Mapping[str, object] | pd.Series | None = None,
) -> Comparison:
    """`compare` with the size of its family, without margin and power."""
    check_scores(scores)
    check_bootstrap(level, resamples, seed)
    _check(scores, baseline, test, correction, draws)
    rows: list[dict] = []
    for name, part in sliced(scores, slices):
        for text, points in split_parts(part):
            made = points_of(points).rows(parse(text), baseline, Resampling(level, resamples, seed))
            rows += [{SLICE: name, "measure": text} | row for row in made]
    put_tests(rows, test, draws)
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype(_TYPES)
    errors = pd.DataFrame(rows, columns=list(ERRORS)).astype("float64")
    contenders = ~table["system"].map(is_reference).astype(bool)
    p = np.where(contenders, table["p"].astype(float), np.nan)
    table["p_corrected"] = corrected(p, correction)
    lowest = {text for text in table["measure"].unique() if parse(text).direction in ("lower", "zero", "one")}
    columns = {name: table[name].to_numpy() for name in ("p_corrected", "difference")}
    columns["leans"] = np.array([row["leans"] for row in rows])
    low = table["measure"].isin(lowest).to_numpy()
    table["verdict"] = verdicts(columns, contenders.to_numpy(), low, 1 - level)
    if slices is not None:
        table.insert(0, SLICE, pd.Series([row[SLICE] for row in rows], index=table.index, dtype="str"))
    return Comparison(table, int((~np.isnan(p)).sum()), test, correction, level, errors)


def refuse_alone(scores: pd.DataFrame) -> None:
    """Raises FairvizError for the scores of a single system, which is compared with nobody."""
    systems = scores["system"].unique()
    if len(systems) == 1:
        raise FairvizError(
            f"there is one system, {systems[0]}, and nothing to compare it with",
            "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.",
        )


def _check(scores: pd.DataFrame, baseline: str, test: str, correction: str, draws: object) -> None:
    """Raises UsageError for a baseline, a test or a correction that there is not, and too few or too many draws."""
    check_choices(How(baseline, test), correction, [str(name) for name in scores["system"].unique()])
    expect("draws", draws, Integral, HOW_MANY_DRAWS)
    if not FEWEST_DRAWS <= int(draws) <= MOST_DRAWS:  # type: ignore[call-overload]
        raise UsageError(f"draws is {draws}", HOW_MANY_DRAWS)
