"""A comparison with a margin, within which a difference does not matter, and with the minimum detectable difference.

Both go by Student's t, whatever the test of the comparison."""

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real

import numpy as np
import pandas as pd

from fairviz.errors import UsageError, expect
from fairviz.evaluation.compare import REFERENCE, UNTESTED, is_reference
from fairviz.evaluation.comparing import Comparison
from fairviz.measures import parse
from fairviz.measures.equivalence import detectable, equivalence_p
from fairviz.measures.paired import corrected

EQUIVALENT, NOT_SHOWN, NO_MARGIN = "equivalent", "not shown", "no margin"
POWER = 0.8  # what is usually asked for
A_MARGIN = "Use a number above 0, in units of the measure, such as 0.01."


def extended(
    found: Comparison, margin: float | Mapping[str, float] | None = None, power: float | None = None
) -> Comparison:
    """The comparison with the columns of `with_margin` and `with_power`, where these are given."""
    if margin is not None:
        found = with_margin(found, margin)
    return found if power is None else with_power(found, power)


def with_margin(found: Comparison, margin: float | Mapping[str, float]) -> Comparison:
    """The comparison with margin, p_equivalent, p_equivalent_corrected and equivalence.

    margin: one number for all measures, or one by measure, written as anybody writes it (`CWEx` means every CWEx of the
    table) and under an empty name for all others. p_equivalent is that of two one-sided t tests (TOST), corrected over
    the family as the differences are. equivalence: equivalent, where the difference lies within the margin by its
    corrected p; not shown; no margin; too few queries; reference. Raises UsageError for what is no margin, or one of a
    measure that is not there.
    """
    table, errors = found.table, found.errors
    margins = _margins(table, margin)
    p = equivalence_p(
        table["difference"].to_numpy(dtype=float), errors["error"].to_numpy(), errors["freedom"].to_numpy(), margins
    )
    references = table["system"].map(is_reference).to_numpy(dtype=bool)
    family = corrected(np.where(references, np.nan, p), found.correction)
    said = np.where(family < 1 - found.level, EQUIVALENT, NOT_SHOWN).astype(object)
    said[np.isnan(family)] = UNTESTED
    said[np.isnan(margins)] = NO_MARGIN
    said[references] = REFERENCE
    added = {"margin": margins, "p_equivalent": p, "p_equivalent_corrected": family, "equivalence": said}
    return replace(found, table=table.assign(**added).astype({"equivalence": "str"}))


def with_power(found: Comparison, power: float = POWER) -> Comparison:
    """The comparison with detectable and detectable_in_family: the minimum detectable difference, the smallest that a
    two-sided t test finds with this power over as many queries with the standard deviation observed.

    detectable: in one test at 1 - level; detectable_in_family: at (1 - level) / family, which Holm, Bonferroni and
    Benjamini-Hochberg ask of the smallest p. NaN where queries have no spread or are too few, and for references in a
    family. Raises UsageError for a power that is not between 1 - level and 1.
    """
    alpha = 1 - found.level
    remedy = f"Use a number between {alpha:.3g} and 1, such as {POWER}."
    expect("power", power, Real, remedy)
    if not alpha < float(power) < 1:
        raise UsageError(f"power is {power}", remedy)
    error, freedom = (found.errors[name].to_numpy() for name in ("error", "freedom"))
    tests = found.family if found.correction != "none" else 1
    references = found.table["system"].map(is_reference).to_numpy(dtype=bool)
    family = detectable(error, freedom, alpha / max(tests, 1), float(power))
    added = {
        "detectable": detectable(error, freedom, alpha, float(power)),
        "detectable_in_family": np.where(references, np.nan, family),
    }
    return replace(found, table=found.table.assign(**added))


def read_margins(texts: list[str]) -> dict[str, float]:
    """Margins as they are written on the command line: `CWEx=0.01` for one measure, `0.01` for all others.

    Raises UsageError for what is neither, or names the same measure twice.
    """
    named: dict[str, float] = {}
    for text in texts:
        measure, sign, number = text.rpartition("=")
        if sign and measure.count("(") > measure.count(")"):  # the = of a parameter
            measure, number = text, ""
        if measure.strip() in named:
            whose = f"for {measure.strip()}" if measure.strip() else "for all measures"
            raise UsageError(f"--margin is given twice {whose}", "Give one margin for each.")
        named[measure.strip()] = _number(number, text)
    return named


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"--margin is {whole!r}", "Write a number, as 0.01, or a measure's, as CWEx=0.01.") from error


def _margins(table: pd.DataFrame, margin: float | Mapping[str, float]) -> np.ndarray:
    """The margin of each row, (N,), NaN where its measure has none."""
    if not isinstance(margin, Mapping):
        return np.full(len(table), _checked(margin))
    rest = _checked(margin[""]) if "" in margin else math.nan
    measures = {str(text): rest for text in dict.fromkeys(table["measure"])}
    for name, value in margin.items():
        if not name:
            continue
        meant = [text for text in measures if name in (text, parse(text).name)] or [
            text for text in measures if text == parse(str(name), parse(text).cutoff).text
        ]
        if not meant:
            raise UsageError(
                f"there is a margin for {name!r}, and it is not compared", f"Use one of {', '.join(measures)}."
            )
        measures |= dict.fromkeys(meant, _checked(value))
    return table["measure"].astype("str").map(measures).to_numpy(dtype=float)


def _checked(margin: object) -> float:
    expect("margin", margin, Real, A_MARGIN)
    value = float(margin)  # type: ignore[arg-type]
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"margin is {margin}", A_MARGIN)
    return value
