"""Replay of a capsule: computing its numbers again, and reporting differing numbers and changed inputs."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.output.capsule.inputs import changes, files_of, tables_of
from fairviz.output.capsule.packing import COLUMNS, versions
from fairviz.output.capsule.reading import NUMBERS, Capsule
from fairviz.study.record import Study

KEYS = ["measure", "system", "query_id"]
TABLE = ("measure", "system", "values", "differ", "largest_difference", "then", "now")


@dataclass(frozen=True, eq=False)
class Replay:
    """The differences between a capsule and its replay.

    table: a row for each measure and system whose numbers differ: the number of differing values, the largest
    difference, and the mean then and now (for GSR the slope). values, means: how many values and rows of the summary
    were compared; differ, means_differ: how many of them differ. inputs: a line for each changed file or, without
    changed files, for each changed table. others: different versions, and measures that can no longer be computed.
    """

    table: pd.DataFrame
    values: int
    differ: int
    means: int
    means_differ: int
    inputs: tuple[str, ...] = ()
    others: tuple[str, ...] = field(default=())

    @property
    def same(self) -> bool:
        """True if all numbers are equal."""
        return not len(self.table)


def replay(capsule: Capsule, study: Study, tolerance: float = 0.0) -> Replay:
    """Return the differences between the capsule and the same computation on the study.

    tolerance: relative difference up to which two numbers count as equal; 0 compares all digits. Raises UsageError for
    a tolerance below 0 or above 1, FairvizError if no measure can be computed.
    """
    expect("capsule", capsule, Capsule, "Give what fairviz.output.capsule.read_capsule reads.")
    expect("study", study, Study, "Give a Study, as fairviz.open_study opens.")
    expect("tolerance", tolerance, (int, float), "Use a number from 0 to 1.")
    if not 0 <= tolerance <= 1:
        raise UsageError(f"tolerance is {tolerance:g}", "Use a number from 0 to 1.")
    texts, reasons = _split_measures(capsule, study)
    if not texts:
        raise FairvizError(f"no measure of the capsule can be computed on {study.name}: {next(iter(reasons.values()))}")
    settings = capsule.settings
    missing = [name for name in settings.systems if name not in study.systems]
    if missing:
        raise FairvizError(f"{study.name} has no system {missing[0]!r} any more", "Give the study of the capsule.")
    scores = evaluate(study, texts, settings)
    values = _join_tables(capsule.scores, scores[COLUMNS], KEYS, ("value",))
    means = _join_tables(capsule.summary, summarise(scores), KEYS[:2], NUMBERS)
    unavailable = tuple(f"{text} cannot be computed now: {reason}" for text, reason in reasons.items())
    differs = _any_differs(values, ("value",), tolerance), _any_differs(means, NUMBERS, tolerance)
    table = _differing_rows(values.assign(differ=differs[0]), means.assign(wrong=differs[1]))
    counts = len(values), int(differs[0].sum()), len(means), int(differs[1].sum())
    files = changes(capsule.files, files_of(study), "bytes")
    tables = [f"the table {line}" for line in changes(capsule.tables, tables_of(study), "rows")]
    return Replay(table, *counts, tuple(files or tables), (*_changed_versions(capsule), *unavailable))


def _split_measures(capsule: Capsule, study: Study) -> tuple[list[str], dict[str, str]]:
    """Return the measures of this version for which the study has data, and the reasons for the others."""
    texts, reason_by_text = [], {}
    for text in capsule.measures:
        try:
            question = ask(text, capsule.settings)
        except UsageError as error:
            reason_by_text[text] = f"this version cannot read it ({error.message})."
            continue
        reason = missing_part(study, question, capsule.settings)
        if reason:
            reason_by_text[text] = reason
        else:
            texts.append(text)
    return texts, reason_by_text


def _changed_versions(capsule: Capsule) -> tuple[str, ...]:
    current_versions = versions()
    return tuple(
        f"{name} was {then}, and is {current_versions.get(name, 'not known')} now"
        for name, then in capsule.versions.items()
        if current_versions.get(name) != then
    )


def _join_tables(before: pd.DataFrame, after: pd.DataFrame, keys: list[str], numbers: tuple[str, ...]) -> pd.DataFrame:
    """Return the rows of both tables by their keys; numbers get the suffixes _then and _now, NaN for a missing row."""
    texts = [frame.astype(dict.fromkeys(keys, "str"))[[*keys, *numbers]] for frame in (before, after)]
    return texts[0].merge(texts[1], on=keys, how="outer", suffixes=("_then", "_now"), sort=False)


def _any_differs(table: pd.DataFrame, numbers: tuple[str, ...], tolerance: float) -> np.ndarray:
    """Return for each row whether any of these numbers differs between then and now by more than the relative
    tolerance; NaN equals NaN."""
    result = np.zeros(len(table), dtype=bool)
    for name in numbers:
        old_values, new_values = (table[f"{name}_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
        with np.errstate(over="ignore"):
            is_close = np.abs(old_values - new_values) <= tolerance * np.maximum(np.abs(old_values), np.abs(new_values))
        result |= ~(is_close | (np.isnan(old_values) & np.isnan(new_values)))
    return result


def _differing_rows(paired_values: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each measure and system with a differing number, GSR's parts as GSR."""
    old_values, new_values = (paired_values[f"value_{when}"].to_numpy(dtype=np.float64) for when in ("then", "now"))
    with np.errstate(over="ignore"):
        differences = paired_values[[*KEYS[:2], "differ"]].assign(largest_difference=np.abs(old_values - new_values))
    differences["measure"] = differences["measure"].str.replace(r"^GSR\.(query|list)", "GSR", regex=True)
    grouped = differences.groupby(KEYS[:2], sort=False)
    values = grouped.agg(values=("differ", "size"), differ=("differ", "sum"), largest_difference=("largest_difference",
                                                                                                "max"))  # fmt: skip
    table = means.merge(values.reset_index(), on=KEYS[:2], how="outer", sort=False)
    table = table[table["wrong"].eq(True) | (table["differ"] > 0)]
    table = table.rename(columns={"value_then": "then", "value_now": "now"})[list(TABLE)]
    table = table.fillna({"values": 0, "differ": 0})  # a mean without values, which a capsule may contain
    return table.astype({"values": "int64", "differ": "int64"}).reset_index(drop=True)
