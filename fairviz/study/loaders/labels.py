"""Labels: `doc_id[, annotator], label`; a person, a word list and a language model are all annotators."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, DataError, cap_lines, notice
from fairviz.normal_form import folded
from fairviz.study.loaders.exports import EXPORTS, labelled
from fairviz.study.loaders.layouts import DOCUMENT_IDS, Layout
from fairviz.study.loaders.rows import Rows, find_non_text, read_rows
from fairviz.study.memberships import REMEDY, SHARE, in_one_row, share_defects
from fairviz.study.tables import LABELS, conform
from fairviz.words.sentences import counted, with_article

BOTH_GENDERS = "content_gender"  # Grep-BiasIR's column, which also has `both`
ALIASES = (  # of Grep-BiasIR and MSMGenderBias, and of memberships
    *(("d_id", "doc_id"), ("gender_bias", "label"), (BOTH_GENDERS, "label")),
    ("group", "label"),
    *((name, "annotator") for name in ("annotator_id", "worker_id", "coder", "rater", "username")),
    *DOCUMENT_IDS,
)
LAYOUT = Layout(
    "labels",
    ("doc_id", "label"),
    ALIASES,
    ids=("doc_id", "annotator"),
    foreign=tuple(each.columns for each in EXPORTS if not each.plain),
    foreign_if_lacking=tuple(each.columns for each in EXPORTS if each.plain),
)
GROUPS = ("neutral", "female", "male")
DEFAULT_ANNOTATOR = "annotator"
TEST_LABEL = "test_label"
_NEITHER = ("both", "botrh")  # in Grep-BiasIR's spelling: both genders equally


def read_labels(
    path: str | Path, root: str | Path | None = None, groups: Sequence[str] | None = GROUPS
) -> pd.DataFrame:
    """Return a file of labels, or the export of a labelling program, as a labels table, extra columns kept.

    `groups`: the allowed labels, None for any. Other spellings of a group (M, Male, " male ") become the group, also in
    the right answers of test questions (column `test_label`); the changes and rows without a label are noticed. Raises
    DataError that names every bad line. With a column `share` a document has a row for each of its groups: see
    `fairviz.study.memberships`.
    """
    rows = read_rows(path, LAYOUT, root)
    rows = labelled(rows, None if groups is None else lambda text: group_of(text, groups) is not None)
    frame = rows.frame.copy(deep=False)
    if "annotator" not in frame:
        frame["annotator"] = pd.Series([DEFAULT_ANNOTATOR] * len(frame), index=frame.index, dtype="str")
    if groups is not None:
        neutral = groups[0] if BOTH_GENDERS in rows.named and "label" not in rows.named else None
        frame["label"] = _map_to_groups(rows, frame["label"], groups, neutral=neutral)
        if TEST_LABEL in frame:
            bad = find_non_text(rows, TEST_LABEL, missing=True)
            if bad:
                raise DataError(bad, "Write labels as text, in quotes in JSON.")
            frame[TEST_LABEL] = _map_to_groups(rows, frame[TEST_LABEL].fillna(""), ("", *groups), TEST_LABEL)
    if SHARE in frame and groups is not None:
        return conform(_with_shares(rows, frame, groups), LABELS)
    return conform(_drop_repeated(rows, frame), LABELS)


def _with_shares(rows: Rows, frame: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Return one row a document and annotator. Raises DataError with every row whose shares are invalid."""
    if defects := share_defects(frame):
        bad_lines = [line for row, defect in defects for line in rows.bad(np.array([row]), defect, SHARE)]
        raise DataError(cap_lines(bad_lines), REMEDY)
    return in_one_row(frame, groups)


def group_of(label: str, groups: Sequence[str]) -> str | None:
    """Return the group of the label: its name, or an unambiguous first letter, in any case."""
    plain = folded(label.strip())
    for group in groups:
        if plain == folded(group):
            return group
    initials = [group for group in groups if plain and plain == folded(group[:1])]
    return initials[0] if len(initials) == 1 else None


def _map_to_groups(
    rows: Rows,
    labels: pd.Series,
    groups: Sequence[str],
    column: str = "label",
    neutral: str | None = None,
) -> pd.Series:
    """Return the labels as groups; labels of both genders are `neutral`, if given."""
    counts = labels.value_counts(sort=False)
    groups_by_label = {label: group_of(label, groups) for label in counts.index}
    groups_by_label |= {
        label: neutral for label in _NEITHER if label in groups_by_label and groups_by_label[label] is None
    }
    unknown = labels.isin([label for label, group in groups_by_label.items() if group is None])
    if unknown.any():
        bad_lines = rows.bad(np.flatnonzero(unknown.to_numpy()), f"{with_article(column)} outside the groups", column)
        letters = ", ".join(group for group in groups if group)
        raise DataError(
            bad_lines,
            f"Use one of {letters} (or the first letter, in any case). Other groups go into study.toml as groups = "
            "[...]; labels that are not genders need labels = 'other' there.",
        )
    for label, group in groups_by_label.items():
        if label != group:
            times = "once" if counts[label] == 1 else f"{counts[label]:,} times"
            notice(f"{rows.file}: the {column} {label!r} was read as {group!r} ({times}).")
    return labels.map(groups_by_label).astype("str")


def _drop_repeated(rows: Rows, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with each (document, annotator) once. Raises DataError for two rows that disagree."""
    repeated = frame.duplicated(["doc_id", "annotator"]).to_numpy()
    if not repeated.any():
        return frame
    lines, labels = rows.lines(), frame["label"].tolist()
    first_rows: dict[tuple[str, str], int] = {}
    bad_lines = BadLines(rows.file, "Keep one label of each annotator for a document.")
    keys = zip(frame["doc_id"], frame["annotator"], strict=True)
    for row, (document, annotator) in enumerate(keys):
        earlier = first_rows.setdefault((document, annotator), row)
        if labels[earlier] != labels[row]:
            message = (
                f"annotator {annotator!r} calls document {document!r} {labels[earlier]!r} "
                f"in {f'line {lines[earlier]}' if lines[earlier] else 'an earlier row'} and otherwise here"
            )
            bad_lines.add(lines[row], message, labels[row])
    bad_lines.raise_collected()
    count = int(repeated.sum())
    notice(f"{rows.file}: {counted(count, 'row repeats', 'rows repeat')} an earlier one, read once.")
    return frame[~repeated]
