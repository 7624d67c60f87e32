"""Gender groups crossed with a column of the documents: `female, politics`; neutral stays one group.

Axis letters: G gender groups, V values of the column, D documents. The crossed groups are in the order of the gender
groups, and within each in the order of the values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, use_one_of
from fairviz.measures.rankings import LabelEvidence, targets
from fairviz.study.record import Study

Array = np.ndarray
SEPARATOR = ", "
MOST_VALUES = 20  # different values of a column to cross with
MOST_GROUPS = 60
_TEXTS = ("doc_id", "title", "text")
_VALUES: WeakKeyDictionary[Study, dict[str, tuple[str, ...]]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups that measures of labels compare: names, a place in names of the protected group, and targets (G,).

    column: the crossed column of the documents, with its values; empty for the study's own groups. ordinal: whether the
    groups have an order, which crossed ones do not. After a crossing no group alone is the protected one: `protected`
    is the first of the protected gender, and measures that take the study's protected group are refused.
    """

    groups: tuple[str, ...]
    protected: int
    targets: Array
    column: str = ""
    values: tuple[str, ...] = ()
    ordinal: bool = False

    @property
    def protected_name(self) -> str:
        """The name of the protected group."""
        return self.groups[self.protected]


def crossing_columns(study: Study) -> tuple[str, ...]:
    """Return the columns to cross with: none (empty), and those of the documents with 2 to 20 different values."""
    if study.label_kind != "gender" or not study.has("labels"):
        return ("",)
    names = [name for name in study.documents.columns if name not in _TEXTS]
    most = min(MOST_VALUES, MOST_GROUPS // len(study.groups))
    return ("", *(str(name) for name in names if 2 <= len(_values(study, name)) <= most))


def grouping_of(study: Study, column: str = "") -> Grouping:
    """Return the study's own groups, or those crossed with a column of its documents.

    The target of `female, politics` is that of `female` over the number of values: values have equal shares. Raises
    FairvizError for a column that the documents lack, and for one with fewer than 2 values or too many.
    """
    protected, shares = study.groups.index(study.protected), targets(study)
    if not column:
        return Grouping(study.groups, protected, shares, ordinal=study.scale == "ordinal")
    if column not in crossing_columns(study):
        raise FairvizError(f"the groups of {study.name!r} cannot be crossed with {column!r}", _remedy(study, column))
    values = _values(study, column)
    names = tuple(f"{group}{SEPARATOR}{value}" for group in study.groups for value in values)
    return Grouping(names, protected * len(values), np.repeat(shares / len(values), len(values)), column, values)


def crossed_labels(labels: LabelEvidence, study: Study, grouping: Grouping, doc_ids: pd.Index) -> LabelEvidence:
    """Return labels over doc_ids (D,) as codes of the crossed groups; unchanged without a crossed column.

    A document of a gender without a value in the column has no label, a neutral document stays neutral.
    """
    if not grouping.column:
        return labels
    value_codes = pd.Index(grouping.values, dtype="str").get_indexer(pd.Index(_column(study, grouping.column)))
    rows = pd.Index(study.documents["doc_id"], dtype="str").get_indexer(doc_ids)
    value = np.where(rows >= 0, value_codes[rows], -1)
    crossed = 1 + (labels.largest.astype(np.int64) - 1) * len(grouping.values) + value
    codes = np.where(labels.largest > 0, np.where(value >= 0, crossed, -1), labels.largest).astype(np.int8)
    if labels.shares is None:
        return LabelEvidence(codes)
    is_value = value[:, None] == np.arange(len(grouping.values))  # (D, V)
    gendered = (labels.shares[:, 1:, None] * is_value[:, None, :]).reshape(len(value), len(grouping.groups))
    shares = np.concatenate([labels.shares[:, :1], gendered], axis=1)
    whole = np.isclose(shares.sum(axis=1), 1)  # without a value, only a wholly neutral document has a label
    return LabelEvidence(np.where(whole, codes, -1).astype(np.int8), np.where(whole[:, None], shares, 0.0))


def _column(study: Study, column: str) -> pd.Series:
    """Return the values of a column as text, a missing value or empty text as missing."""
    values = study.documents[column]
    texts = values.astype("str").str.strip()
    return texts.where(values.notna() & (texts != ""))


def _values(study: Study, column: str) -> tuple[str, ...]:
    """Return the different values of a column, numbers by size and other texts by letter; cached by study."""
    values_by_column = _VALUES.setdefault(study, {})
    if column not in values_by_column:
        texts = _column(study, column).dropna().unique().tolist()
        values_by_column[column] = tuple(sorted(texts, key=_order))
    return values_by_column[column]


def _order(value: str) -> tuple[bool, float, str]:
    number = pd.to_numeric(value, errors="coerce")
    return bool(np.isnan(number)), 0.0 if np.isnan(number) else float(number), value


def _remedy(study: Study, column: str) -> str:
    offered: Sequence[str] = crossing_columns(study)[1:]
    if offered:
        return use_one_of(offered, column)
    return f"Add a column with 2 to {MOST_VALUES} different values to the documents, and gender labels."
