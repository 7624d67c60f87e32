"""The values that a choice can have in a study, and the levels among which a sensitivity analysis varies it; gender
groups crossed with a column of the documents.

Axis letters: G gender groups, V values of the column, D documents. The crossed groups, such as `female, politics`, are
in the order of the gender groups, and within each in the order of the values; neutral stays one group.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from fairviz.annotation.forms.database import corrected_machines
from fairviz.annotation.voters import ALL, CONSENSUSES, GROUPS, annotator_names, is_machine, voter_groups
from fairviz.datasets.stored import published_lists
from fairviz.errors import FairvizError, use_one_of
from fairviz.measures import parse
from fairviz.measures.position_bias import ATTENTION
from fairviz.measures.rankings import LabelEvidence, targets
from fairviz.study.record import Study
from fairviz.words.counting import format_lexicon
from fairviz.words.sentences import shortest

MOST_VALUES = 50  # different values of a column to filter by
FEW_ANNOTATORS = 4  # up to this number, all are varied without a selection
CUTOFFS, USUAL_CUTOFFS = (1, 3, 5, 10, 20, 50, 100), (5, 10, 20)
Array = np.ndarray
SEPARATOR = ", "
MOST_CROSSED = 20  # different values of a column to cross with
MOST_GROUPS = 60
_TEXTS = ("doc_id", "title", "text")
_VALUES: WeakKeyDictionary[Study, dict[str, tuple[str, ...]]] = WeakKeyDictionary()


def selectable(study: Study) -> tuple[str, ...]:
    """Return the systems, and after them the draws of stochastic ones, whose lists can be read one by one."""
    return tuple(dict.fromkeys((*study.systems, *study.run_names)))


def backgrounds(study: Study) -> tuple[str, ...]:
    """Return the backgrounds: sets of documents that NFaiRR's ideal can be taken from."""
    return ("candidates", "collection", *(f"run:{name}" for name in study.systems))


def known_columns(study: Study, columns: Sequence[str]) -> list[str]:
    """Return the measures without a background of their own that this study lacks."""
    own = {text: parse(text, cutoff=10).written.get("background", "candidates") for text in columns}
    return [text for text in columns if own[text] in backgrounds(study)]


def annotators(study: Study) -> tuple[str, ...]:
    """Return the default (empty), each annotator, and the consensuses if there are several annotators."""
    names = annotator_names(study)
    return ("", *names, *(CONSENSUSES if len(names) > 1 else ()))


def voters(study: Study) -> tuple[str, ...]:
    """Return the groups of voters that have members, and each annotator that can vote."""
    groups = voter_groups(study)
    return (*(name for name in GROUPS if groups[name] and name not in groups[ALL]), *groups[ALL])


def correctors(study: Study) -> tuple[str, ...]:
    """Return nobody (empty) and, where a sample was drawn, those whose labels may correct a machine's: people, and
    the consensuses of several."""
    with suppress(FairvizError):  # a database that cannot be read: the page of forms tells of it
        if machines := corrected_machines(study):
            people = [name for name in annotator_names(study) if not is_machine(study, name) and name not in machines]
            return ("", *people, *(CONSENSUSES if len(people) > 1 else ()))
    return ("",)


def filter_columns(study: Study) -> tuple[str, ...]:
    """Return the columns to filter by: none (empty), those of the queries with at most fifty values, and the query
    id."""
    columns = [name for name in study.queries.columns if name not in ("query_id", "text")]
    short = [str(name) for name in columns if study.queries[name].nunique(dropna=True) <= MOST_VALUES]
    return ("", *short, "query_id") if study.query_ids else ("",)


def cluster_columns(study: Study) -> tuple[str, ...]:
    """Return the columns to cluster queries by: none (empty), and those of the queries with two values or more that
    some queries share."""
    columns = [name for name in study.queries.columns if name not in ("query_id", "text")]
    counts = {str(name): study.queries[name].dropna().astype("str").nunique() for name in columns}
    shared = [name for name, count in counts.items() if 1 < count < study.queries[name].notna().sum()]
    return ("", *shared)


def filter_values(study: Study, column: str) -> tuple[str, ...]:
    """Return the values of a filter's column, in order."""
    if not column:
        return ()
    if column == "query_id":
        return study.query_ids
    return tuple(sorted(study.queries[column].dropna().astype("str").unique()))


def deepest_rank(study: Study) -> int:
    """Return the length of the longest list; 0 without runs."""
    return int(study.lengths.max(initial=0))


def cutoff_levels(study: Study, settings: Any) -> list[int]:
    """Return the cutoffs that the lists of the study reach."""
    return [cutoff for cutoff in CUTOFFS if cutoff <= max(deepest_rank(study), 1)]


def usual_cutoffs(study: Study, settings: Any) -> list[int]:
    """Return the cutoffs that are varied without a selection."""
    return [cutoff for cutoff in cutoff_levels(study, settings) if cutoff in USUAL_CUTOFFS]


def bias_levels(study: Study, settings: Any) -> list[str]:
    """Return every position bias at its default, and the custom one if it has weights."""
    levels = []
    for bias in ATTENTION.values():
        levels.append(f"{bias.name}({bias.parameter}={shortest(bias.default)})" if bias.parameter else bias.name)
    if settings.custom_bias:
        levels.append("custom")
    return levels


def usual_annotators(study: Study, settings: Any) -> list[str]:
    """Return the annotators if they are few, else the study's default and the consensuses."""
    names = annotator_names(study)
    return [*names] if len(names) <= FEW_ANNOTATORS else ["", *CONSENSUSES]


def lexicon_levels(study: Study, settings: Any) -> list[str]:
    """Return the study's list, the built-in one, and those of fetched data sets with words of all groups."""
    published = [each for each in published_lists().values() if set(study.groups) <= set(each.groups)]
    return ["", "gsr", *map(format_lexicon, published)]


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
    most = min(MOST_CROSSED, MOST_GROUPS // len(study.groups))
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


def _remedy(study: Study, column: str) -> str:
    offered = crossing_columns(study)[1:]
    if offered:
        return use_one_of(offered, column)
    return f"Add a column with 2 to {MOST_CROSSED} different values to the documents, and gender labels."


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
    """Return the different values of a column, in order; cached by study."""
    values_by_column = _VALUES.setdefault(study, {})
    if column not in values_by_column:
        values_by_column[column] = _in_order(_column(study, column).dropna().drop_duplicates())
    return values_by_column[column]


def _in_order(texts: pd.Series) -> tuple[str, ...]:
    """Return numbers by size, and after them other texts by letter."""
    numbers = pd.to_numeric(texts, errors="coerce").astype("float64")
    keys = zip(numbers.isna(), numbers.fillna(0.0), texts, strict=True)
    return tuple(text for _, _, text in sorted(keys))
