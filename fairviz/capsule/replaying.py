"""Asking again what a capsule was asked, and saying which numbers differ and whose file has changed."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.capsule.inputs import changes, files_of, tables_of
from fairviz.capsule.packing import COLUMNS, versions
from fairviz.capsule.reading import NUMBERS, Capsule
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.scores import ask, evaluate, summarise
from fairviz.study.study import Study

KEYS = ["measure", "system", "query_id"]
TABLE = ("measure", "system", "values", "differ", "largest_difference", "then", "now")


@dataclass(frozen=True, eq=False)
class Replay:
    """table: a row for each measure and system whose numbers differ: how many of its queries' values do, by how much at
    most, and the mean then and now (of GSR the slope). values: how many were set side by side, and means: how many rows
    of the summary, each a mean with its interval and counts; differ and means_differ: how many of them differ. inputs:
    a line for each file that has changed, or where no file tells it, for each table. others: versions that are not the
    same, and measures that cannot be asked for now."""

    table: pd.DataFrame
    values: int
    differ: int
    means: int
    means_differ: int
    inputs: tuple[str, ...] = ()
    others: tuple[str, ...] = field(default=())

    @property
    def same(self) -> bool:
        """Whether every number is the same."""
        return not len(self.table)


def replay(capsule: Capsule, study: Study, tolerance: float = 0.0) -> Replay:
    """The capsule's questions asked of the study again.

    tolerance: by what share of the larger one two numbers may differ and still be the same; 0 for to the last digit.
    Raises UsageError for a tolerance below 0 or above 1, FairvizError where nothing can be asked again.
    """
    expect("capsule", capsule, Capsule, "Give what fairviz.capsule.read_capsule reads.")
    expect("study", study, Study, "Give a Study, as fairviz.open_study opens.")
    expect("tolerance", tolerance, (int, float), "Use a number from 0 to 1.")
    if not 0 <= tolerance <= 1:
        raise UsageError(f"tolerance is {tolerance:g}", "Use a number from 0 to 1.")
    asked, lacking = _askable(capsule, study)
    if not asked:
        raise FairvizError(f"nothing of the capsule can be asked of {study.name}: {next(iter(lacking.values()))}")
    settings = capsule.settings
    gone = [name for name in settings.systems if name not in study.systems]
    if gone:
        raise FairvizError(f"{study.name} has no system {gone[0]!r} any more", "Give the study of the capsule.")
    scores = evaluate(study, asked, settings)
    both = _side_by_side(capsule.scores, scores[COLUMNS], KEYS, ("value",))
    means = _side_by_side(capsule.summary, summarise(scores), KEYS[:2], NUMBERS)
    other = tuple(f"{text} cannot be asked now: {reason}" for text, reason in lacking.items())
    odd = _unlike_in(both, ("value",), tolerance), _unlike_in(means, NUMBERS, tolerance)
    table = _differing(both.assign(differ=odd[0]), means.assign(wrong=odd[1]))
    counts = len(both), int(odd[0].sum()), len(means), int(odd[1].sum())
    return Replay(table, *counts, _inputs(capsule, study), (*_versions(capsule), *other))


def _askable(capsule: Capsule, study: Study) -> tuple[list[str], dict[str, str]]:
    """The measures that this program knows and the study can feed, and why not the others."""
    asked, lacking = [], {}
    for text in capsule.measures:
        try:
            question = ask(text, capsule.settings)
        except UsageError as error:
            lacking[text] = f"this version does not know it ({error.message})."
            continue
        reason = missing_part(study, question, capsule.settings)
        if reason:
            lacking[text] = reason
        else:
            asked.append(text)
    return asked, lacking


def _inputs(capsule: Capsule, study: Study) -> tuple[str, ...]:
    """What changed: files by name; tables too where files do not tell, such as decisions and what was added."""
    files = changes(capsule.files, files_of(study), "bytes")
    tables = [f"the table {line}" for line in changes(capsule.tables, tables_of(study), "rows")]
    return tuple(files or tables)


def _versions(capsule: Capsule) -> tuple[str, ...]:
    now = versions()
    return tuple(
        f"{name} was {then}, and is {now.get(name, 'not known')} now"
        for name, then in capsule.versions.items()
        if now.get(name) != then
    )


def _side_by_side(then: pd.DataFrame, now: pd.DataFrame, keys: list[str], numbers: tuple[str, ...]) -> pd.DataFrame:
    """The rows of both tables by their keys; numbers with the endings _then and _now, NaN where one has no row."""
    texts = [frame.astype(dict.fromkeys(keys, "str"))[[*keys, *numbers]] for frame in (then, now)]
    return texts[0].merge(texts[1], on=keys, how="outer", suffixes=("_then", "_now"), sort=False)


def unlike(then: np.ndarray, now: np.ndarray, tolerance: float) -> np.ndarray:
    """Whether numbers differ by more than this share of the larger one; NaN is like NaN only."""
    with np.errstate(over="ignore"):
        near = np.abs(then - now) <= tolerance * np.maximum(np.abs(then), np.abs(now))
    return ~(near | (np.isnan(then) & np.isnan(now)))


def _unlike_in(table: pd.DataFrame, numbers: tuple[str, ...], tolerance: float) -> np.ndarray:
    """Whether any of these numbers of a row differs, then and now."""
    found = np.zeros(len(table), dtype=bool)
    for name in numbers:
        then, now = (table[f"{name}_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
        found |= unlike(then, now, tolerance)
    return found


def _differing(both: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """A row for each measure and system of which any number differs. GSR's slope has its parts' name in the scores."""
    then, now = (both[f"value_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
    with np.errstate(over="ignore"):
        each = both[[*KEYS[:2], "differ"]].assign(largest_difference=np.abs(then - now))
    each["measure"] = each["measure"].str.replace(r"^GSR\.(query|list)", "GSR", regex=True)
    grouped = each.groupby(KEYS[:2], sort=False)
    values = grouped.agg(values=("differ", "size"), differ=("differ", "sum"), largest_difference=("largest_difference",
                                                                                                "max"))  # fmt: skip
    table = means.merge(values.reset_index(), on=KEYS[:2], how="outer", sort=False)
    table = table[table["wrong"].eq(True) | (table["differ"] > 0)]
    table = table.rename(columns={"value_then": "then", "value_now": "now"})[list(TABLE)]
    table = table.fillna({"values": 0, "differ": 0})  # a mean of no value, which a capsule may claim
    return table.astype({"values": "int64", "differ": "int64"}).reset_index(drop=True)
