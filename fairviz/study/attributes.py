"""Attribute sets: groupings of documents besides the study's own groups, such as levels of an h-index or origins.

A set is a column of the documents table and a table `[attributes.COLUMN]` in study.toml. A cell holds a level
(`low`), several levels in equal shares (`low|high`), levels with their shares (`low=0.75|high=0.25`), or nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.study.memberships import TOLERANCE

Array = np.ndarray
SCALES = ("nominal", "ordinal")  # of groups and of levels; ordinal ones are in the order in which they are written
BETWEEN, SHARE_SIGN = "|", "="  # in a cell
JOINED = "+"  # between the names of sets in a measure
KEYS = ("levels", "scale", "target")
CELL_REMEDY = "Write a cell as low, as low|high for equal shares, or as low=0.75|high=0.25; empty if it is unknown."
_TAKEN = ("doc_id", "title", "text")


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
        if not _is_column(name):
            reason = f"an attribute set is a column other than {', '.join(_TAKEN)}, without + and quotes in its name"
            defects.append((key, reason, _text(name)))
        elif not isinstance(entry, Mapping):
            defects.append((key, f"{key} is not a table", _text(entry)))
        elif unknown := [part for part in entry if part not in KEYS]:
            defects.append((key, f"{key} has an unknown key", str(unknown[0])))
        else:
            defects += [(key, f"{key}: {reason}", value) for reason, value in _entry_defects(entry)]
    return defects


def _is_column(name: object) -> bool:
    is_plain = isinstance(name, str) and bool(name) and name == name.strip() and not set(name) & set("+'\"\n")
    return is_plain and name not in _TAKEN


def _entry_defects(entry: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    levels, scale, target = entry.get("levels"), entry.get("scale", SCALES[0]), entry.get("target")
    if not isinstance(levels, (list, tuple)) or not all(map(_is_level, levels)):
        return [("levels must be a list of texts without | and =", None if levels is None else _text(levels))]
    if len(set(levels)) < max(2, len(levels)):
        return [("levels must be two or more, each once", _text(levels))]
    if scale not in SCALES:
        return [("scale is neither nominal nor ordinal", _text(scale))]
    if target is not None and not _is_target(target, len(levels)):
        return [(f"target must be {len(levels)} shares of 0 or more that add up to 1", _text(target))]
    return []


def _is_level(level: object) -> bool:
    return isinstance(level, str) and bool(level) and level == level.strip() and not set(level) & {BETWEEN, SHARE_SIGN}


def _is_target(target: object, count: int) -> bool:
    if not isinstance(target, (list, tuple)) or len(target) != count:
        return False
    numbers = [share for share in target if isinstance(share, (int, float)) and not isinstance(share, bool)]
    return len(numbers) == count and all(0 <= share <= 1 for share in numbers) and abs(sum(numbers) - 1) <= 1e-6


def _text(value: object) -> str:
    return str(value)[:200]


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


ENTRY_REMEDY = "Write it as {'levels': ['low', 'high'], 'scale': 'ordinal', 'target': [0.5, 0.5]}."
