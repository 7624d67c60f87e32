"""Groupings of documents: attribute sets besides the study's own groups, such as levels of an h-index, and soft
membership in the groups.

A set is a column of the documents table and a table `[attributes.COLUMN]` in study.toml. A cell holds a level
(`low`), several levels in equal shares (`low|high`), levels with their shares (`low=0.75|high=0.25`), or nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError

Array = np.ndarray
SCALES = ("nominal", "ordinal")  # of groups and of levels; ordinal ones are in the order in which they are written
BETWEEN, SHARE_SIGN = "|", "="  # in a cell
JOINED = "+"  # between the names of sets in a measure
KEYS = ("levels", "scale", "target")
CELL_REMEDY = "Write a cell as low, as low|high for equal shares, or as low=0.75|high=0.25; empty if it is unknown."
_TAKEN = ("doc_id", "title", "text")
ENTRY_REMEDY = "Write it as {'levels': ['low', 'high'], 'scale': 'ordinal', 'target': [0.5, 0.5]}."
SHARE = "share"
TOLERANCE = 1e-5  # of the sum of shares: three thirds written with six decimals are whole
REMEDY = "Give each group of a document one row, with shares from 0 to 1 that sum to 1."
_KEY = ["doc_id", "annotator"]


@dataclass(frozen=True)
class Attribute:
    """The levels of an attribute set, whether they have an order, and the target share of each, empty for equal ones.

    Nominal sets are compared by JSD, ordinal ones by RNOD.
    """

    levels: tuple[str, ...]
    scale: Literal["nominal", "ordinal"] = "nominal"
    target: tuple[float, ...] = ()

    @property
    def targets(self) -> Array:
        """The target share of each level, (G,), summing to 1.

        >>> Attribute(("low", "high")).targets.tolist()
        [0.5, 0.5]
        """
        count = len(self.levels)
        shares = np.array(self.target or [1 / count] * count, dtype=np.float64)
        return shares / shares.sum()


def read_cell(text: str, levels: Sequence[str]) -> tuple[Array, str]:
    """Return the shares of the levels in a cell, (G,), and an empty text; or the reason why the cell is invalid.

    >>> read_cell("low=0.75|high=0.25", ["low", "mid", "high"])[0].tolist()
    [0.75, 0.0, 0.25]
    >>> read_cell("huge", ["low", "high"])[1]
    "'huge' is not one of the levels low, high"
    """
    shares, pieces = np.zeros(len(levels)), [piece.strip() for piece in text.split(BETWEEN)]
    has_shares, named = SHARE_SIGN in text, set()
    for piece in pieces:
        name, sign, number = piece.rpartition(SHARE_SIGN) if has_shares else (piece, SHARE_SIGN, 1 / len(pieces))
        share = pd.to_numeric(number, errors="coerce") if sign else np.nan
        if not 0 <= share <= 1:
            return shares, f"the share of {piece!r} is not a number from 0 to 1"
        if name.strip() not in levels:
            return shares, f"{name.strip()!r} is not one of the levels {', '.join(levels)}"
        if name.strip() in named:
            return shares, f"the level {name.strip()!r} is named twice"
        named.add(name.strip())
        shares[levels.index(name.strip())] = share
    total = float(shares.sum())
    if abs(total - 1) > TOLERANCE:
        return shares, f"the shares sum to {total:.6g}, and not to 1"
    return shares / total, ""


def cell_defects(column: pd.Series, levels: Sequence[str]) -> list[tuple[int, str]]:
    """Return the row of each invalid cell of a column, and the reason."""
    codes, texts = _distinct(column)
    reasons = [read_cell(text, levels)[1] for text in texts]
    return [(row, reasons[code]) for row, code in enumerate(codes.tolist()) if code >= 0 and reasons[code]]


def cell_shares(column: pd.Series, attribute: Attribute) -> Array:
    """Return the shares of the levels in each cell of a column without defects, (N, G); equal ones without a value."""
    codes, texts = _distinct(column)
    rows = [read_cell(text, attribute.levels)[0] for text in texts]
    equal = np.full(len(attribute.levels), 1 / len(attribute.levels))
    return np.stack([*rows, equal])[codes]  # code -1, no value, reads the last


def check_attributes(documents: pd.DataFrame, attributes: Mapping[str, Attribute]) -> None:
    """Raise FairvizError for a set without a column of the documents, and for the first invalid cell of one."""
    for name, attribute in attributes.items():
        if name not in documents:
            raise FairvizError(
                f"the documents table has no column {name!r}, of which attributes.{name} is", "Add it, or drop the set."
            )
        for row, reason in cell_defects(documents[name], attribute.levels):
            document = documents["doc_id"].iloc[row]
            raise FairvizError(f"document {document!r} in the column {name!r}: {reason}", CELL_REMEDY)


def _distinct(column: pd.Series) -> tuple[Array, list[str]]:
    """Return the code of each cell, (N,), -1 without a value, and the text of each code."""
    texts = column.astype("str").str.strip()
    codes, names = pd.factorize(texts.where(column.notna() & (texts != "")))
    return codes, [str(name) for name in names]


def named_sets(text: str) -> tuple[str, ...]:
    """Return the names in a measure's parameter.

    >>> named_sets("h_index+origin"), named_sets("")
    (('h_index', 'origin'), ())
    """
    return tuple(name.strip() for name in text.split(JOINED)) if text.strip() else ()


# --- as written in study.toml ----------------------------------------------------------------------------------------


def find_defects(entries: Mapping[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return (key, defect, value) for the tables of attribute sets, by name."""
    defects: list[tuple[str, str, str | None]] = []
    for name, entry in entries.items():
        key = f"attributes.{name}"
        is_plain = isinstance(name, str) and bool(name) and name == name.strip() and not set(name) & set("+'\"\n")
        if not is_plain or name in _TAKEN:
            reason = f"an attribute set is a column other than {', '.join(_TAKEN)}, without + and quotes in its name"
            defects.append((key, reason, str(name)[:200]))
        elif not isinstance(entry, Mapping):
            defects.append((key, f"{key} is not a table", str(entry)[:200]))
        elif unknown := [part for part in entry if part not in KEYS]:
            defects.append((key, f"{key} has an unknown key", str(unknown[0])))
        elif defect := _entry_defect(entry):
            part, reason = defect
            value = entry.get(part)
            is_lacking = part == "levels" and value is None
            defects.append((key, f"{key}: {part} {reason}", None if is_lacking else str(value)[:200]))
    return defects


