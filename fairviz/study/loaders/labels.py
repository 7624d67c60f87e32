"""Labels: `doc_id[, annotator], label`; a person, a word list and a language model are all annotators."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, DataError, attempt, notice, problem, raise_bad
from fairviz.normal_form import folded
from fairviz.study.attributes import REMEDY, SHARE, in_one_row, share_defects
from fairviz.study.loaders.columns import whole_number_problem
from fairviz.study.loaders.lines import DOCUMENT_IDS, Layout, column_key
from fairviz.study.loaders.rows import Rows, find_non_text, read_rows
from fairviz.study.tables import DOCUMENTS, LABELS, QRELS, conform
from fairviz.words.sentences import agreeing, counted, with_article

BOTH_GENDERS = "content_gender"  # Grep-BiasIR's column, which also has `both`
ALIASES = (  # of Grep-BiasIR and MSMGenderBias, and of memberships
    *(("d_id", "doc_id"), ("gender_bias", "label"), (BOTH_GENDERS, "label")),
    ("group", "label"),
    *((name, "annotator") for name in ("annotator_id", "worker_id", "coder", "rater", "username")),
    *DOCUMENT_IDS,
)
GROUPS = ("neutral", "female", "male")
DEFAULT_ANNOTATOR = "annotator"
TEST_LABEL = "test_label"
LABEL_AGAIN = "label_again"  # of a document that the annotator was shown a second time
_NEITHER = ("both", "botrh")  # in Grep-BiasIR's spelling: both genders equally


Row = dict[str, Any]
_DOCUMENT = {column_key(name) for name in ("doc_id", *(old for old, _ in DOCUMENT_IDS))} - {"document"}
_LABEL_NAMES = ("label", "labels", "gender", "group", "choice")
_AS_ID = "Import the documents with a column doc_id, which the export then has."
_ONE_LABEL = "Keep one label of each annotator for a document; shares of several groups go into a column share."


# --- Labels as labelling programs export them: Label Studio, Prodigy, doccano, Argilla and MTurk. Each program is a
# record: how its columns are recognised, and the answers in a row. For all of them tasks that were skipped are left
# out, the last of several answers of a person counts, a list of one label is the label.


@dataclass(frozen=True)
class Answer:
    """An answer of a person about a document: nothing where it was skipped. when: text that sorts by time."""

    doc_id: str
    annotator: str
    question: str
    label: Any
    when: str = ""


@dataclass(frozen=True)
class Export:
    """The export of a program. columns: those that tell it apart, of which all are there. answers: those in a row.
    plain: whether a file that has doc_id and label, too, is read as any other.
    """

    program: str
    columns: tuple[str, ...]
    answers: Callable[[Row], Iterator[Answer]]
    plain: bool = False


def labelled(rows: Rows, is_label: Callable[[str], bool] | None) -> Rows:
    """Return the rows of a file of labels with one label each: of an export its answers, of any other file the rows
    that have a label. is_label: whether a text may be a label; None for any.

    Raises DataError for several labels in one row, and for a file without one.
    """
    if rows.foreign:
        export = next(each for each in EXPORTS if {*each.columns} <= {*rows.named})
        return _answered(export, rows, is_label)
    texts = rows.frame["label"]
    is_text = isinstance(texts.dtype, pd.StringDtype)
    if is_text and not (texts.str.startswith(("[", "{")) | (texts.str.strip() == "")).any():
        return rows
    found = []
    for value in texts:  # text, a whole number, a list, or nothing
        is_other = isinstance(value, (bool, np.bool_)) or (isinstance(value, float) and value == value)
        found.append(["", ""] if is_other else labels_in(value))
    counts = np.array([*map(len, found)])
    several = ((row, _several(labels)) for row, labels in enumerate(found) if len(labels) > 1)
    raise_bad(rows.bad(several, "label"), _ONE_LABEL)
    if not counts.any():
        raise problem(rows.file, "no row has a label", "Fill the column label.")
    kept = np.flatnonzero(counts)
    _notice_skipped(rows.file, "row", len(found) - len(kept))
    frame = rows.frame.iloc[kept].reset_index(drop=True)
    frame["label"] = pd.Series([found[row][0] for row in kept], dtype="str")
    return replace(rows, frame=frame, lines=lambda: np.array(rows.lines())[kept].tolist())


def _several(labels: list[str]) -> str:
    return f"{len(labels)} labels for one document" if any(labels) else "the label is not text"


def _notice_skipped(file: str, what: str, count: int) -> None:
    if count:
        notice(f"{file}: {counted(count, what)} without a label {agreeing(count, 'was', 'were')} left out.")


def _answered(export: Export, rows: Rows, is_label: Callable[[str], bool] | None) -> Rows:
    """Return the answers of an export as rows of doc_id, annotator and label. Of several questions that counts which
    is called label, or whose answers alone are groups.

    Raises DataError for rows without a doc_id, several labels in one answer, and several questions of which none is
    about the groups.
    """
    answers: list[tuple[int, Answer]] = []
    numbers = rows.lines()
    for line, row in zip(numbers, rows.frame.astype("object").to_dict("records"), strict=True):
        cells = {str(name): _parsed(value) for name, value in row.items()}
        answers += ((line, answer) for answer in export.answers(cells))
    if lacking := [line for line, answer in answers if not answer.doc_id]:
        raise problem(rows.file, f"{export.program} gives no doc_id here", _AS_ID, line=lacking[0])
    question = _question(export, rows.file, [answer for _, answer in answers], is_label)
    bad_lines, skipped, earlier = BadLines(rows.file, _ONE_LABEL), 0, 0
    kept: dict[tuple[str, str], tuple[int, Answer, str]] = {}
    repeated: list[tuple[int, Answer, str]] = []
    for line, answer in answers:
        if answer.question not in (question, ""):
            continue
        labels = labels_in(answer.label)
        if len(labels) > 1:
            bad_lines.add(line, f"{_several(labels)}, {answer.doc_id!r}", ", ".join(labels))
        elif not labels:
            skipped += 1
        else:
            key, entry = (answer.doc_id, answer.annotator), (line, answer, labels[0])
            before = kept.setdefault(key, entry)
            if before is entry:
                continue
            if answer.when == before[1].when:
                repeated.append(entry)
            else:
                earlier += 1
                kept[key] = max(before, entry, key=lambda each: each[1].when)
    bad_lines.raise_collected()
    _notice_skipped(rows.file, "answer", skipped)
    if earlier:
        notice(f"{rows.file}: the last answer of a person counts, {counted(earlier, 'earlier one')} left out.")
    entries = [*kept.values(), *repeated]
    if not entries:
        raise problem(rows.file, f"{export.program} gives no label", "Label some documents, and export them again.")
    notice(f"{rows.file}: the export of {export.program} was read, {counted(len(entries), 'label')}"
           f"{f' of the question {question!r}' if question else ''}.")  # fmt: skip
    table = [(answer.doc_id, answer.annotator, label) for _, answer, label in entries]
    frame = pd.DataFrame(table, columns=["doc_id", "annotator", "label"], dtype="str")
    return Rows(frame, rows.file, lambda: [line for line, _, _ in entries], ("doc_id", "annotator", "label"))


def _question(export: Export, file: str, answers: list[Answer], is_label: Callable[[str], bool] | None) -> str:
    """Return the question whose answers are the labels. Raises DataError where that is not plain."""
    texts: dict[str, set[str]] = {}
    for answer in answers:
        if answer.question:
            texts.setdefault(answer.question, set()).update(labels_in(answer.label))
    answered = [name for name, labels in texts.items() if labels]
    if len(answered) < 2:
        return next(iter(answered), "")
    named = [name for label in _LABEL_NAMES for name in answered if column_key(name) == label]
    fitting = [name for name in answered if is_label is not None and all(map(is_label, texts[name]))]
    chosen = [name for name in named if not fitting or name in fitting][:1] or (fitting if len(fitting) == 1 else [])
    if not chosen:
        message = f"{export.program} gives several columns that may be the label: {', '.join(answered[:8])}"
        raise problem(file, message, "Call the one that is read label, or keep it alone.")
    return chosen[0]


def labels_in(value: Any) -> list[str]:
    """Return the labels in a cell: of a list all, of `{"choices": […]}` its choices, of an empty cell none."""
    value = _parsed(value)
    if isinstance(value, dict):
        value = value.get("choices", value.get("label", value.get("value")))
    values = value if isinstance(value, list) else [value]
    return [text for each in values if each is not None and each == each and (text := str(each).strip())]


def _parsed(value: Any) -> Any:
    """Return a cell as it is, or what the JSON (or the list of Python) in its text holds."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, str) and value[:1] in ("[", "{") and value[-1:] in ("]", "}"):
        parsed = attempt(lambda: json.loads(value))
        parsed = attempt(lambda: json.loads(value.replace("'", '"'))) if parsed is None else parsed
        return value if parsed is None else parsed
    return None if isinstance(value, float) and value != value else value


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None or isinstance(value, (dict, list)) else str(value).strip()


