"""What a study is made of in Python: wrong types and values that make no sense, named by their field."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect, told
from fairviz.study.loaders.labels import group_of
from fairviz.study.loaders.metadata import meaning
from fairviz.study.tables import SCHEMAS
from fairviz.words.counting import Lexicon

TEXTS = ("title", "description", "licence", "citation", "neutral", "protected", "annotator", "fingerprint")
LISTS = ("groups", "notices", "warnings", "drafts")
TABLES = ("targets", "annotators")
FIELDS = (*TEXTS, *LISTS, *TABLES, "label_kind", "folder", "read_only")


def check_parts(name: object, tables: Mapping[str, object], lexicon: object) -> None:
    """Raises UsageError where the name is no text, a part no frame, or the lexicon none."""
    expect("name", name, str, "Give the study a name, as text.")
    for part, table in tables.items():
        if table is not None:
            columns = ", ".join(SCHEMAS[part].column_names)
            expect(part, table, pd.DataFrame, f"Give a pandas DataFrame with the columns {columns}.")
    if lexicon is not None:
        expect("lexicon", lexicon, Lexicon, "Give a Lexicon, as fairviz.words.counting.parse_lexicon makes.")


def checked_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The other fields of a study, lists as tuples, and the protected group where the groups alone are given.

    Raises UsageError for a name that is no field and a value of the wrong type, FairvizError for groups, a protected
    group, targets or a kind of labels that make no sense.
    """
    checked = {name: _checked(name, value) for name, value in fields.items()}
    groups = checked.get("groups")
    if groups:
        checked.setdefault("protected", "female" if "female" in groups else groups[0])
    asked = {name: checked[name] for name in ("neutral", "protected", "targets") if checked.get(name)}
    asked |= {} if groups is None else {"groups": list(groups)}
    for _, what, value in meaning(asked):
        raise FairvizError(what if value is None else f"{what}: {value!r}", "Name the groups of the study.")
    if checked.get("label_kind", "gender") not in ("gender", "other"):
        raise UsageError(f"label_kind is {checked['label_kind']!r}", "Use gender or other.")
    return checked


def _checked(name: str, value: Any) -> Any:
    if name not in FIELDS:
        raise UsageError(f"a study has no field {name!r}", f"Its fields are {', '.join(FIELDS)}.")
    if name in LISTS:
        expect(name, value, (list, tuple), "Give a list of texts.")
        if not all(isinstance(item, str) for item in value):
            raise UsageError(f"{name} is {told(value)}", "Give a list of texts.")
        return tuple(value)
    if name in TABLES:
        expect(name, value, Mapping, "Give a dict.")
        return _checked_annotators(value) if name == "annotators" else value
    if name == "read_only":
        expect(name, value, bool, "Give True or False.")
    elif name == "folder":
        expect(name, value, (Path, type(None)), "Give a pathlib.Path.")
    else:
        expect(name, value, str, "Give text.")
    return value


def _checked_annotators(annotators: Mapping[str, Any]) -> Mapping[str, Any]:
    from fairviz.study.study import Annotator

    for name, who in annotators.items():
        expect(f"annotators[{name!r}]", who, Annotator, "Give an Annotator, as fairviz.study.study has it.")
    return annotators


def trimmed(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs without systems and queries that have no row."""
    return runs.assign(**{name: runs[name].cat.remove_unused_categories() for name in ("system", "query_id")})


def in_groups(labels: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Return the labels with each label as the group that it names, the neutral one first. Raises FairvizError for a
    label that names none."""
    meant = {label: group_of(label, groups) for label in labels["label"].unique()}
    unknown = [label for label, group in meant.items() if group is None]
    if unknown:
        raise FairvizError(
            f"the labels table holds {', '.join(map(repr, unknown[:5]))}, outside the groups of the study",
            f"Use one of {', '.join(groups)}, or make the study with label_kind='other'.",
        )
    if all(label == group for label, group in meant.items()):
        return labels
    return labels.assign(label=labels["label"].map(meant).astype("str"))