def _entry_defect(entry: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first defective key of a set's table and the reason; None for a sound table."""
    levels, target = entry.get("levels"), entry.get("target")
    if not isinstance(levels, (list, tuple)) or not all(
        isinstance(level, str) and level and level == level.strip() and not set(level) & {BETWEEN, SHARE_SIGN}
        for level in levels
    ):
        return "levels", "must be a list of texts without | and ="
    if len(set(levels)) < max(2, len(levels)):
        return "levels", "must be two or more, each once"
    if entry.get("scale", SCALES[0]) not in SCALES:
        return "scale", "is neither nominal nor ordinal"
    if target is None:
        return None
    shares = target if isinstance(target, (list, tuple)) and len(target) == len(levels) else ()
    numbers = [share for share in shares if isinstance(share, (int, float)) and not isinstance(share, bool)]
    if len(numbers) == len(levels) and all(0 <= share <= 1 for share in numbers) and abs(sum(numbers) - 1) <= 1e-6:
        return None
    return "target", f"must be {len(levels)} shares of 0 or more that add up to 1"


def attribute_of(entry: Mapping[str, Any]) -> Attribute:
    """Return the set of a table without defects."""
    target = tuple(float(share) for share in entry.get("target", ()))
    return Attribute(tuple(entry["levels"]), entry.get("scale", SCALES[0]), target)


def checked_attributes(attributes: Mapping[str, Any]) -> dict[str, Attribute]:
    """Return attribute sets made in Python, each an Attribute or a dict with the keys of study.toml.

    Raises UsageError for the first defect.
    """
    entries = {
        name: {key: getattr(entry, key) for key in KEYS if getattr(entry, key)}
        if isinstance(entry, Attribute)
        else entry
        for name, entry in attributes.items()
    }
    for _, defect, value in find_defects(entries):
        raise UsageError(defect if value is None else f"{defect}: {value!r}", ENTRY_REMEDY)
    return {name: attribute_of(entry) for name, entry in entries.items()}


# --- Soft membership: a document that belongs to several groups in shares, as rows of a labels table. A labels file
# has one row for each group of such a document, with a column `share`; the shares of a document by one annotator sum
# to 1. In memory each document has one row: its label is the group of the largest share, and the columns `share of
# GROUP` hold the shares, missing for a document with one label.


def share_column(group: str) -> str:
    """Return the name of the column that holds the shares of a group."""
    return f"share of {group}"


def shares_of(labels: pd.DataFrame, groups: Sequence[str]) -> np.ndarray | None:
    """Return the shares of each row, (N, G), scaled to sum to 1; NaN for a row with one label, None if all have one.

    groups: neutral first.
    """
    if not any(share_column(group) in labels for group in groups):
        return None
    columns = [labels.get(share_column(group), pd.Series(np.nan, index=labels.index)) for group in groups]
    shares = np.stack([pd.to_numeric(column, errors="coerce").to_numpy(np.float64) for column in columns], axis=1)
    total = np.nansum(shares, axis=1, keepdims=True)
    if not (total > 0).any():
        return None
    return np.where(total > 0, np.nan_to_num(shares) / np.where(total > 0, total, 1), np.nan)


def groups_without_label(labels: pd.DataFrame, groups: Sequence[str]) -> list[str]:
    """Return the groups that no document has as its label, or as a share of it."""
    named = set(labels["label"].unique())
    shared = {group for group in groups if (labels.get(share_column(group), pd.Series([0.0])) > 0).any()}
    return [group for group in groups if group not in named | shared]


def share_defects(labels: pd.DataFrame) -> list[tuple[int, str]]:
    """Return the position of each defective row, and the defect. labels: doc_id, annotator, label, share."""
    shares = _numbers(labels)
    if invalid := np.flatnonzero(~((shares >= 0) & (shares <= 1))).tolist():
        return [(row, "the share is not a number from 0 to 1") for row in invalid]
    if repeated := np.flatnonzero(labels.duplicated([*_KEY, "label"])).tolist():
        return [(row, f"a second share of {labels['label'].iloc[row]!r} for this document") for row in repeated]
    codes, first = _documents(labels)
    sums = np.bincount(codes, shares)
    wrong = np.flatnonzero(np.abs(sums - 1) > TOLERANCE)
    return [(int(first[code]), f"the shares of this document sum to {sums[code]:.6g}, and not to 1") for code in wrong]


def in_one_row(labels: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Return one row for each document and annotator, in the order of their first rows.

    labels: doc_id, annotator, label, share, without defects; groups: neutral first. The label is the group of the
    largest share, the first of equal ones in the order of `groups`. Other columns are those of the first row.
    """
    shares, (codes, first) = _numbers(labels), _documents(labels)
    table = np.zeros((len(first), len(groups)))
    np.add.at(table, (codes, pd.Index(groups).get_indexer(pd.Index(labels["label"]))), shares)
    rows = labels.drop(columns=SHARE).iloc[first].reset_index(drop=True)
    rows["label"] = pd.Series(np.array(groups, dtype=object)[table.argmax(axis=1)], dtype="str")
    is_soft = table.max(axis=1) < 1 - TOLERANCE
    if not is_soft.any():
        return rows
    columns = np.where(is_soft[:, None], table, np.nan)
    return rows.assign(**{share_column(group): columns[:, place] for place, group in enumerate(groups)})


def _numbers(labels: pd.DataFrame) -> np.ndarray:
    """Return the shares, (N,): 1 for an empty cell, NaN for any other text that is not a number."""
    values = labels[SHARE]
    empty = values.isna() | (values.astype("str").str.strip() == "")
    return np.where(empty, 1.0, pd.to_numeric(values, errors="coerce").to_numpy(np.float64))


def _documents(labels: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return a number for each row's document and annotator, (N,), and the first row of each number."""
    keys = pd.MultiIndex.from_frame(labels[_KEY])
    codes, _ = pd.factorize(keys)
    return codes, np.unique(codes, return_index=True)[1]