def _doc_id(*places: Any) -> str:
    """Return the id of a document in the first of these objects that has one, as doc_id, docno, …"""
    for place in places:
        for name, value in place.items() if isinstance(place, dict) else ():
            if column_key(str(name)) in _DOCUMENT and _text(value):
                return _text(value)
    return ""


def _objects(value: Any) -> list[dict]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _person(value: Any) -> str:
    """Return the name of a person: of Label Studio's object the address, else the number."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("username") or value.get("id")
    return _text(value) or DEFAULT_ANNOTATOR


def _label_studio(row: Row) -> Iterator[Answer]:
    for annotation in _objects(row.get("annotations") or row.get("completions")):
        who, when = (
            _person(annotation.get("completed_by")),
            _text(annotation.get("updated_at") or annotation.get("created_at")),
        )
        results = [] if annotation.get("was_cancelled") else _objects(annotation.get("result"))
        chosen = [
            result for result in results if isinstance(result.get("value"), dict) and "choices" in result["value"]
        ]
        for result in chosen or [{}]:
            yield Answer(_doc_id(row.get("data"), row), who, _text(result.get("from_name")), result.get("value"), when)


_STUDIO_OWN = {"id", "annotation_id", "annotator", "created_at", "updated_at", "lead_time", "text", "title"}
_STUDIO_OWN |= {"sentiment_score"}


def _label_studio_rows(row: Row) -> Iterator[Answer]:
    """Its CSV, TSV and JSON_MIN: a column for each question, beside those of the data."""
    columns = [name for name in row if name not in _STUDIO_OWN and column_key(name) not in _DOCUMENT]
    when = _text(row.get("updated_at") or row.get("created_at"))
    for name in columns:
        yield Answer(_doc_id(row), _person(row.get("annotator")), name, row[name], when)


def _prodigy(row: Row) -> Iterator[Answer]:
    who = _text(row.get("_annotator_id")) or _text(row.get("_session_id")) or DEFAULT_ANNOTATOR
    label = row.get("accept") if isinstance(row.get("accept"), list) else row.get("label")
    yield Answer(
        _doc_id(row, row.get("meta")),
        who,
        "",
        label if row["answer"] == "accept" else None,
        _text(row.get("_timestamp")),
    )


def _doccano(row: Row) -> Iterator[Answer]:
    who = next(
        (_text(row[name]) for name in ("username", "user", "annotator", "annotation_approver") if row.get(name)), ""
    )
    label = row.get("label", row.get("labels"))
    if isinstance(label, str) and "#" in label:
        label = label.split("#")
    yield Answer(_doc_id(row, row.get("meta")), who or DEFAULT_ANNOTATOR, "", label)


def _argilla(row: Row) -> Iterator[Answer]:
    """Records of version 2 (`responses` by question) and 1 (a list of `responses` by person)."""
    document = _doc_id(row.get("metadata"), row) or _text(row.get("external_id") or row.get("id"))
    given: list[tuple[str, Row, Any]] = []  # question, response and value
    if isinstance(row["responses"], dict):
        for question, responses in row["responses"].items():
            given += ((question, response, response.get("value")) for response in _objects(responses) or [{}])
    else:
        for response in _objects(row["responses"]) or [{}]:
            values = response.get("values")
            by_question = values.items() if isinstance(values, dict) and values else (("", None),)
            given += ((question, response, value) for question, value in by_question)
    for question, response, value in given:
        label = value if response.get("status", "submitted") == "submitted" else None
        yield Answer(document, _person(response.get("user_id")), question, label, _text(response.get("updated_at")))


def _argilla_columns(row: Row) -> Iterator[Answer]:
    """Flat records of version 2: `gender.responses`, with `.users` and `.status` beside it."""
    document = _doc_id({name.removeprefix("metadata."): value for name, value in row.items()}) or _text(row.get("id"))
    for name, values in row.items():
        if not name.endswith(".responses"):
            continue
        people, states = row.get(f"{name}.users"), row.get(f"{name}.status")
        for place, value in enumerate(values if isinstance(values, list) else [values]):
            who = people[place] if isinstance(people, list) and place < len(people) else people
            state = states[place] if isinstance(states, list) and place < len(states) else "submitted"
            yield Answer(
                document, _person(who), name.removesuffix(".responses"), value if state == "submitted" else None
            )


def _argilla_old(row: Row) -> Iterator[Answer]:
    """Its text classification of version 1."""
    label = None if row.get("status") in ("Default", "Discarded") else row["annotation"]
    document = _doc_id(row.get("metadata"), row) or _text(row.get("id"))
    yield Answer(document, _person(row["annotation_agent"]), "", label, _text(row.get("event_timestamp")))


def _mturk(row: Row) -> Iterator[Answer]:
    """A batch: `Input.doc_id`, and an answer in `Answer.NAME`, `Answer.NAME.label` or `Answer.taskAnswers`; buttons are
    true or false by label.
    """
    document = _doc_id({name.removeprefix("Input."): value for name, value in row.items() if name.startswith("Input.")})
    who, when = _person(row["WorkerId"]), _mturk_time(_text(row.get("SubmitTime")))
    answers: dict[str, Any] = {}
    for name, value in row.items():
        if not name.startswith("Answer."):
            continue
        question, _, label = name.removeprefix("Answer.").partition(".")
        if question == "taskAnswers":
            for form in _objects(value):
                answers |= form
        elif label in ("", "label", "value"):
            answers[question] = value
        elif str(value).lower() in ("true", "false", "on", ""):
            answers.setdefault(question, {})[label] = str(value).lower() in ("true", "on")
    rejected = row.get("AssignmentStatus") == "Rejected"
    for question, value in answers.items():
        if isinstance(value, dict) and all(isinstance(chosen, bool) for chosen in value.values()):
            value = [label for label, chosen in value.items() if chosen]
        yield Answer(document, who, question, None if rejected else value, when)
    if not answers:
        yield Answer(document, who, "", None, when)


def _mturk_time(text: str) -> str:
    """Return `Tue Jan 30 02:40:43 PST 2024` as text that sorts by time; any other text unchanged."""
    parts = re.fullmatch(r"\w{3} (\w{3}) ([0-9]{1,2}) ([0-9:]{8}) \w+ ([0-9]{4})", text)
    if not parts:
        return text
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    month = months.index(parts[1]) + 1 if parts[1] in months else 0
    return f"{parts[4]}-{month:02}-{int(parts[2]):02}T{parts[3]}"


EXPORTS = (
    Export("Label Studio", ("annotations", "data"), _label_studio),
    Export("Label Studio", ("completions", "data"), _label_studio),
    Export("Label Studio", ("annotation_id",), _label_studio_rows),
    Export("Prodigy", ("answer", "_input_hash"), _prodigy),
    Export("Prodigy", ("answer", "_task_hash"), _prodigy),
    Export("MTurk", ("HITId", "WorkerId"), _mturk),
    Export("Argilla", ("responses", "fields"), _argilla),
    Export("Argilla", ("annotation", "annotation_agent"), _argilla_old),
    Export("Argilla", ("_server_id", "status"), _argilla_columns),
    Export("doccano", ("id", "text", "label"), _doccano, plain=True),
    Export("doccano", ("id", "data", "label"), _doccano, plain=True),
    Export("doccano", ("id", "text", "labels"), _doccano, plain=True),
    Export("doccano", ("id", "data", "labels"), _doccano, plain=True),
)
LAYOUT = Layout(
    "labels",
    ("doc_id", "label"),
    ALIASES,
    ids=("doc_id", "annotator"),
    foreign=tuple(each.columns for each in EXPORTS if not each.plain),
    foreign_if_lacking=tuple(each.columns for each in EXPORTS if each.plain),
)


def read_labels(
    path: str | Path, root: str | Path | None = None, groups: Sequence[str] | None = GROUPS
) -> pd.DataFrame:
    """Return a file of labels, or the export of a labelling program, as a labels table, extra columns kept.

    `groups`: the allowed labels, None for any. Other spellings of a group (M, Male, " male ") become the group, also in
    the right answers of test questions (column `test_label`) and in second labels (`label_again`); the changes and rows
    without a label are noticed. Raises DataError that names every bad line. With a column `share` a document has a row
    for each of its groups: see `fairviz.study.attributes`.
    """
    rows = read_rows(path, LAYOUT, root)
    rows = labelled(rows, None if groups is None else lambda text: group_of(text, groups) is not None)
    frame = rows.frame.copy(deep=False)
    if "annotator" not in frame:
        frame["annotator"] = pd.Series([DEFAULT_ANNOTATOR] * len(frame), index=frame.index, dtype="str")
    if groups is not None:
        neutral = groups[0] if BOTH_GENDERS in rows.named and "label" not in rows.named else None
        frame["label"] = _map_to_groups(rows, frame["label"], groups, neutral=neutral)
        for column in (TEST_LABEL, LABEL_AGAIN):
            if column in frame:
                raise_bad(find_non_text(rows, column, missing=True), "Write labels as text, in quotes in JSON.")
                frame[column] = _map_to_groups(rows, frame[column].fillna(""), ("", *groups), column)
    if SHARE in frame and groups is not None:
        raise_bad(rows.bad(share_defects(frame), SHARE), REMEDY)
        return conform(in_one_row(frame, groups), LABELS)
    return conform(_drop_repeated(rows, frame), LABELS)


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
        raise DataError(
            rows.bad_where(unknown, f"{with_article(column)} outside the groups", column),
            f"Use one of {', '.join(filter(None, groups))} (or the first letter, in any case). Other groups go into "
            "study.toml as groups = [...]; labels that are not genders need labels = 'other' there.",
        )
    for label, group in groups_by_label.items():
        if label != group:
            times = "once" if counts[label] == 1 else f"{counts[label]:,} times"
            notice(f"{rows.file}: the {column} {label!r} was read as {group!r} ({times}).")
    if isinstance(labels.dtype, pd.StringDtype) and all(label == group for label, group in groups_by_label.items()):
        return labels
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


# --- Grep-BiasIR's tables as published: documents, labels and relevance in the same rows.

PUBLISHED_PARTS = ("documents", "qrels", "labels")
_AUTHORS = "gold"  # the labels of the authors
_PUBLISHED_COLUMNS = ("d_id", "q_id", "relevant", "doc_title", "document", "content_gender", "exp_stereotype")
_PUBLISHED = Layout("documents", _PUBLISHED_COLUMNS, ids=("d_id", "q_id"))
_DOCUMENTS = {
    "d_id": "doc_id",
    "doc_title": "title",
    "document": "text",
    "q_id": "query_id",
    "exp_stereotype": "stereotype",
}


def read_published(paths: Sequence[Path], root: Path, groups: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    """Return the documents, qrels and labels of these files together, in the order of the files.

    Raises DataError that names every bad line, including repeated documents.
    """
    row_tables = []
    for path in paths:
        rows = read_rows(path, _PUBLISHED, root)
        bad_lines = find_non_text(rows, "document", missing=True) + find_non_text(rows, "doc_title", missing=True)
        defects = enumerate(whole_number_problem("relevance", text) for text in rows.frame["relevant"].astype("str"))
        bad_lines += rows.bad(((place, defect) for place, defect in defects if defect), "relevant")
        raise_bad(bad_lines, "Take the file again from where it is published.")
        row_tables.append(rows)
    _refuse_repeated_documents(row_tables)
    frame = pd.concat([rows.frame for rows in row_tables], ignore_index=True)
    qrels = frame[["q_id", "d_id", "relevant"]].set_axis(list(QRELS.column_names), axis="columns")
    labels = [read_labels(path, root, groups)[["doc_id", "label"]] for path in paths]
    return {
        "documents": conform(frame[list(_DOCUMENTS)].rename(columns=_DOCUMENTS), DOCUMENTS),
        "qrels": conform(qrels, QRELS),
        "labels": conform(pd.concat(labels, ignore_index=True).assign(annotator=_AUTHORS), LABELS),
    }


def _refuse_repeated_documents(row_tables: Sequence[Rows]) -> None:
    first: dict[str, str] = {}  # the file of each document
    repeated = []
    for rows in row_tables:
        again = list[tuple[int, str]]()
        for place, name in enumerate(rows.frame["d_id"]):
            if name in first:
                again.append((place, f"this d_id is in {first[name]} already"))
            first.setdefault(name, rows.file)
        repeated += rows.bad(again, "d_id")
    raise_bad(repeated, "Keep one row for each document.")
