"""Checks of the Python arguments of a study: wrong types and invalid values, named by their field."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.normal_form import normal_form
from fairviz.study.attributes import SCALES, checked_attributes
from fairviz.study.collection_counts import CollectionCounts
from fairviz.study.loaders.labels import group_of
from fairviz.study.loaders.metadata import find_invalid_values
from fairviz.study.record import Annotator
from fairviz.words.counting import Lexicon

TEXTS = ("title", "description", "licence", "citation", "neutral", "protected", "scale", "annotator", "fingerprint")
LISTS = ("groups", "notices", "warnings", "drafts", "tested", "not_tested")
TABLES = ("targets", "annotators", "cards", "attributes")
FIELDS = (*TEXTS, *LISTS, *TABLES, "label_kind", "folder", "read_only", "word_counts")


def check_parts(name: object, lexicon: object) -> None:
    """Raise UsageError for a name that is not text, or a lexicon of another type."""
    expect("name", name, str, "Give the study a name, as text.")
    if lexicon is not None:
        expect("lexicon", lexicon, Lexicon, "Give a Lexicon, as fairviz.words.counting.parse_lexicon makes.")


def check_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the other fields of a study, lists as tuples, and a protected group if only groups are given.

    Raises UsageError for an unknown field and a value of the wrong type, FairvizError for invalid groups, protected
    group, targets or kind of labels.
    """
    values = {name: _composed(_check_field(name, value)) for name, value in fields.items()}
    groups = values.get("groups")
    if groups:
        values.setdefault("protected", "female" if "female" in groups else groups[0])
    group_fields = {name: values[name] for name in ("neutral", "protected", "targets") if values.get(name)}
    group_fields |= {} if groups is None else {"groups": list(groups)}
    for _, defect, value in find_invalid_values(group_fields):
        raise FairvizError(defect if value is None else f"{defect}: {value!r}", "Name the groups of the study.")
    if values.get("scale", SCALES[0]) not in SCALES:
        raise UsageError(f"scale is {values['scale']!r}", f"Use {' or '.join(SCALES)}.")
    if values.get("label_kind", "gender") not in ("gender", "other"):
        raise UsageError(f"label_kind is {values['label_kind']!r}", "Use gender or other.")
    return values


def _composed(value: Any) -> Any:
    """Return names and texts, lists of them and tables by them in Unicode's composed form."""
    if isinstance(value, str):
        return normal_form(value)
    if isinstance(value, tuple):
        return tuple(map(_composed, value))
    return {_composed(key): entry for key, entry in value.items()} if isinstance(value, Mapping) else value


def _check_field(name: str, value: Any) -> Any:
    if name not in FIELDS:
        raise UsageError(f"a study has no field {name!r}", f"Its fields are {', '.join(FIELDS)}.")
    if name in LISTS:
        expect(name, value, (list, tuple), "Give a list of texts.")
        if not all(isinstance(item, str) for item in value):
            raise UsageError(f"{name} is {value_text(value)}", "Give a list of texts.")
        return tuple(value)
    if name in TABLES:
        expect(name, value, Mapping, "Give a dict.")
        checks = {"annotators": _check_annotators, "attributes": checked_attributes}
        return checks[name](value) if name in checks else value
    if name == "read_only":
        expect(name, value, bool, "Give True or False.")
    elif name == "word_counts":
        expect(
            name, value, CollectionCounts, "Give what fairviz.study.collection_counts.read_collection_counts returns."
        )
    elif name == "folder":
        expect(name, value, (Path, type(None)), "Give a pathlib.Path.")
    else:
        expect(name, value, str, "Give text.")
    return value


def _check_annotators(annotators: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, annotator in annotators.items():
        expect(f"annotators[{name!r}]", annotator, Annotator, "Give an Annotator, as fairviz.study.record has it.")
    return annotators


def drop_empty_categories(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs without systems and queries that have no row."""
    return runs.assign(**{name: runs[name].cat.remove_unused_categories() for name in ("system", "query_id")})


def map_to_groups(labels: pd.DataFrame, groups: Sequence[str]) -> pd.DataFrame:
    """Return the labels with each label replaced by its group, the neutral one first among `groups`.

    Raises FairvizError for a label of no group.
    """
    groups_by_label = {label: group_of(label, groups) for label in labels["label"].unique()}
    unknown = [label for label, group in groups_by_label.items() if group is None]
    if unknown:
        raise FairvizError(
            f"the labels table holds {', '.join(map(repr, unknown[:5]))}, outside the groups of the study",
            f"Use one of {', '.join(groups)}, or make the study with label_kind='other'.",
        )
    if all(label == group for label, group in groups_by_label.items()):
        return labels
    return labels.assign(label=labels["label"].map(groups_by_label).astype("str"))
