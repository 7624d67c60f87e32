"""The Python arguments of a study: fields with their types and values checked, and tables made of what other libraries
have in their place.

Read are pandas frames, objects with `to_pandas` (Hugging Face datasets, Arrow, Polars), `to_dataframe` (ranx) or
`to_df` (LensKit), {query: {document: number}}, and for runs several of these, by system or each with a `name`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.normal_form import normal_form
from fairviz.study.attributes import SCALES, checked_attributes
from fairviz.study.collection_counts import CollectionCounts
from fairviz.study.loaders.labels import group_of
from fairviz.study.loaders.lines import repeated_names
from fairviz.study.loaders.metadata import Claim, claim_entries, find_invalid_values
from fairviz.study.record import Annotator
from fairviz.study.tables import SCHEMAS

TEXTS = ("title", "description", "licence", "citation", "neutral", "protected", "scale", "annotator", "fingerprint")
LISTS = ("groups", "notices", "warnings", "drafts", "tested", "not_tested")
TABLES = ("targets", "annotators", "cards", "attributes", "muted")
FIELDS = (*TEXTS, *LISTS, *TABLES, "label_kind", "folder", "read_only", "word_counts", "claim")
EXPECTED: dict[
    str, tuple[Any, str]
] = {  # types of a field's value, and the remedy for another; a text for other fields
    **dict.fromkeys(LISTS, ((list, tuple), "Give a list of texts.")),
    **dict.fromkeys(TABLES, (Mapping, "Give a dict.")),
    "read_only": (bool, "Give True or False."),
    "word_counts": (CollectionCounts, "Give what fairviz.study.collection_counts.read_collection_counts returns."),
    "folder": ((Path, type(None)), "Give a pathlib.Path."),
    "claim": ((Claim, type(None)), "Give a Claim, as fairviz.study.loaders.metadata has it."),
}
METHODS = ("to_pandas", "to_dataframe", "to_df")
QUERY = ("query_id", "qid", "q_id", "query-id", "user_id")
DOCUMENT = ("doc_id", "docno", "docid", "corpus-id", "item_id")
NAMES: dict[str, dict[str, tuple[str, ...]]] = {  # columns of other libraries, the first of a row that is there
    "queries": {"query_id": (*QUERY, "_id", "id"), "text": ("text", "query")},
    "documents": {"doc_id": (*DOCUMENT, "_id", "id"), "text": ("text", "body", "contents")},
    "runs": {"query_id": QUERY, "doc_id": DOCUMENT},
    "qrels": {"query_id": QUERY, "doc_id": DOCUMENT, "relevance": ("relevance", "label", "score", "rating")},
    "labels": {"doc_id": (*DOCUMENT, "_id", "id")},
}
SYSTEM = "run"  # of a run without a name


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
    claim = values.get("claim")
    for _, defect, value in find_invalid_values({"claim": claim_entries(claim)}) if claim else ():
        raise FairvizError(defect if value is None else f"{defect}: {value!r}", "Mend the Claim.")
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
    types, remedy = EXPECTED.get(name, (str, "Give text."))
    expect(name, value, types, remedy)
    if name in LISTS:
        if not all(isinstance(item, str) for item in value):
            raise UsageError(f"{name} is {value_text(value)}", remedy)
        return tuple(value)
    for key, entry in value.items() if name == "annotators" else ():
        expect(f"annotators[{key!r}]", entry, Annotator, "Give an Annotator, as fairviz.study.record has it.")
    for key, entry in value.items() if name == "muted" else ():
        expect(f"muted[{key!r}]", entry, str, "Give the reason, as text.")
    return checked_attributes(value) if name == "attributes" else value


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


def table_of(part: str, value: Any) -> pd.DataFrame:
    """Return the value as a frame with this part's columns. Raises UsageError, with the part's name, for no table.

    Runs of one system or of several keep their order, and have a rank and a score: without a rank by falling score,
    tied rows in their order; without a score, minus the rank.
    """
    if part != "runs":
        return _frame(part, value)
    return _with_ranks_and_scores(_frame_of_runs(value))


def _frame_of_runs(value: Any) -> pd.DataFrame:
    several: list[tuple[Any, str | None]] = []  # runs, and their names
    if isinstance(value, Mapping) and value and not _is_results(value):
        names = [normal_form(str(name)) for name in value]
        if repeated := repeated_names(names):
            raise UsageError(f"two runs are called {repeated[0]!r}", "Give each run a name of its own.")
        several = list(zip(value.values(), names, strict=True))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        several = [(run, None) for run in value]

    frames = []
    for run, name in several or [(value, None)]:
        frame = _frame("runs", run)
        if name is not None or "system" not in frame:
            frame = frame.assign(system=str(getattr(run, "name", None) or SYSTEM) if name is None else name)
        frames.append(frame)
    if not several:
        return frames[0]
    runs = pd.concat(frames)
    systems = runs["system"].astype("str")
    return runs.assign(system=pd.Categorical(systems, systems.unique()))


def _with_ranks_and_scores(runs: pd.DataFrame) -> pd.DataFrame:
    if "rank" not in runs and {"system", "query_id", "score"} <= set(runs):
        order = runs.reset_index(drop=True).sort_values("score", ascending=False, kind="stable")
        rank = order.groupby(["system", "query_id"], sort=False, observed=True).cumcount() + 1
        return order.assign(rank=rank).sort_index()
    return runs.assign(score=-runs["rank"].astype(float)) if "rank" in runs and "score" not in runs else runs


def _frame(part: str, value: Any) -> pd.DataFrame:
    columns = ", ".join(SCHEMAS[part].column_names)
    if _is_results(value):
        rows = [(query, name, number) for query, numbers in value.items() for name, number in numbers.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance" if part == "qrels" else "score"])
    method = next((name for name in METHODS if callable(getattr(value, name, None))), "")
    frame = value if isinstance(value, pd.DataFrame) else getattr(value, method)() if method else None
    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"{part} is {value_text(value)}", f"Give a pandas DataFrame with the columns {columns}.")
    return _renamed(part, frame)


def _renamed(part: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with each of the part's columns that it lacks made of the first of its other names there."""
    names: dict[str, str] = {}
    for column, others in NAMES[part].items():
        old_name = next((name for name in others if name in frame.columns), column)
        if column not in frame.columns and old_name not in SCHEMAS[part].column_names:
            names[old_name] = column
    return frame.rename(columns=names) if names else frame


def _is_results(value: Any) -> bool:
    """Return whether this is {query: {document: number}}."""
    return (
        isinstance(value, Mapping)
        and all(isinstance(numbers, Mapping) for numbers in value.values())
        and all(
            not isinstance(number, Mapping) and not hasattr(number, "columns")
            for numbers in value.values()
            for number in list(numbers.values())[:1]
        )
    )
